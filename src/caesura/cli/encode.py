# SPDX-License-Identifier: Apache-2.0
"""Encode the units of documents, and write their vectors."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from caesura.cli._console import say
from caesura.cli._options import encoding_options, force_option, reading_options
from caesura.cli._output import counted, echo_note, make_folder
from caesura.cli._overwriting import OutputFile, refuse_outputs
from caesura.cli._progress import progress_bar

if TYPE_CHECKING:
    from caesura.corpus import Corpus
    from caesura.encoders import Encoder

__all__ = ["command"]


@click.command("encode")
@click.argument("docs", metavar="DOCS", type=click.Path(path_type=str))
@click.option(
    "-o",
    "--output",
    required=True,
    type=OutputFile(folder=True),
    help="Write the vectors to this npz file, or in parts into this folder.",
)
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
    caesura encode docs.jsonl -o vectors/ --encoder onnx:minilm

    Vectors are cached as they arrive (see caesura cache), so that an interrupted run continues where it
    stopped. A folder holds parts of 1,000 documents: parts that are whole are skipped, and those who read them
    (caesura cohesion --embeddings vectors/) map them into memory. If an encoder fails on documents, they are named,
    the others are written, and the exit code is 4.
    """  # noqa: D301  (click wants the backspace itself)
    from caesura.encoders import embed, encoder
    from caesura.encoders.npz import write_npz
    from caesura.errors import FormatError
    from caesura.files import check_output
    from caesura.formats import load

    is_file = output.lower().endswith(".npz")
    if not is_file and Path(output).suffix and not output.endswith("/"):
        raise FormatError(
            "vectors are written as npz, or into a folder; end the name in .npz, or in /", output
        )
    if is_file:
        refuse_outputs(click.get_current_context(), output, force=force)
    corpus = load(docs, **reading)
    opened = encoder(spec, allow_download=allow_download)
    size = f"{int(corpus.flat.n_units.sum())} vectors of {opened.dim} numbers"
    said = f"{output}: {counted(corpus)}, {size}, by {opened.name} ({opened.fingerprint})"
    if not is_file:
        make_folder(output)
        _encode_parts(corpus, opened, output, cache, force)
        click.echo(said)
        return
    with progress_bar("encoding") as progress:
        vectors = embed(corpus, opened, cache=cache, progress=progress)
    check_output(output, overwrite=force)  # again: encoding takes time
    rows = ((d.id, vectors[d.id], d.units) for d in corpus)
    write_npz(output, rows, f"{opened.name} {opened.fingerprint}")
    click.echo(said)


def _encode_parts(corpus: Corpus, opened: Encoder, folder: str, cache: bool | None, force: bool) -> None:
    """Encode part by part; what is done when the run is interrupted stays, and the same command goes on."""
    from caesura.encoders.npz import encode_parts

    done, units, failed = 0, 0, []
    total = int(corpus.flat.n_units.sum())
    with progress_bar("encoding", "units") as progress:
        try:
            for part in encode_parts(corpus, opened, Path(folder), cache=cache, overwrite=force):
                done, units = part.place + 1, units + part.units
                failed += part.failed
                if progress is not None:
                    progress(units, total)
        except KeyboardInterrupt:
            echo_note(f"{done} parts are whole and kept in {folder}; the same command goes on from there")
            raise
    for line in failed:
        say(line)
    if failed:
        echo_note(f"{len(failed)} of {counted(corpus)} failed; the others are in {folder}")
        sys.exit(4 if len(failed) < len(corpus) else 2)
