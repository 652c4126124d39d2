# SPDX-License-Identifier: Apache-2.0
"""Test which system is better, and whether that is only density."""

from __future__ import annotations

from typing import Unpack

import click

from caesura.cli import _options as opt
from caesura.cli._evaluating import (
    Given,
    announce_chance,
    evaluated_against_one,
    evaluation_options,
    judge,
    with_baseline,
)
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
@opt.resamples_option
@evaluation_options
def command(with_: str | None, permutations: int, resamples: int, outputs: Outputs, **given: Unpack[Given]) -> None:
    """Test which of SYSTEMS is better against REFERENCE, and whether the difference is only density.

    Each difference comes with an interval, a paired permutation test corrected for the number of comparisons, and its two
    parts: density (how many boundaries) and placement (where they are). Each system is also compared with evenly
    spaced boundaries. From 20,000 documents on, normal theory replaces resampling unless a few documents dominate.

    \b
    caesura compare gold.jsonl a.jsonl b.jsonl c.jsonl -m W-F1,B
    caesura compare gold.jsonl base.jsonl new.jsonl --with base -o comparison.json
    """  # noqa: D301  (click wants the backspace itself)
    from caesura.evaluation.compare.run import MOST_PAIRS
    from caesura.evaluation.intervals import DRAWS, by_normal_theory

    if with_ is not None and with_ not in given["systems"]:
        with_ = with_baseline(given, with_)
    evaluation = evaluated_against_one(given)
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
    evaluation.compare(with_, resamples=resamples, permutations=permutations, seed=given["seed"])
    judge(evaluation, given, outputs)
    results = evaluation.results()
    results.question = "compare"
    outputs.finish(results, evaluation)
