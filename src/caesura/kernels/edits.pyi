KERNELS: dict[str, tuple[str, ...]]
FRACTIONAL: tuple[str, ...]
COMPILED: bool
