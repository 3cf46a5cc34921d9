import json
from pathlib import Path

import jsonschema
import pytest

from passband.cli.gate import _EXAMPLE
from passband.gate import NoWorse, PolicyError, policy_schema
from tests.gate.policies import policy

PUBLISHED = Path(__file__).parents[2] / "docs/reference/gate.schema.json"


def test_the_example_is_a_policy(tmp_path):
    """What `gate --example` prints can be read, and fits the schema."""
    import tomllib

    made = policy(tmp_path, _EXAMPLE)
    assert made.rule[0] == NoWorse(margin=2)
    jsonschema.validate(tomllib.loads(_EXAMPLE), policy_schema())


@pytest.mark.parametrize(
    ("text", "message", "snippet"),
    [
        ('[[rule]]\nkind = "floor"\n  mn = 3 # low\n', r"gate.toml:3:3: unknown key 'mn'; did you mean 'min'", "  ^^"),
        (
            '[[rule]]\nkind = "flor"\nmin = 3\n',
            r"gate.toml:2:1: unknown kind of rule 'flor'; did you mean 'floor'",
            "^",
        ),
        ('[[rule]]\nkind = "floor"\nmin = 300\n', r"gate.toml:3:1: .*<= 100", "^^^"),
        ('[[rule]]\nkind = "floor"\nmin = "x"\n', r"gate.toml:3:1: .*float.*str", "^^^"),
        ('[[rule]]\nkind = "floor"\n', r"gate.toml:1:1: min is missing", "^^^^^^^^"),
        ('level = 0.95\n[[rule]]\nkind = "floor"\nmin = 1\n', r"gate.toml:1:1: .*>= 50", "^^^^^"),
        (
            'levle = 95\n[[rule]]\nkind = "floor"\nmin = 1\n',
            r"gate.toml:1:1: unknown key 'levle'; did you mean",
            "^^^^^",
        ),
        ('name = "x"\n', r"gate.toml:1:1: rule is missing", "^"),
        ('[[rule]\nkind = "floor"\n', r"gate.toml:1:7: ", "      ^"),
        ('[[rule]]\nkind = "cost"\n', r"gate.toml:1:1: a cost rule needs max_usd or max_increase", "^^^^^^^^"),
        (
            '[[rule]]\nkind = "floor"\nmin = 1\n\n[[rule]]\nkind = "no_worse"\nmargin = 1\nmetric = "pass1"\n',
            r"gate.toml:8:1: .*pass\[@\^\]",
            "^^^^^^",
        ),
        ("min = ", "gate.toml:1:7", "      ^"),
        (
            (
                '[[rule]]\nkind = "floor"\nmin = 1\nadvisory = true # for now\n\n'
                '[[rule]]\nkind = "power"\ndetect = 5\nadvisory = true\n'
            ),
            r"gate.toml:4:1: no rule decides: every one is advisory; leave advisory out",
            "^^^^^^^^",
        ),
    ],
)
def test_a_fault_is_pointed_at(tmp_path, text, message, snippet):
    """Every fault names file, line and column, shows the line, and puts carets under what is wrong."""
    with pytest.raises(PolicyError, match=message) as caught:
        policy(tmp_path, text)
    shown, carets = caught.value.snippet.split("\n")
    line = int(str(caught.value).split(":")[1])
    assert shown == f"{line:5} | {text.splitlines()[line - 1]}"
    assert carets.startswith("      | " + snippet)
    assert caught.value.exit_code == 2


def test_a_missing_policy_offers_an_example(tmp_path):
    """No file is an error that says how to get one."""
    from passband.gate import read_policy

    with pytest.raises(PolicyError, match="gate --example"):
        read_policy(tmp_path / "none.toml")


def test_layout_and_comments_do_not_change_the_digest(tmp_path):
    """The digest is of what the policy says."""
    one = policy(tmp_path, '[[rule]]\nkind = "floor"\nmin = 50\n')
    two = policy(tmp_path, '# why\n[[rule]]\nmin = 50.0\nkind="floor"\nadvisory = false\n')
    three = policy(tmp_path, '[[rule]]\nkind = "floor"\nmin = 51\n')
    assert one.digest == two.digest != three.digest


def test_the_published_schema_is_that_of_the_code():
    """The schema in the documentation is what the reader is held to."""
    assert json.loads(PUBLISHED.read_text()) == json.loads(json.dumps(policy_schema()))
