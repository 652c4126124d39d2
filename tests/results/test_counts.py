# SPDX-License-Identifier: Apache-2.0
"""Counts from outside: whoever wrote the results also wrote the hash of the counts, so each of these has the right one."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from pathlib import Path

import numpy as np
import pytest

import caesura as cz
from caesura.errors import FormatError
from caesura.limits import peak_bytes
from caesura.results import read_counts

GOLD = {f"d{n}": "001000100" for n in range(14)}
SYSTEM = dict.fromkeys(GOLD, "010000010")


@pytest.fixture(scope="module")
def saved(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("saved") / "r.json"
    cz.evaluate(GOLD, {"s": SYSTEM}, ["Pk", "B"]).save(path)
    return path


def with_counts(saved: Path, folder: Path, content: bytes) -> Path:
    """Write the results again, with other counts beside them and their hash."""
    plain = json.loads(saved.read_text())
    plain["counts"]["sha256"] = hashlib.sha256(content).hexdigest()
    (folder / "r.json").write_text(json.dumps(plain))
    (folder / "r.counts.npz").write_bytes(content)
    return folder / "r.json"


def arrays_of(saved: Path) -> dict[str, np.ndarray]:
    with np.load(saved.with_name("r.counts.npz")) as archive:
        return {name: archive[name] for name in archive.files}


def packed(arrays: dict[str, np.ndarray]) -> bytes:
    target = io.BytesIO()
    np.savez_compressed(target, **arrays)
    return target.getvalue()


def npy(descr: str, shape: str, data: bytes = b"") -> bytes:
    head = f"{{'descr': {descr!r}, 'fortran_order': False, 'shape': {shape}, }}\n".encode()
    return b"\x93NUMPY\x01\x00" + len(head).to_bytes(2, "little") + head + data


def with_member(saved: Path, name: str, content: bytes) -> bytes:
    target = io.BytesIO()
    with (
        zipfile.ZipFile(saved.with_name("r.counts.npz")) as old,
        zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as new,
    ):
        for info in old.infolist():
            new.writestr(info.filename, content if info.filename == name else old.read(info))
        if name not in old.namelist():
            new.writestr(name, content)
    return target.getvalue()


def table(saved: Path, change) -> bytes:
    arrays = arrays_of(saved)
    name = next(name for name in arrays if name.startswith("counts/"))
    return packed({**arrays, name: change(arrays[name])})


HOSTILE = {
    "empty": lambda saved: b"",
    "text": lambda saved: b"hello",
    "cut": lambda saved: saved.with_name("r.counts.npz").read_bytes()[:-40],
    "no ids": lambda saved: packed({k: v for k, v in arrays_of(saved).items() if k != "documents"}),
    "fewer ids": lambda saved: packed({**arrays_of(saved), "documents": np.array([b"a"] * 5)}),
    "ids that are numbers": lambda saved: packed({**arrays_of(saved), "documents": np.arange(14)}),
    "ids that are not UTF-8": lambda saved: packed({**arrays_of(saved), "documents": np.array([b"\xff"] * 14)}),
    "ids in a square": lambda saved: packed({**arrays_of(saved), "documents": np.array([[b"a"] * 14] * 2)}),
    "a scalar": lambda saved: table(saved, lambda t: np.array(3.0)),
    "one dimension": lambda saved: table(saved, lambda t: t[:, 0]),
    "three dimensions": lambda saved: table(saved, lambda t: t[:, :, None]),
    "complex": lambda saved: table(saved, lambda t: t.astype(complex)),
    "strings": lambda saved: table(saved, lambda t: t.astype("U3")),
    "dates": lambda saved: table(saved, lambda t: t.astype("M8[s]")),
    "not a number": lambda saved: table(saved, lambda t: np.full(t.shape, np.nan)),
    "fewer rows": lambda saved: table(saved, lambda t: t[:5]),
    "more columns": lambda saved: table(saved, lambda t: np.repeat(t, 10, axis=1)),
    "objects": lambda saved: with_member(saved, "documents.npy", npy("|O", "(14,)", b"\x80\x04N.")),
    "no array": lambda saved: with_member(saved, "documents.npy", b"\x93NUMPY"),
    "a long header": lambda saved: with_member(saved, "documents.npy", npy("|S1", "(" * 30_000)),
    "a deep header": lambda saved: with_member(saved, "documents.npy", npy("|S1", "(" * 9_000)),
    "a length that is not there": lambda saved: with_member(saved, "documents.npy", npy("|S1", "(2000000000,)")),
    "ids of no length": lambda saved: with_member(saved, "documents.npy", npy("|S0", "(2000000000,)")),
    "an empty member": lambda saved: with_member(saved, "counts/s/x.npy", b""),
    "a bomb of ids": lambda saved: with_member(saved, "documents.npy", npy("|S1", "(20000000,)", b"a" * 20_000_000)),
    "a bomb of one id": lambda saved: with_member(saved, "documents.npy", npy("|S20000000", "(1,)", b"a" * 20_000_000)),
    "a bomb of long ids": lambda saved: with_member(
        saved, "documents.npy", npy("|S4000", "(5000,)", b"a" * 20_000_000)
    ),
    "a bomb of counts": lambda saved: with_member(saved, "counts/s/x.npy", npy("|u1", "(14, 9)", bytes(20_000_000))),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_counts_are_refused_in_one_line_and_little_memory(name, saved, tmp_path):
    path = with_counts(saved, tmp_path, HOSTILE[name](saved))
    reset = Path("/proc/self/clear_refs")
    if reset.exists():
        reset.write_text("5")  # the peak begins again at what is in use
    before = peak_bytes() or 0
    with pytest.raises(FormatError) as caught:
        read_counts(path)
    assert str(caught.value).startswith(f"{path.with_name('r.counts.npz')}: is not a file of counts: ")
    assert len(str(caught.value).splitlines()) == 1
    assert not reset.exists() or peak_bytes() - before < 60_000_000


def test_the_same_counts_in_another_archive_are_read(saved, tmp_path):
    path = with_counts(saved, tmp_path, packed(arrays_of(saved)))
    before, after = read_counts(saved), read_counts(path)
    assert before[0] == after[0] == list(GOLD)
    for request, counts in before[1]["s"].items():
        assert np.array_equal(counts, after[1]["s"][request])


def test_one_id_may_be_far_longer_than_the_others(tmp_path):
    ids = ["x" * 20_000, *(f"d{n}" for n in range(2_000))]  # 40 MB of zeros between them
    gold = dict.fromkeys(ids, "001000100")
    cz.evaluate(gold, {"s": gold}, "Pk").save(tmp_path / "r.json")
    content = (tmp_path / "r.counts.npz").read_bytes()
    assert 100 * len(content) < 20_000 * 2_001  # more than the limit on expansion
    assert read_counts(tmp_path / "r.json")[0] == ids


def test_commands_refuse_them_with_2_and_not_as_interrupted(saved, tmp_path, monkeypatch, capsys):
    from caesura.cli import main

    lines = "".join(json.dumps({"id": key, "boundaries": [2, 7], "n_units": 10}) + "\n" for key in GOLD)
    (tmp_path / "gold.jsonl").write_text(lines)
    (tmp_path / "s.jsonl").write_text(lines)
    path = with_counts(saved, tmp_path, b"")
    for words in (
        ["report", path, "-o", tmp_path / "p.html"],
        ["gate", tmp_path / "gold.jsonl", tmp_path / "s.jsonl", "--last", path],
    ):
        monkeypatch.setattr("sys.argv", ["caesura", *map(str, words)])
        with pytest.raises(SystemExit) as stop:
            main()
        err = capsys.readouterr().err
        assert (stop.value.code, err.count("\n")) == (2, 1), err
        assert "is not a file of counts" in err
    assert not (tmp_path / "p.html").exists()
