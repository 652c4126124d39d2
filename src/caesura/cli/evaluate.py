# SPDX-License-Identifier: Apache-2.0
"""Score systems against a reference."""

from __future__ import annotations

from typing import TYPE_CHECKING, Unpack

import click

from caesura.cli import _options as opt
from caesura.cli._engine import Engine, engine_options, evaluate_shards
from caesura.cli._evaluating import Given, announce_chance, evaluated, evaluation_options, judge
from caesura.cli._help import Command, What
from caesura.cli._output import Outputs, refuse_given

if TYPE_CHECKING:
    from caesura.results.evaluate.facts import Reads

GROUP = "Score"

_NOT_WITH_LEVELS = (
    "against", "field", "cut", "baselines", "ci", "skill", "verdict", "extra", "per_document", "latex", "csv_file", "segments", "pseudo", "duration", "durations",
)  # fmt: skip
_NOT_WITH_ENGINE = (
    "levels", "field", "baselines", "skill", "verdict", "extra", "per_document", "segments", "resamples", "latex", "csv_file",
)  # fmt: skip


@click.command("evaluate", cls=Command)
@evaluation_options
@click.option("--ci", cls=What, is_flag=True, help="Add a bootstrap interval to every score.")
@click.option("--skill", cls=What, is_flag=True, help="Show each score next to chance at the same density.")
@click.option(
    "--verdict",
    cls=What,
    is_flag=True,
    help="Judge systems even if there are very many documents; with --per-document, judge each document.",
)
@click.option(
    "--levels",
    cls=What,
    type=click.Choice(["hierarchy", "consensus"]),
    is_flag=False,
    flag_value="hierarchy",
    metavar="[consensus]",
    help="Score against each level of a hierarchical reference instead, or of the consensus of its annotators.",
)
@click.option(
    "--extra",
    cls=What,
    type=click.Choice(["words", "vectors", "both"]),
    help="Ask the texts, read so, whether boundaries that the reference lacks are sub-topics or noise, also where not many are.",
)
@click.option("--encoder", cls=What, metavar="SPEC", help="With --extra vectors or both: the encoder [default].")
@opt.per_document_option
@opt.slice_option
@opt.file_option("--segments", what="Also write one CSV row per reference segment: length, speakers, words, outcome.")
@opt.resamples_option
@engine_options(
    "Score shard by shard, so that memory stays small: here, or as tasks of Ray. Quote patterns of files.",
    encoder=False,
)
def command(
    ci: bool,
    skill: bool,
    verdict: bool,
    levels: str | None,
    extra: Reads | None,
    encoder: str | None,
    per_document: bool,
    field: str | None,
    segments: str | None,
    resamples: int,
    engine: Engine,
    outputs: Outputs,
    **given: Unpack[Given],
) -> None:
    """Score SYSTEMS against REFERENCE.

    A system is a file, named by its stem, or NAME=FILE. Without -m a standard set of metrics is scored. To find out which
    system is better, use caesura compare; to fail a build, caesura gate.

    \b
    caesura evaluate gold.jsonl a.jsonl b.jsonl -m Pk,B,W-F1
    caesura evaluate show.vtt auto.json -m CovD -m "BoundaryF1(tolerance='10s')"
    caesura evaluate gold.jsonl base=old.jsonl new.jsonl -o results.json
    caesura evaluate gold.jsonl a.jsonl --ci --skill --verdict --baselines every
    caesura evaluate annotated.jsonl a.jsonl b.jsonl --against all
    caesura evaluate 'g/*.parquet' 'a=a/*.parquet' --engine local --shards done/
    """  # noqa: D301  (click wants the backspace itself)
    _check(given, levels, verdict, extra, segments)
    if encoder is not None and extra not in ("vectors", "both"):
        raise click.UsageError("--encoder needs --extra vectors or --extra both")
    if per_document and (ci or skill) and outputs.output_format == "csv" and outputs.output is None:
        raise click.UsageError(
            "--per-document has a table of its own, and CSV holds one; leave out --ci and --skill, or write the results file "
            "with -o"
        )
    if engine:
        refuse_given(_NOT_WITH_ENGINE, "cannot be combined with --engine; leave out one of them")
        evaluate_shards(given, engine, outputs, ci=ci)
        return
    if levels:
        _levels(given, levels, outputs)
        return
    from caesura.evaluation.evaluate import Evaluation

    evaluation = evaluated(given)
    if evaluation.has_runs and (verdict or extra or segments is not None):
        raise click.UsageError("--verdict, --extra and --segments are of one run; name each run as a system: NAME=FILE")
    files: dict[str, bytes] = {}
    if ci:
        evaluation.intervals(resamples, given["seed"])
    if skill:
        from caesura.evaluation.intervals import DRAWS

        announce_chance(evaluation, DRAWS)
        evaluation.skill(seed=given["seed"])
    if field is not None:
        evaluation.slices(field, resamples=resamples, seed=given["seed"])
    judge(evaluation, given, outputs, asked=verdict, by_document=verdict and per_document)
    if extra and isinstance(evaluation, Evaluation):
        evaluation.extra_boundaries(extra, encoder=encoder or "default", seed=given["seed"])
    if segments is not None and isinstance(evaluation, Evaluation):
        from caesura.evaluation.evaluate.segments import segment_tables
        from caesura.reports import render

        files[segments] = render(segment_tables(evaluation), "csv").encode()
    outputs.finish(evaluation.results(per_document=per_document), evaluation, files)


def _check(given: Given, levels: str | None, verdict: bool, extra: str | None, segments: str | None) -> None:
    """Refuse options that contradict each other."""
    if levels:
        refuse_given(_NOT_WITH_LEVELS, "cannot be combined with --levels; leave out one of them")
    if given["pseudo"] and verdict:
        raise click.UsageError("--verdict needs gold; leave out --pseudo-reference")
    if verdict or extra or segments is not None:
        from caesura.evaluation.against import one_reference

        one_reference(given["against"], "--verdict, --extra and --segments need one")


def _levels(given: Given, levels: str, outputs: Outputs) -> None:
    """Score against each level of a hierarchical reference, or of a consensus."""
    from caesura.evaluation.evaluate.levels import evaluate_levels

    outcome = evaluate_levels(
        given["reference"],
        given["systems"],
        given["metrics"],
        levels="consensus" if levels == "consensus" else "hierarchy",
        by=given["by"],
        profile=given["profile"],
        missing=given["missing"],
        match=given["match"],
        threads=given["threads"],
        format=given["format"],
        strict=given["strict"],
    )
    outputs.finish(outcome.results(), outcome.levels[-1])
