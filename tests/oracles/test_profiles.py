"""Every profile against the program whose conventions it is, on 4,000 random pairs each; never on one lucky pair.

segeval and NLTK are run as installed. The programs that cannot be installed (SuperDialseg's evaluation, Episodic, the notebook of
the SegReFree paper) are restated here from what they do, the windows of SuperDialseg by NLTK as there.
"""

from __future__ import annotations

import functools
import itertools
import math
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from caesura.batches.panel import Panel
from caesura.corpus import Corpus, Document
from caesura.evaluation.agree import agreement
from caesura.metrics import families, metric
from caesura.metrics.profiles import PROFILES, under_profile
from caesura.segmentation import Segmentation
from tests.metrics import brute_panels
from tests.metrics.brute import as_float
from tests.metrics.cohesion import brute as brute_cohesion
from tests.strategies import UNTITLED, Pair, batch

pytestmark = pytest.mark.filterwarnings("ignore::SyntaxWarning", "ignore::DeprecationWarning")
Triple = tuple[float, float, float]


@functools.cache
def some_pairs(seed: int = 25, number: int = 4_000, longest: int = 24) -> list[Pair]:
    """Draw pairs of all densities, one in eight of them without a boundary on a side; some sides are near the other."""
    rng, found = random.Random(seed), []
    for _ in range(number):
        n = rng.randint(1, longest)
        sides = []
        for _ in range(2):
            density = 0.0 if rng.random() < 1 / 8 else rng.choice([0.1, 0.2, 0.4, 0.9])
            sides.append({gap for gap in range(1, n) if rng.random() < density})
        if rng.random() < 0.4:
            sides[1] = {min(max(gap + rng.choice([-2, -1, 0, 0, 1]), 1), n - 1) for gap in sides[0]}
        found.append((Segmentation(n, sorted(sides[0])), Segmentation(n, sorted(sides[1]))))
    return found


def scores(text: str, profile: str, documents: list[Pair]) -> list[float]:
    """Score a corpus as `evaluate` does under a profile."""
    ours: Any = under_profile(text, profile)
    found: list[float] = ours.score(ours.count(PROFILES[profile].arranged(batch(documents)))).tolist()
    return found


def check(text: str, profile: str, theirs: Callable[[Segmentation, Segmentation], float | None]) -> int:
    """Compare every pair; where the program has no answer (None) ours is not compared. Return how many were."""
    wrong, compared = [], 0
    for pair, ours in zip(some_pairs(), scores(text, profile, some_pairs()), strict=True):
        printed = theirs(*pair)
        if printed is None:
            continue
        compared += 1
        if ours != pytest.approx(printed, abs=1e-9, nan_ok=True):
            wrong.append((str(pair[0]), str(pair[1]), ours, printed))
    assert not wrong, (len(wrong), wrong[:3])
    return compared


def labels(side: Segmentation, end: str) -> str:
    """Return one character per unit, the last of them for the end of the document."""
    return side.bits + end


def half_segment(reference: Segmentation) -> int:
    return max(2, round(reference.n_units / (reference.n_boundaries + 1) / 2))


# ---------------------------------------------------------------------------------------------- caesura


def test_caesura_changes_nothing() -> None:
    for name in [name for family in families() for name in (*family.names(), *family.aliases())]:
        assert under_profile(name, "caesura") == metric(name)


# ---------------------------------------------------------------------------------------------- segeval


@functools.cache
def segeval() -> Any:
    return pytest.importorskip("segeval", reason="the oracle segeval is not installed")


def by_segeval(name: str, **options: Any) -> Callable[[Segmentation, Segmentation], float | None]:
    """Return one of its functions, which take the hypothesis first."""
    function = getattr(segeval(), name)

    def call(reference: Segmentation, hypothesis: Segmentation) -> float | None:
        if name in ("pk", "window_diff") and reference.n_units <= half_segment(reference):
            return math.nan  # no window: its Pk is 0 there, its WindowDiff fails
        if name.endswith("similarity") and not (reference.n_boundaries or hypothesis.n_boundaries):
            return math.nan  # it fails
        return float(function(hypothesis.masses, reference.masses, **options))

    return call


