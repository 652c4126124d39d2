"""The page without a browser: how it is put together, and where its documents come from."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import caesura as cz
import caesura.reports.page as package
from caesura.evaluation.outcome import Corpora
from caesura.reports.page import find_inputs, page, with_document_scores
from caesura.reports.page.html import asset, assets, script
from caesura.reports.page.sections import bibtex, section
from caesura.results import read_results
from caesura_reproductions.run import papers
from tests.browser.conftest import made_corpus, made_system

ASSETS = Path(package.__file__).parent / "assets"
GOLD = {"a": "0100100", "b": "0001000", "c": "0000"}
OTHER = {"a": "0100010", "b": "0010000", "c": "1000"}


@pytest.fixture
def measured(tmp_path):
    """Return a folder with gold, a system, and the results of an evaluation."""
    for name, corpus in (("gold", GOLD), ("a", OTHER)):
        lines = [
            json.dumps(
                {"id": key, "units": [f"{key} {at}" for at in range(len(bits) + 1)], "boundaries": [at + 1 for at, bit in enumerate(bits) if bit == "1"]}
            )
            for key, bits in corpus.items()
        ]  # fmt: skip
        (tmp_path / f"{name}.jsonl").write_text("\n".join(lines) + "\n")
    evaluation = cz.evaluate(
        tmp_path / "gold.jsonl", {"a": tmp_path / "a.jsonl"}, metrics=["Pk", "W-F1", "B", "BOR", "CovN"]
    )
    evaluation.save(tmp_path / "results.json")
    return tmp_path, evaluation


def test_modules_become_one_script_without_imports_and_exports():
    assert not re.search(r"^(import|export) ", script(), re.MULTILINE)
    names = re.findall(r"^(?:async )?(?:function|class|const) (\w+)", script(), re.MULTILINE)
    assert len(names) == len(set(names))
    exported = {
        name
        for module in assets()
        for name in re.findall(r"^export (?:async )?(?:function|class|const) (\w+)", asset(module), re.MULTILINE)
    }
    assert exported <= set(names)


def test_modules_never_make_html_out_of_text():
    for path in ASSETS.glob("*.js"):
        assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|setAttribute\(\"style", path.read_text()), path.name  # fmt: skip


def test_the_page_is_small_beyond_its_data():
    assert len(script().encode()) + len(asset("page.css").encode()) < 150_000


def test_a_document_with_text_and_two_scored_systems_takes_a_thousand_bytes():
    gold = made_corpus(400)
    systems = {"first": made_system(gold, 1, 0.8), "second": made_system(gold, 2, 0.3)}
    results = cz.evaluate(gold, systems, metrics=["Pk", "W-F1", "BOR"]).results(per_document=True)
    beyond = len(script()) + len(asset("page.css"))
    assert len(page({"r": (results, Corpora(gold, systems))})) - beyond < 1000 * len(gold)


def test_the_same_results_give_the_same_page(measured):
    _, evaluation = measured
    results = evaluation.results(per_document=True)
    inputs = Corpora(evaluation.reference.corpus, {"a": evaluation.systems["a"].corpus})
    assert page({"r": (results, inputs)}) == page({"r": (results, inputs)})


def test_the_sources_of_the_metrics_are_bibtex(measured):
    _, evaluation = measured
    text = section("r", evaluation.results(), Corpora(), 0)["bibtex"]
    assert "@article{beeferman1999," in text
    assert len(re.findall(r"^@\w+\{\w+,$", text, re.MULTILINE)) == len(set(re.findall(r"\{(\w+),\n", text)))
    assert text.count("{") == text.count("}")


def test_every_paper_has_a_source():
    for paper, facts in papers().items():
        assert bibtex([facts.title]), paper


def test_documents_are_found_beside_the_results_only_if_unchanged(measured):
    folder, _ = measured
    results = read_results(folder / "results.json")
    found = find_inputs(results, folder=folder)
    assert list(found.documents.ids) == list(GOLD)
    assert found.systems["a"]["b"].segmentation.boundaries == (3,)
    assert found.lacking == ()
    text = (folder / "a.jsonl").read_text()
    (folder / "a.jsonl").write_text(text + "\n")
    changed = find_inputs(results, folder=folder)
    (line,) = changed.lacking
    assert line.startswith("a.jsonl: has changed since it was measured (looked for a.jsonl ")
    assert not changed.systems
    elsewhere = folder / "elsewhere.jsonl"
    elsewhere.write_text(text)
    assert find_inputs(results, [elsewhere], folder).lacking == ()


def test_scores_per_document_come_from_the_counts(measured):
    folder, evaluation = measured
    results = read_results(folder / "results.json")
    assert results.per_document is None
    assert with_document_scores(results, folder / "results.json").per_document == (
        evaluation.results(per_document=True).per_document
    )
    (folder / "results.counts.npz").unlink()
    assert with_document_scores(results, folder / "results.json").per_document is None
