# SPDX-License-Identifier: Apache-2.0
"""``caesura validate``: which reference-free metrics work on a corpus."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from caesura.cli._options import (
    encoding_options,
    force_option,
    metric_option,
    output_option,
    reading_options,
    seed_option,
)
from caesura.cli._output import (
    complete_metrics,
    format_option,
    refuse_existing,
    show_results,
    vector_files,
)

if TYPE_CHECKING:
    from caesura.results.validity import Limits

__all__ = ["command"]

N = TypeVar("N", int, float)


@click.command("validate")
@click.argument("documents", type=click.Path())
@click.argument("segmentation", required=False, type=click.Path())
@metric_option("Test this reference-free metric; repeatable [ARPs, Silhouette, SegReFree].")
@click.option(
    "--encoder",
    "encoders",
    multiple=True,
    help="Use this encoder: default, onnx:minilm, st:NAME, npz:FILE; repeatable [default].",
)
@click.option(
    "--embeddings",
    type=click.Path(dir_okay=False),
    help="Read vectors from an npz with one array per document id, besides or instead of an encoder.",
)
@click.option(
    "--reference-metric",
    "references",
    multiple=True,
    shell_complete=complete_metrics,
    help="Correlate with this metric if there is gold; repeatable [Pk, WindowDiff, B, W-F1].",
)
@click.option(
    "--levels",
    default="0.1,0.3,0.5,0.7,0.9",
    show_default=True,
    help="Remove these shares of boundaries, and split these shares of segments.",
)
@click.option(
    "--distances", default="1,2,3,4", show_default=True, help="Move boundaries by these numbers of units."
)
@click.option(
    "--moved",
    type=click.Choice(["one", "all"]),
    default="all",
    show_default=True,
    help="Move one boundary of a document, or all of them.",
)
@click.option(
    "--draws",
    type=click.IntRange(min=1),
    default=5,
    show_default=True,
    help="Repeat each damage this many times.",
)
@click.option(
    "--limit",
    "limits",
    multiple=True,
    help="Override a limit, such as better=0.9, removal=0.2, correlation=0.7, large=0.75; repeatable.",
)
@seed_option
@format_option
@output_option("Write the results file (JSON).")
@encoding_options
@reading_options
@force_option
def command(
    documents: str,
    segmentation: str | None,
    metrics: tuple[str, ...],
    encoders: tuple[str, ...],
    embeddings: str | None,
    references: tuple[str, ...],
    levels: str,
    distances: str,
    moved: Any,
    draws: int,
    limits: tuple[str, ...],
    seed: int,
    output_format: str,
    output: str | None,
    no_cache: bool,
    allow_download: bool,
    from_format: str | None,
    strict: bool,
    force: bool,
) -> None:
    """Test which reference-free metrics work on DOCUMENTS.

    The boundaries of DOCUMENTS (gold, for all or some of them), or else those of SEGMENTATION, are damaged at rising levels.
    A metric that does not notice is not usable here.

    \b
    caesura validate gold.jsonl
    caesura validate gold.jsonl --encoder default --encoder onnx:minilm -o results.json
    caesura validate docs.jsonl system.jsonl --limit better=0.9
    """  # noqa: D301  (click wants the backspace itself)
    from caesura.cli._progress import progress_bar
    from caesura.experiments.validity import validate

    if embeddings is not None:
        encoders = (*encoders, f"npz:{embeddings}")
    inputs = [documents] if segmentation is None else [documents, segmentation]
    refuse_existing(output, force=force, inputs=[*inputs, *vector_files(*encoders)])
    with progress_bar("validating", "trials") as progress:
        outcome = validate(
            documents,
            segmentation,
            list(metrics) or None,
            encoders=encoders or ("default",),
            references=list(references) or None,
            levels=_numbers(levels, float, "--levels"),
            distances=_numbers(distances, int, "--distances"),
            moved=moved,
            draws=draws,
            limits=_limits(limits),
            seed=seed,
            cache=False if no_cache else None,
            allow_download=allow_download,
            format=from_format,
            strict=strict,
            progress=progress,
        )
    results = outcome.results() if output is None else outcome.save(output, overwrite=force)
    show_results(results, output_format)


def _numbers(text: str, kind: Callable[[str], N], option: str) -> list[N]:
    try:
        return [kind(part) for part in text.split(",") if part.strip()]
    except ValueError:
        raise click.UsageError(
            f"{option} {text!r} is not a list of numbers; write them with commas, such as 1,2"
        ) from None


def _limits(texts: tuple[str, ...]) -> Limits:
    from caesura.errors import DeclarationError
    from caesura.results.validity import Limits

    values: dict[str, Any] = {}
    for text in texts:
        name, _, value = text.partition("=")
        if name not in Limits.__struct_fields__:
            raise DeclarationError(
                f"--limit {text!r} is unknown; choose from {', '.join(Limits.__struct_fields__)}"
            )
        try:
            values[name] = int(value) if name == "documents" else float(value)
        except ValueError:
            raise DeclarationError(
                f"--limit {text!r} is not a number; write {name}={getattr(Limits(), name)}"
            ) from None
    return Limits(**values)
