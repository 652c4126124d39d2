# SPDX-License-Identifier: Apache-2.0
"""Measure whether annotators agree, where, and how they differ."""

from __future__ import annotations

from typing import Any

import click

from caesura.cli import _options as opt
from caesura.cli._help import Command, Files, What
from caesura.cli._output import Outputs, counted, echo_note
from caesura.cli._progress import progress_bar

GROUP = "Annotators"

_MANY_PAIRS = 1_000_000


@click.command("agree", cls=Command)
@click.argument("annotations", type=click.Path())
@opt.metric_option("Compute this coefficient, such as FleissKappa or 'AgreementB(n_t=3)'; repeatable.")
@opt.profile_option
@click.option(
    "--by",
    cls=What,
    shell_complete=opt.complete_metrics,
    help="Compare each annotator with the others by this pairwise metric [B; WindowDiff on time and characters].",
)
@click.option("--exclude", cls=Files, multiple=True, metavar="NAME", help="Leave this annotator out; repeatable.")
@click.option(
    "--names",
    cls=Files,
    multiple=True,
    metavar="OLD=NEW|FILE",
    help="Rename an annotator (repeatable), or read names of annotators and documents from a JSON file.",
)
@click.option(
    "--anonymous",
    cls=Files,
    is_flag=True,
    help="Name everybody a1, a2, ... in all that is made, in the order of the file.",
)
@click.option(
    "--repeat",
    cls=Files,
    multiple=True,
    metavar="AGAIN=NAME",
    help="The annotator AGAIN is NAME coding documents a second time; repeatable.",
)
@click.option(
    "--before",
    cls=What,
    type=click.Path(),
    help="Tell what has changed since this earlier export, and whether agreement has.",
)
@click.option(
    "--consensus",
    cls=What,
    type=click.FloatRange(0, 1),
    metavar="SHARE",
    help="Keep boundaries that at least this share of the annotators marked: of two, 0.5 keeps those of either; 0 keeps all. "
    "Needs --consensus-output.",
)
@opt.number_option("--min-annotators", "Let --consensus note how many documents have fewer annotators.", default=3)
@opt.file_option("--consensus-output", what="Write the consensus boundaries to this file, in the format of its suffix.")
@click.option(
    "--near", is_flag=True, help="Let --consensus join boundaries within half a window, at the place with most support."
)
@opt.file_option("--adjudicate", what="Write the contested places as JSON lines, in document order, to decide on.")
@click.option(
    "--decisions", cls=Files, type=click.Path(), help="With --gold: read decisions from the file of --adjudicate."
)
@opt.file_option(
    "--gold",
    what="Write gold boundaries to this file: decisions, else the consensus of contested places, with votes and reasons.",
)
@click.option(
    "--plan-width",
    cls=What,
    type=float,
    help="Estimate how many documents or annotators are needed for an interval of FleissKappa narrower than this.",
)
@opt.resamples_option
@opt.seed_option
@opt.reading_options
@opt.output_options(figure="Plot where the annotators disagree")
def command(
    annotations: str,
    metrics: list[str] | None,
    names: tuple[str, ...],
    repeat: tuple[str, ...],
    consensus: float | None,
    consensus_output: str | None,
    min_annotators: int,
    near: bool,
    adjudicate: str | None,
    decisions: str | None,
    gold: str | None,
    plan_width: float | None,
    outputs: Outputs,
    **call: Any,
) -> None:
    """Measure how far the annotators of ANNOTATIONS agree: beyond chance, pair by pair, boundary by boundary.

    \b
    caesura agree moonstone.jsonl -o agreement.json
    caesura agree export.json --from label_studio --adjudicate todo.jsonl
    caesura agree export.json --before last-week.json --anonymous
    caesura agree export.json --decisions todo.jsonl --gold gold.jsonl
    caesura agree moonstone.jsonl --consensus 0.5 --consensus-output gold.jsonl
    """  # noqa: D301  (click wants the backspace itself)
    if consensus is not None and consensus_output is None:
        raise click.UsageError("--consensus needs --consensus-output FILE for the boundaries; -o is the results file")
    if consensus_output is not None and consensus is None:
        raise click.UsageError("--consensus-output needs --consensus SHARE, such as --consensus 0.5")
    if plan_width is not None and outputs.output_format == "csv" and outputs.output is None:
        raise click.UsageError(
            "--plan-width has a table of its own, and CSV holds one; leave it out, or write the results file with -o"
        )
    if near and consensus is None:
        raise click.UsageError("--near needs --consensus SHARE, such as --consensus 0.5")
    if decisions is not None and gold is None:
        raise click.UsageError("--decisions needs --gold FILE for the boundaries that follow from them")
    renaming, again = _renaming(names), _again(repeat)
    from caesura.evaluation.agree import agreement

    # Everything is computed before anything is written.
    with progress_bar("comparing", "pairs of annotators") as progress:
        report = agreement(annotations, metrics, names=renaming, repeat=again, progress=progress, **call)
        if report.n_pairs >= _MANY_PAIRS:
            people, documents = len(report.panel.names), len(report.panel)
            echo_note(f"comparing {report.n_pairs:,} pairs: {people} annotators, {documents} documents")
        if plan_width is not None:
            report.plan(plan_width)
        agreed = None if consensus is None else report.consensus(consensus, near=near, min_annotators=min_annotators)
        corpus, told = report.corpus, list[str]()
        if decisions is not None:
            from caesura.evaluation.agree.adjudicate import decided, read_lines

            corpus, told = decided(corpus, read_lines(decisions))
        results = report.results()
        results.notes += told
    files = {}
    if adjudicate is not None:
        from caesura.evaluation.agree.adjudicate import place_lines

        files[adjudicate] = place_lines(report.corpus)
    if agreed is not None and consensus_output is not None:
        from caesura.formats import save

        save(agreed, consensus_output)
        echo_note(f"{consensus_output} holds the consensus of {counted(agreed)}")
    if gold is not None:
        from caesura.evaluation.agree.gold import gold_corpus
        from caesura.formats import save

        settled, undecided = gold_corpus(corpus)
        save(settled, gold)
        open_places = f"; {undecided} contested places are not decided, and follow the majority" if undecided else ""
        echo_note(f"{gold} holds gold of {counted(settled)}{open_places}")
        for line in told:
            echo_note(line)
    outputs.finish(results, report, files)


def _again(repeat: tuple[str, ...]) -> dict[str, str]:
    """Return the annotators who are others coding a second time, with these others."""
    pairs = [each.partition("=") for each in repeat]
    wrong = [again for again, _, name in pairs if not again or not name]
    if wrong or any(not separator for _, separator, _ in pairs):
        raise click.UsageError("--repeat takes AGAIN=NAME, such as --repeat anna2=anna")
    return {again: name for again, _, name in pairs}


def _renaming(names: tuple[str, ...]) -> dict[str, str] | str | None:
    """Return new names by old names, or the file that holds them."""
    pairs = dict(name.split("=", 1) for name in names if "=" in name)
    files = [name for name in names if "=" not in name]
    if len(files) + bool(pairs) > 1:
        raise click.UsageError("--names takes one FILE, or OLD=NEW once for each annotator")
    return files[0] if files else pairs or None
