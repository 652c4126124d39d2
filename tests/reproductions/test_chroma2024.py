"""Chroma's benchmark: the printed column, the clocks, and the positions that are shipped."""

from __future__ import annotations

import os

import numpy as np
import pytest

from caesura_reproductions.paper_chroma2024._omega import CHUNKERS, NEAREST, PRINTED_ONLY, omega, precision
from caesura_reproductions.run import items, reproduce
from studies.chroma import study as chroma
from tests.corpora import corpus_file, needs

needs_data = needs("chroma")


@pytest.fixture(scope="module")
def cells():
    return {(c.item, c.row, c.column): c for c in reproduce("chroma2024").cells}


def test_every_number_that_needs_no_model_is_exact(cells):
    exact = [cell for cell in cells.values() if cell.can_be_exact]
    assert len(exact) == 16
    assert {cell.status for cell in exact} == {"exact"}
    assert reproduce("smith2024", "T1").matched
    assert list(items("chroma2024")) == ["T1", "Density"]


def by_characters(spans: list[tuple[int, int]], chunks: list[tuple[int, int]]) -> float:
    """Restate the score with sets of characters."""
    touched = [c for c in chunks if any(max(c[0], s) <= min(c[1], e) for s, e in spans)]
    answer = {place for s, e in spans for place in range(s, e)}
    held = {place for a, b in touched for place in range(a, b)}
    return len(answer & held) / len(answer | held) if touched else 0.0


def test_the_score_by_brute_force():
    rng = np.random.default_rng(0)
    for _ in range(300):
        spans = [(int(a), int(a + n)) for a, n in zip(rng.integers(0, 60, 3), rng.integers(1, 12, 3), strict=True)]
        count = int(rng.integers(1, 8))
        chunks = [
            (int(a), int(a + n)) for a, n in zip(rng.integers(0, 70, count), rng.integers(1, 25, count), strict=True)
        ]
        assert precision(np.array(spans), np.array(chunks)) == pytest.approx(by_characters(spans, chunks), abs=1e-12)


def test_a_lead_is_density_and_what_is_above_the_clock(cells):
    base = cells["T1", "Token 400/0", "mean"].ours
    for chunker in CHUNKERS:
        own, above = cells["T1", chunker, "mean"].ours, cells["Density", chunker, "above the clock"].ours
        assert own == pytest.approx(cells["Density", chunker, "clock"].ours + above)
        if chunker != "Token 400/0":
            lead, part = (cells["Density", chunker, name].ours for name in ("lead over Token 400/0", "of it density"))
            assert lead == pytest.approx(own - base)
            assert lead == pytest.approx(part + above)


def test_intervals_hold_their_means_and_match_the_textbook(cells):
    for chunker in ("Recursive 200/0", "Token 800/400"):
        differences = 100 * (omega(chunker) - omega(NEAREST + chunker))
        low, high = (cells["Density", chunker, f"above the clock, {end}"].ours for end in ("low", "high"))
        half = 1.96 * differences.std(ddof=1) / np.sqrt(len(differences))
        assert low == pytest.approx(differences.mean() - half, abs=0.15)
        assert high == pytest.approx(differences.mean() + half, abs=0.15)


def test_what_the_page_says_of_overlaps_and_clocks(cells):
    for chunker in CHUNKERS:
        above = cells["Density", chunker, "above the clock, high"].ours
        if not chunker.endswith("/0"):
            assert above < 0, chunker
    for chunker in ("Token 400/0", "Token 200/0"):
        assert np.array_equal(omega(chunker), omega(NEAREST + chunker))
    assert all(cells["Density", chunker, "above the clock"].ours is not None for chunker in PRINTED_ONLY)


def test_the_page_and_its_figure_come_from_the_numbers():
    assert (chroma.DOCS / "chroma.md").read_text(encoding="utf-8") == chroma.page(), (
        "run: python -m studies.chroma.study page"
    )


@needs_data
def test_the_shipped_spans_are_those_of_the_questions():
    from caesura.datasets.corpora.chroma import questions

    asked = questions(corpus_file("chroma"))
    names = list(dict.fromkeys(question.corpus for question in asked))
    shipped = np.load(chroma.NUMBERS)["questions"]
    ours = [(n, names.index(q.corpus), s, e - s) for n, q in enumerate(asked) for s, e in q.spans]
    assert shipped.tolist() == [list(row) for row in ours]


@needs_data
def test_the_shipped_chunks_are_found_as_the_benchmark_finds_them():
    """Chunks of a clock follow one another; where one does not, the same words occur earlier in the text."""
    from caesura.datasets.corpora.chroma import corpus_text, questions

    folder = corpus_file("chroma")
    names = list(dict.fromkeys(question.corpus for question in questions(folder)))
    chunks = np.load(chroma.NUMBERS)["chunks of Token 200/0"]
    for number, name in enumerate(names):
        text = corpus_text(folder, name)
        for start, length in chunks[chunks[:, 0] == number][:, 1:].tolist():
            assert chroma.located(text, text[start : start + length]) == (start, start + length)


@needs_data
def test_the_shipped_numbers_can_be_made_again():
    pytest.importorskip("tiktoken", reason="the positions are made with tiktoken, which is not installed")
    if not os.environ.get("TIKTOKEN_CACHE_DIR"):
        pytest.skip("TIKTOKEN_CACHE_DIR does not name the folder with the ranks of cl100k_base")
    shipped = np.load(chroma.NUMBERS)
    for name, value in chroma.numbers().items():
        assert np.array_equal(shipped[name], value), name


def test_chunkers_on_a_small_text():
    text = "One two. Three four five.\n\nSix seven eight nine ten eleven."
    words = lambda piece: len(piece.split())  # noqa: E731
    assert chroma.recursive(text, chroma.SEPARATORS, 4, 0, words) == [
        "One two", ". Three four five", ".", "Six seven eight nine", "ten eleven", ".",
    ]  # fmt: skip
    assert list(chroma.by_tokens(list(range(7)), 3, 1, str)) == ["[0, 1, 2]", "[2, 3, 4]", "[4, 5, 6]"]
    assert list(chroma.by_tokens(list(range(4)), 3, 0, str)) == ["[0, 1, 2]", "[3]"]
    assert chroma.located("a b. a  b", "a b.") == (0, 3)
    assert chroma.located("x a \n B y", "A b") == (2, 7)
