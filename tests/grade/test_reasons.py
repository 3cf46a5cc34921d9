from passband.grade import TestOutcome


def test_reasons_hold_no_addresses():
    """Equal runs give equal reasons: where an object lay in memory is left out, small numbers are not."""
    why = "assert <calc.Box object at 0x7f3db83ec4a0> == 0x1f"
    assert TestOutcome(passed=False, why=why).why == "assert <calc.Box object at 0x…> == 0x1f"