@pytest.mark.parametrize(
    ("text", "name", "options"),
    [
        ("Pk", "pk", {}),
        ("WindowDiff", "window_diff", {}),
        ("WindowDiff(edge='lamprier')", "window_diff", {"lamprier_et_al_2007_fix": True}),
        ("B", "boundary_similarity", {}),
        ("S", "segmentation_similarity", {}),
        ("B(n_t=4)", "boundary_similarity", {"n_t": 4}),
    ],
)
def test_segeval(text: str, name: str, options: dict[str, Any]) -> None:
    theirs = by_segeval(name, **options)
    if "lamprier" in text:
        plain = theirs
        # Padded, there is always a window, but a document of one unit has no slot; left out.
        theirs = lambda r, h: None if r.n_units <= half_segment(r) else plain(r, h)  # noqa: E731
    assert check(text, "segeval", theirs) > 3_000


def test_segeval_edit_rates() -> None:
    program = segeval()
    rates = {"EditPrecision": program.precision, "EditRecall": program.recall, "EditF1": program.fmeasure}
    matrices = {
        pair: program.boundary_confusion_matrix(pair[1].masses, pair[0].masses)
        for pair in some_pairs()
        if pair[0].n_boundaries or pair[1].n_boundaries
    }
    for name, rate in rates.items():
        theirs = {pair: float(rate(matrix, 1)) for pair, matrix in matrices.items()}
        assert check(name, "segeval", lambda r, h, found=theirs: found.get((r, h))) > 3_000


def coded(rng: random.Random, annotators: int) -> dict[str, Segmentation]:
    """Draw a document in which at most one annotator is silent: of two silent ones segeval makes a division by zero."""
    n = rng.randint(3, 16)
    while True:
        people = {
            f"a{who}": Segmentation(n, [gap for gap in range(1, n) if rng.random() < 0.3]) for who in range(annotators)
        }
        if sum(not coding.n_boundaries for coding in people.values()) < 2:
            return people


def test_segeval_agreement_of_corpora() -> None:
    """It pools all items: edits over all pairs and items, chance from the mean of the shares (pi) or of each coder (kappa)."""
    program, rng, differ = segeval(), random.Random(9), 0
    for _ in range(60):
        annotators, n_t = rng.randint(2, 4), rng.choice([2, 3])
        items = {f"d{place}": coded(rng, annotators) for place in range(rng.randint(1, 4))}
        data = program.Dataset(
            {key: {who: coding.masses for who, coding in people.items()} for key, people in items.items()}
        )
        documents = [
            Document(id=key, n_units=people["a0"].n_units, segmentation=None, annotations=people)
            for key, people in items.items()
        ]
        names = [f"Agreement{letter}(n_t={n_t}{kappa})" for letter in "BS" for kappa in ("", ", kappa=True")]
        ours = agreement(Corpus(documents), names, profile="segeval", resamples=10).coefficients
        plain = agreement(Corpus(documents), names, resamples=10).coefficients
        for letter, compare in (("B", program.boundary_similarity), ("S", program.segmentation_similarity)):
            options = {"fnc_compare": compare, "n_t": n_t}
            pi, kappa = (ours[f"Agreement{letter}(n_t={n_t})"], ours[f"Agreement{letter}(n_t={n_t}, kappa=True)"])
            assert pi.aggregation == kappa.aggregation == "micro"
            for found, printed in (
                (pi.score, program.fleiss_pi_linear(data, **options)),
                (kappa.score, program.fleiss_kappa_linear(data, **options)),
                (pi.observed, program.actual_agreement_linear(data, **options)),
                (pi.bias, program.artstein_poesio_bias_linear(data, **options)),
            ):
                assert found == pytest.approx(float(printed), abs=1e-9)
            mean = np.mean([metric(f"Agreement{letter}(n_t={n_t})")(people) for people in items.values()])
            default = plain[f"Agreement{letter}(n_t={n_t})"]
            assert default.score == pytest.approx(float(mean), abs=1e-12)
            differ += abs(default.score - pi.score) > 1e-6
    assert differ > 50  # the two really are two numbers


