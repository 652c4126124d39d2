"""A real Chromium. Without one the tests are skipped, unless CAESURA_BROWSER=required asks for them, as in CI."""

from __future__ import annotations

import dataclasses
import os
import shutil
import urllib.parse
import wave

import numpy as np
import pytest

import caesura as cz
from caesura.corpus import Corpus, Document
from caesura.evaluation.outcome import Corpora
from caesura.reports.page import page

_CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
_FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]
_WORDS = ["river", "harbour", "ledger", "winter", "garden", "engine", "letter", "market", "station", "orchard"]


def _no_browser(reason):
    if os.environ.get("CAESURA_BROWSER") == "required":
        pytest.fail(f"{reason}, and CAESURA_BROWSER=required asks for browser tests")
    pytest.skip(f"{reason}; install Debian's chromium and playwright to run browser tests")


@pytest.fixture(scope="session")
def chromium():
    """Start the browser once."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        _no_browser("playwright is not installed")
    if _CHROMIUM is None:
        _no_browser("there is no Chromium")
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=_CHROMIUM, args=_FLAGS)
        yield browser
        browser.close()


class Opened:
    """A page that was opened from disk, with everything it did: requests, messages, errors."""

    def __init__(self, browser, path, fragment="", **options):
        self.context = browser.new_context(offline=True, **options)
        self.context.grant_permissions(["clipboard-read", "clipboard-write"])
        self.page = self.context.new_page()
        self.requests, self.messages = [], []
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("console", lambda message: self.messages.append(message.text))
        self.page.on("pageerror", lambda error: self.messages.append(str(error)))
        self.page.goto(path.as_uri() + fragment)
        self.page.wait_for_selector("body[data-ready]")

    def copied(self):
        """Return what is in the clipboard."""
        return self.page.evaluate("navigator.clipboard.readText()")


@pytest.fixture
def opened(chromium):
    """Return a function that opens a page from disk, with the network off."""
    pages = []

    def visit(path, fragment="", **options):
        pages.append(Opened(chromium, path, fragment, **options))
        return pages[-1]

    yield visit
    for each in pages:
        each.context.close()


def link(block, document=None, section=1):
    """Return a deep link."""
    return f"#{section}/{block}" + ("" if document is None else f"/{urllib.parse.quote(document, safe='')}")


def reading(shown):
    """Return the name of the document that the reader shows, once it is the one of the link."""
    shown.wait_for_function(
        """() => { const [, , id] = location.hash.split("/"); const head = document.querySelector(".reader h3");
        return id && head && head.innerText === decodeURIComponent(id); }"""
    )
    return shown.locator(".reader h3").first.inner_text()


@pytest.fixture
def recording(tmp_path):
    """Write two minutes of silence."""
    path = tmp_path / "show.wav"
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(1)
        file.setframerate(3000)
        file.writeframes(b"\x80" * 3000 * 120)
    return path


def made_corpus(documents, seed=0, *, units=(12, 60), hostile="", fields=True):
    """Return a gold corpus with texts and, if asked, a field to slice by."""
    rng = np.random.default_rng(seed)
    made = []
    for number in range(documents):
        n = int(rng.integers(*units))
        boundaries = tuple(int(gap) + 1 for gap in np.flatnonzero(rng.random(n - 1) < 0.15))
        texts = tuple(" ".join(rng.choice(_WORDS, 6)) + hostile for _ in range(n))
        made.append(
            Document(
                id=f"doc {number}{hostile}",
                n_units=n,
                segmentation=cz.Segmentation.from_boundaries(n, boundaries),
                units=texts,
                speakers=tuple(f"S{at % 2}{hostile}" for at in range(n)),
                extra={"genre": ("news", "talk")[number % 2] + hostile} if fields else {},
            )
        )
    return Corpus(made)


def made_system(gold, seed, share):
    """Return a system with scores that finds a share of the boundaries."""
    rng = np.random.default_rng(seed)
    made = []
    for document in gold:
        scores = rng.random(document.n_units - 1) * 0.6
        for gap in document.segmentation.boundaries:
            if rng.random() < share:
                scores[gap - 1] = 0.7 + 0.3 * rng.random()
        boundaries = tuple(int(gap) + 1 for gap in np.flatnonzero(scores > 0.58))
        made.append(
            dataclasses.replace(
                document,
                segmentation=cz.Segmentation.from_boundaries(document.n_units, boundaries),
                scores=tuple(float(score) for score in scores),
                units=None,
                speakers=None,
                extra={},
            )
        )
    return Corpus(made)


METRICS = ["Pk", "WindowDiff", "W-F1", "BOR", "Purity", "Coverage"]


@pytest.fixture(scope="session")
def compared(tmp_path_factory):
    """A comparison of two systems on 40 documents: its results, its evaluation, and its page."""
    gold = made_corpus(40)
    systems = {"first": made_system(gold, 1, 0.8), "second": made_system(gold, 2, 0.3)}
    evaluation = cz.evaluate(gold, systems, metrics=METRICS)
    evaluation.intervals(200)
    evaluation.skill(draws=20)
    evaluation.compare()
    results = evaluation.results(per_document=True)
    path = tmp_path_factory.mktemp("page") / "report.html"
    path.write_text(page({"results.json": (results, Corpora(gold, systems))}), encoding="utf-8")
    return results, evaluation, path
