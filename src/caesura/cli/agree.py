# SPDX-License-Identifier: Apache-2.0
"""``caesura agree``: do the annotators agree, where, and in what do they differ."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from caesura.cli._output import (
    complete_metrics,
    complete_profiles,
    format_option,
    print_json,
    refuse_existing,
    show_all,
    write_text,
)

if TYPE_CHECKING:
    from caesura.evaluation.annotators.planning import Plan

__all__ = ["command"]


@click.command("agree")
@click.argument("annotations", type=click.Path())
@click.option(
    "-m",
    "--metric",
    "metrics",
    multiple=True,
    shell_complete=complete_metrics,
    help="A coefficient, such as FleissKappa or 'AgreementB(n_t=3)'; repeatable.",
)
@click.option(
    "--profile",
    shell_complete=complete_profiles,
    default="caesura",
    show_default=True,
    help="Whose conventions hold, such as closing_boundary.",
)
@click.option(
    "--by", help="The pairwise metric of the annotators' table [B; WindowDiff on time and characters]."
)
@click.option(
    "--consensus",
    type=click.FloatRange(0, 1),
    help="Write boundaries marked by at least this share of the annotators to -o; 0 is the union.",
)
@click.option("-o", "--output", type=click.Path(dir_okay=False), help="Where the consensus goes.")
@click.option(
    "--adjudicate",
    type=click.Path(dir_okay=False),
    help="Write the contested gaps as JSON lines, the most profitable to settle first.",
)
@click.option(
    "--plan-width",
    type=float,
    help="Say how many documents or annotators bring the interval of kappa under this width.",
)
@click.option(
    "--resamples",
    type=click.IntRange(min=1),
    default=1000,
    show_default=True,
    help="Bootstrap resamples of the documents.",
)
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Of the bootstrap.")
@format_option
@click.option("--from", "from_format", help="The format of the file [detected].")
@click.option("--strict", is_flag=True, help="Refuse unknown keys in the file.")
@click.option("--force", is_flag=True, help="Overwrite outputs that exist.")
def command(
    annotations: str,
    metrics: tuple[str, ...],
    profile: str,
    by: str | None,
    consensus: float | None,
    output: str | None,
    adjudicate: str | None,
    plan_width: float | None,
    resamples: int,
    seed: int,
    output_format: str,
    from_format: str | None,
    strict: bool,
    force: bool,
) -> None:
    """Measure how far the annotators of ANNOTATIONS agree: beyond chance, pair by pair, boundary by boundary.

    \b
    caesura agree moonstone.jsonl
    caesura agree export.json --from label_studio --adjudicate todo.jsonl
    caesura agree moonstone.jsonl --consensus 0.5 -o gold.jsonl
    """  # noqa: D301  (click wants the backspace itself)
    if (consensus is None) != (output is None):
        raise click.UsageError("--consensus and -o go together: --consensus 0.5 -o gold.jsonl")
    refuse_existing(output, adjudicate, force=force)
    from caesura.evaluation.annotators import agreement

    report = agreement(
        annotations,
        metrics or None,
        by=by,
        profile=profile,
        resamples=resamples,
        seed=seed,
        format=from_format,
        strict=strict,
    )
    plan = None if plan_width is None else report.plan(plan_width)
    # Everything is computed before anything is written.
    data = report.to_dict() if output_format == "json" else None
    tables = report.tables() if data is None else []
    if consensus is not None and output is not None:
        from caesura.formats import save

        save(report.corpus.consensus(consensus), output)
    if adjudicate is not None:
        import msgspec

        from caesura.evaluation.annotators.report import contested_dict

        lines = [msgspec.json.encode(contested_dict(item)).decode() for item in report.contested]
        write_text(adjudicate, "".join(line + "\n" for line in lines))
    if data is not None:
        import dataclasses

        print_json({**data, **({} if plan is None else {"plan": dataclasses.asdict(plan)})})
        return
    show_all(tables, output_format)
    if plan is not None:
        click.echo()
        click.echo(_in_words(plan))


def _in_words(plan: Plan) -> str:
    documents = (
        f"{plan.documents_needed} documents like these"
        if plan.documents_needed
        else "more than 100,000 documents"
    )
    people = (
        f"{plan.annotators_needed} annotators per document"
        if plan.annotators_needed
        else "no number of annotators alone (documents differ too much, or the pilot has too few annotators to tell)"
    )
    return (
        f"The {plan.level:.0%} interval of {plan.coefficient} is {plan.width_now:.3f} wide with {plan.documents} documents "
        f"and up to {plan.annotators} annotators.\nUnder {plan.width:g}: {documents}, or {people}."
    )
