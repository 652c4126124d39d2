# SPDX-License-Identifier: Apache-2.0
"""What ``evaluate``, ``compare`` and ``gate`` share: arguments, options, and the way from files to results."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypedDict, TypeVar

import click

from caesura.cli._options import (
    force_option,
    metric_option,
    missing_option,
    output_option,
    reading_options,
    seed_option,
)
from caesura.cli._output import (
    complete_profiles,
    format_option,
    named_files,
    refuse_existing,
    show_results,
    write_files,
)

if TYPE_CHECKING:
    from caesura.evaluation.annotators.standing import PanelEvaluation
    from caesura.evaluation.reference.report import Evaluation
    from caesura.results import Results

__all__ = ["Given", "evaluated", "evaluation_options", "finish", "options_of", "refuse_outputs"]

F = TypeVar("F", bound=Callable[..., Any])


class Given(TypedDict):
    """The values of the shared options."""

    reference: str
    systems: tuple[str, ...]
    metrics: tuple[str, ...]
    profile: str
    against: str
    pseudo: bool
    by: str | None
    missing: str
    cut: str | None
    baselines: str | None
    seed: int
    output_format: str
    output: str | None
    latex: str | None
    csv_file: str | None
    from_format: str | None
    strict: bool
    threads: int
    force: bool


def evaluation_options(function: F) -> F:
    """Add the arguments and options of an evaluation against a reference."""
    for add in reversed(
        [
            click.argument("reference", type=click.Path()),
            click.argument("systems", nargs=-1, required=True, type=click.Path()),
            metric_option("Score this metric, such as Pk or 'WindowDiff(k=5)'; repeatable."),
            click.option(
                "--profile",
                shell_complete=complete_profiles,
                default="caesura",
                show_default=True,
                help="Follow these conventions; metrics --profiles lists them.",
            ),
            click.option(
                "--against",
                default="boundaries",
                show_default=True,
                callback=_against,
                help="Which boundaries of REFERENCE to score against: boundaries, annotators, consensus=0.5 or "
                "annotator=NAME.",
            ),
            click.option(
                "--pseudo-reference",
                "pseudo",
                is_flag=True,
                help="REFERENCE is machine-made; mark every number accordingly.",
            ),
            click.option(
                "--by",
                type=click.Choice(["macro", "micro"]),
                help="How documents are aggregated [the metric's default].",
            ),
            missing_option,
            click.option(
                "--cut", help="Also score segments shorter and not shorter than this, such as 30 or 30s."
            ),
            click.option("--baselines", help="Also score baselines, such as none,every,random_density."),
            seed_option,
            format_option,
            output_option("Write the results file (JSON, with the counts beside it)."),
            click.option("--latex", type=click.Path(dir_okay=False), help="Also write the table as LaTeX."),
            click.option(
                "--csv", "csv_file", type=click.Path(dir_okay=False), help="Also write the table as CSV."
            ),
            reading_options,
            click.option(
                "--threads",
                type=click.IntRange(min=1),
                default=1,
                show_default=True,
                help="Worker threads; results do not depend on it.",
            ),
            force_option,
        ]
    ):
        function = add(function)
    return function


def _against(ctx: click.Context, param: click.Parameter, value: str) -> str:
    """Refuse an earlier results file, which this option once took."""
    if value.endswith((".json", ".jsonl")):
        raise click.UsageError(
            f"--against {value} is not a choice of boundaries; to compare with an earlier results file, use "
            "caesura gate --last FILE"
        )
    return value


def refuse_outputs(given: Given, *others: str | None) -> None:
    """Refuse, before any work is done, outputs that exist or are inputs."""
    from caesura.results import counts_path

    beside = None if given["output"] is None else str(counts_path(given["output"]))
    inputs = [given["reference"], *named_files(given["systems"]).values()]
    refuse_existing(
        given["output"],
        beside,
        given["latex"],
        given["csv_file"],
        *others,
        force=given["force"],
        inputs=inputs,
    )


def options_of(given: Given) -> dict[str, Any]:
    """Return the options as `caesura.evaluate` and `evaluate_levels` both take them."""
    return {
        "by": given["by"],
        "profile": given["profile"],
        "missing": given["missing"],
        "threads": given["threads"],
        "format": given["from_format"],
        "strict": given["strict"],
    }


def evaluated(given: Given, metrics: Sequence[str] | None = None) -> Evaluation | PanelEvaluation:
    """Evaluate the systems that were named."""
    from caesura.evaluation import evaluate

    if given["pseudo"] and given["against"] != "boundaries":
        raise click.UsageError("--against needs gold; leave out --pseudo-reference")
    cut = given["cut"]
    return evaluate(
        given["reference"],
        named_files(given["systems"]),
        list(given["metrics"] if metrics is None else metrics) or None,
        against="pseudo" if given["pseudo"] else given["against"],
        cut=int(cut) if cut is not None and cut.isdecimal() else cut,
        baselines=given["baselines"] or (),
        seed=given["seed"],
        **options_of(given),
    )


def evaluated_against_one(given: Given, metrics: Sequence[str] | None = None) -> Evaluation:
    """Evaluate against one reference, which comparisons and gates need."""
    from caesura.evaluation import Evaluation

    evaluation = None if given["against"] == "annotators" else evaluated(given, metrics)
    if not isinstance(evaluation, Evaluation):
        raise click.UsageError(
            "--against annotators gives many references; use --against consensus=0.5 or annotator=NAME"
        )
    return evaluation


def finish(
    evaluation: Evaluation | PanelEvaluation,
    results: Results,
    given: Given,
    texts: dict[str, str] | None = None,
) -> None:
    """Write the files that were requested, then print the results."""
    from caesura.reports import render
    from caesura.results import tables_of

    texts = dict(texts or {})
    if given["latex"] is not None:
        texts[given["latex"]] = render(tables_of(results)[0], "latex")
    if given["csv_file"] is not None:
        texts[given["csv_file"]] = render(tables_of(results)[0], "csv")
    if given["output"] is not None:
        evaluation.save(given["output"], results=results, overwrite=given["force"])
    write_files(texts)
    show_results(results, given["output_format"])
