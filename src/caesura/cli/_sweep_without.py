# SPDX-License-Identifier: Apache-2.0
"""``caesura sweep --no-reference``: curves of cohesion, and a threshold recommended without gold."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from caesura.cli._output import print_json, show_all
from caesura.errors import ComparabilityError

if TYPE_CHECKING:
    from caesura.tuning.policy import Policy

__all__ = ["Without", "sweep_without"]


@dataclasses.dataclass(frozen=True)
class Without:
    """What the command line says of a sweep without a reference."""

    encoder: str
    max_units: float | None
    max_tokens: int | None
    over: float
    draws: int
    best: str | None
    scorer: str | None
    save_policy: str | None
    figure: str | None
    figure_kind: str
    output_format: str


def sweep_without(documents: str, files: dict[str, str], asked: Without, **options: Any) -> None:
    """Sweep, write what is to be written, print, and say what is recommended."""
    from caesura.cli._progress import progress_bar
    from caesura.files import write_together
    from caesura.tuning.free_sweep import LengthLimits, sweep_without_reference

    if asked.save_policy is not None and asked.scorer is None and len(files) > 1:
        raise click.UsageError("--save-policy with several scorers needs --scorer")
    units = asked.max_units
    if units is not None and not (1 <= units < 1 << 40 and units == int(units)):
        raise click.UsageError("--max-units must be a whole number from 1 on with --no-reference")
    with progress_bar("sweeping", "thresholds") as progress:
        result = sweep_without_reference(
            documents,
            files,
            encoder=asked.encoder,
            limits=LengthLimits(None if units is None else int(units), asked.max_tokens, asked.over),
            draws=asked.draws,
            progress=progress,
            **options,
        )
    if asked.scorer is not None and asked.scorer not in result.scores:
        raise ComparabilityError(f"{asked.scorer!r} is no scorer; there are {', '.join(result.scores)}")
    wanted = [asked.scorer] if asked.scorer is not None else list(result.scores)
    policies: dict[str, Policy] = {}
    refused: dict[str, ComparabilityError] = {}
    for name in wanted:
        try:
            policies[name] = result.recommended(name, asked.best)
        except ComparabilityError as error:
            refused[name] = error
    if refused and asked.save_policy is not None:
        raise next(iter(refused.values()))
    outputs: dict[str | Path, bytes] = {}
    if asked.save_policy is not None:
        outputs[asked.save_policy] = policies[wanted[0]].encode()
    if asked.figure is not None:
        from caesura.reports.figures.base import render_figure
        from caesura.reports.figures.free_sweep import free_sweep_figure

        specification = free_sweep_figure(result, policies)
        outputs[asked.figure] = render_figure(specification, asked.figure_kind, title="Density and cohesion")
    write_together(outputs)
    if asked.output_format == "json":
        print_json({**result.to_dict(), "recommended": policies})
        _say(refused)
        return
    show_all(result.tables(), asked.output_format)
    _say(refused)
    table = asked.output_format == "table"
    for place, (name, policy) in enumerate(policies.items()):
        chosen = f"{name}: {policy.selector} ({policy.why})"
        gap = "\n" if place == 0 else ""
        click.echo(
            f"{gap}Recommended for {chosen}" if table else f"caesura: note: recommended for {chosen}",
            err=not table,
        )


def _say(refused: dict[str, ComparabilityError]) -> None:
    for error in refused.values():
        click.echo(f"caesura: note: nothing is recommended: {error}", err=True)
