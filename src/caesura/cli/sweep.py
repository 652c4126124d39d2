# SPDX-License-Identifier: Apache-2.0
"""``caesura sweep``: density-quality curves, and the operating point chosen on them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from caesura.cli._options import (
    encoding_options,
    force_option,
    metric_option,
    output_option,
    reading_options,
    resamples_option,
    seed_option,
)
from caesura.cli._output import (
    complete_profiles,
    format_option,
    named_files,
    refuse_existing,
    refuse_given,
    show_results,
    vector_files,
)

if TYPE_CHECKING:
    from caesura.tuning.curves import Sweep
    from caesura.tuning.policy import Policy

__all__ = ["command"]

_WITH_REFERENCE = ("profile", "target_bor", "purity_floor")
_WITHOUT_REFERENCE = ("encoder", "max_tokens", "over", "draws", "no_cache", "allow_download")


@click.command("sweep")
@click.argument("reference", type=click.Path())
@click.argument("scorers", nargs=-1, required=True)
@metric_option(
    "A metric; repeatable [BOR with F1, W-F1 by both matchings, Purity, Coverage; with --no-reference ARPpair, "
    "Silhouette, SegReFree]."
)
@click.option(
    "--profile",
    shell_complete=complete_profiles,
    default="caesura",
    show_default=True,
    help="Follow the conventions of a profile; caesura metrics --profiles lists them.",
)
@click.option(
    "--thresholds", help="Set the thresholds: FIRST:LAST:STEP, or values with commas [0.05:0.95:0.05]."
)
@click.option(
    "--quantiles",
    type=click.IntRange(min=2),
    help="Take this many thresholds at equal steps of each scorer's own distribution.",
)
@click.option(
    "--min-gap",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    help="Set the minimum distance between two boundaries.",
)
@resamples_option
@seed_option
@click.option("--target-bor", type=float, help="Choose the threshold whose BOR is nearest to this.")
@click.option(
    "--best",
    help="Choose the threshold with the best value of this metric; with --no-reference, recommend by this metric.",
)
@click.option(
    "--purity-floor", type=float, help="Choose the best coverage among thresholds with at least this purity."
)
@click.option(
    "--max-units",
    type=float,
    help="Choose the highest threshold with at most this many units per segment on average; with --no-reference, "
    "limit the length of every segment.",
)
@click.option(
    "--scorer", help="Choose a point for this scorer [the only one; with --no-reference, every one]."
)
@click.option(
    "--no-reference",
    is_flag=True,
    help="Sweep cohesion: read the texts of REFERENCE, not its boundaries, and recommend a threshold.",
)
@click.option("--encoder", help="With --no-reference: encoder, such as onnx:minilm or npz:FILE [default].")
@click.option(
    "--max-tokens", type=click.IntRange(min=1), help="With --no-reference: maximum words per segment."
)
@click.option(
    "--over",
    type=click.FloatRange(0, 1),
    help="With --no-reference: share of segments that may be longer than the limits [0.05].",
)
@click.option(
    "--draws",
    type=click.IntRange(min=2),
    help="With --no-reference: random segmentations per threshold [30].",
)
@encoding_options
@output_option("Write the results file (JSON).")
@click.option(
    "--save-policy",
    type=click.Path(dir_okay=False),
    help="Write the chosen point as JSON, for caesura select --policy.",
)
@click.option(
    "--figure",
    type=click.Path(dir_okay=False),
    help="Draw all curves with their bands: FILE.svg, .png, .html (one offline page) or .json (Vega-Lite).",
)
@format_option
@reading_options
@force_option
def command(
    reference: str,
    scorers: tuple[str, ...],
    metrics: tuple[str, ...],
    profile: str,
    thresholds: str | None,
    quantiles: int | None,
    min_gap: int,
    resamples: int,
    seed: int,
    target_bor: float | None,
    best: str | None,
    purity_floor: float | None,
    max_units: float | None,
    scorer: str | None,
    no_reference: bool,
    encoder: str | None,
    max_tokens: int | None,
    over: float | None,
    draws: int | None,
    no_cache: bool,
    allow_download: bool,
    output: str | None,
    save_policy: str | None,
    figure: str | None,
    output_format: str,
    from_format: str | None,
    strict: bool,
    force: bool,
) -> None:
    """Score every threshold of SCORERS (files with one score per gap) against REFERENCE, with intervals.

    With --no-reference, sweep cohesion over segments per 100 units and recommend a threshold.

    \b
    caesura sweep dev.jsonl scores.jsonl --min-gap 3
    caesura sweep dev.jsonl a.jsonl b.jsonl --quantiles 50 -m W-F1 -m Coverage
    caesura sweep dev.jsonl scores.jsonl --target-bor 1.0 --save-policy policy.json
    caesura sweep dev.jsonl a.jsonl b.jsonl -o results.json --figure curves.svg
    caesura sweep docs.jsonl scores.jsonl --no-reference --max-tokens 512 --save-policy policy.json
    """  # noqa: D301  (click wants the backspace itself)
    files = named_files(scorers)
    refuse_existing(
        output, save_policy, figure, force=force, inputs=[reference, *files.values(), *vector_files(encoder)]
    )
    choosing = any(value is not None for value in (target_bor, best, purity_floor, max_units))
    _check_options(no_reference, choosing, list(files), scorer, max_units)
    kind = _figure_kind(figure)
    from caesura.cli._progress import progress_bar
    from caesura.files import write_together
    from caesura.results import as_text
    from caesura.results.tables.sweep import choice_lines
    from caesura.tuning.sweep import sweep

    with progress_bar("sweeping", "thresholds") as progress:
        swept = sweep(
            reference,
            files,
            list(metrics) or None,
            **({"reference": None} if no_reference else {}),
            thresholds=_grid(thresholds),
            quantiles=quantiles,
            min_gap=min_gap,
            resamples=resamples,
            seed=seed,
            profile=profile,
            encoder=encoder,
            max_units=int(max_units) if no_reference and max_units is not None else None,
            max_tokens=max_tokens,
            over=over,
            draws=draws,
            cache=False if no_cache else None,
            allow_download=allow_download,
            format=from_format,
            strict=strict,
            progress=progress,
        )
    policies: list[Policy] = []
    if no_reference:
        policies = _recommended(swept, scorer, best, save_policy is not None)
    elif choosing:
        policies = [
            swept.policy(
                scorer, target_bor=target_bor, best=best, purity_floor=purity_floor, max_units=max_units
            )
        ]
    results = swept.results()
    outputs: dict[str | Path, bytes] = {}
    if output is not None:
        outputs[output] = (as_text(results) + "\n").encode()
    if save_policy is not None:
        outputs[save_policy] = policies[0].encode()
    if figure is not None:
        from caesura.reports.figures.base import render_figure
        from caesura.reports.figures.sweep import sweep_figure

        specification = sweep_figure(results)
        outputs[figure] = render_figure(specification, kind, title=specification["title"]["text"])
    write_together(outputs)
    show_results(results, output_format)
    if output_format in ("csv", "latex", "markdown"):
        # These are read by programs, which leave out the lines below a table.
        for line in choice_lines(results):
            click.echo(f"caesura: note: {line[:1].lower()}{line[1:]}", err=True)


def _check_options(
    no_reference: bool, choosing: bool, names: list[str], scorer: str | None, max_units: float | None
) -> None:
    """Refuse options that do not belong together."""
    if no_reference:
        refuse_given(_WITH_REFERENCE, "needs a reference; leave out --no-reference")
        if max_units is not None and not (1 <= max_units < 1 << 40 and max_units == int(max_units)):
            raise click.UsageError("--max-units must be a whole number of at least 1 with --no-reference")
        if len(names) > 1 and scorer is None:
            refuse_given(["save_policy"], "needs --scorer when there are several scorers")
    else:
        refuse_given(_WITHOUT_REFERENCE, "belongs to --no-reference")
        if not choosing:
            criteria = "--target-bor, --best, --purity-floor or --max-units"
            refuse_given(["save_policy", "scorer"], f"needs a choice: {criteria}")
    if scorer is not None and scorer not in names:
        from caesura.declare import nearest

        raise click.UsageError(f"there is no scorer {scorer!r}; {nearest(scorer, names)}")


def _figure_kind(figure: str | None) -> str:
    """Return the kind of a figure, before any work is done: its name may be wrong, the part that draws missing."""
    if figure is None:
        return ""
    from caesura.reports.figures.base import figure_kind

    return figure_kind(figure)


def _recommended(swept: Sweep, scorer: str | None, best: str | None, required: bool) -> list[Policy]:
    """Return a recommended point per scorer; say for which there is none, or fail if one is required."""
    from caesura.errors import ComparabilityError

    policies = []
    for name in [scorer] if scorer is not None else list(swept.scores):
        try:
            policies.append(swept.recommended(name, best))
        except ComparabilityError as error:
            if required:
                raise
            click.echo(f"caesura: note: nothing is recommended: {error}", err=True)
    return policies


def _grid(text: str | None) -> list[float] | None:
    """Read FIRST:LAST:STEP or a list of numbers."""
    from caesura.errors import ComparabilityError

    if text is None:
        return None
    wrong = ComparabilityError(
        f"thresholds {text!r} cannot be read; write FIRST:LAST:STEP such as 0.05:0.95:0.05, or numbers with commas"
    )
    try:
        numbers = [float(part) for part in text.replace(",", ":").split(":")]
    except ValueError:
        raise wrong from None
    if ":" not in text:
        return numbers
    if len(numbers) != 3 or "," in text:
        raise wrong
    first, last, step = numbers
    if not step > 0 or last < first or (last - first) / step > 100_000:
        raise wrong
    # Steps are counted, not added up, so that the last threshold is not lost to rounding.
    return [round(first + place * step, 12) for place in range(round((last - first) / step) + 1)]
