# SPDX-License-Identifier: Apache-2.0
"""Check chapters or chunks without a reference."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from caesura.cli import _options as opt
from caesura.cli._help import Command, Files, Output, What
from caesura.cli._output import Outputs, refuse_given
from caesura.cli._overwriting import OutputFile, refuse_outputs

if TYPE_CHECKING:
    from caesura.corpus import Corpus

GROUP = "Chunks"


@click.command("check", cls=Command)
@click.argument("documents", metavar="LISTS|DOCS", type=click.Path())
@click.argument("chunks", metavar="[CHUNKS]", required=False, type=click.Path())
@click.option(
    "--for",
    "asked",
    cls=What,
    multiple=True,
    callback=opt.listed,
    metavar="NAME",
    help="Check the rules of youtube, apple or podcasting (Podcasting 2.0) only; repeatable [all].",
)
@opt.duration_option
@opt.durations_option
@opt.tokenizer_option
@opt.max_tokens_option
@opt.missing_option
@click.option(
    "--fix",
    cls=Output,
    type=OutputFile(folder=True),
    metavar="OUT",
    help="Write what can be mended: one list to this file, several into this folder (Podcasting 2.0).",
)
@opt.reading_options
@click.option("--chunks-from", "chunks_format", cls=Files, metavar="FORMAT", help="Format of CHUNKS [detected].")
@opt.output_options(figure=None)
def command(
    documents: str, chunks: str | None, asked: list[str] | None, fix: str | None, outputs: Outputs, **call: Any
) -> None:
    """Check whether LISTS of chapters can be published, or CHUNKS of DOCS be used for retrieval; no reference is needed.

    The exit code is 1 if a rule for chapters is broken, or if chunks lose text or are over the limit; the other rules for chunks
    are counted.

    \b
    caesura check chapters.txt --for youtube
    caesura check auto/ --durations lengths.csv --full
    caesura check auto/ --fix mended/
    caesura check docs/ chunks.jsonl --tokenizer tokenizer.json --max-tokens 512
    """  # noqa: D301  (click wants the backspace itself)
    from caesura.evaluation.check import check

    if chunks is None:
        refuse_given(("tokenizer", "max_tokens", "chunks_format"), "is for CHUNKS; give DOCS and CHUNKS")
    else:
        refuse_given(("asked", "duration", "durations", "fix"), "is for lists of chapters; leave out CHUNKS")
    if fix is not None and not Path(fix).is_dir():
        refuse_outputs(click.get_current_context(), fix, force=outputs.force)
    checked = check(documents, chunks, asked=asked or (), **call)
    if fix is not None:
        mended = checked.mended()
        _write(mended, fix, force=outputs.force)
        checked.facts.mended = check(mended, asked=asked or ()).facts.passing
    outputs.finish(checked.results(), checked)
    if not checked.passed:
        click.get_current_context().exit(1)


def _write(mended: Corpus, output: str, *, force: bool) -> None:
    """Write one list to a file, several into a folder."""
    from caesura.formats import save, save_each

    if len(mended) == 1 and not Path(output).is_dir():
        save(mended, output, None if Path(output).suffix != ".json" else "podcast", overwrite=force)
    else:
        save_each(mended, output, overwrite=force)
