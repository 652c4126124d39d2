"""One file larger than memory is read in parts, which give the digits of the whole."""

import gzip
import json

import msgspec
import numpy as np
import pytest

import caesura as cz
from caesura.formats import jsonl
from caesura.scale import finish
from caesura.scale.files import gather
from caesura.scale.listing import shards_of
from tests.scale.test_run import count_shards

METRICS = ["Pk", "B", "CovN"]


@pytest.fixture
def files(tmp_path, monkeypatch):
    """A reference with texts, and two systems, one of them compressed."""
    monkeypatch.setattr(jsonl, "_STEP", 10)
    rng = np.random.default_rng(3)
    for name, density in (("gold", 0.2), ("a", 0.25), ("b", 0.1)):
        lines = []
        for document in range(95):
            n = 5 + document * 7 % 40
            gaps = (np.flatnonzero(rng.random(n - 1) < density) + 1).tolist()
            size = {"units": ["word"] * n} if name == "gold" else {"n_units": n}
            lines.append(json.dumps({"id": f"d{document}", **size, "boundaries": gaps}))
        text = ("\n".join(lines) + "\n").encode()
        if name == "b":
            (tmp_path / "b.jsonl.gz").write_bytes(gzip.compress(text))
        else:
            (tmp_path / f"{name}.jsonl").write_bytes(text)
    return str(tmp_path / "gold.jsonl"), {"a": str(tmp_path / "a.jsonl"), "b": str(tmp_path / "b.jsonl.gz")}


def test_a_large_file_is_cut_and_gives_the_digits_of_the_whole(files, tmp_path):
    shards = shards_of(*files, rows=30, size=1)
    assert len(shards) == 10, "a part is no smaller than one step"
    shards = shards_of(*files, rows=30, size=8000)
    assert len(shards) == 4
    done = tmp_path / "done"
    done.mkdir()
    results = count_shards(shards, METRICS, folder=str(done))
    assert sorted(results) == sorted(f"gold.jsonl {s.reference.partition('(')[2][:-1]}" for s in shards)
    whole = cz.evaluate(*files, METRICS).results()
    found = finish(gather(results).merged)
    assert msgspec.to_builtins(found.systems) == msgspec.to_builtins(whole.systems)
    assert found.inputs == whole.inputs
    assert len(list(done.iterdir())) == 4
    assert count_shards(shards, METRICS, folder=str(done)) == results


def test_small_files_are_left_whole(files):
    (shard,) = shards_of(*files)
    assert "::" not in shard.reference


def test_files_in_another_order_are_left_whole(files, tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text("".join(path.read_text().splitlines(keepends=True)[::-1]))
    (shard,) = shards_of(*files, rows=30, size=1)
    assert "::" not in shard.reference


def test_a_fault_in_the_middle_is_named_and_the_rest_kept(files, tmp_path):
    path = tmp_path / "a.jsonl"
    lines = path.read_text().splitlines()
    lines[44] = json.dumps({"id": "d44", "n_units": 33, "boundaries": [99]})
    path.write_text("\n".join(lines))
    gathered = gather(count_shards(shards_of(*files, rows=30, size=8000), METRICS))
    (failed,) = gathered.failed
    assert "a.jsonl:45: document 'd44'" in failed
    assert gathered.merged.documents == 65
