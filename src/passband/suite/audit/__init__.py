"""The leakage audit: list the channels by which answers may have reached a subject, and measure them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from passband.suite.audit.documents import Document, documents
from passband.suite.audit.overlap import overlap_channels
from passband.suite.audit.result import Audit, Channel, Hit
from passband.suite.audit.scrub import Scrubbed, scrub_suite
from passband.suite.audit.visible import visible_channels

if TYPE_CHECKING:
    from collections.abc import Iterable

    from passband.suite.evalsuite import EvalSuite

__all__ = ["Audit", "Channel", "Document", "Hit", "Scrubbed", "audit_suite", "documents", "scrub_suite"]


def audit_suite(suite: EvalSuite, train: Iterable[Document] = (), *, train_name: str = "nothing") -> Audit:
    """Audit a suite against training documents, and for what its own cases give away.

    Parameters
    ----------
    suite : EvalSuite
        The evaluation.
    train : iterable of Document
        The training data; read once.
    train_name : str
        What to call it.

    Returns
    -------
    Audit
        Channels that carry answers first.
    """
    inside, not_looked = visible_channels(suite)
    outside, number = overlap_channels(suite, train)
    order = {"answers": 0, "tasks": 1, "names": 2}
    return Audit(
        suite=suite.name,
        suite_version=suite.version,
        n_cases=len(suite),
        train=train_name,
        n_documents=number,
        channels=tuple(sorted([*inside, *outside], key=lambda channel: order[channel.carries])),
        not_looked=tuple(not_looked),
    )
