# SPDX-License-Identifier: Apache-2.0
"""Perturb segmentations in a controlled way, to test metrics."""

from __future__ import annotations

from typing import Any

import click

from caesura.cli import _options as opt
from caesura.cli._help import Command, What
from caesura.cli._output import echo_note, print_documents

GROUP = "Without a reference"


@click.command("degrade", cls=Command)
@click.argument("documents", metavar="DOCS", type=click.Path())
@click.option(
    "-d",
    "--degradation",
    "degradations",
    cls=What,
    multiple=True,
    required=True,
    shell_complete=opt.complete_names("caesura.evaluation.degrade", "DEGRADATIONS"),
    help="Apply this degradation, such as 'Removal(share=0.3)'; repeatable, applied in turn.",
)
@click.option(
    "--encoder", default="default", show_default=True, help="Take the vectors that Odd reads from this encoder."
)
@opt.output_option("Write the documents to this file [standard output, as JSON lines].")
@opt.seed_option
@opt.number_option("--draw", "Which of several independent draws to make with the seed.", default=0, minimum=0)
@opt.reading_options
@opt.force_option
def command(documents: str, degradations: tuple[str, ...], output: str | None, force: bool, **call: Any) -> None:
    """Perturb the boundaries of DOCS in a controlled way, and report on stderr what could not be done.

    \b
    caesura degrade gold.jsonl -d "Removal(share=0.3)" -o worse.jsonl
    caesura degrade gold.jsonl -d "Splitting(count=2)" --seed 7
    caesura degrade gold.jsonl -d "Transposition(distance=2, which='all')"
    caesura degrade gold.jsonl -d RandomPlacement
    caesura degrade gold.jsonl -d Shuffle
    caesura degrade gold.jsonl -d Even
    caesura degrade gold.jsonl -d Odd --encoder onnx:minilm

    The draws of a document depend on the seed, its id and the degradation, and not on other documents.
    """  # noqa: D301  (click wants the backspace itself)
    from caesura.evaluation.degrade import degrade
    from caesura.formats import save

    result = degrade(documents, degradations, **call)
    if output is not None:
        save(result.corpus, output, overwrite=force)
    else:
        print_documents(result.corpus)
    if result.skipped:
        echo_note(str(result))
