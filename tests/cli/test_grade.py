import json
from importlib.resources import files
from pathlib import Path

import pytest

from passband.cli.app import _run

from .runner import passband

CASES = Path(str(files("passband.suite"))) / "builtin/cases"
GOLD = (CASES / "add-bug/reference.patch").read_text()
CAPITALS = [
    {"id": "f", "inputs": {}, "reference": "Paris", "grader_spec": {"kind": "exact_match"}},
    {"id": "k", "inputs": {}, "reference": "Nairobi", "grader_spec": {"kind": "exact_match"}},
]


@pytest.fixture
def capitals(tmp_path):
    """A suite of two questions."""
    path = tmp_path / "capitals.jsonl"
    path.write_text("".join(json.dumps(case) + "\n" for case in CAPITALS))
    return str(path)


def answers(path: Path, *rows: object) -> str:
    """Write answers, a line each; text is written as it is."""
    path.write_text("".join((row if isinstance(row, str) else json.dumps(row)) + "\n" for row in rows))
    return str(path)


@pytest.mark.parametrize(
    ("answer", "word", "code"),
    [
        (GOLD, "resolved", 0),
        (GOLD.replace("(left, -right)", "(right, left)"), "unresolved", 1),
        ("I give up.", "not_applied", 1),
    ],
)
def test_one_answer(tmp_path, answer, word, code):
    """One answer gets its word, and the exit code says whether it resolved the case; a pipe is as good as a file."""
    path = tmp_path / "answer.patch"
    path.write_text(answer)
    ran = passband("grade", "builtin", "add-bug", str(path), "--format", "json")
    graded = json.loads(ran.out)
    assert (graded["outcome"], graded["passed"], ran.code) == (word, code == 0, code), ran.err
    assert graded["tier"].startswith("static" if word == "not_applied" else "execution/split@")
    assert graded["detail"].endswith(f"[{graded['tier']}]")


def test_a_file_of_answers(tmp_path, capitals):
    """Every line gets its verdict, in the order of the file, whatever form its payload has."""
    path = answers(
        tmp_path / "a.jsonl",
        {"id": "one", "case": "f", "format": "text", "payload": "Paris"},
        {"id": "two", "case": "k", "format": "text", "payload": "Paris"},
        {"case": "k", "payload": {"base64": "TmFpcm9iaQ=="}, "format": "text"},
        "",
        {"id": 4, "case": "f", "payload": {"Paris": None}},
    )
    ran = passband("grade", capitals, "--answers", path, "--format", "json")
    graded = [json.loads(line) for line in ran.out.splitlines()]
    assert [(row["id"], row["outcome"]) for row in graded] == [
        ("one", "resolved"),
        ("two", "unresolved"),
        (3, "resolved"),
        (4, "unresolved"),
    ]
    assert ran.code == 0


def test_answers_come_through_a_pipe_as_well(capitals):
    """A dash for the file of answers, or for one answer, is standard input."""
    row = {"id": "x", "case": "f", "format": "text", "payload": "Paris"}
    ran = passband("grade", capitals, "--answers", "-", "--format", "json", given=json.dumps(row))
    assert json.loads(ran.out)["outcome"] == "resolved"
    assert passband("grade", capitals, "f", "-", "--as", "text", given="Paris").code == 0
    assert passband("grade", capitals, "f", "-", "--as", "text", given="Rome").code == 1


def test_text_output_is_one_line_an_answer(tmp_path, capitals):
    """Foreign text in a reason stays on its line and cannot drive the terminal."""
    path = answers(tmp_path / "a.jsonl", {"id": "x", "case": "f", "format": "text", "payload": "\x1b[31mred\nblue"})
    ran = passband("grade", capitals, "--answers", path)
    assert len(ran.out.splitlines()) == 1
    assert "\x1b" not in ran.out
    assert ran.out.startswith("unresolved")
    assert "  x  f  not passed  score 0  exact_match  " in ran.out


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ("{", "is not JSON"),
        ("[]", "is not an answer"),
        ({"case": "f"}, "is not an answer"),
        ({"case": "ff", "payload": "x"}, "did you mean 'f'"),
        ({"case": "f", "payload": 3}, "neither text nor an object"),
        ({"case": "f", "payload": {"base64": "*"}}, "no base64"),
        ({"case": "f", "payload": "x", "format": "txt"}, "did you mean 'text'"),
        ({"case": "f", "payload": "x", "format": "\ud800"}, "no answer format named '\\ud800'"),
        ({"case": "\ud800", "payload": "x"}, "no case named '\\ud800'"),
        ({"case": "f", "payload": "x", "id": ["\ud800"]}, "a.jsonl:2: id[0]: a lone surrogate"),
        ({"case": "f", "payload": "x", "id": float("nan")}, "a.jsonl:2: id: "),
    ],
)
def test_a_bad_line_is_named_and_takes_nothing_with_it(tmp_path, capitals, row, words):
    """The verdicts before a bad line are printed; the line is named with its number."""
    good = {"case": "f", "format": "text", "payload": "Paris"}
    ran = passband("grade", capitals, "--answers", answers(tmp_path / "a.jsonl", good, row, good), "--format", "json")
    assert ran.code in {2, 4}
    assert [json.loads(line)["outcome"] for line in ran.out.splitlines()] == ["resolved"]
    assert words in ran.err
    assert len(ran.err.splitlines()) == 1


