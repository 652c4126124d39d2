# SPDX-License-Identifier: Apache-2.0
"""Variants of placement, chosen on half of the documents and confirmed on the other half, and the page about placement.

``python -m scripts.placement run`` scores gold and six damages of it on fourteen corpora (found through ``CAESURA_DATA``) and
writes ``docs/placement.json``; ``page`` makes ``docs/placement.md`` and its figure from that file and ``docs/validity.json``.
"""

from __future__ import annotations

import os
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any
from unittest import mock

import msgspec
import numpy as np

from caesura.results.validity import DAMAGES
from scripts import validity

DOCS = Path(__file__).resolve().parent.parent / "docs"
DATA = DOCS / "placement.json"
CONFIRMED = ("vectors", "whole words", "4 letters", "vectors + whole words", "vectors + 4 letters")
_WORD = re.compile(r"[^\W\d_]+")

Tokens = Callable[[str], list[str]]
Shares = dict[str, dict[str, dict[str, tuple[float, int]]]]
"""Corpus to variant to damage: share of documents in which gold is better, and their number."""


class Numbers(msgspec.Struct, forbid_unknown_fields=True):
    """What was measured: on the half to choose by and on the other half; and T of one document after each rotation."""

    choose: Shares
    confirm: Shares
    example: list[float]


# ---------------------------------------------------------------------- what is tried


def letters(number: int, shortest: int = 1) -> Tokens:
    """Return every so many letters in a row of each word; words of fewer than ``shortest`` letters are left out."""

    def tokens(text: str) -> list[str]:
        words = (word for word in _WORD.findall(text.casefold()) if len(word) >= shortest)
        return [word[i : i + number] for word in words for i in range(max(1, len(word) - number + 1))]

    return tokens


def first(number: int, shortest: int = 1) -> Tokens:
    """Return the first letters of each word, a crude stem."""
    return lambda text: [word[:number] for word in _WORD.findall(text.casefold()) if len(word) >= shortest]


WORDS: dict[str, tuple[Tokens, float, float | None]] = {
    "whole words": (first(99), 0.1, None),
    "words in at most 20 % of units": (first(99), 0.1, 0.2),
    "first 5 letters": (first(5), 0.1, None),
    "first 5 letters, words of 4 or more": (first(5, 4), 0.1, None),
    "3 letters": (letters(3), 0.1, None),
    "4 letters": (letters(4), 0.1, None),
    "5 letters": (letters(5), 0.1, None),
    "4 letters, words of 4 or more": (letters(4, 4), 0.1, None),
    "4 letters, alpha 0.02": (letters(4), 0.02, None),
    "4 letters, alpha 0.3": (letters(4), 0.3, None),
    "4 letters, alpha 1": (letters(4), 1.0, None),
}
"""Tokens, alpha, and the greatest share of units that a word may occur in."""


def likeness_of_words(texts: Sequence[str], tokens: Tokens, alpha: float, most: float | None) -> Any:
    """Return the likeness of words, counted in another way than the metric does."""
    from caesura.metrics.cohesion import _words

    units = [tokens(text) for text in texts]
    if most is not None:
        found = Counter(word for unit in units for word in set(unit))
        units = [[word for word in unit if found[word] <= max(2, most * len(units))] for unit in units]
    with mock.patch.object(_words, "_ALPHA", alpha), mock.patch.object(_words, "words_of", lambda unit: unit):
        return _words.WordLikeness(units)  # type: ignore[arg-type]


def scores(parts: dict[str, Any], n_units: int, boundaries: Any) -> dict[str, float]:
    """Return z of each variant, of its sum with the vectors, and of that sum standardized again."""
    from caesura.metrics.cohesion._rotations import shifts, standardized, totals

    if not 0 < len(boundaries) < n_units - 1:
        return {}
    by = shifts(n_units, 1000)
    z = {name: standardized(totals(p, n_units, boundaries, by), p.whole) for name, p in parts.items()}
    found = {name: float(values[0]) for name, values in z.items()}
    for name in [name for name in z if name in WORDS]:
        both = z["vectors"] + z[name]
        found[f"vectors + {name}"] = float(both[0])
        found[f"vectors + {name}, standardized again"] = float(standardized(both, 1.0)[0])
    return found


def measure(file: str, number: int, half: int) -> dict[str, dict[str, tuple[float, int]]]:
    """Return the shares on every second document of a corpus."""
    import caesura as cz
    from caesura.batches.embedded import Embedded
    from caesura.encoders import embed
    from caesura.evaluation.validity.trials import do_damage, trials
    from caesura.metrics.cohesion._likeness import VectorLikeness

    corpus = cz.load(Path(os.environ["CAESURA_DATA"]) / file)
    corpus = corpus.subset(corpus.ids[:number])
    ids = [d.id for d in corpus if d.segmentation is not None and d.segmentation.n_boundaries][half::2]
    corpus = corpus.subset(ids)
    vectors = embed(corpus, "default")
    batch = Embedded.of({d.id: d.segmentation for d in corpus if d.segmentation is not None}, vectors)
    planned = [trial for trial in trials([0.3], []) if trial.kind in DAMAGES]
    damages = {trial.kind: list(do_damage(batch, trial, 2, 0)) for trial in planned}
    wins: dict[str, dict[str, list[float]]] = {}
    for row, document in enumerate(corpus):
        gold, texts = batch.segmentation(row).positions, document.units or ()
        wide = vectors[document.id].astype(np.float64)
        centred = wide - wide.mean(axis=0)
        lengths = np.linalg.norm(centred, axis=1, keepdims=True)
        parts: dict[str, Any] = {
            "vectors": VectorLikeness(wide, shared=True),
            "centred vectors of length 1": VectorLikeness(
                centred / np.where(lengths == 0, 1, lengths), shared=True
            ),
        }
        parts |= {name: likeness_of_words(texts, *how) for name, how in WORDS.items()}
        own = scores(parts, document.n_units, gold)
        for kind, runs in damages.items():
            others = [
                run.flat.pos[run.flat.ptr[row] : run.flat.ptr[row + 1]] for run in runs if run.changed[row]
            ]
            there = [scores(parts, document.n_units, other) for other in others]
            for name, value in own.items() if there else ():
                beaten = [_better(value, other.get(name, 0.0)) for other in there]
                wins.setdefault(name, {}).setdefault(kind, []).append(float(np.mean(beaten)))
    return {n: {k: (float(np.mean(v)), len(v)) for k, v in of.items()} for n, of in wins.items()}


