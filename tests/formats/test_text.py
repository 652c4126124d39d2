"""Plain text as documents: sentences, lines, paragraphs, and where they lie."""

from __future__ import annotations

import re
import sys

import pytest
import syntok.segmenter
from hypothesis import given, settings
from hypothesis import strategies as st

from caesura.errors import CaesuraError, DeclarationError, FormatError, MissingExtraError
from caesura.formats import FORMATS, load
from caesura.formats.text import _by_syntok, sentences
from caesura.units.projection import project_corpus
from caesura.units.text import text_of

PROSE = 'Dr. Smith isn\'t here. He left at 5 p.m. yesterday!\n\n  "Why?" she asked.\nNobody knew;  nobody cared.\n\n\nThe end.\n'
SENTENCES = (
    "Dr. Smith isn't here.",
    "He left at 5 p.m. yesterday!",
    '"Why?" she asked.',
    "Nobody knew;  nobody cared.",
    "The end.",
)


@pytest.fixture
def prose(tmp_path):
    path = tmp_path / "tale.txt"
    path.write_text(PROSE)
    return path


def test_sentences_are_pieces_of_the_text(prose):
    corpus = load(prose)
    (document,) = corpus
    assert (document.id, document.unit, document.segmentation) == ("tale", "sentence", None)
    assert document.units == SENTENCES
    assert document.extra["text"] == PROSE
    places = text_of(document)
    assert [PROSE[a:b] for a, b in zip(places.starts, places.ends, strict=True)] == list(SENTENCES)
    assert not corpus.ids_are_given


def test_lines_and_paragraphs_need_no_extra(prose, monkeypatch):
    for name in ("syntok", "syntok.segmenter", "pysbd"):
        monkeypatch.setitem(sys.modules, name, None)
    assert load(prose, "text(by='paragraph')")["tale"].n_units == 3
    assert load(prose, "text(by='line')")["tale"].units[2] == "Nobody knew;  nobody cared."
    with pytest.raises(MissingExtraError, match=r"sentences .*pip install 'caesura-eval\[sentences\]'"):
        load(prose)
    with pytest.raises(MissingExtraError, match="language 'fr'"):
        load(prose, "text(language='fr')")


@pytest.mark.parametrize(
    ("language", "text", "number"),
    [
        ("de", "Das ist z.B. ein Satz. Hier ist noch einer.", 2),
        ("es", "El Sr. Pérez llegó. ¿Quién lo vio?", 2),
        ("fr", "M. Dupont est ici. Il va bien. Il va bien.", 3),
        ("ja", "これは文です。これも文です。", 2),
        ("ru", "Это первое. Это второе.", 2),
    ],
)
def test_other_languages(tmp_path, language, text, number):
    path = tmp_path / "t.txt"
    path.write_text(text)
    document = next(iter(load(path, f"text(language='{language}')")))
    assert document.n_units == number
    assert "".join("".join(document.units).split()) == "".join(text.split())
    text_of(document)


def test_a_language_without_rules_and_other_options(prose):
    with pytest.raises(
        DeclarationError, match=r"language is 'pt'; it must be one of am, ar, .* choose the most similar one"
    ):
        load(prose, "text(language='pt')")
    with pytest.raises(DeclarationError, match="must be one of 'sentence', 'line', 'paragraph'"):
        load(prose, "text(by='page')")
    (empty := prose.with_name("empty.txt")).write_text(" \n\n ")
    with pytest.raises(FormatError, match=r"empty\.txt: the file is empty; it holds no document"):
        load(empty, "text")


def test_a_folder_of_texts_is_a_corpus(tmp_path):
    for name in ("b", "a"):
        (tmp_path / f"{name}.txt").write_text(f"This is {name}. It is short.")
    assert load(tmp_path).ids == ["a", "b"]


def test_what_is_detected_is_never_prose_and_another(tmp_path):
    path = tmp_path / "a.txt"
    for content in (
        b"10\n11\n",
        b"0:00 Intro\n1:00 Words and words\n",
        b"==========\nWords.\n",
        b"\xff\xfe\0\0",
        b"12 + 3",
    ):
        path.write_bytes(content)
        assert not FORMATS.lookup("text")[0].sniff(content, path)
    assert not FORMATS.lookup("text")[0].sniff(b"Just words.", tmp_path / "nameless")


