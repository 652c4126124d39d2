# SPDX-License-Identifier: Apache-2.0
"""Profiles: the conventions of other tools and papers, as data.

A profile maps metrics to other defaults; what a metric text says itself wins over it. `substitute` replaces a value
that was asked for by the profile's reading of it (segeval's Lamprier edges, Episodic's one-to-one matching). `metrics` are
what its program prints, if that is a set of its own; `names` are the scores of programs that call them otherwise, `lacks` those
that are not offered.
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
    names : mapping
        What its program calls a score to the metric that it is: scored if no metric is named, and known by these names.
    lacks : mapping
        What its program prints and Caesura does not, with the reason.
    swap : bool
        Whether reference and hypothesis are exchanged.
    longer_first : bool
        Whether the first segment of both sides has one unit more.
    several : str
        Which of several annotators count if nobody says so and there are no other boundaries, as ``against``; nothing if its program
        knows one reference only.
    shortest : str
        The length below which its program leaves a recording out of every score; empty if it leaves out none.
    """

    name: str
    title: str
    parameters: Mapping[str, Mapping[str, Any]] = dataclasses.field(default_factory=dict)
    substitute: Mapping[tuple[str, str, Any], Mapping[str, Any]] = dataclasses.field(default_factory=dict)
    metrics: tuple[str, ...] = ()
    names: Mapping[str, str] = dataclasses.field(default_factory=dict)
    lacks: Mapping[str, str] = dataclasses.field(default_factory=dict)
    swap: bool = False
    longer_first: bool = False
    several: str = ""
    shortest: str = ""

    def arranged(self, pairs: Pairs) -> Pairs:
        """Return reference and hypothesis as the profile hands them to a metric."""
        pairs = pairs.swapped() if self.swap else pairs
        return pairs.with_longer_first() if self.longer_first else pairs


def _each(names: tuple[str, ...], **options: Any) -> dict[str, dict[str, Any]]:
    return dict.fromkeys(names, options)


def _rates(names: tuple[str, str, str], family: str, options: str) -> dict[str, str]:
    """Return F1, precision and recall of a family, as a program calls them."""
    return {name: f"{family}{rate}({options})" for name, rate in zip(names, ("F1", "Precision", "Recall"), strict=True)}


