# SPDX-License-Identifier: Apache-2.0
"""Encode the units of documents, and write their vectors."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from caesura.cli import _options as opt
from caesura.cli._console import say
from caesura.cli._engine import Engine, engine_options
from caesura.cli._help import Command, Output
from caesura.cli._output import counted, echo_note, make_folder
from caesura.cli._overwriting import OutputFile, refuse_outputs
from caesura.cli._progress import progress_bar

if TYPE_CHECKING:
    from caesura.corpus import Corpus
    from caesura.scorers import Encoding

GROUP = "Segment and train"


@click.command("encode", cls=Command)
@click.argument("docs", metavar="DOCS", type=click.Path(path_type=str))
@click.option(
    "-o",
    "--output",
    cls=Output,
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
@engine_options(
    "Encode the parts of a folder here, as without it, or by actors of Ray that hold the encoder.", shards=False
)
@opt.encoding_options
@opt.reading_options
@opt.force_option
def command(
    docs: str,
    output: str,
    spec: str,
    engine: Engine,
    cache: bool | None,
    allow_download: bool,
    force: bool,
    **reading: Any,
) -> None:
    """Encode the units of DOCS, and write one array per document id.

    \b
    caesura encode docs.jsonl -o vectors.npz
    caesura encode docs.jsonl -o vectors/ --encoder onnx:minilm
    caesura encode docs.jsonl -o vectors/ --engine ray --actors 4

    Vectors are cached as they arrive (see caesura cache), so that an interrupted run continues where it
    stopped. A folder holds parts of up to 1,000 documents: parts that are whole are skipped, and those who read them
    (caesura cohesion --embeddings vectors/) map them into memory. If an encoder fails on documents, they are named,
    the others are written, and the exit code is 4.
    """  # noqa: D301  (click wants the backspace itself)
    from caesura.encoders import embed
    from caesura.encoders.npz import write_npz
    from caesura.errors import FormatError, shareable
    from caesura.files import check_output
    from caesura.formats import load
    from caesura.scale.encoding import opened
    from caesura.scorers import Encoding

    is_file = output.lower().endswith(".npz")
    if not is_file and Path(output).suffix and not output.endswith("/"):
        raise FormatError("vectors are written as npz, or into a folder; end the name in .npz, or in /", output)
    if is_file and engine:
        raise click.UsageError("--engine writes parts into a folder; end the name of the output in /")
    if is_file:
        refuse_outputs(click.get_current_context(), output, force=force)
    corpus = load(docs, **reading)
    encoding = Encoding(spec, cache=cache, allow_download=allow_download)
    found = opened(encoding)
    size = f"{int(corpus.flat.n_units.sum())} vectors of {found.dim} numbers"
    said = f"{output}: {counted(corpus)}, {size}, by {found.name} ({found.fingerprint})"
    if not is_file:
        make_folder(output)
        _encode_parts(corpus, encoding, output, engine, force)
        click.echo(said)
        return
    with progress_bar("encoding") as progress:
        vectors = embed(corpus, found, cache=cache, progress=progress)
    check_output(output, overwrite=force)  # again: encoding takes time
    rows = ((d.id, vectors[d.id], d.units) for d in corpus)
    write_npz(output, rows, f"{shareable(found.name)} {found.fingerprint}")
    click.echo(said)


def _encode_parts(corpus: Corpus, encoding: Encoding, folder: str, engine: Engine, force: bool) -> None:
    """Encode part by part; what is done when the run is interrupted stays, and the same command goes on."""
    from caesura.scale.encoding import PartsEncoding

    work = PartsEncoding.into(folder, encoding, overwrite=force)
    failed = engine.encode(work, work.shards(corpus), folder)
    for line in failed:
        say(line)
    if failed and not any(Path(folder).glob("*.json")):
        sys.exit(2)
    if failed:
        from caesura.encoders.npz import VectorFolder

        lacking = len(corpus) - len(VectorFolder(Path(folder)).names())
        echo_note(f"{lacking} of {counted(corpus)} failed; the others are in {folder}")
        sys.exit(4)
