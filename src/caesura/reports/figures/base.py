# SPDX-License-Identifier: Apache-2.0
"""Figures as files: a Vega-Lite specification rendered as SVG, PNG, PDF or an offline page, or saved as JSON.

The specification is plain data, so it needs no charting library; vl-convert, a package without dependencies, renders it.
Names of systems are data in it, never fields, expressions or markup.
"""

from __future__ import annotations

import functools
import html
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from caesura.errors import FormatError, MissingExtraError

__all__ = ["KINDS", "VEGA_LITE", "figure_kind", "render_figure"]

KINDS = ("svg", "png", "pdf", "html", "json")
"""The suffixes of figure files."""

VEGA_LITE = "https://vega.github.io/schema/vega-lite/v5.json"
"""The schema of every specification."""

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
    """Draw a Vega-Lite specification.

    Parameters
    ----------
    specification : mapping
        Vega-Lite 5, with its data inside.
    kind : {"svg", "png", "pdf", "html", "json"}
        ``html`` is one page with all its JavaScript; ``json`` the specification itself.
    title : str
        The title of the page.
    scale : float
        Pixels per point, in a PNG.
    """
    text = msgspec.json.encode(specification).decode()
    if kind == "json":
        return msgspec.json.format(text.encode(), indent=2) + b"\n"
    vl_convert = _vl_convert()
    # No network access: a figure contains its data.
    options: dict[str, Any] = {"vl_version": _VERSION, "allowed_base_urls": []}
    if kind == "svg":
        drawn: str = vl_convert.vegalite_to_svg(text, **options)
        return drawn.encode()
    if kind == "png":
        pixels: bytes = vl_convert.vegalite_to_png(text, scale=scale, **options)
        return pixels
    if kind == "pdf":
        pages: bytes = vl_convert.vegalite_to_pdf(text, **options)
        return pages
    if kind != "html":
        raise FormatError(f"{kind!r} is not a kind of figure; choose from {', '.join(KINDS)}")
    script = _bundle()
    # Inside <script>, HTML escapes do not apply: JSON escapes keep names from ending the element.
    for sign in "<>&\u2028\u2029":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    page = _PAGE.format(
        title=html.escape(title), specification=text, script=script.replace("</script", "<\\/script")
    )
    return page.encode()


@functools.cache
def _bundle() -> str:
    """Return the JavaScript of a page, cached since it takes seconds to build and is the same for every figure."""
    script: str = _vl_convert().javascript_bundle(_SNIPPET, vl_version=_VERSION)
    return script


def _vl_convert() -> Any:
    try:
        import vl_convert  # type: ignore[import-not-found, unused-ignore]
    except ImportError:
        raise MissingExtraError("drawing a figure", "report") from None
    return vl_convert
