# SPDX-License-Identifier: Apache-2.0
"""The command line: one file per command, which parses, calls and prints, and does no arithmetic.

A file of this folder is a command of the same name: the first line of its docstring is its line in the list of commands, and its
``GROUP`` the heading above it. It is imported when it is called, so that ``caesura --help`` loads neither numpy nor rich. A package adds
a command by an entry point of ``caesura.commands`` that names a click command; its module too may have a ``GROUP``. Exit codes: 0 done, 1 a gate failed,
2 bad usage or input, 3 an optional part is not installed, 4 done but part of the input failed, 70 a fault of Caesura, 130
interrupted.
"""

from __future__ import annotations

import importlib
import os
import sys
from typing import TYPE_CHECKING, NoReturn

import click

from caesura._version import __version__
from caesura.cli._console import discard_output, open_streams, say, say_traceback, show_warning
from caesura.errors import CaesuraError, MissingExtraError, reason

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

__all__ = ["GROUPS", "LazyGroup", "cli", "command_lines", "command_names", "main"]

GROUPS = (
    "Score", "Compare and gate", "Annotators", "Without a reference", "Chunks", "Segment and train", "Choose a threshold",
    "Files", "Look", "Large corpora", "From other packages",
)  # fmt: skip
"""The headings of the list of commands, in order; the last is for commands that name none of them."""
_LINE = 62  # characters of a line of help beside the longest name, in 80 columns
_FOLDER = os.path.dirname(__file__)  # noqa: PTH120  (pathlib is not loaded for this)


def command_names() -> list[str]:
    """Return the names of the commands: the files of this folder."""
    files = sorted(os.listdir(_FOLDER))  # noqa: PTH208
    return [file[:-3] for file in files if file.endswith(".py") and not file.startswith("_")]


def command_lines() -> dict[str, dict[str, str]]:
    """Return the commands of every group, each with its one line of help, the first line of its docstring."""
    lines: dict[str, dict[str, str]] = {group: {} for group in GROUPS}
    for name in command_names():
        with open(os.path.join(_FOLDER, f"{name}.py"), encoding="utf-8") as text:  # noqa: PTH118, PTH123
            text.readline()
            line = text.readline().strip().strip('"')
            group = next((each.split('"')[1] for each in text if each.startswith("GROUP = ")), None)
        lines[_known(group)][name] = line
    for name, point in _added().items():
        try:
            line, group = _loaded(point).get_short_help_str(_LINE), getattr(sys.modules[point.module], "GROUP", None)
        except click.UsageError as error:
            line, group = error.message, None
        lines[_known(group)][name] = line
    return lines


def _known(group: object) -> str:
    """Return a group of the list of commands; one that is not there is the last."""
    return group if isinstance(group, str) and group in GROUPS else GROUPS[-1]


def _added() -> dict[str, EntryPoint]:
    """Return the commands of other packages; none of them replaces one of ours."""
    from importlib.metadata import entry_points

    own = command_names()
    return {point.name: point for point in sorted(entry_points(group="caesura.commands")) if point.name not in own}


def _loaded(point: EntryPoint) -> click.Command:
    """Import a command of another package; one that is broken costs only itself."""
    try:
        command = point.load()
    except Exception as error:
        raise click.UsageError(
            f"the command {point.name!r} of {point.module} cannot be loaded ({reason(error)}); update that package"
        ) from error
    if not isinstance(command, click.Command):
        raise click.UsageError(f"{point.value} is not a click command; correct that package's entry point")
    return command