# ---------------------------------------------------------------------------------------------- NLTK and SuperDialseg


def nltk() -> tuple[Callable[..., float], Callable[..., float]]:
    pytest.importorskip("nltk", reason="the oracle NLTK is not installed")
    from nltk.metrics.segmentation import pk, windowdiff

    return pk, windowdiff


@pytest.mark.parametrize(("form", "end"), [("gaps", ""), ("units", "0"), ("units_closed", "1")])
def test_nltk(form: str, end: str) -> None:
    pk, windowdiff = nltk()

    def window(string: str) -> int:
        return round(len(string) / (string.count("1") * 2.0))

    def by_pk(reference: Segmentation, hypothesis: Segmentation) -> float | None:
        first, second = labels(reference, end), labels(hypothesis, end)
        # A reference without a mark fails in some versions; no window fails in all.
        return None if "1" not in first or window(first) > len(first) else pk(first, second)

    def by_number(reference: Segmentation, hypothesis: Segmentation) -> float | None:
        first, second = labels(reference, end), labels(hypothesis, end)
        return None if "1" not in first or window(first) > len(first) else windowdiff(first, second, window(first))

    assert check(f"Pk(string={form!r})", "nltk", by_pk) > 2_500
    assert check(f"WindowDiff(string={form!r})", "nltk", by_number) > 2_500


def super_dialseg(reference: Segmentation, hypothesis: Segmentation) -> dict[str, float]:
    """Restate its evaluation of one dialogue: labels that end in 0, NLTK's windows, F1 of label 1 with 0 for nothing."""
    pk, windowdiff = nltk()
    first, second, k = labels(reference, "0"), labels(hypothesis, "0"), half_segment(reference)
    hits = sum(a == b == "1" for a, b in zip(first, second, strict=True))
    f1 = 2 * hits / (first.count("1") + second.count("1")) if hits else 0.0
    found = {"F1": f1, "MAE": abs(first.count("1") - second.count("1"))}
    if len(first) < k:
        return {**found, "Pk": math.nan, "WindowDiff": math.nan, "Score": math.nan}  # one unit: it divides by zero
    pk_score, wd_score = pk(first, second, k), windowdiff(first, second, k)
    return {**found, "Pk": pk_score, "WindowDiff": wd_score, "Score": f1 / 2 + (1 - pk_score) / 4 + (1 - wd_score) / 4}


def test_superdialseg() -> None:
    theirs = {pair: super_dialseg(*pair) for pair in some_pairs()}
    for name in PROFILES["superdialseg"].metrics:
        assert check(name, "superdialseg", lambda r, h, name=name: theirs[r, h][name]) == 4_000
    # The labels closed by 1, which this profile once had, are another Pk.
    closed = scores("Pk(string='units_closed')", "superdialseg", some_pairs())
    assert (
        sum(ours != pytest.approx(theirs[pair]["Pk"]) for pair, ours in zip(some_pairs(), closed, strict=True)) > 1_000
    )


def test_closing_boundary() -> None:
    """The end as an item: NLTK on labels that end in 1, with half the mean segment as window."""
    pk, windowdiff = nltk()
    for name, function in (("Pk", pk), ("WindowDiff", windowdiff)):

        def theirs(reference: Segmentation, hypothesis: Segmentation, function: Any = function) -> float:
            first, second, k = labels(reference, "1"), labels(hypothesis, "1"), half_segment(reference)
            return math.nan if len(first) < k else function(first, second, k)

        assert check(name, "closing_boundary", theirs) == 4_000


