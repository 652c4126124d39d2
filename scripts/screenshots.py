"""Make the pictures of docs/report.md and of the tutorial on annotation: the bundled novel in a real browser.

Run ``python -m scripts.screenshots``; it needs playwright and Chromium, and looks the same on any machine with the same fonts.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import caesura as cz
from caesura.evaluation.outcome import Corpora
from caesura.reports.page import page
from caesura.segmenters import segmenter

FIGURES = Path(__file__).parents[1] / "docs" / "figures"
METHODS = ("TextTiling", "C99", "BayesSeg(per_100=12)")
VIEWS = {
    "report": ("", 1000, "light"),
    "report-document": ("#1/documents/ch10", 1000, "light"),
    "report-dark": ("#1/density", 700, "dark"),
}


def made_page() -> str:
    """Return the page of three segmenters, scored against the consensus of the novel's annotators."""
    gold = cz.bundled("moonstone").consensus(0.5)
    systems = {method.partition("(")[0]: segmenter(method).segment(gold) for method in METHODS}
    evaluation = cz.evaluate(gold, systems)
    evaluation.intervals()
    evaluation.compare()
    evaluation.verdicts()
    results = evaluation.results(per_document=True)
    results.question = "compare"
    return page({"moonstone": (results, Corpora(gold, systems))}, "The Moonstone: three segmenters and its readers")


def annotation(folder: Path, browser: Any) -> None:
    """Write the pictures of a project: a newcomer joins those who annotated the novel."""
    corpus = cz.bundled("moonstone")
    cz.save(corpus, folder / "moonstone.jsonl")
    (folder / "guide.md").write_text("# Scenes\n\nMark the gap before a paragraph that begins something new.\n")
    words = ["annotate", "novel", "--add", "moonstone.jsonl", "--people", "nora", "--guide", "guide.md", "--port", "0"]
    server = subprocess.Popen(
        [sys.executable, "-W", "ignore", "-m", "caesura", *words],
        stdout=subprocess.PIPE,
        text=True,
        cwd=folder,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    assert server.stdout is not None
    links = {}
    try:
        for line in server.stdout:
            name, _, link = line.strip().partition("\t")
            links[name] = link
            if line.startswith("Ctrl-C"):
                break
        marking = _visited(browser, links["nora"])
        marking.keyboard.press("Escape")
        for key in (
            "j",
            "j",
            "j",
            "Space",
            "t",
            *"A walk",
            "Enter",
            "j",
            "j",
            "Space",
            "u",
            "c",
            *"or before?",
            "Enter",
        ):
            marking.keyboard.press(key)
        marking.wait_for_selector(".state.saved")
        marking.screenshot(path=FIGURES / "annotate.png")
        lead = _visited(browser, links["lead"])
        lead.wait_for_selector(".lead-people .trend")
        lead.screenshot(path=FIGURES / "annotate-lead.png")
        lead.click(".lead-places button >> nth=0")
        lead.wait_for_selector("dialog .slot.here")
        lead.screenshot(path=FIGURES / "annotate-decide.png")
    finally:
        server.terminate()
        server.wait()
        server.stdout.close()


def _visited(browser: Any, link: str) -> Any:
    tab = browser.new_page(viewport={"width": 1000, "height": 640})
    tab.goto(link)
    tab.wait_for_selector("body[data-ready=yes]")
    return tab


def main() -> None:
    """Write the pictures."""
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        path = Path(folder) / "report.html"
        path.write_text(made_page(), encoding="utf-8")
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        for name, (fragment, height, scheme) in VIEWS.items():
            tab = browser.new_page(viewport={"width": 1200, "height": height}, color_scheme=scheme)
            tab.goto(path.as_uri() + fragment)
            tab.wait_for_selector("body[data-ready]")
            tab.wait_for_timeout(500)
            tab.screenshot(path=FIGURES / f"{name}.png")
        annotation(Path(folder), browser)
        browser.close()


if __name__ == "__main__":
    main()
