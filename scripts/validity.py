# SPDX-License-Identifier: Apache-2.0
"""Which metric without a reference can be believed where: real corpora, real encoders, and the page that says it.

``python -m scripts.validity run`` degrades the gold of five corpora (found through ``CAESURA_DATA``; the extra ``onnx`` is
needed) and writes ``docs/validity.json``; ``python -m scripts.validity page`` makes ``docs/validity.md`` and its figures from
that file. ``tests/architecture/test_docs_are_fresh.py`` fails when the page is stale.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

DOCS = Path(__file__).resolve().parent.parent / "docs"
DATA = DOCS / "validity.json"
ENCODERS = ("default", "onnx:minilm")
CORPORA: dict[str, tuple[str, str, int]] = {
    "Choi 3-11": ("choi/choi_3_3-11.jsonl.gz", "news and essays, stitched", 100),
    "Wiki-50": ("wiki50/wiki50_shared25.jsonl.gz", "articles, by section", 25),
    "WikiSection-PT": (
        "wikisection_pt/wikisection_pt_city_val_first300.jsonl.gz",
        "Portuguese articles, by section",
        60,
    ),
    "DialSeg711": ("dialseg711/dialseg711_shared500.jsonl.gz", "task dialogues, stitched", 150),
    "QMSum": ("qmsum/qmsum_test_academic_product.jsonl.gz", "meetings, by topic", 29),
}
METRICS = ("ARPpair", "ARPcos", "ARPstd", "Silhouette", "SegReFree", "SegReFree(singletons='mean')")
SWEPT = ("ARPpair", "Silhouette", "SegReFree(singletons='mean')")
_WINDOW = 3  # units on each side of a gap that the scorer compares


def run() -> None:
    """Measure, and write the numbers."""
    import caesura as cz
    from caesura.encoders import Cache

    data = Path(os.environ["CAESURA_DATA"])
    found: dict[str, Any] = {}
    with Cache() as cache:
        for name, (file, kind, number) in CORPORA.items():
            corpus = cz.load(data / file)
            corpus = corpus.subset(corpus.ids[:number])
            print(name, len(corpus), "documents", flush=True)
            both = {
                moved: cz.validate(
                    corpus, metrics=METRICS, encoders=ENCODERS, moved=moved, draws=5, cache=cache
                ).to_dict()
                for moved in ("all", "one")
            }
            found[name] = {"kind": kind, **both["all"], "one": _only_transposition(both["one"])}
            found[name]["recommended"] = {spec: _recommended(corpus, spec, cache) for spec in ENCODERS}
    DATA.write_bytes(msgspec.json.format(msgspec.json.encode(found), indent=1) + b"\n")


def _only_transposition(plain: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the trials that move one boundary gave; the others are the same as with all moved."""
    return {
        encoder: {
            metric: [t for t in item["trials"] if t["kind"] == "transposition"]
            for metric, item in of["metrics"].items()
        }
        for encoder, of in plain["encoders"].items()
    }


def _recommended(corpus: Any, spec: str, cache: Any) -> dict[str, Any]:
    """Return where each metric would put the threshold of a plain scorer, and what the reference says of that place."""
    import caesura as cz
    from caesura.encoders import embed

    vectors = embed(corpus, spec, cache=cache)
    scored = cz.Corpus([_scored(document, vectors[document.id]) for document in corpus])
    against = cz.sweep(corpus, {"m": scored}, ["Pk", "W-F1"], quantiles=41, min_gap=2, resamples=10)
    by_threshold = {point.threshold: point.scores for point in against.points["m"]}
    best = min(by_threshold.values(), key=lambda scores: scores["Pk"])
    found: dict[str, Any] = {"best Pk": best}
    free = cz.sweep(
        corpus,
        {"m": scored},
        SWEPT,
        reference=None,
        encoder=spec,
        quantiles=41,
        min_gap=2,
        draws=10,
        resamples=500,
        cache=cache,
    )
    for metric in SWEPT:
        threshold = free.recommended("m", metric).make().options()["threshold"]
        found[metric] = by_threshold[threshold]
    return found


