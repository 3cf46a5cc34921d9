import json
import random
import subprocess

import pytest

from passband.errors import SuiteError
from passband.records import EvalCase, ExactMatchSpec, ExecutionSpec
from passband.suite import EvalSuite
from passband.suite.audit import Document, audit_suite, documents

WORDS = [f"word{i}" for i in range(4000)]
FIX = "    return clamp(value, lower_bound, upper_bound)"
REFERENCE = f"--- a/calc.py\n+++ b/calc.py\n@@ -1 +1 @@\n-    return value\n+{FIX}\n"
HIDDEN = b"def test_it():\n    assert describe(7) == 'seven little rabbits'\n    assert total(3, 4) == 7\n"


def prose(seed, words=120):
    return " ".join(random.Random(seed).choices(WORDS, k=words))


def code_case(name, *, issue="it is wrong", workspace=None, hidden=HIDDEN, reference=REFERENCE):
    return EvalCase(
        id=name,
        inputs={"issue": issue},
        grader_spec=ExecutionSpec(fail_to_pass=("tests/test_it.py::test_it",)),
        reference=reference,
        workspace={"calc.py": b"def f(value):\n    return value\n", **(workspace or {})},
        hidden={"tests/test_it.py": hidden},
    )


def text_case(name, text, reference="a"):
    return EvalCase(id=name, inputs={"q": text}, grader_spec=ExactMatchSpec(), reference=reference)


def found(suite_cases, train=()):
    audit = audit_suite(EvalSuite("s", tuple(suite_cases)), [Document(f"d{i}", text) for i, text in enumerate(train)])
    return {channel.name: channel for channel in audit.channels}, audit


def test_copies_are_exact_duplicates_whatever_their_case_and_spaces():
    """A copy that differs in case and white space is exact, and is not counted as near too."""
    channels, _ = found([text_case("x", prose(1)), text_case("y", prose(2))], [prose(1).upper().replace(" ", "\n  ")])
    assert channels["exact-duplicate"].cases == {"x"}
    assert channels["near-duplicate"].hits == ()


def test_a_changed_copy_is_a_near_duplicate_with_its_true_similarity():
    """A few replaced words leave a near duplicate whose Jaccard similarity is that of its shingles, counted exactly."""
    words = prose(1).split()
    for place in (20, 60):
        words[place] = "changed"
    channels, _ = found([text_case("x", prose(1)), text_case("y", prose(2))], [" ".join(words), prose(3)])
    (hit,) = channels["near-duplicate"].hits

    def shingles(text):
        split = text.split()
        return {tuple(split[i : i + 5]) for i in range(len(split) - 4)}

    one, two = shingles(prose(1)), shingles(" ".join(words))
    assert (hit.case, hit.source) == ("x", "d0")
    assert hit.strength == pytest.approx(len(one & two) / len(one | two), abs=1e-4)


def test_every_near_duplicate_of_many_is_found_and_nothing_else():
    """Of 300 documents the 60 changed copies are found, and no two unlike texts are taken for alike."""
    cases = [text_case(f"c{i}", prose(i)) for i in range(60)]
    train = [prose(f"t{i}") for i in range(240)]
    for i in range(60):
        words = prose(i).split()
        words[10 + i] = "changed"
        train.append(" ".join(words))
    channels, _ = found(cases, train)
    assert len(channels["near-duplicate"].hits) == 60
    assert all(hit.strength > 0.9 for hit in channels["near-duplicate"].hits)


def test_a_solution_in_training_text_is_found_by_its_ngrams():
    """A reference whose n-grams stand in a document leaks its answer though the task is not there."""
    answer = prose("answer", 30)
    channels, _ = found(
        [text_case("x", prose(1), answer), text_case("y", prose(2), prose(9, 30))], [f"so: {answer} done"]
    )
    assert channels["solution-ngrams"].cases == {"x"}
    assert channels["solution-ngrams"].carries == "answers"
    assert channels["exact-duplicate"].hits == ()


def test_hidden_tests_in_training_text_are_found_by_their_ngrams():
    """A document that holds a case's hidden tests leaks its answers; one that holds what the task shows does not."""
    tests = "".join(f"def test_{i}():\n    assert describe({i}) == '{prose(i, 6)}'\n" for i in range(4))
    cases = [
        code_case("met", hidden=tests.encode()),
        code_case("other", hidden=tests.replace("describe", "count").replace("word", "term").encode()),
    ]
    channels, _ = found(cases, [f"once upon a time\n{tests.upper()}\nthe end", "return value f(value) it is wrong"])
    assert channels["hidden-test-ngrams"].cases == {"met"}
    assert channels["hidden-test-ngrams"].carries == "answers"
    assert channels["hidden-test-ngrams"].hits[0].strength == 1.0
    assert channels["solution-ngrams"].hits == ()


def test_training_data_without_a_document_is_no_clean_bill(tmp_path):
    """An empty folder or file of training data is an error, not a suite found clean against nothing."""
    (tmp_path / "empty").mkdir()
    (tmp_path / "blank.jsonl").write_text("\n\n")
    for name in ("empty", "blank.jsonl"):
        with pytest.raises(SuiteError):
            list(documents(str(tmp_path / name)))


def test_names_of_leaked_cases_and_mere_vocabulary_are_kept_apart():
    """Rare names of a case that leaks otherwise are its names; of one that does not, they are vocabulary."""
    cases = [text_case("x", prose(1) + " frobnicate_rabbits"), text_case("y", prose(2) + " quuxify_hats")]
    channels, _ = found(cases, [prose(1) + " frobnicate_rabbits", "quuxify_hats"])
    assert channels["names"].cases == {"x"}
    assert channels["vocabulary"].cases == {"y"}


