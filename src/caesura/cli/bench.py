# SPDX-License-Identifier: Apache-2.0
"""Segment by several methods, and test which is better."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from caesura.cli import _options as opt
from caesura.cli._console import say
from caesura.cli._engine import Engine, engine_options, measure_documents, segment_documents
from caesura.cli._help import Command, Output, What
from caesura.cli._output import Outputs, make_folder, refuse_given
from caesura.cli._overwriting import OutputFile, refuse_outputs

if TYPE_CHECKING:
    from caesura.batches.pairs import Missing
    from caesura.corpus import Corpus
    from caesura.evaluation.measurement import Measurement
    from caesura.results.base import Number
    from caesura.results.check.facts import CheckedRule
    from caesura.scorers import Encoding

GROUP = "Segment and train"
_LIMITS = ("tokenizer", "max_tokens")  # of chunks


@click.command("bench", cls=Command)
@click.argument("documents", metavar="DOCS", type=click.Path())
@opt.methods_option("Segment by this method, as in caesura segment, and call it NAME; repeatable.")
@click.option("--gold", cls=What, is_flag=True, help="Score against the boundaries of DOCS, as caesura compare does.")
@opt.against_option
@click.option(
    "--spans",
    "spans_file",
    cls=What,
    type=click.Path(),
    help="Count which of these answers or citations each method cuts, as caesura spans does with its chunks; structure: "
    "code, tables, items of lists and headings of DOCS.",
)
@opt.retrieving_options
@opt.metric_option("Score this metric; repeatable [as caesura compare or caesura cohesion].")
@opt.encoder_options("Encoder of the methods and of the metrics that read vectors.")
@click.option(
    "--systems",
    "folder",
    cls=Output,
    type=OutputFile(folder=True),
    help="Also write the output of each method into this folder: boundaries, and the chunks of a chunker.",
)
@opt.missing_option
@opt.slice_option
@opt.resamples_option
@opt.seed_option
@engine_options("Segment shard by shard, and encode for cohesion: here, or on Ray; actors hold the encoder.")
@opt.encoding_options
@opt.reading_options
@opt.output_options(counts=True)
def command(
    documents: str,
    methods: opt.Methods,
    gold: bool,
    against: str,
    spans_file: str | None,
    metrics: list[str] | None,
    encoding: Encoding,
    folder: str | None,
    missing: Missing,
    field: str | None,
    resamples: int,
    seed: int,
    engine: Engine,
    outputs: Outputs,
    **given: Any,
) -> None:
    """Segment DOCS by several methods, then say which is better, and what each costs.

    \b
    caesura bench gold.jsonl --method TextTiling --method C99 --gold
    caesura bench people.jsonl --method TextTiling --against annotators
    caesura bench docs.jsonl --method Scatter --method chonkie:SemanticChunker
    caesura bench docs/ --method langchain:MarkdownTextSplitter --max-tokens 512
    caesura bench docs.jsonl --method mine=mymodule:cut --spans answers.jsonl

    With --gold, or --against, the boundaries or annotators of DOCS are the reference; no method sees them, unless its name says
    oracle. With --spans, answers or citations that should stay whole are counted in the chunks that a chunker makes of each text.
    With neither option, the headings, code, tables and lists of Markdown, HTML and reStructuredText are what should stay whole; for
    other documents, and with -m, cohesion is measured. For --gold and cohesion a chunker's cuts are moved to the nearest gap between
    units, and the table says how far. Evenly spaced and random boundaries at the same density are scored for comparison. If one method
    fails, the others are scored, and the exit code is 4.
    """  # noqa: D301  (click wants the backspace itself)
    from caesura.corpus import Origin
    from caesura.errors import CaesuraError, listed
    from caesura.evaluation.against import one_choice
    from caesura.files import file_hash
    from caesura.formats import leaving_out, load
    from caesura.results.costs import Cost
    from caesura.segmenters.run import cost_of, file_names, parse_methods, save_segmented, short_names, told

    retrieving = {name: given.pop(name) for name in opt.RETRIEVING}
    reading = given
    gold = gold or against != "boundaries"
    if spans_file is None:
        refuse_given([name for name in opt.RETRIEVING if name not in _LIMITS], "needs --spans")
    if field is not None and not gold and spans_file is None:
        raise click.UsageError("--slice needs scores of documents: add --gold, or --spans FILE")
    if gold and spans_file is not None:
        raise click.UsageError(
            f"{'--gold' if against == 'boundaries' else '--against'} and --spans are two questions; leave out one of them"
        )
    one_choice(against)
    if spans_file is not None and metrics is not None:
        raise click.UsageError("--spans has its own metrics; leave out -m")
    if spans_file is not None and outputs.figure is not None:
        raise click.UsageError("--figure draws scores, which --spans has none of; use --report")
    chosen = parse_methods(methods.texts)
    names = methods.named(short_names(chosen))
    paths = []
    if folder is not None:
        paths = file_names(methods.named(method.label for method in chosen), folder, ".jsonl")
        make_folder(folder)
    refuse_outputs(click.get_current_context(), *paths, force=outputs.force)
    with leaving_out(missing) as bad:
        corpus = load(documents, **reading)
    made: dict[str, Corpus] = {}
    costs: dict[str, Cost] = {}
    lacking: set[str] = set()
    failed: list[str] = []
    by_default = not gold and spans_file is None and metrics is None and not engine and _structured(corpus)
    if by_default:
        spans_file = "structure"
    as_chunks = spans_file is not None
    if not as_chunks:
        refuse_given(_LIMITS, "needs --spans, or documents with headings, code, tables or lists")
    outcomes = segment_documents(corpus, methods.texts, encoding, seed, engine, whole_text=as_chunks)
    for place, (method, outcome, lines) in enumerate(outcomes):
        for line in lines:
            say(told(method, line))
        shown = "" if getattr(method, "called", "") else method.label
        if isinstance(outcome, CaesuraError):
            if len(chosen) == 1:
                raise outcome
            costs[names[place]] = Cost(method=shown, failure=told(method, outcome))
            say(told(method, outcome))
            continue
        made[names[place]], costs[names[place]] = outcome, cost_of(outcome, shown, whole_text=as_chunks)
        lacking |= set(corpus.ids) - set(outcome.ids) if lines else set()
        if paths:
            save_segmented(outcome, paths[place], overwrite=outputs.force)
            outcome.origin = Origin(os.path.abspath(paths[place]), file_hash(paths[place]))  # noqa: PTH100
    if lacking:
        corpus = corpus.subset(set(corpus.ids) - lacking)
        made = {name: system.subset(corpus.ids) for name, system in made.items()}
    if not made or not len(corpus):
        sys.exit(2)
    if gold:
        measured = _against_gold(corpus, made, metrics, against, resamples, seed, outputs)
    elif spans_file is not None:
        from caesura.evaluation.spans import spans

        measured = spans(
            corpus,
            spans_file,
            made,
            missing=missing,
            resamples=resamples,
            seed=seed,
            strict=reading["strict"],
            **retrieving,
        )
    else:
        from caesura.evaluation.cohesion import cohesion

        cut = {name: len(system.flat.pos) + len(corpus) for name, system in made.items()}
        systems = {**made, **_clock(corpus, cut, made, seed)}
        call: dict[str, Any] = {"resamples": resamples, "seed": seed, "cache": encoding.cache}
        if engine:
            measured, failed = measure_documents(
                engine, encoding, lambda source: cohesion(corpus, systems, metrics, encoder=source, **call)
            )
        else:
            measured = cohesion(corpus, systems, metrics, encoder=encoding.source, **call)
    for line in failed:
        say(line)
    if field is not None:
        measured.slices(field, resamples=resamples, seed=seed)
    results = measured.results()
    results.notes += [f"{len(bad)} documents cannot be read, left out: {listed(bad, '; ')}"] if bad else []
    if lacking:
        results.notes.insert(0, f"documents that failed, and are not in these numbers: {len(lacking)}")
    if gold and len(made) > 1:
        results.question = "compare"
    if results.spans is not None and results.spans.length_in == "tokens":
        results.spans.health = _health(corpus, made, retrieving["tokenizer"], retrieving["max_tokens"])
        if by_default:
            results.spans.placement = _placement(corpus, made, encoding, seed)
    results.costs = costs
    outputs.finish(results, measured)
    if len(made) < len(chosen) or lacking or failed:
        sys.exit(4)


def _against_gold(
    corpus: Corpus,
    made: Mapping[str, Corpus],
    metrics: list[str] | None,
    against: str,
    resamples: int,
    seed: int,
    outputs: Outputs,
) -> Measurement:
    """Score against the boundaries of the documents, or their annotators, and compare if there are several methods."""
    from caesura.cli._evaluating import announce_chance, judge
    from caesura.evaluation.evaluate import evaluate
    from caesura.evaluation.intervals import DRAWS

    evaluation = evaluate(corpus, dict(made), metrics, against=against, baselines="every", seed=seed)
    announce_chance(evaluation, DRAWS)
    if len(made) > 1:
        evaluation.compare(None, resamples=resamples, seed=seed)
    else:
        evaluation.intervals(resamples, seed)
    judge(evaluation, {"pseudo": False, "seed": seed}, outputs)  # type: ignore[typeddict-item]
    return evaluation


def _structured(corpus: Corpus) -> bool:
    """Say whether documents have headings, code, tables or lists that chunks should keep whole, and texts throughout."""
    from caesura.evaluation.spans import has_structure

    return all(document.units is not None for document in corpus) and any(map(has_structure, corpus))


def _health(
    corpus: Corpus, made: Mapping[str, Corpus], tokenizer: str | None, max_tokens: int | None
) -> dict[str, list[CheckedRule]]:
    """Return what the chunks of each method break, as `caesura check` counts it."""
    from caesura.evaluation.check import check

    return {
        name: check(corpus, system, missing="skip", tokenizer=tokenizer, max_tokens=max_tokens).facts.rules
        for name, system in made.items()
    }


def _placement(corpus: Corpus, made: Mapping[str, Corpus], encoding: Encoding, seed: int) -> dict[str, Number]:
    """Return how well the boundaries of each method are placed, without a reference."""
    from caesura.evaluation.cohesion import cohesion
    from caesura.results import number

    measured = cohesion(corpus, made, ["Placement"], encoder=encoding.source, cache=encoding.cache, seed=seed)
    return {name: number(row["Placement"]) for name, row in measured.scores.items()}


def _clock(corpus: Corpus, segments: Mapping[str, float], made: Mapping[str, Corpus], seed: int) -> dict[str, Corpus]:
    """Return a system that cuts after equally many units everywhere, into as many segments as the methods on average."""
    from caesura.segmenters.baselines import Every

    units = int(corpus.flat.n_units.sum())
    length = max(1, round(units / (sum(segments.values()) / len(segments))))
    clock = Every(n=length)
    return {} if str(clock) in made else {str(clock): clock.segment(corpus, seed)}
