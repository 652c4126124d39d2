# SPDX-License-Identifier: Apache-2.0
"""What the declarations say, for the command line and the docs; nothing is written twice."""

from __future__ import annotations

import dataclasses
import inspect
import re
import textwrap
from typing import Any

from caesura.declare import parameters
from caesura.metrics import families
from caesura.metrics import metric as find_metric
from caesura.metrics.base import Metric, MetricCard
from caesura.metrics.profiles import PROFILES, Profile
from caesura.results import as_number
from caesura.table import Column, Table

__all__ = [
    "Description", "describe_class", "describe_metric", "metric_classes", "metric_table", "profile_table",
]  # fmt: skip

_WIDTH = 80  # of a terminal
_SECTIONS = ("Definition", "Edge cases", "Examples", "See Also")
_DIRECTIONS = {"higher": "higher is better", "lower": "lower is better"}


@dataclasses.dataclass(frozen=True)
class Description:
    """One metric in words: its docstring by section, its card, its parameters, its aliases, whether it has a reference."""

    name: str
    summary: str
    sections: dict[str, str]
    card: MetricCard
    parameters: list[dict[str, Any]]
    aliases: list[str]
    reference: bool = True

    @property
    def range(self) -> str:
        """The least and greatest score, and which way is better."""
        low, high = self.card.bounds
        better = _DIRECTIONS.get(self.card.direction, f"best at {self.card.perfect:g}")
        limits = f"{low:g} to {'infinity' if high == float('inf') else f'{high:g}'}, {better}"
        return limits if self.card.perfect == float("inf") else f"{limits}, {self.card.perfect:g} is perfect"

    def text(self) -> str:
        """Return the description as plain text."""
        equation = "" if self.card.equation == "unverified" else f"; {self.card.equation}"
        facts = {
            **({"Also called": ", ".join(self.aliases)} if self.aliases else {}),
            "Score": self.card.formula,
            "Range": self.range,
            **({"Symmetric": "yes" if self.card.symmetric else "no"} if self.reference else {}),
            "Documents": f"{self.card.aggregation} by default",
            "Source": f"{self.card.citation}{equation}",
        }
        lines = [f"{self.name}: {self.card.title}", "", *textwrap.wrap(self.summary, _WIDTH), ""]
        for name, value in facts.items():
            lines += textwrap.wrap(f"{name:<13}{value}", _WIDTH, subsequent_indent=" " * 13)
        lines.append("")
        if self.parameters:
            lines.append("Parameters")
            for p in self.parameters:
                choices = f" ({', '.join(map(repr, p['choices']))})" if p["choices"] else ""
                lines += textwrap.wrap(
                    f"{p['name']}={p['default']!r}: {p['help']}{choices}",
                    _WIDTH,
                    initial_indent="  ",
                    subsequent_indent="      ",
                )
            lines.append("")
        for name in ("Definition", "Edge cases", "Examples"):
            if name in self.sections:
                text = self.sections[name]
                lines += [name, textwrap.indent(text if name == "Examples" else _prose(text), "  "), ""]
        return "\n".join(lines).rstrip()

    def as_dict(self) -> dict[str, Any]:
        """Return the description as plain data."""
        card = {f.name: getattr(self.card, f.name) for f in dataclasses.fields(self.card)}
        card["bounds"] = [as_number(float(bound)) for bound in self.card.bounds]
        card["perfect"] = as_number(float(self.card.perfect))
        card["blind_to"] = sorted(self.card.blind_to)
        if not self.reference:
            # There is nothing to exchange the segmentation with.
            del card["symmetric"]
        return {
            "name": self.name,
            "summary": self.summary,
            "aliases": self.aliases,
            "parameters": self.parameters,
            **card,
            "sections": self.sections,
        }


def describe_metric(name: str) -> Description:
    """Describe a metric, named as for `caesura.metric`."""
    return describe_class(type(find_metric(name)))


