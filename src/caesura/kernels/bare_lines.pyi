from typing import Any

COMPILED: bool
KEYS: bytes

def scan_lines(
    block: bytes, text: str, keys: bytes, ids: list[Any], n_units: Any, sizes: Any, pos: Any
) -> int: ...
