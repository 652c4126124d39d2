# SPDX-License-Identifier: Apache-2.0
"""Table 8: training of the scorer."""

from __future__ import annotations

from collections.abc import Iterator

from caesura.experiments.reproductions.base import Finding, Value, item
from caesura.experiments.reproductions.data import Data
from caesura.experiments.reproductions.paper_003._counts import NO_MODEL
from caesura.experiments.reproductions.printed import Printed

__all__ = ["training"]


@item("T8", "Training of the scorer, SuperSeg and TIAGE", otherwise=NO_MODEL)
def training(printed: Printed, data: Data) -> Iterator[Value | Finding]:
    """Give nothing: every number is of the scorer."""
    yield from ()
