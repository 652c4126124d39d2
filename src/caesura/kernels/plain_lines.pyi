from typing import Any

COMPILED: bool
KEYS: bytes
TALLY: int

def scan_lines(
    block: bytes,
    text: bytes,
    keys: bytes,
    named: list[bytes],
    ids: Any,
    id_sizes: Any,
    n_units: Any,
    sizes: Any,
    pos: Any,
    tally: Any,
) -> int: ...
def hashes_differ(text: Any, starts: Any, table: Any) -> int: ...
def slices(text: str, starts: Any) -> list[str]: ...
