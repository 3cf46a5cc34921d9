from passband.run import Progress, make_header
from passband.run.rounds import Rounds
from passband.subject import FunctionSubject
from tests.tables import table

from .doubles import ExactGrading, coin_suite


class Heavy:
    """Wants three samples of the first case in each round, and never has enough."""

    def __init__(self, enough_after=None):
        self.seen = []
        self.enough_after = enough_after

    def next_round(self):
        return [3, 1]

    def add_round(self, passed, failed, errored):
        self.seen.append((list(passed), list(failed), list(errored)))
        return "enough" if len(self.seen) == self.enough_after else None


def rounds(rule, n, held=None):
    """Make the rounds of two cases with at most n samples each."""
    suite = coin_suite(2)
    subject = FunctionSubject("f", lambda view, seed: "1")
    header = make_header(suite, subject, ExactGrading(), samples_per_case=n, seed=1, created_at=0.0)
    progress = Progress(scheduled=2 * n, cases=2)
    return Rounds(suite, header, table(held or {"a": "-" * n, "b": "-" * n}), rule, progress), progress


def places(found):
    """Where the samples are that were given; None where a round ends."""
    return [work and (work.case_no, work.index) for work in found]


def test_a_round_has_what_the_rule_wants():
    """Each case's samples go on where the round before left them, up to n; then no round is left, but the rest is."""
    made, progress = rounds(Heavy(), 5)
    assert places(made) == [
        *((0, 0), (0, 1), (0, 2), (1, 0), None),
        *((0, 3), (0, 4), (1, 1), None),
        *((1, 2), (1, 3), (1, 4)),
    ]
    assert not progress.enough


def test_what_is_stored_counts_where_its_round_comes():
    """Samples of an earlier process are not drawn again, and the rule sees them as if they had been drawn just now."""
    rule = Heavy(enough_after=2)
    made, progress = rounds(rule, 6, {"a": "PFPE--", "b": "PF----"})
    assert places(made) == [None, (0, 4), (0, 5), None]
    assert rule.seen == [([2, 1], [1, 0], [0, 0]), ([0, 0], [0, 1], [1, 0])]
    assert progress.enough == progress.stopped == "enough"
