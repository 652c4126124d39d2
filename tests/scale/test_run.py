"""Engines: shards in many files, counted here or on Ray, give the digits of one evaluation, and failures are named."""

import errno
import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import msgspec
import numpy as np
import pytest

import caesura as cz
from caesura.errors import CaesuraError, ComparabilityError, DeclarationError
from caesura.scale import files as counting
from caesura.scale import finish
from caesura.scale.files import Counting, gather
from caesura.scale.listing import names_of, shards_of
from caesura.scale.work import Work, run_shards


def write_parts(folder: Path, shards: int = 3, documents: int = 30) -> None:
    """Write a reference and two systems in several files each."""
    rng = np.random.default_rng(1)
    for name, density in (("gold", 0.2), ("a", 0.25), ("b", 0.1)):
        for shard in range(shards):
            lines = []
            for document in range(documents):
                n = 5 + (document * 7 + shard) % 40
                gaps = (np.flatnonzero(rng.random(n - 1) < density) + 1).tolist()
                lines.append(json.dumps({"id": f"{shard}-{document}", "n_units": n, "boundaries": gaps}))
            (folder / f"{name}-{shard}.jsonl").write_text("\n".join(lines) + "\n")


@pytest.fixture
def parts(tmp_path):
    write_parts(tmp_path)
    return tmp_path


def patterns(folder, ending="jsonl"):
    return f"{folder}/gold-*.{ending}", {name: f"{folder}/{name}-*.{ending}" for name in "ab"}


def systems_of(results):
    return msgspec.to_builtins(results.systems)


def count_shards(shards, metrics, *, engine="local", folder=None, **options):
    """Return the results of shards, or their errors, by name."""
    names = names_of(shards)
    counting = Counting(metrics, options, folder)
    return {names[place]: result for place, result in run_shards(counting, shards, engine=engine)}


def counted(where, **options):
    reference, systems = patterns(where)
    return count_shards(shards_of(reference, systems), ["Pk", "B", "CovN"], **options)


def expected(folder):
    reference, systems = patterns(folder)
    return systems_of(cz.evaluate(reference, systems, ["Pk", "B", "CovN"]).results())


def test_the_files_of_patterns_are_shards(parts):
    results = counted(parts)
    assert list(results) == ["gold-0.jsonl", "gold-1.jsonl", "gold-2.jsonl"]
    assert systems_of(finish(gather(results).merged)) == expected(parts)


def test_other_numbers_of_files_are_refused(parts):
    (parts / "a-2.jsonl").unlink()
    with pytest.raises(ComparabilityError, match="the reference has 3 files, 'a' has 2"):
        shards_of(*patterns(parts))


def test_a_corrupt_shard_is_named_and_the_rest_kept(parts):
    (parts / "a-1.jsonl").write_text('{"id": "1-0", "n_units": 5, "boundaries": [99]}\n')
    gathered = gather(counted(parts))
    assert gathered.merged.documents == 60
    assert len(gathered.failed) == 1
    assert gathered.failed[0].startswith("gold-1.jsonl: ")
    assert "a-1.jsonl:1: document '1-0'" in gathered.failed[0]


def test_what_is_counted_is_not_counted_again(parts, tmp_path, monkeypatch):
    folder = tmp_path / "done"
    folder.mkdir()
    first = counted(parts, folder=str(folder))
    files = {path.name: path.stat().st_mtime_ns for path in folder.iterdir()}
    assert len(files) == 3
    damaged = min(folder.iterdir())
    damaged.write_text(damaged.read_text()[:100])
    calls = []
    monkeypatch.setattr(counting, "count", lambda *args, **options: calls.append(args) or count(*args, **options))
    from caesura.scale.count import count

    again = counted(parts, folder=str(folder))
    assert len(calls) == 1, "only the damaged one is counted"
    assert again == first
    counted(parts, folder=str(folder), by="macro")
    assert len(calls) == 4, "another recipe is another result"


def test_parquet_files_are_cut_into_rows(parts, tmp_path):
    pytest.importorskip("pyarrow", reason="needs pyarrow (caesura-eval[parquet])")
    for name in ("gold", "a", "b"):
        for shard in range(3):
            cz.save(cz.load(parts / f"{name}-{shard}.jsonl"), parts / f"{name}-{shard}.parquet")
    reference, systems = patterns(parts, "parquet")
    shards = shards_of(reference, systems, rows=7)
    assert len(shards) == 15
    done = tmp_path / "done"
    done.mkdir()
    results = count_shards(shards, ["Pk", "B", "CovN"], folder=str(done))
    assert len(list(done.iterdir())) == 15
    assert systems_of(finish(gather(results).merged)) == expected(parts)
    assert count_shards(shards, ["Pk", "B", "CovN"], folder=str(done)) == results
    import pyarrow.parquet as pq

    for name in ("gold", "a", "b"):
        path = parts / f"{name}-1.parquet"
        pq.write_table(pq.read_table(path).slice(0, 0), path)
    assert len(shards_of(reference, systems)) == 2, "a part without rows is no shard"


