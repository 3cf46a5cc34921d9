import pytest

from tinyagent.chapter.words import count, listed


@pytest.mark.parametrize(
    ("those", "noun", "said"),
    [(range(10), "seed", "ten seeds"), ([7], "base agent", "one base agent"), (range(12), "seed", "12 seeds")],
)
def test_a_paragraph_says_how_many_there_are(those, noun, said):
    """The number comes from what is counted: words up to ten, and one of a thing is one."""
    assert count(those, noun) == said


def test_names_are_listed_as_people_do():
    """Commas, and an and before the last."""
    assert [listed(names) for names in ([], ["a"], ["a", "b"], ["a", "b", "c"])] == [
        "none",
        "a",
        "a and b",
        "a, b and c",
    ]
