# SPDX-License-Identifier: Apache-2.0
"""Support where it was not made for: readers as judges, a novel, errors of speech recognition, interjections, other vectors and weights.

``python -m studies.placement.beyond run FOLDER`` needs the FOLDER of ``studies.placement.support``, and writes
``studies/placement/beyond.json``. Of each corpus the first 30 documents of at most 300 units are judged, by three draws of each
perturbation, with weights that never saw the corpus.
"""

from __future__ import annotations

import dataclasses
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

import caesura as cz
from caesura.batches.embedded import Embedded
from caesura.corpus import Corpus, Document
from caesura.datasets.bundled import bundled
from caesura.encoders import embed
from caesura.evaluation.validate.trials import do_damage, trials
from caesura.metrics.cohesion.support import Support
from caesura.results.validate.facts import DAMAGES, Limits
from caesura.scorers import Encoding
from caesura.training.metric import Examples, examples, fit
from studies.placement import support
from studies.placement.support import Interval, percent
from studies.placement.variants import parts
from studies.validity.study import CORPORA, table

DATA = Path(__file__).with_name("beyond.json")
JUDGES = ("Placement(of='both')", "Placement(of='gaps')", "Support")
TALK = (
    "QMSum",
    "TinyRec",
    "DialSeg711",
    "SuperDialseg",
    "TIAGE",
    "MultiWOZ",
    "DailyDialog",
    "Topical-Chat",
    "Taskmaster",
)
DOCUMENTS, LONGEST, DRAWS = 30, 300, 3
INTERJECTIONS = ("Yeah.", "Okay.", "Mm-hm.", "Right.", "Um.", "I see.")
HASHED = 256
_WORD = re.compile(r"\w+")

Changed = Callable[[Document, np.random.Generator, Sequence[str]], Document]


class Tried(msgspec.Struct, forbid_unknown_fields=True):
    """Worst of six and mean of six, by metric, over so many corpora."""

    corpora: int
    worst: dict[str, Interval]
    mean: dict[str, Interval]


class Beyond(msgspec.Struct, forbid_unknown_fields=True):
    """What was tried: by name; and readers of a novel, judged by metrics and by the other readers."""

    tried: dict[str, Tried] = {}
    readers: dict[str, list[Interval]] = {}


# ---------------------------------------------------------------------- other documents


def garbled(share: float, *, replaced: bool) -> Changed:
    """Drop so many words, or replace them by others of the corpus; a unit keeps a word."""

    def change(document: Document, rng: np.random.Generator, words: Sequence[str]) -> Document:
        units = []
        for text in document.units or ():
            kept = []
            for word in text.split():
                if rng.random() >= share:
                    kept.append(word)
                elif replaced:
                    kept.append(words[int(rng.integers(len(words)))])
            units.append(" ".join(kept) or text)
        return dataclasses.replace(document, units=tuple(units))

    return change


def interjected(share: float) -> Changed:
    """Put an interjection of another speaker after so many of the units; it belongs to the segment before it."""

    def change(document: Document, rng: np.random.Generator, words: Sequence[str]) -> Document:
        units: list[str] = []
        new: list[int] = []
        cuts = set(_boundaries(document))
        for number, text in enumerate(document.units or (), start=1):
            units.append(text)
            if rng.random() < share:
                units.append(INTERJECTIONS[int(rng.integers(len(INTERJECTIONS)))])
            if number in cuts:
                new.append(len(units))
        return _made(document, units, new)

    return change


def without_short(document: Document, rng: np.random.Generator, words: Sequence[str]) -> Document:
    """Leave out units of at most two words, as backchannels are."""
    units: list[str] = []
    new: list[int] = []
    cuts = set(_boundaries(document))
    for number, text in enumerate(document.units or (), start=1):
        if len(_WORD.findall(text)) > 2:
            units.append(text)
        if number in cuts:
            new.append(len(units))
    return _made(document, units, sorted({cut for cut in new if 0 < cut < len(units)}))


def unchanged(document: Document, rng: np.random.Generator, words: Sequence[str]) -> Document:
    """Leave a document as it is."""
    return document


def _boundaries(document: Document) -> list[int]:
    assert document.segmentation is not None
    return list(document.segmentation.boundaries)


def _made(document: Document, units: Sequence[str], boundaries: Sequence[int]) -> Document:
    segmentation = cz.Segmentation(len(units), tuple(boundaries))
    return Document(id=document.id, n_units=len(units), units=tuple(units), segmentation=segmentation)