def _scored(document: Any, vectors: Any) -> Any:
    """Return a document whose gaps score one less the cosine of the means of three units on each side."""
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
    return _page(msgspec.json.decode(DATA.read_bytes()))


def figures() -> dict[str, str]:
    """Return the figures, from the numbers: path below ``docs`` to text."""
    return _figures(msgspec.json.decode(DATA.read_bytes()))


def _page(found: Mapping[str, Any]) -> str:
    text = (Path(__file__).with_name("validity_page.md")).read_text()
    tables = {
        "corpora": _corpora(found),
        "verdicts": "\n\n".join(_verdicts(found, encoder) for encoder in ENCODERS),
        "noticed": "\n\n".join(_noticed(found, encoder) for encoder in ENCODERS),
        "correlations": _correlations(found),
        "recommended": _recommended_table(found),
    }
    for name, table in tables.items():
        text = text.replace(f"<!-- {name} -->", table)
    return "<!-- Written by `python -m scripts.validity page`; edit the template and the script. -->\n" + text


def _table(heads: list[str], rows: list[list[str]]) -> str:
    lines = ["| " + " | ".join(heads) + " |", "|" + " --- |" * len(heads)]
    return "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in rows)])


def _percent(value: float | None) -> str:
    return "-" if value is None else f"{100 * value:.0f}"


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"


def _corpora(found: Mapping[str, Any]) -> str:
    rows = []
    for name, of in found.items():
        facts = of["encoders"]["default"]["facts"]
        cosines = " / ".join(_number(of["encoders"][e]["facts"]["anisotropy"]) for e in ENCODERS)
        rows.append(
            [name, of["kind"], str(of["documents"]), f"{facts['units'] / facts['documents']:.0f}",
             f"{facts['units'] / facts['segments']:.1f}", _percent(facts["singletons"]), _percent(facts["repeats"]), cosines]
        )  # fmt: skip
    heads = [
        "corpus",
        "what",
        "documents",
        "units each",
        "units per segment",
        "one-unit segments %",
        "repeated units %",
    ]
    return _table([*heads, "mean cosine between documents (default / MiniLM)"], rows)


_WORDS = {
    "usable here": "**usable**",
    "only for large differences": "large differences",
    "not usable here": "no",
}


def _verdicts(found: Mapping[str, Any], encoder: str) -> str:
    rows = []
    for metric in METRICS:
        row = [f"`{metric}`"]
        for of in found.values():
            item = of["encoders"][encoder]["metrics"][metric]
            row.append(
                f"{_WORDS[item['verdict']]} ({_percent(item['removal'])} / {_percent(item['random'])})"
            )
        rows.append(row)
    return f"With `{encoder}`:\n\n" + _table(["metric", *found], rows)


def _rows(of: Mapping[str, Any], encoder: str, metric: str) -> Iterator[str]:
    trials = of["encoders"][encoder]["metrics"][metric]["trials"]
    one = of["one"][encoder][metric]

    def at(kind: str, level: float, source: Any = trials) -> str:
        return _percent(
            next((t["ranked_right"] for t in source if t["kind"] == kind and t["level"] == level), None)
        )

    yield at("removal", 0.3)
    yield at("removal", 0.7)
    yield at("splitting", 0.3)
    yield at("splitting", 0.7)
    yield at("transposition", 1, one)
    yield at("transposition", 3, one)
    yield at("transposition", 1)
    yield at("transposition", 3)
    yield at("random", 1.0)


def _noticed(found: Mapping[str, Any], encoder: str) -> str:
    heads = [
        "corpus",
        "metric",
        "removal 30 %",
        "70 %",
        "split 30 %",
        "70 %",
        "one moved by 1",
        "by 3",
        "all moved by 1",
        "by 3",
    ]
    rows = [
        [name, f"`{metric}`", *_rows(of, encoder, metric)] for name, of in found.items() for metric in METRICS
    ]
    return f"With `{encoder}`:\n\n" + _table([*heads, "random places"], rows)


