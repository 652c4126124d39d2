# SPDX-License-Identifier: Apache-2.0
"""Measure segmentations without a reference."""

from __future__ import annotations

import sys
from typing import Any

import click

from caesura.cli import _options as opt
from caesura.cli._console import say
from caesura.cli._engine import Engine, engine_options, measure_documents
from caesura.cli._help import Command, What
from caesura.cli._output import Outputs

GROUP = "Without a reference"


@click.command("cohesion", cls=Command)
@click.argument("documents", type=click.Path())
@opt.systems_argument(required=False)
@opt.metric_option("Score this reference-free metric; repeatable [Support, Placement, ARPpair, Silhouette].")
@click.option(
    "--encoder",
    "encoders",
    multiple=True,
    help="Encoder: default, onnx:minilm, st:NAME, hf:NAME, http:URL#MODEL or npz:FILE [default].",
)
@opt.embeddings_option
@opt.profile_option
@click.option(
    "--null",
    "nulls",
    cls=What,
    multiple=True,
    type=click.Choice(["count", "lengths", "none"]),
    help="Compare with random segmentations that have as many boundaries (count) or the same lengths; repeatable [both].",
)
@opt.number_option("--draws", "Number of random segmentations of each kind.", default=100, minimum=2)
@opt.number_option("--worst", "Quote this many of each system's worst segments.", default=3, minimum=0)
@click.option(
    "--by",
    type=click.Choice(["macro", "micro", "median", "length"]),
    help="Aggregate documents by their mean, by pooling all segments, by their median, or by a mean weighted by units "
    "[macro].",
)
@click.option(
    "--check/--no-check",
    cls=What,
    default=True,
    show_default=True,
    help="Check each metric by perturbing the systems' output; only metrics that pass decide.",
)
@click.option("--annotators", cls=What, is_flag=True, help="Score each annotator of DOCUMENTS as a system too.")
@click.option(
    "--degenerate",
    type=click.Choice(["keep", "skip"]),
    default="keep",
    show_default=True,
    help="Keep documents in which a metric is infinite (equal centroids), or leave them out for all systems and metrics.",
)
@opt.missing_option
@opt.match_option
@opt.resamples_option
@opt.seed_option
@opt.per_document_option
@engine_options("Encode, and draw random segmentations, shard by shard: here, or on Ray; actors hold the encoder.")
@opt.encoding_options
@opt.reading_options
@opt.output_options(counts=True)
def command(
    documents: str,
    systems: dict[str, str],
    metrics: list[str] | None,
    encoders: tuple[str, ...],
    embeddings: str | None,
    nulls: tuple[str, ...],
    worst: int,
    per_document: bool,
    engine: Engine,
    outputs: Outputs,
    **call: Any,
) -> None:
    """Score segmentations of DOCUMENTS without a reference.

    A system is a file, named by its stem, or NAME=FILE. Without SYSTEMS, the documents' own boundaries are scored. Each
    score is compared with chance: random segmentations with as many boundaries, or with the same segment lengths.

    \b
    caesura cohesion docs.jsonl chonkie.jsonl fixed.jsonl
    caesura cohesion docs.jsonl a.jsonl --encoder onnx:minilm -m ARPpair
    caesura cohesion docs.jsonl a.jsonl --embeddings vectors.npz -o results.json
    caesura cohesion docs.jsonl a.jsonl -m ARPstd --profile paper
    caesura cohesion annotated.jsonl --annotators
    """  # noqa: D301  (click wants the backspace itself)
    from caesura.cli._progress import announce, progress_bar
    from caesura.evaluation.cohesion import KINDS, cohesion

    if "none" in nulls and len(nulls) > 1:
        raise click.UsageError("--null none excludes the other kinds; leave out one of them")
    if len(encoders) + (embeddings is not None) > 1:
        raise click.UsageError(
            "give one encoder or --embeddings; scores of two encoders are not comparable (caesura validate takes "
            "several)"
        )
    spec = f"npz:{embeddings}" if embeddings is not None else (encoders or ("default",))[0]
    kinds: Any = tuple(kind for kind in nulls if kind != "none") if nulls else KINDS
    failed: list[str] = []
    if engine:
        from caesura.scorers import Encoding

        encoding = Encoding(spec, cache=call["cache"], allow_download=call["allow_download"])
        outcome, failed = measure_documents(
            engine,
            encoding,
            lambda source: cohesion(documents, systems or None, metrics, encoder=source, nulls=kinds, **call),
        )
    else:
        with progress_bar("encoding") as progress:
            outcome = cohesion(
                documents, systems or None, metrics, encoder=spec, nulls=kinds, progress=progress, **call
            )
        draws, texts = call["draws"] * len(kinds), int(outcome.source.corpus.flat.n_units.sum())
        announce(
            f"{draws:,} random segmentations of {texts:,} units for each system", draws * texts * len(outcome.systems)
        )
        with progress_bar("chance", "documents") as progress:
            outcome.chance(progress)
    for line in failed:
        say(line)
    results = outcome.results(per_document=per_document, worst=worst)
    outputs.finish(results, outcome)
    if failed:
        sys.exit(4)
