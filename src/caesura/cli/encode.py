# SPDX-License-Identifier: Apache-2.0
"""Encode the units of documents, and write their vectors."""

from __future__ import annotations

from typing import Any

import click

from caesura.cli._options import encoding_options, file_option, force_option, reading_options
from caesura.cli._output import counted
from caesura.cli._progress import progress_bar

__all__ = ["command"]


@click.command("encode")
@click.argument("docs", metavar="DOCS", type=click.Path(path_type=str))
@file_option("-o", "--output", required=True, what="Write the vectors to this npz file.")
@click.option(
    "--encoder",
    "spec",
    default="default",
    show_default=True,
    metavar="SPEC",
    help="Encoder: default, onnx:minilm, onnx:FOLDER, numpy:FOLDER, st:NAME, hf:NAME, http:URL#MODEL, module:attribute.",
)
@encoding_options
@reading_options
@force_option
def command(
    docs: str, output: str, spec: str, cache: bool | None, allow_download: bool, force: bool, **reading: Any
) -> None:
    """Encode the units of DOCS, and write one array per document id.

    \b
    caesura encode docs.jsonl -o vectors.npz
    caesura encode docs.jsonl -o vectors.npz --encoder onnx:minilm

    Vectors are cached as they arrive (see caesura cache), so that an interrupted run continues where it
    stopped.
    """  # noqa: D301  (click wants the backspace itself)
    from caesura.encoders import embed, encoder
    from caesura.encoders.npz import write_npz
    from caesura.errors import FormatError
    from caesura.files import check_output
    from caesura.formats import load

    if not output.lower().endswith(".npz"):
        raise FormatError("vectors are written as npz; end the name in .npz", output)
    corpus = load(docs, **reading)
    opened = encoder(spec, allow_download=allow_download)
    with progress_bar("encoding") as progress:
        vectors = embed(corpus, opened, cache=cache, progress=progress)
    check_output(output, overwrite=force)  # again: encoding takes time
    rows = ((d.id, vectors[d.id], d.units) for d in corpus)
    write_npz(output, rows, f"{opened.name} {opened.fingerprint}")
    size = f"{int(corpus.flat.n_units.sum())} vectors of {opened.dim} numbers"
    click.echo(f"{output}: {counted(corpus)}, {size}, by {opened.name} ({opened.fingerprint})")
