"""Chunks for retrieval: the values that Chroma's program, chunklab and LumberChunker printed."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

from caesura.corpus import Corpus, Document
from caesura.evaluation.spans import SpanReport, spans
from caesura.evaluation.spans.files import SpanRecord, placed
from caesura.evaluation.spans.page import Page
from tests.golden.cells import Cell, cases, compare

CHROMA = {"recall": "SpanRecall", "precision": "SpanPrecision", "iou": "SpanIoU"}


def retrieved(
    texts: dict[str, str], chunks: list[tuple[str, int, int]], questions: list[Any], ranked: list[Any], k: int
) -> SpanReport:
    """Measure rankings that another program made; chunks and questions are sorted by document and start."""
    order = sorted(range(len(chunks)), key=lambda place: (list(texts).index(chunks[place][0]), chunks[place][1]))
    number = {place: at for at, place in enumerate(order)}
    corpus = Corpus([Document(id=name, n_units=1, units=(text,), extra={"text": text}) for name, text in texts.items()])
    cut = [
        Document(
            id=name, n_units=len(text), unit="character",
            extra={"chunk_spans": [list(chunks[at][1:]) for at in order if chunks[at][0] == name]},
        )
        for name, text in texts.items()
    ]  # fmt: skip
    asked = sorted(range(len(questions)), key=lambda at: list(texts).index(questions[at][0]))
    gold: dict[str, list[object]] = {}
    for at in asked:
        gold.setdefault(questions[at][0], []).append({"question": "?", "id": str(at), "spans": questions[at][1]})
    rankings = [[number[chunk] for chunk in ranked[at]] for at in asked]
    return spans(corpus, gold, {"a": Corpus(cut)}, retrieve={"a": rankings}, k=k, clock=False, resamples=10)


def by_question(report: SpanReport, measure: str) -> dict[str, float]:
    return dict(zip(report.documents, report.measured["a"].values[measure].tolist(), strict=True))


def chroma_cells() -> Iterator[Cell]:
    for case in cases("chroma_spans"):
        given, printed = case["input"], case["expected"]
        if "error" in printed:  # a span of length 0, which is refused here
            continue
        ends: dict[str, int] = {}
        for name, _, end in given["chunks"]:
            ends[name] = max(end, ends.get(name, 0))
        for question in given["questions"]:
            ends[question["doc"]] = max(ends.get(question["doc"], 0), *(end for _, end in question["spans"]))
        report = retrieved(
            {name: "x" * end for name, end in ends.items()},
            [tuple(chunk) for chunk in given["chunks"]],
            [(question["doc"], question["spans"]) for question in given["questions"]],
            given["retrieved"],
            given["k"],
        )
        for key, name in {
            "precision_omega": "PrecisionOmega",
            **{k: f"{v}(k={given['k']})" for k, v in CHROMA.items()},
        }.items():
            ours = by_question(report, name)
            for place, value in enumerate(printed[key]):
                yield Cell(f"{case['id']} {key} {place}", ours[str(place)], value)
            yield Cell(f"{case['id']} {key} mean", report.scores["a"][name], printed[f"{key}_mean"])


def test_chroma() -> None:
    usable = [case for case in cases("chroma_spans") if "error" not in case["expected"]]
    assert len(usable) == 30
    values = sum(4 + 4 * len(case["input"]["questions"]) for case in usable)
    compare(chroma_cells(), {}, count=values)


def test_chroma_finds_spans_by_their_words() -> None:
    """Ours keeps a final full stop, and knows neither fuzzy sentences nor empty texts; no other case differs."""
    checked = 0
    for case in cases("chroma_search"):
        document, target = case["input"]["document"], case["input"]["target"]
        if target.endswith(".") or not target.strip():
            continue
        page = Page(Document(id="d", n_units=1, units=(document,), extra={"text": document}))
        bad: list[str] = []
        found = placed(SpanRecord([target], None, "d"), page, None, bad)
        checked += 1
        if case["expected"] is None:
            assert bad
            assert not found
        else:
            start, end = found[0].places[0].inside
            assert [document[start:end], start, end] == case["expected"]
    assert checked >= 7


def slots(question: list[Any]) -> list[object]:
    return [{"any": slot} if isinstance(slot, list) else slot for slot in question]


def chunklab_cells() -> Iterator[Cell]:
    for case in cases("chunklab"):
        given, printed = case["input"], case["expected"]
        if "text" not in given:  # the choice among chunkers, which depends on NumPy's generator
            continue
        text = given["text"]
        edges = [0, *given["cuts"], len(text)]
        chunks = [("d", start, end) for start, end in itertools.pairwise(edges)]
        for place, (question, ranking) in enumerate(zip(given["questions"], given["retrieved"], strict=True)):
            # A passage that is not in the text is refused here, and a question without passages too.
            if not question or any(
                each not in text for slot in question for each in ([slot] if isinstance(slot, str) else slot)
            ):
                continue
            report = retrieved({"d": text}, chunks, [("d", slots(question))], [ranking], len(ranking))
            theirs = printed["questions"][place]
            scores = report.scores["a"]
            k = f"(k={len(ranking)})"
            yield Cell(f"{case['id']} {place} hit", scores[f"Hit{k}"], float(theirs["hit"]))
            rank = theirs["first_hit_rank"]
            yield Cell(f"{case['id']} {place} rank", scores[f"MRR{k}"], 1 / rank if rank else 0.0)


# chunklab also takes nine tenths of the letters of a passage for a hit; ours must be whole.
FUZZY = {"made8 1 hit": 0.0, "made8 1 rank": 0.0, "made21 3 hit": 0.0, "made21 3 rank": 0.0}


def test_chunklab_hits_and_ranks() -> None:
    found = list(chunklab_cells())
    compare(iter(found), FUZZY, count=len(found))
    assert len(found) >= 60


def test_lumberchunker() -> None:
    """DCG of one passage is NDCG; the first chunk that holds it counts, later ones do not."""
    checked = 0
    for case in cases("lumberchunker"):
        texts, wanted = case["input"]["retrieved"], case["input"]["must_contain"]
        text, chunks = "", []
        for each in texts:
            chunks.append(("d", len(text), len(text) + len(each)))
            text += each + "\n"
        if wanted.lower() not in text.lower():  # white space is exact there, and ignored here
            continue
        report = retrieved({"d": text}, chunks, [("d", [wanted])], [list(range(len(chunks)))], len(chunks))
        k = f"(k={len(chunks)})"
        assert report.scores["a"][f"Hit{k}"] == case["expected"]["recall"]
        assert abs(report.scores["a"][f"NDCG{k}"] - case["expected"]["dcg"]) < 1e-9
        checked += 1
    assert checked == 3
