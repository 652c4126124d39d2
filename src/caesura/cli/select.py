# SPDX-License-Identifier: Apache-2.0
"""Turn scores into boundaries, from files or a live stream."""

from __future__ import annotations

import math
import sys
from typing import TYPE_CHECKING

import click

from caesura.cli import _options as opt
from caesura.cli._help import Command, Files, What
from caesura.cli._output import Outputs, echo_note, print_documents, refuse_given

if TYPE_CHECKING:
    from caesura.corpus import Corpus
    from caesura.selectors import AdaptiveSelector, Selector
    from caesura.statistics.calibration import Temperature

GROUP = "Choose a threshold"


@click.command("select", cls=Command)
@click.argument("scores", type=click.Path(), required=False)
@opt.output_option("Write the segmentations to this file [standard output, as JSON lines].")
@click.option("--threshold", cls=What, type=float, help="Select gaps whose score reaches this.")
@opt.number_option("--top-k", "Select the k best gaps of each document.", minimum=0, group=What)
@click.option("--per-100", cls=What, type=float, help="Select this many boundaries per 100 units.")
@click.option("--selector", "text", cls=What, help="Use any selector, such as 'DeviationSelector(alpha=1.0)'.")
@opt.min_gap_option
@click.option("--policy", cls=What, type=click.Path(), help="Apply a policy that caesura sweep saved.")
@click.option(
    "--temperature",
    cls=Files,
    type=click.Path(),
    help="Convert logits to probabilities with a temperature that caesura calibrate saved.",
)
@click.option(
    "--adaptive",
    cls=What,
    is_flag=True,
    help="Follow a target rate; without SCORES, read one score per line from standard input.",
)
@click.option("--rate", type=float, help="With --adaptive: target share of gaps that become boundaries.")
@opt.number_option("--horizon", "With --adaptive: drop a candidate after this many steps.", default=3)
@click.option(
    "--stream-report",
    cls=What,
    is_flag=True,
    help="With --adaptive and SCORES: print delay, rate error and regret instead of boundaries.",
)
@click.option(
    "--reference",
    cls=Files,
    type=click.Path(),
    help="Select as many boundaries per unit as these segmentations have; with --stream-report, score against them.",
)
@opt.against_option
@opt.file_option("--results", "results_file", what="With --stream-report: write the results file (JSON).")
@opt.format_option
@opt.full_option
@click.option("--from", "from_format", cls=Files, metavar="FORMAT", help="Format of SCORES [detected].")
@opt.force_option
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
    against: str,
    results_file: str | None,
    output_format: str,
    full: bool,
    from_format: str | None,
    force: bool,
) -> None:
    """Turn the scores of SCORES (one per gap, key "scores") into boundaries.

    \b
    caesura select scores.jsonl --threshold 0.5 --min-gap 3 -o system.jsonl
    caesura select scores.jsonl --per-100 12
    caesura select scores.jsonl --reference gold.jsonl --against consensus=0.5
    caesura select logits.jsonl --temperature temperature.json --threshold 0.5
    model | caesura select --adaptive --rate 0.12 --min-gap 2

    On a stream, each boundary is printed as soon as it is committed: the gap, and the line at which it was committed.
    """  # noqa: D301  (click wants the backspace itself)
    from caesura.selectors import AdaptiveSelector

    _check_options(policy is not None, text is not None, adaptive, stream_report, reference is not None)
    if reference is not None and not stream_report:
        if any((per_100 is not None, policy is not None)):
            raise click.UsageError("--reference is the density to select at; leave out --per-100 and --policy")
        per_100 = _density(reference, against)
    if policy is not None:
        from caesura.tuning.policy import read_policy

        if adaptive or any(way is not None for way in (threshold, top_k, per_100, text)):
            raise click.UsageError("--policy cannot be combined with another way to select; leave one out")
        selector = read_policy(policy).make()
    else:
        selector = _selector(threshold, top_k, per_100, text, adaptive, rate, min_gap, horizon)
    if scores is None:
        if not isinstance(selector, AdaptiveSelector):
            raise click.UsageError("give a file of scores; only --adaptive reads a stream from standard input")
        _refuse_files_with_a_stream()
        _print_stream(selector, _temperature(temperature))
        return
    if stream_report:
        from caesura.tuning.streams import evaluate_stream

        if not isinstance(selector, AdaptiveSelector):
            raise click.UsageError("--stream-report needs --adaptive")
        outputs = Outputs(output_format, results_file, force=force, full=full)
        logits = scores if temperature is None else _load(scores, from_format, temperature)
        outputs.finish(evaluate_stream(logits, selector, reference, against=against, format=from_format).results())
        return
    from caesura.formats import save
    from caesura.tuning.select import select_corpus

    selected = select_corpus(_load(scores, from_format, temperature), selector)
    if isinstance(selector, AdaptiveSelector):
        _note_rate(selected, selector.rate)
    if output is not None:
        save(selected, output, overwrite=force)
    else:
        print_documents(selected)


