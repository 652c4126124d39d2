# SPDX-License-Identifier: Apache-2.0
"""Lists and dictionaries of answers that print as tables, in a terminal and in a notebook."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any, Self, TypeVar

from caesura.evaluation.outcome import data_frame
from caesura.results.tables import narrowed
from caesura.table import Table, Value, as_html

if TYPE_CHECKING:
    from caesura.evaluation.measurement import Measurement

__all__ = ["ShownDict", "ShownList"]

T = TypeVar("T")


class _Shown:
    """Shows itself by the tables of a measurement, as they were when the answer was computed."""

    def shown_by(self, measurement: Measurement, *titles: str, **answers: object) -> Self:
        """Remember the measurement, with the given answers added to it, and the titles of the tables to show."""
        snapshot = copy.copy(measurement)
        snapshot.__dict__["_answers"] = {**measurement.answers, **answers}
        self.__dict__.update(_measurement=snapshot, _titles=titles)
        return self

    def tables(self) -> list[Table]:
        """Return the tables of this answer."""
        known: Measurement | None = self.__dict__.get("_measurement")
        return [] if known is None else [t for t in known.tables() if t.title in self.__dict__["_titles"]]

    def records(self) -> list[dict[str, Value]]:
        """Return the rows of the first table as dictionaries."""
        return next((table.records() for table in self.tables()), [])

    def to_dataframe(self) -> Any:
        """Return the `records` as a data frame: of pandas if it is installed, else of polars."""
        return data_frame(self.records())

    def __repr__(self) -> str:
        """Return the tables, in 80 columns; `tables` has every column."""
        return "\n\n".join(str(narrowed(table)) for table in self.tables()) or super().__repr__()

    def _repr_html_(self) -> str:
        """Return the tables for a notebook."""
        return as_html([], self.tables())


class ShownList(_Shown, list[T]):
    """A list that prints as tables."""


class ShownDict(_Shown, dict[str, T]):
    """A dictionary that prints as tables."""