_SECONDS = (1, 3, 5, 10, 30, 60)
_METEOR = "a Java program with its own word lists"
_LACKS = {"METEOR": _METEOR, "SODA_c": f"needs METEOR, {_METEOR}"}
_FEW, _MANY = (0.3, 0.5, 0.7, 0.9), "0.5,0.55,0.6,0.65,0.7,0.75,0.8,0.85,0.9,0.95"
_FOUR = ",".join(map(str, _FEW))
_CAPTIONS = f"tiou='{_FOUR}', matching='any', unmatched='hypothesis', words='captions'"
_ALL_SEGMENTS = "matching='any', f1='of_means'"
_COLLAR = "tolerance='3s', matching='nearest_first'"
_BINS = "empty='always_zero', f1='of_means'"
_TIMED = "match='time', tolerance='5s', unmatched='skip', words='stems'"
_GEBD = "tolerance='5%', matching='in_order', empty='always_zero', f1='of_sums'"
_VIDCHAPTERS = {
    **_rates(("F1", "Precision", "Recall"), "Segment", f"tiou='{_FOUR}', {_ALL_SEGMENTS}"),
    **{k: v for t in _FEW for k, v in _rates(
        (f"F1@{t}", f"Precision@{t}", f"Recall@{t}"), "Segment", f"tiou={t}, {_ALL_SEGMENTS}").items()},
    **{k: v for d in _SECONDS for k, v in _rates(
        (f"F1@{d}s", f"Precision@{d}s", f"Recall@{d}s"), "Boundary", f"tolerance='{d}s', strict=True, start=True, f1='of_means'"
    ).items()},
    "CIDEr": f"TitleScore(similarity='cider', {_CAPTIONS})",
    "ROUGE_L": f"TitleScore({_CAPTIONS}, beta=1.2)",
    "SODA_d": "SODA(smoothing=1e-8)",
}  # fmt: skip
_CHAPTER_LLAMA = {
    **_rates(("F1", "P", "R"), "Segment", f"tiou='{_MANY}', matching='any'"),
    "Avg. TIoU": "MeanTIoU(unmatched='skip')",
    "MAE": "CountError",
    **{part: f"CountError(part='{part}')" for part in ("under", "equal", "over")},
    **{k: v for t in _FEW for k, v in _rates(
        (f"f1@{t}", f"precision@{t}", f"recall@{t}"), "Segment", f"tiou={t}, matching='any'").items()},
    **{k: v for d in _SECONDS for k, v in _rates(
        (f"F1@{d}s", f"Precision@{d}s", f"Recall@{d}s"), "Boundary",
        f"tolerance='{d}s', strict=True, empty='zero', f1='of_means', decimals=2").items()},
    "CIDEr": f"TitleScore(similarity='cider', {_CAPTIONS}, empty='undefined')",
    "ROUGE_L": f"TitleScore({_CAPTIONS}, beta=1.2, empty='undefined')",
}  # fmt: skip
_CHUNKSEG = {
    **{k: f"Binned({v!r}, bins='6s')".replace("Binned(", "Binned(metric=") for k, v in {
        **_rates(("f1", "precision", "recall"), "Boundary", _BINS), "pk": "Pk(short='no_error')",
        "window_diff": "WindowDiff(short='no_error')", "boundary_similarity": "B"}.items()},
    **_rates(("collar_f1", "collar_precision", "collar_recall"), "Boundary", _COLLAR),
    **{f"tm_rl_{part}": f"TitleScore(part='{part}', {_TIMED})" for part in ("f1", "precision", "recall")},
    "tm_matched": f"TitleScore(part='matched', {_TIMED})",
    **{f"gc_rl_{part}": f"TitleScore(match='order', part='{part}', words='stems')" for part in ("f1", "precision", "recall")},
}  # fmt: skip
_OPENPSS = {
    **_rates(("F1", "Precision", "Recall"), "Boundary", "start=True"),
    "PQ": "PanopticQuality", "SQ": "PanopticQuality(part='segmentation')", "RQ": "PanopticQuality(part='recognition')",
    "PQ*": "PanopticQuality(rule='majority')", "SQ*": "PanopticQuality(rule='majority', part='segmentation')",
    "RQ*": "PanopticQuality(rule='majority', part='recognition')",
}  # fmt: skip

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
    Profile(
        "vidchapters",
        "VidChapters' dvc_eval: every segment that overlaps enough with any, the start at 0 a hit, F1 of mean precision and mean "
        "recall; titles of all overlapping pairs, with the document frequencies of each video; of several references the best "
        "precision and the best recall of each video",
        names=_VIDCHAPTERS,
        several="best",
        lacks=_LACKS,
    ),
    Profile(
        "chapterllama",
        "Chapter-Llama's tools/results, as shares instead of per cent: F1 of each video at thresholds from 0.5 to 0.95; starts within a "
        "distance with precision and recall rounded before F1; segments without a partner cost nothing in Avg. TIoU",
        names=_CHAPTER_LLAMA,
        lacks=_LACKS,
    ),
    Profile(
        "chunkseg",
        "chunkseg 0.4.0: bins of 6 s, a collar of 3 s with the nearest pair taken first, titles of chapters whose start and end "
        "are within 5 s",
        names=_CHUNKSEG,
        shortest="6s",
        lacks={
            "BERTScore": "needs a large language model",
            "accuracy": "a list without chapters has nearly 1",
            "specificity": "a list without chapters has 1",
            "ghd": "has no fixed scale",
        },
    ),
    Profile(
        "gebd",
        "GEBD's challenge: within 5 % of the duration, each boundary of the reference in turn takes the nearest free one, F1 of sums over "
        "videos; of several raters the one with the best F1 in each video",
        names=_rates(("f1", "precision", "recall"), "Boundary", _GEBD),
        several="best",
    ),
    Profile(
        "openpss",
        "OpenPSS' benchmark of page streams: panoptic quality, and boundaries with the first page as a hit",
        names=_OPENPSS,
        lacks={"MNDD": "found by trying permutations, up to 10,000"},
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
    reasons = [each.lacks[text] for each in (chosen, *PROFILES.values()) if text in each.lacks]
    if reasons:
        raise MetricError(f"{text} is not offered ({reasons[0]}); leave it out")
    metric = parse_metric(chosen.names.get(text, text), chosen.parameters)
    changes = {
        option: value
        for (owner, asked, given), used in chosen.substitute.items()
        if owner == metric.name() and getattr(metric, asked) == given
        for option, value in used.items()
    }
    return dataclasses.replace(metric, **changes) if changes else metric
