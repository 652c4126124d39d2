# SPDX-License-Identifier: Apache-2.0
"""Retrieval of chunks by questions: BM25 and measures by brute force, budgets, clocks, tags, tokens, and bad input."""

from __future__ import annotations

import itertools
import json
import math
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import caesura as cz
from caesura.corpus import Corpus, Document
from caesura.errors import CaesuraError
from caesura.evaluation.spans import spans
from caesura.evaluation.spans.files import read_spans
from caesura.evaluation.spans.page import Page
from caesura.evaluation.spans.retrieval import Pool, rankings
from caesura.evaluation.spans.retrieve import _ticking, clock_of
from caesura.evaluation.spans.run import _pool
from tests.corpora import corpus_file, needs
from tests.datasets.conftest import read

TEXTS = {
    "cats": "Cats sleep all day. They hunt mice at dawn. A cat purrs when it is calm.",
    "rain": "Rain fell on the market. The sellers left at noon. Nobody bought fish.",
    "other": "Ships leave the harbour at noon. Sailors sleep on deck.",
}
QUESTIONS = {
    "cats": [{"question": "When do cats hunt mice?", "spans": ["hunt mice at dawn"], "tags": ["time"]}],
    "rain": [
        {"question": "When did the sellers leave?", "spans": ["left at noon"], "tags": ["time", "people"]},
        {"question": "What did nobody buy?", "spans": [{"any": ["fish", "nowhere at all"]}, "Nobody bought"]},
    ],
}
SENTENCES = {key: re.findall(r"[^.]+\.", text) for key, text in TEXTS.items()}
HALVES = {key: ["".join(row[:2]), "".join(row[2:]) or row[-1]] for key, row in SENTENCES.items()}


def measured(**options):
    return spans(TEXTS, QUESTIONS, {"sentences": SENTENCES}, **{"resamples": 20, "retrieve": "bm25", **options})


@given(
    st.lists(st.lists(st.sampled_from("abcde"), min_size=1, max_size=12), min_size=1, max_size=4),
    st.lists(st.sampled_from("abcdef"), min_size=1, max_size=4),
    st.integers(1, 5),
)
def test_bm25_is_the_formula(texts, question, size):
    pages = [Page(Document(id=str(n), n_units=1, units=(" ".join(words),))) for n, words in enumerate(texts)]
    chunks = [[words[at : at + size] for at in range(0, len(words), size)] for words in texts]
    pool = _pool([(page, [tuple(span) for span in _ticking(page, size).extra["chunk_spans"]]) for page in pages], None)
    flat = [chunk for own in chunks for chunk in own]
    assert pool.tokens.tolist() == [len(chunk) for chunk in flat]
    mean = sum(map(len, flat)) / len(flat)
    scores = []
    for chunk in flat:
        score = 0.0
        for word in question:
            often, held = chunk.count(word), sum(word in other for other in flat)
            rarity = math.log(1 + (len(flat) - held + 0.5) / (held + 0.5))
            score += rarity * often * 2.2 / (often + 1.2 * (0.25 + 0.75 * len(chunk) / mean))
        scores.append(score)
    _, ranked = rankings("bm25", pages, [" ".join(question)], 2, 3)
    (found,) = ranked("a", pool)
    assert all(scores[chunk] > 0 for chunk in found)
    got = [scores[chunk] for chunk in found]
    assert got == pytest.approx(sorted((s for s in scores if s > 0), reverse=True)[: len(got)])
    # Neither two chunks nor three tokens reach further, unless no other chunk shares a word.
    assert len(got) == sum(score > 0 for score in scores) or (len(got) >= 2 and pool.tokens[found].sum() > 3)


