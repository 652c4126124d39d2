# SPDX-License-Identifier: Apache-2.0
"""``caesura cohesion``: segmentations without a reference."""

from __future__ import annotations

from typing import Any

import click

from caesura.cli._options import (
    encoding_options,
    force_option,
    metric_option,
    missing_option,
    output_option,
    reading_options,
    resamples_option,
    seed_option,
)
from caesura.cli._output import (
    format_option,
    named_files,
    refuse_existing,
    show_results,
    vector_files,
    write_files,
)

__all__ = ["command"]


@click.command("cohesion")
@click.argument("documents", type=click.Path())
@click.argument("systems", nargs=-1, type=click.Path())
@metric_option("Score this reference-free metric; repeatable [ARPpair, Silhouette, SegReFree].")
@click.option(
    "--encoder",
    "encoders",
    multiple=True,
    help="Encode with this [default]: default, onnx:minilm, st:NAME, hf:NAME, http:URL#MODEL, npz:FILE.",
)
@click.option(
    "--embeddings",
    type=click.Path(dir_okay=False),
    help="Read the vectors from an npz file with one array per document id.",
)
@click.option(
    "--null",
    "nulls",
    multiple=True,
    type=click.Choice(["count", "lengths", "none"]),
    help="Compare with random segmentations of as many boundaries or of the same lengths; repeatable [both].",
)
@click.option(
    "--draws",
    type=click.IntRange(min=2),
    default=100,
    show_default=True,
    help="Draw so many random segmentations of each kind.",
)
@click.option(
    "--worst",
    type=click.IntRange(min=0),
    default=3,
    show_default=True,
    help="Quote so many of each system's worst segments.",
)
@click.option(
    "--by",
    type=click.Choice(["macro", "micro", "median", "length"]),
    help="Aggregate documents by their mean, by pooling all segments, by their median, or by a mean weighted by units "
    "[macro].",
)
@missing_option
@resamples_option
@seed_option
@click.option("--per-document", is_flag=True, help="Print one row per system and document.")
@format_option
@output_option("Write the results file (JSON, with counts beside it).")
@click.option("--latex", type=click.Path(dir_okay=False), help="Also write the first table as LaTeX.")
@click.option(
    "--csv",
    "csv_file",
    type=click.Path(dir_okay=False),
    help="Also write scores, intervals and chance as CSV.",
)
@encoding_options
@reading_options
@force_option
def command(
    documents: str,
    systems: tuple[str, ...],
    metrics: tuple[str, ...],
    encoders: tuple[str, ...],
    embeddings: str | None,
    nulls: tuple[str, ...],
    draws: int,
    worst: int,
    by: Any,
    missing: Any,
    resamples: int,
    seed: int,
    per_document: bool,
    output_format: str,
    output: str | None,
    latex: str | None,
    csv_file: str | None,
    no_cache: bool,
    allow_download: bool,
    from_format: str | None,
    strict: bool,
    force: bool,
) -> None:
    """Score segmentations of DOCUMENTS without a reference.

    A system is a file, named by its stem, or NAME=FILE. Without SYSTEMS, the documents' own boundaries are scored. Each
    score is compared with chance: random segmentations with as many boundaries, or with the same segment lengths.

    \b
    caesura cohesion docs.jsonl chonkie.jsonl fixed.jsonl
    caesura cohesion docs.jsonl a.jsonl b.jsonl --encoder onnx:minilm -m ARPpair -m Silhouette
    caesura cohesion docs.jsonl a.jsonl --embeddings vectors.npz -o results.json
    """  # noqa: D301  (click wants the backspace itself)
    from caesura.cli._progress import progress_bar
    from caesura.evaluation.cohesion import KINDS, cohesion
    from caesura.reports import render
    from caesura.results import counts_path, tables_of
    from caesura.results.tables.cohesion import long_table

    if "none" in nulls and len(nulls) > 1:
        raise click.UsageError("--null none excludes the other kinds; leave out one of them")
    if len(encoders) + (embeddings is not None) > 1:
        raise click.UsageError(
            "give one encoder or --embeddings; scores of two encoders cannot stand in one table (caesura validate takes "
            "several)"
        )
    beside = None if output is None else str(counts_path(output))
    files = named_files(systems)
    spec = f"npz:{embeddings}" if embeddings is not None else (encoders or ("default",))[0]
    read = [documents, *files.values(), *vector_files(spec)]
    refuse_existing(output, beside, latex, csv_file, force=force, inputs=read)
    kinds: Any = KINDS if not nulls else tuple(kind for kind in nulls if kind != "none")
    with progress_bar("encoding", "texts") as encoding:
        outcome = cohesion(
            documents,
            files or None,
            list(metrics) or None,
            encoder=spec,
            by=by,
            nulls=kinds,
            draws=draws,
            resamples=resamples,
            seed=seed,
            missing=missing,
            cache=False if no_cache else None,
            allow_download=allow_download,
            format=from_format,
            strict=strict,
            progress=encoding,
        )
    with progress_bar("chance", "documents") as drawing:
        outcome.chance(drawing)
    results = outcome.results(per_document=per_document, worst=worst)
    if output is not None:
        outcome.save(output, results=results, overwrite=force)
    texts = {}
    if latex is not None:
        texts[latex] = render(tables_of(results)[0], "latex")
    if csv_file is not None:
        texts[csv_file] = render(tables_of(results)[0] if per_document else long_table(results), "csv")
    write_files(texts)
    show_results(results, output_format)