def test_no_name_steers_the_terminal(tmp_path, capitals):
    """An id that holds what moves a cursor shows as escapes, on the line of its answer."""
    row = {"id": "a\x1b[2J\nb", "case": "f", "format": "text", "payload": "Paris"}
    ran = passband("grade", capitals, "--answers", answers(tmp_path / "a.jsonl", row))
    (line,) = ran.out.splitlines()
    assert line.startswith("resolved          a\\x1b[2J b  f  passed  score 1  exact_match  ")


def test_two_answers_of_one_id_are_refused(tmp_path, capitals):
    """Verdicts are told apart by the ids of their answers: a second one is named with the line of the first."""
    row = {"id": 7, "case": "f", "format": "text", "payload": "Paris"}
    nameless = {key: value for key, value in row.items() if key != "id"}
    ran = passband("grade", capitals, "--answers", answers(tmp_path / "a.jsonl", row, nameless, row))
    assert ran.code == 4
    assert "a.jsonl:3: has the id of line 1: 7" in ran.err
    assert len(ran.out.splitlines()) == 2


def test_an_answer_without_an_id_goes_by_its_line(tmp_path, capitals):
    """The number of the line stands for an id that is missing or null, and is no other answer's id."""
    plain = {"case": "f", "format": "text", "payload": "Paris"}
    path = answers(tmp_path / "a.jsonl", plain, {**plain, "id": None}, {**plain, "id": 7})
    ran = passband("grade", capitals, "--answers", path, "--format", "json")
    assert [json.loads(line)["id"] for line in ran.out.splitlines()] == [1, 2, 7]
    path = answers(tmp_path / "a.jsonl", {**plain, "id": 2}, plain)
    ran = passband("grade", capitals, "--answers", path)
    assert ran.code == 4
    assert "a.jsonl:2: has the id of line 1: 2" in ran.err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "name a CASE and an ANSWER"),
        (["f"], "name a CASE and an ANSWER"),
        (["f", "x", "--answers", "y"], "name a CASE and an ANSWER"),
        (["f", "missing.patch"], "No such file"),
        (["g", "capitals.jsonl"], "no case named 'g'"),
        (["--answers", "missing.jsonl"], "No such file"),
        (["f", "capitals.jsonl", "--as", "prose"], "no answer format named 'prose'"),
    ],
)
def test_mistakes_are_one_line(capitals, arguments, words):
    """Each way to call it wrongly gets one line that says so."""
    ran = passband("grade", capitals, *arguments)
    assert ran.code in {2, 4}
    assert words in ran.err
    assert len(ran.err.splitlines()) == 1


def test_doctor_tells_the_tier():
    """The doctor names the tier, each probe, and exits by whether there is isolation at all."""
    found = json.loads(passband("doctor", "--format", "json").out)
    ran = passband("doctor")
    assert ran.code == (0 if found["tier"] else 4)
    assert all(probe in ran.out for trial in found["trials"] for probe in trial["probes"])


@pytest.mark.parametrize("text", ["", "\n \n"])
def test_no_answer_is_no_success(tmp_path, capitals, text, capsys):
    """A file or a pipe without an answer is bad data, as a suite without a case is: nothing was graded."""
    path = tmp_path / "a.jsonl"
    path.write_text(text)
    assert _run(["grade", capitals, "--answers", str(path)]) == 4
    said = capsys.readouterr()
    assert said.err.startswith(f"passband: error: {path}: holds no answer")
    assert not said.out
