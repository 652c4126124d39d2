"""The file of events: each of them once, only ever added, and every fault of the file is one line."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from caesura.annotations import FILE
from caesura.annotations.events import EventStore, Given, digest
from caesura.errors import CaesuraError, FormatError


def given(sequence: int, level: int = 1, client: str = "c1") -> Given:
    return Given("a1", "m1", "mark", {"gap": sequence, "level": level}, client, sequence)


@pytest.fixture
def store(tmp_path: Path):
    with EventStore(tmp_path, create=True) as made:
        yield made


def test_a_repeated_event_is_the_same_event(store):
    assert [event.number for event in store.append([given(1), given(2)])] == [1, 2]
    assert [event.number for event in store.append([given(2), given(3)])] == [3]
    assert [event.sequence for event in store.events()] == [1, 2, 3]
    assert [event.sequence for event in store.events(after=1, until=2)] == [2]


def test_another_content_under_the_same_number_is_refused_and_nothing_is_saved(store):
    store.append([given(1)])
    with pytest.raises(CaesuraError, match="event 1 of client 'c1' is there with another content"):
        store.append([given(7), given(1, level=2)])
    assert len(store.events()) == 1
    store.append([given(1, level=2, client="c2")])  # of another page it is another event


def test_it_is_on_disk_when_append_returns(store, tmp_path):
    assert store._connection.execute("PRAGMA synchronous").fetchone() == (2,)  # FULL
    assert store._connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    store.append([given(1)])
    with EventStore(tmp_path) as other:  # another program, without a word from the first
        assert other.events() == store.events()
        assert digest(other.events()) == digest(store.events()) != digest([])


def refused(folder: Path, what: str) -> None:
    with pytest.raises(FormatError, match=what) as error, EventStore(folder) as store:
        store.events()
    assert "\n" not in str(error.value)


def test_faults_of_the_file_are_one_line(tmp_path, store):
    store.append([given(1)])
    store.close()
    refused(tmp_path / "elsewhere", "is no annotation project")
    with sqlite3.connect(tmp_path / FILE) as database:
        database.execute("PRAGMA user_version = 99")
    refused(tmp_path, "newer version of Caesura")
    with sqlite3.connect(tmp_path / FILE) as database:
        database.execute("PRAGMA application_id = 7")
    refused(tmp_path, "is not the file of an annotation project")
    for each in tmp_path.glob(f"{FILE}*"):
        each.unlink()
    (tmp_path / FILE).write_bytes(b"not a database at all" * 100)
    refused(tmp_path, "is damaged .* restore it from a copy")


def test_a_locked_file_is_one_line(tmp_path, store, monkeypatch):
    monkeypatch.setattr("caesura.annotations.events._WAIT", 0.1)
    other = sqlite3.connect(tmp_path / FILE, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with EventStore(tmp_path, write=True) as second, pytest.raises(FormatError, match="is used by another program"):
        second.append([given(1)])
    other.execute("ROLLBACK")
    other.close()


def test_a_full_disk_is_said_and_loses_nothing(store):
    store.append([given(1)])
    pages = store._connection.execute("PRAGMA page_count").fetchone()[0]
    store._connection.execute(f"PRAGMA max_page_count = {pages}")
    large = Given("a1", "m1", "comment", {"gap": 1, "text": "x" * 100_000}, "c1", 2)
    with pytest.raises(FormatError, match="the disk is full"):
        store.append([large])
    store._connection.execute("PRAGMA max_page_count = 100000")
    assert len(store.events()) == 1
    store.append([large])
    assert len(store.events()) == 2


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE TRIGGER t AFTER INSERT ON events BEGIN DELETE FROM events; END",
        "CREATE VIEW v AS WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x FROM c",
        "ALTER TABLE events ADD COLUMN more TEXT",
    ],
)
def test_a_file_that_would_compute_or_write_by_itself_is_refused(tmp_path, statement):
    EventStore(tmp_path, create=True).close()
    with sqlite3.connect(tmp_path / FILE) as connection:
        connection.execute(statement)
    connection.close()
    with pytest.raises(FormatError, match="has other tables than those of an annotation project"):
        EventStore(tmp_path)
