# SPDX-License-Identifier: Apache-2.0
"""``caesura calibrate``: a temperature for boundary logits, and how far to trust what comes out."""

from __future__ import annotations

import click

from caesura.cli._output import format_option, named_files, print_json, refuse_existing, show_all

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
    help="Write LOGITS with probabilities for scores, for caesura sweep and select.",
)
@click.option(
    "--bins",
    type=click.IntRange(min=1),
    default=10,
    show_default=True,
    help="Bins of equal width in the reliability table.",
)
@format_option
@click.option("--from", "from_format", help="The format of both files [detected].")
@click.option("--strict", is_flag=True, help="Refuse unknown keys in files.")
@click.option("--force", is_flag=True, help="Overwrite outputs that exist.")
def command(
    reference: str,
    logits: str,
    output: str | None,
    applied: str | None,
    bins: int,
    output_format: str,
    from_format: str | None,
    strict: bool,
    force: bool,
) -> None:
    """Fit a temperature to LOGITS (a file with one logit per gap, key "scores") on the boundaries of REFERENCE.

    Probabilities are sigmoid(logit / temperature). Printed are likelihood and expected calibration error before and
    after, and the reliability bin by bin. Where no temperature is best, a note says why.

    \b
    caesura calibrate dev.jsonl logits.jsonl -o temperature.json
    caesura select test.jsonl --temperature temperature.json --threshold 0.5
    """  # noqa: D301  (click wants the backspace itself)
    ((name, path),) = named_files((logits,)).items()
    refuse_existing(output, applied, force=force, inputs=[reference, path])
    from caesura.files import write_atomically
    from caesura.formats import load, save
    from caesura.tuning.calibration import calibrate, calibrated

    corpus = load(path, from_format, strict=strict)
    found = calibrate(reference, corpus, bins=bins, name=name, format=from_format, strict=strict)
    if applied is not None:
        save(calibrated(corpus, found.temperature), applied)
    if output is not None:
        write_atomically(output, found.encode())
    for note in found.notes():
        click.echo(f"caesura: note: {note}", err=True)
    if output_format == "json":
        print_json(found.to_dict())
    else:
        show_all(found.tables(), output_format)
