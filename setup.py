"""Build of the optional compiled kernels; everything else stands in pyproject.toml.

The kernels are ordinary Python files. With Cython and a C compiler they are compiled; without, the build goes on and the same
files run uncompiled, slower. All counts against a reference or between annotators, and so their scores, are then equal to the
last bit. Scores without a reference are not: NumPy takes the place of the loops over vectors (`scatter`, `silhouettes`, `placements`) and adds
in another order, so that their last digits differ;
both are within 1e-9 of the formulas (`tests/metrics/cohesion/test_against_brute.py`).

The header beside them, `_bits.h`, counts the bits of a word.

``CAESURA_PURE=1`` builds nothing. ``CAESURA_CHECKED=1`` builds kernels that check every index, for `tests/fuzz/arrays.py`.
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
    checked = os.environ.get("CAESURA_CHECKED") == "1"
    # A product and a sum are rounded one after the other on every machine, as uncompiled.
    # Roots of several numbers at once: no kernel asks afterwards whether one was negative.
    flags = ["-O1" if checked else "-O3", "-ffp-contract=off", "-fno-math-errno"]
    try:
        from Cython.Build import cythonize
    except ImportError:
        return []
    names = sorted(path.stem for path in KERNELS.glob("*.py") if not path.stem.startswith("_"))
    sources = [
        Extension(
            f"caesura.kernels.{name}",
            [str(KERNELS / f"{name}.py")],
            include_dirs=[str(KERNELS)],
            depends=[str(KERNELS / file) for file in ("_bits.h", "_bits.pxd")],
            extra_compile_args=flags,
        )
        for name in names
    ]
    compiled = cythonize(
        sources,
        compiler_directives={
            "language_level": 3,
            "boundscheck": checked,
            "wraparound": False,
            "cdivision": True,
            "initializedcheck": checked,
        },
        build_dir="build/cython-checked" if checked else "build/cython",
    )
    for extension in compiled:
        # cythonize() resets the flag, so it is set on what it returns.
        extension.optional = True
    return list(compiled)


setup(ext_modules=extensions())
