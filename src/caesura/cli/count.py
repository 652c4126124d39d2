# SPDX-License-Identifier: Apache-2.0
"""Count one shard of a corpus, to be merged with others."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from caesura.cli import _options as opt
from caesura.cli._evaluating import scoring_options
from caesura.cli._help import Command, Large, Output
from caesura.cli._overwriting import OutputFile, refuse_outputs

GROUP = "Large corpora"


@click.command("count", cls=Command)
@scoring_options
@click.option(
    "-o",
    "--output",
    cls=Output,
    required=True,
    type=OutputFile(folder=True),
    help="Write the counts of the shard to this file, or into this folder under a name made of its content.",
)
@click.option(
    "--keep-counts",
    cls=Large,
    is_flag=True,
    help="Keep the counts of every document, for scores per document and resampled intervals.",
)
@opt.number_option("--threads", "Number of worker threads; results do not depend on it.", default=1, group=Large)
@opt.reading_options
@opt.force_option
def command(
    reference: str, systems: dict[str, str], output: str, force: bool, pseudo: bool, keep_counts: bool, **given: Any
) -> None:
    """Count one shard: some documents of REFERENCE with those of every system.

    The result is a small file that caesura merge adds to others. Any scheduler can run this command, once for each
    shard: a shard that is counted already is skipped, and a result is written whole or not at all.

    \b
    caesura count gold.part0.jsonl a=a.part0.jsonl -m Pk -m B -o shard0
    caesura count gold.part1.jsonl a=a.part1.jsonl -m Pk -m B -o shard1
    caesura merge shard0 shard1
    """  # noqa: D301  (click wants the backspace itself)
    from caesura.cli._evaluating import with_pseudo
    from caesura.scale import count, write_shard
    from caesura.scale.count import shard_key
    from caesura.scale.files import is_counted, shard_path

    with_pseudo(given, pseudo=pseudo)
    folder = Path(output).is_dir()
    if not force and (folder or Path(output).is_file()):
        key = shard_key(reference, systems, **given)
        known = None if key is None else shard_path(output, key) if folder else Path(output)
        if key is not None and known is not None and is_counted(known, key, keep_counts=keep_counts):
            click.echo(f"{known}: counted already, nothing to do")
            return
    if not folder:
        refuse_outputs(click.get_current_context(), output, force=force)
    result = count(reference, systems, keep_counts=keep_counts, **given)
    path = shard_path(output, result.key) if folder else Path(output)
    write_shard(path, result, overwrite=force or folder)  # in a folder the name is the content
    counted = {"document": result.documents, "system": len(result.readings), "metric": len(result.metrics)}
    shown = [f"{number:,} {what}{'' if number == 1 else 's'}" for what, number in counted.items()]
    click.echo(f"{path}: {', '.join(shown)}")