class Hashed:
    """Vectors of counted words, each put into one of so many places with a sign: an encoder that knows no meaning."""

    name, dim, normalized, fingerprint = "hashed-words", HASHED, False, "hashed-words-256"

    def encode(self, texts: Sequence[str]) -> Any:
        """Return one row per text."""
        import zlib

        out = np.zeros((len(texts), HASHED), dtype=np.float32)
        for row, text in enumerate(texts):
            for word in _WORD.findall(text.casefold()):
                code = zlib.crc32(word.encode())
                out[row, code % HASHED] += 1.0 if code & 65536 else -1.0
        return out


CHANGES: dict[str, tuple[Changed, tuple[str, ...]]] = {
    "as they are": (unchanged, tuple(CORPORA)),
    **{
        f"{share:.0%} of the words {'replaced' if replaced else 'dropped'}": (
            garbled(share, replaced=replaced),
            tuple(CORPORA),
        )
        for replaced in (False, True)
        for share in (0.05, 0.1, 0.2)
    },
    "talk, as it is": (unchanged, TALK),
    "talk, interjections after 10% of the units": (interjected(0.1), TALK),
    "talk, without units of at most two words": (without_short, TALK),
}


def some_of(name: str) -> Corpus:
    """Return the documents of a corpus that are judged."""
    seen, fresh = parts(name)
    every = [document for corpus in (seen, fresh) for document in corpus if document.n_units <= LONGEST]
    return Corpus(every[:DOCUMENTS])


def changed(corpus: Corpus, change: Changed) -> Corpus:
    """Return a corpus with changed documents; those in which nothing is left to find are left out."""
    rng = np.random.default_rng(0)
    words = [word for document in corpus for text in document.units or () for word in text.split()]
    made = [change(document, rng, words) for document in corpus]
    return Corpus([each for each in made if each.n_units > 3 and each.segmentation and each.segmentation.n_boundaries])


def spliced(corpus: Corpus) -> Corpus:
    """Return documents spliced from random stretches of a corpus, whose own boundaries are not looked at."""
    rng, made = np.random.default_rng(0), []
    texts = [document.units or () for document in corpus]
    for number in range(min(60, 2 * len(texts))):
        units: list[str] = []
        cuts: list[int] = []
        for _ in range(int(rng.integers(3, 7))):
            source = texts[int(rng.integers(len(texts)))]
            length = min(len(source), int(rng.integers(3, 12)))
            begin = int(rng.integers(len(source) - length + 1))
            units += source[begin : begin + length]
            cuts.append(len(units))
        segmentation = cz.Segmentation(len(units), tuple(cuts[:-1]))
        made.append(Document(id=str(number), n_units=len(units), units=tuple(units), segmentation=segmentation))
    return Corpus(made)


# ---------------------------------------------------------------------- readers


def readers() -> dict[str, list[Interval]]:
    """Return in what share of the annotations of a novel each judge notices each perturbation, and the worst and the mean of them."""
    documents, others = [], {}
    for chapter in bundled("moonstone"):
        for name, own in chapter.annotations.items():
            key = f"{chapter.id}/{name}"
            if own.n_boundaries:
                documents.append(dataclasses.replace(chapter, id=key, segmentation=own, annotations={}))
                others[key] = [each for other, each in chapter.annotations.items() if other != name]
    corpus = Corpus(documents)
    of = examples(corpus, Encoding("default"), draws=10, systems=False)
    weights = support.untrained() | {"Support": Support().learned().table(english=True)}
    found = {metric: _judged(support.shares(of, each)) for metric, each in weights.items()}
    batch = Embedded.of({d.id: d.segmentation for d in corpus if d.segmentation}, embed(corpus, "default"))
    damages = {t.kind: list(do_damage(batch, t, 10, 0)) for t in trials([Limits().removal], []) if t.kind in DAMAGES}
    for name, sign in (("B", 1.0), ("W-F1", 1.0), ("Pk", -1.0)):
        for label, most in ((f"the other readers, by {name}", None), (f"one other reader, by {name}", 1)):
            found[label] = _judged(support.shares(_by_readers(corpus, others, damages, name, sign, most), np.ones(1)))
    return found


def _by_readers(
    corpus: Corpus, others: Mapping[str, Any], damages: Mapping[Any, Any], name: str, sign: float, most: int | None
) -> Examples:
    """Return what the scores of own and perturbed boundaries against other readers differ in."""
    metric = cz.metric(name)

    def score(key: str, hypothesis: cz.Segmentation) -> float:
        return sign * float(np.mean([metric(reader, hypothesis) for reader in others[key][:most]]))

    kinds, rows, apart = [], [], []
    for row, document in enumerate(corpus):
        own = document.segmentation or cz.Segmentation(document.n_units)
        best = score(document.id, own)
        for place, kind in enumerate(DAMAGES):
            for run in damages[kind]:
                if run.changed[row]:
                    cuts = run.flat.pos[run.flat.ptr[row] : run.flat.ptr[row + 1]].tolist()
                    kinds.append(place)
                    rows.append(row)
                    apart.append(best - score(document.id, cz.Segmentation(document.n_units, cuts, unit=own.unit)))
    return Examples(np.array(kinds), np.array(rows), np.array(apart)[:, None], np.empty((0, 1)), np.empty(0))


