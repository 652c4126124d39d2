# SPDX-License-Identifier: Apache-2.0
"""See it work: baselines against the annotators of a real novel."""

from __future__ import annotations

import click

from caesura.cli._options import format_option, full_option, seed_option
from caesura.cli._output import print_json, say, show

__all__ = ["command"]

_INTRODUCTION = (
    "People read chapters of The Moonstone, and an article on stars, and marked where an episode ends. How well do "
    "segmentations score that never looked at the text? Each reader is the reference in turn."
)
_GUIDE = """
How to read it
  Pk, WindowDiff  errors in a sliding window; 0 is perfect
  B, W-F1         boundaries found, near misses in part or within a paragraph
  BOR             boundaries set per boundary of the reader; 1 is equally many
  CovN            segments retrieved nearly whole; 1 is perfect
  FleissKappa ..  agreement of the readers beyond chance, on exact gaps
  ARPpair ..      no reference: are the paragraphs of a segment alike? z and
                  percentile are among random segmentations; 0 and 50 are chance
"""
_NEXT = """
Next
  caesura explain 6-3-4 4-4-5                why one pair has four values of Pk
  caesura evaluate gold.jsonl system.jsonl   your own data, one line per document:
                                             {"id": "d1", "masses": [6, 3, 4]}
  caesura demo --full                        agreement, and scores without a reference
"""


@click.command("demo")
@format_option
@full_option
@seed_option
def command(output_format: str, full: bool, seed: int) -> None:
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
        say((_INTRODUCTION, *(each.answer() for each in demonstrations)), output_format)
        click.echo()
    for demonstration in demonstrations:
        for table in demonstration.tables():
            if full or not table.detail:
                show(table, output_format)
                click.echo()
    if output_format == "table":
        click.echo((_GUIDE + _NEXT if full else _NEXT).strip("\n"))
