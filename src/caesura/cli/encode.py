# SPDX-License-Identifier: Apache-2.0
"""``caesura encode``: the vectors of documents, in a file."""

from __future__ import annotations

import click

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
    help="Write here: an npz.",
)
@click.option(
    "--encoder",
    "spec",
    default="default",
    show_default=True,
    metavar="SPEC",
    help="What to encode with: default, onnx:minilm, onnx:FOLDER, st:NAME, hf:NAME, http:URL#MODEL, module:attribute.",
)
@click.option("--allow-download", is_flag=True, help="Fetch weights that are not on this machine.")
@click.option("--no-cache", is_flag=True, help="Neither use nor keep vectors of other runs.")
@click.option(
    "--from", "source_format", metavar="FORMAT", help="Format of DOCS, where it is not detected rightly."
)
@click.option("--force", is_flag=True, help="Replace FILE if it is there already.")
@click.option("--strict", is_flag=True, help="Refuse what is otherwise a warning, such as unknown keys.")
def command(
    docs: str,
    output: str,
    spec: str,
    allow_download: bool,
    no_cache: bool,
    source_format: str | None,
    force: bool,
    strict: bool,
) -> None:
    """Encode the units of documents, and write one array per document id.

    \b
    caesura encode docs.jsonl -o vectors.npz
    caesura encode docs.jsonl -o vectors.npz --encoder onnx:minilm

    Vectors are kept on disk as they come (see caesura cache), so that a run that was stopped goes on where it was.
    """  # noqa: D301  (click wants the backspace itself)
    from caesura.cli._output import refuse_existing
    from caesura.encoders import embed, encoder
    from caesura.encoders.npz import write_npz
    from caesura.errors import FormatError
    from caesura.formats import load

    if not output.lower().endswith(".npz"):
        raise FormatError("vectors are written as npz; end the name in .npz", output)
    refuse_existing(output, force=force, inputs=[docs])
    corpus = load(docs, source_format, strict=strict)
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
