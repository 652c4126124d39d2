# SPDX-License-Identifier: Apache-2.0
"""Report what is installed, compiled, and missing."""

from __future__ import annotations

import click

from caesura.cli import _options as opt
from caesura.cli._help import Command
from caesura.cli._output import say, show

GROUP = "Look"


@click.command("doctor", cls=Command)
@opt.format_option
def command(output_format: str) -> None:
    """Report the version, whether the kernels are compiled, and which optional parts are installed."""
    import platform
    from importlib.metadata import PackageNotFoundError, version

    from caesura._version import DISTRIBUTION, __version__
    from caesura.kernels import compiled
    from caesura.table import Column, Table

    def state(package: str, missing: str) -> str:
        try:
            return version(package)
        except PackageNotFoundError:
            return missing

    again = f"missing: reinstall {DISTRIBUTION}"
    rows = [
        ["caesura", __version__],
        ["python", f"{platform.python_version()} on {platform.system()} {platform.machine()}"],
        ["kernels", "compiled" if compiled() else "uncompiled; install a C compiler and reinstall"],
    ]
    # On the package index `caesura` is another project, whose import name is ours.
    other = state("caesura", "")
    if other:
        rows.append(["other package", f"caesura {other}, same import name"])
    parts = _parts()
    required = [package for package, extra in parts if not extra]
    rows += [[package, state(package, again)] for package in required]
    for package, extra in parts:
        if extra:
            missing = f"not installed: pip install '{DISTRIBUTION}[{extra}]'"
            rows.append([f"{package} [{extra}]", state(package, missing)])
    if output_format == "table":
        lacking = sum(state.startswith("not installed") for _, state in rows)
        broken = [part for part, state in rows if state.startswith("missing")]
        optional = f"{lacking} of {len(parts) - len(required)} optional parts are not installed"
        works = f"{', '.join(broken)} {again}" if broken else "Everything required is there"
        mixed = (
            f"Another package, caesura {other}, has the same import name, and each replaces files of the other; run: "
            f"pip uninstall caesura, then pip install --force-reinstall --no-deps {DISTRIBUTION}."
        )
        say((f"{works}; {optional}.", *([mixed] if other else [])), output_format)
        click.echo()
    show(Table([Column("part"), Column("state")], rows), output_format)


def _parts() -> list[tuple[str, str]]:
    """Return the packages that the installed distribution names, each with its extra, or none if it is required."""
    import re
    from importlib.metadata import PackageNotFoundError, requires

    from caesura._version import DISTRIBUTION

    try:
        named = requires(DISTRIBUTION) or []
    except PackageNotFoundError:  # run from its source
        return []
    found = [re.match(r"([\w.-]+)(?:.*extra == ['\"]([\w-]+))?", each) for each in named]
    return [(each[1], each[2] or "") for each in found if each is not None]
