"""The table that comes with the library: what it holds, what it gives, and what it says of itself."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import shutil
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caesura.encoders import default as module
from caesura.encoders import encoder
from caesura.encoders._model.tokens import VOCABULARY, WordPiece
from caesura.encoders.default import TABLE, StaticTable
from caesura.errors import DeclarationError, EncoderError

DEFAULT = encoder("default")
FACTS = json.loads(TABLE.with_suffix(".json").read_text())
PIECES = VOCABULARY.read_text(encoding="utf-8").rstrip("\n").split("\n")


def cosines(*texts: str) -> np.ndarray:
    """Return the cosines of all pairs of texts."""
    vectors = DEFAULT.encode(list(texts)).astype(np.float64)
    return vectors @ vectors.T


def test_contract() -> None:
    assert isinstance(DEFAULT, StaticTable)
    assert (DEFAULT.name, DEFAULT.normalized) == ("default", True)
    vectors = DEFAULT.encode(["One sentence.", "Another one."])
    assert vectors.dtype == np.float32
    assert vectors.shape == (2, DEFAULT.dim)
    assert DEFAULT.encode([]).shape == (0, DEFAULT.dim)


@given(st.lists(st.text(), max_size=8))
def test_every_vector_has_length_one_and_stands_alone(texts: list[str]) -> None:
    vectors = DEFAULT.encode(texts)
    assert np.allclose(np.linalg.norm(vectors.astype(np.float64), axis=1), 1, atol=1e-6)
    for text, vector in zip(texts, vectors, strict=True):
        assert np.array_equal(DEFAULT.encode([text])[0], vector)


def test_a_text_is_the_sum_of_its_rows() -> None:
    with np.load(TABLE, allow_pickle=False) as arrays:
        codes, scales, words = arrays["codes"], arrays["scales"], arrays["words"].tobytes().decode().split()
    cut = WordPiece(PIECES, whole={word: len(PIECES) + place for place, word in enumerate(words)})
    text = f"The unaffable {words[0]} met {words[-1]} at 3.14 o'clock in a café."
    numbers = cut.numbers(text)
    assert {len(PIECES), len(PIECES) + len(words) - 1} <= set(numbers)
    summed = sum(codes[n].astype(np.float64) * float(scales[n]) for n in numbers)
    assert np.allclose(DEFAULT.encode([text])[0], summed / np.linalg.norm(summed), atol=1e-6)


@pytest.mark.parametrize("text", ["", "   ", "\t\n", "\x00\u200b", "\ufffd"])
def test_texts_without_a_word_are_all_the_same(text: str) -> None:
    assert np.array_equal(DEFAULT.encode([text]), DEFAULT.encode([""]))


def test_unknown_words_have_a_vector_of_their_own() -> None:
    assert np.array_equal(DEFAULT.encode(["👍"]), DEFAULT.encode(["🎉"]))
    assert not np.array_equal(DEFAULT.encode(["👍"]), DEFAULT.encode([""]))


def test_many_pieces_at_once_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = ["a long story about whales " * (k % 7) for k in range(50)]
    whole = DEFAULT.encode(texts)
    monkeypatch.setattr(module, "_AT_ONCE", 10)
    assert np.array_equal(DEFAULT.encode(texts), whole)


def test_texts_of_one_topic_are_closer() -> None:
    near = cosines(
        "The doctor examined the patient.", "A nurse works at the hospital.", "Shares fell on the stock market."
    )
    assert near[0, 1] > near[0, 2] + 0.1
    assert near[0, 1] > near[1, 2] + 0.1


def test_no_row_that_a_text_can_reach_is_empty() -> None:
    with np.load(TABLE, allow_pickle=False) as arrays:
        empty = np.flatnonzero(~arrays["codes"].any(axis=1))
        assert np.isfinite(arrays["scales"]).all()
        assert (arrays["scales"] > 0).all()
    reachable = {number for number, piece in enumerate(PIECES) if not (piece.startswith("[") and len(piece) > 2)}
    reachable |= {PIECES.index("[UNK]"), PIECES.index("[CLS]"), *range(len(PIECES), FACTS["rows"])}
    assert not reachable & set(empty.tolist())


def test_size_and_provenance() -> None:
    content = TABLE.read_bytes()
    assert len(content) + VOCABULARY.stat().st_size < 8_000_000
    assert hashlib.sha256(content).hexdigest() == FACTS["sha256"]
    assert FACTS["teacher"]["sha256"].startswith("53aa5117")
    assert FACTS["settings"]["dim"] == DEFAULT.dim
    assert FACTS["frequencies"]["licence"] == "MIT"


def test_published_numbers_are_within_the_limits() -> None:
    measured = FACTS["measured"]["held_out"]
    for corpus, limit in (("Choi 3-11", 0.06), ("DialSeg711", 0.05)):
        assert measured[corpus]["documents"] >= 100
        assert measured[corpus]["BoundaryF1(tolerance=1)"]["difference"] >= -limit


def test_page_shows_the_published_numbers() -> None:
    page = (Path(__file__).parents[2] / "docs" / "default-encoder.md").read_text(encoding="utf-8")
    for corpus, facts in FACTS["measured"]["held_out"].items():
        numbers = facts["BoundaryF1(tolerance=1)"]
        assert f"| {corpus} | {facts['documents']} | {numbers['default']:.3f} | {numbers['teacher']:.3f} |" in page
    assert FACTS["sha256"][:12] in page


def test_thousands_of_sentences_a_second() -> None:
    texts = [f"We looked for a cheap hotel with free parking in the north, number {k}." for k in range(2000)]
    DEFAULT.encode(texts[:10])
    begin = time.process_time()
    DEFAULT.encode(texts)
    assert len(texts) / (time.process_time() - begin) > 2000


def test_fingerprint_and_pin() -> None:
    assert encoder("default").fingerprint == DEFAULT.fingerprint
    assert encoder(f"default@sha256:{FACTS['sha256']}").fingerprint == DEFAULT.fingerprint
    with pytest.raises(EncoderError, match="pinned"):
        encoder("default@sha256:00000000")
    with pytest.raises(DeclarationError, match="write default alone"):
        encoder("default:other")


def test_numpy_alone_is_loaded() -> None:
    code = (
        "import sys, caesura; caesura.encoder('default').encode(['a'])\n"
        "print(sorted({'tokenizers', 'torch', 'scipy', 'onnxruntime', 'transformers'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.fixture
def copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a copy of the table that the encoder reads, to be damaged."""
    for file in (TABLE, TABLE.with_suffix(".json")):
        shutil.copy(file, tmp_path)
    monkeypatch.setattr(module, "TABLE", tmp_path / TABLE.name)
    return tmp_path / TABLE.name


def test_a_damaged_table_is_refused(copied: Path) -> None:
    content = bytearray(copied.read_bytes())
    content[len(content) // 2] ^= 1
    copied.write_bytes(content)
    with pytest.raises(EncoderError, match="pinned"):
        encoder("default")


def test_a_table_that_is_none_is_refused(copied: Path) -> None:
    copied.write_bytes(b"nothing")
    copied.with_suffix(".json").write_text(json.dumps({"sha256": hashlib.sha256(b"nothing").hexdigest()}))
    with pytest.raises(EncoderError, match="is not a valid table"):
        encoder("default")
    copied.unlink()
    with pytest.raises(EncoderError, match="reinstall caesura-eval"):
        encoder("default")


def test_a_table_of_the_wrong_shape_is_refused() -> None:
    with pytest.raises(EncoderError, match="the table is damaged"):
        StaticTable("toy", "toy-0", ["[UNK]", "[CLS]"], [], np.zeros((3, 2), np.int8), np.ones(3, np.float32))


def test_the_kind_is_declared() -> None:
    assert dataclasses.is_dataclass(module.Default)
    assert module.Default().spec == "default"
