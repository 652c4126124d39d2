# SPDX-License-Identifier: Apache-2.0
"""``caesura demo``: see it work on a real novel."""

from __future__ import annotations

import click

from caesura.cli._output import format_option, print_json, show

__all__ = ["command"]

_INTRODUCTION = """\
Four to six people read chapters of The Moonstone and marked where an episode ends. How near do segmentations come that
have not read a word? Each reader is the reference in turn; the last row is another reader of the same chapter.
"""
_GUIDE = """
How to read it
  Pk, WindowDiff  errors seen through a sliding window; 0 is perfect. Setting no boundary at all looks decent here.
  B, W-F1         how well boundaries agree, near ones counting in part or within one paragraph; 1 is perfect.
  BOR             boundaries set per boundary of the reader; 1 is as many. It says why the others come out as they do.
  CovN            segments retrieved nearly whole; 1 is perfect.
  FleissKappa ..  agreement of the readers beyond chance, exact gaps; AgreementB lets near misses count in part.
                  They agree little on exact gaps, more on regions: see the support within half a window and a window.
  ARPpair ..      no reader needed: are paragraphs of a segment alike, and their neighbours not? z and percentile say how a
                  segmentation stands among random ones with as many boundaries; 0 and 50 are chance.
  Each line below a table is the recipe of a number: put it into the footnote of your paper.

Next
  caesura explain 6-3-4 4-4-5                     why one pair of segmentations has four different Pk
  caesura evaluate gold.jsonl system.jsonl        your own data; one JSON object a line: {"id": "d1", "masses": [6, 3, 4]}
  caesura agree annotations.jsonl                 do your own annotators agree, where, and in what do they differ
  caesura cohesion docs.jsonl chunks.jsonl        no reference at all: which chunker is best at equal density
  caesura metrics CovN                            what a metric means
"""


@click.command("demo")
@format_option
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of the random baseline.")
def command(output_format: str, seed: int) -> None:
    """Score baselines that read nothing against the annotators of a real novel and a real article."""
    from caesura.datasets.bundled import BUNDLED
    from caesura.experiments.demo import demonstrate

    demonstrations = [demonstrate(name, seed=seed) for name in BUNDLED]
    if output_format == "json":
        print_json({d.name: d.evaluation.results() for d in demonstrations})
        return
    if output_format == "table":
        click.echo(_INTRODUCTION)
    for demonstration in demonstrations:
        for table in demonstration.tables():
            show(table, output_format)
            click.echo()
    if output_format == "table":
        click.echo(_GUIDE.strip("\n"))
