# SPDX-License-Identifier: Apache-2.0
"""The picture of the README: one pair of segmentations, and the values of Pk that programs print for it."""

from __future__ import annotations

__all__ = ["four_values"]

_PAIR = {"reference": (6, 3, 4), "hypothesis": (4, 4, 5)}
_LEFT, _UNIT, _TOP = 120, 32, 44
_COLOURS = ("#0969da", "#8ab4f8")


def four_values() -> str:
    """Return the picture as SVG, with the values of now."""
    import caesura as cz

    explanation = cz.explain(*(cz.Segmentation.from_masses(masses) for masses in _PAIR.values()), metrics="Pk")
    printed: dict[str, list[str]] = {}
    for row in explanation.rows:
        if (
            row.convention.startswith(("NLTK", "SuperDialseg", "segeval", "Episodic"))
            and "same k" not in row.convention
        ):
            printed.setdefault(f"{row.outcome.score:.3f}", []).append(row.convention)
    parts = [_text(20, 24, "One pair of segmentations, 13 units", weight="bold")]
    for number, (name, masses) in enumerate(_PAIR.items()):
        y, x = _TOP + 34 * number, _LEFT
        parts.append(_text(20, y + 16, name))
        for place, mass in enumerate(masses):
            parts.append(
                f'<rect x="{x}" y="{y}" width="{mass * _UNIT - 3}" height="22" rx="3" fill="{_COLOURS[place % 2]}"/>'
            )
            x += mass * _UNIT
    y = _TOP + 100
    parts.append(_text(20, y, f"{len(printed)} values of Pk", weight="bold"))
    for number, (value, programs) in enumerate(sorted(printed.items())):
        line = y + 28 + 24 * number
        parts.append(_text(20, line, value, family="monospace"))
        length = float(value) * 300
        parts.append(f'<rect x="84" y="{line - 11}" width="{length:.1f}" height="12" rx="2" fill="{_COLOURS[0]}"/>')
        parts.append(_text(260, line, "; ".join(programs)))
    height = y + 28 + 24 * len(printed)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 560 {height}" width="560" height="{height}" role="img" '
        f'aria-label="{", ".join(sorted(printed))}: Pk of one pair of segmentations">\n'
        f'<rect width="560" height="{height}" rx="6" fill="#ffffff" stroke="#d0d7de"/>\n'
        f"{chr(10).join(parts)}\n</svg>\n"
    )


def _text(x: int, y: int, text: str, weight: str = "normal", family: str = "sans-serif") -> str:
    return f'<text x="{x}" y="{y}" font-family="{family}" font-size="14" font-weight="{weight}" fill="#1f2328">{text}</text>'
