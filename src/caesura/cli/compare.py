# SPDX-License-Identifier: Apache-2.0
"""Test which system is better, and whether that is only density."""

from __future__ import annotations

from typing import Unpack

import click

from caesura.cli import _options as opt
from caesura.cli._evaluating import Given, announce_chance, evaluated, evaluation_options, judge, with_baseline
from caesura.cli._help import Command, What
from caesura.cli._output import Outputs
from caesura.cli._progress import announce

GROUP = "Compare and gate"


@click.command("compare", cls=Command)
@click.option(
    "--with",
    "with_",
    cls=What,
    metavar="NAME",
    help="Compare every other system with this system, or this baseline, such as even [all pairs].",
)
@opt.number_option(
    "--permutations", "Number of permutations per test; all of them where there are fewer.", default=9999
)
@click.option(
    "--ci",
    cls=What,
    is_flag=True,
    help="Add a bootstrap interval to every score (in --full and files); LaTeX, figures and pages have it anyway.",
)
@opt.slice_option
@opt.resamples_option
@evaluation_options
def command(
    with_: str | None,
    permutations: int,
    ci: bool,
    field: str | None,
    resamples: int,
    outputs: Outputs,
    **given: Unpack[Given],
) -> None:
    """Test which of SYSTEMS is better against REFERENCE, and whether the difference is only density.

    Each difference comes with an interval, a paired permutation test corrected for the number of comparisons, and its two
    parts: density (how many boundaries) and placement (where they are). Each system is also compared with evenly
    spaced boundaries. Against annotators, a document's score is the mean over them, and documents are resampled. From 20,000 documents on, normal theory replaces resampling unless a few documents dominate.

    \b
    caesura compare gold.jsonl a.jsonl b.jsonl c.jsonl -m W-F1,B
    caesura compare gold.jsonl base.jsonl new.jsonl --with base -o comparison.json
    caesura compare annotated.jsonl a.jsonl b.jsonl --against annotators
    caesura compare gold.jsonl a.jsonl b.jsonl --slice genre --latex table.tex
    """  # noqa: D301  (click wants the backspace itself)
    from caesura.evaluation.compare.run import MOST_PAIRS
    from caesura.evaluation.intervals import DRAWS, by_normal_theory

    if with_ is not None and with_ not in given["systems"]:
        with_ = with_baseline(given, with_)
    if given["against"] == "all":
        raise click.UsageError(
            "compare tests one choice of the reference; use --against annotators, or evaluate --against all"
        )
    evaluation = evaluated(given)
    systems, documents, metrics = len(evaluation.systems), len(evaluation.documents), len(evaluation.metrics)
    pairs = systems * (systems - 1) // 2
    pairs = pairs if with_ is None and pairs <= MOST_PAIRS else systems - 1
    if not by_normal_theory(evaluation):
        announce(
            f"{permutations:,} permutations of {documents:,} documents for each of {pairs:,} pairs of systems and "
            f"{metrics} metrics",
            permutations * documents * pairs * metrics / 100,  # which are added up many at once
        )
    announce_chance(evaluation, DRAWS)
    ci = ci or outputs.output_format == "latex" or any((outputs.latex, outputs.figure, outputs.report))
    evaluation.compare(with_, resamples=resamples, permutations=permutations, seed=given["seed"], ci=ci)
    if field is not None:
        evaluation.slices(field, resamples=resamples, permutations=permutations, seed=given["seed"])
    judge(evaluation, given, outputs)
    results = evaluation.results()
    results.question = "compare"
    outputs.finish(results, evaluation)
