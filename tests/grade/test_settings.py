"""A suite's own settings of pytest: what they say holds, whoever answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from passband.grade.material import static_reason
from passband.grade.settings import read_settings
from passband.records import Verdict
from tests.grade.cases import make_case, whole_files

if TYPE_CHECKING:
    from passband.grade import Grading
    from passband.grade.settings import Settings


def read(tree: dict[str, str], hidden: dict[str, str] | None = None) -> Settings:
    """Read the settings of a tree of text."""
    files = [{path: text.encode() for path, text in part.items()} for part in (tree, hidden or {})]
    return read_settings(*files)


@pytest.mark.parametrize(
    ("tree", "folders"),
    [
        ({"pyproject.toml": '[tool.pytest.ini_options]\npythonpath = ["lib", "."]\n'}, ("lib",)),
        ({"pyproject.toml": '[tool.pytest.ini_options]\npythonpath = "a b"\n'}, ("a", "b")),
        ({"pyproject.toml": '[tool.pytest]\npythonpath = ["a", "b"]\n'}, ("a", "b")),
        ({"pytest.toml": '[pytest]\npythonpath = ["a"]\n'}, ("a",)),
        ({"pytest.ini": "[pytest]\npythonpath = lib/x\n", "src/p.py": ""}, ("lib/x",)),
        ({"setup.cfg": "[tool:pytest]\npythonpath = src\n"}, ("src",)),
        ({"tox.ini": "[pytest]\npythonpath = ../out /etc lib\n"}, ("lib",)),
        ({"src/pkg/__init__.py": ""}, ("src",)),
        ({"src/__init__.py": "", "src/x.py": ""}, ()),
        ({"m.py": ""}, ()),
        ({"pyproject.toml": "[tool"}, ()),
        ({"pyproject.toml": "tool = 3"}, ()),
        ({"pytest.ini": "no section"}, ()),
        ({"pytest.ini": "[pytest]\npythonpath = 'lib\n"}, ()),
    ],
)
def test_import_folders(tree: dict[str, str], folders: tuple[str, ...]) -> None:
    """They are what the suite's own settings say, inside the tree; without any, ``src``."""
    assert read(tree).folders == folders


@pytest.mark.parametrize(
    ("tree", "options"),
    [
        ({"pytest.ini": "[pytest]\npython_functions = check_*\n"}, ("-opython_functions=check_*",)),
        ({"tox.ini": "[pytest]\nmarkers =\n    slow: takes long\n"}, ("-omarkers=\nslow: takes long",)),
        ({"pyproject.toml": "[tool.pytest.ini_options]\nxfail_strict = true\n"}, ("-oxfail_strict=true",)),
        (
            {"pytest.ini": "[pytest]\naddopts = -W error --pythonwarnings=ignore -Wd -q\n"},
            ("-Werror", "-Wignore", "-Wd"),
        ),
        ({"pytest.ini": "[pytest]\naddopts = -p evil --rootdir=/\nconfcutdir = /\n"}, ()),
        ({"pytest.ini": "", "setup.cfg": "[tool:pytest]\nlog_level = INFO\n"}, ()),
        (
            {"pyproject.toml": "[project]\nname = 'x'\n", "tox.ini": "[pytest]\nlog_level = INFO\n"},
            ("-olog_level=INFO",),
        ),
    ],
)
def test_options(tree: dict[str, str], options: tuple[str, ...]) -> None:
    """Of the first file that speaks to pytest, what a verdict hangs on is taken and nothing else."""
    assert read(tree).options == options


def test_hidden_settings_lie_over_the_tree_s() -> None:
    """A file of settings among the hidden tests counts instead of the one in the tree."""
    made = read({"pytest.ini": "[pytest]\nlog_level = INFO\n"}, {"pytest.ini": "[pytest]\nlog_level = DEBUG\n"})
    assert made.options == ("-olog_level=DEBUG",)


