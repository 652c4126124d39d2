# SPDX-License-Identifier: Apache-2.0
"""All processors for encoders that are written in Python: processes that hold the same encoder, and get texts through a pipe.

A process is started as a command, not by forking or by importing the caller's script again, so that it works in any program.
Texts go in as JSON, vectors come back as bytes. A process that cannot be started, or dies, costs time only: its texts are
encoded here.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import subprocess
import sys
import weakref
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import IO

import numpy as np

from caesura.encoders.base import Encoder, Vectors

__all__ = ["Workers", "processors", "serve"]

_PROGRAM = "from caesura.encoders._workers import serve; serve()"


def processors() -> int:
    """Return the number of processors that this process may use: what OMP_NUM_THREADS says, as Ray sets it, or all."""
    allowed = os.environ.get("OMP_NUM_THREADS", "")
    if allowed.isdecimal() and int(allowed) > 0:
        return int(allowed)
    # Not available on every system.
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Workers:
    """Worker processes that run the encoder with this spec; they end with it, or with this process."""

    def __init__(self, encoder: Encoder, number: int) -> None:
        self._encoder = weakref.proxy(encoder)
        self._spec, self._mark, self._dim = encoder.name, encoder.fingerprint, encoder.dim
        self._number = number
        # A place for each: a process, or None for one that is not there, whose texts are encoded here.
        self._free: queue.SimpleQueue[subprocess.Popen[bytes] | None] = queue.SimpleQueue()
        started = [self._start() for _ in range(number)]
        for each in started:
            self._free.put(each)
        weakref.finalize(encoder, _end, [each for each in started if each is not None])

    def map(self, batches: Sequence[list[str]]) -> Iterator[Vectors]:
        """Yield the vectors of batches of texts, in order."""
        pool = ThreadPoolExecutor(self._number)
        try:
            yield from pool.map(self._ask, batches)
        finally:
            pool.shutdown(cancel_futures=True)

    def _start(self) -> subprocess.Popen[bytes] | None:
        if getattr(sys, "frozen", False) or "py" not in Path(sys.executable or "").name.lower():
            return None  # another program than Python, which would not do what it is told
        paths = os.pathsep.join(filter(None, sys.path))
        try:
            return subprocess.Popen(  # noqa: S603  (this same Python, and the spec of an encoder that is open)
                [sys.executable, "-P", "-c", _PROGRAM, self._spec],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env={**os.environ, "PYTHONPATH": paths, "OPENBLAS_NUM_THREADS": "1"},
            )
        except OSError:
            return None

    def _ask(self, texts: list[str]) -> Vectors:
        process = self._free.get()
        try:
            if process is not None:
                found = self._answer(process, texts)
                if found is not None:
                    return found
                _end([process])
                process = None
            vectors: Vectors = self._encoder.encode(texts)
            return vectors
        finally:
            self._free.put(process)

    def _answer(self, process: subprocess.Popen[bytes], texts: list[str]) -> Vectors | None:
        """Return what a process answers; None if it is gone, or holds another encoder."""
        if process.stdin is None or process.stdout is None:  # pragma: no cover - they are pipes
            return None
        try:
            _send(process.stdin, json.dumps(texts).encode())
            mark, data = _receive(process.stdout), _receive(process.stdout)
        except (OSError, EOFError, ValueError):
            return None
        if mark != self._mark.encode() or len(data) != 4 * self._dim * len(texts):
            return None
        return np.frombuffer(data, np.float32).reshape(len(texts), self._dim)


def _end(processes: list[subprocess.Popen[bytes]]) -> None:
    for process in processes:
        with contextlib.suppress(OSError):
            process.kill()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()
        process.wait()


def _send(pipe: IO[bytes], data: bytes) -> None:
    pipe.write(len(data).to_bytes(8, "little") + data)
    pipe.flush()


def _receive(pipe: IO[bytes]) -> bytes:
    head = pipe.read(8)
    size = int.from_bytes(head, "little")
    data = pipe.read(size)
    if len(head) < 8 or len(data) < size:
        raise EOFError
    return data


def serve() -> None:
    """Encode what comes through standard input until it ends; the encoder is named on the command line."""
    from caesura.encoders._spec import source

    encoder = source(sys.argv[1])
    if not isinstance(encoder, Encoder):  # pragma: no cover - the caller has checked it
        return
    with contextlib.suppress(EOFError, KeyboardInterrupt, BrokenPipeError):
        while True:
            vectors = encoder.encode(json.loads(_receive(sys.stdin.buffer)))
            _send(sys.stdout.buffer, encoder.fingerprint.encode())
            _send(sys.stdout.buffer, vectors.tobytes())
