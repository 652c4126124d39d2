# SPDX-License-Identifier: Apache-2.0
"""The page about placement, and the run that measures its numbers.

``python -m studies.placement.study run FOLDER`` scores gold and six damages of it on fourteen corpora (found through ``CAESURA_DATA``)
with the included encoder and with MiniLM (a folder of its weights), and writes ``studies/placement/numbers.json``; ``page`` makes
``docs/placement.md`` and its figure from that file and ``studies/validity/numbers.json``.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec
import numpy as np

from caesura.results.validate.facts import DAMAGES
from studies.placement import beyond, support
from studies.placement.variants import RANKED, Ranks, Shares, noticed, parts, ranking
from studies.validity import study as validity

DOCS = Path(__file__).resolve().parents[2] / "docs"
DATA = Path(__file__).with_name("numbers.json")
LONG = ("QMSum", "TinyRec", "Wiki-300")
"""Corpora on which MiniLM was left out because it takes long; Portuguese is left out because it does not know it."""
MINILM = ("vectors", "MiniLM", "4 letters", "vectors + 4 letters", "MiniLM + 4 letters")
FRESH = ("vectors", "4 letters", "vectors + 4 letters")
CONFIRMED = ("vectors", "whole words", "4 letters", "vectors + whole words", "vectors + 4 letters")


class Numbers(msgspec.Struct, forbid_unknown_fields=True):
    """What was measured: earlier, with two draws on the halves of fewer documents; and now; and one document's rotations."""

    choose: Shares
    confirm: Shares
    example: list[float]
    seen: Shares = {}
    fresh: Shares = {}
    ranks: Ranks = {}


def _numbers() -> Numbers:
    return msgspec.json.decode(DATA.read_bytes(), type=Numbers)


def example() -> list[float]:
    """Return what one reader's boundaries of a chapter explain of the scatter, after each rotation."""
    import caesura as cz
    from caesura.datasets.bundled import bundled
    from caesura.encoders import embed
    from caesura.metrics.cohesion._likeness import VectorLikeness
    from caesura.metrics.cohesion._rotations import shifts, totals

    chapter = next(iter(bundled("moonstone")))
    vectors = embed(cz.Corpus([chapter]), "default")[chapter.id]
    likeness = VectorLikeness(vectors, distinct=True)
    reader = next(iter(chapter.annotations.values()))
    found = totals(likeness, chapter.n_units, reader.positions, shifts(chapter.n_units, 1000)) / likeness.whole
    return [round(value, 6) for value in found.tolist()]


def run(minilm: str) -> None:
    """Measure both parts of every corpus, and write the numbers; what was explored earlier stays as it is."""
    found = _numbers()
    found.seen, found.fresh, found.ranks, found.example = {}, {}, {}, example()
    for name in validity.CORPORA:
        seen, fresh = parts(name)
        model = {} if name in LONG or name.startswith("WikiSection") else {"MiniLM": f"numpy:{minilm}"}
        found.seen[name] = noticed(seen, {"vectors": "default"} | model)
        if len(fresh) >= 10:
            found.fresh[name] = noticed(fresh, {"vectors": "default"})
        found.ranks[name] = ranking(seen)
        DATA.write_bytes(msgspec.json.encode(found) + b"\n")
        print(name, len(seen), len(fresh), flush=True)


# ---------------------------------------------------------------------- the page


def page() -> str:
    """Return the page, from the numbers."""
    found = _numbers()
    text = Path(__file__).with_name("page.md").read_text()
    values = np.array(found.example)
    facts = {
        "z": f"{(values[0] - values.mean()) / values.std():.1f}",
        "explained": f"{100 * values[0]:.1f}",
        "expected": f"{100 * values.mean():.1f}",
        "beaten": f"{100 * np.mean(values < values[0]):.0f}",
    }
    facts |= {
        "alone": f"{_worst_by_corpus(found, 'vectors'):.1f}",
        "both": f"{_worst_by_corpus(found, 'vectors + 4 letters'):.1f}",
    }
    tables = {
        "choose": _variants(found.choose, None),
        "confirm": _variants(found.confirm, CONFIRMED),
        "seen": _variants(found.seen, [name for name in _known(found.seen) if "MiniLM" not in name]),
        "minilm": _variants({c: of for c, of in found.seen.items() if "MiniLM" in of}, MINILM),
        "fresh": _variants(found.fresh, (*FRESH, "vectors + 4 letters, against random places")),
        "ranks": _ranks(found.ranks),
        "corpora": _corpora(found),
        "damages": validity.means_table(),
        "support": support.summary(),
        "support-corpora": support.corpora(),
        "support-ranks": support.rankings(),
        "people": beyond.people(),
        "tried": beyond.tried(),
    }
    for name, table in {**tables, **facts, **support.facts()}.items():
        text = text.replace(f"<!-- {name} -->", table)
    return "<!-- Written by `python -m studies.placement.study page`; edit the template and the script. -->\n" + text