def _judged(drawn: Any) -> list[Interval]:
    """Return the six shares, the worst and the mean of them."""
    return [support.interval(each) for each in (*drawn, drawn.min(axis=0), drawn.mean(axis=0))]


# ---------------------------------------------------------------------- the run


def run(folder: Path) -> None:
    """Measure, and write the numbers after each trial."""
    found = Beyond(readers=readers())
    _write(found)
    known = {name: support.read(name, folder) for name in CORPORA}
    train = {name: support.with_pairs(known[name]) for name in support.SOURCES}
    learned = {name: support.learned(train, name, support.used_on(name)) for name in CORPORA}
    judged = {name: support.untrained() | {"Support": learned[name]} for name in CORPORA}
    by_kind = {name: {"Support": support.learned(_alike(train, name), name, support.used_on(name))} for name in CORPORA}
    _add(
        found,
        "two sets of weights, text and talk, all documents",
        {n: support.all_of(known[n]) for n in CORPORA},
        by_kind,
    )
    _add(found, "one set of weights, all documents", {n: support.all_of(known[n]) for n in CORPORA}, judged)
    corpora = {name: some_of(name) for name in CORPORA}
    plain: dict[str, Examples] = {}
    for label, (change, names) in CHANGES.items():
        of = {
            name: examples(changed(corpora[name], change), Encoding("default"), draws=DRAWS, systems=False)
            for name in names
            if not (change is unchanged and name in plain)
        }
        if change is unchanged:
            plain |= of
            of = {name: plain[name] for name in names}
        _add(found, label, of, judged)
    hashed = {
        name: examples(corpus, Encoding(Hashed(), cache=False), draws=DRAWS, systems=False)  # type: ignore[arg-type]
        for name, corpus in corpora.items()
    }
    _add(found, "vectors of hashed words, the same weights", hashed, judged)
    own = {}
    for name, corpus in corpora.items():
        splices = examples(spliced(corpus), Encoding("default"), draws=DRAWS, systems=False)
        rest = [train[n] for n in train if n not in (name, support.SISTERS.get(name))]
        used = support.used_on(name)
        # The splices count as much as half of the other corpora together.
        own[name] = {
            "Support": fit([*rest, *[splices] * (len(rest) // 2)], used, of_pairs=support.OF_PAIRS, l2=support.L2)
        }
    _add(found, "with splices of the judged corpus in training", plain, own)


def _alike(train: Mapping[str, Examples], name: str) -> dict[str, Examples]:
    """Return the corpora of the same kind, text or talk."""
    return {each: of for each, of in train.items() if (each in TALK) == (name in TALK)}


def _add(found: Beyond, label: str, of: Mapping[str, Examples], weights: Mapping[str, Mapping[str, Any]]) -> None:
    worst, mean = {}, {}
    for judge in JUDGES:
        if all(judge in weights[name] for name in of):
            drawn = np.array([support.shares(each, weights[name][judge]) for name, each in of.items()])
            worst[judge] = support.interval(drawn.min(axis=1).mean(axis=0))
            mean[judge] = support.interval(drawn.mean(axis=(0, 1)))
    found.tried[label] = Tried(len(of), worst, mean)
    _write(found)
    print(label, worst, flush=True)


def _write(found: Beyond) -> None:
    DATA.write_bytes(msgspec.json.format(msgspec.json.encode(found), indent=1) + b"\n")


# ---------------------------------------------------------------------- the tables of the page


def stored() -> Beyond:
    """Return the stored numbers."""
    return msgspec.json.decode(DATA.read_bytes(), type=Beyond)


def tried() -> str:
    """Return what was tried: the worst of six and the mean of six, with intervals."""
    rows = []
    for label, of in stored().tried.items():
        known = [f"{percent(of.worst.get(m))}{' / ' if m in of.worst else ''}{percent(of.mean.get(m))}" for m in JUDGES]
        rows.append([label, *known, str(of.corpora)])
    return table(["what", *(f"`{judge}`" for judge in JUDGES), "corpora"], rows)


def people() -> str:
    """Return what readers and metrics notice in the boundaries of one reader."""
    rows = [
        [f"`{judge}`" if judge.startswith(("Placement", "Support")) else judge, *map(percent, of)]
        for judge, of in stored().readers.items()
    ]
    return table(["judge", *DAMAGES, "worst of six", "mean of six"], rows)


if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[1] != "run":
        raise SystemExit("usage: python -m studies.placement.beyond run FOLDER")
    run(Path(sys.argv[2]))