def test_closing_boundary_of_annotators() -> None:
    restated = [
        ("FleissKappa", brute_panels.fleiss),
        ("MultiKappa", brute_panels.multi_kappa),
        ("KrippendorffAlpha", brute_panels.alpha),
    ]
    rng, silent = random.Random(4), 0
    for place in range(4_000):
        n, density = rng.randint(1, 12), rng.choice([0.0, 0.1, 0.4])
        people = [
            Segmentation(n, [gap for gap in range(1, n) if rng.random() < density]) for _ in range(rng.randint(2, 4))
        ]
        silent += n > 1 and not any(coding.n_boundaries for coding in people)
        name, exact = restated[place % 3]
        ours = under_profile(name, "closing_boundary")(people)
        assert ours == pytest.approx(as_float(exact(people, True)), abs=1e-10, nan_ok=True)
    assert silent > 1_000


# ---------------------------------------------------------------------------------------------- the papers


def episodic_coverage(gold: set[int], predicted: set[int], w: int) -> Triple:
    """Each prediction takes the first gold boundary in reach, in the order of the set, and looks no further."""
    if not gold and not predicted:
        return 1.0, 1.0, 1.0
    met = {p: next((g for g in gold if abs(p - g) <= w), None) for p in predicted}
    hits = {p: g for p, g in met.items() if g is not None}
    return rates(len(hits) / len(predicted) if predicted else 0.0, len(set(hits.values())) / len(gold) if gold else 0.0)


def episodic_one_to_one(gold: set[int], predicted: set[int], w: int) -> Triple:
    """Nearest pairs first, in the order of the sets; a side with nothing to judge is 1."""
    free_gold, free_predicted, pairs = set(gold), set(predicted), 0
    near = [(abs(g - p), g, p) for g in gold for p in predicted if abs(g - p) <= w]
    for _, g, p in sorted(near, key=lambda each: each[0]):
        if g in free_gold and p in free_predicted:
            free_gold.remove(g)
            free_predicted.remove(p)
            pairs += 1
    return rates(pairs / len(predicted) if predicted else 1.0, pairs / len(gold) if gold else 1.0)


def rates(precision: float, recall: float) -> Triple:
    both = precision + recall
    return precision, recall, 2 * precision * recall / both if both else 0.0


