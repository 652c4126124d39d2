from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64] | Sequence[int]
Table = npt.NDArray[np.float64]

KERNELS: dict[str, tuple[str, ...]]
COMPILED: bool

def match_boundaries(ref: Ints, hyp: Ints, tolerance: int) -> list[tuple[int, int]]: ...
def scratch_matching(
    ref_ptr: Ints,
    ref_pos: Ints,
    hyp_ptr: Ints,
    hyp_pos: Ints,
    start: int,
    stop: int,
    tolerance: int,
    low: int,
    high: int,
) -> int: ...
def count_matching(
    n_units: Ints,
    ref_ptr: Ints,
    ref_pos: Ints,
    hyp_ptr: Ints,
    hyp_pos: Ints,
    out: Table,
    start: int,
    stop: int,
    scratch: Ints,
    tolerance: int,
    low: int,
    high: int,
) -> None: ...
def count_matching_one(
    n: int, ref: Ints, hyp: Ints, out: Table, scratch: Ints, tolerance: int = ..., low: int = ..., high: int = ...
) -> None: ...
