# SPDX-License-Identifier: Apache-2.0
"""Table 12: the trained scorer."""

from __future__ import annotations

from collections.abc import Iterator

from caesura.experiments.reproductions.base import Finding, Value, item
from caesura.experiments.reproductions.data import Data
from caesura.experiments.reproductions.paper_003._counts import NO_MODEL, counted
from caesura.experiments.reproductions.paper_003._released import NEEDS
from caesura.experiments.reproductions.printed import Printed

__all__ = ["trained"]


@item("T12", "The trained scorer on eight datasets", needs=NEEDS, partly=True, otherwise=NO_MODEL)
def trained(printed: Printed, data: Data) -> Iterator[Value | Finding]:
    """Give what does not need the scorer."""
    yield from counted(printed, data)
