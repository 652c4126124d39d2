"""Ray as the engine of evaluate, on a cluster of this machine with two workers (make test-ray)."""

import os
import signal

import pytest

from caesura.errors import CaesuraError
from caesura.scale import counting, finish
from caesura.scale.counting import Counting
from caesura.scale.files import gather
from tests.libraries import library
from tests.scale.test_run import counted, evaluate_args, expected, parts, run_cli, systems_of  # noqa: F401  (a fixture)


def test_a_cluster_that_is_not_there_is_named(parts):  # noqa: F811
    library("ray")
    for address in ("ray://127.0.0.1:9", "ray://nobody.invalid:10001"):
        found = run_cli(*evaluate_args(parts, "--engine", address))
        assert found.returncode == 2
        assert f"no Ray cluster answers at {address}" in found.stderr
    with pytest.raises(CaesuraError, match="write ray://HOST:PORT"):
        counted(parts, engine="ray://host")


def test_ray_gives_the_same_digits(two_workers, parts):  # noqa: F811
    (parts / "extra").mkdir()
    results = counted(parts, engine="ray")
    assert systems_of(finish(gather(results).merged)) == expected(parts)
    assert results == counted(parts)


def test_ray_names_a_corrupt_shard(two_workers, parts):  # noqa: F811
    (parts / "gold-2.jsonl").write_text("{")
    gathered = gather(counted(parts, engine="ray"))
    assert gathered.merged.documents == 60
    assert "gold-2.jsonl:1" in gathered.failed[0]


def test_a_killed_worker_loses_and_doubles_nothing(two_workers, parts, monkeypatch, tmp_path):  # noqa: F811
    """A worker dies in the middle of a task, once: the task runs again elsewhere."""
    fuse = tmp_path / "fuse"
    fuse.write_text("")

    class DiesOnce(Counting):
        def do(self, shard):
            if shard.reference.endswith("gold-1.jsonl") and fuse.exists():
                fuse.unlink()
                os.kill(os.getpid(), signal.SIGKILL)
            return super().do(shard)

    monkeypatch.setattr(counting, "Counting", DiesOnce)
    results = counted(parts, engine="ray")
    assert not fuse.exists()
    assert systems_of(finish(gather(results).merged)) == expected(parts)
