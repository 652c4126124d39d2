from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64] | Sequence[int]

KERNELS: dict[str, tuple[str, ...]]
COMPILED: bool

def match_boundaries(ref: Ints, hyp: Ints, tolerance: int) -> list[tuple[int, int]]: ...
