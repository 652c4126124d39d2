"""Spans against chunks: by hand, and by brute force over every subset of chunks and every placement of boundaries."""

from __future__ import annotations

import itertools
import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caesura.corpus import Corpus, Document
from caesura.errors import CaesuraError, ComparabilityError
from caesura.evaluation.spans import spans
from caesura.evaluation.spans.files import Place
from caesura.evaluation.spans.measures import MEASURES
from caesura.evaluation.spans.page import Chunked, Page, chance_of_missing
from caesura.evaluation.spans.run import _row
from caesura.formats import load
from caesura.results import as_text, read_counts, read_results
from caesura.results.spans.facts import Chunker, WorstSpan
from caesura.segmentation import Segmentation
from caesura.statistics import holm

UNITS = ("The sun rose early.", "It was warm.", "Birds sang.", "It was warm again.")
DOCS = Corpus([Document(id="d", n_units=4, units=UNITS, unit="sentence")])
TEXT = "\n".join(UNITS)


def measured(gold, systems, documents=DOCS, **options):
    return spans(documents, {"d": gold}, systems, **{"clock": False, **options})


def chunks_of(*texts, **fields):
    return Corpus([Document(id="d", n_units=1, unit="character", extra={"chunks": list(texts), **fields})])


def test_by_hand():
    system = {"a": {"d": Segmentation(4, (2,), unit="sentence")}}
    found = measured(["rose early.", "warm. Birds", [0, 4]], system, counted=None)
    scores = found.scores["a"]
    # Spans: inside chunk 1; across the boundary; [0, 4) is "The ", inside chunk 1.
    assert scores["Inside"] == pytest.approx(2 / 3)
    assert scores["Cut"] == pytest.approx(1 / 3)
    assert scores["Chunks"] == pytest.approx(4 / 3)
    # 13 tokens: 7 in chunk 1, 6 in chunk 2; "warm." begins before the span's end, so it is part of the span.
    assert scores["PaddingTokens"] == pytest.approx(((7 - 2) + (13 - 2) + (7 - 1)) / 3)
    bare = ["".join(unit.split()) for unit in UNITS]
    first, everything = len(bare[0] + bare[1]), len("".join(bare))
    assert scores["PaddingCharacters"] == pytest.approx(((first - 10) + (everything - 10) + (first - 3)) / 3)
    assert scores["PaddingUnits"] == pytest.approx((1 + 2 + 1) / 3)
    assert scores["Lost"] == 0
    # One boundary among three gaps between sentences; the second span covers one of them.
    assert scores["InsideByChance"] == pytest.approx((1 + 2 / 3 + 1) / 3)
    facts = found.results().spans
    assert (facts.spans, facts.length_in) == (3, "tokens")
    assert facts.chunkers["a"] == Chunker(
        cut=1, partly_lost=0, wholly_lost=0, chunks=2, length=6.5, chance_places="units", gap_characters=0,
        overlap_characters=0, all_chunks=2, all_tokens=13, most_tokens=7,
    )  # fmt: skip
    assert (
        facts.worst["a"]
        == [WorstSpan(document="d", span="warm. Birds", chunks=2, padding=11, lost=0)]
        == found.worst()["a"]
    )


def test_a_chunker_that_cuts_sentences_is_compared_with_chance_between_tokens():
    found = measured(
        ["It was warm."], {"a": chunks_of("The sun rose early. It", "was warm. Birds sang. It was warm again.")}
    )
    assert found.scores["a"]["Inside"] == 0
    assert found.scores["a"]["InsideByChance"] == pytest.approx(10 / 12)  # 12 gaps, 2 of them inside
    assert "every set of places between tokens equally likely" in found.table().notes[-1]
    # "It was warm" begins "It was warm again." too, but that ends without the full stop.
    assert found.repeated == 0
    assert measured(["It was"], {"a": chunks_of(TEXT)}).repeated == 1


def test_overlapping_chunks_count_by_the_one_that_holds_a_span_best():
    system = {
        "windows": chunks_of(
            "The sun rose early. It was warm.", "It was warm. Birds sang.", "Birds sang. It was warm again."
        )
    }
    found = measured(["warm. Birds", "It was warm.", "early. It was warm. Birds"], system)
    assert [row.inside for row in found.measured["windows"].rows] == [True, True, False]
    assert [row.padding_tokens for row in found.measured["windows"].rows] == [3, 2, 4]
    assert math.isnan(found.scores["windows"]["InsideByChance"])
    assert found.results().systems["windows"]["InsideByChance"].score is None
    assert any("chunks overlap" in note for note in found.table().notes)


