# SPDX-License-Identifier: Apache-2.0
"""The streams of the command line: closed, full or unable to show a letter, they never lead to a traceback."""

from __future__ import annotations

import io
import os
import sys

from caesura.errors import without_secrets

_LONGEST = 2000  # characters of one line; what is wrong stands at its beginning, what to do at its end


class _Closed(io.TextIOBase):
    """Standard output that the shell has closed (``>&-``): whoever prints is told."""

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        raise OSError("standard output is closed")


def open_streams() -> None:
    """Put a stream where the shell closed one, and let none of them fail on a letter that it cannot show.

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


def discard_output() -> None:
    """Let go what is left in the buffer of standard output, which cannot be written."""
    sys.stdout = open(os.devnull, "w")  # noqa: PTH123, SIM115


def say(message: str) -> None:
    """Print one line on stderr: no secret, no sign that steers a terminal; the exit code says it if stderr is full."""
    text = "".join(sign if sign.isprintable() else " " for sign in without_secrets(message))
    line = f"caesura: {' '.join(text.split())}"
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
