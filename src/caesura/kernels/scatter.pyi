from typing import Any

SCATTER_COLUMNS: tuple[str, ...]
COMPILED: bool

def measure_scatter(
    vectors: Any,
    starts: Any,
    n_units: Any,
    ptr: Any,
    pos: Any,
    out: Any,
    first: int,
    stop: int,
    squares: Any,
    inverse: Any,
    total: Any,
    units: Any,
    middle: Any,
    windows: int,
    centroids: int,
    nearly: float,
    same: float,
) -> None: ...
def measure_windows(
    sums: Any,
    units: Any,
    squares: Any,
    proper: Any,
    lengths: Any,
    shift: Any,
    lows: Any,
    highs: Any,
    out: Any,
    nearly: float,
) -> None: ...