def test_what_stands_in_no_chunk_is_lost():
    found = measured(
        ["warm. Birds", "Birds"], {"a": chunks_of("The sun rose early. It was warm.", "It was warm again.")}
    )
    rows = found.measured["a"].rows
    assert [row.lost for row in rows] == [0.5, 1.0]
    assert [row.chunks for row in rows] == [1, 0]
    assert not any(row.inside for row in rows)
    assert [row.padding_tokens for row in rows] == [6, 0]
    assert "a: 10 characters in 1 place are in no chunk" in found.notes()
    assert any(
        note.startswith("a: 1 span lies partly and 1 wholly in no chunk: such a span counts as cut")
        for note in found.table().notes
    )
    # A span that no chunk holds any of needs no chunks and has no padding: it must not make the means better.
    assert found.scores["a"]["Chunks"] == 1
    assert found.scores["a"]["PaddingTokens"] == 6
    assert found.scores["a"]["Lost"] == 0.75
    assert found.results().spans.chunkers["a"].gap_characters == 10
    marked = {column.title for column in found.table().columns if column.direction}
    assert marked == {"Inside", "Lost"}
    none = measured(["Birds"], {"a": chunks_of("The sun rose early. It was warm.", "It was warm again.")})
    score = none.results().systems["a"]["Chunks"]
    assert (score.score, score.reason) == (None, "no chunk holds any part of a span")


def test_every_spelling_of_a_system_is_the_same(tmp_path):
    gold = ["warm. Birds", "Birds sang."]
    starts = [TEXT.index("Birds")]
    same = {
        "units": {"d": Segmentation(4, (2,), unit="sentence")},
        "characters": {"d": Segmentation(len(TEXT), starts, unit="character")},
        "words": chunks_of("The sun rose early. It was warm.", "Birds sang.\nIt was warm again. "),
        "offsets": chunks_of(chunk_spans=[[0, 32], [33, len(TEXT)]]),
    }
    del same["offsets"]["d"].extra["chunks"]
    scores = measured(gold, same).scores
    # PrecisionOmega counts white space, as Chroma does; it differs with what a chunker keeps of it.
    names = [measure.name() for measure in MEASURES]
    assert all(row[name] == scores["units"][name] for row in scores.values() for name in names)


def test_without_texts_units_are_counted():
    documents = Corpus([Document(id="d", n_units=10)])
    found = measured([[0, 2], [3, 6]], {"a": {"d": Segmentation(10, (4,))}}, documents)
    assert found.scores["a"]["Inside"] == 0.5
    assert found.scores["a"]["PaddingUnits"] == (2 + 7) / 2
    assert "PaddingTokens" not in found.scores["a"]
    # One boundary among nine gaps; the spans cover one and two of them.
    assert found.scores["a"]["InsideByChance"] == pytest.approx((8 / 9 + 7 / 9) / 2)
    with pytest.raises(ComparabilityError, match="need the texts of the documents"):
        measured([[0, 2]], {"a": {"d": Segmentation(10, (4,))}}, documents, counted="character")
    with pytest.raises(ComparabilityError, match="given by its words, but the documents have no texts"):
        measured(["x"], {"a": {"d": Segmentation(10, (4,))}}, documents)


def test_units_and_characters_are_told_apart():
    system = {"a": {"d": Segmentation(4, (2,), unit="sentence")}}
    in_units = measured([[1, 3]], system, counted="units")
    in_words = measured(["It was warm. Birds sang."], system)
    assert in_units.scores == in_words.scores


