# SPDX-License-Identifier: Apache-2.0
"""Profiles: the conventions of other tools and papers, as data.

A profile maps metrics to other defaults; what a metric text says itself wins over it. `substitute` replaces a value
that was asked for by the profile's reading of it (segeval's Lamprier edges, Episodic's one-to-one matching). `metrics` are
what its program prints, if that is a set of its own.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from caesura.batches.pairs import Pairs
from caesura.declare import in_any_case, nearest
from caesura.errors import MetricError
from caesura.metrics import Metric, parse_metric

__all__ = ["PROFILES", "Profile", "profile", "under_profile"]

_WINDOWS = ("Pk", "WindowDiff")
_BOUNDARIES = ("BoundaryPrecision", "BoundaryRecall", "BoundaryF1")
_COEFFICIENTS = ("FleissKappa", "MultiKappa", "KrippendorffAlpha")
_ARPS = ("ARPstd", "ARPcos", "ARPpair")
_EDITS = ("EditPrecision", "EditRecall", "EditF1")


@dataclasses.dataclass(frozen=True)
class Profile:
    """The conventions of somebody else.

    Attributes
    ----------
    name : str
        What ``--profile`` takes.
    title : str
        Whose conventions, and what they change.
    parameters : mapping
        Metric name to other defaults.
    substitute : mapping
        (metric name, parameter, value asked for) to the parameters that are used.
    metrics : tuple of str
        What is scored if no metric is named; the standard set if there is none.
    swap : bool
        Whether reference and hypothesis are exchanged.
    longer_first : bool
        Whether the first segment of both sides has one unit more.
    """

    name: str
    title: str
    parameters: Mapping[str, Mapping[str, Any]] = dataclasses.field(default_factory=dict)
    substitute: Mapping[tuple[str, str, Any], Mapping[str, Any]] = dataclasses.field(default_factory=dict)
    metrics: tuple[str, ...] = ()
    swap: bool = False
    longer_first: bool = False

    def arranged(self, pairs: Pairs) -> Pairs:
        """Return reference and hypothesis as the profile hands them to a metric."""
        pairs = pairs.swapped() if self.swap else pairs
        return pairs.with_longer_first() if self.longer_first else pairs


def _each(names: tuple[str, ...], **options: Any) -> dict[str, dict[str, Any]]:
    return dict.fromkeys(names, options)


_ALL = (
    Profile("caesura", "Caesura's own decisions (the default)"),
    Profile(
        "segeval",
        "segeval 2.0.11: B and S undefined without boundaries; edit precision and recall exchanged; Lamprier edges "
        "divided by N+k+1; agreement over B and S of all documents together",
        {
            **_each(_WINDOWS, rounding="half_even", min_k=2),
            **_each(("BoundarySimilarity", "SegmentationSimilarity"), empty="nan"),
            **_each(_EDITS, as_printed=True),
            **_each(("AgreementB", "AgreementS"), pooled=True),
        },
        {("WindowDiff", "edge", "lamprier"): {"edge": "lamprier_segeval"}},
    ),
    Profile(
        "nltk",
        "NLTK: k = round(slots / (2 boundaries)) without a minimum, a boundary-free reference counted as one boundary; "
        "string='gaps', 'units' or 'units_closed' is the form the string was given in",
        _each(_WINDOWS, k_from="boundaries", min_k=0),
    ),
    Profile(
        "superdialseg",
        "SuperDialseg's released evaluation: Pk and WindowDiff over one label per unit, the last of them 0; F1 is 0 where a side "
        "has no boundary, even where neither has; with MAE and Score",
        {
            **_each(_WINDOWS, string="units"),
            **_each(_BOUNDARIES, empty="always_zero"),
            "DialogueScore": {"string": "units", "empty": "always_zero"},
        },
        metrics=("Pk", "WindowDiff", "F1", "Score", "MAE"),
    ),
    Profile(
        "paper",
        "each formula as its paper prints it: purity and coverage by units, W-F1 by Appendix A, ARP with windows of half a "
        "segment and, by standard deviation, with squared dispersions",
        {
            **_each(_ARPS, exponent=1, cut="half"),
            "ARPstd": {"exponent": 2, "cut": "half"},
            **_each(("Purity", "Coverage", "PurityCoverageF1"), weighting="unit"),
            **_each(_BOUNDARIES, matching="coverage", empty="zero"),
            **_each(("CovN", "CovNPrecision", "CovNRecall", "CovD", "CovDPrecision", "CovDRecall"), gamma=0.85),
        },
    ),
    Profile(
        "as_run",
        "what the papers' released code did: W-F1 crediting the first gold boundary met, greedy one-to-one where the side with "
        "nothing to judge counts as 1, purity and coverage by segments, the window rounded down and a quarter of a document "
        "without boundaries, 0 in a document without a window, ARP without the pairs whose cosine is 0; the windows of the "
        "MultiWindowDiff program",
        {
            **_each(_ARPS, exponent=1),
            "ARPpair": {"exponent": 1, "zero_cosines": "drop"},
            **_each(("Purity", "Coverage", "PurityCoverageF1"), weighting="segment"),
            **_each(_BOUNDARIES, matching="as_run"),
            "WindowDiff": {"rounding": "floor", "k_from": "two_segments", "short": "no_error"},
            "MultiWindowDiff": {"as_run": True},
        },
        {
            (name, "matching", "one_to_one"): {"matching": "as_run_one_to_one", "empty": "vacuous"}
            for name in _BOUNDARIES
        },
    ),
    Profile("swapped", "reference and hypothesis exchanged", swap=True),
    Profile(
        "swapped_first_plus_one",
        "the notebook of the SegReFree paper: reference and hypothesis exchanged, and one unit too many in the first segment "
        "of both, since boundaries on first units are read as if on last ones",
        swap=True,
        longer_first=True,
    ),
    Profile(
        "closing_boundary",
        "the end of the document counted as an item",
        {**_each(_WINDOWS, string="units_closed"), **_each(_COEFFICIENTS, include_end=True)},
    ),
)

PROFILES: Mapping[str, Profile] = {p.name: p for p in _ALL}
"""Every profile by name."""


def profile(name: str) -> Profile:
    """Return a profile by name, in any case."""
    known = in_any_case(name, PROFILES)
    if known is None:
        raise MetricError(f"{name!r} is not a profile; {nearest(name, PROFILES)}")
    return PROFILES[known]


def under_profile(text: str, name: str = "caesura") -> Metric:
    """Return the metric that a text names under a profile.

    >>> str(under_profile("Pk", "nltk"))
    "Pk(min_k=0, k_from='boundaries')"
    """
    chosen = profile(name)
    metric = parse_metric(text, chosen.parameters)
    changes = {
        option: value
        for (owner, asked, given), used in chosen.substitute.items()
        if owner == metric.name() and getattr(metric, asked) == given
        for option, value in used.items()
    }
    return dataclasses.replace(metric, **changes) if changes else metric
