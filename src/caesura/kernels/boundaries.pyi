from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64] | Sequence[int]
Words = npt.NDArray[np.uint64] | Sequence[int]
Table = npt.NDArray[np.float64]

KERNELS: dict[str, tuple[str, ...]]
BY_BITS: tuple[str, ...]
COMPILED: bool

def count_boundaries(
    n_units: Ints,
    ref_ptr: Ints,
    ref_pos: Ints,
    hyp_ptr: Ints,
    hyp_pos: Ints,
    ref_bits: Words,
    hyp_bits: Words,
    out: Table,
    start: int,
    stop: int,
    scratch: Ints,
    tolerance: int,
    low: int,
    high: int,
) -> None: ...
def count_boundaries_one(
    n: int, ref: Ints, hyp: Ints, out: Table, scratch: Ints, tolerance: int = ..., low: int = ..., high: int = ...
) -> None: ...
def set_bits(n_units: Ints, ptr: Ints, pos: Ints, out: Words) -> None: ...