WARNS = """\
import warnings
def f(x):
    warnings.warn("old", DeprecationWarning)
    return x * 2
"""
LOGS = """\
import logging
def f(x):
    logging.getLogger("m").info("doubled %s", x)
    return x * 2
"""
SILENT = "def f(x): return x * 2\n"
WRONG = "def f(x): return x * 3\n"
PLAIN = "from m import f\ndef test_f(): assert f(2) == 4\n"

# Settings, hidden tests, the test asked for, a right answer, and one that only the settings tell from it.
RULED = {
    "warnings are errors": ("filterwarnings = error", PLAIN, "test_f", SILENT, WARNS),
    "warnings are errors by option": ("addopts = -W error", PLAIN, "test_f", SILENT, WARNS),
    "other names of functions": (
        "python_functions = check_*",
        "from m import f\ndef check_f(): assert f(2) == 4\n",
        "check_f",
        SILENT,
        WRONG,
    ),
    "other names of classes": (
        "python_classes = Check*",
        "from m import f\nclass CheckF:\n    def test_f(self): assert f(2) == 4\n",
        "CheckF::test_f",
        SILENT,
        WRONG,
    ),
    "another level of logging": (
        "log_level = INFO",
        "from m import f\ndef test_f(caplog):\n    f(2)\n    assert caplog.messages == ['doubled 2']\n",
        "test_f",
        LOGS,
        SILENT,
    ),
    "fixtures for every test": (
        "usefixtures = start",
        "import pytest, m\n@pytest.fixture\ndef start(): m.START = 1\ndef test_f(): assert m.f(2) == 4\n",
        "test_f",
        "START = 0\ndef f(x): return x * 2 if START else 0\n",
        SILENT.replace("x * 2", "x * 2 - START").replace("def", "START = 0\ndef"),
    ),
}


@pytest.mark.parametrize("tier", ["auto", "pytest"])
@pytest.mark.parametrize("name", RULED)
def test_settings_rule(name: str, tier: str, grading: Grading) -> None:
    """What the settings say decides, whether the tier is found or given."""
    ini, tests, test, right, wrong = RULED[name]
    case = make_case(
        {"m.py": WRONG, "pytest.ini": f"[pytest]\n{ini}\n"}, tests, {"m.py": right}, fail=(test,), tier=tier
    )
    found = [grading.grade(case, whole_files({"m.py": f"{text}# as an answer\n"})) for text in (right, wrong)]
    assert all(isinstance(verdict, Verdict) for verdict in found), found
    told = [f"{verdict.outcome.value} {verdict.tier}" for verdict in found if isinstance(verdict, Verdict)]
    assert [line.partition("@")[0] for line in told] == ["resolved execution/pytest", "unresolved execution/pytest"]


@pytest.mark.parametrize(
    ("ini", "words"),
    [
        ("filterwarnings =\n    ignore\n    error::DeprecationWarning", "errors of warnings"),
        ("usefixtures = a", "a fixture"),
        ("log_level = INFO", ""),
    ],
)
def test_what_no_second_process_shows(ini: str, words: str) -> None:
    """Settings whose effect would be lost in silence in tier 1 are told as a reason against it."""
    case = make_case({"m.py": WRONG, "pytest.ini": f"[pytest]\n{ini}\n"}, PLAIN, None, fail=("test_f",))
    assert words in static_reason(case)
    assert bool(static_reason(case)) == bool(words)


@pytest.mark.parametrize(
    "ini", ["filterwarnings = often", "addopts = -W often", "log_level = LOUD", "empty_parameter_set_mark = never"]
)
def test_settings_that_pytest_refuses(ini: str, grading: Grading) -> None:
    """Nothing passes, as with plain pytest, and the detail says what is wrong with them."""
    tree = {"m.py": WRONG, "pytest.ini": f"[pytest]\n{ini}\n"}
    case = make_case(tree, PLAIN, {"m.py": SILENT}, fail=("test_f",), tier="pytest")
    verdict = grading.grade(case, whole_files({"m.py": SILENT}))
    assert isinstance(verdict, Verdict)
    assert not verdict.passed
    assert "pytest refuses the suite's settings" in verdict.detail
    assert ini.rsplit(maxsplit=1)[-1] in verdict.detail
