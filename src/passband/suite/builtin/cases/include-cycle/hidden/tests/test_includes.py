import pytest

from pages import IncludeError, build


def include(*names):
    return "\n".join(f"{{{{ include {name} }}}}" for name in names)


def test_two_pages_that_include_each_other():
    sources = {"a": include("b"), "b": "text\n" + include("a")}
    with pytest.raises(IncludeError, match="a -> b -> a"):
        build(sources, ["a"])


def test_page_that_includes_itself():
    with pytest.raises(IncludeError, match="me -> me"):
        build({"me": "x\n" + include("me")})


def test_loop_behind_the_first_page():
    sources = {"start": include("x"), "x": include("y"), "y": include("z"), "z": include("x")}
    with pytest.raises(IncludeError, match="x -> y -> z -> x"):
        build(sources, ["start"])


def test_same_page_twice_in_one_page():
    assert build({"p": include("f", "f"), "f": "-"}, ["p"]) == {"p": "-\n-"}


def test_same_page_by_two_ways():
    sources = {"top": include("l", "r"), "l": include("base"), "r": include("base"), "base": "b"}
    assert build(sources, ["top"]) == {"top": "b\nb"}


def test_pages_build_after_each_other_with_one_footer():
    sources = {"a": include("f"), "b": include("f"), "f": "-"}
    assert build(sources) == {"a": "-", "b": "-", "f": "-"}


def test_failure_does_not_stay_behind():
    sources = {"a": include("nope"), "b": include("c"), "c": "ok"}
    with pytest.raises(IncludeError):
        build(sources, ["a"])
    assert build(sources, ["b", "c"]) == {"b": "ok", "c": "ok"}


def test_indentation_adds_up():
    sources = {"a": "  {{ include b }}", "b": "x\n  {{include c}}", "c": "y"}
    assert build(sources, ["a"]) == {"a": "  x\n    y"}


def test_deep_chain_without_a_loop():
    sources = {f"p{i}": include(f"p{i + 1}") for i in range(60)} | {"p60": "end"}
    assert build(sources, ["p0"]) == {"p0": "end"}
