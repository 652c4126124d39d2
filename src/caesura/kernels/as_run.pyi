from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64] | Sequence[int]
Table = npt.NDArray[np.float64]

KERNELS: dict[str, tuple[str, ...]]
COMPILED: bool

def count_as_run(
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
) -> None: ...
def count_as_run_one(n: int, ref: Ints, hyp: Ints, out: Table, scratch: Ints, tolerance: int) -> None: ...
