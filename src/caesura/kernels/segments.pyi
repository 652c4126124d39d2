from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64] | Sequence[int]

KERNELS: dict[str, tuple[str, ...]]
FRACTIONAL: tuple[str, ...]
COMPILED: bool

def match_segments(n: int, ref: Ints, hyp: Ints, scratch: Ints) -> None: ...