def _correlations(found: Mapping[str, Any]) -> str:
    rows = []
    for metric in METRICS:
        row = [f"`{metric}`"]
        for of in found.values():
            both = [of["encoders"][e]["metrics"][metric]["correlations"]["Pk"]["spearman"] for e in ENCODERS]
            row.append(" / ".join(map(_number, both)))
        rows.append(row)
    return _table(["metric", *found], rows)


def _recommended_table(found: Mapping[str, Any]) -> str:
    rows = []
    for name, of in found.items():
        for encoder in ENCODERS:
            places = of["recommended"][encoder]
            cells = [
                f"{_number(s['BOR'])} / {_number(s['Pk'])} / {_number(s['W-F1'])}" for s in places.values()
            ]
            rows.append([name, f"`{encoder}`", *cells])
    return _table(["corpus", "encoder", "best by Pk", *(f"`{m}`" for m in SWEPT)], rows)


_SHOWN = ("ARPpair", "Silhouette", "SegReFree", "SegReFree(singletons='mean')")
_COLOURS = ("#0072B2", "#009E73", "#D55E00", "#CC79A7")


def _figures(found: Mapping[str, Any]) -> dict[str, str]:
    from caesura.reports.figures.base import render_figure

    return {
        f"figures/validity-{kind}.svg": render_figure(_figure(found, kind, title), "svg").decode()
        for kind, title in (
            ("removal", "share of boundaries removed"),
            ("transposition", "all boundaries moved by, units"),
        )
    }


def _figure(found: Mapping[str, Any], kind: str, title: str) -> dict[str, Any]:
    values = [
        {
            "corpus": name,
            "encoder": encoder,
            "metric": metric,
            "level": t["level"],
            "share": 100 * t["ranked_right"],
        }
        for name, of in found.items()
        for encoder in ENCODERS
        for metric in _SHOWN
        for t in of["encoders"][encoder]["metrics"][metric]["trials"]
        if t["kind"] == kind and t["ranked_right"] is not None and t["documents"] >= of["documents"] / 2
    ]
    return {
        "$schema": "https://vega.github.io/schema/vega-lite/v5.json",
        "data": {"values": values},
        "facet": {
            "column": {"field": "corpus", "sort": list(found), "title": None, "header": {"labelFontSize": 13}},
            "row": {"field": "encoder", "sort": list(ENCODERS), "title": None, "header": {"labelFontSize": 13}},
        },
        "spec": {
            "width": 170,
            "height": 150,
            "layer": [
                {"data": {"values": [{"y": 85}]}, "mark": {"type": "rule", "strokeDash": [4, 3], "color": "#888"},
                 "encoding": {"y": {"field": "y", "type": "quantitative"}}},
                {"data": {"values": [{"y": 50}]}, "mark": {"type": "rule", "color": "#bbb"},
                 "encoding": {"y": {"field": "y", "type": "quantitative"}}},
                {
                    "mark": {"type": "line", "point": {"size": 45}},
                    "encoding": {
                        "x": {"field": "level", "type": "quantitative", "title": title,
                              "axis": {"format": "%" if kind == "removal" else "d", "tickCount": 5}},
                        "y": {"field": "share", "type": "quantitative", "title": "gold better, %",
                              "scale": {"domain": [0, 100]}},
                        "color": {"field": "metric", "type": "nominal", "sort": list(_SHOWN), "title": None,
                                  "scale": {"domain": list(_SHOWN), "range": list(_COLOURS)}, "legend": {"orient": "top"}},
                        "shape": {"field": "metric", "type": "nominal", "sort": list(_SHOWN), "title": None,
                                  "scale": {"domain": list(_SHOWN)}, "legend": {"orient": "top"}},
                    },
                },
            ],
        },
        "config": {"background": "white", "font": "sans-serif", "axis": {"gridColor": "#eee"}, "view": {"stroke": "#bbb"}},
    }  # fmt: skip


def main() -> None:
    """Run or write the page."""
    what = sys.argv[1:] or ["page"]
    if what == ["run"]:
        run()
    if what in (["run"], ["page"]):
        for name, text in {"validity.md": page(), **figures()}.items():
            path = DOCS / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return
    raise SystemExit("usage: python -m scripts.validity [run|page]")


if __name__ == "__main__":
    main()
