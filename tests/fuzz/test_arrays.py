"""A short run of the fuzz of arrays, in a process of its own, so that a crash is noticed."""

from __future__ import annotations

import pytest

from tests.fuzz.arrays import CALLS, watched


@pytest.mark.parametrize("call", CALLS)
def test_wrong_arrays_are_refused(call: str) -> None:
    cases, code = watched(["--cases", "100", "--seed", "5", "--call", call])
    assert (cases, code) == (100, 0)
