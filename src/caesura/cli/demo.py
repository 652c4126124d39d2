# SPDX-License-Identifier: Apache-2.0
"""See it work: baselines against the annotators of a real novel."""

from __future__ import annotations

import click

from caesura.cli._options import format_option, seed_option
from caesura.cli._output import print_json, show

__all__ = ["command"]

_INTRODUCTION = """\
Four to six people read chapters of The Moonstone and marked where an episode ends. How well do segmentations score that
never looked at the text? Each reader is the reference in turn; the last row is another reader of the same chapter.
"""
_GUIDE = """
How to read it
  Pk, WindowDiff  errors counted through a sliding window; 0 is perfect. Setting no boundary at all looks decent here.
  B, W-F1         agreement of boundaries, with partial credit for near misses or a tolerance of one paragraph; 1 is perfect.
  BOR             boundaries set per boundary of the reader; 1 is equally many. It explains much of the other scores.
  CovN            segments retrieved nearly whole; 1 is perfect.
  FleissKappa ..  agreement of the readers beyond chance, on exact gaps; AgreementB gives partial credit for near misses.
                  They agree little on exact gaps and more on regions: see the support within half a window and a window.
  ARPpair ..      no reference needed: are the paragraphs of a segment alike, and different from their neighbours? z and
                  percentile place a segmentation among random ones with as many boundaries; 0 and 50 are chance.
  Each line below a table is the recipe of a number: put it into the footnote of your paper.

Next
  caesura explain 6-3-4 4-4-5                     why one pair of segmentations has four values of Pk
  caesura evaluate gold.jsonl system.jsonl        your own data, one JSON object per line: {"id": "d1", "masses": [6, 3, 4]}
  caesura agree annotations.jsonl                 whether your own annotators agree, where, and in what they differ
  caesura cohesion docs.jsonl chunks.jsonl        without a reference: which chunker is best at equal density
  caesura metrics CovN                            what a metric means
"""


@click.command("demo")
@format_option
@seed_option
def command(output_format: str, seed: int) -> None:
    """Score baselines that never read the text against the annotators of a real novel and a real article."""
    from caesura.datasets.bundled import BUNDLED
    from caesura.experiments.demo import demonstrate

    demonstrations = [demonstrate(name, seed=seed) for name in BUNDLED]
    if output_format == "json":
        import msgspec

        from caesura.results import as_text

        print_json({each.name: msgspec.Raw(as_text(each.evaluation).encode()) for each in demonstrations})
        return
    if output_format == "table":
        click.echo(_INTRODUCTION)
    for demonstration in demonstrations:
        for table in demonstration.tables():
            show(table, output_format)
            click.echo()
    if output_format == "table":
        click.echo(_GUIDE.strip("\n"))
