from typing import Any

COMPILED: bool

def choose_gaps(seeds: Any, gaps: Any, ptr: Any, pos: Any, chosen: Any, state: Any) -> None: ...
def shuffle_runs(seeds: Any, ptr: Any, values: Any, state: Any) -> None: ...
def move_boundaries(
    seeds: Any,
    n_units: Any,
    ptr: Any,
    pos: Any,
    distance: int,
    out: Any,
    steps: Any,
    order: Any,
    taken: Any,
    state: Any,
) -> None: ...
def place_gaps(
    gaps: Any, drawn: Any, base: Any, ptr: Any, spread: int, state: Any, marks: Any, words: Any, again: Any, pos: Any
) -> None: ...
