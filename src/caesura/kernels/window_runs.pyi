from typing import Any

COMPILED: bool

def list_runs(ptr: Any, pos: Any, k: Any, windows: Any, document: Any, inside: Any, width: Any) -> int: ...
