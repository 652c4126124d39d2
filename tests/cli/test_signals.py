"""TERM and HUP end a command as Ctrl-C does: no process, text or half file is left, and the exit code is 128 plus the signal."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.cli.test_no_tracebacks import here  # noqa: F401  (a fixture)

if os.name != "posix":
    pytest.skip("signals are those of POSIX", allow_module_level=True)

ENDING = [signal.SIGTERM, signal.SIGHUP, signal.SIGINT]
pytestmark = pytest.mark.usefixtures("here")


def started(*words: str, **options: object) -> subprocess.Popen[str]:
    """Start a command; its temporary files lie in the folder ``temporary``."""
    Path("temporary").mkdir(exist_ok=True)
    environment = {**os.environ, "TMPDIR": str(Path("temporary").resolve())}
    return subprocess.Popen(
        [sys.executable, *(("-m", "caesura") if words[0] != "-c" else ()), *words],
        env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options,
    )  # fmt: skip


def until(condition, seconds: float = 60.0) -> None:
    """Wait until a condition holds."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


def runs(process: int) -> bool:
    """Return whether a process runs; one that is dead but not yet collected does not."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    stat = Path(f"/proc/{process}/stat")
    return not stat.is_file() or stat.read_text().rpartition(")")[2].split()[0] != "Z"


def program(tmp_path: Path, code: str) -> str:
    """Return a method: a Python program that starts a sleeper in the background and writes both process ids."""
    path = tmp_path / "program.py"
    begin = (
        "import os, subprocess, sys, time\n"
        "child = subprocess.Popen(['sleep', '7701'], stdin=subprocess.DEVNULL)\n"
        f"open({str(tmp_path / 'new')!r}, 'w').write(f'{{os.getpid()}} {{child.pid}}')\n"
        f"os.rename({str(tmp_path / 'new')!r}, {str(tmp_path / 'pids')!r})\n"
    )
    path.write_text(begin + code)
    return "command:" + shlex.join([sys.executable, str(path)])


@pytest.mark.parametrize("number", ENDING)
def test_a_program_and_what_it_started_end_too(tmp_path, number):
    run = started("segment", "gold.jsonl", "-o", "out.jsonl", "--method", program(tmp_path, "time.sleep(7702)"))
    until((tmp_path / "pids").exists)
    assert list(Path("temporary").rglob("documents.jsonl"))
    run.send_signal(number)
    out, err = run.communicate(timeout=30)
    assert (run.returncode, out, err.strip()) == (128 + number, "", "caesura: interrupted")
    for process in map(int, (tmp_path / "pids").read_text().split()):
        until(lambda process=process: not runs(process), 10)
    assert not list(Path("temporary").iterdir())
    assert not Path("out.jsonl").exists()


def test_what_a_program_left_in_the_background_ends_with_it(tmp_path):
    answer = json.dumps({"id": "d", "n_units": 4, "boundaries": [1]})
    run = started("segment", "gold.jsonl", "-o", "out.jsonl", "--method", program(tmp_path, f"print({answer!r})"))
    _, err = run.communicate(timeout=60)
    assert (run.returncode, json.loads(Path("out.jsonl").read_text())["boundaries"]) == (0, [1]), err
    for process in map(int, (tmp_path / "pids").read_text().split()):
        until(lambda process=process: not runs(process), 10)


def test_the_first_signal_counts(tmp_path):
    """A service manager sends TERM and HUP one after the other; the second must not cut the cleaning short."""
    run = started("segment", "gold.jsonl", "--method", program(tmp_path, "time.sleep(7702)"))
    until((tmp_path / "pids").exists)
    for _ in range(20):
        run.send_signal(signal.SIGTERM)
        run.send_signal(signal.SIGTERM)
    run.communicate(timeout=30)
    # A signal that arrives when all is clean ends Python itself, which a shell shows as 143 too.
    assert run.returncode in (143, -signal.SIGTERM)
    assert not list(Path("temporary").iterdir())
    for process in map(int, (tmp_path / "pids").read_text().split()):
        until(lambda process=process: not runs(process), 10)


def test_nohup_is_respected(tmp_path):
    go = tmp_path / "go"
    wait = (
        f"while not os.path.exists({str(go)!r}): time.sleep(0.02)\n"
        """print('{"id": "d", "n_units": 4, "boundaries": [3]}')"""
    )
    run = started(
        "segment", "gold.jsonl", "-o", "out.jsonl", "--method", program(tmp_path, wait),
        preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN),  # as nohup does
    )  # fmt: skip
    until((tmp_path / "pids").exists)
    run.send_signal(signal.SIGHUP)
    go.touch()
    _, err = run.communicate(timeout=60)
    assert run.returncode == 0, err
    assert json.loads(Path("out.jsonl").read_text())["boundaries"] == [3]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_program_that_is_just_being_started_is_not_left(tmp_path, number):
    """The signal comes while the program starts: it is raised afterwards, when the program is known and can be ended."""
    script = f"""
import os, signal, subprocess, sys
import caesura.__main__
import caesura.segmenters.others.command as command
class Popen(subprocess.Popen):
    def __init__(self, *args, **options):
        super().__init__(*args, **options)
        open({str(tmp_path / "pids")!r}, "w").write(str(self.pid))
        os.kill(os.getpid(), {int(number)})
        for _ in range(1000):
            pass
command.subprocess = type(sys)("subprocess")
vars(command.subprocess).update(vars(subprocess), Popen=Popen)
sys.argv = ["caesura", "segment", "gold.jsonl", "--method", "command:sleep 7703"]
caesura.__main__.main()
"""
    run = started("-c", script)
    _, err = run.communicate(timeout=60)
    assert (run.returncode, err.strip()) == (128 + number, "caesura: interrupted")
    until(lambda: not runs(int((tmp_path / "pids").read_text())), 10)
    assert not list(Path("temporary").iterdir())


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="needs /proc to find the processes of a command")
def test_processes_that_encode_end_too(tmp_path):
    with Path("many.jsonl").open("w") as out:
        for number in range(100):
            units = [f"rain and wind {place} of day {number}" for place in range(3000)]
            out.write(json.dumps({"id": str(number), "units": units}) + "\n")
    script = """
import sys
import caesura.__main__
import caesura.encoders.default as module
module._VERY_MANY, module.processors = 1, lambda: 2
sys.argv = ["caesura", "encode", "many.jsonl", "--encoder", "default", "-o", "vectors.npz"]
caesura.__main__.main()
"""
    run = started("-c", script)
    listed = Path(f"/proc/{run.pid}/task/{run.pid}/children")
    until(lambda: run.poll() is not None or len(listed.read_text().split()) == 2)
    children = list(map(int, listed.read_text().split()))
    assert len(children) == 2
    run.send_signal(signal.SIGTERM)
    _, err = run.communicate(timeout=60)
    assert (run.returncode, err.strip()) == (143, "caesura: interrupted")
    for process in children:
        until(lambda process=process: not runs(process), 10)
    assert not Path("vectors.npz").exists()
    assert not list(Path("temporary").iterdir())
