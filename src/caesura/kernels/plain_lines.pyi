from typing import Any

COMPILED: bool
KEYS: bytes
TALLY: int

def scan_lines(
    block: bytes,
    text: str,
    keys: bytes,
    ids: list[Any],
    named: list[str],
    n_units: Any,
    sizes: Any,
    pos: Any,
    tally: Any,
) -> int: ...
