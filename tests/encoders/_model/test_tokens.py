"""WordPiece against hand-worked words, recorded answers of another program, and that program where it is installed."""

from __future__ import annotations

import json
import random
import sys
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caesura.encoders._model import tokens as wordpiece
from caesura.encoders._model.tokens import VOCABULARY, WordPiece, words

PIECES = VOCABULARY.read_text(encoding="utf-8").rstrip("\n").split("\n")
BERT = WordPiece(PIECES)
# Recorded with tokenizers 0.23.3, BertWordPieceTokenizer(vocab.txt, lowercase=True), 2026-11-15.
GOLDEN = json.loads((Path(__file__).parents[2] / "golden" / "data" / "wordpiece.json").read_text(encoding="utf-8"))


def spelled(text: str) -> list[str]:
    """Return the pieces of a text."""
    return [PIECES[number] for number in BERT.numbers(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        (" \t\n\x00\x07\u200b\ufffd", []),
        ("Unaffable", ["una", "##ffa", "##ble"]),
        ("can't", ["can", "'", "t"]),
        ("3.14%", ["3", ".", "14", "%"]),
        ("naïve Ångström", ["naive", "ang", "##strom"]),
        ("東京タワー", ["東", "京", "タ", "##ワ", "##ー"]),
        ("a\u00a0b\u3000c\u2028d", ["a", "b", "c", "d"]),
        ("so\u00adft", ["soft"]),
        ("👍 ok", ["[UNK]", "ok"]),
        ("[SEP]", ["[", "sep", "]"]),
    ],
)
def test_by_hand(text: str, expected: list[str]) -> None:
    assert spelled(text) == expected


def test_a_word_of_more_than_a_hundred_characters_is_unknown() -> None:
    assert "".join(spelled("x" * 100)).replace("#", "") == "x" * 100
    assert spelled("x" * 101 + " y") == ["[UNK]", "y"]


@pytest.mark.parametrize(("text", "numbers"), GOLDEN)
def test_as_recorded(text: str, numbers: list[int]) -> None:
    assert BERT.numbers(text) == numbers


def test_greek_words_end_in_the_sigma_of_bert() -> None:
    assert words("ΟΔΟΣ") == ["οδοσ"]


@given(st.text())
def test_what_comes_out_is_spelled_from_what_went_in(text: str) -> None:
    for word in words(text):
        assert word
        assert not any(c.isspace() for c in word)
        assert (
            not any(unicodedata.category(c) == "Mn" for c in unicodedata.normalize("NFD", word)) or not text.isascii()
        )
    assert all(0 <= number < len(PIECES) for number in BERT.numbers(text))


@given(st.text(st.characters(max_codepoint=127)))
def test_the_short_way_for_ascii_is_the_long_way(text: str) -> None:
    long_way = text.translate(wordpiece._CLEANING).translate(wordpiece._LOWERING).split()
    assert words(text) == long_way


def test_whole_words_change_no_other_word() -> None:
    extended = WordPiece(PIECES, whole={"unaffable": len(PIECES)})
    assert extended.numbers("unaffable") == [len(PIECES)]
    for text in ("unaffables", "affable", "un affable", "unaffabl"):
        assert extended.numbers(text) == BERT.numbers(text)


def test_memory_is_bounded_and_forgetting_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wordpiece, "_MOST_REMEMBERED", 3)
    forgetful = WordPiece(PIECES, whole={"unaffable": len(PIECES)})
    for text in ("one two three four five unaffable", "six seven one two unaffable"):
        remembered = WordPiece(PIECES, whole={"unaffable": len(PIECES)}).numbers(text)
        assert forgetful.numbers(text) == remembered
    assert len(forgetful._known) <= 4


def test_fuzz_against_the_library() -> None:
    tokenizers = pytest.importorskip("tokenizers", reason="the library to compare with is not installed")
    library = tokenizers.BertWordPieceTokenizer(str(VOCABULARY), lowercase=True)
    library.no_truncation()
    rng = random.Random(5)
    ranges = [(32, 127, 60), (0, 32, 3), (0xA0, 0x250, 12), (0x300, 0x370, 4), (0x370, 0x530, 6), (0x590, 0x5F0, 2)]
    ranges += [
        (0x2000, 0x2070, 4),
        (0x3000, 0x30FF, 4),
        (0x4E00, 0x9FA6, 6),
        (0xAC00, 0xD7A4, 2),
        (0x1F300, 0x1F600, 1),
    ]
    texts = []
    for _ in range(20_000):
        chosen = rng.choices(ranges, weights=[weight for *_, weight in ranges], k=rng.randrange(40))
        texts.append("".join(chr(rng.randrange(low, high)) for low, high, _ in chosen))
    wrong = [
        text
        for text, theirs in zip(texts, library.encode_batch(texts, add_special_tokens=False), strict=True)
        if BERT.numbers(text) != theirs.ids
    ]
    assert not wrong


def test_every_character_against_the_library() -> None:
    """The library and Python know different editions of Unicode; what both have known for long they read alike."""
    tokenizers = pytest.importorskip("tokenizers", reason="the library to compare with is not installed")
    library = tokenizers.BertWordPieceTokenizer(str(VOCABULARY), lowercase=True)
    codes = [
        code
        for code in [*range(0x3000), *range(0x3000, sys.maxunicode, 31)]
        if unicodedata.ucd_3_2_0.category(chr(code)) not in ("Cn", "Cs")
        and unicodedata.ucd_3_2_0.category(chr(code)) == unicodedata.category(chr(code))
    ]
    texts = [f"a{chr(code)}B x" for code in codes]
    encoded = library.encode_batch(texts, add_special_tokens=False)
    wrong = [hex(c) for c, text, theirs in zip(codes, texts, encoded, strict=True) if BERT.numbers(text) != theirs.ids]
    assert len(codes) > 10_000
    assert not wrong