def describe_class(cls: type[Metric]) -> Description:
    """Describe the metric of a class."""
    from caesura.metrics.cohesion import CohesionMetric

    summary = (inspect.getdoc(cls) or "").partition("\n")[0]
    # What a docstring does not say, that of its family does.
    docs = [inspect.cleandoc(base.__doc__ or "") for base in reversed(cls.__mro__)]
    known = {name: body for doc in docs for name, body in _sections(doc).items()}
    sections = {name: known[name] for name in _SECTIONS if name in known}
    if "Examples" in sections:
        sections["Examples"] = _complete(sections["Examples"])
    return Description(
        name=cls.name(),
        summary=summary,
        sections=sections,
        card=cls.card,
        parameters=[
            {"name": p.name, "type": p.type, "default": p.default, "help": p.help, "choices": list(p.choices)}
            for p in parameters(cls)
        ],
        aliases=[alias + (f" = {cls(**preset)}" if preset else "") for alias, preset in _aliases(cls).items()],
        reference=not issubclass(cls, CohesionMetric),
    )


def metric_classes() -> list[type[Metric]]:
    """Return the metrics of all families, family by family."""
    return [cls for family in families() for cls in family]


def _aliases(cls: type[Metric]) -> dict[str, dict[str, Any]]:
    return {alias: preset for family in families() for alias, preset in family.aliases_of(cls).items()}


def metric_table() -> Table:
    """Return one row per metric."""
    rows = []
    for cls in metric_classes():
        arrow = {"higher": "↑", "lower": "↓"}.get(cls.card.direction, f"→{cls.card.perfect:g}")
        aliases = ", ".join(_aliases(cls))
        rows.append([cls.name(), aliases, arrow, cls.card.aggregation, cls.card.title])
    titles = ("metric", "alias", "better", "documents", "what it says")
    widths = {"alias": 12, "what it says": 23}
    columns = [Column(title, width=widths.get(title)) for title in titles]
    return Table(columns, rows, notes=["caesura metrics NAME defines one."])


def profile_table() -> Table:
    """Return one row per profile."""
    rows = [[profile.name, profile.title, _sets(profile)] for profile in PROFILES.values()]
    return Table([Column("profile"), Column("whose conventions", width=27), Column("sets", width=27)], rows)


def _sets(profile: Profile) -> str:
    """Return what a profile sets, metrics with the same parameters named together."""
    grouped: dict[str, list[str]] = {}
    for metric, options in profile.parameters.items():
        grouped.setdefault(", ".join(f"{key}={value!r}" for key, value in options.items()), []).append(metric)
    for (metric, option, asked), used in profile.substitute.items():
        reading = ", ".join(f"{key}={value!r}" for key, value in used.items())
        grouped.setdefault(f"{option}={asked!r} read as {reading}", []).append(metric)
    sets = [f"{', '.join(metrics)}: {options}" for options, metrics in grouped.items()]
    scored = profile.metrics or tuple(profile.names)
    sets += [f"scores {', '.join(scored)}"] if scored else []
    return "; ".join(sets + [f"{name} is not offered: {why}" for name, why in profile.lacks.items()])


def _complete(example: str) -> str:
    """Return an example that runs as pasted: the metrics that it names are imported first."""
    named = [cls for cls in metric_classes() if re.search(rf"\b{cls.__name__}\(", example)]
    imports = [f">>> from {cls.__module__} import {cls.__name__}" for cls in named]
    return "\n".join([*(line for line in imports if line not in example), example])


def _sections(doc: str) -> dict[str, str]:
    """Return the underlined sections of a docstring."""
    lines = doc.splitlines()
    sections: dict[str, list[str]] = {}
    current: list[str] | None = None
    for place, line in enumerate(lines):
        following = lines[place + 1] if place + 1 < len(lines) else ""
        if line in _SECTIONS and set(following) == {"-"}:
            current = sections.setdefault(line, [])
        elif current is not None and set(line) != {"-"}:
            current.append(line)
    return {name: "\n".join(body).strip() for name, body in sections.items()}


def _prose(text: str) -> str:
    r"""Return paragraphs as wide as a terminal; formulas stand as they are.

    >>> print(_prose("One\nline.\n\n.. math::  a = b\n    + c"))
    One line.
    <BLANKLINE>
      a = b
      + c
    """
    paragraphs = []
    for each in text.split("\n\n"):
        _, formula, inside = each.partition(".. math::")
        lines = [line.strip() for line in inside.strip().splitlines()]
        paragraphs.append(
            textwrap.indent("\n".join(lines), "  ") if formula else textwrap.fill(" ".join(each.split()), _WIDTH - 2)
        )
    return "\n\n".join(paragraphs)