@given(
    st.lists(st.tuples(st.integers(0, 11), st.integers(1, 6)), min_size=1, max_size=6),
    st.integers(0, 11),
    st.integers(1, 8),
)
def test_cover_as_brute_force(drawn, start, size):
    """Every subset of chunks; the best holds the most of the span, is the smallest, and has the least beside it."""
    chunks = [(a, a + n) for a, n in drawn]
    span = set(range(start, start + size))
    best = None
    for number in range(len(chunks) + 1):
        for chosen in itertools.combinations(chunks, number):
            held = {place for a, b in chosen for place in range(a, b)}
            # Padding is counted from the first chunk to the last: holes inside lie in the span.
            beside = max([0, *(start - a for a, _ in chosen)]) + max([0, *(b - start - size for _, b in chosen)])
            key = (len(span - held), number, beside)
            best = key if best is None else min(best, key)
    cover = Chunked(chunks).cover(start, start + size)
    beside = min(max(0, start - a) + max(0, b - start - size) for a, b in cover.ends)
    assert (cover.lost, cover.chunks, beside) == best


@given(
    st.lists(st.integers(1, 5), min_size=12, max_size=12),
    st.lists(st.tuples(st.integers(0, 20), st.integers(3, 12)), min_size=2, max_size=6),
    st.integers(0, 16),
    st.integers(1, 10),
)
def test_the_least_padding_of_the_smallest_sets_however_it_is_counted(words, drawn, start, size):
    """Every subset of overlapping chunks; tokens, characters and units each have the least of the smallest sets."""
    texts = tuple(" ".join("x" * length for length in words[place : place + 2]) for place in range(0, 12, 2))
    page = Page(Document(id="d", n_units=len(texts), units=texts))
    end = min(start + size, page.length)
    start = min(start, end - 1)
    chunks = [(min(a, page.length - 1), min(a + n, page.length)) for a, n in drawn]
    smallest: dict[tuple[int, int], list[set[int]]] = {}
    for number in range(1, len(chunks) + 1):
        for chosen in itertools.combinations(chunks, number):
            held = {place for a, b in chosen for place in range(a, b)}
            smallest.setdefault((len(set(range(start, end)) - held), number), []).append(held)
    lost, number = min(smallest)
    row = _row(0, 0, Place(start, end, ""), Chunked(chunks), page, at_units=False, overlap=True)
    if lost == end - start:
        assert row.chunks == 0
        return
    beside = [held - set(range(start, end)) for held in smallest[lost, number]]
    begins = set(page.tokens.tolist())
    unit_of = np.searchsorted(page.unit_starts, np.arange(page.length), side="right")
    in_span = set(unit_of[start:end].tolist())
    assert (row.chunks, row.lost) == (number, lost / (end - start))
    assert row.padding_characters == min(map(len, beside))
    assert row.padding_tokens == min(len(held & begins) for held in beside)
    assert row.padding_units == min(len(set(unit_of[list(held)].tolist()) - in_span) for held in beside)


def test_fewer_tokens_win_over_fewer_characters():
    # "ccc" begins in the middle: either chunk holds it whole, with one long word or with two short ones beside it.
    documents = Corpus([Document(id="d", n_units=1, units=("abcdefgh ccc x y",))])
    system = chunks_of("abcdefgh ccc", "ccc x y")
    found = spans(documents, {"d": ["ccc"]}, {"a": system}).scores["a"]
    assert (found["PaddingTokens"], found["PaddingCharacters"]) == (1, 2)


@pytest.mark.parametrize("gaps", range(7))
def test_chance_as_brute_force(gaps):
    for boundaries, inside in itertools.product(range(gaps + 1), repeat=2):
        ways = list(itertools.combinations(range(gaps), boundaries))
        missed = sum(all(place >= inside for place in way) for way in ways)
        assert chance_of_missing(gaps, boundaries, inside) == pytest.approx(missed / len(ways))


def test_chance_at_large_numbers_stays_in_bounds():
    assert chance_of_missing(10**9, 10**6, 0) == 1
    assert 0 < chance_of_missing(10**9, 10**6, 1000) < 1
    assert chance_of_missing(10, 11, 3) == 0


def test_intervals_draw_documents_with_all_their_spans():
    documents = Corpus([Document(id=f"d{n}", n_units=10) for n in range(30)])
    system = {f"d{n}": Segmentation(10, (5,)) for n in range(30)}
    gold = {f"d{n}": [[4, 6]] * 4 if n % 2 else [[0, 2]] * 4 for n in range(30)}
    found = spans(documents, gold, {"a": system}, resamples=500)
    interval = found.intervals(500)["a"]["Inside"]
    assert found.scores["a"]["Inside"] == 0.5
    # 30 independent documents, not 120 spans: the standard error is near 0.5 / sqrt(30).
    assert 0.3 < interval.width < 0.45
    single = spans(documents, {"d0": [[0, 2]]}, {"a": system})
    assert math.isnan(single.intervals()["a"]["Inside"].low)


