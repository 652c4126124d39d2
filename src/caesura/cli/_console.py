# SPDX-License-Identifier: Apache-2.0
"""The streams of the command line: closed, full or unable to show a letter, they never lead to a traceback.

A terminal gets nothing that controls it, whoever prints, but the styles and the bar of `rich_console`.
"""

from __future__ import annotations

import io
import os
import sys
from typing import TYPE_CHECKING, Any, TextIO

from caesura.errors import for_terminal, visible, without_secrets

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rich.console import Console
    from rich.segment import Segment

_LONGEST = 2000  # characters of one line; what is wrong stands at its beginning, what to do at its end


class _Closed(io.TextIOBase):
    """Standard output that the shell has closed (``>&-``): whoever prints is told."""

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        raise OSError("standard output is closed")


class _Terminal(io.TextIOBase):
    """A terminal: every text passes `for_terminal`. It has no ``buffer``, so that nobody writes bytes past it."""

    encoding, errors = "utf-8", "replace"  # so that click writes text; the stream below has its own

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream
        self.isatty, self.fileno, self.flush = stream.isatty, stream.fileno, stream.flush  # type: ignore[method-assign]

    def writable(self) -> bool:
        return True

    def close(self) -> None:
        """Leave the stream to its owner."""

    def write(self, text: str) -> int:
        self.stream.write(for_terminal(text))
        return len(text)


def rich_console(stream: TextIO) -> Console:
    """Return a console that writes its own styles to a terminal, and texts as `for_terminal` makes them."""
    from rich.console import Console
    from rich.segment import Segment

    class Filtered(Console):
        """A console whose segments are harmless, those of what is printed above a bar too."""

        def render(self, *given: Any, **options: Any) -> Iterable[Segment]:
            for text, style, control in super().render(*given, **options):
                yield Segment(text if control else for_terminal(text), style, control)

    return Filtered(file=stream.stream if isinstance(stream, _Terminal) else stream)


def open_streams() -> None:
    """Put a stream where the shell closed one, let none of them fail on a letter that it cannot show, and none be controlled.

    Python has None there, and the next file that is opened would take the place of the closed one.
    """
    for name, number, mode in (("stdin", 0, "r"), ("stdout", 1, "w"), ("stderr", 2, "w")):
        if getattr(sys, name) is None:
            empty = open(os.devnull, mode)  # noqa: PTH123, SIM115  (pathlib is not loaded for this)
            if empty.fileno() != number:
                os.dup2(empty.fileno(), number)
            setattr(sys, name, _Closed() if name == "stdout" else empty)
    # A report has arrows; a terminal or pipe that cannot show one gets a question mark.
    # Bytes on stdin that are not text become characters that no number has, and are refused with their line.
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    for name in ("stdout", "stderr"):
        if getattr(sys, name).isatty() and not isinstance(getattr(sys, name), _Terminal):
            setattr(sys, name, _Terminal(getattr(sys, name)))


def discard_output() -> None:
    """Let go what is left in the buffer of standard output, which cannot be written."""
    sys.stdout = open(os.devnull, "w")  # noqa: PTH123, SIM115


def say(message: str) -> None:
    """Print one line on stderr: no secret, no sign that steers a terminal; the exit code says it if stderr is full."""
    line = f"caesura: {visible(' '.join(without_secrets(message).split()))}"
    _print(line if len(line) <= _LONGEST else f"{line[: _LONGEST // 2]} … {line[-_LONGEST // 2 :]}")


def say_traceback(error: BaseException) -> None:
    """Print the traceback of an error on stderr, without secrets."""
    import traceback

    _print(without_secrets("".join(traceback.format_exception(error))).rstrip("\n"))


def show_warning(message: Warning | str, *_: object, **__: object) -> None:
    """Print a warning as a note."""
    say(f"note: {message}")


def _print(text: str) -> None:
    try:
        # Not click.echo: a bar on the same terminal takes what is printed to `sys.stderr`, and stays below it.
        print(text, file=sys.stderr, flush=True)
    except OSError:
        sys.stderr = open(os.devnull, "w")  # noqa: PTH123, SIM115
