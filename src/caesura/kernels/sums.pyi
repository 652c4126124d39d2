from typing import Any

COMPILED: bool
POWERS: int
LOW_BITS: int
LEADING: int
TRAILING: int
MOST_TOGETHER: int

def add_parts(values: Any, parts: Any) -> int: ...
def add_digits(values: Any, low: Any, high: Any) -> None: ...
