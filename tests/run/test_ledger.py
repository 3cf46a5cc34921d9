from passband.cli.ledger import models_seen
from passband.cli.ledger import test_set_notes as notes_of
from passband.records import Split
from passband.run import open_store
from tests.stored import store_run


def test_the_ledger_fills_itself_from_the_runs(where):
    """In either engine, every run with samples of a test case is entered once, whoever looks."""
    cases = {f"c{i}": "PF" for i in range(6)}
    for name in ("one", "two"):
        store_run(where, name, cases)
    header = store_run(where, "elsewhere", {"z": "PP"}, suite_version="w" * 64)
    parts = {"validation": ("c0", "c1", "c2"), "test": ("c3", "c4", "c5")}
    split = Split(suite="s", suite_version="v" * 64, by="variant", parts=parts)
    with open_store(str(where)) as store:
        assert store.ledger.entries() == []
        assert notes_of(store, store.find("one")) == []
        digest = store.ledger.register(split, "test")
        assert store.ledger.register(split, "test") == digest
        assert {entry.run_id for entry in store.ledger.entries(digest)} == {"one", "two"}
        assert models_seen(store.ledger.entries(digest)) == 2
        store.ledger.record_report(digest, store.find("one"), "rule abc")
        found = store.ledger.entries(digest)
        assert [entry.event for entry in found].count("reported") == 1
        assert models_seen(found) == 2
        assert "has seen 2 models in 2 evaluations" in notes_of(store, store.find("one"))[0]
        assert notes_of(store, header) == []
    store_run(where, "three", cases, subject="one")
    with open_store(str(where)) as store:
        assert len([entry for entry in store.ledger.entries(digest) if entry.event == "evaluated"]) == 3
