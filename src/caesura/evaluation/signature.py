# SPDX-License-Identifier: Apache-2.0
"""Signatures: a number leaves the program with its recipe, resolved defaults included."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from caesura._version import __version__
from caesura.declare import parameters
from caesura.evaluation.aggregate import Aggregate
from caesura.metrics.base import Metric

__all__ = ["Signature", "assumptions"]

_ASSUMED = {
    "match": "documents matched by {}", "words": "{} of its words found in the texts", "duration": "lasts {}",
    "durations": "lengths given", "runs": "mean of {} runs",
}  # fmt: skip
_REMARKED = ("left_out", "project")  # a remark says more


def assumptions(assumed: Mapping[str, str]) -> str:
    """Return in words what reading a system took for granted.

    >>> assumptions({"match": "order"})
    'documents matched by order'
    """
    told = [key for key in assumed if key not in _REMARKED]
    return "; ".join(_ASSUMED.get(key, f"{key} {{}}").format(assumed[key]) for key in told)


@dataclasses.dataclass(frozen=True)
class Signature:
    """The recipe of one number.

    ``resolved`` is what the data decided, such as the windows that were used; ``missing`` counts the documents that the
    system lacks; ``encoder`` is the fingerprint of the encoder whose vectors were read, if any; ``counted`` is what else
    the number is made of, such as the number of spans; ``assumed`` is what reading the files took for granted.
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
    assumed: Mapping[str, str] = dataclasses.field(default_factory=dict)

    def long(self) -> str:
        """Return every choice that may change the number, as ``name|key:value|...``."""
        choices = [(p.name, self._value(p.name)) for p in parameters(self.metric)]
        return self._joined([*choices, ("unit", self.unit)], "caesura")

    def short(self) -> str:
        """Return what differs from the defaults and what the data decided; for a footnote."""
        choices = [
            (p.name, self._value(p.name))
            for p in parameters(self.metric)
            if getattr(self.metric, p.name) != p.default or p.name in self.resolved
        ]
        return self._joined(choices, "v")

    def _joined(self, choices: list[tuple[str, str]], version: str) -> str:
        fields = [*choices, ("agg", self.aggregate.aggregation), *self._documents()]
        fields += [] if self.profile == "caesura" else [("profile", self.profile)]
        fields.append((version, __version__))
        return "|".join([self.metric.name(), *(f"{key}:{value}" for key, value in fields)])

    def _value(self, name: str) -> str:
        given = getattr(self.metric, name)
        if name in self.resolved:
            return f"{'auto' if given is None else given}={_with_unit(self.resolved[name], self.unit)}"
        return "none" if given is None else str(given)

    def _documents(self) -> list[tuple[str, str]]:
        fields = [] if self.against == "boundaries" else [("ref", self.against)]
        # The lengths of many recordings are too long for a line; the inputs of the results have them.
        fields += [(key, "given" if key == "durations" else value) for key, value in self.assumed.items()]
        if self.encoder:
            fields.append(("enc", self.encoder))
        fields += [("docs", str(self.aggregate.documents)), *self.counted.items()]
        left_out = {"undefined": self.aggregate.undefined, "dropped": self.aggregate.dropped, "missing": self.missing}
        return fields + [(key, str(count)) for key, count in left_out.items() if count]


def _with_unit(lengths: str, unit: str) -> str:
    """Return a length, or the least and greatest, with its unit if that is continuous.

    >>> _with_unit("2..4", "turn"), _with_unit("202500", "ms"), _with_unit("40..90", "character")
    ('2..4', '202.5s', '40c..90c')
    """
    parts = lengths.split("..")
    if unit == "ms":
        parts = [f"{int(part) / 1000:.3f}".rstrip("0").rstrip(".") + "s" for part in parts]
    elif unit == "character":
        parts = [f"{part}c" for part in parts]
    return "..".join(parts)
