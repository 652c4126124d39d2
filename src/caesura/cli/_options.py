# SPDX-License-Identifier: Apache-2.0
"""Options that several commands have: the same name, words and meaning everywhere.

An option that is a parameter of the Python call has that parameter's name, so that a command passes it on unread.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import click

from caesura.cli._help import Files, Output, What
from caesura.cli._output import Outputs, named_files
from caesura.cli._overwriting import OutputFile, refuse_outputs

if TYPE_CHECKING:
    from caesura.corpus import Corpus

F = TypeVar("F", bound=Callable[..., Any])


def columns_option(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add ``--columns``, which becomes part of the name of every table that a command reads."""

    @functools.wraps(function)
    def command(columns: str | None, **given: Any) -> Any:
        if columns is not None:
            names = {p.name for p in click.get_current_context().command.params if isinstance(p, click.Argument)}
            files = {name: given[name] for name in names - {"target"} if name in given}
            spec = given.get("format") or given.get("source_format")
            said = {name: with_columns(value, columns, spec) for name, value in files.items()}
            if said == files:
                raise click.UsageError("--columns is for tables and JSON of any keys, and no file is one; leave it out")
            given |= said
        return function(**given)

    return click.option(
        "--columns",
        cls=Files,
        metavar="ROLE=NAME,...",
        help="What columns of tables and keys of JSON are for, such as doc=dial_id,label=topic.",
    )(command)