@given(st.text(st.characters(codec="utf-8"), max_size=80), st.sampled_from(("en", "fr")))
def test_whatever_the_text_nothing_is_lost(text, language):
    text = text.replace("\r", "\n")
    try:
        places = sentences(text, language)
    except CaesuraError:
        return
    assert "".join("".join(places.units).split()) == "".join(text.split())
    assert all(text[a:b] == unit for (a, b), unit in zip(places.spans, places.units, strict=True))
    assert all(before.end <= after.start for before, after in zip(places.spans, places.spans[1:], strict=False))


def test_boundaries_in_characters_go_onto_sentences_and_back(prose):
    corpus = load(prose)
    document = corpus["tale"]
    chunks = prose.with_name("chunks.json")
    chunks.write_text(
        '["Dr. Smith isn\'t here. He left at 5", "p.m. yesterday!", "Why?\\" she asked.", "Nobody knew; nobody cared. The end."]'
    )
    made, costs = project_corpus(load(chunks), "units", units_of=corpus)
    (result,) = made
    # Chunk 2 begins 13 characters into the second sentence and 16 before the third; chunk 3 a quotation mark too late.
    assert result.segmentation.boundaries == (1, 2, 3)
    assert result.units == document.units
    (cost,) = costs
    assert cost.max_displacement == 13
    assert (cost.alignment.respaced, cost.alignment.gap_characters) == (1, 1)
    assert str(cost).endswith("1 character in 1 place is in no chunk; 1 chunk differs from the text in white space")


def texts(tmp_path, *lines):
    path = tmp_path / "docs.jsonl"
    path.write_text("\n".join(lines))
    return path


def test_whole_texts_on_lines_of_json(tmp_path):
    path = texts(tmp_path, '{"id": "d1", "text": "One. Two."}', "", '{"id": 2, "text": "A\\r\\nB"}')
    with pytest.raises(FormatError, match="add ::text to the file name to split it into sentences"):
        load(path)
    first, second = load(path, "text")
    assert (first.id, first.units, first.unit) == ("d1", ("One.", "Two."), "sentence")
    assert (second.id, second.extra["text"]) == ("2", "A\nB")
    assert load(path, "text(by='line')")["2"].units == ("A", "B")
    assert load(f"{path}::text(by='line')")["2"].units == ("A", "B")


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("[]", 'docs.jsonl:2: the line is not a JSON object; write {"id": …, "text": …} on each line'),
        ('{"text": "A."}', 'docs.jsonl:2: has no "id"; every document needs a unique one'),
        ('{"id": true, "text": "A."}', 'docs.jsonl:2: has no "id"'),
        ('{"id": "x", "text": ["A."]}', "docs.jsonl:2: document 'x' has no \"text\""),
        ('{"id": "x", "text": "A.", "text": "B."}', "docs.jsonl:2: "),
        ('{"id": "x", "text": " "}', "docs.jsonl:2: contains no sentence"),
        ('{"id": "d1", "text": "A."}', "document 'd1' appears twice in"),
    ],
)
def test_faults_in_lines_of_whole_texts(tmp_path, line, fault):
    with pytest.raises(CaesuraError) as caught:
        load(texts(tmp_path, '{"id": "d1", "text": "One."}', line), "text")
    assert fault in str(caught.value)


_TOKENS = ["Dr", "Smith", "said", "it", "He", "No", "no", "3", "1945", "May", "I", "a", "etc", "e.g", "GmbH", "don't", "well-known", "said,", '"', '"Yes',
           "|", "*", "-", "x=1", "(", ")", "(see", "it)", "[4]", "[", "]", "(A.", "B.)", "):", "((", "{", "}", ".", "!", "?", "...", "?)", '."', ".)", ";",
           "end.", "End!", "u.s.", "über", "Ja", "\u3002", "\u3010", "\x1c", "\u200b", "\n"]  # fmt: skip


@settings(max_examples=300)
@given(st.lists(st.sampled_from(_TOKENS), min_size=1, max_size=60), st.sampled_from([" ", "  "]))
def test_sentences_are_those_of_syntok(words: list[str], space: str) -> None:
    """Words that syntok does not look at are left out before it is asked."""
    paragraph = space.join(words).strip()
    if "\n\n" in re.sub(r"[^\S\n]+", "", paragraph) or not paragraph:
        return  # not one paragraph
    whole = {sentence[0].offset for part in syntok.segmenter.analyze(paragraph) for sentence in part if sentence}
    assert {0, *_by_syntok(syntok.segmenter, paragraph, "en")} == {0, *whole}
