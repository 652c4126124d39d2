# SPDX-License-Identifier: Apache-2.0
"""Measure whether annotators agree, where, and in what they differ."""

from __future__ import annotations

from typing import Any

import click

from caesura.cli._options import (
    complete_metrics,
    file_option,
    metric_option,
    output_options,
    profile_option,
    reading_options,
    resamples_option,
    seed_option,
)
from caesura.cli._output import Outputs, echo_note
from caesura.cli._progress import progress_bar

__all__ = ["command"]

_MANY_PAIRS = 1_000_000


@click.command("agree")
@click.argument("annotations", type=click.Path())
@metric_option("Compute this coefficient, such as FleissKappa or 'AgreementB(n_t=3)'; repeatable.")
@profile_option
@click.option(
    "--by",
    shell_complete=complete_metrics,
    help="Compare each annotator with the others by this pairwise metric [B; WindowDiff on time and characters].",
)
@click.option(
    "--consensus",
    type=click.FloatRange(0, 1),
    metavar="SHARE",
    help="Keep boundaries that at least this share of the annotators marked; 0 keeps all. Needs --consensus-output.",
)
@file_option(
    "--consensus-output", what="Write the consensus boundaries to this file, in the format of its suffix."
)
@file_option("--adjudicate", what="Write the contested gaps as JSON lines, largest gain in agreement first.")
@click.option(
    "--plan-width",
    type=float,
    help="Estimate how many documents or annotators bring the interval of FleissKappa under this width.",
)
@resamples_option
@seed_option
@reading_options
@output_options()
def command(
    annotations: str,
    metrics: list[str] | None,
    consensus: float | None,
    consensus_output: str | None,
    adjudicate: str | None,
    plan_width: float | None,
    outputs: Outputs,
    **call: Any,
) -> None:
    """Measure how far the annotators of ANNOTATIONS agree: beyond chance, pair by pair, boundary by boundary.

    \b
    caesura agree moonstone.jsonl -o agreement.json
    caesura agree export.json --from label_studio --adjudicate todo.jsonl
    caesura agree moonstone.jsonl --consensus 0.5 --consensus-output gold.jsonl
    """  # noqa: D301  (click wants the backspace itself)
    if consensus is not None and consensus_output is None:
        raise click.UsageError(
            "--consensus needs --consensus-output FILE for the boundaries; -o is the results file"
        )
    if consensus_output is not None and consensus is None:
        raise click.UsageError("--consensus-output needs --consensus SHARE, such as --consensus 0.5")
    from caesura.evaluation.annotators import agreement

    # Everything is computed before anything is written.
    with progress_bar("comparing", "pairs of annotators") as progress:
        report = agreement(annotations, metrics, progress=progress, **call)
        if report.n_pairs >= _MANY_PAIRS:
            people, documents = len(report.panel.names), len(report.panel)
            echo_note(f"comparing {report.n_pairs:,} pairs: {people} annotators, {documents} documents")
        if plan_width is not None:
            report.plan(plan_width)
        results = report.results()
    files = {}
    if adjudicate is not None:
        import msgspec

        files[adjudicate] = msgspec.json.Encoder().encode_lines(report.contested)
    if consensus is not None and consensus_output is not None:
        from caesura.formats import save

        save(report.corpus.consensus(consensus), consensus_output)
    outputs.finish(results, report, files)
