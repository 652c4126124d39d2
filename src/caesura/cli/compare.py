# SPDX-License-Identifier: Apache-2.0
"""Find out which system is better, and whether density explains it."""

from __future__ import annotations

from typing import Unpack

import click

from caesura.cli._evaluating import Given, evaluated_against_one, evaluation_options
from caesura.cli._options import number_option, resamples_option
from caesura.cli._output import Outputs

__all__ = ["command"]


@click.command("compare")
@click.option("--with", "with_", metavar="NAME", help="Compare every other system with this one [all pairs].")
@number_option(
    "--permutations", "Number of permutations per test; all of them where there are fewer.", default=9999
)
@resamples_option
@evaluation_options
def command(
    with_: str | None, permutations: int, resamples: int, outputs: Outputs, **given: Unpack[Given]
) -> None:
    """Say which of SYSTEMS is better against REFERENCE, and whether density explains it.

    Each difference comes with an interval, a paired permutation test corrected for the number of comparisons, and its two
    parts: density (how many boundaries) and placement (where they are).

    \b
    caesura compare gold.jsonl a.jsonl b.jsonl c.jsonl -m W-F1 -m B
    caesura compare gold.jsonl base.jsonl new.jsonl --with base -o comparison.json
    """  # noqa: D301  (click wants the backspace itself)
    evaluation = evaluated_against_one(given)
    evaluation.compare(with_, resamples=resamples, permutations=permutations, seed=given["seed"])
    results = evaluation.results()
    results.question = "compare"
    outputs.finish(results, evaluation)
