from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64] | Sequence[int]
Table = npt.NDArray[np.float64]

KERNELS: dict[str, tuple[str, ...]]
RANGES: dict[str, tuple[int, int]]
FRACTIONAL: tuple[str, ...]
COMPILED: bool

def count_overlap(
    n_units: Ints,
    ref_ptr: Ints,
    ref_pos: Ints,
    hyp_ptr: Ints,
    hyp_pos: Ints,
    out: Table,
    start: int,
    stop: int,
    scratch: Ints,
    shares: int,
) -> None: ...
def count_overlap_one(n: int, ref: Ints, hyp: Ints, out: Table, scratch: Ints, shares: int = ...) -> None: ...
def count_retrieval(
    n_units: Ints,
    ref_ptr: Ints,
    ref_pos: Ints,
    hyp_ptr: Ints,
    hyp_pos: Ints,
    out: Table,
    start: int,
    stop: int,
    scratch: Ints,
    numerator: int,
    denominator: int,
    strict: int,
    low: int,
    high: int,
) -> None: ...
def count_retrieval_one(
    n: int,
    ref: Ints,
    hyp: Ints,
    out: Table,
    scratch: Ints,
    numerator: int,
    denominator: int,
    strict: int = ...,
    low: int = ...,
    high: int = ...,
) -> None: ...
def count_alignment(
    n_units: Ints,
    ref_ptr: Ints,
    ref_pos: Ints,
    hyp_ptr: Ints,
    hyp_pos: Ints,
    out: Table,
    start: int,
    stop: int,
    scratch: Ints,
) -> None: ...
def count_alignment_one(n: int, ref: Ints, hyp: Ints, out: Table, scratch: Ints) -> None: ...
def match_segments(n: int, ref: Ints, hyp: Ints, scratch: Ints) -> None: ...
