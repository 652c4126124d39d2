# SPDX-License-Identifier: Apache-2.0
"""``caesura agree``: whether annotators agree, where, and in what they differ."""

from __future__ import annotations

import click

from caesura.cli._options import (
    force_option,
    metric_option,
    output_option,
    reading_options,
    resamples_option,
    seed_option,
)
from caesura.cli._output import (
    complete_metrics,
    complete_profiles,
    format_option,
    refuse_existing,
    show_results,
    write_text,
)

__all__ = ["command"]


@click.command("agree")
@click.argument("annotations", type=click.Path())
@metric_option("Compute this coefficient, such as FleissKappa or 'AgreementB(n_t=3)'; repeatable.")
@click.option(
    "--profile",
    shell_complete=complete_profiles,
    default="caesura",
    show_default=True,
    help="Use these conventions, such as closing_boundary; metrics --profiles lists them.",
)
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
@click.option(
    "--consensus-output",
    type=click.Path(dir_okay=False),
    help="Write the consensus boundaries to this file, in the format of its name.",
)
@click.option(
    "--adjudicate",
    type=click.Path(dir_okay=False),
    help="Write the contested gaps as JSON lines, largest gain in agreement first.",
)
@click.option(
    "--plan-width",
    type=float,
    help="Estimate how many documents or annotators bring the interval of FleissKappa under this width.",
)
@resamples_option
@seed_option
@format_option
@output_option("Write the results file (JSON).")
@reading_options
@force_option
def command(
    annotations: str,
    metrics: tuple[str, ...],
    profile: str,
    by: str | None,
    consensus: float | None,
    consensus_output: str | None,
    adjudicate: str | None,
    plan_width: float | None,
    resamples: int,
    seed: int,
    output_format: str,
    output: str | None,
    from_format: str | None,
    strict: bool,
    force: bool,
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
    refuse_existing(output, consensus_output, adjudicate, force=force, inputs=[annotations])
    from caesura.evaluation.annotators import agreement

    report = agreement(
        annotations, metrics or None, by=by, profile=profile, resamples=resamples, seed=seed, format=from_format, strict=strict,
    )  # fmt: skip
    if plan_width is not None:
        report.plan(plan_width)
    # Everything is computed before anything is written.
    results = report.results()
    if consensus is not None and consensus_output is not None:
        from caesura.formats import save

        save(report.corpus.consensus(consensus), consensus_output)
    if adjudicate is not None:
        import msgspec

        write_text(
            adjudicate, "".join(msgspec.json.encode(item).decode() + "\n" for item in report.contested)
        )
    if output is not None:
        report.save(output, results=results, overwrite=force)
    show_results(results, output_format)
