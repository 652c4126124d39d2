# SPDX-License-Identifier: Apache-2.0
from typing import Any

COMPILED: bool

def list_runs(ptr: Any, pos: Any, k: Any, windows: Any, document: Any, inside: Any, width: Any) -> int: ...
def expect_retrieved(
    n_units: Any, ptr: Any, pos: Any, drawn: Any, numerator: int, denominator: int, strict: int, shares: Any, out: Any
) -> None: ...
