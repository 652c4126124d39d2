# SPDX-License-Identifier: Apache-2.0
"""``caesura encode``: the vectors of documents, in a file."""

from __future__ import annotations

import click

from caesura.cli._options import encoding_options, force_option, reading_options
from caesura.cli._progress import progress_bar

__all__ = ["command"]


@click.command("encode")
@click.argument("docs", metavar="DOCS", type=click.Path(path_type=str))
@click.option(
    "-o",
    "--output",
    required=True,
    metavar="FILE",
    type=click.Path(dir_okay=False),
    help="Write the vectors to this npz file.",
)
@click.option(
    "--encoder",
    "spec",
    default="default",
    show_default=True,
    metavar="SPEC",
    help="Encoder: default, onnx:minilm, onnx:FOLDER, st:NAME, hf:NAME, http:URL#MODEL, module:attribute.",
)
@encoding_options
@reading_options
@force_option
def command(
    docs: str,
    output: str,
    spec: str,
    allow_download: bool,
    no_cache: bool,
    from_format: str | None,
    force: bool,
    strict: bool,
) -> None:
    """Encode the units of documents, and write one array per document id.

    \b
    caesura encode docs.jsonl -o vectors.npz
    caesura encode docs.jsonl -o vectors.npz --encoder onnx:minilm

    Vectors are cached as they arrive (see caesura cache), so that an interrupted run
    continues where it stopped.
    """  # noqa: D301  (click wants the backspace itself)
    from caesura.cli._output import refuse_existing
    from caesura.encoders import embed, encoder
    from caesura.encoders.npz import write_npz
    from caesura.errors import FormatError
    from caesura.formats import load

    if not output.lower().endswith(".npz"):
        raise FormatError("vectors are written as npz; end the name in .npz", output)
    refuse_existing(output, force=force, inputs=[docs])
    corpus = load(docs, from_format, strict=strict)
    opened = encoder(spec, allow_download=allow_download)
    with progress_bar("encoding") as progress:
        vectors = embed(corpus, opened, cache=False if no_cache else None, progress=progress)
    made_by = f"{opened.name} {opened.fingerprint}"
    write_npz(output, ((d.id, vectors[d.id], d.units) for d in corpus), made_by)
    many = "1 document" if len(corpus) == 1 else f"{len(corpus)} documents"
    units = int(corpus.flat.n_units.sum())
    click.echo(
        f"{output}: {many}, {units} vectors of {opened.dim} numbers, by {opened.name} ({opened.fingerprint})"
    )
