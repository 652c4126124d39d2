# SPDX-License-Identifier: Apache-2.0
"""Table 1: correlations with the metrics that have a reference."""

from __future__ import annotations

from collections.abc import Iterator

from caesura.experiments.reproductions.base import Finding, Value, item
from caesura.experiments.reproductions.data import Data
from caesura.experiments.reproductions.printed import Printed

__all__ = ["correlations"]


@item(
    "T1",
    "Correlations with metrics that have a reference",
    otherwise="the outputs of the systems are not public: the files released under that name are pages that ask to sign in",
)
def correlations(printed: Printed, data: Data) -> Iterator[Value | Finding]:
    """Yield nothing: Table 2 is computed from the printed values."""
    yield from ()
