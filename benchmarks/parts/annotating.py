# SPDX-License-Identifier: Apache-2.0
"""Many people who save at once in a project of ``caesura annotate``: nothing is lost, and how long a save takes."""

from __future__ import annotations

import asyncio
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import caesura as cz
from benchmarks.results import Part, Ratio
from benchmarks.settings import Settings
from caesura.annotate import Project
from caesura.annotations.events import EventStore
from caesura.corpus import Corpus, Document

__all__ = ["measure"]

_UNITS = 1_000


def measure(settings: Settings) -> Part:
    """Let 200 people save a mark each second for a minute, and compare what was acknowledged with what is on disk."""
    people, seconds = (20, 3) if settings.quick else (200, 60)
    part = Part(
        "annotating",
        "People who save at once",
        notes=[
            f"{people} people on loopback, a mark every second for {seconds} s, from one process beside the server's. A save is answered "
            "after its commit (write-ahead log, synchronous=FULL); saves that arrive during a commit share the next. Times are "
            "wall time as the client sees it, so they depend on the disk and on what else runs."
        ],
    )
    with tempfile.TemporaryDirectory() as folder:
        project = _project(Path(folder), people)
        tokens, stored = _tokens(project, people), project / "project"
        before = _cpu_of_children()
        server, port = _start(stored)
        try:
            acknowledged, times = asyncio.run(_everybody(port, tokens, seconds))
        finally:
            server.terminate()
            server.wait()
            assert server.stdout is not None
            server.stdout.close()
        spent = _cpu_of_children() - before
        with EventStore(stored) as store:
            present = [(each.client, each.sequence) for each in store.events() if each.kind == "mark"]
    lost, doubled = len(acknowledged - set(present)), len(present) - len(set(present))
    part.numbers["saves acknowledged"] = len(acknowledged)
    for percent in (50, 99):
        part.numbers[f"milliseconds of a save, percentile {percent}"] = 1000 * float(np.percentile(times, percent))
    part.numbers["microseconds of CPU per save, with the start of the server"] = 1e6 * spent / len(acknowledged)
    wrong = float(lost + doubled)
    part.goal(35, "acknowledged saves that are lost or doubled", "<=", 0, Ratio(wrong, wrong, wrong), kind="count")
    return part


def _cpu_of_children() -> float:
    import resource  # not on Windows

    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _project(folder: Path, people: int) -> Path:
    texts = tuple(f"Turn {k}." for k in range(_UNITS))
    cz.save(Corpus([Document(id="meeting", n_units=_UNITS, units=texts)]), folder / "docs.jsonl")
    with Project(folder / "project", create=True) as project:
        project.add_documents(folder / "docs.jsonl")
        project.add_people([f"person {k}" for k in range(people)])
        project.assign()
    return folder


def _tokens(folder: Path, people: int) -> list[str]:
    with Project(folder / "project") as project:
        return [project.token(f"person {k}") for k in range(people)]


def _start(folder: Path) -> tuple[subprocess.Popen[str], int]:
    words = [sys.executable, "-m", "caesura", "annotate", str(folder), "--port", "0"]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONUNBUFFERED": "1"})
    assert process.stdout is not None
    port = 0
    for line in process.stdout:
        if line.startswith("lead\t"):
            port = int(line.split(":")[2].split("/")[0])
        if line.startswith("Ctrl-C"):
            return process, port
    raise RuntimeError("caesura annotate did not start")


async def _everybody(port: int, tokens: list[str], seconds: float) -> tuple[set[tuple[str, int]], list[float]]:
    acknowledged: set[tuple[str, int]] = set()
    times: list[float] = []
    await asyncio.gather(
        *(_person(port, token, f"client-{k:04}", seconds, acknowledged, times) for k, token in enumerate(tokens))
    )
    return acknowledged, times


async def _person(
    port: int, token: str, client: str, seconds: float, acknowledged: set[tuple[str, int]], times: list[float]
) -> None:
    """Save a mark each second, over one connection as a browser does."""
    drawn = random.Random(client)
    await asyncio.sleep(drawn.random())
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    end, sequence = time.perf_counter() + seconds, 0
    while time.perf_counter() < end:
        sequence += 1
        event = {"sequence": sequence, "kind": "mark", "task": 0, "payload": {"gap": drawn.randrange(1, _UNITS), "level": 1}}  # fmt: skip
        body = json.dumps({"client": client, "events": [event]}).encode()
        head = (
            f"POST /api/events HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {token}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        start = time.perf_counter()
        writer.write(head.encode() + body)
        answer = await reader.readuntil(b"\r\n\r\n")
        length = next(int(line[15:]) for line in answer.lower().split(b"\r\n") if line.startswith(b"content-length:"))
        said = json.loads(await reader.readexactly(length))
        times.append(time.perf_counter() - start)
        if said.get("saved") == [sequence]:
            acknowledged.add((client, sequence))
        await asyncio.sleep(max(0.0, 1 - (time.perf_counter() - start)))
    writer.close()
