from typing import Any

COMPILED: bool

def least_costs(costs: Any, before: Any, after: Any, totals: Any, starts: Any) -> None: ...
