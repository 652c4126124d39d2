"""Hypothesis profiles (stable by default, `HYPOTHESIS_PROFILE=quick` has few examples, `explore` new ones), a cache of its own."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.corpora import FOLDER

_SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large]

settings.register_profile(
    "stable", deadline=None, derandomize=True, database=None, max_examples=30, suppress_health_check=_SLOW
)
settings.register_profile("quick", settings.get_profile("stable"), max_examples=5)
settings.register_profile("explore", deadline=None, max_examples=1000, suppress_health_check=_SLOW)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "stable"))

if FOLDER is None:
    os.environ.pop("CAESURA_DATA", None)

# A shell lets what it starts in the background ignore Ctrl-C, and programs that tests start would inherit that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
# So does nohup with the end of the terminal.
if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


@pytest.fixture(scope="session", autouse=True)
def _cache_of_the_tests(tmp_path_factory):
    """Keep the tests away from the cache of whoever runs them."""
    before = os.environ.get("CAESURA_CACHE")
    os.environ["CAESURA_CACHE"] = str(tmp_path_factory.mktemp("cache"))
    yield
    if before is None:
        del os.environ["CAESURA_CACHE"]
    else:
        os.environ["CAESURA_CACHE"] = before


@pytest.fixture(scope="session")
def two_workers():
    """A cluster of Ray on this machine with two workers, which can import the tests."""
    from caesura.scale.work import started
    from tests.libraries import library

    ray = library("ray")
    root = Path(__file__).resolve().parents[1]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        patch.setenv("PYTHONPATH", os.pathsep.join([str(root / "src"), str(root)]))
        started(ray, num_cpus=2)
        yield ray
        ray.shutdown()