def _better(first_: float, second: float) -> float:
    return 0.5 if abs(first_ - second) < 1e-9 else float(first_ > second)


def example() -> list[float]:
    """Return what one reader's boundaries of a chapter explain of the scatter, after each rotation."""
    import caesura as cz
    from caesura.datasets.bundled import bundled
    from caesura.encoders import embed
    from caesura.metrics.cohesion._likeness import VectorLikeness
    from caesura.metrics.cohesion._rotations import shifts, totals

    chapter = next(iter(bundled("moonstone")))
    vectors = embed(cz.Corpus([chapter]), "default")[chapter.id]
    likeness = VectorLikeness(vectors)
    reader = next(iter(chapter.annotations.values()))
    found = (
        totals(likeness, chapter.n_units, reader.positions, shifts(chapter.n_units, 1000)) / likeness.whole
    )
    return [round(value, 6) for value in found.tolist()]


def run() -> None:
    """Measure both halves, and write the numbers."""
    halves: list[Shares] = [{}, {}]
    for half in (0, 1):
        for name, (file, _, number) in validity.CORPORA.items():
            halves[half][name] = measure(file, number, half)
            print(half, name, flush=True)
    DATA.write_bytes(msgspec.json.format(msgspec.json.encode(Numbers(*halves, example())), indent=1) + b"\n")


# ---------------------------------------------------------------------- the page


def page() -> str:
    """Return the page, from the numbers."""
    found = msgspec.json.decode(DATA.read_bytes(), type=Numbers)
    text = Path(__file__).with_name("placement_page.md").read_text()
    values = np.array(found.example)
    facts = {
        "z": f"{(values[0] - values.mean()) / values.std():.1f}",
        "explained": f"{100 * values[0]:.1f}",
        "expected": f"{100 * values.mean():.1f}",
        "beaten": f"{100 * np.mean(values < values[0]):.0f}",
    }
    tables = {
        "choose": _variants(found.choose, None),
        "confirm": _variants(found.confirm, CONFIRMED),
        "corpora": _corpora(found),
        "damages": validity.means_table(),
    }
    for name, table in {**tables, **facts}.items():
        text = text.replace(f"<!-- {name} -->", table)
    return (
        "<!-- Written by `python -m scripts.placement page`; edit the template and the script. -->\n" + text
    )


def figures() -> dict[str, str]:
    """Return the figure: path below ``docs`` to text."""
    from caesura.reports.figures.base import render_figure

    found = msgspec.json.decode(DATA.read_bytes(), type=Numbers)
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
    return {"figures/placement-rotations.svg": render_figure(specification, "svg").decode()}


def _of(shares: Shares, variant: str) -> Iterator[list[float]]:
    """Yield the shares of a variant on each corpus, one for each damage that could be judged."""
    for of in shares.values():
        if variant in of:
            yield [share for share, _ in of[variant].values()]


def _variants(shares: Shares, names: Sequence[str] | None) -> str:
    known = list(dict.fromkeys(name for of in shares.values() for name in of))
    rows = []
    for name in known if names is None else names:
        each = list(_of(shares, name))
        worst, mean = np.mean([min(s) for s in each]), np.mean([np.mean(s) for s in each])
        rows.append([name, f"{100 * worst:.1f}", f"{100 * mean:.1f}", str(len(each))])
    return validity.table(["variant", "worst of the six", "mean of the six", "corpora"], rows)


def _corpora(found: Numbers) -> str:
    """Return the worst of the six damages on both halves together, by corpus."""
    names = ("vectors", "4 letters", "vectors + 4 letters")
    rows = []
    for corpus in found.confirm:
        cells = []
        for name in names:
            both = [
                half[corpus][name] for half in (found.choose, found.confirm) if name in half.get(corpus, {})
            ]
            shares = []
            for kind in DAMAGES:
                here = [of[kind] for of in both if kind in of]
                shares.append(sum(s * n for s, n in here) / max(1, sum(n for _, n in here)))
            cells.append(
                f"{' '.join(f'{100 * share:.0f}' for share in shares)} (**{100 * min(shares):.0f}**)"
            )
        rows.append([corpus, *cells])
    return validity.table(["corpus", *names], rows)


def main() -> None:
    """Run or write the page."""
    what = sys.argv[1:] or ["page"]
    if what not in (["run"], ["page"]):
        raise SystemExit("usage: python -m scripts.placement [run|page]")
    if what == ["run"]:
        run()
    for name, text in {"placement.md": page(), **figures()}.items():
        (DOCS / name).write_text(text)


if __name__ == "__main__":
    main()