def test_a_fix_quoted_in_the_issue_is_found():
    """An issue that quotes the added line gives the answer; one that quotes what is there does not."""
    channels, _ = found([
        code_case("quotes", issue=f"replace it by\n\n{FIX}\n\nplease"),
        code_case("fair", issue="see\n\n    return value\n"),
    ])  # fmt: skip
    assert channels["fix-in-issue"].cases == {"quotes"}


def test_hidden_asserts_and_expected_values_in_the_workspace_are_found():
    """An assert of a hidden test in a visible file, or a value it compares with outside of tests, is a leak."""
    copy = {"notes.txt": b"TODO: assert describe(7) == 'seven little rabbits'\n"}
    value = {"data.json": b'{"7": "seven little rabbits"}'}
    channels, _ = found([
        code_case("copied", workspace=copy), code_case("valued", workspace=value), code_case("fair"),
        code_case("asked", issue="say 'seven little rabbits' for 7", workspace=value),
    ])  # fmt: skip
    assert channels["hidden-tests-visible"].cases == {"copied"}
    assert channels["expected-values-visible"].cases == {"copied", "valued"}


def repository(tmp_path, *, packed):
    """A git folder whose history once held the fix."""
    run = lambda *args: subprocess.run(  # noqa: E731
        ["git", "-c", "user.name=a", "-c", "user.email=a@b", *args], cwd=tmp_path, check=True, capture_output=True
    )
    run("init", "-q")
    (tmp_path / "calc.py").write_text(FIX + "\n")
    run("add", ".")
    run("commit", "-qm", "fixed")
    (tmp_path / "calc.py").write_text("    return value\n")
    run("commit", "-qam", "broken")
    if packed:
        run("gc", "-q")
    return {
        f".git/{p.relative_to(tmp_path / '.git')}": p.read_bytes()
        for p in (tmp_path / ".git").rglob("*")
        if p.is_file()
    }


@pytest.mark.parametrize("packed", [False, True])
def test_a_reference_in_git_objects_is_found(tmp_path, packed):
    """The fix is found in history, loose or packed, whatever the current files hold."""
    channels, audit = found([code_case("x", workspace=repository(tmp_path, packed=packed)), code_case("y")])
    assert channels["reference-in-history"].cases == {"x"}
    assert audit.not_looked == ()


@pytest.mark.parametrize("name", ["ab/" + "cd" * 19, "pack/pack-1.pack"])
def test_a_git_folder_that_can_not_be_read_is_said(name):
    """A damaged object, or a pack without its index, is reported as not looked at, not as clean."""
    channels, audit = found([code_case("x", workspace={f".git/objects/{name}": b"junk"})])
    assert channels["reference-in-history"].hits == ()
    assert audit.not_looked[0].startswith("x:")


def test_a_reference_in_a_build_folder_is_found():
    """A copy of the fix in a build folder or an editor's backup leaks it."""
    channels, _ = found([
        code_case("built", workspace={"build/lib/calc.py": FIX.encode()}),
        code_case("backup", workspace={"calc.py.orig": FIX.encode()}), code_case("fair"),
    ])  # fmt: skip
    assert channels["reference-in-caches"].cases == {"built", "backup"}


def test_documents_come_from_jsonl_folders_and_suites(tmp_path):
    """Lines with a text, files of a folder, cases of a suite; a line without a text is an error with its number."""
    lines = tmp_path / "d.jsonl"
    lines.write_text(json.dumps({"id": "a", "text": "x"}) + "\n\n" + json.dumps({"text": "y"}) + "\n")
    assert [(d.id, d.text) for d in documents(str(lines))] == [("a", "x"), ("3", "y")]
    folder = tmp_path / "folder"
    (folder / "sub").mkdir(parents=True)
    (folder / "sub/a.txt").write_text("z")
    assert [(d.id, d.text) for d in documents(str(folder))] == [("sub/a.txt", "z")]
    assert len(list(documents("builtin"))) > 20
    lines.write_text('{"text": "x"}\n{"t": 1}\n')
    with pytest.raises(SuiteError, match=r"d.jsonl:2"):
        list(documents(str(lines)))


@pytest.mark.slow
def test_a_large_audit_takes_little_memory_and_time():
    """10,000 cases against 100,000 documents stay under two minutes of CPU and 2 GiB, in a process of their own."""
    import sys
    import textwrap

    script = textwrap.dedent("""
        import random, resource, time
        from passband.records import EvalCase, ExactMatchSpec
        from passband.suite import EvalSuite
        from passband.suite.audit import Document, audit_suite
        words = [f"word{i}" for i in range(30000)]
        text = lambda seed: " ".join(random.Random(seed).choices(words, k=200))
        cases = tuple(EvalCase(id=f"e{i}", inputs={"q": text(f"e{i}")}, reference=text(f"r{i}")[:150],
                      grader_spec=ExactMatchSpec()) for i in range(10_000))
        suite = EvalSuite("s", cases)
        train = (Document(f"t{i}", text(f"e{i}" if i < 100 else f"t{i}")) for i in range(100_000))
        begun = time.process_time()
        audit = audit_suite(suite, train)
        exact = next(c for c in audit.channels if c.name == "exact-duplicate")
        print(len(exact.hits), time.process_time() - begun, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20)
    """)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True, text=True)
    exact, seconds, gib = map(float, done.stdout.split())
    assert exact == 100
    assert seconds < 120
    assert gib < 2
