KERNELS: dict[str, tuple[str, ...]]
COMPILED: bool
