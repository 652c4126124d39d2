# SPDX-License-Identifier: Apache-2.0
"""Chroma's chunking benchmark: the numbers that are shipped, and the page about it.

``python -m studies.chroma.study numbers`` cuts the five texts (found through ``CAESURA_DATA``) with the chunkers of the table and with
token clocks of the same mean lengths, and writes ``spans.npz``, which holds positions only. It needs tiktoken and the ranks of
cl100k_base, which are in the wheel of litellm: set ``TIKTOKEN_CACHE_DIR`` to ``litellm/litellm_core_utils/tokenizers``.
``python -m studies.chroma.study page`` makes ``docs/chroma.md`` and its figure from the reproduction.
"""

from __future__ import annotations

import functools
import math
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from caesura.results.reproduce.facts import Cell
from caesura_reproductions.paper_chroma2024 import _omega
from caesura_reproductions.paper_chroma2024.density import BASE
from caesura_reproductions.run import reproduce
from studies import corpora_folder

DOCS = Path(__file__).resolve().parents[2] / "docs"
FIGURE = Path(__file__).with_name("density.svg")
NUMBERS = Path(_omega.__file__).with_name("spans.npz")
SEPARATORS = ("\n\n", "\n", ".", "?", "!", " ", "")
PRINTED_TOKENS = {"Kamradt": 660, "KamradtMod": 397, "Cluster 400": 182, "Cluster 200": 103, "LLM GPT-4o": 240}
TEMPLATE = Path(__file__).with_name("page.md")

Length = Callable[[str], int]


# ---------------------------------------------------------------------- the chunkers of the table


def recursive(text: str, separators: Sequence[str], size: int, overlap: int, length: Length) -> list[str]:
    """Cut a text at the first separator that it has, join short pieces, and cut long ones at the next separators."""
    place = next(number for number, separator in enumerate(separators) if separator in text)
    rest = separators[place + 1 :] if separators[place] else ()
    chunks: list[str] = []
    short: list[str] = []
    for piece in _pieces(text, separators[place]):
        if length(piece) < size:
            short.append(piece)
            continue
        chunks += _joined(short, size, overlap, length)
        short = []
        chunks += recursive(piece, rest, size, overlap, length) if rest else [piece]
    return chunks + _joined(short, size, overlap, length)


def _pieces(text: str, separator: str) -> list[str]:
    """Return the pieces of a text, each but the first with its separator in front."""
    if not separator:
        return list(text)
    first, *others = text.split(separator)
    return [piece for piece in (first, *(separator + other for other in others)) if piece]


def _joined(pieces: Sequence[str], size: int, overlap: int, length: Length) -> list[str]:
    """Join neighbouring pieces as long as they fit; the last ones of a chunk begin the next, up to the overlap."""
    chunks: list[str] = []
    held: list[str] = []
    total = 0
    for piece in pieces:
        own = length(piece)
        if held and total + own > size:
            chunks.append("".join(held).strip())
            while total > overlap or (total and total + own > size):
                total -= length(held.pop(0))
        held.append(piece)
        total += own
    chunks.append("".join(held).strip())
    return [chunk for chunk in chunks if chunk]


def by_tokens(ids: Sequence[int], size: int, overlap: int, decode: Callable[[list[int]], str]) -> Iterator[str]:
    """Yield so many tokens at a time; each chunk begins with the last tokens of the one before."""
    start = 0
    while True:
        yield decode(list(ids[start : start + size]))
        if start + size >= len(ids):
            return
        start += size - overlap


def located(text: str, chunk: str) -> tuple[int, int]:
    """Return where the benchmark finds a chunk: its first occurrence without a final full stop, or else that of its words."""
    wanted = chunk.removesuffix(".")
    start = text.find(wanted)
    if start >= 0:
        return start, start + len(wanted)
    words = re.search(r"\s*".join(map(re.escape, wanted.split())), text, re.IGNORECASE)
    if words is None:
        raise LookupError(chunk)
    return words.start(), words.end()


