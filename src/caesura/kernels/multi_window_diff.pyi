from typing import Any

MULTI_WINDOW_DIFF_COLUMNS: tuple[str, ...]
COMPILED: bool

def count_multi_window_diff(
    slots: Any, ptr: Any, pos: Any, owner: Any, annotators: Any, most: Any, windows: Any, out: Any, scratch: Any
) -> None: ...
