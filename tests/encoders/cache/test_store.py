"""The cache: what was kept comes back bit for bit, or not at all."""

from __future__ import annotations

import os
import sqlite3
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caesura.encoders import Cache
from caesura.encoders.base import text_hash, texts_hash
from caesura.encoders.cache.database import DEFAULT_LIMIT, cache_folder, cache_limit
from caesura.encoders.cache.store import Kept
from caesura.errors import CaesuraWarning, EncoderError


def vectors(count: int, dim: int = 4, seed: int = 0) -> dict[bytes, np.ndarray]:
    rows = np.random.default_rng(seed).normal(size=(count, dim)).astype(np.float32)
    return {text_hash(f"{seed}-{n}"): rows[n] for n in range(count)}


def same(found: dict, wanted: dict) -> bool:
    return found.keys() == wanted.keys() and all(found[k].tobytes() == wanted[k].tobytes() for k in wanted)


@given(
    rows=st.lists(
        st.lists(st.floats(width=32, allow_nan=False, allow_infinity=False), min_size=3, max_size=3), max_size=5
    )
)
def test_what_goes_in_comes_out(tmp_path_factory, rows):
    put = {text_hash(str(n)): np.array(row, dtype=np.float32) for n, row in enumerate(rows)}
    folder = tmp_path_factory.mktemp("cache")
    with Cache(folder) as cache:
        cache.put("f", "toy", 3, put)
    with Cache(folder) as cache:
        assert same(cache.get("f", 3, [*put, text_hash("absent")]), put)


def test_many_keys_at_once(tmp_path):
    put = vectors(1500)
    with Cache(tmp_path) as cache:
        cache.put("f", "toy", 4, put)
        assert same(cache.get("f", 4, list(put)), put)
        assert cache.kept() == [Kept("toy", "f", 4, 1500, 1500 * 16)]


def test_encoders_do_not_mix(tmp_path):
    one, two = vectors(3), vectors(3, seed=1)
    mixed = dict(zip(one, two.values(), strict=True))  # the same texts, other vectors
    with Cache(tmp_path) as cache:
        cache.put("f", "a", 4, one)
        cache.put("g", "b", 4, mixed)
        assert same(cache.get("f", 4, list(one)), one)
        assert same(cache.get("g", 4, list(one)), mixed)
        assert cache.get("h", 4, list(one)) == {}


def test_the_first_vector_stays(tmp_path):
    one = vectors(2)
    other = {key: vector + 1 for key, vector in one.items()}
    with Cache(tmp_path) as cache:
        cache.put("f", "a", 4, one)
        cache.put("f", "a", 4, other)
        assert same(cache.get("f", 4, list(one)), one)
        assert cache.kept()[0].entries == 2


def test_another_dimension_is_refused(tmp_path):
    with Cache(tmp_path) as cache:
        cache.put("f", "a", 4, vectors(1))
        with pytest.raises(EncoderError, match=r"vectors of dimension 4 for f, but the encoder gives 5; clear them"):
            cache.get("f", 5, list(vectors(1)))
        with pytest.raises(EncoderError, match="vectors of dimension 4 for f, but the encoder gives 5"):
            cache.put("f", "a", 5, vectors(1, dim=5, seed=3))
        assert same(cache.get("f", 4, list(vectors(1))), vectors(1))


@pytest.mark.parametrize("wrong", [np.array([1, 2, 3], np.float32), np.array([1, 2, 3, np.nan], np.float32)])
def test_a_wrong_vector_is_not_kept(tmp_path, wrong):
    with Cache(tmp_path) as cache, pytest.raises(EncoderError, match="all of them finite"):
        cache.put("f", "a", 4, {text_hash("x"): wrong})
    assert not (tmp_path / "vectors.sqlite3").exists()


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE vectors SET data = zeroblob(16) WHERE rowid = 1",
        "UPDATE vectors SET data = zeroblob(12) WHERE rowid = 1",
        "UPDATE vectors SET data = (SELECT data FROM vectors WHERE rowid = 2) WHERE rowid = 1",
        "UPDATE vectors SET checksum = zeroblob(8) WHERE rowid = 1",
        "UPDATE vectors SET data = 5 WHERE rowid = 1",
        "UPDATE vectors SET data = 'text' WHERE rowid = 1",
        "UPDATE vectors SET used = 'now' WHERE rowid = 1",
        "UPDATE vectors SET checksum = 1.5 WHERE rowid = 1",
    ],
)
def test_a_damaged_row_is_dropped(tmp_path, damage):
    put = vectors(3)
    with Cache(tmp_path) as cache:
        cache.put("f", "a", 4, put)
        connection = sqlite3.connect(cache.path)
        connection.execute(damage)
        connection.commit()
        connection.close()
        with pytest.warns(CaesuraWarning, match="1 cached vectors are damaged"):
            found = cache.get("f", 4, list(put))
        first = next(iter(put))
        assert same(found, {key: vector for key, vector in put.items() if key != first})
        cache.put("f", "a", 4, put)
        assert same(cache.get("f", 4, list(put)), put)


