"""Ray as the engine of evaluate, on a cluster of this machine with two workers (make test-ray)."""

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from caesura.errors import CaesuraError
from caesura.scale import finish
from caesura.scale.files import Counting, gather
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


@pytest.fixture
def head(tmp_path_factory):
    """The address of a head node that runs beside the tests, as ``ray start --head`` starts one, and what is needed to use it."""
    library("ray")
    root = Path(__file__).resolve().parents[2]
    sockets = [socket.socket() for _ in range(2)]
    for each in sockets:
        each.bind(("127.0.0.1", 0))
    port, client = (each.getsockname()[1] for each in sockets)
    for each in sockets:
        each.close()
    environment = {
        **os.environ,
        "RAY_AUTH_MODE": "token",
        "RAY_AUTH_TOKEN": "a-token-of-this-test",
        "RAY_CLIENT_SERVER_CHECK_CHANNEL_TIMEOUT_S": "100",  # of a driver on a busy machine; one that hangs is given up
        "PYTHONPATH": os.pathsep.join([str(root / "src"), str(root)]),
    }
    # The sockets of Ray lie below this folder, and their names may not be long.
    with tempfile.TemporaryDirectory(prefix="ray", dir="/tmp", ignore_cleanup_errors=True) as folder:
        job = subprocess.Popen(
            [
                Path(sys.executable).with_name("ray"), "start", "--head", "--block", "--num-cpus=2",
                "--include-dashboard=false", "--disable-usage-stats", "--node-ip-address=127.0.0.1",
                f"--port={port}", f"--ray-client-server-port={client}", f"--temp-dir={folder}",
            ],
            env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        try:
            while job.poll() is None:
                with contextlib.suppress(OSError):
                    socket.create_connection(("127.0.0.1", client), timeout=1).close()
                    break
                time.sleep(0.2)
            assert job.poll() is None, "ray start --head ended"
            yield f"ray://127.0.0.1:{client}", environment
        finally:
            job.terminate()
            job.wait()


def test_a_cluster_at_an_address_gives_the_same_digits(head, parts):  # noqa: F811
    address, environment = head
    found = run_cli(*evaluate_args(parts, "--engine", address), env=environment)
    assert found.returncode == 0, found.stderr
    assert json.loads(found.stdout)["systems"] == expected(parts)
    without = run_cli(*evaluate_args(parts, "--engine", address), env={**environment, "RAY_AUTH_TOKEN": "another"})
    assert without.returncode == 2
    assert f"no Ray cluster at {address}" in without.stderr
    assert "RAY_AUTH_TOKEN" in without.stderr


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

    monkeypatch.setattr("tests.scale.test_run.Counting", DiesOnce)
    results = counted(parts, engine="ray")
    assert not fuse.exists()
    assert systems_of(finish(gather(results).merged)) == expected(parts)
