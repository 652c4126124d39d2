# SPDX-License-Identifier: Apache-2.0
"""Test which reference-free metrics work on your data."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from caesura.cli import _options as opt
from caesura.cli._help import Command, What
from caesura.cli._output import Outputs

if TYPE_CHECKING:
    from caesura.results.validate.facts import Limits

GROUP = "Without a reference"

N = TypeVar("N", int, float)


@click.command("validate", cls=Command)
@click.argument("documents", type=click.Path())
@click.argument("segmentation", required=False, type=click.Path())
@opt.metric_option("Test this reference-free metric; repeatable [Support, Placement, ARPs, Silhouette, SegReFree].")
@click.option(
    "--encoder",
    "encoders",
    multiple=True,
    help="Use this encoder: default, onnx:minilm, st:NAME, npz:FILE; repeatable [default].",
)
@opt.embeddings_option
@click.option(
    "--reference-metric",
    "references",
    cls=What,
    multiple=True,
    callback=opt.listed,
    shell_complete=opt.complete_metrics,
    help="Correlate with this metric if there is gold; repeatable [Pk, WindowDiff, B, W-F1].",
)
@opt.profile_option
@opt.against_option
@click.option(
    "--levels",
    default="0.1,0.3,0.5,0.7,0.9",
    show_default=True,
    help="Remove these shares of boundaries, and split these shares of segments.",
)
@click.option("--distances", default="1,2,3,4", show_default=True, help="Move boundaries by these numbers of units.")
@opt.number_option("--draws", "Repeat each damage this many times.", default=5)
@click.option(
    "--real-systems", is_flag=True, help="Also compare gold with what eight segmenters make of the documents."
)
@click.option(
    "--limit",
    "limits",
    multiple=True,
    help="Override a limit, such as better=0.9, removal=0.2, correlation=0.7, large=0.75; repeatable.",
)
@opt.seed_option
@opt.encoding_options
@opt.reading_options
@opt.output_options(figure="Draw how often each metric notices each damage")
def command(
    documents: str,
    segmentation: str | None,
    metrics: list[str] | None,
    encoders: tuple[str, ...],
    embeddings: str | None,
    references: list[str] | None,
    levels: str,
    distances: str,
    limits: tuple[str, ...],
    outputs: Outputs,
    **call: Any,
) -> None:
    """Test which reference-free metrics work on DOCUMENTS.

    The boundaries of DOCUMENTS (gold, for all or some of them), or else those of SEGMENTATION, are damaged at rising levels.
    A metric that does not notice is not usable here.

    \b
    caesura validate gold.jsonl
    caesura validate gold.jsonl --encoder default --encoder onnx:minilm
    caesura validate gold.jsonl --real-systems
    caesura validate docs.jsonl system.jsonl --limit better=0.9
    caesura validate annotated.jsonl --against consensus=0.5
    caesura validate gold.jsonl -m ARPstd --profile paper
    """  # noqa: D301  (click wants the backspace itself)
    from caesura.cli._progress import progress_bar
    from caesura.evaluation.validate.run import validate

    if embeddings is not None:
        encoders = (*encoders, f"npz:{embeddings}")
    with progress_bar("validating", "documents") as progress:
        outcome = validate(
            documents,
            segmentation,
            metrics,
            encoders=encoders or ("default",),
            references=references,
            levels=_numbers(levels, float, "--levels"),
            distances=_numbers(distances, int, "--distances"),
            limits=_limits(limits),
            progress=progress,
            **call,
        )
    outputs.finish(outcome.results(), outcome)


def _numbers(text: str, kind: Callable[[str], N], option: str) -> list[N]:
    try:
        return [kind(part) for part in text.split(",") if part.strip()]
    except ValueError:
        raise click.UsageError(
            f"{option} {text!r} is not a list of numbers; write them with commas, such as 1,2"
        ) from None


def _limits(texts: tuple[str, ...]) -> Limits:
    from caesura.errors import DeclarationError
    from caesura.results.validate.facts import Limits

    values: dict[str, Any] = {}
    for text in texts:
        name, _, value = text.partition("=")
        if name not in Limits.__struct_fields__:
            raise DeclarationError(f"--limit {text!r} is unknown; choose from {', '.join(Limits.__struct_fields__)}")
        try:
            values[name] = int(value) if name == "documents" else float(value)
        except ValueError:
            raise DeclarationError(
                f"--limit {text!r} is not a number; write {name}={getattr(Limits(), name)}"
            ) from None
    return Limits(**values)
