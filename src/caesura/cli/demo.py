# SPDX-License-Identifier: Apache-2.0
"""See it work: real chats, and the readers of a novel."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import click

from caesura.cli._help import Command, Output
from caesura.cli._options import file_option, force_option, format_option, full_option, seed_option
from caesura.cli._output import print_json, say, show, show_results
from caesura.cli._overwriting import OutputFile, refuse_outputs

__all__ = ["GROUP", "command", "program"]

GROUP = "Look"

_INTRODUCTION = """\
People marked where the topic shifts in 100 chats (TIAGE). Which of three
segmenters comes closest?
  TextTiling    cuts where neighbouring utterances share few words
  C99           divides the chat by ranks of word similarity
  VectorTiling  cuts where the vectors of neighbouring utterances differ
"""
_READERS = """
Ten people marked the episodes of The Moonstone, a novel, four to six of them
each chapter. Do they agree with each other?
"""
_NEXT = """
Next
  {program} demo --files examples    # write these files, and more to try
  {program} evaluate examples/gold.jsonl examples/reader.jsonl
  {program} explain 6-3-4 4-4-5      # why one pair has several values of Pk
  {program} demo --full              # every table
"""


@click.command("demo", cls=Command)
@click.option(
    "--files",
    cls=Output,
    metavar="DIR",
    type=OutputFile(folder=True),
    help="Write the example files of the documentation here instead.",
)
@file_option("--report", what="Also write the results and the texts as an HTML page.")
@format_option
@full_option
@seed_option
@force_option
def command(files: str | None, report: str | None, output_format: str, full: bool, seed: int, force: bool) -> None:
    """Compare three segmenters on real chats, and the readers of a real novel with each other.

    \b
    caesura demo
    caesura demo --report report.html
    caesura demo --files examples
    """  # noqa: D301  (click wants the backspace itself)
    if files is not None:
        _write_files(files, force=force)
        return
    if output_format == "csv":
        raise click.UsageError(
            "the demo answers three questions, and CSV holds one table; use --format json, or --files DIR and run the commands"
        )
    from caesura.demo import demonstrate

    demonstration = demonstrate(seed=seed)
    results = demonstration.results()
    if report is not None:
        from caesura.files import write_atomically
        from caesura.reports.page import page

        write_atomically(report, page(demonstration.sections(), "Three segmenters and the readers").encode())
    if output_format == "json":
        import msgspec

        from caesura.results import as_text

        print_json({question: msgspec.Raw(as_text(part).encode()) for question, part in results.items()})
        return
    if output_format == "table" and not full:
        from caesura.results import answer_of, brief_of

        click.echo(_INTRODUCTION)
        say(answer_of(results["chats"]), "table")
        click.echo()
        show(brief_of(results["chats"]).tables[0], "table")
        click.echo(_READERS)
        say(answer_of(results["readers"]), "table")
        click.echo()
    else:
        for part in results.values():
            show_results(part, output_format, full=full)
            click.echo()
    if output_format == "table":
        click.echo(_NEXT.format(program=program()).strip("\n"))
        if report is not None:
            click.echo(f"\nThe page, to open in a browser:\n  {Path(report).absolute().as_uri()}")


def _write_files(folder: str, *, force: bool) -> None:
    """Write the example files into a folder, and say what they are."""
    from caesura.demo import ABOUT, example_files
    from caesura.errors import FormatError
    from caesura.files import check_output, write_together

    files: dict[str | Path, bytes] = {str(Path(folder) / name): data for name, data in example_files().items()}
    if Path(folder).exists() and not Path(folder).is_dir():
        check_output(folder, overwrite=force)
        raise FormatError("is a file; name a folder", folder)
    for parent in {Path(path).parent for path in files}:
        parent.mkdir(parents=True, exist_ok=True)
    refuse_outputs(click.get_current_context(), *map(str, files), force=force)
    write_together(files)
    width = max(map(len, ABOUT))
    click.echo(f"Written to {folder}:")
    for name, what in ABOUT.items():
        click.echo(f"  {name:{width}}  {what}")


def program() -> str:
    """Return how to call this program from here: by its name if that is found, else by its path."""
    if shutil.which("caesura"):
        return "caesura"
    called = Path(sys.argv[0])
    return str(called) if called.name == "caesura" else "python -m caesura"
