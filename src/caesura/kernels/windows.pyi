from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64] | Sequence[int]
Words = npt.NDArray[np.uint64] | Sequence[int]
Table = npt.NDArray[np.float64]

KERNELS: dict[str, tuple[str, ...]]
RANGES: dict[str, tuple[int, int]]
BY_BITS: tuple[str, ...]
COMPILED: bool

def count_pk(
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
    k: int,
    k_from: int,
    rounding: int,
    min_k: int,
    string: int,
    short: int,
) -> None: ...
def count_window_diff(
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
    k: int,
    k_from: int,
    rounding: int,
    min_k: int,
    string: int,
    short: int,
    edge: int,
) -> None: ...
def count_pk_one(
    n: int,
    ref: Ints,
    hyp: Ints,
    out: Table,
    scratch: Ints,
    k: int = ...,
    k_from: int = ...,
    rounding: int = ...,
    min_k: int = ...,
    string: int = ...,
    short: int = ...,
) -> None: ...
def count_window_diff_one(
    n: int,
    ref: Ints,
    hyp: Ints,
    out: Table,
    scratch: Ints,
    k: int = ...,
    k_from: int = ...,
    rounding: int = ...,
    min_k: int = ...,
    string: int = ...,
    short: int = ...,
    edge: int = ...,
) -> None: ...
