"""Every command that measures gives a good page.

It opens without a message and has the blocks of its question; every cell of its tables is what the results file has; every
number on it has a recipe and a link that finds it again;
it has contrast in light and dark, needs no sideways scrolling on a phone, is read on paper, and works by keyboard.
"""

from __future__ import annotations

import json

import pytest

import caesura as cz
from tests.browser.cells import wrong_cells
from tests.browser.conftest import made_corpus, made_system
from tests.browser.test_contrast import measured, poor
from tests.cli.conftest import *  # noqa: F403  (the command line in this process)
from tests.examples import examples_once

QUESTIONS = {
    "evaluate": (("gold", "first", "second", "--ci", "--skill", "--resamples", 50), ["table", "strip", "documents"]),
    "compare": (("gold", "first", "second", "--resamples", 50, "--permutations", 99), ["table", "strip", "density"]),
    "gate": (("gold", "first", "--min", "W-F1=0"), ["table", "documents"]),
    "cohesion": (("gold", "first", "second"), ["table", "strip", "documents"]),
    "sweep": (("gold", "first", "second", "--resamples", 20), ["table", "density", "documents"]),
    "validate": (("gold",), ["table", "strip", "damages", "documents"]),
    "correlate": (("gold", "first", "second", "--baselines", "even,every", "--resamples", 20), ["table", "correlations", "documents"]),
    "tune": (("gold", "TextTiling", "--try", "window=2,4", "-m", "W-F1"), ["table", "settings"]),
    "bench": (("gold", "--method", "TextTiling", "--method", "even", "--gold", "--resamples", 50), ["answer", "table", "strip", "density", "regimes", "documents"]),
    "spans": (("gold", "spans", "first", "second"), ["answer", "table", "lengths", "documents"]),
    "bench --spans": (("gold", "--method", "TextTiling", "--spans", "spans"), ["answer", "table", "lengths", "documents"]),
    "agree": (("panel",), ["table", "people", "documents"]),
    "reproduce": (("001", "T1"), ["answer", "table", "printed"]),
    "evaluate on time": (("show", "auto"), ["answer", "table", "strip", "density", "regimes", "documents"]),
    "evaluate --against": (("panel", "panel_system", "--against", "annotators"), ["table", "people", "documents"]),
}  # fmt: skip


@pytest.fixture
def corpora(tmp_path):
    """Write the files of the calls."""
    gold = made_corpus(16, units=(20, 40), fields=False)
    for name, corpus in {
        "gold": gold,
        "first": made_system(gold, 1, 0.8),
        "second": made_system(gold, 2, 0.3),
        "panel": cz.bundled("stargazer"),
        "panel_system": cz.bundled("stargazer").consensus(0.4),
    }.items():
        cz.save(corpus, tmp_path / f"{name}.jsonl")
    spans = [{"id": document.id, "spans": [" ".join(document.units[3:6])]} for document in gold]
    (tmp_path / "spans.jsonl").write_text("".join(json.dumps(span) + "\n" for span in spans))
    for name in ("show.txt", "auto.json"):
        (tmp_path / name).write_bytes(examples_once()[name])
    return tmp_path


# What stands in a block and has a digit, but is a name, an axis, a heading, a text or a setting, and not a measured number.
_NO_NUMBER = """h2, h3, h4, .heads, summary, caption, select, input, output, label, pre, .tick, .axis, .name, .legend, .notes, .unit, .gap, .passage,
.chapters, .row .id, .method > div > :not(details), thead, th[scope=row]:not([data-value]), .blame th, .hint:not(:has(.told)), .told, title, noscript"""

_WITHOUT_RECIPE = """
(none) => {
  const found = [];
  const walker = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode.parentElement;
    if (!/[0-9]/.test(walker.currentNode.data) || node.closest(none) || node.closest(".value, [role=button], .list")) continue;
    if (node.closest(".sortable td") && /[A-Za-z]/.test(walker.currentNode.data)) continue;
    found.push(`${node.closest("section")?.id}: ${node.tagName}.${node.className} ${walker.currentNode.data}`);
  }
  for (const mark of document.querySelectorAll("figure .chart .mark")) if (mark.getAttribute("role") !== "button") found.push(mark.outerHTML);
  return found;
}
"""

