"""What is missing, damaged or far too large gives one line, or a page that says what to do."""

from __future__ import annotations

import dataclasses
import json

import pytest

import caesura as cz
from caesura.evaluation.outcome import Corpora
from caesura.reports.page import page
from tests.browser.conftest import link, made_corpus, made_system, reading
from tests.cli.conftest import *  # noqa: F403  (the command line in this process)


@pytest.fixture
def measured(tmp_path):
    """Write a gold corpus, a system and their results, and return the folder."""
    gold = made_corpus(6, fields=False)
    cz.save(gold, tmp_path / "gold.jsonl")
    cz.save(made_system(gold, 1, 0.7), tmp_path / "first.jsonl")
    cz.evaluate(tmp_path / "gold.jsonl", {"first": tmp_path / "first.jsonl"}).save(tmp_path / "results.json")
    return tmp_path


def test_truncated_results_are_one_line(run, measured):
    text = (measured / "results.json").read_text()
    (measured / "results.json").write_text(text[: len(text) // 2])
    done = run("report", measured / "results.json", "-o", measured / "page.html")
    assert done.code == 2
    assert len(done.err.strip().splitlines()) == 1
    assert "results.json" in done.err
    assert not (measured / "page.html").exists()


def test_results_of_another_schema_are_one_line(run, measured):
    stored = json.loads((measured / "results.json").read_text())
    stored["schema"] = 0
    (measured / "results.json").write_text(json.dumps(stored))
    done = run("report", measured / "results.json", "-o", measured / "page.html")
    assert done.code == 2
    assert len(done.err.strip().splitlines()) == 1
    assert not (measured / "page.html").exists()


@pytest.mark.parametrize("lacking", [["first.jsonl"], ["gold.jsonl", "first.jsonl"]])
def test_a_page_without_its_files_says_which_and_what_to_do(run, opened, measured, lacking):
    for name in lacking:
        (measured / name).unlink()
    done = run("report", measured / "results.json", "-o", measured / "page.html")
    assert done.code == 0
    assert all(name in done.err for name in lacking)
    shown = opened(measured / "page.html")
    assert shown.page.evaluate("document.body.dataset.ready") == "yes"
    said = shown.page.locator(".block.strip .hint").first.inner_text()
    assert all(name in said for name in lacking)
    assert "--inputs" in said
    assert shown.page.locator(".block.table table").first.is_visible()
    assert shown.messages == []


def test_documents_without_texts_say_so(opened, tmp_path):
    gold = cz.Corpus([dataclasses.replace(document, units=None) for document in made_corpus(4, fields=False)])
    systems = {"first": made_system(gold, 1, 0.7)}
    results = cz.evaluate(gold, systems, metrics=["W-F1", "BOR"]).results(per_document=True)
    path = tmp_path / "page.html"
    path.write_text(page({"r": (results, Corpora(gold, systems))}), "utf-8")
    shown = opened(path, link("documents", "doc 1"))
    assert reading(shown.page) == "doc 1"
    assert "no text" in shown.page.locator(".reader").inner_text()
    assert shown.page.locator(".blame, .document-scores").first.is_visible()
    assert shown.messages == []


def test_a_document_of_a_hundred_megabytes_is_read_place_by_place(opened, tmp_path):
    n = 1_000_000
    text = "the harbour master wrote the names of all ships that came in that winter into a ledger, line by line"
    document = cz.Document(
        id="long", n_units=n, units=(text,) * n, segmentation=cz.Segmentation.from_boundaries(n, range(50, n, 50))
    )
    other = dataclasses.replace(
        document,
        units=None,
        segmentation=cz.Segmentation.from_boundaries(n, range(60, n, 60)),
        scores=(0.1, 0.9) * ((n - 1) // 2) + (0.1,),
    )
    gold, systems = cz.Corpus([document]), {"first": cz.Corpus([other])}
    results = cz.evaluate(gold, systems, metrics=["W-F1", "BOR"]).results(per_document=True)
    path = tmp_path / "page.html"
    path.write_text(page({"r": (results, Corpora(gold, systems))}), "utf-8")
    shown = opened(path)
    tab = shown.page
    tab.set_default_timeout(300_000)
    tab.locator(".reader .unit").first.wait_for()
    assert "too many to draw" in tab.locator(".reader").inner_text()
    assert tab.locator(".reader .unit").count() == 300
    assert tab.locator(".reader svg.curve polyline").count() == 1
    value = float(tab.locator(".document-scores td[data-metric=W-F1]").get_attribute("data-value"))
    assert value == pytest.approx(results.per_document["first"]["W-F1"][0], abs=1e-12)
    tab.locator(".reader .text button", has_text="Later").click()
    tab.locator("#unit-301").wait_for()
    assert shown.messages == []
