import importlib.util

import pytest

from passband.run import open_store

from .servers import INITDB, Postgres

ENGINES = ["sqlite"]
if INITDB is not None and importlib.util.find_spec("psycopg") is not None:
    ENGINES.append("postgres")


@pytest.fixture(scope="session")
def postgres():
    """A PostgreSQL server, started when the first test needs it."""
    server = Postgres()
    yield server
    server.close()


@pytest.fixture(params=ENGINES)
def where(request, tmp_path):
    """Where a store is to be made: a file, or an empty database."""
    if request.param == "sqlite":
        return str(tmp_path / "s.db")
    return request.getfixturevalue("postgres").database()


@pytest.fixture
def any_store(where):
    """An empty store of each engine."""
    with open_store(where, create=True) as opened:
        yield opened