class LazyGroup(click.Group):
    """A group whose commands are imported when they are called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the commands."""
        return sorted([*command_names(), *_added()])

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command."""
        if cmd_name in command_names():
            command: click.Command = importlib.import_module(f"caesura.cli.{cmd_name}").command
            return command
        added = _added()
        return _loaded(added[cmd_name]) if cmd_name in added else None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command that was called; an unknown one is refused with the nearest names."""
        if not ctx.resilient_parsing and args[0] not in command_names() and args[0] not in _added():
            from caesura.declare import nearest

            names = self.list_commands(ctx)
            # In a clone, not in the wheel.
            do = (
                "install its package: pip install ./reproductions"
                if args[0] == "reproduce"
                else nearest(args[0], names)
            )
            raise click.UsageError(f"{args[0]!r} is not a command; {do}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands without importing one of them."""
        from caesura.cli._help import write_rows

        write_rows(formatter, {group: sorted(lines.items()) for group, lines in command_lines().items()})


def _width() -> int:
    """Return the width of help texts; click would import shutil, and half the archive formats, to ask for it."""
    try:
        columns = int(os.environ.get("COLUMNS") or os.get_terminal_size().columns)
    except (ValueError, OSError):
        columns = 80
    return max(50, min(columns, 110) - 2)


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"], "terminal_width": _width()})
@click.version_option(__version__, "--version", prog_name="caesura")
@click.option("--debug", is_flag=True, help="Show the traceback of an error.")
def cli(debug: bool) -> None:
    """Evaluate topic segmentation: against one reference, many annotators, or none.

    \b
    caesura demo                                     see it work on real chats
    caesura evaluate gold.jsonl a.jsonl b.jsonl      score two systems
    caesura compare gold.jsonl a.jsonl b.jsonl       which one is better
    caesura explain 6-3-4 4-4-5                      why one pair has several Pk

    Exit codes: 0 done, 1 a gate failed, 2 wrong usage or input, 3 an optional part is not installed, 4 part of the input
    failed, 130 interrupted.

    Shell completion: eval "$(_CAESURA_COMPLETE=bash_source caesura)", or zsh_source, or
    _CAESURA_COMPLETE=fish_source caesura | source.
    """  # noqa: D301  (click wants the backspace itself)


def main() -> NoReturn:
    """Run the command line; every failure is one line on stderr."""
    sys.exit(_run())


def _run() -> int:
    """Run the command line and return its exit code."""
    debug = "--debug" in sys.argv
    open_streams()
    import warnings

    with warnings.catch_warnings():
        warnings.showwarning = show_warning
        try:
            # Not standalone, click returns the code that a command left with.
            code = cli.main(standalone_mode=False, prog_name="caesura")
            sys.stdout.flush()  # a full disk is noticed here, not when the interpreter is gone
            return code if isinstance(code, int) else 0
        except click.exceptions.Exit as stop:
            return stop.exit_code
        except SystemExit as stop:
            # click leaves with 1 when the reader of a pipe (head, less) has seen enough; 1 is a failed gate here.
            pacified = type(sys.stdout).__name__.endswith("PacifyFlushWrapper")
            return 0 if pacified or not isinstance(stop.code, int) else stop.code
        except BrokenPipeError:
            discard_output()
            return 0
        except BaseException as error:
            return _failed(error, debug)


def _failed(error: BaseException, debug: bool) -> int:
    """Say what went wrong and return the exit code."""
    # click takes any end of a file for the end of the input.
    if isinstance(error, click.Abort) and isinstance(error.__cause__, EOFError):
        error = error.__cause__
    # While a class is made, Python 3.11 turns Ctrl-C into a RuntimeError that it caused.
    if isinstance(error, (click.Abort, KeyboardInterrupt)) or isinstance(error.__cause__, KeyboardInterrupt):
        say("interrupted")
        return 130
    if type(error).__name__ == "NoArgsIsHelpError" and isinstance(error, click.ClickException):
        click.echo(_message(error))
        return 0
    if isinstance(error, OSError) and not isinstance(error, CaesuraError):
        discard_output()
    if debug:
        say_traceback(error)
    elif isinstance(error, (click.ClickException, CaesuraError, OSError)):
        say(_message(error))
    elif isinstance(error, MemoryError):
        say(
            f"not enough memory ({reason(error)}); use fewer or shorter documents, or caesura count and merge for parts"
        )
    elif isinstance(error, RecursionError):
        say("the input is nested too deeply; make it flatter")
    else:
        say(f"a fault of Caesura ({reason(error)}); please report it with what the same command says with --debug")
    if isinstance(error, (click.ClickException, CaesuraError, OSError, MemoryError, RecursionError)):
        return 3 if isinstance(error, MissingExtraError) else 2
    return 70


def _message(error: Exception) -> str:
    if isinstance(error, click.UsageError) and error.format_message().startswith(("Missing ", "Got ")):
        path = error.ctx.command_path if error.ctx is not None else "caesura"
        return f"{error.format_message().rstrip('.')}; see {path} --help"
    if isinstance(error, click.ClickException):
        return error.format_message()
    if isinstance(error, CaesuraError) or not isinstance(error, OSError):
        return str(error)
    what = f"{error.filename}: " if error.filename else "the output cannot be written: "
    return f"{what}{error.strerror or error}"
