from typing import Any

COMPILED: bool
WIDE: bool
ROWS: int
COLUMNS: int
LANES: int

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
    wide: int,
    found: Any,
    out: Any,
) -> None: ...
def measure_short(
    vectors: Any,
    starts: Any,
    n_units: Any,
    ptr: Any,
    pos: Any,
    longest: int,
    adjacent: int,
    nearly: float,
    wide: int,
    whole: Any,
    products: Any,
    squares: Any,
    found: Any,
    sums: Any,
    bounds: Any,
    out: Any,
) -> None: ...