@given(
    st.lists(st.integers(1, 6), min_size=1, max_size=8),
    st.lists(st.tuples(st.integers(0, 30), st.integers(1, 8)), min_size=1, max_size=3),
    st.permutations(range(8)),
    st.integers(1, 20),
)
def test_measures_by_brute_force_over_characters(lengths, drawn, order, budget):
    text = "x" * sum(lengths)
    edges = np.cumsum([0, *lengths]).tolist()
    needed = [(min(start, len(text) - 1), min(start + size, len(text))) for start, size in drawn]
    chunks = list(itertools.pairwise(edges))
    ranked = [place for place in order if place < len(chunks)]
    report = spans(
        {"d": text},
        {"d": [{"question": "?", "spans": [list(span) for span in needed]}]},
        {"a": Corpus([Document(id="d", n_units=len(text), unit="character", extra={"chunk_spans": chunks})])},
        retrieve={"a": [ranked]}, k=2, budget=budget, clock=False, resamples=10,
    )  # fmt: skip
    taken = {"(k=2)": ranked[:2]}
    # There is one word, which begins in the first chunk: all other chunks have no token, and so fit any budget.
    taken[f"(budget={budget})"] = ranked
    for name, own in taken.items():
        held = [set(range(*chunks[place])) for place in own]
        answer = [set(range(*span)) for span in needed]
        inside = len(set().union(*held) & set().union(*answer))
        retrieved = sum(map(len, held))
        left = sum(len(span - set().union(*held)) for span in answer)
        scores = report.scores["a"]
        assert scores[f"SpanRecall{name}"] == pytest.approx(inside / sum(map(len, answer)))
        assert scores[f"SpanPrecision{name}"] == pytest.approx(inside / retrieved)
        assert scores[f"SpanIoU{name}"] == pytest.approx(inside / (retrieved + left))
        ranks = [next((at for at, chunk in enumerate(held, 1) if span <= chunk), math.inf) for span in answer]
        assert scores[f"Hit{name}"] == (min(ranks) < math.inf)
        assert scores[f"MRR{name}"] == pytest.approx(1 / min(ranks))
        assert scores[f"NDCG{name}"] == pytest.approx(sum(1 / math.log2(1 + rank) for rank in ranks) / len(ranks))


def test_a_chunk_that_is_exactly_the_answer():
    """Both neighbours touch it, so Chroma gives it a third; strictly it is all."""
    report = spans({"d": "aaaabbbbcccc"}, {"d": [[4, 8]]}, {"a": {"d": ["aaaa", "bbbb", "cccc"]}}, resamples=10)
    assert report.scores["a"]["PrecisionOmega"] == pytest.approx(1 / 3)
    assert report.scores["a"]["PrecisionOmega(touching='strict')"] == 1


def test_questions_are_found_among_all_documents():
    report = measured(k=1, budget=9)
    assert report.scores["sentences"]["Hit(k=1)"] == pytest.approx(1)
    assert report.by_question
    assert report.documents == ["cats 1", "rain 1", "rain 2"]
    facts = report.results().spans
    assert facts.chunkers["sentences"].all_chunks == 8  # also those of the document without a question
    assert facts.chunkers["sentences"].all_tokens == sum(len(text.split()) for text in TEXTS.values())
    assert (facts.questions, facts.texts, facts.spans) == (3, 2, 4)
    assert facts.retrieval.tags["time"].questions == 2
    assert facts.retrieval.tags["people"].scores["sentences"] == 1
    by_document = measured(k=1, resample="documents")
    assert by_document.documents == ["cats", "rain"]
    assert by_document.scores["sentences"]["Hit(k=1)"] == report.scores["sentences"]["Hit(k=1)"]
    assert report.results().resampling.unit == "questions"
    assert "questions resampled 20 times" in str(report.tables()[0].notes)


def test_a_budget_takes_chunks_while_they_fit():
    """The three questions share words with several sentences; four words hold no sentence, six one."""
    report = measured(budget=6)
    values = report.measured["sentences"].values
    assert values["SpanRecall(budget=6)"].tolist() == [1, 1, 1]
    assert measured(budget=2).scores["sentences"]["SpanRecall(budget=2)"] == 0
    assert measured(budget=2).scores["sentences"]["SpanPrecision(budget=2)"] == 0
    curve = report.retrieved
    assert curve.budgets == (1, 2, 3, 6, 12, 24)
    recalls = curve.curve["sentences"]
    assert recalls == sorted(recalls)
    assert recalls[3] == report.scores["sentences"]["SpanRecall(budget=6)"]


def test_equally_many_chunks_are_not_equally_much_text():
    both = {"sentences": SENTENCES, "halves": HALVES}
    at_k = spans(TEXTS, QUESTIONS, both, retrieve="bm25", k=2, resamples=20)
    # 39 words in 8 chunks; 43, as one chunk repeats four, in 6.
    assert "But 2 chunks hold 10 (sentences) to 14 words (halves), and more text holds" in " ".join(str(at_k).split())
    assert "But 2 chunks" not in str(spans(TEXTS, QUESTIONS, both, retrieve="bm25", budget=9, resamples=20))


