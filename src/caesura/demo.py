# SPDX-License-Identifier: Apache-2.0
"""The demonstration, and the example files that the documentation uses: bundled chats, and chapters of *The Moonstone*."""

from __future__ import annotations

import csv
import dataclasses
import io
import itertools
import json
from collections.abc import Iterable
from typing import NamedTuple

from caesura.corpus import Corpus, Document
from caesura.datasets.bundled import bundled
from caesura.evaluation.agree import Agreement, agreement
from caesura.evaluation.evaluate import Evaluation, evaluate
from caesura.evaluation.outcome import Corpora
from caesura.formats.jsonl import document_line
from caesura.placements import every, random_boundaries
from caesura.results import Results
from caesura.segmentation import Segmentation
from caesura.segmenters import segmenter

__all__ = [
    "ABOUT", "DEMO_METRICS", "Demonstration", "chat_systems", "demonstrate", "example_files", "example_systems",
    "packets", "people", "shows",
]  # fmt: skip

ABOUT = {
    "chats.jsonl": "100 chats in which people marked where the topic shifts",
    "TextTiling.jsonl": "a system for the chats: valleys of word similarity",
    "C99.jsonl": "a system for the chats: ranks of word similarity",
    "VectorTiling.jsonl": "a system for the chats: valleys of vector similarity",
    "gold.jsonl": "eight chapters of The Moonstone, cut by most readers",
    "every13.jsonl": "a system for them: a boundary every 13 paragraphs",
    "random.jsonl": "a system for them: as many boundaries, at random",
    "reader.jsonl": "a system for them: one of the readers",
    "annotations.jsonl": "all readers of the chapters",
    "people/": "four readers: from Label Studio, doccano and a table",
    "docs.jsonl": "the texts alone",
    "fixed.jsonl": "chunks of 200 words",
    "paragraphs.jsonl": "chunks of whole paragraphs, up to 200 words",
    "answers.jsonl": "questions, and the passages that answer them",
    "dev.jsonl": "four of the chapters, with their boundaries",
    "scores.jsonl": "a score for every gap of them, by VectorTiling",
    "test.jsonl": "the other four chapters",
    "test-scores.jsonl": "a score for every gap of them",
    "show.txt": "chapters of a show by its editor (YouTube description)",
    "auto.json": "chapters of the same show by a machine (Podcasting 2.0)",
    "shows/": "eight readings: transcripts, an editor's lists, lengths",
    "packets.jsonl": "six scanned packets of made pages, cut into their papers",
}
"""The files and their descriptions."""

DEMO_METRICS = ("W-F1", "B", "Pk", "WindowDiff", "BOR")

_CHAT_METRICS = ("B", "Pk", "WindowDiff")
_SEGMENTERS = ("TextTiling", "C99", "VectorTiling")
_EVERY = 13
_WORDS = 200
_TITLE = 6  # words
_PAPERS = (
    ("Invoice", "amount total tax item price payment bank due discount delivery"),
    ("Lease", "tenant landlord rent premises deposit notice term repairs key garden"),
    ("Report", "patient blood pressure dose symptoms diagnosis ward nurse heart pain"),
    ("Policy", "insured premium claim cover damage excess fire theft flood vehicle"),
)
_DEV = 4
_EDITOR = """\
0:00 Welcome
1:30 News of the week
12:10 Interview: the lighthouse keeper
24:40 Fog and foghorns
31:45 Letters
38:20 A recipe for stew
44:05 The quiz
52:30 Goodbye
"""
_MACHINE = (
    (0, "Welcome"), (94, "News"), (728, "The lighthouse"), (1320, "The sea"), (1910, "Letters"), (2301, "Stew"),
    (2650, "Quiz questions"), (3148, "Goodbye"),
)  # fmt: skip
_END = 3240


