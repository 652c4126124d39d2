# SPDX-License-Identifier: Apache-2.0
"""``caesura sweep``: density-quality curves, and the operating point chosen on them."""

from __future__ import annotations

from pathlib import Path

import click

from caesura.cli._options import (
    encoding_options,
    force_option,
    metric_option,
    resamples_option,
    seed_option,
)
from caesura.cli._output import (
    complete_profiles,
    format_option,
    named_files,
    print_json,
    refuse_existing,
    refuse_given,
    show_all,
    vector_files,
)

__all__ = ["command"]

_WITH_REFERENCE = ("profile", "target_bor", "purity_floor")
_WITHOUT_REFERENCE = ("encoder", "max_tokens", "over", "draws", "no_cache", "allow_download")


@click.command("sweep")
@click.argument("reference", type=click.Path())
@click.argument("scorers", nargs=-1, required=True)
@metric_option("A metric beside BOR; repeatable [F1, W-F1 by both matchings, Purity, Coverage].")
@click.option(
    "--profile",
    shell_complete=complete_profiles,
    default="caesura",
    show_default=True,
    help="Whose conventions hold; metrics --profiles lists them.",
)
@click.option("--thresholds", help="A grid FIRST:LAST:STEP, or values with commas [0.05:0.95:0.05].")
@click.option(
    "--quantiles",
    type=click.IntRange(min=2),
    help="This many thresholds at equal steps of each scorer's own distribution.",
)
@click.option(
    "--min-gap",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    help="Least distance of two boundaries.",
)
@resamples_option
@seed_option
@click.option("--target-bor", type=float, help="Choose the threshold whose BOR is nearest to this.")
@click.option("--best", help="Choose the threshold with the best value of this metric.")
@click.option("--purity-floor", type=float, help="Choose the best coverage with at least this purity.")
@click.option(
    "--max-units",
    type=float,
    help="Choose the highest threshold with segments of at most this many units on average; with --no-reference the "
    "limit of every segment.",
)
@click.option(
    "--no-reference",
    is_flag=True,
    help="Sweep cohesion instead: REFERENCE gives the texts, no boundaries are read.",
)
@click.option(
    "--encoder",
    default="default",
    show_default=True,
    help="With --no-reference: whose vectors, such as onnx:minilm or npz:FILE.",
)
@click.option(
    "--max-tokens", type=click.IntRange(min=1), help="With --no-reference: most words of a segment."
)
@click.option(
    "--over",
    type=click.FloatRange(0, 1),
    default=0.05,
    show_default=True,
    help="With --no-reference: the share of segments that may be longer than the limits.",
)
@click.option(
    "--draws",
    type=click.IntRange(min=2),
    default=30,
    show_default=True,
    help="With --no-reference: random segmentations per threshold.",
)
@encoding_options
@click.option("--scorer", help="For which scorer a point is chosen [the only one].")
@click.option(
    "--save-policy",
    type=click.Path(dir_okay=False),
    help="Write the chosen point as JSON, for caesura select --policy.",
)
@click.option(
    "--figure",
    type=click.Path(dir_okay=False),
    help="Draw the curves of all scorers with their bands: FILE.svg, .png, .html (one offline page) or .json (Vega-Lite).",
)
@format_option
@click.option("--from", "from_format", help="The format of all files [detected].")
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
    no_reference: bool,
    encoder: str,
    max_tokens: int | None,
    over: float,
    draws: int,
    no_cache: bool,
    allow_download: bool,
    scorer: str | None,
    save_policy: str | None,
    figure: str | None,
    output_format: str,
    from_format: str | None,
    force: bool,
) -> None:
    """Score every threshold of SCORERS (files with one score per gap) against REFERENCE, with intervals.

    With --no-reference cohesion is swept over segments per 100 units, and a threshold is recommended.

    \b
    caesura sweep dev.jsonl scores.jsonl --min-gap 3
    caesura sweep dev.jsonl a.jsonl b.jsonl --quantiles 50 -m W-F1 -m Coverage
    caesura sweep dev.jsonl scores.jsonl --target-bor 1.0 --save-policy policy.json
    caesura sweep dev.jsonl a.jsonl b.jsonl --figure curves.svg
    caesura sweep docs.jsonl scores.jsonl --no-reference --max-tokens 512 --save-policy policy.json
    """  # noqa: D301  (click wants the backspace itself)
    files = named_files(scorers)
    read = [reference, *files.values(), *(vector_files(encoder) if no_reference else ())]
    refuse_existing(save_policy, figure, force=force, inputs=read)
    if no_reference:
        refuse_given(_WITH_REFERENCE, "needs a reference; leave out --no-reference")
    else:
        refuse_given(_WITHOUT_REFERENCE, "belongs to --no-reference")
    kind = ""
    if figure is not None:
        from caesura.reports.figures.base import figure_kind

        # Asked before any work is done: the name may be wrong, the part that draws missing.
        kind = figure_kind(figure)
    if no_reference:
        if target_bor is not None or purity_floor is not None:
            raise click.UsageError(
                "--target-bor and --purity-floor need a reference; leave out --no-reference"
            )
        from caesura.cli._sweep_without import Without, sweep_without

        sweep_without(
            reference,
            files,
            Without(
                encoder,
                max_units,
                max_tokens,
                over,
                draws,
                best,
                scorer,
                save_policy,
                figure,
                kind,
                output_format,
            ),
            metrics=list(metrics) or None,
            thresholds=_grid(thresholds),
            quantiles=quantiles,
            min_gap=min_gap,
            resamples=resamples,
            seed=seed,
            cache=False if no_cache else None,
            allow_download=allow_download,
            format=from_format,
        )
        return
    choosing = [value for value in (target_bor, best, purity_floor, max_units) if value is not None]
    if save_policy is not None and not choosing:
        raise click.UsageError(
            "--save-policy needs a choice: --target-bor, --best, --purity-floor or --max-units"
        )
    from caesura.files import write_together
    from caesura.tuning.sweep import sweep

    result = sweep(
        reference,
        files,
        list(metrics) or None,
        thresholds=_grid(thresholds),
        quantiles=quantiles,
        min_gap=min_gap,
        resamples=resamples,
        seed=seed,
        profile=profile,
        format=from_format,
    )
    policy = None
    if choosing:
        policy = result.policy(
            scorer, target_bor=target_bor, best=best, purity_floor=purity_floor, max_units=max_units
        )
    outputs: dict[str | Path, bytes] = {}
    if policy is not None and save_policy is not None:
        outputs[save_policy] = policy.encode()
    if figure is not None:
        from caesura.reports.figures.base import render_figure
        from caesura.reports.figures.sweep import sweep_figure

        outputs[figure] = render_figure(sweep_figure(result, policy), kind, title="Density and quality")
    write_together(outputs)
    if output_format == "json":
        print_json({**result.to_dict(), **({} if policy is None else {"policy": policy})})
        return
    show_all(result.tables(), output_format)
    if policy is not None:
        # Other formats are read by programs: the choice is said beside them.
        chosen = f"{policy.scorer}: {policy.selector} ({policy.why})"
        table = output_format == "table"
        click.echo(
            f"\nChosen for {chosen}" if table else f"caesura: note: chosen for {chosen}", err=not table
        )


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
