from typing import Any

COMPILED: bool

def add_up(values: Any, out: Any) -> None: ...
def measure_shared_silhouettes(
    sums: Any, ptr: Any, pos: Any, first: int, stop: int, n: int, cell: int, out: Any
) -> None: ...
