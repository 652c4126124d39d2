# SPDX-License-Identifier: Apache-2.0
"""``caesura compare``: which system is better."""

from __future__ import annotations

from typing import Unpack

import click

from caesura.cli._evaluating import Given, evaluated_against_one, evaluation_options, finish, refuse_outputs
from caesura.cli._options import resamples_option

__all__ = ["command"]


@click.command("compare")
@evaluation_options
@click.option("--with", "with_", metavar="NAME", help="Compare every other system with this one [all pairs].")
@click.option(
    "--permutations",
    type=click.IntRange(min=1),
    default=9999,
    show_default=True,
    help="Permutations per test; all of them where there are fewer.",
)
@resamples_option
def command(with_: str | None, permutations: int, resamples: int, **given: Unpack[Given]) -> None:
    """Say which of SYSTEMS is better against REFERENCE, and whether density explains it.

    Each difference comes with an interval, a paired permutation test corrected for the number of comparisons, and its two
    parts: density (how many boundaries) and placement (where they are).

    \b
    caesura compare gold.jsonl a.jsonl b.jsonl c.jsonl -m W-F1 -m B
    caesura compare gold.jsonl base.jsonl new.jsonl --with base -o comparison.json
    """  # noqa: D301  (click wants the backspace itself)
    refuse_outputs(given)
    evaluation = evaluated_against_one(given)
    evaluation.compare(with_, resamples=resamples, permutations=permutations, seed=given["seed"])
    results = evaluation.results()
    results.question = "compare"
    finish(evaluation, results, given)