@given(
    st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2), st.integers(0, 2)), min_size=1, max_size=6),
    st.integers(0, 3),
)
def test_comparison_as_brute_force(drawn, seed):
    """Documents with two spans each; every way to exchange the documents of two systems is tried by hand."""
    gaps = {0: (3, 7), 1: (3,), 2: ()}  # cuts both spans, the first, none
    ids = [f"d{n}" for n in range(len(drawn))]
    documents = Corpus([Document(id=name, n_units=10) for name in ids])
    systems = {
        system: {name: Segmentation(10, gaps[row[place]]) for name, row in zip(ids, drawn, strict=True)}
        for place, system in enumerate("abc")
    }
    gold = {name: [[2, 4], [6, 8]] for name in ids}
    found = spans(documents, gold, systems, resamples=50, seed=seed, clock=False).results().comparisons
    p_values = []
    for pair, (i, j) in zip(found, [(0, 1), (0, 2), (1, 2)], strict=True):
        differences = [row[i] - row[j] for row in drawn]
        observed = abs(sum(differences))
        ways = [
            abs(sum(s * d for s, d in zip(signs, differences, strict=True)))
            for signs in itertools.product((1, -1), repeat=len(drawn))
        ]
        p_values.append(sum(way >= observed for way in ways) / len(ways))
        assert pair.exact
        assert pair.p == pytest.approx(p_values[-1])
        assert pair.difference == pytest.approx(sum(differences) / (2 * len(drawn)))
        assert pair.density == pytest.approx(sum(_chance(row[i]) - _chance(row[j]) for row in drawn) / len(drawn))
    assert [pair.p_corrected for pair in found] == pytest.approx(holm(p_values))


def _chance(kind):
    # Each span has one of the nine gaps inside; 2, 1 or 0 boundaries miss it.
    return {0: 7 / 9, 1: 8 / 9, 2: 1.0}[kind]


def test_comparison_of_many_documents():
    ids = [f"d{n}" for n in range(40)]
    documents = Corpus([Document(id=name, n_units=10) for name in ids])
    gold = {name: [[4, 6]] for name in ids}
    systems = {
        "good": {name: Segmentation(10, (4,)) for name in ids},
        "bad": {name: Segmentation(10, (5 if n % 2 else 4,)) for n, name in enumerate(ids)},
    }
    found = spans(documents, gold, systems, clock=False)
    (pair,) = found.results().comparisons
    assert (pair.difference, pair.better, pair.density, pair.placement) == (0.5, "good", 0, 0.5)
    assert pair.p < 0.001
    assert 0.3 < pair.interval[0] < 0.5 < pair.interval[1] < 0.7
    assert not any("no p can be below" in note for note in found.tables()[1].notes)
    assert found.compare(resamples=1000) == [pair]
    alone = spans(documents, gold, {"good": systems["good"]}, clock=False)
    assert alone.results().comparisons is None
    assert len(alone.tables()) == 1


def test_results_file(tmp_path):
    found = measured(["warm. Birds"], {"documents": {"d": Segmentation(4, (2,), unit="sentence")}})
    data = json.loads(as_text(found.results()))
    assert data["systems"]["documents"]["Inside"]["score"] == 0
    assert data["systems"]["documents"]["Inside"]["signature"].startswith(
        "Inside|unit:character|agg:micro|ref:spans|docs:1|spans:1|"
    )
    assert [entry["role"] for entry in data["inputs"]] == ["documents", "system"]
    assert data["systems"]["documents"]["Inside"]["interval"] == [None, None]
    written = found.save(tmp_path / "r.json")
    assert read_results(tmp_path / "r.json") == written
    documents, counts = read_counts(tmp_path / "r.json")
    assert documents == ["d"]
    assert counts["documents"]["Cut"].tolist() == [[1.0, 1.0]]