def test_a_row_of_another_text_or_encoder_is_noticed(tmp_path):
    put = vectors(2)
    first, second = put
    with Cache(tmp_path) as cache:
        cache.put("f", "a", 4, {first: put[first]})
        cache.put("g", "b", 4, {second: put[second]})
        connection = sqlite3.connect(cache.path)
        connection.execute("UPDATE vectors SET text = ? WHERE encoder = 1", (second,))
        connection.execute("UPDATE vectors SET encoder = 1, text = ? WHERE encoder = 2", (first,))
        connection.commit()
        connection.close()
        with pytest.warns(CaesuraWarning, match="2 cached vectors are damaged"):
            assert cache.get("f", 4, [first, second]) == {}


@pytest.mark.parametrize("content", [b"this is no database" * 100, b"SQLite format 3\0" + b"\xff" * 5000])
def test_a_damaged_file(tmp_path, content):
    path = tmp_path / "vectors.sqlite3"
    path.write_bytes(content)
    put = vectors(2)
    with Cache(tmp_path) as cache:
        with pytest.warns(CaesuraWarning, match=r"cache cannot be read \(.*\); continuing without it"):
            assert cache.get("f", 4, list(put)) == {}
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # said once
            cache.put("f", "a", 4, put)
            assert cache.get("f", 4, list(put)) == {}
        with pytest.raises(EncoderError, match="the cache cannot be used"):
            cache.kept()
    assert path.read_bytes() == content


def test_pages_damaged_in_the_middle_give_no_wrong_vector(tmp_path):
    put = vectors(400)
    with Cache(tmp_path) as cache:
        cache.put("f", "a", 4, put)
    path = tmp_path / "vectors.sqlite3"
    data = bytearray(path.read_bytes())
    rng = np.random.default_rng(5)
    for place in rng.integers(8192, len(data), 300):
        data[place] ^= 0xFF
    path.write_bytes(bytes(data))
    with Cache(tmp_path) as cache, warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        found = cache.get("f", 4, list(put))
    assert said
    assert all(found[key].tobytes() == put[key].tobytes() for key in found)
    assert len(found) < 400


def test_the_file_of_another_program_is_left_alone(tmp_path):
    connection = sqlite3.connect(tmp_path / "vectors.sqlite3")
    connection.execute("CREATE TABLE mine (x)")
    connection.commit()
    connection.close()
    with Cache(tmp_path) as cache:
        with pytest.warns(CaesuraWarning, match="is not a cache of this version"):
            cache.put("f", "a", 4, vectors(1))
        with pytest.raises(EncoderError, match="is not a cache of this version"):
            cache.clear()
    connection = sqlite3.connect(tmp_path / "vectors.sqlite3")
    assert connection.execute("SELECT name FROM sqlite_master").fetchall() == [("mine",)]
    connection.close()


def test_a_folder_that_cannot_be_made(tmp_path):
    (tmp_path / "file").write_text("")
    with Cache(tmp_path / "file" / "below") as cache:
        assert cache.get("f", 4, list(vectors(1))) == {}
        with pytest.warns(CaesuraWarning, match="cannot be written .* continuing without it"):
            cache.put("f", "a", 4, vectors(1))


def test_a_full_disk(tmp_path):
    """SQLite is told that no page may be added, which takes the same way as a full disk: SQLITE_FULL."""
    put = vectors(50)
    with Cache(tmp_path) as cache:
        cache.put("f", "a", 4, dict(list(put.items())[:5]))
        (pages,) = cache._open().execute("PRAGMA page_count").fetchone()
        cache._open().execute(f"PRAGMA max_page_count = {pages}")
        large = vectors(2000, seed=9)
        with pytest.warns(CaesuraWarning, match=r"cannot be written \(database or disk is full\)"):
            cache.put("f", "a", 4, large)
        assert cache.get("f", 4, list(put)) == {}  # given up for this run
    with Cache(tmp_path) as cache:  # nothing of the failed batch is there, all before it is
        assert len(cache.get("f", 4, list(put))) == 5
        assert cache.get("f", 4, list(large)) == {}
        assert cache.kept()[0].entries == 5


def test_the_least_recently_used_go(tmp_path):
    now = [0.0]
    old, mid, new = vectors(10), vectors(10, seed=1), vectors(10, seed=2)
    with Cache(tmp_path, limit=20 * 16, clock=lambda: now[0]) as cache:
        cache.put("f", "a", 4, old)
        now[0] = 10_000
        cache.put("f", "a", 4, mid)
        now[0] = 20_000
        assert len(cache.get("f", 4, list(old))) == 10  # used again, so younger than mid
        now[0] = 30_000
        cache.put("f", "a", 4, new)
        assert cache.kept()[0].bytes <= 20 * 16
        assert same(cache.get("f", 4, list(new)), new)
        assert cache.get("f", 4, list(mid)) == {}
        assert len(cache.get("f", 4, list(old))) == 8  # down to nine tenths of the limit


