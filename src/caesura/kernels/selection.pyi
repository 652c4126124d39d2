from typing import Any

COMPILED: bool

def accept_by_score(ptr: Any, order: Any, min_gap: int, ranks: Any, scratch: Any) -> None: ...
