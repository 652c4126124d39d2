"""evaluate --engine on bad input: the offender is named, the rest is scored, and the exit code is 4."""

import json
import subprocess
import sys

import numpy as np
import pytest

import caesura as cz


@pytest.fixture
def parts(tmp_path):
    """A reference and a system in three files each."""
    rng = np.random.default_rng(1)
    for place in range(3):
        for name, density in (("gold", 0.2), ("a", 0.25)):
            lines = []
            for document in range(20):
                n = 5 + document * 7 % 30
                gaps = (np.flatnonzero(rng.random(n - 1) < density) + 1).tolist()
                lines.append(json.dumps({"id": f"{place}-{document}", "n_units": n, "boundaries": gaps}))
            (tmp_path / f"{name}-{place}.jsonl").write_text("\n".join(lines))
    return tmp_path


def call(where, ending="jsonl", *more):
    files = [f"{where}/gold-*.{ending}", f"a={where}/a-*.{ending}"]
    return ["evaluate", *files, "-m", "Pk", "--engine", "local", "--format", "json", *more]


def kept(found):
    """Check that one shard of three failed, and return what is said of it."""
    assert found.code == 4, found.err
    results = json.loads(found.out)
    assert results["systems"]["a"]["Pk"]["documents"] + results["systems"]["a"]["Pk"]["undefined"] == 40
    assert results["shards"]["shards"] == 2
    (failed,) = results["shards"]["failed"]
    assert failed in found.err
    return failed


def test_another_schema_in_one_file(run, parts):
    pa = pytest.importorskip("pyarrow", reason="needs pyarrow (caesura-eval[parquet])")
    pq = pytest.importorskip("pyarrow.parquet")
    for path in parts.glob("*.jsonl"):
        cz.save(cz.load(path), path.with_suffix(".parquet"))
    wrong = parts / "a-1.parquet"
    whole = pq.read_table(wrong)
    pq.write_table(whole.drop_columns(["boundaries"]), wrong)
    found = kept(run(*call(parts, "parquet")))
    assert "a-1.parquet:1: no column is named label, segment, topic or boundary; the columns are id, n_units" in found
    texts = pa.array([str(n) for n in whole.column("n_units").to_pylist()])
    pq.write_table(whole.set_column(1, "n_units", texts), wrong)
    assert "a-1.parquet: the column 'n_units' holds string" in kept(run(*call(parts, "parquet")))
    wrong.write_bytes(wrong.read_bytes()[:-100])
    assert "a-1.parquet: is not a complete Parquet" in kept(run(*call(parts, "parquet")))


def test_one_address_that_may_not_be_read(run, parts):
    fsspec = pytest.importorskip("fsspec", reason="needs fsspec (caesura-eval[parquet])")
    from fsspec.implementations.memory import MemoryFileSystem

    class Guarded(MemoryFileSystem):
        protocol = "guarded"

        @classmethod
        def _strip_protocol(cls, path):
            return super()._strip_protocol(path.replace("guarded://", "memory://"))

        def _open(self, path, *args, **options):
            if path.endswith("gold-1.jsonl"):
                raise PermissionError(13, "Forbidden")
            return super()._open(path, *args, **options)

    fsspec.register_implementation("guarded", Guarded, clobber=True)
    for path in parts.glob("*.jsonl"):
        fsspec.filesystem("memory").pipe(f"/guarded-bucket/{path.name}", path.read_bytes())
    failed = kept(run(*call("guarded://guarded-bucket")))
    assert "gold-1.jsonl: cannot be read: access is denied" in failed
    assert "check your credentials" in failed


@pytest.mark.skipif(sys.platform == "win32", reason="needs limits on files")
def test_no_space_left_for_one_result(run, parts):
    """A file may grow to 1,000 bytes only, as on a disk that is full; two results were written before."""
    import resource

    done = parts / "done"
    assert run(*call(parts, "jsonl", "--shards", done)).code == 0
    removed = next(done.iterdir())
    removed.unlink()
    before = set(done.iterdir())
    found = subprocess.run(  # -B, since byte code that is cut off at the limit would stay
        [sys.executable, "-B", "-m", "caesura", *map(str, call(parts, "jsonl", "--shards", done))],
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000)),
    )
    assert found.returncode == 4, found.stderr
    (failed,) = json.loads(found.stdout)["shards"]["failed"]
    assert "cannot be written" in failed
    assert set(done.iterdir()) == before, "nothing half-written"
    assert run(*call(parts, "jsonl", "--shards", done)).code == 0
    assert removed.exists()


def test_a_pattern_without_a_name_gives_one_without_an_asterisk(run, files, tmp_path):
    import json
    import shutil

    gold, good, _ = files
    (tmp_path / "mine").mkdir()
    shutil.copy(good, tmp_path / "mine" / "part-0.jsonl")
    for pattern, name in (("mine/*.jsonl", "mine"), ("mine/part-*.jsonl", "part")):
        done = run("evaluate", gold, str(tmp_path / pattern), "-m", "Pk", "--format", "json")
        assert list(json.loads(done.out)["systems"]) == [name]
