# SPDX-License-Identifier: Apache-2.0
"""Every segmenter on every corpus at hand: quality at its own and at equal density, and cost.

``python -m studies.segmenters.study run`` segments the corpora (found through ``CAESURA_DATA``) and writes ``studies/segmenters/numbers.json``; rows
that are there already are kept, so remove those to be measured again. Rows of MiniLM need the folder ``minilm`` of its weights in
the folder ``CAESURA_MODELS``, and are left as they are without it.
``python -m studies.segmenters.study page`` makes ``docs/segmenters.md`` from that file. ``tests/architecture/test_docs_are_fresh.py`` fails
when the page is stale.
"""

from __future__ import annotations

import os
import re
import sys
import time
import warnings
from pathlib import Path
from typing import Any

import msgspec

from studies import corpora_folder

DOCS = Path(__file__).resolve().parents[2] / "docs"
DATA = Path(__file__).with_name("numbers.json")
TEXTS: dict[str, tuple[str, int]] = {
    "Choi 3-11": ("choi/choi_3_3-11.jsonl.gz", 60),
    "Wiki-50": ("wiki50/wiki50_shared25.jsonl.gz", 25),
    "Wiki-300": ("wiki300/wiki300_first100.jsonl.gz", 10),
    "WikiSection-PT": ("wikisection_pt/wikisection_pt_disease_test_shared500.jsonl.gz", 60),
    "Moonstone": ("moonstone/moonstone_8ch.jsonl.gz", 8),
    "TinyRec": ("tinyrec/tinyrec_test_10.jsonl.gz", 10),
    "QMSum": ("qmsum/qmsum_test_academic_product.jsonl.gz", 6),
}
DIALOGUES: dict[str, tuple[str, int]] = {
    "DialSeg711": ("dialseg711/dialseg711_shared500.jsonl.gz", 150),
    "TIAGE": ("tiage/tiage_test.jsonl.gz", 100),
    "SuperDialseg": ("superdialseg/superseg_test.jsonl.gz", 150),
    "MultiWOZ": ("multiwoz/multiwoz21_test_multidomain.jsonl.gz", 150),
    "DailyDialog": ("dailydialog/dailydialog_concat_test.jsonl.gz", 100),
    "Taskmaster": ("taskmaster/taskmaster_concat_tm3_tm4.jsonl.gz", 100),
    "Topical-Chat": ("topical_chat/topicalchat_concat_test_freq.jsonl.gz", 50),
}
CORPORA = {**TEXTS, **DIALOGUES}
ORACLE = "Scatter(n_segments='oracle')"
METHODS = (
    "none",
    "random(p=0.14)",
    "TextTiling",
    "TokenTiling",
    "C99",
    "BayesSeg",
    "BayesSeg(em=True)",
    "MinCutSeg",
    "MinCutSeg(n_segments='oracle')",
    "APS",
    "SpeechCohesion",
    "VectorTiling(window=1, alpha=0.0)",
    "VectorTiling",
    "VectorTiling(pooling='max')",
    "Scatter",
    ORACLE,
    "TreeSeg",
    "MetricOptimiser(metric='ARPpair')",
    "MetricOptimiser(metric='SegReFree')",
)
MINILM = ("VectorTiling(window=1, alpha=0.0)", "VectorTiling", "Scatter", ORACLE, "TreeSeg")


class Row(msgspec.Struct, forbid_unknown_fields=True):
    """One segmenter on one corpus."""

    pk: float
    w_f1: float
    bor: float
    equal_pk: float | None
    equal_w_f1: float | None
    milliseconds: float


class Numbers(msgspec.Struct, forbid_unknown_fields=True):
    """What was measured: the sizes of the corpora, a row for each segmenter and corpus, and rows with vectors of MiniLM."""

    documents: dict[str, int]
    units: dict[str, int]
    rows: dict[str, dict[str, Row]]
    minilm: dict[str, dict[str, Row]]


def run() -> None:
    """Measure what the file of numbers does not have, and write it after each row."""
    import caesura as cz
    from caesura.scorers import Encoding
    from caesura.segmenters import segmenter

    warnings.simplefilter("ignore")
    found = _numbers() if DATA.exists() else Numbers({}, {}, {}, {})
    found.rows = {method: found.rows.get(method, {}) for method in METHODS}
    found.minilm = {method: found.minilm.get(method, {}) for method in MINILM}
    encoders = {"default": found.rows}
    if os.environ.get("CAESURA_MODELS"):
        encoders[f"numpy:{Path(os.environ['CAESURA_MODELS']) / 'minilm'}"] = found.minilm
    for name, (file, number) in CORPORA.items():
        corpus = cz.load(corpora_folder() / file)
        corpus = corpus.subset(corpus.ids[:number])
        found.documents[name] = len(corpus)
        found.units[name] = int(corpus.flat.n_units.sum())
        for encoder, rows in encoders.items():
            encoding = Encoding(encoder)
            for method in rows:
                if name not in rows[method]:
                    rows[method][name] = _row(corpus, segmenter(method), encoding)
                    print(name, encoder, method, rows[method][name], flush=True)
                    DATA.write_bytes(msgspec.json.format(msgspec.json.encode(found), indent=1) + b"\n")


