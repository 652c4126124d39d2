# SPDX-License-Identifier: Apache-2.0
"""Long work says its size before it begins; on a terminal, a bar shows how far, how fast, how long still."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from caesura.cli._console import rich_console
from caesura.limits import peak_bytes

if TYPE_CHECKING:
    from rich.progress import Progress

LONG = 2e7
"""Steps of work, such as one boundary placed at random, that take some seconds."""
_shown: list[Progress] = []


def announce(what: str, steps: float) -> None:
    """Say on stderr what is about to be done, if it is that many steps that it takes a while."""
    if steps > LONG:
        from caesura.cli._output import echo_note

        echo_note(f"this takes a while: {what}")


@contextlib.contextmanager
def progress_bar(what: str, unit: str = "texts") -> Iterator[Callable[[int, int], None] | None]:
    """Show a bar while the block runs, and yield what is to be called with how many are done and how many there are.

    The first call says what was there before, and does not count for the speed. None where stderr is not a terminal.
    """
    if not sys.stderr.isatty():
        yield None
        return
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        ProgressColumn,
        Task,
        TextColumn,
        TimeRemainingColumn,
    )
    from rich.text import Text

    class Rate(ProgressColumn):
        """How many a second."""

        def render(self, task: Task) -> Text:
            """Return the speed, once it is known."""
            speed = task.finished_speed or task.speed
            if speed is None:
                return Text("")
            return Text(f"{speed:,.0f} {unit}/s" if speed >= 10 else f"{speed:.2g} {unit}/s")

    class Memory(ProgressColumn):
        """The most memory that the process has held."""

        def render(self, task: Task) -> Text:
            """Return the peak, where the system tells it."""
            peak = peak_bytes()
            return Text("" if peak is None else f"{peak / 2**20:,.0f} MB")

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        Rate(),
        TimeRemainingColumn(),
        Memory(),
    )
    with Progress(*columns, console=rich_console(sys.stderr)) as bar:
        task = bar.add_task(what, total=None)
        _shown.append(bar)
        try:
            yield lambda done, total: bar.update(task, completed=done, total=total)
        finally:
            _shown.remove(bar)


@contextlib.contextmanager
def off_the_bar() -> Iterator[None]:
    """Take the bar off the terminal while the block prints to standard output, and show it again below."""
    for bar in _shown:
        bar.live.transient = True
        bar.stop()
    try:
        yield
    finally:
        for bar in _shown:
            bar.live.transient = False
            bar.start()