def test_a_lower_limit_holds_for_reading_too(tmp_path):
    """What is read now is the youngest, so it stays; the file gives its room back."""
    now, old, new = [0.0], vectors(3000, dim=100), vectors(20, dim=100, seed=1)
    with Cache(tmp_path, clock=lambda: now[0]) as cache:
        cache.put("f", "a", 100, new)
        now[0] = 10
        cache.put("g", "b", 100, old)
    large = (tmp_path / "vectors.sqlite3").stat().st_size
    now[0] = 10_000
    with Cache(tmp_path, limit=30 * 400, clock=lambda: now[0]) as cache:
        assert sum(k.bytes for k in cache.kept()) == 3020 * 400  # showing drops nothing
        assert same(cache.get("f", 100, list(new)), new)
        assert sum(k.bytes for k in cache.kept()) <= 30 * 400
        assert same(cache.get("f", 100, list(new)), new)
    assert large > 3020 * 400
    assert (tmp_path / "vectors.sqlite3").stat().st_size < large / 10


def test_a_lower_limit_holds_for_writing_and_gives_room_back(tmp_path):
    with Cache(tmp_path) as cache:
        cache.put("f", "a", 100, vectors(3000, dim=100))
    large = (tmp_path / "vectors.sqlite3").stat().st_size
    with Cache(tmp_path, limit=30 * 400) as cache:
        cache.put("f", "a", 100, vectors(1, dim=100, seed=2))
    assert (tmp_path / "vectors.sqlite3").stat().st_size < large / 10


def test_counts_are_true_after_everything(tmp_path):
    with Cache(tmp_path, limit=100 * 16) as cache:
        for seed in range(12):
            cache.put(f"f{seed % 3}", "a", 4, vectors(17, seed=seed))
        kept = cache.kept()
        connection = sqlite3.connect(cache.path)
        counted = connection.execute(
            "SELECT fingerprint, count(*), sum(length(data)) FROM vectors JOIN encoders ON encoders.id = encoder GROUP BY 1"
        ).fetchall()
        connection.close()
    assert sorted((k.fingerprint, k.entries, k.bytes) for k in kept) == sorted(counted)
    assert sum(k.bytes for k in kept) <= 100 * 16


def test_clearing(tmp_path):
    with Cache(tmp_path) as cache:
        assert (cache.clear(), cache.kept(), cache.size()) == (0, [], 0)
        cache.put("f", "a", 4, vectors(2000))
        cache.put("g", "b", 4, vectors(3))
        before = cache.size()
        assert cache.clear("none") == 0
        assert cache.clear("f") == 2000
        assert [k.fingerprint for k in cache.kept()] == ["g"]
        assert cache.size() < before
        assert same(cache.get("g", 4, list(vectors(3))), vectors(3))
        assert cache.clear() == 3
        assert cache.kept() == []


def test_where_it_lies(monkeypatch, tmp_path):
    monkeypatch.setenv("CAESURA_CACHE", str(tmp_path / "x"))
    assert cache_folder() == tmp_path / "x"
    monkeypatch.delenv("CAESURA_CACHE")
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert cache_folder() == tmp_path / "xdg" / "caesura"
    for ignored in ("", "relative/path"):
        monkeypatch.setenv("XDG_CACHE_HOME", ignored)
        assert cache_folder() == tmp_path / ".cache" / "caesura"
    monkeypatch.setattr(sys, "platform", "darwin")
    assert cache_folder() == tmp_path / "Library" / "Caches" / "caesura"


@pytest.mark.parametrize(("text", "wanted"), [("", DEFAULT_LIMIT), ("1000", 1000), ("5kb", 5000), ("2 GB", 2 * 10**9)])
def test_how_large(monkeypatch, text, wanted):
    monkeypatch.setenv("CAESURA_CACHE_LIMIT", text)
    assert cache_limit() == wanted


@pytest.mark.parametrize("text", ["much", "-5", "1.5GB", "GB"])
def test_a_limit_that_is_none(monkeypatch, text):
    monkeypatch.setenv("CAESURA_CACHE_LIMIT", text)
    with pytest.raises(EncoderError, match="CAESURA_CACHE_LIMIT is"):
        Cache()


@pytest.mark.skipif(os.name != "posix", reason="permissions are those of POSIX")
def test_the_folder_is_for_its_owner(tmp_path):
    with Cache(tmp_path / "new") as cache:
        cache.put("f", "a", 4, vectors(1))
    assert (tmp_path / "new").stat().st_mode & 0o077 == 0


def test_hashes_tell_texts_apart():
    assert text_hash("a") != text_hash("a ")
    assert len(text_hash("a")) == 16
    assert text_hash("\ud800") != text_hash("?")
    assert texts_hash(["a", ""]) != texts_hash(["a"])
