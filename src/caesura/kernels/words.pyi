from typing import Any

COMPILED: bool

def set_bits(n_units: Any, ptr: Any, pos: Any, out: Any) -> None: ...