def figures() -> dict[str, str]:
    """Return the figure: path below ``docs`` to text."""
    from caesura.reports.figures import render_figure

    found = _numbers()
    values = [{"shift": shift, "explained": 100 * value} for shift, value in enumerate(found.example)]
    x = {"field": "shift", "type": "quantitative", "title": "all boundaries moved on by, gaps"}
    y = {"field": "explained", "type": "quantitative", "title": "scatter explained, %"}
    specification = {
        "$schema": "https://vega.github.io/schema/vega-lite/v5.json",
        "width": 560,
        "height": 180,
        "layer": [
            {"data": {"values": values}, "mark": {"type": "line", "color": "#888"}, "encoding": {"x": x, "y": y}},
            {"data": {"values": values[:1]}, "mark": {"type": "point", "filled": True, "size": 90, "color": "#D55E00"},
             "encoding": {"x": x, "y": y}},
        ],
        "config": {"background": "white", "font": "sans-serif", "axis": {"gridColor": "#eee"}, "view": {"stroke": "#bbb"}},
    }  # fmt: skip
    return {"rotations.svg": render_figure(specification, "svg").decode()}


def _of(shares: Shares, variant: str) -> Iterator[list[float]]:
    """Yield the shares of a variant on each corpus, one for each damage that could be judged."""
    for of in shares.values():
        if variant in of:
            yield [share for share, _ in of[variant].values()]


def _known(shares: Shares) -> list[str]:
    return list(dict.fromkeys(name for of in shares.values() for name in of))


def _ranks(ranks: Ranks) -> str:
    """Return the mean over corpora of the rank correlations, and the worst corpus."""
    rows = []
    for name in RANKED:
        each = np.array([of[name] for of in ranks.values()])
        rows.append([f"`{name}`", *(f"{value:.2f}" for value in each.mean(axis=0)), f"{each.mean(axis=1).min():.2f}"])
    return validity.table(["metric", "with Pk", "with B", "with W-F1", "mean of the three, worst corpus"], rows)


def _variants(shares: Shares, names: Sequence[str] | None) -> str:
    rows = []
    for name in _known(shares) if names is None else names:
        each = list(_of(shares, name))
        worst, mean = np.mean([min(s) for s in each]), np.mean([np.mean(s) for s in each])
        rows.append([name, f"{100 * worst:.1f}", f"{100 * mean:.1f}", str(len(each))])
    return validity.table(["variant", "worst of the six", "mean of the six", "corpora"], rows)


def _all_documents(found: Numbers, corpus: str, variant: str) -> list[float]:
    """Return the percentage for each damage over both parts of a corpus."""
    both = [part[corpus][variant] for part in (found.seen, found.fresh) if variant in part.get(corpus, {})]
    shares = []
    for kind in DAMAGES:
        here = [of[kind] for of in both if kind in of]
        shares.append(100 * sum(s * n for s, n in here) / sum(n for _, n in here))
    return shares


def _worst_by_corpus(found: Numbers, variant: str) -> float:
    return float(np.mean([min(_all_documents(found, corpus, variant)) for corpus in found.seen]))


def _corpora(found: Numbers) -> str:
    """Return the six damages and the worst of them on all documents, by corpus."""
    rows = []
    for corpus in found.seen:
        each = [_all_documents(found, corpus, name) for name in FRESH]
        rows.append([corpus, *(f"{' '.join(f'{x:.0f}' for x in shares)} (**{min(shares):.0f}**)" for shares in each)])
    return validity.table(["corpus", *FRESH], rows)


def main() -> None:
    """Run or write the page."""
    what = sys.argv[1:] or ["page"]
    if what != ["page"] and (what[0] != "run" or len(what) != 2):
        raise SystemExit("usage: python -m studies.placement.study [page | run FOLDER_OF_MINILM]")
    if what[0] == "run":
        run(what[1])
    (DOCS / "placement.md").write_text(page())
    for name, text in figures().items():
        Path(__file__).with_name(name).write_text(text)


if __name__ == "__main__":
    main()
