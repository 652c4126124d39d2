# SPDX-License-Identifier: Apache-2.0
"""``caesura select``: boundaries from scores, of files or of a live stream."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import click

from caesura.cli._options import force_option
from caesura.cli._output import format_option, refuse_existing, refuse_given, show_results

if TYPE_CHECKING:
    from caesura.corpus import Corpus
    from caesura.selectors import AdaptiveSelector, Selector
    from caesura.statistics.calibration import Temperature

__all__ = ["command"]

_STREAM_HORIZON = 50


@click.command("select")
@click.argument("scores", type=click.Path(), required=False)
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False),
    help="Write the segmentations to this file [standard output, as JSON lines].",
)
@click.option("--threshold", type=float, help="Select gaps whose score reaches this.")
@click.option("--top-k", type=click.IntRange(min=0), help="Select the k best gaps of each document.")
@click.option("--per-100", type=float, help="Select this many boundaries per 100 units.")
@click.option("--selector", "text", help="Use any selector, such as 'DeviationSelector(alpha=1.0)'.")
@click.option(
    "--min-gap",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    help="Set the minimum distance between two boundaries.",
)
@click.option("--policy", type=click.Path(), help="Apply a policy that caesura sweep saved.")
@click.option(
    "--temperature",
    type=click.Path(),
    help="Convert logits to probabilities with a temperature that caesura calibrate saved.",
)
@click.option(
    "--adaptive",
    is_flag=True,
    help="Follow a target rate; without SCORES, read one score per line from standard input.",
)
@click.option("--rate", type=float, help="With --adaptive: the target share of gaps that become boundaries.")
@click.option(
    "--horizon",
    type=click.IntRange(min=1),
    default=_STREAM_HORIZON,
    show_default=True,
    help="With --adaptive: number of steps after which a candidate is dropped.",
)
@click.option(
    "--stream-report",
    is_flag=True,
    help="With --adaptive and SCORES: print delay, rate error and regret instead of boundaries.",
)
@click.option(
    "--reference", type=click.Path(), help="With --stream-report: score against these segmentations."
)
@click.option(
    "--results",
    "results_file",
    type=click.Path(dir_okay=False),
    help="With --stream-report: write the results file (JSON).",
)
@format_option
@click.option("--from", "from_format", help="Read SCORES in this format [detected].")
@force_option
def command(
    scores: str | None,
    output: str | None,
    threshold: float | None,
    top_k: int | None,
    per_100: float | None,
    text: str | None,
    min_gap: int,
    policy: str | None,
    temperature: str | None,
    adaptive: bool,
    rate: float | None,
    horizon: int,
    stream_report: bool,
    reference: str | None,
    results_file: str | None,
    output_format: str,
    from_format: str | None,
    force: bool,
) -> None:
    """Turn the scores of SCORES (one per gap, key "scores") into boundaries.

    \b
    caesura select scores.jsonl --threshold 0.5 --min-gap 3 -o system.jsonl
    caesura select scores.jsonl --per-100 12
    caesura select logits.jsonl --temperature temperature.json --threshold 0.5
    model | caesura select --adaptive --rate 0.12 --min-gap 2

    On a stream, each boundary is printed as soon as it is committed: the gap, and the line at which it was committed.
    """  # noqa: D301  (click wants the backspace itself)
    from caesura.selectors import AdaptiveSelector

    if policy is not None:
        if any(x is not None for x in (threshold, top_k, per_100, text)) or adaptive:
            raise click.UsageError("--policy says how to select; leave out the other options")
        refuse_given(["min_gap"], "is not used with --policy, which says how to select; leave it out")
    if text is not None:
        refuse_given(
            ["min_gap"], "is not used with --selector; write it there: 'LocalMaximaSelector(min_gap=2)'"
        )
    if not adaptive:
        refuse_given(["rate", "horizon"], "belongs to --adaptive")
    if stream_report:
        refuse_given(
            ["output"], "cannot be combined with --stream-report; write the report with --results FILE"
        )
    else:
        refuse_given(["reference", "results_file", "output_format"], "belongs to --stream-report")
    if policy is not None:
        from caesura.tuning.policy import read_policy

        selector = read_policy(policy).make()
    else:
        selector = _selector(
            threshold, top_k, per_100, text, min_gap, rate if adaptive else None, adaptive, horizon
        )
    if scores is None:
        if not isinstance(selector, AdaptiveSelector):
            raise click.UsageError(
                "give a file of scores; only --adaptive reads a stream from standard input"
            )
        refuse_given(["stream_report"], "needs a file of SCORES")
        refuse_given(
            ["output"],
            "cannot be used with a stream, whose boundaries are printed at once; redirect them: > FILE",
        )
        refuse_given(["from_format"], "is the format of a file of SCORES; a stream has one score per line")
        _stream(selector, temperature)
        return
    if stream_report:
        if not isinstance(selector, AdaptiveSelector):
            raise click.UsageError("--stream-report needs --adaptive")
        refuse_existing(
            results_file,
            force=force,
            inputs=[f for f in (scores, reference, policy, temperature) if f is not None],
        )
        logits = None if temperature is None else _load(scores, from_format, temperature)
        _report(logits or scores, selector, reference, from_format, results_file, output_format)
        return
    refuse_existing(output, force=force, inputs=[f for f in (scores, policy, temperature) if f is not None])
    from caesura.formats import save
    from caesura.tuning.selection import select_corpus

    selected = select_corpus(_load(scores, from_format, temperature), selector)
    if output is not None:
        save(selected, output)
        return
    from caesura.formats.jsonl import document_line

    for document in selected:
        click.echo(document_line(document).decode().rstrip("\n"))


def _load(scores: str, from_format: str | None, temperature: str | None) -> Corpus:
    """Read scores, converted to probabilities if there is a temperature."""
    from caesura.formats import load

    corpus = load(scores, from_format)
    if temperature is None:
        return corpus
    from caesura.tuning.calibration import calibrated

    return calibrated(corpus, _temperature(temperature))


def _temperature(path: str) -> Temperature:
    """Read a temperature, and say if it is only a bound."""
    from caesura.tuning.calibration import read_temperature

    temperature = read_temperature(path)
    if not temperature.interior:
        click.echo(f"caesura: note: {path}: no temperature was best ({temperature.reason})", err=True)
    return temperature


def _report(
    scores: Corpus | str,
    selector: AdaptiveSelector,
    reference: str | None,
    from_format: str | None,
    results_file: str | None,
    output_format: str,
) -> None:
    """Print what the selector does on the documents as streams."""
    from caesura.tuning.streams import evaluate_stream

    report = evaluate_stream(scores, selector, reference, format=from_format)
    results = report.results() if results_file is None else report.save(results_file)
    show_results(results, output_format)


def _selector(
    threshold: float | None,
    top_k: int | None,
    per_100: float | None,
    text: str | None,
    min_gap: int,
    rate: float | None,
    adaptive: bool,
    horizon: int,
) -> Selector:
    """Return the selector that the options name."""
    from caesura.selectors import AdaptiveSelector, DensitySelector, StaticSelector, TopKSelector, selector

    ways = [threshold is not None, top_k is not None, per_100 is not None, text is not None, adaptive]
    if sum(ways) != 1:
        raise click.UsageError(
            "say how to select: one of --threshold, --top-k, --per-100, --selector, --policy, --adaptive --rate"
        )
    if text is not None:
        return selector(text)
    if threshold is not None:
        return StaticSelector(threshold=threshold, min_gap=min_gap)
    if top_k is not None:
        return TopKSelector(k=top_k, min_gap=min_gap)
    if per_100 is not None:
        return DensitySelector(per_100_units=per_100, min_gap=min_gap)
    if rate is None:
        raise click.UsageError("--adaptive needs --rate, the target share of gaps that become boundaries")
    return AdaptiveSelector(rate=rate, min_gap=min_gap, horizon=horizon)


def _stream(selector: AdaptiveSelector, temperature: str | None) -> None:
    """Read one score per line, and print each boundary as soon as it is committed."""
    import sys

    from caesura.errors import FormatError

    # Closed by the shell (<&-): main puts an empty stream there, which would look like a stream without scores.
    if sys.__stdin__ is None:
        raise click.UsageError(
            "standard input is closed; pipe one score per line into it, or give a file of scores"
        )
    fitted = None if temperature is None else _temperature(temperature)
    for place, line in enumerate(sys.stdin, start=1):
        if not line.strip():
            continue
        if not line.endswith("\n"):
            # Half a number is a number too: better to leave it than to take 0.7 for 0.73.
            click.echo(
                f"caesura: note: the stream ended in the middle of line {place} ({line!r}), which is ignored",
                err=True,
            )
            break
        try:
            score = float(line)
            if not math.isfinite(score):
                raise ValueError(line)
        except ValueError:
            raise FormatError(
                f"{line.strip()!r} is not a score; write one finite number per line", "standard input", place
            ) from None
        if fitted is not None:
            score = float(fitted.apply([score])[0])
        for gap in selector.push(score):
            click.echo(f"{gap}\t{place}")
            sys.stdout.flush()