_QUESTIONS = {
    "ch1": (
        "What does Robinson Crusoe say about beginning a work before counting the cost?",
        "Why does Mr. Franklin want the loss of the Diamond put in writing?",
        "Who is to write the story of the Moonstone, and how far?",
        "How did Betteredge get on when he sat down at his desk to start the story?",
    ),
    "ch2": (
        "Who were the three beautiful Miss Herncastles?",
        "How did Betteredge become bailiff, and how did he spend his evenings?",
        "How did Betteredge feel in the week before his wedding to Selina?",
        "Why did my lady bring Betteredge a waistcoat of wool?",
    ),
    "ch3": (
        "What is Penelope's idea for telling the story by dates?",
        "What did Mr. Franklin borrow from Betteredge before he went abroad?",
        "What did the Indians do when they believed they were alone on the road?",
        "What was the third and last question that the Indian put to the boy?",
    ),
    "ch4": (
        "What disturbed Betteredge as he dozed in his beehive chair?",
        "Why must the story of the sands and of Rosanna be told first?",
        "Why is Rosanna crying?",
        "What does Rosanna think is waiting for her at the sands?",
    ),
    "ch5": (
        "Why does Mr. Franklin want Betteredge to stay seated on the sand?",
        "What defect did the late Mrs. Betteredge have in conversation?",
        "What kind of man was the Honourable John, and how did he fare in the army?",
        "How did the Colonel take my lady's refusal to see him?",
    ),
    "ch8": (
        "Why are the weeks before Miss Rachel's birthday passed over quickly?",
        "What do idle gentlefolks spoil, and what did Mr. Franklin and Miss Rachel spoil?",
        "Was there anything false in Miss Rachel's character?",
        "Why did Mr. Franklin give up his cigars?",
    ),
    "ch10": (
        "How many sat down to the birthday dinner, and who said grace?",
        "Did Mr. Franklin stir the company up at dinner?",
        "Who was astonished, and asked whether it was really so serious?",
        "What does Mr. Murthwaite advise to do with the Diamond at Amsterdam?",
    ),
    "ch11": (
        "Who had brandy and soda-water after the guests had driven away?",
        "How did my lady take the news that the Diamond was lost?",
        "What does the Superintendent say about the smear on the painted door?",
        "Who came out of the library when Betteredge was sent for after the search?",
    ),
}


class Demonstration(NamedTuple):
    """Segmenters of the chats compared with each other, then systems for the novel, then its readers."""

    chats: Evaluation
    systems: Evaluation
    readers: Agreement

    def results(self, *, per_document: bool = False) -> dict[str, Results]:
        """Return the results by the text that they are about, and those of its readers."""
        compared = [each.results(per_document=per_document) for each in (self.chats, self.systems)]
        for each in compared:
            each.question = "compare"
        return {"chats": compared[0], "novel": compared[1], "readers": self.readers.results()}

    def sections(self) -> dict[str, tuple[Results, Corpora]]:
        """Return the sections of a page: results with the texts."""
        corpora = (self.chats.corpora(), self.systems.corpora(), self.readers.corpora())
        titles = ("Three segmenters of chats", "Three systems for a novel", "The readers of the novel")
        return dict(zip(titles, zip(self.results(per_document=True).values(), corpora, strict=True), strict=True))


def demonstrate(*, seed: int = 0) -> Demonstration:
    """Compare three segmenters on the bundled chats, three systems on the bundled chapters, and the readers of these."""
    chats, novel = bundled("tiage"), bundled("moonstone")
    segmented = evaluate(chats, chat_systems(chats), _CHAT_METRICS)
    segmented.compare(seed=seed)
    segmented.blind(_CHAT_METRICS[0], seed=seed)
    evaluation = evaluate(novel, example_systems(novel), DEMO_METRICS)
    evaluation.compare(seed=seed)
    evaluation.verdicts()
    return Demonstration(segmented, evaluation, agreement(novel, seed=seed))


