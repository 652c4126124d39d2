# SPDX-License-Identifier: Apache-2.0
"""Signatures: a number leaves the program with its recipe, resolved defaults included."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from caesura._version import __version__
from caesura.declare import parameters
from caesura.evaluation.aggregate import Aggregate
from caesura.metrics.base import Metric

__all__ = ["Signature"]


@dataclasses.dataclass(frozen=True)
class Signature:
    """The recipe of one number.

    Attributes
    ----------
    metric : Metric
        With its parameters.
    aggregate : Aggregate
        How documents were put together, and how many.
    unit : str
        What was counted.
    resolved : mapping
        What the data decided, such as the windows that were used.
    profile : str
        The profile in force.
    missing : int
        Documents that the system lacks.
    against : str
        What of the reference counts.
    encoder : str
        The fingerprint of the encoder whose vectors were read; empty where none were.
    counted : mapping
        What else the number is made of, such as the number of spans.
    """

    metric: Metric
    aggregate: Aggregate
    unit: str
    resolved: Mapping[str, str] = dataclasses.field(default_factory=dict)
    profile: str = "caesura"
    missing: int = 0
    against: str = "boundaries"
    encoder: str = ""
    counted: Mapping[str, str] = dataclasses.field(default_factory=dict)

    def long(self) -> str:
        """Return every choice that may change the number, as ``name|key:value|...``."""
        fields = [(p.name, self._value(p.name)) for p in parameters(self.metric)]
        fields += [("unit", self.unit), ("agg", self.aggregate.aggregation), *self._documents()]
        if self.profile != "caesura":
            fields.append(("profile", self.profile))
        return "|".join(
            [self.metric.name(), *(f"{key}:{value}" for key, value in fields), f"caesura:{__version__}"]
        )

    def short(self) -> str:
        """Return what differs from the defaults and what the data decided; for a footnote."""
        fields = [
            (p.name, self._value(p.name))
            for p in parameters(self.metric)
            if getattr(self.metric, p.name) != p.default or p.name in self.resolved
        ]
        fields += [("agg", self.aggregate.aggregation), *self._documents()]
        if self.profile != "caesura":
            fields.append(("profile", self.profile))
        return "|".join(
            [self.metric.name(), *(f"{key}:{value}" for key, value in fields), f"v:{__version__}"]
        )

    def _value(self, name: str) -> str:
        given = getattr(self.metric, name)
        if name in self.resolved:
            return f"auto={self.resolved[name]}" if given is None else f"{given}={self.resolved[name]}"
        return "none" if given is None else str(given)

    def _documents(self) -> list[tuple[str, str]]:
        fields = [] if self.against == "boundaries" else [("ref", self.against)]
        if self.encoder:
            fields.append(("enc", self.encoder))
        fields += [("docs", str(self.aggregate.documents)), *self.counted.items()]
        for key, count in (
            ("undefined", self.aggregate.undefined),
            ("dropped", self.aggregate.dropped),
            ("missing", self.missing),
        ):
            if count:
                fields.append((key, str(count)))
        return fields