def test_every_chunker_stands_beside_a_clock_of_its_length():
    report = spans(TEXTS, QUESTIONS, {"s": SENTENCES, "h": HALVES}, retrieve="bm25", resamples=20)
    assert report.clocks == {"s": "clock 5", "h": "clock 7"}
    results = report.results()
    assert [entry.name for entry in results.inputs if entry.role == "baseline"] == ["clock 5", "clock 7"]
    recall = "SpanRecall(budget=1000)"
    pairs = [(c.first, c.second) for c in results.comparisons if c.metric == recall]
    assert pairs == [("s", "h"), ("s", "clock 5"), ("h", "clock 7")]
    assert results.systems["clock 5"][recall].score == 1
    answer = str(report)
    assert "None of the 2 chunkers is shown to be better than a clock of equal length." in answer
    assert "the cheapest of them is s (" in answer or "the cheapest of them is h (" in answer


def test_a_clock_has_chunks_of_equally_many_words():
    pages = [Page(document) for document in cz.spans(TEXTS, QUESTIONS, {"s": SENTENCES}, resamples=10).source.corpus]
    pool = Pool(*np.array([[0, 0, 19, 0, 0, 4], [0, 20, 43, 0, 0, 5]]).T)
    clock = clock_of(pool, pages)
    assert clock.name == "clock 4"  # 9 words in 2 chunks
    text = pages[0].text
    chunks = [text[start:end] for start, end in clock.corpus["cats"].extra["chunk_spans"]]
    assert [len(chunk.split()) for chunk in chunks] == [4, 4, 4, 4]
    assert " ".join(chunks) == text


def test_any_encoder_ranks_by_cosine():
    class Letters:
        name, dim, normalized, fingerprint = "letters", 26, False, "letters-1"

        def encode(self, texts):
            counts = [[text.lower().count(chr(97 + n)) for n in range(26)] for text in texts]
            return np.array(counts, dtype=np.float32)

    report = measured(retrieve=Letters(), k=2)
    assert report.results().spans.retrieval.by == "letters"
    assert 0 < report.scores["sentences"]["SpanRecall(k=2)"] <= 1


def test_tables_of_questions_are_read(tmp_path: Path):
    chroma = tmp_path / "questions_df.csv"
    chroma.write_text(
        "question,references,corpus_id\n"
        '"When, then?","[{""content"": ""Cats"", ""start_index"": 0, ""end_index"": 4}]",cats\n'
    )
    (entry,) = read_spans(chroma)["cats"].spans
    assert entry["question"] == "When, then?"
    assert entry["spans"] == [{"text": "Cats", "start": 0, "end": 4}]
    table = tmp_path / "qa.tsv"
    table.write_text("Question\tAnswer\tDocument\tTags\nWhen?\thunt mice\tcats\ttime; cats\nWho?\tsellers\train\t\n")
    report = spans(TEXTS, table, {"s": SENTENCES}, retrieve="bm25", resamples=10)
    assert [query.tags for query in report.questions] == [("time", "cats"), ()]
    listed = tmp_path / "qa.json"
    listed.write_text(json.dumps([{"doc_id": "cats", "question": "When?", "answers": ["no such", "at dawn"]}]))
    assert spans(TEXTS, listed, {"s": SENTENCES}, resamples=10).scores["s"]["Inside"] == 1
    one = [{"doc_id": "cats", "question_id": "q", "question": "?", "answer": "Cats"}]
    one.append({"doc_id": "rain", "question_id": "q", "question": "?", "answer": "Rain"})
    listed.write_text(json.dumps(one))
    (query,) = spans(TEXTS, listed, {"s": SENTENCES}, resamples=10).questions
    assert (query.name, len(query.passages)) == ("q", 2)  # one question may need passages of two documents


