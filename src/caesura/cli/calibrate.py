# SPDX-License-Identifier: Apache-2.0
"""``caesura calibrate``: a temperature for boundary logits, and the reliability of the probabilities."""

from __future__ import annotations

from pathlib import Path

import click

from caesura.cli._options import force_option, reading_options
from caesura.cli._output import format_option, named_files, refuse_existing, show_results

__all__ = ["command"]


@click.command("calibrate")
@click.argument("reference", type=click.Path())
@click.argument("logits")
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False),
    help="Write the temperature as JSON, for caesura select --temperature.",
)
@click.option(
    "--apply",
    "applied",
    type=click.Path(dir_okay=False),
    help="Write LOGITS with probabilities as scores, for caesura sweep and select.",
)
@click.option(
    "--results", "results_file", type=click.Path(dir_okay=False), help="Write the results file (JSON)."
)
@click.option(
    "--bins",
    type=click.IntRange(min=1),
    default=10,
    show_default=True,
    help="Set the number of bins in the reliability table.",
)
@format_option
@reading_options
@force_option
def command(
    reference: str,
    logits: str,
    output: str | None,
    applied: str | None,
    results_file: str | None,
    bins: int,
    output_format: str,
    from_format: str | None,
    strict: bool,
    force: bool,
) -> None:
    """Fit a temperature to LOGITS (a file with one logit per gap, key "scores") on the boundaries of REFERENCE.

    Probabilities are sigmoid(logit / temperature). Print likelihood and expected calibration error before and after,
    and the reliability bin by bin. If no temperature is best, a note says why.

    \b
    caesura calibrate dev.jsonl logits.jsonl -o temperature.json
    caesura select test.jsonl --temperature temperature.json --threshold 0.5
    """  # noqa: D301  (click wants the backspace itself)
    ((name, path),) = named_files((logits,)).items()
    refuse_existing(output, applied, results_file, force=force, inputs=[reference, path])
    from caesura.files import write_together
    from caesura.formats import save
    from caesura.results import as_text
    from caesura.tuning.calibration import calibrate, calibrated

    calibration = calibrate(reference, path, bins=bins, name=name, format=from_format, strict=strict)
    results = calibration.results()
    if applied is not None:
        save(calibrated(calibration.logits.corpus, calibration.temperature), applied)
    outputs: dict[str | Path, bytes] = {}
    if output is not None:
        outputs[output] = calibration.encode()
    if results_file is not None:
        outputs[results_file] = (as_text(results) + "\n").encode()
    write_together(outputs)
    for note in results.notes:
        click.echo(f"caesura: note: {note}", err=True)
    show_results(results, output_format)
