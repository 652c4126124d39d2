from typing import Any

MULTI_WINDOW_DIFF_COLUMNS: tuple[str, ...]
COMPILED: bool

def count_multi_window_diff(
    slots: Any,
    ptr: Any,
    pos: Any,
    owner: Any,
    annotators: Any,
    most: Any,
    windows: Any,
    out: Any,
    scratch: Any,
) -> None: ...
def list_runs(ptr: Any, pos: Any, k: Any, windows: Any, document: Any, inside: Any, width: Any) -> int: ...