def episodic_window_diff(reference: Segmentation, hypothesis: Segmentation) -> float:
    n, parts = reference.n_units, max(reference.n_boundaries + 1, 2)
    k = max(2, n // (2 * parts))
    windows = [
        sum(i < b <= i + k for b in reference.boundaries) != sum(i < b <= i + k for b in hypothesis.boundaries)
        for i in range(n - k)
    ]
    return sum(windows) / len(windows) if windows else 0.0


def episodic_share(segmentation: Segmentation, other: Segmentation) -> float:
    """Return the mean over segments of the greatest part that lies in one segment of the other side."""
    own, others = units_of(segmentation), units_of(other)
    return sum(max(len(one & each) for each in others) / len(one) for one in own) / len(own)


def units_of(segmentation: Segmentation) -> list[set[int]]:
    edges = [0, *segmentation.boundaries, segmentation.n_units]
    return [set(range(a, b)) for a, b in itertools.pairwise(edges)]


@pytest.mark.parametrize("w", [0, 1, 2])
def test_as_run_boundaries(w: int) -> None:
    for place, rate in enumerate(("Precision", "Recall", "F1")):
        for matching, restated in (("", episodic_coverage), (", matching='one_to_one'", episodic_one_to_one)):
            text = f"Boundary{rate}(tolerance={w}{matching})"
            theirs = lambda r, h, f=restated, at=place: f(set(r.boundaries), set(h.boundaries), w)[at]  # noqa: E731
            assert check(text, "as_run", theirs) == 4_000


def test_as_run_windows_and_segments() -> None:
    assert check("WindowDiff", "as_run", episodic_window_diff) == 4_000
    assert check("Purity", "as_run", lambda r, h: episodic_share(h, r)) == 4_000
    assert check("Coverage", "as_run", episodic_share) == 4_000


@pytest.mark.parametrize("kind", ["std", "cos", "pair"])
def test_arp_as_printed_and_as_run(kind: str) -> None:
    """As printed: the whole segment, cut at half of it, and a square for ARPstd only; the golden data has zero cosines."""
    printed, run = under_profile(f"ARP{kind}", "paper"), under_profile(f"ARP{kind}", "as_run")
    rng, done = np.random.default_rng(17), 0
    for reference in (side for pair in some_pairs() for side in pair):
        if not 2 < reference.n_units < 12 or not reference.n_boundaries:
            continue
        vectors = rng.integers(1, 6, size=(reference.n_units, 3)).astype(np.float64)
        literal = brute_cohesion.arp((reference, vectors), kind, 2 if kind == "std" else 1, "half")
        assert printed(reference, vectors) == pytest.approx(mean_defined(literal), abs=1e-9, nan_ok=True)
        plain = brute_cohesion.arp((reference, vectors), kind, 1)
        assert run(reference, vectors) == pytest.approx(mean_defined(plain), abs=1e-9, nan_ok=True)
        done += 1
        if done == 1_000:
            return
    pytest.fail("too few documents")


def mean_defined(values: list[float]) -> float:
    defined = [value for value in values if not math.isnan(value)]
    return sum(defined) / len(defined) if defined else math.nan


def test_paper_boundaries_and_segments() -> None:
    """W-F1 by Appendix A (near any of the other side), purity and coverage by units."""

    def near(reference: Segmentation, hypothesis: Segmentation) -> float:
        gold, predicted = set(reference.boundaries), set(hypothesis.boundaries)
        if not gold or not predicted:
            return float(gold == predicted)
        right = sum(any(abs(p - g) <= 1 for g in gold) for p in predicted) / len(predicted)
        found = sum(any(abs(p - g) <= 1 for p in predicted) for g in gold) / len(gold)
        return rates(right, found)[2]

    def by_units(segmentation: Segmentation, other: Segmentation) -> float:
        others = units_of(other)
        return sum(max(len(one & each) for each in others) for one in units_of(segmentation)) / other.n_units

    assert check("W-F1", "paper", near) == 4_000
    assert check("Purity", "paper", lambda r, h: by_units(h, r)) == 4_000
    assert check("Coverage", "paper", by_units) == 4_000


@pytest.mark.parametrize("name", UNTITLED)
def test_swapped(name: str) -> None:
    """Exchanged, and in the notebook with one unit too many in the first segment of both."""
    documents = some_pairs()
    exchanged = [(hypothesis, reference) for reference, hypothesis in documents]
    np.testing.assert_array_equal(scores(name, "swapped", documents), scores(name, "caesura", exchanged))
    longer = [tuple(with_longer_first(side) for side in pair) for pair in exchanged]
    np.testing.assert_array_equal(scores(name, "swapped_first_plus_one", documents), scores(name, "caesura", longer))


def with_longer_first(side: Segmentation) -> Segmentation:
    first, *rest = side.masses
    return Segmentation.from_masses([first + 1, *rest])


def test_panels_are_those_of_the_registry() -> None:
    """A coefficient of one document is the same pooled or not."""
    people = [pair[0] for pair in some_pairs() if pair[0].n_units == 9][:4]
    panel = Panel.of(people)
    for letter in "BS":
        ours, pooled = metric(f"Agreement{letter}"), under_profile(f"Agreement{letter}", "segeval")
        np.testing.assert_allclose(pooled.score(pooled.count(panel)), ours.score(ours.count(panel)), rtol=1e-12)
