# SPDX-License-Identifier: Apache-2.0
"""Test whether reference-free metrics rank systems correctly."""

from __future__ import annotations

from typing import Any

import click

from caesura.cli import _options as opt
from caesura.cli._help import Command, What
from caesura.cli._output import Outputs, refuse_given, say, show

GROUP = "Without a reference"


@click.command("correlate", cls=Command)
@click.argument("gold", metavar="[GOLD]", required=False, type=click.Path())
@opt.systems_argument(required=False)
@click.option(
    "--board",
    "own",
    cls=What,
    metavar="NAME=module:attribute",
    help="Instead of GOLD and SYSTEMS: your metric without a reference on nine trained systems and four corpora, beside the published ones.",
)
@opt.metric_option(
    "Correlate this metric, without or with a reference; repeatable [ARPpair, SegReFree, Silhouette with Pk, WindowDiff, W-F1]."
)
@click.option(
    "--encoder",
    "encoders",
    multiple=True,
    metavar="SPEC",
    help="Encoder of metrics without a reference; repeatable [default].",
)
@click.option(
    "--baselines",
    cls=What,
    default="",
    help="Also score baselines, such as even,random_density, left out of three readings; paper000: gold, and random as in Ghinassi et al.",
)
@opt.against_option
@opt.missing_option
@opt.match_option
@opt.resamples_option
@opt.seed_option
@opt.encoding_options
@opt.reading_options
@opt.output_options(figure="Draw the correlations")
def command(
    gold: str | None,
    systems: dict[str, str],
    own: str | None,
    metrics: list[str] | None,
    encoders: tuple[str, ...],
    outputs: Outputs,
    **call: Any,
) -> None:
    """Correlate metrics without and with a reference over SYSTEMS, whose documents are those of GOLD.

    Four readings: all systems; without baselines, which any metric tells from systems; with the density (log BOR) held constant;
    and systems only, without baselines and without systems that equal GOLD. Also printed: the share of pairs of systems ordered as
    by the reference metric, and the difference of two metrics' correlations. Systems that were made with the judging vectors
    are marked. Intervals resample documents.

    \b
    caesura correlate gold.jsonl systems/*.jsonl --baselines random_density,even
    caesura correlate gold.jsonl systems/*.jsonl --baselines paper000
    caesura correlate gold.jsonl systems/*.jsonl -m Pk --encoder onnx:minilm
    caesura correlate --board mymetric=mymodule:score
    """  # noqa: D301  (click wants the backspace itself)
    from caesura.cli._progress import progress_bar

    if own is not None:
        from caesura.evaluation.correlate.board import board

        unused = (
            "gold",
            "systems",
            "metrics",
            "baselines",
            "against",
            "missing",
            "match",
            "output",
            "figure",
            "report",
            "full",
        )
        refuse_given(unused, "is not for --board, which has its own corpora, systems and metrics and prints a table")
        kept = {name: call[name] for name in ("resamples", "seed", "cache", "allow_download") if name in call}
        with progress_bar("encoding") as progress:
            made = board(own, encoders=encoders or ("default",), progress=progress, **kept)
        text = outputs.output_format in ("table", "markdown", "latex")
        if text and outputs.output_format != "latex":
            say(made.sentences(), outputs.output_format)
            click.echo()
        show(made.table(text=text), outputs.output_format)
        return
    if gold is None or not systems:
        raise click.UsageError("name GOLD and at least three SYSTEMS, or --board NAME=module:attribute")
    from caesura.evaluation.correlate.run import correlate

    with progress_bar("encoding") as progress:
        outcome = correlate(gold, systems, metrics, encoders=encoders or ("default",), progress=progress, **call)
    outputs.finish(outcome.results(), outcome)
