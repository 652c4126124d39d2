"""Every command that measures gives a good page: it opens without a message, and has the blocks of its question."""

from __future__ import annotations

import json

import pytest

import caesura as cz
from tests.browser.conftest import made_corpus, made_system
from tests.cli.conftest import *  # noqa: F403  (the command line in this process)

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
    "spans": (("gold", "spans", "first"), ["table"]),
    "agree": (("panel",), ["table", "people", "documents"]),
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
    return tmp_path


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_command_writes_a_page_beside_what_it_prints(run, corpora, opened, question):
    words, blocks = QUESTIONS[question]
    files = {"gold", "first", "second", "panel", "panel_system", "spans"}
    given = [corpora / f"{word}.jsonl" if word in files else word for word in words]
    target = corpora / "page.html"
    done = run(question.partition(" ")[0], *given, "--report", target)
    assert done.code == 0, done.err
    shown = opened(target)
    assert shown.page.evaluate("document.body.dataset.ready") == "yes", shown.page.locator(
        "main"
    ).inner_text()
    assert shown.messages == []
    found = shown.page.eval_on_selector_all("section.block", "nodes => nodes.map((node) => node.id.slice(2))")
    assert set(blocks) <= set(found), found
    shown.page.wait_for_timeout(100)
    assert shown.page.locator(".chart polyline[points*='NaN'], .chart [cx='NaN']").count() == 0
