# SPDX-License-Identifier: Apache-2.0
"""Fit a temperature to boundary logits, and report calibration."""

from __future__ import annotations

from typing import Any

import click

from caesura.cli import _options as opt
from caesura.cli._help import Command
from caesura.cli._output import Outputs, echo_note, named_files

GROUP = "Choose a threshold"


@click.command("calibrate", cls=Command)
@click.argument("reference", type=click.Path())
@click.argument("logits")
@opt.output_option("Write the temperature as JSON, for caesura select --temperature.")
@opt.file_option("--apply", "applied", what="Write LOGITS with probabilities as scores, for caesura sweep and select.")
@opt.file_option("--results", "results_file", what="Write the results file (JSON).")
@opt.against_option
@opt.reading_options
@opt.match_option
@opt.format_option
@opt.full_option
@opt.force_option
def command(
    reference: str,
    logits: str,
    output: str | None,
    applied: str | None,
    results_file: str | None,
    output_format: str,
    full: bool,
    force: bool,
    **call: Any,
) -> None:
    """Fit a temperature to LOGITS (a file with one logit per gap, key "scores") on the boundaries of REFERENCE.

    Probabilities are sigmoid(logit / temperature). Print likelihood and expected calibration error before and after,
    and the reliability bin by bin. If no temperature is best, a note says why.

    \b
    caesura calibrate dev.jsonl logits.jsonl -o temperature.json
    caesura calibrate annotated.jsonl logits.jsonl --against annotators
    caesura select test.jsonl --temperature temperature.json --threshold 0.5
    """  # noqa: D301  (click wants the backspace itself)
    ((name, path),) = named_files((logits,)).items()
    outputs = Outputs(output_format, results_file, force=force, full=full)
    from caesura.formats import save
    from caesura.tuning.calibrate import calibrate, calibrated

    calibration = calibrate(reference, path, name=name, **call)
    results = calibration.results()
    if applied is not None:
        save(calibrated(calibration.logits.corpus, calibration.temperature), applied)
    for note in results.notes:
        echo_note(note)
    outputs.finish(results, files={} if output is None else {output: calibration.encode()})
