"""Nothing in `cohesion` wakes the threads of matrix products: they would wait for each other longer than they work."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.libraries import skip_without_openblas

SCRIPT = """
import os, sys
import numpy as np
import scipy.spatial  # comes with threads of its own
import caesura
from caesura.kernels import _blas
from caesura.segmentation import Segmentation

if sys.argv[1:] == ["free"]:
    _blas._controls = lambda: None
rng = np.random.default_rng(1)
documents = {f"d{row}": Segmentation(300, range(10, 300, 10)) for row in range(12)}
np.savez("v.npz", **{key: rng.standard_normal((300, 384)) for key in documents})
caesura.cohesion(documents, None, ["ARPpair", "Silhouette", "Placement"], encoder="npz:v.npz", draws=10).results()
for task in os.listdir("/proc/self/task"):
    if int(task) != os.getpid():
        with open(f"/proc/self/task/{task}/status") as lines:
            print(next(int(line.split()[1]) for line in lines if line.startswith("voluntary_ctxt_switches")))
"""


def _sleeps(folder: Path, *arguments: str) -> int:
    """Return how often a thread of the matrix products went to sleep, at most: once when it is made, and once after each work."""
    # Threads sleep at once after each work: those that spin would find the next work before they sleep, and not be counted.
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "2", "OPENBLAS_THREAD_TIMEOUT": "4"}
    command = [sys.executable, "-c", SCRIPT, *arguments]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=True, timeout=120)
    return max(map(int, done.stdout.split()), default=0)


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="the system does not list threads")
def test_the_threads_of_matrix_products_sleep(tmp_path: Path) -> None:
    skip_without_openblas()
    assert _sleeps(tmp_path) <= 1
    assert _sleeps(tmp_path, "free") > 1
