"""Make the pictures of docs/report.md: segmenters on the bundled novel, shown by the page in a real browser.

Run ``python -m scripts.screenshots``; it needs playwright and Chromium, and looks the same on any machine with the same fonts.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

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
        browser.close()


if __name__ == "__main__":
    main()
