# SPDX-License-Identifier: Apache-2.0
"""What ``evaluate``, ``compare`` and ``gate`` share: arguments, options, and the way from files to results."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypedDict

import click

from caesura.cli import _options as opt
from caesura.cli._help import Large, What
from caesura.cli._progress import announce

if TYPE_CHECKING:
    from collections.abc import Mapping

    from caesura.batches.pairs import Missing
    from caesura.cli._output import Outputs
    from caesura.evaluation.agree.standing import PanelEvaluation
    from caesura.evaluation.evaluate.report import Evaluation
    from caesura.evaluation.matching import Match
    from caesura.metrics.base import Aggregation
    from caesura.results.evaluate.verdict import Verdict

_MANY = 10_000  # documents times systems
_MANY_BOUNDARIES = 1_000_000  # of all systems


class Given(TypedDict):
    """The values of the shared options, named as the parameters of `caesura.evaluate`; ``pseudo`` is ``against="pseudo"``."""

    reference: str
    systems: dict[str, str]
    metrics: list[str] | None
    against: str
    pseudo: bool
    profile: str
    by: Aggregation | None
    missing: Missing
    match: Match
    duration: str | None
    durations: str | None
    cut: int | str | None
    baselines: str
    seed: int
    threads: int | None
    format: str | None
    strict: bool


def length(ctx: click.Context, param: click.Parameter, value: str | None) -> int | str | None:
    """Return a number of units as an integer; a duration such as 10s is left as it is."""
    return int(value) if value is not None and value.isdecimal() else value


scoring_options = opt.several(
    click.argument("reference", type=click.Path()),
    opt.systems_argument(),
    opt.metric_option("Score these metrics, such as Pk,B or 'WindowDiff(k=5)'; repeatable."),
    opt.profile_option,
    opt.against_option,
    click.option(
        "--pseudo-reference",
        "pseudo",
        cls=What,
        is_flag=True,
        help="REFERENCE is machine-made; mark every number accordingly.",
    ),
    click.option(
        "--by", type=click.Choice(["macro", "micro"]), help="How documents are aggregated [the metric's default]."
    ),
    opt.missing_option,
    opt.match_option,
    opt.duration_option,
    opt.durations_option,
    click.option(
        "--cut",
        cls=What,
        callback=length,
        help="Also score separately the segments shorter than this and the others, such as 30 or 30s.",
    ),
)
"""What decides a score: the files, the metrics and the rules."""

evaluation_options = opt.several(
    scoring_options,
    click.option("--baselines", cls=What, default="", help="Also score baselines, such as none,every,random_density."),
    opt.seed_option,
    opt.reading_options,
    opt.number_option(
        "--threads", "Number of worker threads [one per processor]; results do not depend on it.", group=Large
    ),
    opt.output_options(counts=True),
)


def evaluated(given: Given) -> Evaluation | PanelEvaluation:
    """Evaluate the systems that were named."""
    from caesura.evaluation.evaluate import evaluate

    call: dict[str, Any] = {**given}
    with_pseudo(call, pseudo=call.pop("pseudo"))
    outcome: Evaluation | PanelEvaluation = evaluate(**call)
    return outcome


def with_pseudo(call: dict[str, Any], *, pseudo: bool) -> None:
    """Turn ``--pseudo-reference`` into what is scored against."""
    if pseudo:
        if call["against"] != "boundaries":
            raise click.UsageError("--against needs gold; leave out --pseudo-reference")
        call["against"] = "pseudo"


def judge(
    evaluation: Evaluation | PanelEvaluation,
    given: Given,
    outputs: Outputs,
    *,
    asked: bool = False,
    by_document: bool = False,
) -> None:
    """Add the verdicts that the answer in words rests on, unless there is so much to judge that it would take long.

    Where no F1 of boundaries is scored there is no verdict, but chance and the clock by the first metric. Where it is another F1
    than that of the verdicts, what is written to a file has chance and the clock by both: the page draws them beside its own.
    Against annotators there is no verdict either.
    """
    from caesura.evaluation.evaluate import Evaluation

    graded = [name for name, metric in evaluation.metrics.items() if metric.facts().direction != "target"]
    f1s = [name for name in graded if evaluation.metrics[name].name() == "BoundaryF1"]
    if not isinstance(evaluation, Evaluation):
        size = len(evaluation.corpora().systems) * len(evaluation.documents)
        if graded and size <= _MANY:
            evaluation.blind((f1s or graded)[0], seed=given["seed"])
        return
    documents = len(evaluation.documents) * len(evaluation.systems)
    boundaries = sum(len(pairs.hyp_pos) for pairs in evaluation.pairs.values())
    if not asked and (given["pseudo"] or documents > _MANY or boundaries > _MANY_BOUNDARIES):
        return
    from caesura.results.evaluate.verdict import Thresholds

    thresholds = Thresholds(seed=given["seed"])
    announce_chance(evaluation, thresholds.placements)
    if asked or not graded or f1s:
        verdicts = evaluation.verdicts(thresholds, by_document=by_document)
        _ask_the_text(evaluation, verdicts, given["seed"])
        if f1s and (outputs.output is not None or outputs.report is not None):
            scores = [(str(evaluation.metrics[f1]), {s: evaluation.scores[s][f1] for s in verdicts}) for f1 in f1s]
            if not any(all(v.judges(f1, row[s]) for s, v in verdicts.items()) for f1, row in scores):
                evaluation.blind(f1s[0], seed=given["seed"])
    else:
        evaluation.blind(graded[0], seed=given["seed"])


def _ask_the_text(evaluation: Evaluation, verdicts: Mapping[str, Verdict], seed: int) -> None:
    """Ask the texts about the extra boundaries of systems that set more than the reference has, if that takes no time to speak of."""
    from caesura.segmentation import CONTINUOUS_UNITS

    dense = [name for name, v in verdicts.items() if v.regime == "aggressive" and v.verdict != "not judged"]
    if dense and evaluation.unit not in CONTINUOUS_UNITS:
        from caesura.evaluation.evaluate.extra import readable

        if readable(evaluation):
            evaluation.extra_boundaries(systems=dense, seed=seed)


def with_baseline(given: Given, name: str) -> str:
    """Score a baseline too, unless it is already, and return what it is called; a name of none is returned as it is."""
    from caesura.declare import split_names
    from caesura.segmenters import SEGMENTERS

    if name.partition("(")[0] not in SEGMENTERS:
        return name
    baseline, texts = SEGMENTERS.parse(name), split_names(given["baselines"])
    if baseline.label not in [SEGMENTERS.parse(text).label for text in texts]:
        given["baselines"] = ",".join([*texts, name])
    return baseline.label


def announce_chance(evaluation: Evaluation | PanelEvaluation, placements: int) -> None:
    """Say how large the comparison with chance is, if it takes a while."""
    from caesura.evaluation.chance.expected import MANY_BOUNDARIES, fewest_draws
    from caesura.evaluation.evaluate import Evaluation

    documents = len(evaluation.documents)
    if isinstance(evaluation, Evaluation):
        sizes = [len(pairs.hyp_pos) for pairs in evaluation.pairs.values()]
    else:
        sizes = [len(corpus.flat.pos) for corpus in evaluation.corpora().systems.values()]
    least = min(fewest_draws(documents), placements)
    fewest = [least if size >= MANY_BOUNDARIES else placements for size in sizes]
    number = f"{min(fewest)} to {placements:,}" if min(fewest) < placements else f"{placements:,}"
    announce(
        f"{number} random placements of {sum(sizes):,} boundaries (documents: {documents:,}, systems: {len(sizes):,})",
        sum(draws * (size + documents) for draws, size in zip(fewest, sizes, strict=True)),
    )
