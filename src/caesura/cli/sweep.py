# SPDX-License-Identifier: Apache-2.0
"""Trace quality over all thresholds of a scorer, and pick one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from caesura.cli import _options as opt
from caesura.cli._help import Command, What
from caesura.cli._output import Outputs, echo_note, refuse_given

if TYPE_CHECKING:
    from caesura.tuning.curves import Sweep
    from caesura.tuning.policy import Policy

GROUP = "Choose a threshold"

_WITH_REFERENCE = ("profile", "against", "target_bor", "purity_floor")
_WITHOUT_REFERENCE = ("encoder", "max_tokens", "over", "draws", "cache", "allow_download")


@click.command("sweep", cls=Command)
@click.argument("reference", type=click.Path())
@opt.systems_argument("scorers")
@opt.metric_option(
    "Score this metric; repeatable [BOR with F1, W-F1 by both matchings, Purity, Coverage; with --no-reference "
    "Support, Placement, ARPpair, Silhouette]."
)
@opt.profile_option
@opt.against_option
@click.option("--thresholds", help="Thresholds: FIRST:LAST:STEP, or values with commas [0.05:0.95:0.05].")
@opt.number_option("--quantiles", "Take this many thresholds, at equal steps of each scorer's distribution.", minimum=2)
@opt.min_gap_option
@opt.resamples_option
@opt.seed_option
@click.option("--target-bor", cls=What, type=float, help="Choose the threshold whose BOR is nearest to this.")
@click.option(
    "--best",
    cls=What,
    help="Choose the threshold with the best value of this metric; with --no-reference, recommend by this metric.",
)
@click.option(
    "--purity-floor", cls=What, type=float, help="Choose the best coverage among thresholds with at least this purity."
)
@click.option(
    "--max-units",
    cls=What,
    type=float,
    help="Choose the highest threshold with at most this many units per segment on average; with --no-reference, "
    "limit the length of every segment.",
)
@click.option(
    "--scorer", cls=What, help="Choose a point for this scorer [the only one; with --no-reference, every one]."
)
@click.option(
    "--no-reference",
    cls=What,
    is_flag=True,
    help="Measure cohesion: read the texts of REFERENCE, not its boundaries (they only test the metric), and recommend a threshold.",
)
@click.option("--encoder", help="With --no-reference: encoder, such as onnx:minilm or npz:FILE [default].")
@opt.number_option("--max-tokens", "With --no-reference: maximum words per segment.")
@click.option(
    "--over",
    type=click.FloatRange(0, 1),
    help="With --no-reference: share of segments that may be longer than the limits [0.05].",
)
@opt.number_option("--draws", "With --no-reference: random segmentations per threshold [30].", minimum=2)
@opt.encoding_options
@opt.file_option("--save-policy", what="Write the chosen point as JSON, for caesura select --policy.")
@opt.reading_options
@opt.match_option
@opt.output_options(figure="Draw all curves with their bands")
def command(
    reference: str,
    scorers: dict[str, str],
    metrics: list[str] | None,
    thresholds: str | None,
    target_bor: float | None,
    best: str | None,
    purity_floor: float | None,
    max_units: float | None,
    scorer: str | None,
    no_reference: bool,
    encoder: str | None,
    save_policy: str | None,
    outputs: Outputs,
    **call: Any,
) -> None:
    """Score every threshold of SCORERS (files with one score per gap) against REFERENCE, with intervals.

    With --no-reference, measure cohesion over segments per 100 units instead, and recommend a threshold.

    \b
    caesura sweep dev.jsonl scores.jsonl --min-gap 3
    caesura sweep dev.jsonl a.jsonl b.jsonl --quantiles 50 -m W-F1 -m Coverage
    caesura sweep dev.jsonl scores.jsonl --target-bor 1 --save-policy policy.json
    caesura sweep dev.jsonl a.jsonl b.jsonl -o results.json --figure curves.svg
    caesura sweep annotated.jsonl scores.jsonl --against annotators
    caesura sweep docs.jsonl scores.jsonl --no-reference --max-tokens 512
    """  # noqa: D301  (click wants the backspace itself)
    criteria = {"target_bor": target_bor, "best": best, "purity_floor": purity_floor, "max_units": max_units}
    choosing = any(value is not None for value in criteria.values())
    _check_options(no_reference, choosing, list(scorers), scorer, max_units)
    if no_reference:
        call |= {"reference": None, "max_units": None if max_units is None else int(max_units)}
    from caesura.cli._progress import progress_bar
    from caesura.results.sweep.tables import choice_lines
    from caesura.tuning.sweep import sweep

    with progress_bar("sweeping", "thresholds") as progress:
        swept = sweep(
            reference, scorers, metrics, thresholds=_grid(thresholds), encoder=encoder, progress=progress, **call
        )
    policies: list[Policy] = []
    if no_reference:
        policies = _recommended(swept, scorer, best, save_policy is not None)
    elif choosing:
        policies = [swept.policy(scorer, **criteria)]  # type: ignore[arg-type]
    results = swept.results()
    files: dict[str, bytes] = {}
    if save_policy is not None:
        files[save_policy] = policies[0].encode()
    outputs.finish(results, swept, files)
    if outputs.output_format in ("csv", "latex", "markdown"):
        # These are read by programs, which leave out the lines below a table.
        for line in choice_lines(results):
            echo_note(f"{line[:1].lower()}{line[1:]}")


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
        refuse_given(_WITHOUT_REFERENCE, "needs --no-reference")
        if not choosing:
            criteria = "--target-bor, --best, --purity-floor or --max-units"
            refuse_given(["save_policy", "scorer"], f"needs a choice: {criteria}")
    if scorer is not None and scorer not in names:
        from caesura.declare import nearest

        raise click.UsageError(f"there is no scorer {scorer!r}; {nearest(scorer, names)}")


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
            if swept.without_reference is None or name not in swept.without_reference.checks:
                echo_note(f"nothing is recommended: {error}")  # otherwise the answer says so
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
