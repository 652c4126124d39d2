"""caesura count and caesura merge: any scheduler is an engine, and no digit depends on it."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest


@pytest.fixture
def parts(tmp_path: Path) -> Path:
    """Three shards of a reference and two systems, and the whole files."""
    rng = np.random.default_rng(1)
    for place in range(3):
        for name, share in (("gold", 1.0), ("a", 0.7), ("b", 0.4)):
            lines = []
            for document in range(40):
                n = 4 + 7 * document % 30
                gaps = [gap for gap in range(1, n) if (gap * 7 + document) % 5 == 0 and rng.random() < share]
                lines.append(json.dumps({"id": f"{place}-{document}", "n_units": n, "boundaries": gaps}))
            text = "\n".join(lines) + "\n"
            (tmp_path / f"{name}.part{place}.jsonl").write_text(text)
            with (tmp_path / f"{name}.jsonl").open("a") as whole:
                whole.write(text)
    return tmp_path


def counted(run, parts, place, *more, output=None):
    files = [parts / f"gold.part{place}.jsonl", *(f"{s}={parts}/{s}.part{place}.jsonl" for s in "ab")]
    return run("count", *files, *more, "-o", output or parts / f"shard{place}")


def test_merged_shards_are_the_evaluation_to_the_bit(run, parts):
    for place in range(3):
        assert counted(run, parts, place).code == 0
    merged = run("merge", parts / "shard2", parts / "shard0", parts / "shard1", "--format", "json")
    whole = run("evaluate", parts / "gold.jsonl", parts / "a.jsonl", parts / "b.jsonl", "--format", "json")
    assert merged.code == whole.code == 0
    assert json.loads(merged.out)["systems"] == json.loads(whole.out)["systems"]
    shown = run("merge", parts / "shard0", parts / "shard1", "--ci", "--compare", "--full")
    assert "a is better than b on" in shown.out
    assert "normal theory" in shown.out
    assert "Worst documents" in shown.out


def test_a_folder_of_shards_is_resumed_and_merged(run, parts):
    folder = parts / "shards"
    folder.mkdir()
    for place in range(3):
        assert counted(run, parts, place, "-m", "Pk", output=folder).code == 0
    times = {path: path.stat().st_mtime_ns for path in folder.iterdir()}
    assert len(times) == 3
    again = counted(run, parts, 1, "-m", "Pk", output=folder)
    assert again.code == 0
    assert "counted already" in again.out
    assert {path: path.stat().st_mtime_ns for path in folder.iterdir()} == times
    assert "docs:120" in run("merge", folder).out
    # Another recipe is another result; the one that is not like the first is left out.
    assert counted(run, parts, 1, "-m", "B", output=folder).code == 0
    assert run("merge", folder).code == 4


def test_a_changed_shard_is_not_taken_for_the_old_one(run, parts):
    assert counted(run, parts, 0, "-m", "Pk").code == 0
    assert "counted already" in counted(run, parts, 0, "-m", "Pk").out
    lines = (parts / "gold.part0.jsonl").read_text().splitlines()
    lines[0] = json.dumps({"id": "0-0", "n_units": 4, "boundaries": [1, 2]})
    (parts / "gold.part0.jsonl").write_text("\n".join(lines))
    refused = counted(run, parts, 0, "-m", "Pk")
    assert refused.code == 2
    assert "exists already" in refused.err
    assert counted(run, parts, 0, "-m", "Pk", "--force").code == 0


def test_a_merge_without_a_fault_speaks_of_none(run, parts):
    for place in range(3):
        counted(run, parts, place, "-m", "Pk")
    call = ("merge", *(parts / f"shard{place}" for place in range(3)))
    found = run(*call, "--format", "json")
    assert (found.code, found.err) == (0, "")
    results = json.loads(found.out)
    assert (results["shards"]["shards"], results["shards"]["failed"]) == (3, [])
    assert not [note for note in results["notes"] if "fail" in note or "not in these numbers" in note]
    assert "fail" not in run(*call).out


def test_a_damaged_shard_is_named_and_the_rest_kept(run, parts):
    for place in range(3):
        counted(run, parts, place, "-m", "Pk")
    half = (parts / "shard1").read_text()[:300]
    (parts / "shard1").write_text(half)
    found = run("merge", parts / "shard0", parts / "shard1", parts / "shard2", "--format", "json")
    assert found.code == 4
    assert "shard1: is a damaged shard result" in found.err
    results = json.loads(found.out)
    assert results["systems"]["a"]["Pk"]["documents"] == 80
    assert results["shards"]["failed"] == [found.err.strip().removeprefix("caesura: ")]
    assert results["notes"][0] == "1 of 3 shards failed, and their documents are not in these numbers"
    alone = run("merge", parts / "shard1")
    assert (alone.code, alone.out) == (2, "")


def test_a_shard_given_twice_counts_once(run, parts):
    counted(run, parts, 0, "-m", "Pk")
    counted(run, parts, 0, "-m", "Pk", output=parts / "copy")
    found = run("merge", parts / "shard0", parts / "copy", "--format", "json")
    assert found.code == 0
    assert "counted once" in found.err
    assert json.loads(found.out)["systems"]["a"]["Pk"]["documents"] == 40


def test_shards_of_other_systems_are_named(run, parts):
    counted(run, parts, 0, "-m", "Pk")
    run("count", parts / "gold.part1.jsonl", f"c={parts}/a.part1.jsonl", "-m", "Pk", "-o", parts / "shard1")
    found = run("merge", parts / "shard0", parts / "shard1")
    assert found.code == 4
    assert "shard1: cannot be merged with the others: the systems of one are a, b, of another c" in found.err
    empty = parts / "empty"
    empty.mkdir()
    assert "holds no result of a shard" in run("merge", empty).err


def test_annotators_are_refused(run, parts):
    found = counted(run, parts, 0, "--against", "annotators")
    assert found.code == 2


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_device_is_neither_read_nor_written(run, parts):
    (parts / "full").symlink_to("/dev/full")
    found = counted(run, parts, 0, "-m", "Pk", output=parts / "full")
    assert found.code == 2
    assert "is a device" in found.err
    assert "is not a regular file" in run("merge", parts / "full").err


@pytest.mark.skipif(sys.platform == "win32", reason="needs limits on files")
def test_no_space_left_leaves_nothing(parts):
    """A file may grow to 1,000 bytes only, as on a disk that fills up while the result is written."""
    import resource

    files = [f"{parts}/gold.part0.jsonl", f"a={parts}/a.part0.jsonl"]
    # -B, since byte code that is cut off at the limit would stay.
    call = [sys.executable, "-B", "-m", "caesura", "count", *files, "-m", "Pk", "-o", str(parts / "shard0")]
    before = set(parts.iterdir())
    found = subprocess.run(
        call,
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000)),
    )
    assert found.returncode == 2
    assert "shard0: cannot be written" in found.stderr
    assert set(parts.iterdir()) == before


def test_a_killed_count_leaves_no_result(parts):
    """Kill the command while it runs: there is a whole result or none."""
    files = [f"{parts}/gold.part0.jsonl", f"a={parts}/a.part0.jsonl"]
    for wait in (0.05, 0.3, 0.6):
        target = parts / f"killed{wait}"
        job = subprocess.Popen([sys.executable, "-m", "caesura", "count", *files, "-m", "Pk", "-o", str(target)])
        try:
            job.wait(wait)
        except subprocess.TimeoutExpired:
            job.kill()
            job.wait()
        if target.exists():
            from caesura.scale import read_shard

            assert read_shard(target).documents == 40


def test_kept_counts_give_the_evaluation_with_its_draws(run, parts):
    for place in range(3):
        assert counted(run, parts, place, "-m", "Pk", "-m", "B").code == 0
        # A result without counts is not what is asked for, but it is a file of somebody.
        assert "exists already" in counted(run, parts, place, "-m", "Pk", "-m", "B", "--keep-counts").err
        assert counted(run, parts, place, "-m", "Pk", "-m", "B", "--keep-counts", "--force").code == 0
        assert "counted already" in counted(run, parts, place, "-m", "Pk", "-m", "B", "--keep-counts").out
    shards = [parts / f"shard{place}" for place in (1, 0, 2)]
    whole = run(
        "evaluate", parts / "gold.jsonl", parts / "a.jsonl", parts / "b.jsonl", "-m", "Pk", "-m", "B", "--ci",
        "--per-document", "--format", "json",
    )  # fmt: skip
    merged = run("merge", *shards, "--ci", "--per-document", "--format", "json", "-o", parts / "merged.json")
    assert (whole.code, merged.code) == (0, 0)
    one, other = json.loads(merged.out), json.loads(whole.out)
    for scores in other["systems"].values():
        # Chance and clock are placed on the documents, of which the shards keep the counts only.
        assert scores["Pk"]["blind"]["clock"] is not None
        scores["Pk"]["blind"] = None
    for name in ("systems", "documents", "per_document", "resampling"):
        assert one[name] == other[name]
    assert (parts / "merged.counts.npz").exists()
    gated = run("gate", parts / "gold.jsonl", f"a={parts}/a.jsonl", "-m", "Pk", "--last", parts / "merged.json")
    assert gated.code == 0
    assert counted(run, parts, 0, "-m", "Pk", "-m", "B", "--force").code == 0
    mixed = run("merge", *shards, "--ci", "--full")
    assert "1 of 3 shards were counted without --keep-counts" in mixed.err
    assert "normal theory" in mixed.out
    refused = run("merge", *shards, "--per-document")
    assert refused.code == 2
    assert "keep no counts" in refused.err