def numbers() -> dict[str, np.ndarray]:
    """Return the positions of spans and chunks."""
    import tiktoken

    from caesura.datasets.corpora.chroma import corpus_text, questions

    encoding = tiktoken.get_encoding("cl100k_base")
    folder = corpora_folder() / "chroma"
    asked = questions(folder)
    names = list(dict.fromkeys(question.corpus for question in asked))
    texts = [corpus_text(folder, name) for name in names]
    encoded = [encoding.encode(text, disallowed_special=()) for text in texts]
    length = functools.cache(lambda text: len(encoding.encode(text, disallowed_special=())))
    found: dict[str, Any] = {
        "questions": [
            (number, names.index(question.corpus), start, end - start)
            for number, question in enumerate(asked)
            for start, end in question.spans
        ]
    }
    means: dict[str, float] = {}

    def keep(name: str, chunks: list[list[str]]) -> None:
        places = [(n, *located(texts[n], chunk)) for n, own in enumerate(chunks) for chunk in own]
        found[f"chunks of {name}"] = [(n, start, end - start) for n, start, end in places]
        means[name] = float(np.mean([length(chunk) for own in chunks for chunk in own]))

    def tokens(size: int, overlap: int) -> list[list[str]]:
        return [list(by_tokens(ids, size, overlap, encoding.decode)) for ids in encoded]

    def clock_length(size: int) -> float:
        """Return the mean length of the chunks of a clock, whose last ones are shorter."""
        return sum(map(len, encoded)) / sum(math.ceil(len(ids) / size) for ids in encoded)

    for chunker in _omega.CHUNKERS:
        kind, sizes = chunker.split()
        size, overlap = map(int, sizes.split("/"))
        cut = (
            tokens(size, overlap)
            if kind == "Token"
            else [recursive(text, SEPARATORS, size, overlap, length) for text in texts]
        )
        keep(chunker, cut)
    for chunker, mean in {**means, **PRINTED_TOKENS}.items():
        # All chunks of a token chunker but the last of each text have its size.
        own = [int(chunker.split()[1].partition("/")[0])] if chunker.startswith("Token") else range(20, 2000)
        size = min(own, key=lambda n: (abs(clock_length(n) - mean), n))
        found[f"{_omega.NEAREST}{chunker}"] = f"Token {size}/0"
        if f"chunks of Token {size}/0" not in found:
            keep(f"Token {size}/0", tokens(size, 0))
    found |= {f"tokens of {name}": mean for name, mean in {**means, **PRINTED_TOKENS}.items()}
    return {name: np.array(value, dtype=np.int32 if isinstance(value, list) else None) for name, value in found.items()}


# ---------------------------------------------------------------------- the page


def page() -> str:
    """Return the page, every number of it from the reproduction, or stored by the study of retrieval."""
    from studies.chroma import retrieval  # which imports this module

    cells = {(c.item, c.row, c.column): c for c in reproduce("chroma2024").cells}
    text = TEMPLATE.read_text(encoding="utf-8")
    parts = {"PRINTED": _printed_table(cells), "DENSITY": _density_table(cells), "FINDINGS": _findings(cells)}
    parts |= retrieval.sections(retrieval.read())
    for name, part in parts.items():
        text = text.replace(f"<!-- {name} -->", part)
    return text


def _number(cell: Cell) -> float:
    assert isinstance(cell.ours, float), cell
    return cell.ours


def _printed_table(cells: dict[Any, Cell]) -> str:
    lines = ["| chunker | printed | ours | status |", "| --- | ---: | ---: | --- |"]
    for chunker in _omega.CHUNKERS:
        mean, std = cells["T1", chunker, "mean"], cells["T1", chunker, "std"]
        status = "exact" if {mean.status, std.status} == {"exact"} else "different"
        lines.append(
            f"| {chunker} | {mean.printed} ± {std.printed} | {_number(mean):.3f} ± {_number(std):.3f} | {status} |"
        )
    return "\n".join(lines)


