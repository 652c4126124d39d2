# SPDX-License-Identifier: Apache-2.0
"""Compile the floors into a temporary folder, with the options of the kernels, and load them."""

from __future__ import annotations

import contextlib
import functools
import importlib.util
import io
import shutil
import tempfile
from pathlib import Path
from types import ModuleType

__all__ = ["FloorsUnavailableError", "compiled_floors"]

DIRECTIVES = {
    "language_level": 3,
    "boundscheck": False,
    "wraparound": False,
    "cdivision": True,
    "initializedcheck": False,
}


class FloorsUnavailableError(RuntimeError):
    """The floors cannot be compiled here; the message says why."""


@functools.cache
def compiled_floors() -> ModuleType:
    """Return the compiled module of `benchmarks.floors`."""
    folder = Path(tempfile.mkdtemp(prefix="floors-"))
    try:
        return _load(_build(folder))
    finally:
        # A loaded library stays mapped after its file is gone.
        shutil.rmtree(folder, ignore_errors=True)


def _build(folder: Path) -> Path:
    try:
        from Cython.Build import cythonize
        from setuptools import Distribution, Extension
    except ImportError as error:
        raise FloorsUnavailableError(f"{error.name} is not installed") from None
    source = shutil.copy(Path(__file__).with_name("floors.py"), folder / "floors.py")
    silent = io.StringIO()
    try:
        with contextlib.redirect_stdout(silent), contextlib.redirect_stderr(silent):
            extension = Extension("floors", [str(source)], extra_compile_args=["-O3"])
            modules = cythonize([extension], compiler_directives=DIRECTIVES, quiet=True)
            build = Distribution({"ext_modules": modules}).get_command_obj("build_ext")
            build.build_lib = build.build_temp = str(folder)
            build.ensure_finalized()
            build.run()
    except Exception as error:
        raise FloorsUnavailableError(f"no working compiler ({type(error).__name__})") from error
    return next(path for path in folder.rglob("floors*") if path.suffix in (".so", ".pyd"))


def _load(library: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("floors", library)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
