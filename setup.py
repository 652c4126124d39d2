"""Build of the optional compiled kernels; everything else stands in pyproject.toml.

The kernels are ordinary Python files. With Cython and a C compiler they are compiled; without, the build goes on and the same
files run uncompiled, slower. All counts against a reference or between annotators, and so their scores, are then equal to the
last bit. Scores without a reference are not: NumPy takes the place of the loops over vectors (`scatter`, `silhouettes`, `placements`) and adds
in another order, so that their last digits differ;
both are within 1e-9 of the formulas (`tests/metrics/cohesion/test_against_brute.py`).

What Cython adds to every extension (views of memory, mostly: three quarters of the code) stands once, in an extension of its own,
``_shared``. The header beside the kernels, `_bits.h`, counts the bits of a word.

``CAESURA_PURE=1`` builds nothing. ``CAESURA_CHECKED=1`` builds kernels that check every index, for `tests/fuzz/arrays.py`.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.errors import CCompilerError, ExecError, PlatformError

KERNELS = Path("src/caesura/kernels")
SHARED = "caesura.kernels._shared"
CHECKED = os.environ.get("CAESURA_CHECKED") == "1"


class BuildKernels(build_ext):
    """Translate the kernels to C and compile them, several at a time: all of them, or none."""

    def build_extensions(self) -> None:
        """Build, and say before how long it takes and after what became of it."""
        if not self.can_compile():
            print(
                "There is no C compiler with Python's headers: the kernels run as ordinary Python, slower.", flush=True
            )
            return
        started = time.perf_counter()
        jobs = self.parallel = self.parallel or os.cpu_count() or 1
        size = len(self.extensions) - 1
        print(
            f"Compiling {size} kernels, {jobs} at a time: a minute or less. CAESURA_PURE=1 leaves it out.", flush=True
        )
        if self.compiler.compiler_type == "msvc":
            flags = ["/Od" if CHECKED else "/O2", "/fp:precise"]
        else:
            # A product and a sum are rounded one after the other on every machine, as uncompiled.
            # Roots of several numbers at once: no kernel asks afterwards whether one was negative.
            flags = ["-O1" if CHECKED else "-O3", "-g0", "-ffp-contract=off", "-fno-math-errno"]
        sources = _translated(self.extensions, jobs)
        for extension in self.extensions:
            extension.sources = sources[extension.name]
            extension.extra_compile_args = flags
            # Nobody debugs what Cython wrote, and a wheel with its symbols is larger.
            extension.extra_link_args = ["-Wl,-s"] if sys.platform == "linux" else []
            if extension.name == SHARED and not CHECKED and "-O3" in flags:
                # Taking a view of memory is not where the time goes: a third of the size, and half the time to compile.
                extension.extra_compile_args = ["-Os", *flags[1:]]
        super().build_extensions()
        built = [path for path in (Path(self.get_ext_fullpath(each.name)) for each in self.extensions) if path.exists()]
        if len(built) == len(self.extensions):
            print(f"Compiled {size} kernels in {time.perf_counter() - started:.0f} s.", flush=True)
            return
        for path in built:  # none works without what they share
            path.unlink()
        print("The kernels could not be compiled (see above); they run as ordinary Python, slower.", flush=True)

    def can_compile(self) -> bool:
        """Try a file of one line, so that a machine without a compiler does not translate all kernels for nothing."""
        with tempfile.TemporaryDirectory() as folder:
            probe = Path(folder) / "probe.c"
            probe.write_text("#include <Python.h>\n")
            try:
                self.compiler.compile([str(probe)], output_dir=folder)
            except (CCompilerError, ExecError, PlatformError):
                return False
        return True


def _translated(extensions: list[Extension], jobs: int) -> dict[str, list[str]]:
    """Return the C sources of each extension, by its name, after Cython has written them."""
    from Cython.Build import cythonize

    written = cythonize(
        extensions,
        nthreads=jobs,
        shared_utility_qualified_name=SHARED,
        compiler_directives={
            "language_level": 3,
            "boundscheck": CHECKED,
            "wraparound": False,
            "cdivision": True,
            "initializedcheck": CHECKED,
        },
        build_dir="build/cython-checked" if CHECKED else "build/cython",
    )
    return {each.name: each.sources for each in written}


def extensions() -> list[Extension]:
    """Return one optional extension per kernel file and one for what they share, or none when they cannot be compiled here."""
    if os.environ.get("CAESURA_PURE") == "1":
        return []
    try:
        import Cython  # noqa: F401
    except ImportError:
        return []
    kernels = [
        Extension(
            f"caesura.kernels.{path.stem}",
            [path.as_posix()],
            include_dirs=[KERNELS.as_posix()],
            depends=[(KERNELS / file).as_posix() for file in ("_bits.h", "_bits.pxd")],
            optional=True,
        )
        for path in sorted(KERNELS.glob("*.py"))
        if not path.stem.startswith("_")
    ]
    # Cython writes the source of what is shared.
    return [Extension(SHARED, [], optional=True), *kernels]


setup(ext_modules=extensions(), cmdclass={"build_ext": BuildKernels})
