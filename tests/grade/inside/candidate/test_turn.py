"""Whose turn it is on the line between judge and executor."""

from __future__ import annotations

from threading import Event, Thread

from passband.grade.inside.candidate.turn import Turn


def test_a_thread_waits_for_the_one_before() -> None:
    """While one thread has the line no other gets it."""
    turn, entered = Turn(), Event()
    seen: list[str] = []

    def other() -> None:
        entered.set()
        with turn.taken():
            seen.append("other")

    with turn.taken():
        thread = Thread(target=other)
        thread.start()
        assert entered.wait(30)
        seen.append("first")
    thread.join()
    assert seen == ["first", "other"]


def test_who_works_lets_others_have_it_and_waits_for_them() -> None:
    """A question in the middle of another one is answered before that one goes on."""
    turn, has_it, may_end = Turn(), Event(), Event()
    seen: list[str] = []

    def other() -> None:
        with turn.taken():
            has_it.set()
            assert may_end.wait(30)
            seen.append("inner")

    with turn.taken():
        with turn.given_back():
            thread = Thread(target=other)
            thread.start()
            assert has_it.wait(30)
            may_end.set()
        seen.append("outer")
    thread.join()
    assert seen == ["inner", "outer"]


def test_a_thread_asks_within_its_question() -> None:
    """Who has the line does not wait for itself, and has it until the first question is answered."""
    turn = Turn()
    held = [turn.is_mine()]
    with turn.taken():
        with turn.taken():
            held.append(turn.is_mine())
        held.append(turn.is_mine())
        with turn.given_back(), turn.taken():
            held.append(turn.is_mine())
    held.append(turn.is_mine())
    assert held == [False, True, True, True, False]