def _density_table(cells: dict[Any, Cell]) -> str:
    lines = [
        f"| chunker | mean tokens | Precision_Omega | clock | above the clock | lead over {BASE} | of it density |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for chunker in (*_omega.CHUNKERS, *_omega.PRINTED_ONLY):
        own = cells["T1", chunker, "mean"]
        score = float(own.printed or 0) if own.ours is None else _number(own)
        row = [
            chunker + ("" if own.ours is not None else " (printed)"),
            f"{_number(cells['Density', chunker, 'mean tokens']):.0f}",
        ]
        row += [f"{score:.1f}", f"{_number(cells['Density', chunker, 'clock']):.1f}"]
        for column in ("above the clock", f"lead over {BASE}", "of it density"):
            row.append(_with_interval(cells, chunker, column))
        lines.append(f"| {' | '.join(row)} |")
    return "\n".join(lines)


def _with_interval(cells: dict[Any, Cell], row: str, column: str) -> str:
    if ("Density", row, column) not in cells:
        return ""
    value = f"{_number(cells['Density', row, column]):+.1f}"
    if ("Density", row, f"{column}, low") not in cells:
        return value
    low, high = (_number(cells["Density", row, f"{column}, {end}"]) for end in ("low", "high"))
    return f"{value} [{low:+.1f}, {high:+.1f}]"


def _findings(cells: dict[Any, Cell]) -> str:
    """Return sentences that follow from the numbers."""
    better, worse, neither = [], [], []
    for chunker in _omega.CHUNKERS:
        if ("Density", chunker, "above the clock, p") in cells:
            known = _number(cells["Density", chunker, "above the clock, p"]) < 0.05
            above = _number(cells["Density", chunker, "above the clock"]) > 0
            (neither if not known else better if above else worse).append(chunker)
    sentences = []
    if better:
        sentences.append(f"Above their clocks (p < 0.05 after Holm's correction): {', '.join(better)}.")
    if worse:
        sentences.append(f"Below their clocks: {', '.join(worse)}.")
    if neither:
        sentences.append(f"Not shown to differ from their clocks: {', '.join(neither)}.")
    best = max(_omega.CHUNKERS, key=lambda name: _number(cells["T1", name, "mean"]))
    lead = _number(cells["Density", best, f"lead over {BASE}"])
    part = _number(cells["Density", best, "of it density"])
    sentences.append(
        f"Of the {lead:.1f} points by which {best} leads {BASE}, {part:.1f} are density: a clock with chunks as short has them too."
    )
    below = [name for name in _omega.PRINTED_ONLY if _number(cells["Density", name, "above the clock"]) < 0]
    sentences.append(
        f"Of the {len(_omega.PRINTED_ONLY)} chunkers with a model, the printed score of {', '.join(below)} is below the score of "
        "the clock; their chunks were not released, so there is no interval."
    )
    near, other = "KamradtMod", BASE
    sentences.append(
        f"A clock is one placement among many: the one of about {_number(cells['Density', near, 'mean tokens']):.0f} tokens has "
        f"{_number(cells['Density', near, 'clock']):.1f}, that of 400 has {_number(cells['Density', other, 'clock']):.1f}. The intervals "
        "over questions do not contain this."
    )
    return "\n".join(f"- {sentence}" for sentence in sentences)


def figure() -> bytes:
    """Draw score over length: the clocks as a line, the chunkers as points."""
    from caesura.reports.figures import render_figure
    from caesura.results.panels import VEGA_LITE

    cells = {(c.item, c.row, c.column): c for c in reproduce("chroma2024").cells}
    points = []
    for chunker in (*_omega.CHUNKERS, *_omega.PRINTED_ONLY):
        own = cells["T1", chunker, "mean"]
        score = float(own.printed or 0) if own.ours is None else _number(own)
        kind = (
            "printed only"
            if own.ours is None
            else chunker.split()[0].lower() + (", overlap" if not chunker.endswith("/0") else "")
        )
        points.append(
            {
                "name": chunker,
                "tokens": _number(cells["Density", chunker, "mean tokens"]),
                "score": score,
                "kind": kind,
                "left": own.ours is None and score < _number(cells["Density", chunker, "clock"]),
            }
        )
    line = sorted(
        {
            (_number(cells["Density", name, "mean tokens"]), _number(cells["Density", name, "clock"]))
            for name in (*_omega.CHUNKERS, *_omega.PRINTED_ONLY)
        }
    )
    x = {
        "field": "tokens",
        "type": "quantitative",
        "scale": {"type": "log", "domain": [75, 1100]},
        "axis": {"title": "mean tokens per chunk", "values": [100, 200, 300, 400, 600, 800]},
    }
    y = {"field": "score", "type": "quantitative", "axis": {"title": "Precision_Omega, %"}}
    layers: list[dict[str, Any]] = [
        {
            "data": {"values": [{"tokens": t, "score": s} for t, s in line]},
            "mark": {"type": "line", "color": "#888888", "strokeWidth": 2},
            "encoding": {"x": x, "y": y},
        },
        {
            "data": {"values": points},
            "mark": {"type": "point", "size": 70, "filled": True},
            "encoding": {
                "x": x,
                "y": y,
                "color": {"field": "kind", "type": "nominal", "title": "chunker"},
                "shape": {"field": "kind", "type": "nominal"},
            },
        },
        *(_labels([p for p in points if p["left"] is left], x, y, left) for left in (True, False)),
        {
            "data": {"values": [{"tokens": 128, "score": 28.0, "name": "token clock"}]},
            "mark": {"type": "text", "align": "right", "dx": -6, "dy": 6, "fontSize": 10, "color": "#666666"},
            "encoding": {"x": x, "y": y, "text": {"field": "name", "type": "nominal"}},
        },
    ]
    specification = {"$schema": VEGA_LITE, "width": 560, "height": 340, "layer": layers}
    return render_figure(specification, "svg", title="Chroma's chunkers and token clocks")


def _labels(points: list[dict[str, Any]], x: dict[str, Any], y: dict[str, Any], left: bool) -> dict[str, Any]:
    """Return the names of points, on one side of them so that they do not meet."""
    return {
        "data": {"values": points},
        "mark": {
            "type": "text",
            "align": "right" if left else "left",
            "dx": -8 if left else 8,
            "dy": 0 if left else -4,
            "fontSize": 10,
        },
        "encoding": {"x": x, "y": y, "text": {"field": "name", "type": "nominal"}},
    }


def main() -> None:
    """Do what the command line says."""
    if sys.argv[1:] == ["numbers"]:
        np.savez_compressed(NUMBERS, **numbers())
    elif sys.argv[1:] == ["page"]:
        (DOCS / "chroma.md").write_text(page(), encoding="utf-8")
        FIGURE.write_bytes(figure())
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