def test_longer_chunks_are_remarked_upon():
    two = {name: {"d": Segmentation(4, gaps, unit="sentence")} for name, gaps in (("a", (2,)), ("b", (1, 2, 3)))}
    assert any("longer chunks cut fewer spans" in note for note in measured(["Birds"], two).table().notes)
    same = {name: {"d": Segmentation(4, gaps, unit="sentence")} for name, gaps in (("a", (2,)), ("b", (1,)))}
    assert not any("longer chunks" in note for note in measured(["Birds"], same).table().notes)


SYSTEM = {"a": {"d": Segmentation(4, (2,), unit="sentence")}}


@pytest.mark.parametrize(
    ("gold", "words"),
    [
        ([[0, 1000]], "span 1 is 0..1000, but the document has"),
        ([[3, 3]], "span 1 (3..3) is empty"),
        ([[5, 3]], "span 1 (5..3) ends before it starts"),
        ([[-1, 3]], "span 1 is -1..3"),
        ([[0.5, 3]], "an offset is 0.5"),
        ([[True, 3]], "an offset is True"),
        ([[1, 2, 3]], "write [start, end], or the words"),
        ([7], "span 1 is 7"),
        ([{}], "has neither offsets nor a text"),
        ([{"start": 3}], "an offset is None"),
        ([{"text": 3}], "its text is 3"),
        (["no such words"], "('no such words') is not in the text"),
        ([" \n"], "only white space"),
        ([[3, 4]], "only white space"),
        ([{"text": "moon", "start": 4, "end": 7}], "says 'moon', but at 4..7 the text is 'sun'"),
        ([], "there is no span"),
    ],
)  # fmt: skip
def test_spans_that_cannot_be_are_one_line(gold, words):
    with pytest.raises(CaesuraError) as caught:
        measured(gold, SYSTEM)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("system", "words"),
    [
        (Corpus([Document(id="x", n_units=4, segmentation=Segmentation(4))]), "document 'd' has spans but no chunks in 'a'"),
        (Corpus([Document(id="d", n_units=4)]), "document 'd' of 'a' has no boundaries"),
        ({"d": Segmentation(5, (2,))}, "has 5 units, the document 4"),
        ({"d": Segmentation(5, (2,), unit="character")}, "has 5 characters, the document"),
        ({"d": Segmentation(5, (2,), unit="ms")}, "is in 'ms'"),
        (chunks_of("nowhere"), "document 'd' of 'a': chunk 1 ('nowhere') is not in the text"),
        (chunks_of("Nowhere", chunk_spans=[[0, 9999]]), "document 'd' of 'a': chunk 1 ('Nowhere') is not in the text"),
    ],
)  # fmt: skip
def test_systems_that_do_not_fit_are_one_line(system, words):
    with pytest.raises(ComparabilityError) as caught:
        measured(["Birds"], {"a": system})
    assert words in str(caught.value)


def test_missing_documents_are_skipped_for_all_and_counted():
    documents = Corpus([Document(id=name, n_units=4) for name in "de"])
    full = {name: Segmentation(4, (2,)) for name in "de"}
    gold = {"d": [[0, 2]], "e": [[1, 3]]}
    found = spans(documents, gold, {"a": full, "b": {"d": full["d"]}}, missing="skip")
    assert found.documents == ["d"]
    assert "b: 1 documents with spans missing, skipped for all systems" in found.notes()
    with pytest.raises(ComparabilityError, match="no document has chunks of every system"):
        spans(documents, {"e": [[1, 3]]}, {"b": {"d": full["d"]}}, missing="skip")
    with pytest.raises(ComparabilityError, match="document 'z' is not among the documents"):
        spans(documents, {"z": [[1, 3]]}, {"a": full})
    with pytest.raises(ComparabilityError, match="missing is 'maybe'"):
        spans(documents, gold, {"a": full}, missing="maybe")  # type: ignore[arg-type]


def test_a_text_file_and_its_chunks(tmp_path):
    (tmp_path / "tale.txt").write_text(TEXT.replace("\n", "\n\n"))
    (tmp_path / "chunks.json").write_text(
        json.dumps(["The sun rose early. It was warm.", "Birds sang. It was warm again."])
    )
    (tmp_path / "gold.jsonl").write_text('{"id": "tale", "spans": ["warm. Birds", [0, 3]]}\n')
    found = spans(load(tmp_path / "tale.txt"), tmp_path / "gold.jsonl", [tmp_path / "chunks.json"])
    assert found.scores["chunks"]["Inside"] == 0.5