@pytest.mark.parametrize(
    ("gold", "options", "message"),
    [
        ({"cats": ["Cats"]}, {"retrieve": "bm25"}, "1 of 1 spans have no question"),
        ({"cats": [{"question": "?", "spans": []}]}, {}, "has no span; give its answer"),
        (QUESTIONS, {"retrieve": "bm25", "budget": 0}, "budget is 0"),
        (QUESTIONS, {"budget": 5}, "add retrieve='bm25'"),
        (QUESTIONS, {"resample": "chunks"}, "resample is 'chunks'"),
        (QUESTIONS, {"retrieve": {"other": []}}, "there are no rankings of 'sentences'"),
        (QUESTIONS, {"retrieve": {"sentences": [[0]]}, "clock": False}, "1 rankings, but there are 3 questions"),
        (QUESTIONS, {"retrieve": {"sentences": [[0], [99], [1]]}, "clock": False}, "names chunk 99"),
        (QUESTIONS, {"retrieve": "bm52"}, "bm52"),
        (QUESTIONS, {"retrieve": "bm25", "tokenizer": "nowhere/at-all"}, "there is no such tokenizer here"),
    ],
)
def test_damage_is_one_line(gold, options, message):
    with pytest.raises(CaesuraError) as caught:
        spans(TEXTS, gold, {"sentences": SENTENCES}, resamples=10, **options)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_bad_question_costs_itself_only():
    gold = {
        "cats": [*QUESTIONS["cats"], {"question": "Why?", "spans": ["purrs", "not there"]}],
        "rain": QUESTIONS["rain"],
    }
    gold["rain"] = [*gold["rain"], {"question": "Nothing?", "spans": []}]
    report = spans(TEXTS, gold, {"s": SENTENCES}, retrieve="bm25", missing="skip", resamples=10)
    assert len(report.questions) == 3  # a question with one passage that is not there is left out with all of them
    assert "2 spans or lines of spans left out" in report.notes()[0]


@pytest.fixture
def tokenizer(tmp_path: Path) -> Path:
    tokenizers = pytest.importorskip("tokenizers")
    model = tokenizers.models.WordLevel({"[UNK]": 0}, unk_token="[UNK]")
    made = tokenizers.Tokenizer(model)
    made.pre_tokenizer = tokenizers.pre_tokenizers.Sequence(
        [tokenizers.pre_tokenizers.Whitespace(), tokenizers.pre_tokenizers.Punctuation()]
    )
    made.save(str(tmp_path / "tokenizer.json"))
    return tmp_path


def test_tokens_are_the_models(tokenizer: Path):
    report = measured(tokenizer=tokenizer, max_tokens=6, k=1)
    facts = report.results().spans
    words = [len(sentence.split()) + 1 for row in SENTENCES.values() for sentence in row]  # and the full stop
    assert facts.chunkers["sentences"].all_tokens == sum(words)
    assert facts.chunkers["sentences"].most_tokens == max(words)
    assert facts.chunkers["sentences"].over_limit == sum(count > 6 for count in words)
    assert facts.measured_in == tokenizer.name
    titles = [table.title for table in report.tables()]
    assert "Costs" in titles
    (tokenizer / "tokenizer.json").write_text("{}")
    with pytest.raises(CaesuraError, match="is not a valid tokenizer"):
        measured(tokenizer=tokenizer / "tokenizer.json")


@needs("chroma/original")
def test_clocks_retrieve_as_a_prototype_did():
    """Recall of blind clocks at 1,000 words, by a program of somebody else: .806 .863 .872 .809, within .01."""
    corpus = read("Chroma", corpus_file("chroma/original"))[0]
    gold = {document.id: document.extra["questions"] for document in corpus}
    pages = [Page(document) for document in corpus]
    systems = {str(size): Corpus([_ticking(page, size) for page in pages]) for size in (50, 100, 200, 400)}
    report = spans(corpus, gold, systems, retrieve="bm25", budget=1000, k=5, clock=False, resamples=20)
    assert (len(report.questions), len(report.documents)) == (472, 472)
    found = {size: report.scores[size]["SpanRecall(budget=1000)"] for size in systems}
    assert found == pytest.approx({"50": 0.806, "100": 0.863, "200": 0.872, "400": 0.809}, abs=0.01)
    iou = {size: report.scores[size]["SpanIoU(k=5)"] for size in systems}
    assert iou == pytest.approx({"50": 0.093, "100": 0.065, "200": 0.039, "400": 0.021}, abs=0.002)
    pair = next(
        c for c in report.results().comparisons if (c.first, c.second) == ("100", "400") and "k=" not in c.metric
    )
    assert pair.better == "100"
