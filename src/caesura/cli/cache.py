# SPDX-License-Identifier: Apache-2.0
"""Show or clear the cache of vectors."""

from __future__ import annotations

import click

from caesura.cli import _options as opt
from caesura.cli._help import Command
from caesura.cli._output import print_json, show

GROUP = "Files"


@click.command("cache", cls=Command)
@click.argument("action", type=click.Choice(["show", "clear"]), default="show")
@click.option(
    "--encoder", "which", metavar="NAME", help="With clear: only vectors of this encoder, by fingerprint or name."
)
@opt.format_option
def command(action: str, which: str | None, output_format: str) -> None:
    """Show the vectors that are stored on disk, or clear them.

    \b
    caesura cache
    caesura cache clear
    caesura cache clear --encoder onnx:minilm

    Vectors are stored in the folder CAESURA_CACHE, or in the system's folder for caches. CAESURA_CACHE_LIMIT sets their
    maximum size, such as 500MB or 2GB [2 GiB]; beyond it, the least recently used ones are dropped.
    """  # noqa: D301  (click wants the backspace itself)
    import dataclasses

    from caesura.declare import nearest
    from caesura.encoders import Cache
    from caesura.errors import EncoderError
    from caesura.segmenters.others.chat import clear_answers, count_answers
    from caesura.table import Column, Table, Value

    if which is not None and action == "show":
        raise click.UsageError("--encoder needs clear: caesura cache clear --encoder NAME")
    with Cache() as cache:
        kept = cache.kept()
        if action == "clear":
            selected = [row for row in kept if which in (None, row.fingerprint, row.name)]
            if which is not None and not selected:
                known = [name for row in kept for name in (row.fingerprint, row.name)]
                hint = nearest(which, known) if known else "the cache is empty"
                raise EncoderError(f"the cache keeps no vectors of {which!r}; {hint}")
            count = sum(cache.clear(row.fingerprint) for row in selected)
            answers = clear_answers() if which is None else 0
            dropped = f"{count} vectors" + (f" and {answers} answers of language models" if answers else "")
            click.echo(f"{cache.path}: {dropped} dropped")
            return
        size, limit, path = cache.size(), cache.limit, str(cache.path)
    if output_format == "json":
        rows = [dataclasses.asdict(row) for row in kept]
        print_json({"path": path, "bytes_on_disk": size, "limit": limit, "encoders": rows})
        return
    titles = ("encoder", "fingerprint", "dim", "vectors", "bytes")
    table: list[list[Value]] = [[row.name, row.fingerprint, row.dim, row.entries, row.bytes] for row in kept]
    notes = [f"{path}: {size} bytes on disk, at most {limit} bytes of vectors are kept"]
    if answers := count_answers():
        notes.append(f"{answers} answers of language models")
    show(Table([Column(title) for title in titles], table, notes), output_format)
