"""The cache between real processes: several at once, one killed in the middle, a disk that takes no more."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pytest

from caesura.encoders import Cache, embed
from caesura.encoders.base import text_hash
from tests.encoders.conftest import Toy, corpus_of, toy_vectors

# An encoder that takes its time, and says when a batch is done.
WORKER = """
import sys, time
from tests.encoders.conftest import Toy, corpus_of
from caesura.encoders import Cache, embed
first, last, wait = int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3])
class Slow(Toy):
    def encode(self, texts):
        time.sleep(wait)
        return super().encode(texts)
slow = Slow()
texts = [f"text {n}" for n in range(first, last)]
with Cache() as cache:
    embed(corpus_of(d=texts), slow, cache=cache, progress=lambda done, total: print(done, flush=True))
print("encoded", len(slow.seen))
"""


def start(first: int, last: int, wait: float) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", WORKER, str(first), str(last), str(wait)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_processes_at_once():
    """Three processes, overlapping texts, a cache that none of them has made yet."""
    ranges = [(0, 900), (300, 1200), (600, 1500)]
    workers = [start(*r, 0.01) for r in ranges]
    for worker in workers:
        out, err = worker.communicate(timeout=120)
        assert worker.returncode == 0, err
        assert err == ""
        assert "encoded" in out
    texts = [f"text {n}" for n in range(1500)]
    toy = Toy()
    with Cache() as cache:
        rows = embed(corpus_of(d=texts), toy, cache=cache)["d"]
        assert cache.kept()[0].entries == 1500
    assert toy.seen == []
    np.testing.assert_array_equal(rows, toy_vectors(texts))


@pytest.mark.skipif(os.name != "posix", reason="kill -9 is POSIX")
def test_killed_in_the_middle():
    worker = start(0, 1280, 0.1)
    assert worker.stdout is not None
    done = 0
    while done < 3 * 128:
        done = int(worker.stdout.readline())
    worker.send_signal(signal.SIGKILL)
    worker.communicate()
    assert worker.returncode == -signal.SIGKILL
    texts = [f"text {n}" for n in range(1280)]
    with Cache() as cache:
        kept = cache.get(Toy.fingerprint, 8, [text_hash(text) for text in texts])
        # What was reported was committed; whole batches only; each vector the right one.
        assert done <= len(kept) < 1280
        assert len(kept) % 128 == 0
        toy = Toy()
        rows = embed(corpus_of(d=texts), toy, cache=cache)["d"]
    assert len(toy.seen) == 1280 - len(kept)
    np.testing.assert_array_equal(rows, toy_vectors(texts))


@pytest.mark.skipif(os.name != "posix", reason="limits are those of POSIX")
@pytest.mark.slow
def test_killed_at_any_moment():
    """Four kills at moments of no one's choosing; the rest is always right."""
    texts = [f"text {n}" for n in range(1280)]
    rng = np.random.default_rng(1)
    kept = 0
    for _ in range(4):
        worker = start(0, 1280, 0.0)
        assert worker.stdout is not None
        worker.stdout.readline()
        time.sleep(rng.uniform(0, 0.02))
        worker.kill()
        worker.communicate()
        with Cache() as cache:
            found = cache.get(Toy.fingerprint, 8, [text_hash(text) for text in texts])
        assert len(found) >= kept
        kept = len(found)
        for text in texts:
            if text_hash(text) in found:
                np.testing.assert_array_equal(found[text_hash(text)], toy_vectors([text])[0])


@pytest.mark.skipif(sys.platform != "linux", reason="the limit on file sizes is Linux's")
def test_a_disk_that_takes_no_more():
    """The system refuses to let files grow beyond 100 kB: one line, and every vector all the same."""
    limited = (
        "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))\n"
        + WORKER
        + "from tests.encoders.conftest import toy_vectors\n"
        + "import numpy as np\n"
        + "with Cache() as cache:\n    rows = embed(corpus_of(d=texts), Toy(), cache=cache)['d']\n"
        + "np.testing.assert_array_equal(rows, toy_vectors(texts))\n"
    )
    done = subprocess.run(
        [sys.executable, "-B", "-c", limited, "0", "6000", "0"],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "encoded 6000" in done.stdout
    assert "the cache cannot be written" in done.stderr
    texts = [f"text {n}" for n in range(6000)]
    with Cache() as cache:
        kept = cache.get(Toy.fingerprint, 8, [text_hash(text) for text in texts])
    assert 0 < len(kept) < 6000
    for text in texts:
        if text_hash(text) in kept:
            np.testing.assert_array_equal(kept[text_hash(text)], toy_vectors([text])[0])


READS = """
import os, sys
from tests.encoders.conftest import Toy, corpus_of, toy_vectors
from caesura.encoders import Cache, embed
import numpy.testing, time, warnings
texts = [f"text {n}" for n in range(300)]
if os.geteuid() == 0:  # who may write everywhere; everything has to be imported before
    with Cache(sys.argv[1] + "/other") as cache:
        embed(corpus_of(d=texts), Toy(), cache=cache)
    os.setgid(65534)
    os.setuid(65534)
for clock in (time.time, lambda: time.time() + 1e6):
    toy = Toy()
    with Cache(sys.argv[1], clock=clock) as cache:
        rows = embed(corpus_of(d=texts), toy, cache=cache)["d"]
        again = embed(corpus_of(d=[*texts, "new"]), toy, cache=cache)["d"]
        embed(corpus_of(d=["newer", "text 1"]), toy, cache=cache)
        print(toy.seen, cache.kept()[0].entries)
    numpy.testing.assert_array_equal(rows, toy_vectors(texts))
    numpy.testing.assert_array_equal(again[-1:], toy_vectors(["new"]))
"""


@pytest.mark.skipif(os.name != "posix", reason="permissions are those of POSIX")
@pytest.mark.parametrize("in_use", [False, True])
def test_a_cache_that_may_only_be_read_is_read(in_use):
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        cache = Cache(folder)
        embed(corpus_of(d=[f"text {n}" for n in range(300)]), Toy(), cache=cache)
        if not in_use:
            cache.close()
        files = sorted(folder.iterdir())
        assert len(files) == (3 if in_use else 1)
        before = files[0].read_bytes()
        for path in files:
            path.chmod(0o444)
        folder.chmod(0o555)
        done = subprocess.run([sys.executable, "-c", READS, name], capture_output=True, text=True, check=False)
        folder.chmod(0o755)
        assert done.returncode == 0, done.stderr
        assert done.stdout == "['new', 'newer'] 300\n" * 2
        assert done.stderr.count("the cache cannot be written") == 1
        assert "new vectors are not stored" in done.stderr
        assert files[0].read_bytes() == before
        cache.close()
