from typing import Any

COMPILED: bool

def choose_gaps(seeds: Any, gaps: Any, ptr: Any, pos: Any, chosen: Any, state: Any) -> None: ...
def place_gaps(
    gaps: Any, drawn: Any, base: Any, ptr: Any, spread: int, state: Any, marks: Any, again: Any, pos: Any
) -> None: ...
