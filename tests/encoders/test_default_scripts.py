"""The parts of the scripts that made and measured the table, on small cases; nothing is fetched and torch is not needed."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from studies.default_encoder import fit, pack, rows, sources
from studies.default_encoder.segmenter import boundaries, depths

VECTORS = st.integers(2, 12).flatmap(
    lambda n: arrays(np.float64, (n, 3), elements=st.integers(-4, 4).map(float)).map(
        lambda a: a + np.array([0.5, 0.25, 0.125])
    )
)


def restated(vectors: np.ndarray, window: int) -> list[float]:
    """Return the depths as the words say them, gap by gap."""
    units = [v / np.linalg.norm(v) for v in vectors]
    cosine = []
    for gap in range(1, len(units)):
        left, right = (np.mean(units[max(0, gap - window) : gap], axis=0), np.mean(units[gap : gap + window], axis=0))
        lengths = np.linalg.norm(left) * np.linalg.norm(right)
        cosine.append(float(left @ right) / max(float(lengths), 1e-12))
    found = []
    for place, value in enumerate(cosine):
        left = right = place
        while left > 0 and cosine[left - 1] >= cosine[left]:
            left -= 1
        while right < len(cosine) - 1 and cosine[right + 1] >= cosine[right]:
            right += 1
        found.append(cosine[left] + cosine[right] - 2 * value)
    return found


@given(VECTORS, st.integers(1, 4))
def test_depths_as_restated(vectors: np.ndarray, window: int) -> None:
    ours, theirs = depths(vectors, window), np.array(restated(vectors, window))
    # Equal cosines may differ in the last digit by the order of a sum; a climb then stops one step earlier or later.
    assert np.allclose(ours, theirs, atol=1e-9)


def test_a_change_of_topic_is_found() -> None:
    vectors = np.array([[1, 0.1]] * 4 + [[0.1, 1]] * 5 + [[1, 0]] * 4, dtype=float)
    assert {4, 9} <= set(boundaries(vectors))
    assert all(min(abs(gap - 4), abs(gap - 9)) <= 1 for gap in boundaries(vectors))
    assert boundaries(vectors[:1]) == []


@given(arrays(np.float32, (5, 4), elements=st.floats(-8, 8, width=32)), st.integers(1, 127))
def test_rounding_is_within_half_a_step(values: np.ndarray, levels: int) -> None:
    codes, scales = pack.quantised(values, levels)
    assert codes.dtype == np.int8
    assert np.abs(codes).max() <= levels
    assert (np.abs(codes * scales[:, None] - values) <= scales[:, None] * 0.5 + 1e-5).all()


def test_written_table_says_its_hash(tmp_path: Path) -> None:
    path = tmp_path / "t.npz"
    codes, scales = pack.quantised(np.eye(3, dtype=np.float32), 31)
    size = pack.write(path, codes, scales, ["ab"], {"rows": 3})
    facts = json.loads((tmp_path / "t.json").read_text())
    assert facts == {"sha256": hashlib.sha256(path.read_bytes()).hexdigest(), "bytes": size, "rows": 3}
    with np.load(path, allow_pickle=False) as table:
        assert table["words"].tobytes() == b"ab"
        assert np.array_equal(table["codes"], 31 * np.eye(3))


def test_words_and_weights_come_from_the_list() -> None:
    counts = {"the": 60, "unkind": 30, "sun": 6, "naïve": 3, "o'clock": 1}
    pieces = ["[PAD]", "[UNK]", "[CLS]", "the", "un", "##kind", "s", "##un", "."]
    vocabulary = rows.Vocabulary.choose(pieces, counts, 1)
    assert vocabulary.words == ["unkind"]
    assert vocabulary.used.tolist() == [1, 2, 3, 4, 5, 6, 7, 8, 9]
    share = rows.probabilities(vocabulary, counts)
    total = 60 + 30 + 2 * 6 + 3 + 3 * 1  # sun is two pieces; o'clock is three unknown ones
    assert share[3] == pytest.approx(60 / total)
    assert share[9] == pytest.approx(30 / total)
    assert share[4] == 0
    assert rows.rarity(np.array([0.0, 1e-3]), 1e-3).tolist() == [1.0, 0.5]


def test_components_are_gone() -> None:
    table = np.random.default_rng(0).normal(size=(20, 6)).astype(np.float32) + 2
    texts = [[k, (k + 3) % 20] for k in range(20)]
    summed = np.stack([fit.without_components(table, texts, 1)[text].sum(0) for text in texts])
    before = np.stack([table[text].sum(0) for text in texts])
    assert np.linalg.norm(summed.mean(0)) < 0.1 * np.linalg.norm(before.mean(0))
    assert fit.without_components(table, texts, 0) is table


def test_sentences_are_examples_then_definitions(tmp_path: Path) -> None:
    lines = [
        "  1 This software and database is provided | as is",
        '0001 03 n 01 dog 0 000 | a member of the genus Canis; "the dog barked all night"; "a dog"',
        "0002 03 n 01 cat 0 000 | feline mammal usually having thick soft fur  ",
    ]
    for name in sources.SENTENCES.files:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("\n".join(lines))
    found, examples = sources.sentences(tmp_path, 10, seed=1)
    assert examples == 1
    assert found[0] == "the dog barked all night"
    assert sorted(found[1:]) == ["a member of the genus Canis", "feline mammal usually having thick soft fur"]
    assert sources.sentences(tmp_path, 2, seed=1) == (found[:2], 1)


def test_counts_are_read_most_frequent_first(tmp_path: Path) -> None:
    path = tmp_path / sources.FREQUENCIES.files[0]
    path.parent.mkdir(parents=True)
    path.write_text("\ufeffsun 5\nthe 90\n", encoding="utf-8")
    assert list(sources.word_counts(tmp_path).items()) == [("the", 90), ("sun", 5)]
