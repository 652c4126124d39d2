from typing import Any

COMPILED: bool
POWERS: int
LOW_BITS: int

def add_digits(values: Any, low: Any, high: Any) -> None: ...
