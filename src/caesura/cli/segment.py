# SPDX-License-Identifier: Apache-2.0
"""Segment documents by one or several methods."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from caesura.cli import _options as opt
from caesura.cli._console import say
from caesura.cli._engine import Engine, engine_options, segment_documents
from caesura.cli._help import Command, Output
from caesura.cli._output import counted, make_folder, print_documents
from caesura.cli._overwriting import OutputFile, refuse_outputs
from caesura.cli._progress import off_the_bar

if TYPE_CHECKING:
    from caesura.corpus import Corpus
    from caesura.scorers import Encoding

GROUP = "Segment and train"


@click.command("segment", cls=Command)
@click.argument("documents", metavar="DOCS", type=click.Path())
@opt.methods_option(
    "Segment by this method, such as 'TextTiling(window=6)', and call its file NAME; repeatable. caesura segmenters lists them."
)
@click.option(
    "-o",
    "--output",
    cls=Output,
    type=OutputFile(folder=True),
    help="Write the documents that one method segmented to this file, or of several into this folder [standard output, as JSON lines].",
)
@click.option(
    "--to",
    "target_format",
    cls=Output,
    metavar="FORMAT",
    help="Format of the output: jsonl, webvtt or youtube chapters, or any other [from the suffix of -o]; chapters writes a list for "
    "each recording into the folder -o, titled by telling words.",
)
@opt.encoder_options("Encoder of the methods that read vectors, as in caesura encode; all see the same vectors.")
@opt.seed_option
@engine_options("Segment shard by shard, here, or as tasks of Ray; actors hold the encoder, if a method has one.")
@opt.encoding_options
@opt.reading_options
@opt.force_option
def command(
    documents: str,
    methods: opt.Methods,
    output: str | None,
    target_format: str | None,
    encoding: Encoding,
    seed: int,
    engine: Engine,
    force: bool,
    **reading: Any,
) -> None:
    """Segment DOCS, and write boundaries with one score per gap.

    \b
    caesura segment docs.jsonl --method "TextTiling(window=6)" -o tt.jsonl
    caesura segment docs.jsonl --method C99 --method "C99(per_100=8)" -o systems/
    caesura segment notes.txt --method chonkie:SemanticChunker -o chunks.jsonl
    caesura segment docs.jsonl --method "command:./cut.sh" -o cut.jsonl
    caesura segment talk.srt --method TextTiling --to youtube -o chapters.txt
    caesura segment talks/ --method TextTiling --to chapters -o auto/

    Every line says how it was made: method, version, parameters, seconds, memory, encoder. A method never reads the
    number of boundaries from DOCS, unless its name says oracle. If a method fails on some documents, the others are written,
    and if one method fails, so are the other methods; the exit code is then 4.
    """  # noqa: D301  (click wants the backspace itself)
    from caesura.errors import CaesuraError
    from caesura.formats import FORMATS, load
    from caesura.segmenters.run import CHAPTERS, file_names, parse_methods, save_segmented, told

    chosen = parse_methods(methods.texts)
    if len(chosen) > 1 and output is None:
        raise click.UsageError("give a folder for the outputs of several methods: -o FOLDER")
    paths: list[str] = []
    if output is not None and len(chosen) == 1:
        paths = [output]
    elif output is not None:
        ending = {None: ".jsonl", CHAPTERS: ""}.get(target_format)
        ending = FORMATS.parse(target_format or "").suffixes[0] if ending is None else ending
        paths = file_names(methods.named(method.label for method in chosen), output, ending)
        make_folder(output)
    if target_format == CHAPTERS and output is None:
        raise click.UsageError("--to chapters writes a file for each recording: give a folder with -o")
    refuse_outputs(click.get_current_context(), *(paths if target_format != CHAPTERS else ()), force=force)
    corpus = load(documents, **reading)
    failed, lacking = 0, 0
    outcomes = segment_documents(corpus, methods.texts, encoding, seed, engine)
    for place, (method, outcome, lines) in enumerate(outcomes):
        for line in lines:
            say(told(method, line))
        lacking += len(lines)
        if isinstance(outcome, CaesuraError):
            if len(chosen) == 1:
                raise outcome
            failed += 1
            say(told(method, outcome))
        elif not paths:
            with off_the_bar():
                print_documents(outcome)
        else:
            save_segmented(outcome, paths[place], target_format, overwrite=force)
            with off_the_bar():
                click.echo(f"{paths[place]}: {_summary(outcome)}")
    if failed or lacking:
        sys.exit(2 if failed == len(chosen) else 4)


def _summary(corpus: Corpus) -> str:
    boundaries, units = len(corpus.flat.pos), int(corpus.flat.n_units.sum())
    seconds = sum(document.extra["made_by"]["seconds"] for document in corpus)
    density = f"{100 * boundaries / units:.1f} boundaries per 100 units"
    return f"{counted(corpus)}, {density}, {seconds:.2g} s"
