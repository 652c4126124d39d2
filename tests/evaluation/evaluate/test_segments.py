"""What became of segments, and the table of segments."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caesura.batches.pairs import Pairs
from caesura.corpus import Corpus, Document
from caesura.errors import MetricError
from caesura.evaluation.evaluate import evaluate
from caesura.evaluation.evaluate.segments import segment_table, segment_tables
from caesura.evaluation.explain.outcomes import GAMMA, OUTCOMES, SegmentOutcomes, batch_outcomes
from caesura.kernels import kernel
from caesura.metrics import metric
from caesura.segmentation import Segmentation
from tests.strategies import Pair, corpora, pairs

R, S, M, E, X = OUTCOMES
REFERENCE = [20, 10, 30, 4, 25, 12, 18, 40]

# Bouchekif et al., section 4, Figs. 2-3, with the geometry of the golden file (the paper prints none).
FIGURES = {
    "hyp1, a small false segment at the edge": ([18, 2, *REFERENCE[1:]], [R] * 8, [R, S, *[R] * 7]),
    "hyp2, a false boundary in the middle": ([10, 10, *REFERENCE[1:]], [S, *[R] * 7], [S, S, *[R] * 7]),
    "hyp3, the same in a longer one": ([20, 10, 12, 18, *REFERENCE[3:]], [R, R, S, *[R] * 5], [R, R, S, S, *[R] * 5]),
    "hyp4, a false segment that hurts its neighbours": (
        [14, 10, 6, *REFERENCE[2:]],
        [E, E, *[R] * 6],
        [E, X, E, *[R] * 6],
    ),
    "hyp5, a small segment swallowed": ([20, 10, 34, *REFERENCE[4:]], [R, R, R, M, *[R] * 4], [R] * 7),
    "hyp6, two joined": ([20, 10, 30, 4, 25, 30, 40], [*[R] * 5, M, M, R], [*[R] * 5, M, R]),
}


def segment_outcomes(
    reference: Segmentation, hypothesis: Segmentation, gamma: float = GAMMA
) -> tuple[SegmentOutcomes, SegmentOutcomes]:
    return batch_outcomes(Pairs.of(reference, hypothesis), gamma)


@pytest.mark.parametrize("name", FIGURES)
def test_figures_of_the_paper(name: str) -> None:
    hypothesis, of_reference, of_hypothesis = FIGURES[name]
    ours, theirs = segment_outcomes(Segmentation.from_masses(REFERENCE), Segmentation.from_masses(hypothesis))
    assert ours.words() == of_reference
    assert theirs.words() == of_hypothesis


def test_figure_1_of_the_paper() -> None:
    pair = Segmentation.from_masses([30, 12, 18, 50]), Segmentation.from_masses([34, 40, 17, 19])
    ours, theirs = segment_outcomes(*pair)
    assert ours.words() == [R, X, M, S]
    assert theirs.words() == [R, M, S, S]
    assert ours.partner.tolist() == [1, 2, 2, 4]
    assert [round(100 * h) for h in ours.harmonic.tolist()][2:] == [62, 55]


def restated(pair: Pair, gamma: Fraction) -> list[str]:
    """Return the outcomes of the reference's segments straight from the module's definition."""
    ref_spans, hyp_spans = pair[0].spans, pair[1].spans

    def shared(r: tuple[int, int], h: tuple[int, int]) -> int:
        return max(0, min(r[1], h[1]) - max(r[0], h[0]))

    def size(span: tuple[int, int]) -> int:
        return span[1] - span[0]

    def partner(span: tuple[int, int], others: tuple[tuple[int, int], ...]) -> tuple[int, int]:
        return min(others, key=lambda other: (-shared(span, other), size(other), other))

    def inside(span: tuple[int, int], other: tuple[int, int], others: tuple[tuple[int, int], ...]) -> bool:
        return partner(span, others) == other and Fraction(shared(span, other), size(span)) > gamma

    found = []
    for r in ref_spans:
        h = partner(r, hyp_spans)
        o = shared(r, h)
        pieces = sum(inside(other, r, ref_spans) for other in hyp_spans)
        joined = sum(inside(other, h, hyp_spans) for other in ref_spans)
        if Fraction(2 * o, size(r) + size(h)) > gamma:
            found.append(R)
        elif Fraction(o, size(h)) > gamma and (pieces > 1 or 2 * o <= size(r)):
            found.append(S)
        elif Fraction(o, size(r)) > gamma and (joined > 1 or 2 * o <= size(h)):
            found.append(M)
        elif 2 * o > size(r) and 2 * o > size(h):
            found.append(E)
        else:
            found.append(X)
    return found


@given(pair=pairs(), gamma=st.sampled_from([0.5, 0.7, 0.85, 1.0]))
def test_the_definition_restated(pair: Pair, gamma: float) -> None:
    ours, theirs = segment_outcomes(*pair, gamma)
    assert ours.words() == restated(pair, Fraction(repr(gamma)))
    exchanged = {S: M, M: S}
    assert [exchanged.get(word, word) for word in theirs.words()] == restated(pair[::-1], Fraction(repr(gamma)))


@given(pair=pairs(), gamma=st.sampled_from([0.5, 0.8, 0.85]))
def test_retrieved_is_what_covn_counts(pair: Pair, gamma: float) -> None:
    counts = metric(f"CovN(gamma={gamma})").counts(*pair)
    ours, theirs = segment_outcomes(*pair, gamma)
    assert ours.tally()[R] == counts["ref_correct"]
    assert theirs.tally()[R] == counts["hyp_correct"]
    assert (len(ours), len(theirs)) == (counts["n_ref"], counts["n_hyp"])


def test_a_coverage_of_exactly_gamma_is_not_enough() -> None:
    # 2 * 17 / (17 + 23) is 0.85 exactly.
    pair = Segmentation.from_masses([17, 23]), Segmentation.from_masses([23, 17])
    assert segment_outcomes(*pair)[0].words()[0] == E
    assert segment_outcomes(*pair, gamma=0.849999)[0].words()[0] == R


def test_identical_segmentations_are_retrieved_whole() -> None:
    same = Segmentation.from_masses([3, 1, 4])
    assert segment_outcomes(same, same)[0].words() == [R, R, R]


@pytest.mark.parametrize("gamma", [-0.1, 1.5, float("nan"), True, "x"])
def test_bad_gamma_is_refused(gamma: float) -> None:
    with pytest.raises(MetricError, match="gamma"):
        segment_outcomes(Segmentation(3), Segmentation(3), gamma)


def as_corpora(batch: list[Pair]) -> tuple[Corpus, Corpus]:
    return (
        Corpus.from_segmentations({f"d{i}": pair[0] for i, pair in enumerate(batch)}),
        Corpus.from_segmentations({f"d{i}": pair[1] for i, pair in enumerate(batch)}),
    )


@given(batch=corpora())
def test_the_table_is_the_documents_one_after_another(batch: list[Pair]) -> None:
    table = segment_table(*as_corpora(batch))
    titles = [column.title for column in table.columns]
    expected = []
    for place, pair in enumerate(batch):
        ours, _ = segment_outcomes(*pair)
        for number, (span, word) in enumerate(zip(pair[0].spans, ours.words(), strict=True), start=1):
            expected.append((f"d{place}", number, *span, span[1] - span[0], word, int(word == R)))
    picked = ["document", "number", "start", "end", "length", "outcome", "retrieved"]
    assert [tuple(row[titles.index(title)] for title in picked) for row in table.rows] == expected


def test_uncompiled_kernels_give_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    batch = [
        (Segmentation.from_masses([5, 2, 7]), Segmentation.from_masses([4, 4, 6])),
        (Segmentation(3), Segmentation(3, [1])),
    ]
    compiled = segment_table(*as_corpora(batch)).rows
    import importlib.util
    from pathlib import Path

    import caesura.kernels as package

    path = Path(package.__file__).with_name("segments.py")
    spec = importlib.util.spec_from_file_location("uncompiled_segments", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert not module.COMPILED
    monkeypatch.setitem(kernel("alignment").__dict__, "module", module)
    assert segment_table(*as_corpora(batch)).rows == compiled


def test_speakers_and_words() -> None:
    texts, people = ("one two", "three", "", "four five six"), ("a", "b", "a", "a")
    document = Document(id="d", n_units=4, segmentation=Segmentation(4, [2]), units=texts, speakers=people)
    bare = Document(id="e", n_units=2, segmentation=Segmentation(2))
    hypothesis = {"d": Segmentation(4, [2]), "e": Segmentation(2)}
    table = segment_table(Corpus([document, bare]), Corpus.from_segmentations(hypothesis))
    titles = [column.title for column in table.columns]
    speakers, words = titles.index("speakers"), titles.index("words")
    assert [(row[speakers], row[words]) for row in table.rows] == [(2, 3), (1, 3), (None, None)]


def test_segment_tables_of_an_evaluation() -> None:
    reference = {"d1": Segmentation.from_masses([6, 3, 4]), "d2": Segmentation.from_masses([2, 2])}
    systems = {
        "a": {"d1": Segmentation.from_masses([6, 7]), "d2": Segmentation.from_masses([2, 2])},
        "b": {"d2": Segmentation.from_masses([4])},
    }
    table = segment_tables(evaluate(reference, systems, metrics=["CovN(gamma=0.6)"], missing="skip"))
    # Only d2 is compared, since b lacks d1.
    assert [(row[0], row[1], row[-1]) for row in table.rows] == [
        ("a", "d2", 1),
        ("a", "d2", 1),
        ("b", "d2", 1),
        ("b", "d2", 1),
    ]
    assert next(column.title for column in table.columns) == "system"


def test_a_large_corpus_in_one_go() -> None:
    generator = np.random.default_rng(0)
    drawn = [Segmentation(400, np.sort(generator.choice(399, 20, replace=False) + 1).tolist()) for _ in range(2000)]
    reference, hypothesis = as_corpora(list(zip(drawn, drawn[::-1], strict=True)))
    table = segment_table(reference, hypothesis)
    assert len(table.rows) == 2000 * 21
    from caesura.batches.pairs import pair

    tally = batch_outcomes(pair(reference, hypothesis).pairs)[0].tally()
    assert sum(int(row[-1] or 0) for row in table.rows) == tally[R]


def test_titles_stand_beside_their_segments() -> None:
    """Right segments are titled well or badly; a document without titles, or with too few, has none."""

    def titled(name: str, gaps: tuple[int, ...], titles: list[str] | None) -> Document:
        extra = {} if titles is None else {"segment_titles": titles}
        return Document(id=name, n_units=20, segmentation=Segmentation(20, gaps), extra=extra)

    reference = Corpus([titled("a", (10,), ["A storm at sea", "Home"]), titled("b", (5,), None)])
    hypothesis = Corpus([titled("a", (10, 15), ["Storm at sea", "Walking", ""]), titled("b", (5,), ["x", "y"])])
    rows = [row[-5:-2] for row in segment_table(reference, hypothesis).rows]
    assert rows[0] == ["A storm at sea", "Storm at sea", pytest.approx(6 / 7)]
    assert rows[1] == ["Home", "Walking", 0.0]
    assert rows[2:] == [[None, "x", None], [None, "y", None]]
    short = Corpus([titled("a", (10,), ["only one"]), titled("b", (5,), None)])
    assert {row[-5] for row in segment_table(short, hypothesis).rows} == {None}