def example_files() -> dict[str, bytes]:
    """Return every example file by its path in the folder."""
    corpus = bundled("moonstone")
    gold = Corpus([dataclasses.replace(document, annotations={}) for document in corpus])
    texts = Corpus([dataclasses.replace(document, segmentation=None) for document in gold])
    scored = segmenter("VectorTiling").segment(texts)
    chats = bundled("tiage")
    systems = {**example_systems(corpus), **chat_systems(chats)}
    files = {f"{name}.jsonl": _lines(Corpus.from_segmentations(system)) for name, system in systems.items()}
    chapters: list[dict[str, object]] = [{"startTime": start, "title": title} for start, title in _MACHINE]
    chapters[-1]["endTime"] = _END
    files |= {
        "chats.jsonl": _lines(chats),
        "gold.jsonl": _lines(gold),
        "annotations.jsonl": _lines(corpus),
        "docs.jsonl": _lines(texts),
        "fixed.jsonl": _chunk_lines(texts, whole=False),
        "paragraphs.jsonl": _chunk_lines(texts, whole=True),
        "answers.jsonl": b"".join(_answers(document) for document in texts),
        "packets.jsonl": _lines(packets()),
        "show.txt": _EDITOR.encode(),
        "auto.json": _json({"version": "1.2.0", "chapters": chapters}),
    }
    for name, part in {"": slice(_DEV), "test-": slice(_DEV, None)}.items():
        files[f"{name}scores.jsonl"] = _lines(
            dataclasses.replace(document, units=None, segmentation=None) for document in list(scored)[part]
        )
        files[f"{name.strip('-') or 'dev'}.jsonl"] = _lines(list(gold)[part])
    files |= {f"shows/{name}": data for name, data in shows(gold).items()}
    return files | {f"people/{name}": data for name, data in people(corpus).items()}