def with_columns(value: Any, columns: str, spec: str | None) -> Any:
    """Return a file, or files by name, with the columns in the format of each table."""
    if isinstance(value, dict):
        return {name: with_columns(file, columns, spec) for name, file in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(with_columns(file, columns, spec) for file in value)
    if not isinstance(value, str):
        return value
    from caesura.formats import with_columns as columned

    return columned(value, columns, spec)


def several(*decorators: Callable[[F], F]) -> Callable[[F], F]:
    """Return one decorator that adds arguments and options in the order in which help lists them."""

    def add(function: F) -> F:
        """Add them to a command."""
        for decorator in reversed(decorators):
            function = decorator(function)
        return function

    return add


def number_option(
    name: str, what: str, *, default: int | None = None, minimum: int = 1, group: type[click.Option] = click.Option
) -> Callable[[F], F]:
    """Return an option that takes a whole number, in a group of help."""
    return click.option(
        name,
        cls=group,
        metavar="N",
        type=click.IntRange(min=minimum),
        default=default,
        show_default=default is not None,
        help=what,
    )


def file_option(*names: str, what: str, required: bool = False, counts: bool = False) -> Callable[[F], F]:
    """Return an option that names a file to write, with counts beside it or not."""
    return click.option(*names, cls=Output, type=OutputFile(counts=counts), required=required, help=what)


def figure_option(what: str) -> Callable[[F], F]:
    """Return ``--figure``; a wrong name and a missing package are refused before any work is done."""

    def check(ctx: click.Context, param: click.Parameter, path: str | None) -> str | None:
        if path is not None:
            from caesura.reports.figures import figure_kind

            figure_kind(path)
        return path

    kinds = "FILE.svg, .png, .pdf, .html (one offline page) or .json (Vega-Lite)"
    return click.option("--figure", cls=Output, type=OutputFile(), callback=check, help=f"{what}: {kinds}.")


def output_option(what: str, *, counts: bool = False) -> Callable[[F], F]:
    """Return ``-o`` with this help text."""
    return file_option("-o", "--output", what=what, counts=counts)


def complete_metrics(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Return the metrics and aliases that begin with ``incomplete``, for shell completion."""
    from caesura.metrics import families

    before, comma, last = incomplete.rpartition(",")
    names = [name for family in families() for name in (*family.names(), *family.aliases())]
    return [f"{before}{comma}{name}" for name in names if name.casefold().startswith(last.casefold())]


def _complete_profiles(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    from caesura.metrics.profiles import PROFILES

    return [name for name in PROFILES if name.startswith(incomplete.casefold())]


def listed(ctx: click.Context, param: click.Parameter, given: tuple[str, ...]) -> list[str] | None:
    """Return the values of an option that is repeated, or has several between commas; None if there is none."""
    if not given:
        return None
    from caesura.declare import split_names

    return [name for text in given for name in split_names(text)]


def metric_option(what: str) -> Callable[[F], F]:
    """Return ``-m`` with this help text; the command gets a list, or None if it is not given."""
    return click.option(
        "-m",
        "--metric",
        "metrics",
        cls=What,
        multiple=True,
        shell_complete=complete_metrics,
        callback=listed,
        help=what,
    )


def systems_argument(name: str = "systems", metavar: str | None = None, *, required: bool = True) -> Callable[[F], F]:
    """Return the files to score; the command gets a dict by name."""
    return click.argument(
        name,
        metavar=metavar,
        nargs=-1,
        required=required,
        type=click.Path(),
        callback=lambda ctx, param, files: named_files(files),
    )


profile_option = click.option(
    "--profile",
    shell_complete=_complete_profiles,
    default="caesura",
    show_default=True,
    help="Follow these conventions; caesura metrics --profiles lists them.",
)
resamples_option = number_option("--resamples", "Number of bootstrap resamples of the documents.", default=1000)
slice_option = click.option(
    "--slice",
    "field",
    cls=What,
    metavar="FIELD",
    help="Also score the documents by a field that they carry, such as genre, or by length, with a test on each slice.",
)
seed_option = number_option("--seed", "Random seed.", default=0, minimum=0)
tokenizer_option = click.option(
    "--tokenizer",
    metavar="FILE|NAME",
    help="Count the tokens of this tokenizer.json or cached model [words are counted].",
)
max_tokens_option = number_option("--max-tokens", "Count the chunks that are longer: the limit of the embedding model.")
retrieving_options = several(
    click.option(
        "--retrieve",
        cls=What,
        metavar="bm25|ENCODER",
        help="Retrieve chunks for every question, by BM25 or by the vectors of an encoder, and measure what they hold.",
    ),
    number_option("--budget", "With --retrieve: take chunks in rank order while they fit so many tokens [1000]."),
    click.option("--k", type=int, help="With --retrieve: take so many chunks; -1 for as many as touch the answer."),
    tokenizer_option,
    max_tokens_option,
    click.option(
        "--resample",
        type=click.Choice(["questions", "documents"]),
        help="What is resampled [questions if there are any].",
    ),
)
RETRIEVING = ("retrieve", "budget", "k", "tokenizer", "max_tokens", "resample")
"""The parameters of `retrieving_options`."""
min_gap_option = number_option("--min-gap", "Minimum distance between two boundaries, in units.", default=1)
against_option = click.option(
    "--against",
    cls=What,
    default="boundaries",
    show_default=True,
    metavar="WHICH",
    help="Which boundaries count as true: boundaries, annotators (mean over them), consensus=0.5, annotator=NAME, best (the "
    "nearest annotator of each document), or all of these in turn.",
)
missing_option = click.option(
    "--missing",
    cls=Files,
    type=click.Choice(["error", "skip"]),
    default="error",
    show_default=True,
    help="What to do when reference or system lacks a document, or a line, file or span cannot be used: stop, or skip and count it.",
)
duration_option = click.option(
    "--duration",
    cls=Files,
    metavar="TIME",
    help="Length of the recording if a file does not know its end, such as 1:02:30 or 90min.",
)
durations_option = click.option(
    "--durations",
    cls=Files,
    type=click.Path(exists=True),
    metavar="FILE",
    help="Lengths of several recordings: a table or JSON of id and length, or a folder of media or transcripts.",
)
match_option = click.option(
    "--match",
    cls=Files,
    type=click.Choice(["id", "order"]),
    default="id",
    show_default=True,
    help="How documents of two files belong together: by id, or by order in files without ids.",
)
per_document_option = click.option(
    "--per-document", cls=Output, is_flag=True, help="Print one row per system and document."
)
embeddings_option = click.option(
    "--embeddings",
    cls=Files,
    type=click.Path(),
    help="Read vectors from this npz file or folder, as caesura encode writes them.",
)


class Methods(NamedTuple):
    """The methods of a command that segments: their texts, and the name that each was given, if any."""

    texts: tuple[str, ...]
    names: tuple[str | None, ...]

    def named(self, others: Iterable[str]) -> list[str]:
        """Return the names of all methods, with others for those without one; two of the same name are refused."""
        names = [given or other for given, other in zip(self.names, others, strict=True)]
        for name in names:
            if names.count(name) > 1:
                raise click.UsageError(f"two methods are called {name!r}; name them apart: --method NAME=METHOD")
        return names


def _methods(ctx: click.Context, param: click.Parameter, given: tuple[str, ...]) -> Methods:
    """Read NAME=METHOD or METHOD; names of ours may stand between commas, which a command or a URL may hold."""
    from caesura.declare import split_names
    from caesura.segmenters.others.spec import split_called

    texts = [text for each in given for text in ([each] if ":" in each else split_names(each))]
    return Methods(tuple(texts), tuple(split_called(text)[0] for text in texts))


def methods_option(what: str) -> Callable[[F], F]:
    """Return the option --method of a command that segments, which gets `Methods`."""
    return click.option(
        "--method",
        "methods",
        cls=What,
        multiple=True,
        required=True,
        metavar="[NAME=]METHOD",
        callback=_methods,
        help=what,
    )


def encoder_options(what: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Return the options that name an encoder, or vectors from a file instead; with `encoding_options`, an `Encoding`."""

    def add(function: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(function)
        def command(
            encoder: str, embeddings: str | None, cache: bool | None, allow_download: bool, **options: Any
        ) -> None:
            from caesura.scorers import Encoding

            spec = encoder if embeddings is None else f"npz:{embeddings}"
            function(encoding=Encoding(spec, cache=cache, allow_download=allow_download), **options)

        spec = click.option("--encoder", default="default", show_default=True, metavar="SPEC", help=what)
        return several(spec, embeddings_option)(command)

    return add


encoding_options = several(
    click.option(
        "--no-cache",
        "cache",
        is_flag=True,
        callback=lambda ctx, param, off: False if off else None,
        help="Neither read nor write the cache of vectors.",
    ),
    click.option("--allow-download", is_flag=True, help="Allow an encoder to download weights."),
)
strict_option = click.option("--strict", cls=Files, is_flag=True, help="Refuse unknown keys in files.")
reading_options = several(
    click.option(
        "--from",
        "format",
        cls=Files,
        metavar="FORMAT",
        help="Format of all input files; FILE::FORMAT for one [detected].",
    ),
    columns_option,
    strict_option,
)
title_option = click.option("--title", cls=Output, metavar="TEXT", help="Title of the page [what was measured].")
format_option = click.option(
    "--format",
    "output_format",
    cls=Output,
    type=click.Choice(["table", "json", "csv", "markdown", "latex"]),
    default="table",
    show_default=True,
    help="How to print the results; CSV holds one table, JSON everything.",
)


def full_option(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add ``--full``, which needs a format that holds several tables."""

    @functools.wraps(function)
    def command(*args: Any, **options: Any) -> Any:
        if options["full"] and options["output_format"] == "csv":
            raise click.UsageError(
                "--full prints several tables, and CSV holds one; leave out --full, or write each table to a file of its own: "
                "-o r.json, then caesura report r.json -o r.html --figures DIR"
            )
        return function(*args, **options)

    return click.option(
        "--full", cls=Output, is_flag=True, help="Print every table, not only the main one; not with CSV."
    )(command)


def force_option(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add ``--force``, which every command that writes has; its outputs are checked before it does any work."""

    @functools.wraps(function)
    def command(*args: Any, **options: Any) -> Any:
        refuse_outputs(click.get_current_context(), force=options["force"])
        return function(*args, **options)

    return click.option("--force", cls=Output, is_flag=True, help="Overwrite existing outputs.")(command)


def output_options(
    *, counts: bool = False, figure: str | None = "Draw the scores"
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Return the options that say where results go, which a command gets as one `Outputs`.

    Results with counts beside them also have a main table, which ``--latex`` and ``--csv`` write. ``figure`` is the help text
    of ``--figure``, None if there is nothing to draw.
    """

    def add(function: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(function)
        def command(**options: Any) -> None:
            given = {name: options.pop(name) for name in Outputs._fields if name in options}
            function(outputs=Outputs(**given, counts=counts), **options)

        tables = [
            file_option("--latex", what="Also write the main table as LaTeX."),
            file_option("--csv", "csv_file", what="Also write the main table as CSV."),
        ]
        beside = ", with the counts beside it" if counts else ""
        return several(
            format_option,
            full_option,
            output_option(f"Write the results file (JSON{beside}).", counts=counts),
            file_option("--report", what="Also write the results as a page to look at (HTML)."),
            title_option,
            *([] if figure is None else [figure_option(figure)]),
            *(tables if counts else []),
            force_option,
        )(command)

    return add


def complete_names(
    module: str, registry: str, *words: str
) -> Callable[[click.Context, click.Parameter, str], list[str]]:
    """Return what completes a word in the shell: the names of a registry, imported when they are asked for, and other words."""

    def complete(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
        names = getattr(importlib.import_module(module), registry).names()
        return [name for name in (*names, *words) if name.casefold().startswith(incomplete.casefold())]

    return complete


def read_documents(path: str, dataset: str | None, source_format: str | None, *, strict: bool) -> Corpus:
    """Return the documents of a file or folder: the original files of a dataset, or else files of a format."""
    if dataset is None:
        from caesura.formats import load

        return load(path, source_format, strict=strict)
    if source_format is not None:
        raise click.UsageError("--dataset and --from exclude each other: original files are read in their own format")
    from caesura.datasets import dataset as read

    return read(dataset, path, strict=strict)
