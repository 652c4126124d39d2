"""Build of the optional compiled kernels; everything else stands in pyproject.toml.

The kernels are ordinary Python files. With Cython and a C compiler they are compiled; without, the build goes on
and the same files run uncompiled, slower and with equal results.
"""

from __future__ import annotations

import os
from pathlib import Path

from setuptools import Extension, setup

KERNELS = Path("src/caesura/kernels")


def extensions() -> list[Extension]:
    """Return one optional extension per kernel file, or none when they cannot be compiled here."""
    if os.environ.get("CAESURA_PURE") == "1":
        return []
    try:
        from Cython.Build import cythonize
    except ImportError:
        return []
    names = sorted(path.stem for path in KERNELS.glob("*.py") if not path.stem.startswith("_"))
    sources = [
        Extension(f"caesura.kernels.{name}", [str(KERNELS / f"{name}.py")], extra_compile_args=["-O3"])
        for name in names
    ]
    compiled = cythonize(
        sources,
        compiler_directives={
            "language_level": 3,
            "boundscheck": False,
            "wraparound": False,
            "cdivision": True,
            "initializedcheck": False,
        },
        build_dir="build/cython",
    )
    for extension in compiled:
        # cythonize() resets the flag, so it is set on what it returns.
        extension.optional = True
    return list(compiled)


setup(ext_modules=extensions())
