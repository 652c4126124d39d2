"""Measure the encoder ``default`` beside its teacher: ``python -m studies.default_encoder.measure --work FOLDER``.

Corpora are read from the folder that ``CAESURA_DATA`` names. Of each, documents are drawn with a fixed seed; every other one is
for deciding between variants (``--half development``), the rest is for the numbers that are published (``--write`` puts
them into ``default.json`` and ``docs/default-encoder.md``).
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

import caesura
from caesura.corpus import Document
from caesura.encoders.base import Encoder
from caesura.encoders.default import TABLE
from caesura.formats import load
from caesura.segmentation import Segmentation
from caesura.statistics import Bootstrap
from studies import corpora_folder
from studies.default_encoder import sources
from studies.default_encoder.segmenter import boundaries
from studies.default_encoder.teacher import Teacher

CORPORA = {
    "Choi 3-11": ("choi/choi_3_3-11.jsonl.gz", 200, 0.06),
    "DialSeg711": ("dialseg711/dialseg711_shared500.jsonl.gz", 300, 0.05),
    "Wiki-50": ("wiki50/wiki50_shared25.jsonl.gz", 25, None),
    "TIAGE": ("tiage/tiage_test.jsonl.gz", 100, None),
    "QMSum": ("qmsum/qmsum_test_academic_product.jsonl.gz", 12, None),
}
"""File, documents drawn, and how far behind the teacher is too far."""

PAGE = Path(__file__).resolve().parents[2] / "docs" / "default-encoder.md"
_MARKS = ("<!-- measured: begin -->", "<!-- measured: end -->")
_SEED = 711
_METRICS = ("BoundaryF1(tolerance=1)", "Pk")


def drawn(data: Path, file: str, most: int, half: str) -> list[Document]:
    """Return one half of the documents drawn from a corpus."""
    documents = list(load(data / file))
    places = sorted(np.random.default_rng(_SEED).permutation(len(documents))[:most].tolist())
    halves = {"development": places[::2], "held-out": places[1::2]}
    return [documents[place] for place in halves[half]]


def scores(documents: list[Document], vectors: np.ndarray) -> dict[str, np.ndarray]:
    """Return one number per document and metric."""
    found: dict[str, list[float]] = {name: [] for name in _METRICS}
    first = 0
    for document in documents:
        own = vectors[first : first + document.n_units]
        first += document.n_units
        reference = document.segmentation
        if reference is None:
            raise SystemExit(f"document {document.id!r} has no gold segmentation")
        hypothesis = Segmentation(document.n_units, boundaries(own), unit=document.unit)
        for name, values in found.items():
            values.append(caesura.metric(name)(reference, hypothesis))
    return {name: np.array(values) for name, values in found.items()}


def compared(documents: list[Document], ours: np.ndarray, theirs: np.ndarray) -> dict[str, Any]:
    """Return means of both and their difference with a paired bootstrap interval, per metric."""
    facts: dict[str, Any] = {"documents": len(documents)}
    student, teacher = scores(documents, ours), scores(documents, theirs)
    bootstrap = Bootstrap(len(documents), resamples=10_000, seed=_SEED)
    for name in _METRICS:
        gap = student[name] - teacher[name]
        interval = bootstrap.interval(bootstrap.mean(gap), documents=len(gap))
        facts[name] = {
            "default": round(float(student[name].mean()), 4),
            "teacher": round(float(teacher[name].mean()), 4),
            "difference": round(float(gap.mean()), 4),
            "interval": [round(interval.low, 4), round(interval.high, 4)],
        }
    return facts


def rates(texts: list[str], student: Encoder, teacher: Teacher) -> dict[str, float]:
    """Return texts per second of processor time, one thread each, on texts of a corpus."""
    import torch

    torch.set_num_threads(1)
    student.encode(texts)
    begin = time.process_time()
    student.encode(texts)
    ours = len(texts) / (time.process_time() - begin)
    few = texts[:500]
    begin = time.process_time()
    teacher.encode(few)
    return {"default": round(ours), "teacher": round(len(few) / (time.process_time() - begin))}


def page_table(measured: dict[str, Any]) -> str:
    """Return the table of the page."""
    lines = [
        "| corpus | documents | W-F1 default | W-F1 MiniLM | difference (95 % interval) | Pk default | Pk MiniLM | limit |",
        "| --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for corpus, facts in measured["held_out"].items():
        f1, pk = (facts[name] for name in _METRICS)
        limit = CORPORA[corpus][2]
        lines.append(
            f"| {corpus} | {facts['documents']} | {f1['default']:.3f} | {f1['teacher']:.3f} "
            f"| {f1['difference']:+.3f} [{f1['interval'][0]:+.3f}, {f1['interval'][1]:+.3f}] "
            f"| {pk['default']:.3f} | {pk['teacher']:.3f} | {'' if limit is None else f'-{limit:.2f}'} |"
        )
    rate = measured["texts_per_processor_second"]
    lines += [
        "",
        f"Speed, DialSeg711 turns, one thread: {rate['default']:,} texts per second of processor time; MiniLM in torch "
        f"{rate['teacher']:,}, so {rate['default'] / rate['teacher']:.0f} times as many.",
    ]
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> None:
    """Encode, segment, compare."""
    parser = argparse.ArgumentParser(prog="python -m studies.default_encoder.measure", description=__doc__)
    parser.add_argument("--work", type=Path, default=Path("build/distil"), help="where the teacher's vectors are kept")
    parser.add_argument("--data", type=Path, help="the folder of the corpora [CAESURA_DATA]")
    parser.add_argument("--half", choices=("development", "held-out"), default="development")
    parser.add_argument("--corpora", nargs="*", default=list(CORPORA))
    parser.add_argument("--write", action="store_true", help="put the numbers into the package and the page")
    asked = parser.parse_args(arguments)
    data = asked.data or corpora_folder()

    student = caesura.encoder("default")
    teacher = Teacher((sources.TEACHER.fetch(asked.work) / sources.TEACHER.files[0]).parent)
    measured: dict[str, Any] = {}
    for corpus in asked.corpora:
        file, most, _ = CORPORA[corpus]
        both = {half: drawn(data, file, most, half) for half in ("development", "held-out")}
        # The teacher reads both halves at once, so that it reads them only once.
        texts = {half: [unit for document in both[half] for unit in document.units or ()] for half in both}
        theirs = teacher.kept(teacher.numbers([unit for half in texts.values() for unit in half]), asked.work)
        own = (
            theirs[: len(texts["development"])] if asked.half == "development" else theirs[len(texts["development"]) :]
        )
        measured[corpus] = compared(both[asked.half], student.encode(texts[asked.half]), own)
        sys.stderr.write(f"{corpus}: {json.dumps(measured[corpus])}\n")
        turns = texts[asked.half] if corpus == "DialSeg711" else None
        if turns is not None and asked.write:
            speed = rates(turns, student, teacher)
    if asked.write:
        if asked.half != "held-out":
            raise SystemExit("only the held-out half is published; add --half held-out")
        facts = json.loads(TABLE.with_suffix(".json").read_bytes())
        facts["measured"] = {"held_out": measured, "texts_per_processor_second": speed}
        TABLE.with_suffix(".json").write_text(json.dumps(facts, indent=2) + "\n")
        head, rest = PAGE.read_text().split(_MARKS[0])
        tail = rest.split(_MARKS[1])[1]
        PAGE.write_text(f"{head}{_MARKS[0]}\n{page_table(facts['measured'])}\n{_MARKS[1]}{tail}")


if __name__ == "__main__":
    main()
