# SPDX-License-Identifier: Apache-2.0
"""Boundaries of a live stream of scores, for ``caesura select --adaptive``."""

from __future__ import annotations

import math
import sys
from typing import TYPE_CHECKING

import click

from caesura.cli._output import echo_note

if TYPE_CHECKING:
    from caesura.selectors import AdaptiveSelector
    from caesura.statistics.calibration import Temperature

__all__ = ["print_stream"]


def print_stream(selector: AdaptiveSelector, temperature: Temperature | None) -> None:
    """Read one score per line, and print each boundary as soon as it is committed."""
    from caesura.errors import FormatError

    # Closed by the shell (<&-): main puts an empty stream there, which would look like a stream without scores.
    if sys.__stdin__ is None:
        raise click.UsageError(
            "standard input is closed; pipe one score per line into it, or give a file of scores"
        )
    for place, line in enumerate(sys.stdin, start=1):
        if not line.strip():
            continue
        if not line.endswith("\n"):
            # Half a number is a number too: better to leave it than to take 0.7 for 0.73.
            echo_note(f"the stream ended in the middle of line {place} ({line!r}), which is ignored")
            break
        try:
            score = float(line)
            if not math.isfinite(score):
                raise ValueError(line)
        except ValueError:
            raise FormatError(
                f"{line.strip()!r} is not a score; write one finite number per line", "standard input", place
            ) from None
        if temperature is not None:
            score = float(temperature.apply([score])[0])
        for gap in selector.push(score):
            click.echo(f"{gap}\t{place}")
            sys.stdout.flush()
