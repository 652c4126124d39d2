from typing import Any

COMPILED: bool

def measure_silhouettes(
    products: Any,
    vectors: Any,
    squares: Any,
    bounds: Any,
    begin: int,
    end: int,
    left: int,
    own: int,
    adjacent: int,
    nearly: float,
    found: Any,
    out: Any,
) -> None: ...
def measure_shared_silhouettes(
    sums: Any, ptr: Any, pos: Any, first: int, stop: int, n: int, cell: int, out: Any
) -> None: ...
