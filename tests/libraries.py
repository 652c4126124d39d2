"""Optional libraries: tests that need one are skipped without it, unless the variable of its target says that it is required."""

from __future__ import annotations

import importlib
import importlib.util
import os
from types import ModuleType

import pytest

from caesura.kernels import _blas


def required(target: str) -> bool:
    """Return whether tests may not be skipped: CAESURA_TORCH=required or CAESURA_RAY=required, as in CI."""
    return os.environ.get(f"CAESURA_{target.upper()}") == "required"


def absent(*names: str) -> list[str]:
    """Return the libraries that are not installed; none if the tests that need torch must run."""
    return [] if required("torch") else [name for name in names if importlib.util.find_spec(name) is None]


def skip_without_openblas() -> None:
    """Skip a test of the threads of matrix products if NumPy has no OpenBLAS; fail if CAESURA_BLAS=required, as in CI."""
    if _blas._controls() is None:
        reason = "NumPy came without an OpenBLAS of its own"
        if required("blas"):
            pytest.fail(f"{reason}, and CAESURA_BLAS=required asks for one")
        pytest.skip(reason)


def library(name: str) -> ModuleType:
    """Return a library, or skip the test."""
    if name == "ray":
        if not required("ray") and importlib.util.find_spec("ray") is None:
            pytest.skip("ray is not installed: make test-ray")
    elif absent(name):
        pytest.skip(f"{name} is not installed: make test-train")
    return importlib.import_module(name)