# One number of each kind: the first of each block and part, with its recipe by click and by link.
_RECIPES = """
async () => {
  const kinds = new Map();
  for (const node of document.querySelectorAll("[data-link]")) {
    const [place, block, part] = node.dataset.link.split("/");
    const kind = `${place}/${block}/${part}/${node.tagName}`;
    if (!kinds.has(kind)) kinds.set(kind, node);
  }
  const text = () => { const node = document.querySelector("dialog.recipe"); const found = node?.querySelector("pre").textContent; node?.close(); return found; };
  const found = [];
  for (const [kind, node] of kinds) {
    const link = node.dataset.link;
    node.dispatchEvent(new MouseEvent("click"));
    const clicked = text();
    history.replaceState(null, "", link);
    dispatchEvent(new HashChangeEvent("hashchange"));
    for (let turn = 0; turn < 2000 && !document.querySelector("dialog.recipe"); turn += 1) await new Promise((done) => setTimeout(done, 5));
    found.push([kind, clicked, text()]);
  }
  return found;
}
"""


_ONE_NAME = ("\"BoundaryF1(tolerance='10s')\": {", '"F1 (10s)": {')  # in the file, and on the page


def _written(run, corpora, question):
    """Run a command, and return its page; its results are beside it."""
    words, _ = QUESTIONS[question]
    files = {path.stem: path for path in corpora.iterdir()}
    given = [files.get(word, word) for word in words]
    results = ["-o", corpora / "results.json"]
    done = run(question.partition(" ")[0], *given, *results, "--report", corpora / "page.html")
    assert done.code == 0, done.err
    return corpora / "page.html"


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_command_writes_a_good_page(run, corpora, opened, question):
    target = _written(run, corpora, question)
    shown = opened(target)
    tab = shown.page
    assert tab.evaluate("document.body.dataset.ready") == "yes", tab.locator("main").inner_text()
    found = tab.eval_on_selector_all("section.block", "nodes => nodes.map((node) => node.id.slice(2))")
    assert set(QUESTIONS[question][1]) <= set(found), found
    if "documents" in found:
        tab.wait_for_selector(".reader .strip")
        if "spans" not in question:  # answers are shown in the text, with no chart of boundaries
            tab.wait_for_selector(".teaser")
    text = (corpora / "results.json").read_text("utf-8")
    wrong, cells = wrong_cells(tab, json.loads(text.replace(*_ONE_NAME)))
    assert wrong == []
    assert cells > 5
    assert tab.locator(".chart polyline[points*='NaN'], .chart [cx='NaN']").count() == 0
    assert tab.evaluate(_WITHOUT_RECIPE, _NO_NUMBER) == []
    for kind, clicked, followed in tab.evaluate(_RECIPES):
        assert f"caesura: {cz.__version__}" in clicked, kind
        assert "command: caesura " in clicked, kind
        assert "sha256:" in clicked or question == "reproduce", kind
        assert followed == clicked, kind
    # one stop of the Tab key for each chart, and none without a name
    charts = tab.eval_on_selector_all(
        "svg[role=group]",
        "nodes => nodes.map((node) => [node.querySelectorAll('[role=button]').length, node.querySelectorAll('[tabindex=\"0\"]').length, node.getAttribute('aria-label')])",
    )
    assert all(stops == min(marks, 1) and label for marks, stops, label in charts)
    for scheme in ("light", "dark"):
        tab.emulate_media(color_scheme=scheme)
        assert poor(measured(tab)) == []
    tab.emulate_media(media="print")
    assert not tab.locator("#menu").is_visible()
    hidden = tab.eval_on_selector_all("section.block", "nodes => nodes.filter((node) => !node.checkVisibility()).map((node) => node.id)")  # fmt: skip
    assert hidden == []
    assert shown.messages == []


@pytest.mark.parametrize("question", ["compare", "agree", "validate", "sweep", "reproduce", "correlate", "spans"])
def test_a_phone_needs_no_sideways_scrolling(run, corpora, opened, question):
    shown = opened(_written(run, corpora, question), viewport={"width": 390, "height": 800}).page
    assert shown.evaluate("document.documentElement.scrollWidth") <= 390
    # drawings are as wide as the phone, so that their text is not made smaller than it is written
    shrunk = shown.eval_on_selector_all(
        "svg.chart, svg.strip", "nodes => nodes.filter((node) => node.checkVisibility()).map((node) => node.getBoundingClientRect().width / node.viewBox.baseVal.width)"
    )  # fmt: skip
    assert all(share > 0.85 for share in shrunk), shrunk