def _numbers() -> Numbers:
    return msgspec.json.decode(DATA.read_bytes(), type=Numbers)


def _row(corpus: Any, method: Any, encoding: Any) -> Row:
    from caesura.corpus import Corpus
    from caesura.evaluation.evaluate import evaluate
    from caesura.kernels import one_thread
    from caesura.segmenters.run import run_method
    from caesura.selectors.scores import FlatScores

    if method.needs_vectors and not encoding.prepared_for(corpus):
        encoding.prepare(corpus)
    started = time.process_time()
    with one_thread():
        made = run_method(corpus, method, encoding=encoding)
    seconds = time.process_time() - started
    counts = corpus.flat.ptr[1:] - corpus.flat.ptr[:-1]
    equal = Corpus.from_flat(made.ids, FlatScores.from_corpus(made, made.ids).at_counts(counts), unit=corpus.unit)
    systems = {"own": made, "equal": equal}
    scores = evaluate(corpus, systems, ["Pk", "W-F1", "BOR"]).scores
    own, same = scores["own"], scores["equal"]
    return Row(own["Pk"], own["W-F1"], own["BOR"], same["Pk"], same["W-F1"], 1000 * seconds / len(corpus))


def page() -> str:
    """Return the page, from the numbers."""
    found = _numbers()
    text = Path(__file__).with_name("page.md").read_text(encoding="utf-8")
    for mark, part in (("texts", TEXTS), ("dialogues", DIALOGUES)):
        text = text.replace(f"<!-- {mark} -->", _table(found, part))
    text = text.replace("<!-- corpora -->", _corpora(found))
    text = re.sub(r"\{(\w+) ([^}]+)\}", lambda mark: _finding(found, mark[1], mark[2]), text)
    return "<!-- Written by `python -m studies.segmenters.study page`; edit the template and the script. -->\n" + text


def _finding(found: Numbers, what: str, of: str) -> str:
    """Return a number of the text below the tables."""
    if what == "range":
        heads = ("TextTiling", "C99", "MinCutSeg", "VectorTiling")
        rates = [found.rows[name][of].bor for name in METHODS if name.startswith(heads) and "oracle" not in name]
        return f"{min(rates):.2g} to {max(rates):.2g}"
    if what == "gamed":
        gamed = found.rows[f"MetricOptimiser(metric='{of}')"]
        higher = [name for name in CORPORA if _equal(gamed[name]) > _equal(found.rows["Scatter"][name])]
        return f"{len(higher)} of {len(CORPORA)} corpora"
    if what == "lower":
        pairs = [
            (getattr(found.minilm[method][name], of), getattr(found.rows[method][name], of))
            for method in MINILM
            for name in found.minilm[method]
        ]
        return f"{sum(ours < others for ours, others in pairs)} of {len(pairs)} cells"
    method, _, corpus = of.rpartition(", ")
    row = found.rows[method][corpus]
    return _fraction(row.pk) if what == "pk" else f"{row.bor:.2g}"


def _equal(row: Row) -> float:
    return float("nan") if row.equal_pk is None else row.equal_pk


def _corpora(found: Numbers) -> str:
    return ", ".join(
        f"{name} ({found.documents[name]} documents, {found.units[name] / found.documents[name]:.0f} units each)"
        for name in CORPORA
    )


def _table(found: Numbers, corpora: dict[str, tuple[str, int]]) -> str:
    heads = ["segmenter", *corpora, "ms a document"]
    lines = ["| " + " | ".join(heads) + " |", "|" + " --- |" * len(heads)]
    named = {f"`{method}`": rows for method, rows in found.rows.items()}
    named |= {f"`{method}`, MiniLM": rows for method, rows in found.minilm.items()}
    shortest, *_, longest = sorted(corpora, key=lambda name: found.units[name] / found.documents[name])
    for method, rows in named.items():
        cells = [_cell(rows[name]) if name in rows else "-" for name in corpora]
        costs = [f"{rows[name].milliseconds:.1f}" for name in (shortest, longest) if name in rows]
        lines.append("| " + " | ".join([method, *cells, " / ".join(costs)]) + " |")
    return "\n".join(lines)


def _cell(row: Row) -> str:
    equal = "-" if row.equal_pk is None else _fraction(row.equal_pk)
    return f"{_fraction(row.pk)} ({row.bor:.2g}) · {equal}"


def _fraction(value: float) -> str:
    return f"{value:.3f}".lstrip("0")


def main() -> None:
    """Run the part that is named."""
    if sys.argv[1:] == ["run"]:
        run()
    elif sys.argv[1:] != ["page"]:
        raise SystemExit("usage: python -m studies.segmenters.study run | page")
    (DOCS / "segmenters.md").write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
