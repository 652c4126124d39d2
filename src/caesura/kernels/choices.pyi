from typing import Any

COMPILED: bool

def choose_gaps(seeds: Any, gaps: Any, ptr: Any, pos: Any, chosen: Any, state: Any) -> None: ...