def test_unknown_engines_are_refused(parts):
    with pytest.raises(DeclarationError, match="engine 'spark' is unknown; choose local, ray or ray://ADDRESS"):
        counted(parts, engine="spark")


def run_cli(*args, **options):
    return subprocess.run(
        [sys.executable, "-m", "caesura", *map(str, args)], capture_output=True, text=True, check=False, **options
    )


def evaluate_args(folder, *more):
    reference, systems = patterns(folder)
    named = [f"{name}={pattern}" for name, pattern in systems.items()]
    return ["evaluate", reference, *named, "-m", "Pk", "-m", "B", "-m", "CovN", "--format", "json", *more]


def test_the_command_equals_the_plain_command(parts, tmp_path):
    plain = run_cli(*evaluate_args(parts))
    local = run_cli(*evaluate_args(parts, "--engine", "local", "--shards", tmp_path / "done"))
    assert (plain.returncode, local.returncode) == (0, 0), local.stderr
    whole = json.loads(plain.stdout)["systems"]
    for scores in whole.values():
        # Chance and clock are placed on the documents, which the shards do not keep.
        assert scores["Pk"]["blind"]["clock"] is not None
        scores["Pk"]["blind"] = None
    assert json.loads(local.stdout)["systems"] == whole
    (parts / "b-0.jsonl").write_text("{")
    broken = run_cli(*evaluate_args(parts, "--engine", "local", "--shards", tmp_path / "done"))
    assert broken.returncode == 4
    assert "b-0.jsonl:1" in broken.stderr
    assert json.loads(broken.stdout)["systems"]["a"]["Pk"]["documents"] == 60
    for wrong in (["--engine", "local", "--skill"], ["--shards", tmp_path / "x"]):
        assert run_cli(*evaluate_args(parts, *wrong)).returncode == 2


@pytest.mark.skipif(sys.platform == "win32", reason="needs signals")
def test_an_interrupted_run_keeps_its_shards_and_goes_on(tmp_path):
    write_parts(tmp_path, shards=40, documents=300)
    done = tmp_path / "done"
    call = evaluate_args(tmp_path, "--engine", "local", "--shards", done)
    job = subprocess.Popen(
        [sys.executable, "-m", "caesura", *map(str, call)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    until = time.time() + 60
    while time.time() < until and (not done.exists() or len(list(done.glob("*.shard.json"))) < 3):
        time.sleep(0.01)
    job.send_signal(signal.SIGINT)
    _, err = job.communicate(timeout=60)
    kept = len(list(done.glob("*.shard.json")))
    if job.returncode == 0:
        pytest.skip("the run was faster than the interrupt")
    assert job.returncode == 130
    assert "shards were done, and are kept in" in err
    assert 3 <= kept < 40
    assert not list(done.glob("*.tmp"))
    again = run_cli(*call)
    assert again.returncode == 0
    assert len(list(done.glob("*.shard.json"))) == 40
    assert json.loads(again.stdout)["systems"] == json.loads(run_cli(*evaluate_args(tmp_path)).stdout)["systems"]


def test_without_ray_the_extra_is_named(parts, monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(CaesuraError, match=r"caesura-eval\[ray\]"):
        counted(parts, engine="ray")


class Doubling(Work[int, int]):
    """Doubles numbers: fails on 2, and cannot keep what it makes of 3."""

    def __init__(self):
        self.kept = {4: 8}

    def name(self, shard):
        return str(shard)

    def found(self, shard):
        return self.kept.get(shard)

    def do(self, shard):
        if shard == 2:
            raise CaesuraError("two")
        return 2 * shard

    def keep(self, shard, result):
        if shard == 3:
            raise OSError(errno.ENOSPC, "No space left on device")
        self.kept[shard] = result


def test_what_fails_and_what_cannot_be_kept_stops_no_other_shard():
    work = Doubling()
    found = dict(run_shards(work, [1, 2, 3, 4, 5]))
    assert list(found) == [3, 0, 1, 2, 4], "what is there comes first"
    assert {place: found[place] for place in (0, 3, 4)} == {0: 2, 3: 8, 4: 10}
    assert str(found[1]) == "two"
    assert "cannot be kept (No space left on device)" in str(found[2])
    assert work.kept == {1: 2, 4: 8, 5: 10}
