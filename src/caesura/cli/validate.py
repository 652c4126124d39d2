# SPDX-License-Identifier: Apache-2.0
"""``caesura validate``: which metric without a reference can be believed."""

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
    print_json,
    refuse_existing,
    show_all,
    vector_files,
    write_text,
)

if TYPE_CHECKING:
    from caesura.experiments.validity import Limits

__all__ = ["command"]

N = TypeVar("N", int, float)


@click.command("validate")
@click.argument("documents", type=click.Path())
@click.argument("segmentation", required=False, type=click.Path())
@metric_option("A metric without a reference; repeatable [ARPs, Silhouette, SegReFree].")
@click.option(
    "--encoder",
    "encoders",
    multiple=True,
    help="Whose vectors: default, onnx:minilm, st:NAME, npz:FILE; repeatable [default].",
)
@click.option(
    "--embeddings",
    type=click.Path(dir_okay=False),
    help="Vectors that are there already, beside or instead of an encoder: an npz with one array per document id.",
)
@click.option(
    "--reference-metric",
    "references",
    multiple=True,
    shell_complete=complete_metrics,
    help="With gold: a metric to correlate with; repeatable [Pk, WindowDiff, B, W-F1].",
)
@click.option(
    "--levels",
    default="0.1,0.3,0.5,0.7,0.9",
    show_default=True,
    help="Shares of boundaries removed and of segments split.",
)
@click.option(
    "--distances", default="1,2,3,4", show_default=True, help="How far boundaries are moved, in units."
)
@click.option(
    "--moved",
    type=click.Choice(["one", "all"]),
    default="all",
    show_default=True,
    help="Move one boundary of a document, or all.",
)
@click.option(
    "--draws",
    type=click.IntRange(min=1),
    default=5,
    show_default=True,
    help="How often each damage is done.",
)
@click.option(
    "--limit",
    "limits",
    multiple=True,
    help="Change a limit, such as better=0.9, removal=0.2, correlation=0.7, large=0.75; repeatable.",
)
@seed_option
@format_option
@output_option("Write everything as JSON.")
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
    """Ask which metric without a reference can be believed on DOCUMENTS.

    The boundaries of DOCUMENTS (gold, also of a part of them), or else those of SEGMENTATION, are damaged at rising levels;
    a metric that does not notice cannot be believed here.

    \b
    caesura validate gold.jsonl
    caesura validate gold.jsonl --encoder default --encoder onnx:minilm -o validity.json
    caesura validate docs.jsonl system.jsonl --limit better=0.9
    """  # noqa: D301  (click wants the backspace itself)
    from caesura.cli._progress import progress_bar
    from caesura.experiments.validity import validate

    if embeddings is not None:
        encoders = (*encoders, f"npz:{embeddings}")
    inputs = [documents] if segmentation is None else [documents, segmentation]
    refuse_existing(output, force=force, inputs=[*inputs, *vector_files(*encoders)])
    with progress_bar("validating", "trials") as progress:
        found = validate(
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
    if output is not None:
        import msgspec

        write_text(
            output, msgspec.json.format(msgspec.json.encode(found.to_dict()), indent=2).decode() + "\n"
        )
    if output_format == "json":
        print_json(found.to_dict())
    else:
        show_all(found.tables(), output_format)


def _numbers(text: str, kind: Callable[[str], N], option: str) -> list[N]:
    try:
        return [kind(part) for part in text.split(",") if part.strip()]
    except ValueError:
        raise click.UsageError(f"{option} {text!r} cannot be read; write numbers with commas") from None


def _limits(texts: tuple[str, ...]) -> Limits:
    from caesura.errors import DeclarationError
    from caesura.experiments.validity import Limits

    values: dict[str, Any] = {}
    for text in texts:
        name, _, value = text.partition("=")
        if name not in Limits.__dataclass_fields__:
            raise DeclarationError(
                f"--limit {text!r} is unknown; there are {', '.join(Limits.__dataclass_fields__)}"
            )
        try:
            values[name] = int(value) if name == "documents" else float(value)
        except ValueError:
            raise DeclarationError(f"--limit {text!r} cannot be read; write {name}=0.85") from None
    return Limits(**values)
