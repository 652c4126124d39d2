# SPDX-License-Identifier: Apache-2.0
"""Choose parameters of a segmenter on development documents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from caesura.cli import _options as opt
from caesura.cli._help import Command, What
from caesura.cli._output import Outputs

if TYPE_CHECKING:
    from caesura.scorers import Encoding

GROUP = "Segment and train"


def _tries(ctx: click.Context, param: click.Parameter, given: tuple[str, ...]) -> dict[str, list[Any]]:
    """Return the values of each parameter: literals, or words without quotes."""
    import ast

    found: dict[str, list[Any]] = {}
    for text in given:
        name, equals, values = text.partition("=")
        if not equals or not name.strip().isidentifier() or not values.strip():
            raise click.UsageError(f"--try {text}: write a parameter and its values, such as window=2,4,6")
        if name.strip() in found:
            raise click.UsageError(f"--try {name.strip()} is given twice; give all its values at once")
        try:
            read = ast.literal_eval(f"({values},)")
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            read = tuple(word.strip() for word in values.split(","))
        found[name.strip()] = list(read)
    return found


@click.command("tune", cls=Command)
@click.argument("documents", metavar="DOCS", type=click.Path())
@click.argument("method", metavar="METHOD")
@click.option(
    "--try",
    "tries",
    cls=What,
    multiple=True,
    required=True,
    callback=_tries,
    help="Try these values of a parameter, such as window=2,4,6; repeatable, for all combinations.",
)
@click.option(
    "-m",
    "--metric",
    cls=What,
    default="Pk",
    show_default=True,
    help="Choose by this metric, with or without a reference.",
)
@opt.against_option
@opt.number_option("--random", "Try so many combinations, drawn at random [all].")
@click.option("--held-out", cls=What, type=click.Path(), help="Score the best setting on these documents too.")
@opt.number_option("--folds", "Number of parts for cross-validation; 1 for none.", default=5)
@opt.encoder_options("Encoder of the methods and metrics that read vectors.")
@opt.seed_option
@opt.encoding_options
@opt.reading_options
@opt.output_options(figure=None)
def command(
    documents: str,
    method: str,
    tries: dict[str, list[Any]],
    metric: str,
    random: int | None,
    encoding: Encoding,
    outputs: Outputs,
    **call: Any,
) -> None:
    """Choose parameters of METHOD on DOCS, and say what the choice is worth on documents that did not choose.

    \b
    caesura tune dev.jsonl VectorTiling --try alpha=-1,0,1 --try window=1,2,3
    caesura tune dev.jsonl ruptures:KernelCPD --try pen=0.1,1,10 -m W-F1
    caesura tune docs.jsonl TextTiling --try window=2,4,6,8 -m Placement
    caesura tune people.jsonl TextTiling --try window=2,4 --against annotators
    """  # noqa: D301  (click wants the backspace itself)
    from caesura.cli._progress import progress_bar
    from caesura.tuning.tune import tune

    with progress_bar("tuning", "settings") as progress:
        outcome = tune(documents, method, tries, metric, draws=random, encoding=encoding, progress=progress, **call)
    outputs.finish(outcome.results(), outcome)