def _note_rate(selected: Corpus, rate: float) -> None:
    """Say so if the share of gaps that became boundaries is far from the rate that was asked for."""
    gaps = sum(document.n_units - 1 for document in selected)
    committed = sum(len(document.segmentation.boundaries) for document in selected if document.segmentation)
    if gaps and abs(committed / gaps - rate) > 0.2 * rate:
        echo_note(
            f"{committed / gaps:.3f} of the gaps became boundaries, not the --rate of {rate:g}: each document begins anew, "
            "and short ones end before the threshold has settled; --per-100 keeps a density in each document"
        )


def _density(reference: str, against: str) -> float:
    """Return the boundaries per 100 units of a reference, and say them; of all annotators, the mean over them."""
    from caesura.evaluation.against import density_of
    from caesura.formats import load

    per_100 = density_of(load(reference), against)
    of = reference if against == "boundaries" else f"{reference}, {against}"
    echo_note(f"{of}: {per_100:.3g} boundaries per 100 units; --per-100 {per_100:.4g} selects as many elsewhere")
    return per_100


def _check_options(policy: bool, text: bool, adaptive: bool, stream_report: bool, reference: bool) -> None:
    """Refuse options that would not be used."""
    if policy:
        refuse_given(["min_gap"], "is not used with --policy, which has its own; leave it out")
    if text:
        refuse_given(["min_gap"], "is not used with --selector; write it there: 'LocalMaximaSelector(min_gap=2)'")
    if not adaptive:
        refuse_given(["rate", "horizon"], "needs --adaptive")
    if stream_report:
        refuse_given(["output"], "cannot be combined with --stream-report; write the report with --results FILE")
    else:
        refuse_given(["results_file", "output_format", "full"], "needs --stream-report")
    if not reference:
        refuse_given(["against"], "needs --reference")


def _refuse_files_with_a_stream() -> None:
    refuse_given(["stream_report"], "needs a file of SCORES")
    refuse_given(
        ["output"], "cannot be used with a stream, whose boundaries are printed at once; redirect them: > FILE"
    )
    refuse_given(["from_format"], "is the format of a file of SCORES; a stream has one score per line")


def _load(scores: str, from_format: str | None, temperature: str | None) -> Corpus:
    """Read scores, converted to probabilities if there is a temperature."""
    from caesura.formats import load

    corpus = load(scores, from_format)
    fitted = _temperature(temperature)
    if fitted is None:
        return corpus
    from caesura.tuning.calibrate import calibrated

    return calibrated(corpus, fitted)


def _temperature(path: str | None) -> Temperature | None:
    """Read a temperature if there is one, and say if it is only a bound."""
    if path is None:
        return None
    from caesura.tuning.calibrate import read_temperature

    temperature = read_temperature(path)
    if not temperature.interior:
        echo_note(f"{path}: no temperature was best ({temperature.reason})")
    return temperature


def _selector(
    threshold: float | None,
    top_k: int | None,
    per_100: float | None,
    text: str | None,
    adaptive: bool,
    rate: float | None,
    min_gap: int,
    horizon: int,
) -> Selector:
    """Return the selector that the options name."""
    from caesura.selectors import AdaptiveSelector, DensitySelector, StaticSelector, TopKSelector, selector

    ways = [threshold is not None, top_k is not None, per_100 is not None, text is not None, adaptive]
    if sum(ways) != 1:
        raise click.UsageError(
            "give exactly one of --threshold, --top-k, --per-100, --reference, --selector, --policy, --adaptive --rate"
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


def _print_stream(selector: AdaptiveSelector, temperature: Temperature | None) -> None:
    """Read one score per line, and print each boundary as soon as it is committed."""
    from caesura.errors import FormatError

    # Closed by the shell (<&-): main puts an empty stream there, which would look like a stream without scores.
    if sys.__stdin__ is None:
        raise click.UsageError("standard input is closed; pipe one score per line into it, or give a file of scores")
    for place, line in enumerate(sys.stdin, start=1):
        if not line.strip():
            continue
        if not line.endswith("\n"):
            # Half a number is a number too: better to leave it than to take 0.7 for 0.73.
            echo_note(f"the stream ended in the middle of line {place} ({line!r}), which is ignored")
            break
        try:
            score = float(line)
            if not math.isfinite(score):
                raise ValueError(line)
        except ValueError:
            raise FormatError(
                f"{line.strip()!r} is not a score; write one finite number per line", "standard input", place
            ) from None
        if temperature is not None:
            score = float(temperature.apply([score])[0])
        for gap in selector.push(score):
            click.echo(f"{gap}\t{place}")
            sys.stdout.flush()