def shows(corpus: Corpus) -> dict[str, bytes]:
    """Return texts as if read aloud: a transcript with a cue for each unit, the segments as an editor's list, and all lengths.

    A word takes 0.4 seconds; a segment is titled by its first words.
    """
    files, lengths = {}, ["show,length"]
    for document in corpus:
        units = [" ".join(unit.split()) for unit in document.units or ()]
        ends = [0, *itertools.accumulate(4 * max(1, len(unit.split())) // 10 + 1 for unit in units)]
        clock = [f"{s // 3600:02d}:{s // 60 % 60:02d}:{s % 60:02d}" for s in ends]
        cues = (f"{n}\n{clock[n - 1]},000 --> {clock[n]},000\n{unit}\n\n" for n, unit in enumerate(units, start=1))
        first = [start for start, _ in (document.segmentation or Segmentation(document.n_units)).spans]
        files[f"talks/{document.id}.srt"] = "".join(cues).encode()
        files[f"editor/{document.id}.txt"] = "".join(
            f"{clock[place]} {' '.join(units[place].split()[:_TITLE])}\n" for place in first
        ).encode()
        lengths.append(f"{document.id},{clock[-1]}")
    return {**files, "lengths.csv": ("\n".join(lengths) + "\n").encode()}


def packets() -> Corpus:
    """Return made packets of scanned pages: each holds six papers of one to five pages, of four kinds in turn."""
    found = []
    for packet in range(6):
        pages: list[str] = []
        starts: list[int] = []
        for paper in range(6):
            kind, text = _PAPERS[(packet + paper) % len(_PAPERS)]
            words, length = text.split(), 1 + (3 * packet + 5 * paper + packet * paper) % 5
            starts.append(len(pages))
            for page in range(length):
                shown = (words[(packet + 3 * page + place) % len(words)] for place in range(6))
                pages.append(f"{kind} {packet + 1}{paper + 1}, page {page + 1} of {length}. {' '.join(shown)}.")
        cut = Segmentation(len(pages), starts[1:], unit="page")
        found.append(
            Document(id=f"packet{packet + 1}", n_units=len(pages), units=tuple(pages), unit="page", segmentation=cut)
        )
    return Corpus(found)


def example_systems(corpus: Corpus) -> dict[str, dict[str, Segmentation]]:
    """Return the outputs of equal lengths, of chance and of a reader, by name, for a corpus with annotators."""
    gold = {d.id: d.segmentation for d in corpus if d.segmentation is not None}
    return {
        f"every{_EVERY}": {key: every(s.n_units, _EVERY, unit=s.unit) for key, s in gold.items()},
        "random": {
            key: random_boundaries(s.n_units, s.n_boundaries, seed=place, unit=s.unit)
            for place, (key, s) in enumerate(gold.items())
        },
        "reader": {d.id: next(iter(d.annotations.values())) for d in corpus},
    }


def chat_systems(chats: Corpus) -> dict[str, dict[str, Segmentation]]:
    """Return the boundaries of three segmenters that read these texts, by name."""
    texts = Corpus([dataclasses.replace(chat, segmentation=None) for chat in chats])
    return {
        name: {d.id: d.segmentation for d in segmenter(name).segment(texts) if d.segmentation is not None}
        for name in _SEGMENTERS
    }


def people(corpus: Corpus) -> dict[str, bytes]:
    """Return the chapters of the first four readers as three tools export them: two readers, one, and one."""
    first, second, third, fourth = next(iter(corpus)).annotations
    chapters = [document for document in corpus if fourth in document.annotations]
    tasks, records, table = [], [], io.StringIO()
    rows = csv.writer(table, lineterminator="\n")
    rows.writerow(["doc", "text", "annotator", "segment"])
    for chapter, document in enumerate(chapters, start=1):
        units = [" ".join(unit.split()) for unit in document.units or ()]
        text = "\n".join(units)
        spans = {name: _spans(units, document.annotations[name]) for name in (first, second, third)}
        coded = []
        for name in (first, second):
            values = [{"start": start, "end": end, "labels": ["topic"]} for start, end in spans[name]]
            labelled = [{"type": "labels", "value": value} for value in values]
            coded.append({"completed_by": {"email": name}, "result": labelled})
        tasks.append({"id": chapter, "data": {"text": text}, "annotations": coded})
        labels = [[start, end, "topic"] for start, end in spans[third]]
        records.append({"id": chapter, "text": text, "username": third, "label": labels})
        masses = document.annotations[fourth].masses
        segments = [number for number, mass in enumerate(masses, start=1) for _ in range(mass)]
        rows.writerows([chapter, unit, fourth, segment] for unit, segment in zip(units, segments, strict=True))
    return {
        "label_studio.json": _json(tasks),
        "doccano.jsonl": b"".join(_line(record) for record in records),
        "table.csv": table.getvalue().encode(),
    }


def _lines(documents: Iterable[Document]) -> bytes:
    return b"".join(document_line(document) for document in documents)


def _line(value: object) -> bytes:
    return (json.dumps(value, ensure_ascii=False) + "\n").encode()


def _json(value: object) -> bytes:
    return (json.dumps(value, ensure_ascii=False, indent=1) + "\n").encode()


def _spans(units: list[str], segmentation: Segmentation) -> list[tuple[int, int]]:
    """Return the start and end of each segment in the text of these lines."""
    starts = [0]
    for unit in units:
        starts.append(starts[-1] + len(unit) + 1)
    edges = [0, *segmentation.boundaries, len(units)]
    return [(starts[begin], starts[end] - 1) for begin, end in itertools.pairwise(edges)]


def _chunk_lines(corpus: Corpus, *, whole: bool) -> bytes:
    """Return the chunks of each text in the format of a chunker: whole paragraphs, or a fixed number of words."""
    lines = []
    for document in corpus:
        parts = list(document.units or ())
        if not whole:
            parts = " ".join(parts).split()
        chunks: list[list[str]] = [[]]
        for part in parts:
            words = sum(len(other.split()) for other in chunks[-1])
            if chunks[-1] and words + len(part.split()) > _WORDS:
                chunks.append([])
            chunks[-1].append(part)
        lines.append(_line({"id": document.id, "chunks": [" ".join(chunk) for chunk in chunks]}))
    return b"".join(lines)


def _answers(document: Document) -> bytes:
    """Return questions and the passages that answer them: two paragraphs in each quarter of the text."""
    places = [document.n_units * quarter // 4 for quarter in range(4)]
    asked = [
        {"question": question, "spans": [[place, place + 2]]}
        for question, place in zip(_QUESTIONS[document.id], places, strict=True)
    ]
    return _line({"id": document.id, "unit": document.unit, "questions": asked})
