"""Optional libraries: tests that need torch are skipped without it, unless CAESURA_TORCH=required asks for them, as in CI."""

from __future__ import annotations

import importlib
import importlib.util
import os
from types import ModuleType

import pytest

REQUIRED = os.environ.get("CAESURA_TORCH") == "required"


def absent(*names: str) -> list[str]:
    """Return the libraries that are not installed; none if the tests must run."""
    return [] if REQUIRED else [name for name in names if importlib.util.find_spec(name) is None]


def library(name: str) -> ModuleType:
    """Return a library, or skip the test."""
    if absent(name):
        pytest.skip(f"{name} is not installed: make test-train")
    return importlib.import_module(name)
