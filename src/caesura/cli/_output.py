# SPDX-License-Identifier: Apache-2.0
"""Output of commands: results are printed and written to files, and no file is overwritten without --force."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from caesura.cli._console import rich_console
from caesura.cli._console import say as say_line

if TYPE_CHECKING:
    from caesura.corpus import Corpus
    from caesura.declare import Declared
    from caesura.evaluation.outcome import Outcome
    from caesura.results import Results
    from caesura.table import Table

_WIDEST = 110  # longer lines are hard to read
_READ = 80  # columns that most readers of a pipe have


class Outputs(NamedTuple):
    """Where results go, named as the options say it: to the terminal in one format, and to files."""

    output_format: str
    output: str | None
    latex: str | None = None
    csv_file: str | None = None
    force: bool = False
    counts: bool = False
    full: bool = False
    report: str | None = None
    figure: str | None = None
    title: str | None = None

    def finish(
        self, results: Results, outcome: Outcome | None = None, files: Mapping[str, bytes] | None = None
    ) -> None:
        """Write the files that were requested and ``files``, then print the results.

        The counts beside the results file, and the documents of the page, are those of ``outcome``.
        """
        from caesura.evaluation.measurement import Measurement
        from caesura.files import write_together
        from caesura.reports import render
        from caesura.results import as_text, csv_table, paper_tables, seen_from

        stored = results if self.output is None else seen_from(results, Path(self.output).parent)
        written: dict[str | Path, bytes] = {}
        written.update(files or {})
        if self.latex is not None:
            written[self.latex] = "\n".join(render(table, "latex") for table in paper_tables(results)).encode()
        if self.csv_file is not None:
            written[self.csv_file] = render(csv_table(results), "csv").encode()
        if self.figure is not None:
            from caesura.reports.figures import draw

            written[self.figure] = draw(results, self.figure)
        if self.report is not None:
            from caesura.reports.notebook import page_of

            written[self.report] = page_of(outcome, title=self.title, results=results).text.encode()
        if self.output is not None:
            if self.counts and isinstance(outcome, Measurement):
                outcome.save(self.output, results=results, overwrite=self.force)
            else:
                written[self.output] = (as_text(stored) + "\n").encode()
        write_together(written)
        stored.counts = results.counts
        show_results(stored, self.output_format, full=self.full)


def show(table: Table, output_format: str) -> None:
    """Print a table; coloured and bold on a terminal, plain text into a pipe, a list of rows as JSON."""
    from caesura.reports import render

    if output_format == "json":
        print_json(table.records())
        return
    if output_format == "table" and sys.stdout.isatty():
        from caesura.reports.text import print_table

        print_table(table, rich_console(sys.stdout))
        return
    if output_format == "table":
        from caesura.reports.text import render as fitted

        click.echo(fitted(table, _width()), nl=False)
        return
    click.echo(render(table, output_format), nl=False)  # type: ignore[arg-type]


def list_or_describe(
    name: str | None, output_format: str, table: Callable[[], Table], describe: Callable[[str], str]
) -> None:
    """Print the table of all, or the text about the one that is named."""
    if name is None:
        show(table(), output_format)
    else:
        click.echo(describe(name))


def parameter_lines(cls: type[Declared], width: int, preset: Mapping[str, object] | None = None) -> list[str]:
    """Return the parameters of a declared class below a heading: default, or the value that an alias sets, meaning, choices."""
    import textwrap

    from caesura.declare import parameters

    lines: list[str] = []
    for p in parameters(cls):
        choices = f" ({', '.join(map(repr, p.choices))})" if p.choices else ""
        text = f"{p.name}={(preset or {}).get(p.name, p.default)!r}: {p.help}{choices}"
        lines += textwrap.wrap(text, width, initial_indent="  ", subsequent_indent="      ", break_on_hyphens=False)
    return ["Parameters", *lines] if lines else []


def show_results(results: Results, output_format: str, *, full: bool = False) -> None:
    """Print results: the answer in sentences and a small table, all of them if ``full``; as JSON the results themselves.

    What is printed depends on nothing but the results. CSV and LaTeX have no place for sentences, and CSV has one for a single
    table.
    """
    from caesura.results import answer_of, as_text, brief_of, csv_table, tables_of

    if output_format == "json":
        click.echo(as_text(results))
        return
    if output_format == "csv":
        show(csv_table(results), output_format)
        return
    words = output_format in ("table", "markdown")
    sentences = answer_of(results) if words else ()
    if words and not full:
        shown, left_out = brief_of(results)
    else:
        shown, left_out = [t for t in tables_of(results, output_format) if full or not t.detail], ""
    if sentences:
        say(sentences, output_format)
    for place, table in enumerate(shown):
        if place or sentences:
            click.echo()
        show(table, output_format)
    if left_out and output_format == "table":
        click.echo()
        say((f"--full adds {left_out}.",), output_format)


def say(sentences: tuple[str, ...], output_format: str) -> None:
    """Print sentences: wrapped on a terminal and in a pipe, as one paragraph in Markdown."""
    if output_format == "markdown":
        from caesura.reports import escaped

        click.echo(escaped(" ".join(sentences)))
        return
    from caesura.table import as_lines

    click.echo(as_lines(sentences, min(_width(), _WIDEST) if sys.stdout.isatty() else _READ))


def _width() -> int:
    """Return the columns of the terminal; of a pipe those that COLUMNS says, if it says anything."""
    if sys.stdout.isatty():
        return shutil.get_terminal_size().columns
    columns = os.environ.get("COLUMNS", "")
    return int(columns) if columns.isdecimal() and int(columns) > 0 else _READ


def print_json(value: Any) -> None:
    """Print plain data as indented JSON."""
    import msgspec

    click.echo(msgspec.json.format(msgspec.json.encode(value), indent=2).decode())


def refuse_given(names: Iterable[str], why: str) -> None:
    """Refuse options that were given and would not be used; a silent option is a wrong result."""
    context = click.get_current_context()
    for parameter in context.command.params:
        source = context.get_parameter_source(parameter.name or "")
        if parameter.name in names and source is not None and source.name == "COMMANDLINE":
            raise click.UsageError(f"{max(parameter.opts, key=len)} {why}")


def echo_note(text: str) -> None:
    """Print a note on stderr."""
    say_line(f"note: {text}")


def counted(corpus: Corpus) -> str:
    """Return how many documents there are, in words."""
    return "1 document" if len(corpus) == 1 else f"{len(corpus)} documents"


def make_folder(path: str) -> None:
    """Make a folder for outputs, if there is none."""
    from caesura.errors import FormatError

    try:
        Path(path).mkdir(exist_ok=True)
    except OSError as error:
        raise FormatError(f"cannot be made a folder ({error.strerror or error}); choose another name", path) from None


def print_documents(corpus: Corpus) -> None:
    """Print documents as JSON lines."""
    from caesura.formats.jsonl import document_line

    for document in corpus:
        line = document_line(document)
        click.echo(line.decode("utf-8", "replace") if sys.stdout.isatty() else line, nl=False)


def named_files(systems: Iterable[str]) -> dict[str, str]:
    """Return the systems by name: NAME=FILE, or a name made of the file's; each may end in ::FORMAT."""
    from caesura.errors import ComparabilityError
    from caesura.files import readable, system_name

    by_name: dict[str, str] = {}
    for text in systems:
        name, equals, path = text.partition("=")
        # The "=" of a.txt::bits(marks='last') is an option of a format, not the end of a name.
        if not equals or not name or "::" in name or Path(text).exists():
            name, path = system_name(text), text
        name = readable(name)
        if name in by_name:
            raise ComparabilityError(f"two systems are called {name!r}; name them apart: NAME=FILE")
        by_name[name] = path
    return by_name
