# SPDX-License-Identifier: Apache-2.0
"""Figures as files: the specification that a question's folder makes of results, rendered as SVG, PNG, PDF or an offline page.

The specification is plain data (Vega-Lite), so it needs no charting library; vl-convert, a package without dependencies, renders it.
Names of systems are data in it, never fields, expressions or markup.
"""

from __future__ import annotations

import functools
import html
import importlib
import importlib.util
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import msgspec

from caesura.errors import ComparabilityError, FormatError, MissingExtraError
from caesura.results import Results
from caesura.results.panels import Spec
from caesura.table import Column, Table

__all__ = ["KINDS", "draw", "figure_data", "figure_kind", "render_figure", "specification_of"]

KINDS = ("svg", "png", "pdf", "html", "json")
"""The suffixes of figure files."""
_VERSION = "5.20"
_SCALE = 2.0  # pixels per point, so that a PNG is sharp on paper
_PAGE = """\
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval'; \
style-src 'unsafe-inline'; img-src data: blob:">
<title>{title}</title>
<style>body {{ margin: 1.5rem; font-family: sans-serif; }}</style>
</head>
<body>
<div id="figure" role="img" aria-label="{title}"></div>
<script type="application/json" id="specification">{specification}</script>
<script>{script}</script>
</body>
</html>
"""
_SNIPPET = """
const specification = JSON.parse(document.getElementById("specification").textContent);
vegaEmbed(document.getElementById("figure"), specification,
  {renderer: "svg", actions: {export: true, source: false, compiled: false, editor: false}});
"""
_FILES = {"compare": "evaluate", "gate": "evaluate", "cohesion": "evaluate"}


def specification_of(results: Results) -> dict[str, Any]:
    """Return the figure of results as a Vega-Lite specification; raise if there is nothing to draw for their question."""
    name = _FILES.get(results.question, results.question)
    file = f"caesura.results.{name}.figure"
    if importlib.util.find_spec(file) is None:
        raise ComparabilityError(f"results of {results.question!r} have no figure; see caesura report")
    made: dict[str, Any] = importlib.import_module(file).figure(results)
    return made


def draw(results: Results, path: str | Path) -> bytes:
    """Return the figure of results, in the format given by the suffix of a file name."""
    specification = specification_of(results)
    return render_figure(specification, figure_kind(path), title=specification["title"]["text"])


def figure_data(specification: Spec) -> Table:
    """Return one row per point, line or bar of a figure, with the title of its panel.

    >>> figure_data({"title": "a", "data": {"values": [{"x": 1}, {"y": 2}]}, "mark": "point"}).rows
    [['a', 1, None], ['a', None, 2]]
    """
    rows = list(_rows(specification, "", set()))
    names = list(dict.fromkeys(name for _, row in rows for name in row))
    columns = [Column("panel"), *map(Column, names)]
    return Table(columns, [[panel, *(row.get(name) for name in names)] for panel, row in rows])


def _rows(part: Spec, panel: str, seen: set[int]) -> Iterator[tuple[str, Spec]]:
    """Yield the rows of a view and of the views inside it, each list of rows once."""
    title = part.get("title")
    panel = title["text"] if isinstance(title, dict) else title or panel
    values = part.get("data", {}).get("values", [])
    if id(values) not in seen:
        seen.add(id(values))
        yield from ((str(panel), row) for row in values)
    for kind in ("concat", "hconcat", "vconcat", "layer"):
        for inner in part.get(kind, []):
            yield from _rows(inner, panel, seen)


def figure_kind(path: str | Path) -> str:
    """Return the kind of figure that a path names; raise if it is unknown, or if the package that draws is missing.

    >>> figure_kind("curves.json")
    'json'
    """
    kind = Path(path).suffix.lower().removeprefix(".")
    if kind not in KINDS:
        raise FormatError(f"is not a figure; end its name in .{', .'.join(KINDS)}", path)
    if kind != "json":
        _vl_convert()
    return kind


def render_figure(
    specification: Mapping[str, Any], kind: str, *, title: str = "Caesura", scale: float = _SCALE
) -> bytes:
    """Draw a Vega-Lite specification that has its data inside, as one of the `KINDS`.

    ``html`` is one page of this title with all its JavaScript, ``json`` the specification itself; a PNG has ``scale`` pixels
    per point.
    """
    text = msgspec.json.encode(specification).decode()
    if kind == "json":
        return msgspec.json.format(text.encode(), indent=2) + b"\n"
    vl_convert = _vl_convert()
    # No network access: a figure contains its data.
    options: dict[str, Any] = {"vl_version": _VERSION, "allowed_base_urls": []}
    if kind == "svg":
        return str(vl_convert.vegalite_to_svg(text, **options)).encode()
    if kind == "png":
        return bytes(vl_convert.vegalite_to_png(text, scale=scale, **options))
    if kind == "pdf":
        return bytes(vl_convert.vegalite_to_pdf(text, **options))
    if kind != "html":
        raise FormatError(f"{kind!r} is not a kind of figure; choose from {', '.join(KINDS)}")
    script = _bundle()
    # Inside <script>, HTML escapes do not apply: JSON escapes keep names from ending the element.
    for sign in "<>&\u2028\u2029":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    page = _PAGE.format(title=html.escape(title), specification=text, script=script.replace("</script", "<\\/script"))
    return page.encode()


@functools.cache
def _bundle() -> str:
    """Return the JavaScript of a page, cached since it takes seconds to build and is the same for every figure."""
    return str(_vl_convert().javascript_bundle(_SNIPPET, vl_version=_VERSION))


def _vl_convert() -> ModuleType:
    try:
        import vl_convert  # type: ignore[import-not-found, unused-ignore]
    except ImportError:
        raise MissingExtraError("drawing a figure", "report") from None
    return vl_convert
