"""Measure how fast a page opens: 10,000 and 50,000 documents with texts and two scored systems, in a real Chromium.

Run ``python -m scripts.page_speed`` on an idle machine; it needs playwright and Chromium. It prints a table for docs/report.md:
the size of the page, the seconds until it can be used (navigation to the last block built, and until a document of the middle is
shown), the processor time of the browser for that, and its heap. The least of several openings is shown: others only wait longer.
"""

from __future__ import annotations

import argparse
import dataclasses
import shutil
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

import caesura as cz
from caesura.corpus import Corpus, Document
from caesura.evaluation.outcome import Corpora
from caesura.reports.page import page

WORDS = 4000


def made(documents: int) -> tuple[Corpus, dict[str, Corpus]]:
    """Return documents of 12 to 36 units with texts, and two systems with scores."""
    rng = np.random.default_rng(0)
    letters = np.array(list("etaoinshrdlucm"))
    words = np.array(["".join(rng.choice(letters, rng.integers(2, 10))) for _ in range(WORDS)])
    usual = 1 / np.arange(1, WORDS + 1)  # Zipf's law, so that texts compress as texts do
    usual /= usual.sum()
    gold: list[Document] = []
    systems: list[list[Document]] = [[], []]
    for number in range(documents):
        n = int(rng.integers(12, 37))
        texts = tuple(" ".join(row) for row in words[rng.choice(WORDS, (n, 9), p=usual)])
        places = [int(gap) + 1 for gap in np.flatnonzero(rng.random(n - 1) < 0.15)]
        document = Document(
            id=f"d{number}", n_units=n, units=texts, segmentation=cz.Segmentation.from_boundaries(n, places)
        )
        gold.append(document)
        for rows in systems:
            scores = rng.random(n - 1).round(3)
            chosen = [int(gap) + 1 for gap in np.flatnonzero(scores > 0.85)]
            rows.append(
                dataclasses.replace(
                    document,
                    units=None,
                    segmentation=cz.Segmentation.from_boundaries(n, chosen),
                    scores=tuple(map(float, scores)),
                )
            )
    return Corpus(gold), {f"system {at}": Corpus(rows) for at, rows in enumerate(systems, start=1)}


def busy(processes: Any) -> float:
    """Return the processor seconds that all processes of the browser took."""
    return float(sum(row["cpuTime"] for row in processes.send("SystemInfo.getProcessInfo")["processInfo"]))


def opened(browser: Any, path: Path, wanted: str) -> tuple[float, float, float, float]:
    """Return seconds until the page can be used and until a document is shown, processor seconds, and MB of heap."""
    processes = browser.new_browser_cdp_session()
    before = busy(processes)
    context = browser.new_context(offline=True)
    tab = context.new_page()
    start = time.perf_counter()
    tab.goto(path.as_uri(), wait_until="commit")
    tab.wait_for_selector("body[data-ready=yes]", timeout=300_000)
    usable = time.perf_counter() - start
    tab.evaluate(f"location.hash = '#1/documents/{wanted}'")
    tab.locator(".reader h3", has_text=wanted).first.wait_for(timeout=300_000)
    shown = time.perf_counter() - start
    spent = busy(processes) - before
    heap = tab.evaluate("performance.memory.usedJSHeapSize") / 1e6
    context.close()
    return usable, shown, spent, heap


def main() -> None:
    """Print a row for each number of documents."""
    from playwright.sync_api import sync_playwright

    parser = argparse.ArgumentParser(description="Measure how fast a page opens.")
    parser.add_argument("documents", nargs="*", type=int, default=[10_000, 50_000])
    parser.add_argument("--rounds", type=int, default=5)
    given = parser.parse_args()
    print("| documents | page | usable | document shown | browser's processor time | heap |")
    print("| --- | --- | --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        for documents in given.documents:
            gold, systems = made(documents)
            results = cz.evaluate(gold, systems, metrics=["Pk", "W-F1", "BOR"]).results(per_document=True)
            path = Path(folder) / f"{documents}.html"
            path.write_text(page({"results": (results, Corpora(gold, systems))}), encoding="utf-8")
            runs = [opened(browser, path, f"d{documents // 2}") for _ in range(given.rounds)]
            usable, shown, spent, heap = (min(values) for values in zip(*runs, strict=True))
            size = f"{path.stat().st_size / 1e6:.1f} MB"
            print(
                f"| {documents:,} | {size} | {usable:.2f} s | {shown:.2f} s | {spent:.2f} s | {heap:.0f} MB |",
                flush=True,
            )
        browser.close()


if __name__ == "__main__":
    main()
