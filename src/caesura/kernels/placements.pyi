from typing import Any

COMPILED: bool

def sum_rotations(table: Any, boundaries: Any, shifts: Any, out: Any) -> None: ...
