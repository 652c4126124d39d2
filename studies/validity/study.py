# SPDX-License-Identifier: Apache-2.0
"""Which reference-free metrics work where: real corpora, real encoders, and the page that reports it.

``python -m studies.validity.study run`` degrades the gold of fourteen corpora, found through ``CAESURA_DATA``, and writes
``studies/validity/numbers.json``; ``sweep`` adds the thresholds that metrics would choose; ``page`` makes ``docs/validate.md`` and its figure
from that file. ``tests/architecture/test_docs_are_fresh.py`` fails when the page is stale.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from caesura.results.validate.facts import BLIND, DAMAGES, Trust, Validity
from studies import corpora_folder

DOCS = Path(__file__).resolve().parents[2] / "docs"
DATA = Path(__file__).with_name("numbers.json")
ENCODER = "default"
CORPORA: dict[str, tuple[str, str, int]] = {
    "Choi 3-11": ("choi/choi_3_3-11.jsonl.gz", "news and essays, concatenated", 40),
    "Wiki-50": ("wiki50/wiki50_shared25.jsonl.gz", "articles, by section", 25),
    "Wiki-300": ("wiki300/wiki300_first100.jsonl.gz", "articles, by section", 15),
    "WikiSection disease": (
        "wikisection_pt/wikisection_pt_disease_test_shared500.jsonl.gz",
        "Portuguese articles, by section",
        40,
    ),
    "WikiSection city": (
        "wikisection_pt/wikisection_pt_city_val_first300.jsonl.gz",
        "Portuguese articles, by section",
        30,
    ),
    "QMSum": ("qmsum/qmsum_test_academic_product.jsonl.gz", "meetings, by topic", 12),
    "TinyRec": ("tinyrec/tinyrec_test_10.jsonl.gz", "meetings, by topic", 10),
    "DialSeg711": ("dialseg711/dialseg711_shared500.jsonl.gz", "task dialogues, concatenated", 60),
    "SuperDialseg": ("superdialseg/superseg_test.jsonl.gz", "dialogues on documents", 60),
    "TIAGE": ("tiage/tiage_test.jsonl.gz", "chats, by topic", 60),
    "MultiWOZ": ("multiwoz/multiwoz21_test_multidomain.jsonl.gz", "task dialogues, by domain", 60),
    "DailyDialog": ("dailydialog/dailydialog_concat_test.jsonl.gz", "dialogues, concatenated", 60),
    "Topical-Chat": ("topical_chat/topicalchat_concat_test_freq.jsonl.gz", "chats, concatenated", 30),
    "Taskmaster": ("taskmaster/taskmaster_concat_tm3_tm4.jsonl.gz", "task dialogues, concatenated", 60),
}
METRICS = (
    "Placement", "ARPpair", "ARPcos", "ARPstd", "Silhouette", "SegReFree", "SegReFree(singletons='mean')",
)  # fmt: skip
SHOWN = (*METRICS, BLIND)
SWEPT = ("Placement", "Silhouette")
SWEPT_ON = ("Choi 3-11", "Wiki-50", "DialSeg711")
_WINDOW = 3  # units on each side of a gap that the scorer compares

Places = dict[str, dict[str, float | None]]


class CorpusNumbers(msgspec.Struct, forbid_unknown_fields=True):
    """The numbers of one corpus: the test, and the thresholds that metrics would choose, where that was measured."""

    kind: str
    validity: Validity
    recommended: Places | None = None

    def trust(self, metric: str) -> Trust:
        """Return the verdict on a metric."""
        return self.validity.encoders[ENCODER].metrics[metric]


Numbers = dict[str, CorpusNumbers]


def run() -> None:
    """Measure, and write the numbers after each corpus."""
    import caesura as cz

    data = corpora_folder()
    numbers: Numbers = {}
    for name, (file, kind, number) in CORPORA.items():
        corpus = cz.load(data / file)
        corpus = corpus.subset(corpus.ids[:number])
        print(name, len(corpus), "documents", flush=True)
        section = cz.validate(
            corpus, metrics=METRICS, encoders=[ENCODER], levels=(0.3, 0.7), distances=(1, 3), draws=5
        ).section
        numbers[name] = CorpusNumbers(kind, section)
        _write(numbers)


def sweep() -> None:
    """Measure which threshold each metric would choose, and add it to the numbers."""
    import caesura as cz

    numbers = _numbers()
    for name in SWEPT_ON:
        corpus = cz.load(corpora_folder() / CORPORA[name][0])
        numbers[name].recommended = _recommended(corpus.subset(corpus.ids[:25]))
        _write(numbers)


def _write(numbers: Numbers) -> None:
    DATA.write_bytes(msgspec.json.format(msgspec.json.encode(numbers), indent=1) + b"\n")


def _recommended(corpus: Any) -> Places:
    """Return the threshold of a plain scorer that each metric would choose, and the reference scores there."""
    import caesura as cz
    from caesura.encoders import embed

    vectors = embed(corpus, ENCODER)
    scored = cz.Corpus([_scored(document, vectors[document.id]) for document in corpus])
    against = cz.sweep(corpus, {"m": scored}, ["Pk", "W-F1"], quantiles=41, min_gap=2, resamples=10)
    by_threshold = {point.threshold: point.scores for point in against.points["m"]}
    places: Places = {"best Pk": min(by_threshold.values(), key=lambda scores: scores["Pk"] or 0.0)}
    free = cz.sweep(
        corpus, {"m": scored}, SWEPT, reference=None, encoder=ENCODER, quantiles=41, min_gap=2, draws=10, resamples=500
    )
    for metric in SWEPT:
        threshold = free.recommended("m", metric).make().options()["threshold"]
        places[metric] = by_threshold[threshold]
    return places


def _scored(document: Any, vectors: Any) -> Any:
    """Return a document whose gaps are scored by 1 minus the cosine of the means of three units on each side."""
    from caesura.corpus import Document

    wide = vectors.astype(np.float64)
    sums = np.concatenate([np.zeros((1, wide.shape[1])), wide.cumsum(axis=0)])
    gaps = np.arange(1, len(wide))
    left = sums[gaps] - sums[np.maximum(gaps - _WINDOW, 0)]
    right = sums[np.minimum(gaps + _WINDOW, len(wide))] - sums[gaps]
    lengths = np.linalg.norm(left, axis=1) * np.linalg.norm(right, axis=1)
    cosine = np.divide((left * right).sum(axis=1), lengths, out=np.zeros(len(gaps)), where=lengths > 0)
    return Document(id=document.id, n_units=document.n_units, scores=tuple((1 - cosine).tolist()))


# ---------------------------------------------------------------------- the page


def page() -> str:
    """Return the page, from the numbers."""
    return _page(_numbers())


def means_table() -> str:
    """Return the means over corpora of what each metric notices, for another page."""
    return _means(_numbers())


def figures() -> dict[str, str]:
    """Return the figures, from the numbers, by file."""
    return _figures(_numbers())


def _numbers() -> Numbers:
    """Read the numbers."""
    return msgspec.json.decode(DATA.read_bytes(), type=Numbers)


def _page(found: Numbers) -> str:
    text = (Path(__file__).with_name("page.md")).read_text()
    tables = {
        "corpora": _corpora(found),
        "verdicts": _verdicts(found),
        "means": _means(found),
        "noticed": _noticed(found),
        "correlations": _correlations(found),
        "recommended": _recommended_table(found),
    }
    for name, table in tables.items():
        text = text.replace(f"<!-- {name} -->", table)
    return "<!-- Written by `python -m studies.validity.study page`; edit the template and the script. -->\n" + text


def table(heads: list[str], rows: list[list[str]]) -> str:
    """Return a table in Markdown."""
    lines = ["| " + " | ".join(heads) + " |", "|" + " --- |" * len(heads)]
    return "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in rows)])


def _percent(value: float | None) -> str:
    return "-" if value is None else f"{100 * value:.0f}"


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"


def _corpora(found: Numbers) -> str:
    rows = []
    for name, of in found.items():
        facts = of.validity.encoders[ENCODER].facts
        rows.append(
            [name, of.kind, str(of.validity.documents), f"{facts.units / facts.documents:.0f}",
             f"{facts.units / facts.segments:.1f}", _percent(facts.singletons), _percent(facts.repeats),
             _number(facts.anisotropy)]
        )  # fmt: skip
    heads = [
        "corpus", "content", "documents", "units each", "units per segment", "one-unit segments %", "repeated units %",
        "mean cosine between documents",
    ]  # fmt: skip
    return table(heads, rows)


_WORDS = {"usable here": "**usable**", "only for large differences": "large differences", "not usable here": "no"}


def _verdicts(found: Numbers) -> str:
    rows = []
    for name, of in found.items():
        trusts = [of.trust(metric) for metric in SHOWN]
        rows.append([name, *(f"{_WORDS[trust.verdict]} ({_percent(trust.worst)})" for trust in trusts)])
    return table(["corpus", *(f"`{metric}`" for metric in SHOWN)], rows)


def _mean(values: list[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return float(np.mean(known)) if known else None


def _means(found: Numbers) -> str:
    rows = []
    for metric in SHOWN:
        trusts = [of.trust(metric) for of in found.values()]
        shares = [_percent(_mean([trust.damages.get(kind) for trust in trusts])) for kind in DAMAGES]
        rows.append([f"`{metric}`", *shares, _percent(_mean([trust.worst for trust in trusts]))])
    return table(["metric", *DAMAGES, "worst of the six"], rows)


def _noticed(found: Numbers) -> str:
    rows = []
    for name, of in found.items():
        for metric in SHOWN:
            trust = of.trust(metric)
            moved = [t.ranked_right for t in trust.trials if t.kind == "transposition"]
            shares = [_percent(trust.damages.get(kind)) for kind in DAMAGES]
            rows.append([name, f"`{metric}`", *shares, _percent(trust.strongest_removal), *map(_percent, moved)])
    return table(["corpus", "metric", *DAMAGES, "removal 70 %", "all moved by 1", "by 3"], rows)


def _correlations(found: Numbers) -> str:
    rows = [
        [name, *(_number(of.trust(metric).correlations["Pk"].spearman) for metric in SHOWN)]
        for name, of in found.items()
    ]
    return table(["corpus", *(f"`{metric}`" for metric in SHOWN)], rows)


def _recommended_table(found: Numbers) -> str:
    rows = []
    for name, of in found.items():
        if of.recommended is None:
            continue
        cells = [f"{_number(s['BOR'])} / {_number(s['Pk'])} / {_number(s['W-F1'])}" for s in of.recommended.values()]
        rows.append([name, *cells])
    return table(["corpus", "best by Pk", *(f"`{m}`" for m in SWEPT)], rows)


_DRAWN = ("Placement", "Silhouette", "ARPpair", "SegReFree(singletons='mean')", BLIND)
_COLOURS = ("#000000", "#009E73", "#0072B2", "#CC79A7", "#BBBBBB")


def _figures(found: Numbers) -> dict[str, str]:
    from caesura.reports.figures import render_figure

    return {"damages.svg": render_figure(_figure(found), "svg").decode()}


def _figure(found: Numbers) -> dict[str, Any]:
    """Return one point per corpus, metric and damage."""
    values = [
        {"corpus": name, "metric": metric, "damage": kind, "share": 100 * share}
        for name, of in found.items()
        for metric in _DRAWN
        for kind in DAMAGES
        if (share := of.trust(metric).damages.get(kind)) is not None
    ]
    colour = {
        "field": "metric", "type": "nominal", "sort": list(_DRAWN), "title": None,
        "scale": {"domain": list(_DRAWN), "range": list(_COLOURS)}, "legend": {"orient": "top"},
    }  # fmt: skip
    rules = [
        {"data": {"values": [{"y": y}]}, "mark": {"type": "rule", "strokeDash": dash, "color": "#888"},
         "encoding": {"y": {"field": "y", "type": "quantitative"}}}
        for y, dash in ((85, [4, 3]), (50, [1, 0]))
    ]  # fmt: skip
    share = {
        "field": "share",
        "type": "quantitative",
        "title": "gold better, % of documents",
        "scale": {"domain": [0, 100]},
    }
    points = {
        "mark": {"type": "point", "filled": True, "opacity": 0.7, "size": 40},
        "encoding": {
            "x": {
                "field": "damage",
                "type": "nominal",
                "sort": list(DAMAGES),
                "title": None,
                "axis": {"labelAngle": 0},
            },
            "xOffset": {"field": "metric", "type": "nominal", "sort": list(_DRAWN)},
            "y": share,
            "color": colour,
        },
    }
    return {
        "$schema": "https://vega.github.io/schema/vega-lite/v5.json",
        "data": {"values": values},
        "width": 640,
        "height": 300,
        "layer": [*rules, points],
        "config": {
            "background": "white",
            "font": "sans-serif",
            "axis": {"gridColor": "#eee"},
            "view": {"stroke": "#bbb"},
        },
    }


def main() -> None:
    """Run or write the page."""
    what = sys.argv[1:] or ["page"]
    if what == ["run"]:
        run()
    if what == ["sweep"]:
        sweep()
    if what in (["run"], ["sweep"], ["page"]):
        (DOCS / "validate.md").write_text(page())
        for name, text in figures().items():
            Path(__file__).with_name(name).write_text(text)
        return
    raise SystemExit("usage: python -m studies.validity.study [run|sweep|page]")


if __name__ == "__main__":
    main()
