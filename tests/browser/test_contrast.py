"""Contrast AA, measured: every text against what lies behind it, every mark against the page, in light and in dark."""

from __future__ import annotations

import pytest

import caesura as cz
from caesura.evaluation.outcome import Corpora
from caesura.reports.page import page
from tests.browser.conftest import link

_MEASURE = """
() => {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = 1;
  const pen = canvas.getContext("2d", { willReadFrequently: true });
  const rgba = (colour) => {
    pen.clearRect(0, 0, 1, 1);
    pen.fillStyle = colour;
    pen.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = pen.getImageData(0, 0, 1, 1).data;
    return [r, g, b, a / 255];
  };
  const over = ([r, g, b, a], [R, G, B]) => [r * a + R * (1 - a), g * a + G * (1 - a), b * a + B * (1 - a), 1];
  const behind = (node) => {
    const layers = [];
    for (let at = node; at; at = at.parentElement) layers.push(rgba(getComputedStyle(at).backgroundColor));
    return layers.reduceRight((below, layer) => over(layer, below), [255, 255, 255, 1]);
  };
  const bright = (colour) => {
    const [r, g, b] = colour.slice(0, 3).map((part) => part / 255).map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ratio = (one, other) => {
    const [high, low] = [bright(one), bright(other)].sort((a, b) => b - a);
    return (high + 0.05) / (low + 0.05);
  };
  const found = [];
  const tell = (node, colour, need, what) => {
    const back = behind(node.closest("svg")?.parentElement || node);
    found.push([ratio(over(rgba(colour), back), back), need, what]);
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || node.closest("script, noscript, title, option") || !node.checkVisibility()) continue;
    const style = getComputedStyle(node);
    const size = parseFloat(style.fontSize);
    const large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    const name = `${node.tagName}.${node.getAttribute("class") || ""} in ${node.closest("section, dialog, nav, header")?.className}: ${walker.currentNode.data.trim().slice(0, 40)}`;
    tell(node, node.closest("svg") ? style.fill : style.color, large ? 3 : 4.5, name);
  }
  for (const node of document.querySelectorAll("svg .mark, svg .line, svg .whisker, svg .hit, svg .given, svg .near, svg .wrong, svg .missed, svg .segment, .bar")) {
    if (!node.checkVisibility()) continue;
    const style = getComputedStyle(node);
    const colour = node.matches(".bar") ? style.backgroundColor : style.stroke === "none" ? style.fill : style.stroke;
    if (node.matches(".bar")) found.push([ratio(rgba(colour), behind(node.parentElement)), 3, "bar"]);
    else tell(node, colour, 3, node.getAttribute("class"));
  }
  return found;
}
"""


def measured(shown):
    """Return every ratio of contrast with what is needed there; everything is opened first."""
    for details in shown.locator("details").all():
        details.evaluate("node => { node.open = true; }")
    return shown.evaluate(_MEASURE)


def poor(found):
    """Return what has too little contrast."""
    return sorted({(round(ratio, 2), need, what) for ratio, need, what in found if ratio < need})


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_comparison_has_contrast_everywhere(opened, compared, scheme):
    results, _, path = compared
    shown = opened(path, link("documents", results.documents[0]), color_scheme=scheme).page
    shown.wait_for_selector(".blame")
    shown.locator("td button.value").first.click()
    found = measured(shown)
    assert len(found) > 300
    assert {"hit", "near", "wrong", "missed"} <= {what for _, _, what in found}
    assert poor(found) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_agreement_has_contrast_everywhere(opened, tmp_path, scheme):
    panel = cz.bundled("moonstone")
    path = tmp_path / "agree.html"
    path.write_text(page({"agree.json": (cz.agreement(panel).results(), Corpora(panel, {}))}), encoding="utf-8")
    shown = opened(path, link("documents", next(iter(panel.ids))), color_scheme=scheme).page
    shown.wait_for_selector(".reader .strip")
    assert poor(measured(shown)) == []
