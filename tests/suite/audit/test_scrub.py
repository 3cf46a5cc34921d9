from passband.records import EvalCase, ExactMatchSpec
from passband.suite import EvalSuite, load_suite
from passband.suite.audit import audit_suite, scrub_suite

from .test_audit import FIX, code_case, repository

SECRET = "seven little rabbits"


def scrubbed(*cases):
    """The suite's scrubbed copies, and what was left."""
    suite = EvalSuite("s", cases)
    found = scrub_suite(suite, audit_suite(suite))
    return found, {} if found.clean is None else {case.id: case for case in found.clean}


def test_quotes_go_from_inputs_whatever_their_white_space():
    """Lines of the reference are taken out of the issue, nested strings included; the rest stays."""
    case = code_case("x", issue=f"please write\n{FIX.replace(' ', '  ')}\nand be quick")
    found, clean = scrubbed(case, code_case("fair"))
    assert clean["x"].inputs["issue"].split() == ["please", "write", "[removed]", "and", "be", "quick"]
    assert list(found.leaking) == [case]
    assert found.channels == {"fix-in-issue": ("x",)}


def test_history_and_caches_go_whole(tmp_path):
    """Git objects and copies in build folders are dropped; every other file stays as it is."""
    workspace = {**repository(tmp_path, packed=True), "build/calc.py": FIX.encode(), "build/other.txt": b"nothing"}
    found, clean = scrubbed(code_case("x", workspace=workspace))
    assert set(clean["x"].workspace) == {"calc.py", "build/other.txt"}
    assert set(found.channels) == {"reference-in-history", "reference-in-caches"}
    assert found.left == ()


def test_asserts_go_from_python_and_from_text():
    """A hidden assert in a visible test becomes a statement that does nothing; in notes it is removed."""
    visible = b"def test_some():\n    assert describe(7) == 'seven little rabbits'\n    assert 1\n"
    notes = f"TODO assert  describe(7) == '{SECRET}', or so\n".encode()
    _, clean = scrubbed(code_case("x", workspace={"tests/test_it.py": visible, "notes.txt": notes}))
    assert clean["x"].workspace["tests/test_it.py"] == b"def test_some():\n    pass\n    assert 1\n"
    assert clean["x"].workspace["notes.txt"] == b"TODO [removed], or so\n"


def test_a_block_keeps_its_body():
    """A `with` that hidden tests hold becomes a block that always runs, so that the file stays Python."""
    hidden = b"def test_it():\n    with pytest.raises(OverflowError):\n        f(1)\n"
    visible = b"def test_a():\n    with pytest.raises(OverflowError):\n        f(1)\n"
    _, clean = scrubbed(code_case("x", hidden=hidden, workspace={"tests/test_a.py": visible}))
    assert clean["x"].workspace["tests/test_a.py"] == b"def test_a():\n    if True:\n        f(1)\n"


def test_values_go_from_data_and_stay_in_code():
    """An expected value is taken out of data; in code it is part of what runs, and that it stays is said."""
    data, code = {"data.json": f'{{"7": "{SECRET}"}}'.encode()}, {"calc.py": f'X = "{SECRET}"\n'.encode()}
    found, clean = scrubbed(code_case("data", workspace=data), code_case("code", workspace=code))
    assert clean["data"].workspace["data.json"] == b'{"7": "[removed]"}'
    assert "code" not in clean
    assert found.left == ("code: expected-values-visible can't be removed without changing what runs",)


def test_what_was_scrubbed_is_clean_and_still_a_suite():
    """Scrubbed copies of the built-in suite have no hit in the channels they were scrubbed of."""
    suite = load_suite("builtin")
    found = scrub_suite(suite, audit_suite(suite))
    again = {channel.name: channel.cases for channel in audit_suite(found.clean).channels}
    assert found.channels
    for name, cases in found.channels.items():
        assert not again[name] & set(cases)
    for case, leaking in zip(found.clean, found.leaking, strict=True):
        assert (case.id, case.reference, case.hidden) == (leaking.id, leaking.reference, leaking.hidden)
        assert case != leaking


def test_nothing_to_scrub_is_no_suite():
    """A suite that gives nothing away has no copies."""
    found, clean = scrubbed(EvalCase(id="x", inputs={"q": "?"}, grader_spec=ExactMatchSpec(), reference="a"))
    assert (found.clean, found.leaking, clean, found.channels, found.left) == (None, None, {}, {}, ())
