# SPDX-License-Identifier: Apache-2.0
"""Merge counted shards into the results of the whole corpus."""

from __future__ import annotations

import click

from caesura.cli import _options as opt
from caesura.cli._engine import finish_gathered
from caesura.cli._help import Command, What
from caesura.cli._output import Outputs

GROUP = "Large corpora"


@click.command("merge", cls=Command)
@click.argument("shards", nargs=-1, required=True, type=click.Path())
@click.option("--ci", cls=What, is_flag=True, help="Add an interval to every score.")
@click.option("--compare", cls=What, is_flag=True, help="Test every two systems.")
@opt.per_document_option
@opt.output_options(counts=True)
def command(shards: tuple[str, ...], ci: bool, compare: bool, per_document: bool, outputs: Outputs) -> None:
    """Merge SHARDS, the results of caesura count: files, or folders of them.

    Scores and signatures equal those of caesura evaluate on all documents, digit for digit, whatever the shards and their
    order. Intervals and tests are those of normal theory; if every shard was counted with --keep-counts, they equal those of
    caesura evaluate and compare, and there are scores of each document, and counts beside the results file. A damaged shard,
    or one counted by another recipe than the first, is named and left out, and the exit code is 4.

    \b
    caesura merge shard0 shard1 --format json
    caesura merge shards/ --ci --compare
    """  # noqa: D301  (click wants the backspace itself)
    from caesura.scale.files import merge_files

    finish_gathered(merge_files(shards), outputs, ci=ci, compare=compare, per_document=per_document)
