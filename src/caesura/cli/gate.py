# SPDX-License-Identifier: Apache-2.0
"""Fail a build when scores are too low or have dropped."""

from __future__ import annotations

from typing import TYPE_CHECKING, Unpack

import click
import msgspec

from caesura.cli import _options as opt
from caesura.cli._console import say
from caesura.cli._evaluating import Given, evaluated, evaluation_options
from caesura.cli._help import Command, Output, What
from caesura.cli._output import Outputs, echo_note, refuse_given
from caesura.cli._overwriting import OutputFile

if TYPE_CHECKING:
    from caesura.evaluation.referenced import Referenced

GROUP = "Compare and gate"


@click.command("gate", cls=Command)
@click.option(
    "--min",
    "minimum",
    cls=What,
    multiple=True,
    callback=opt.listed,
    metavar="METRIC=VALUE",
    help="Require this score of every system: at least, at most where lower is better, or within this distance of the "
    "target; repeatable.",
)
@click.option("--last", cls=What, type=click.Path(), help="Compare with this earlier results file.")
@click.option(
    "--max-drop", type=float, default=0.0, show_default=True, help="With --last: how much worse a score may be."
)
@click.option(
    "--summary",
    cls=Output,
    type=OutputFile(),
    help="Also write the answer, the changes and the worst documents to this file, as Markdown.",
)
@click.option("--alpha", type=float, default=0.05, show_default=True, help="With --last: level of the one-sided test.")
@evaluation_options
def command(
    minimum: list[str] | None,
    last: str | None,
    max_drop: float,
    alpha: float,
    summary: str | None,
    outputs: Outputs,
    **given: Unpack[Given],
) -> None:
    """Exit with 1 unless SYSTEMS reach the required scores and have not become worse.

    Without SYSTEMS, REFERENCE is a results file, as -o writes it, of evaluate, compare, spans, cohesion, bench, agree or check. A metric
    may be named as it is printed.

    Exit codes: 0 passed, 1 failed, 2 wrong usage or input. In the results file, gates.breaches lists what failed.

    \b
    caesura gate gold.jsonl new.jsonl --min W-F1=0.60
    caesura gate gold.jsonl new.jsonl --last results.json --max-drop 0.02
    caesura gate gold.jsonl 'llm=run*.jsonl' --min W-F1=0.60
    caesura gate spans.json --min Inside=0.95 --last old.json --summary gate.md
    """  # noqa: D301  (click wants the backspace itself)
    if not minimum and last is None:
        raise click.UsageError("nothing to check; give --min METRIC=VALUE or --last FILE")
    if last is None:
        refuse_given(("max_drop", "alpha"), "needs --last FILE")
    if given["pseudo"]:
        raise click.UsageError("a gate needs gold; leave out --pseudo-reference")
    from caesura.evaluation.against import one_choice
    from caesura.evaluation.gate.run import Gate, gated
    from caesura.evaluation.gate.stored import Stored
    from caesura.evaluation.inputs import standard_metrics
    from caesura.results.gate.summary import summary as as_summary

    gates = [Gate.parse(text) for text in minimum or ()]
    if not given["systems"]:
        read = {"reference", "systems", "seed"}
        refuse_given(
            [name for name in given if name not in read], "is for scoring SYSTEMS; a results file has its scores"
        )
    required = [gate.metric for gate in gates]
    if given["systems"] and (given["metrics"] or not set(required) <= set(standard_metrics(given["profile"]))):
        given["metrics"] = list(dict.fromkeys([*(given["metrics"] or ()), *required]))
    if last is not None and given["systems"]:
        _read_alike(given, last)
    outcome: Referenced | None = None
    if given["systems"]:
        outcome = evaluated({**given, "against": one_choice(given["against"])})
        checked = outcome.gate(gates, last=last, max_drop=max_drop, alpha=alpha, seed=given["seed"])
        results = outcome.results()
    else:
        stored = Stored(given["reference"])
        checked = gated(stored, gates, last=last, max_drop=max_drop, alpha=alpha, seed=given["seed"])
        # The counts lie beside the file that was read, not beside one that is written here.
        results = msgspec.structs.replace(stored.results, gates=checked, counts=None)
    results.question = "gate"
    outputs.finish(results, outcome, {} if summary is None else {summary: as_summary(results).encode()})
    for note in checked.notes:
        echo_note(note)
    if outputs.output_format not in ("table", "markdown"):  # these have said it
        for breach in checked.breaches:
            say(f"gate: {breach}")
    if checked.breaches:
        click.get_current_context().exit(1)


next(each for each in command.params if each.name == "systems").required = False


def _read_alike(given: Given, last: str) -> None:
    """Read files whose format nobody names as their counterparts in the earlier results were read."""
    from caesura.files import split_text
    from caesura.results import read_results

    if given["format"] is not None:
        return
    known = {
        "reference" if entry.role == "reference" else entry.name: entry.format
        for entry in read_results(last).inputs
        if entry.role in ("reference", "system") and "(" in (entry.format or "")
    }

    def alike(path: str, name: str) -> str:
        file, own = split_text(path)
        if own is not None or name not in known:
            return path
        echo_note(f"{file} is read as {known[name]}, as for {last}")
        return f"{file}::{known[name]}"

    given["reference"] = alike(given["reference"], "reference")
    given["systems"] = {name: alike(path, name) for name, path in given["systems"].items()}
