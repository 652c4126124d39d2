"""The page in a real browser, opened from disk with the network off."""

from __future__ import annotations

import dataclasses
import re

import msgspec
import numpy as np
import pytest

import caesura as cz
from caesura.evaluation.outcome import Corpora
from caesura.reports.page import page
from caesura.results import answer_of, tables_of
from tests.browser.conftest import METRICS, link, made_corpus, made_system, reading


def test_the_page_opens_without_a_request_or_a_message(opened, compared):
    shown = opened(compared[2])
    assert shown.page.evaluate("document.body.dataset.ready") == "yes"
    assert shown.requests == [compared[2].as_uri()]
    assert shown.messages == []


def test_every_block_has_a_heading_a_menu_entry_and_a_link(opened, compared):
    shown = opened(compared[2])
    blocks = shown.page.eval_on_selector_all("section.block", "nodes => nodes.map((node) => node.id)")
    wanted = ["table", "strip", "density", "regimes", "slices", "lengths", "documents", "method"]
    answered = ["answer"] if answer_of(compared[0]) else []
    assert blocks == [f"1/{name}" for name in answered + wanted]
    assert shown.page.eval_on_selector_all("#menu a", "nodes => nodes.map((node) => node.hash.slice(1))") == blocks
    shown.page.locator("#menu a", has_text="Method").click()
    assert shown.page.evaluate("location.hash") == "#1/method"


def test_every_number_of_the_tables_is_that_of_the_results(opened, compared):
    results, _, path = compared
    shown = opened(path)
    for details in shown.page.locator("details").all():
        details.evaluate("node => { node.open = true; }")
    found = shown.page.eval_on_selector_all(
        ".block.table table.sortable",
        """tables => tables.map((table) => [...table.tBodies[0].rows].map((row) => [...row.cells].map(
        (cell) => [cell.dataset.value === undefined ? null : Number(cell.dataset.value), (cell.querySelector('button') || cell.firstChild).textContent])))""",
    )
    tables = tables_of(msgspec.structs.replace(results, documents=None, per_document=None))
    assert len(found) == len(tables)
    numbers = 0
    for rows, table in zip(found, tables, strict=True):
        texts = table.texts()
        for row, (cells, values) in enumerate(zip(rows, table.rows, strict=True)):
            for column, ((value, text), wanted) in enumerate(zip(cells, values, strict=True)):
                if isinstance(wanted, (int, float)) and np.isfinite(wanted):
                    assert value == wanted
                    numbers += 1
                assert text == texts[row][column]
    assert numbers > 60


def test_a_table_is_sorted_by_its_heads_and_copied(opened, compared):
    shown = opened(compared[2]).page
    first = shown.locator("table.sortable").first
    column = ["system", *METRICS].index("Pk")
    head = first.locator("thead button").nth(column)
    head.click()
    values = first.evaluate(f"table => [...table.tBodies[0].rows].map((row) => Number(row.cells[{column}].dataset.value))")  # fmt: skip
    assert values == sorted(values)
    assert first.locator("th").nth(column).get_attribute("aria-sort") == "ascending"
    head.click()
    assert first.locator("th").nth(column).get_attribute("aria-sort") == "descending"


@pytest.mark.parametrize(("button", "start"), [("Copy LaTeX", "\\begin"), ("Copy CSV", "system"), ("Copy Markdown", "|")])  # fmt: skip
def test_a_table_can_be_copied(opened, compared, button, start):
    shown = opened(compared[2])
    shown.page.locator("button", has_text=button).first.click()
    shown.page.wait_for_selector("#announce.shown")
    assert start in shown.copied()


def test_a_score_shows_its_recipe(opened, compared):
    results, _, path = compared
    shown = opened(path)
    shown.page.locator(".block.table td button.value").first.click()
    text = shown.page.locator("dialog pre").text_content()
    name = next(iter(results.systems))
    assert results.systems[name]["Pk"].signature in text
    shown.page.locator("dialog button", has_text="Copy recipe").click()
    shown.page.wait_for_selector("#announce.shown")
    assert shown.copied() == text
    shown.page.keyboard.press("Escape")
    assert shown.page.locator("dialog").count() == 0


def _starred(shown):
    return set(
        shown.eval_on_selector_all(
            "table.sortable",
            """tables => { const table = tables[0]; const heads = [...table.tHead.rows[0].cells].map((cell) => cell.innerText.split(' ')[0]);
            return [...table.tBodies[0].rows].flatMap((row) => [...row.cells].map((cell, at) => cell.querySelector('.star') ? `${row.cells[0].innerText}/${heads[at]}` : null)).filter(Boolean); }""",
        )
    )


def test_a_mark_stands_only_where_a_test_carries_it(opened, compared):
    results, _, path = compared
    starred = _starred(opened(path).page)
    earned = {f"{c.better}/{c.metric}" for c in results.comparisons if c.better and c.p_corrected < 0.05}
    assert starred == earned
    assert starred


def test_a_mark_needs_p_below_five_percent_against_every_other_system(opened, tmp_path):
    gold = made_corpus(12, units=(20, 40), fields=False)
    systems = {name: made_system(gold, at, 0.9 - 0.3 * at) for at, name in enumerate("abc")}
    evaluation = cz.evaluate(gold, systems, metrics=METRICS)
    evaluation.compare()
    # p of a against b and against c, and whether a is called better than c
    made = {
        "Pk": (0.001, 0.049, "a"),
        "WindowDiff": (0.001, 0.05, "a"),
        "W-F1": (0.001, 0.3, "a"),
        "BOR": (0.45, 0.06, "a"),
        "Purity": (0.001, None, "a"),
        "Coverage": (0.001, 0.001, None),
    }

    def changed(c):
        if c.first != "a":
            return msgspec.structs.replace(c, better=None)
        p = made[c.metric][0 if c.second == "b" else 1]
        return msgspec.structs.replace(c, better="a" if c.second == "b" else made[c.metric][2], p_corrected=p)

    results = evaluation.results(per_document=True)
    results = msgspec.structs.replace(results, comparisons=[changed(c) for c in results.comparisons])
    path = tmp_path / "page.html"
    path.write_text(page({"r": (results, Corpora(gold, systems))}), "utf-8")
    assert _starred(opened(path).page) == {"a/Pk"}


def test_a_deep_link_opens_a_document_and_its_scores_are_the_library_s(opened, compared):
    results, evaluation, path = compared
    key = results.documents[7]
    shown = opened(path, link("documents", key)).page
    assert reading(shown) == key
    for at, system in enumerate(results.systems):
        shown.locator(".reader select").first.select_option(system)
        values = shown.eval_on_selector_all(
            ".document-scores td", "cells => Object.fromEntries(cells.map((cell) => [cell.dataset.metric, Number(cell.dataset.value)]))"
        )  # fmt: skip
        for name in METRICS:
            assert values[name] == pytest.approx(evaluation.per_document(system, name)[7], abs=1e-12), (at, name)


def test_the_slider_selects_and_scores_as_the_library_does(opened, compared):
    results, evaluation, path = compared
    key = results.documents[3]
    shown = opened(path, link("documents", key)).page
    shown.wait_for_selector(".reader input[type=range]")
    reference = evaluation.reference.corpus[key].segmentation
    scores = evaluation.systems["first"].corpus[key].scores
    most = int(shown.locator(".reader input[type=range]").get_attribute("max"))
    for wanted in (0, most // 3, 2 * most // 3, most):
        shown.eval_on_selector(
            ".reader input[type=range]",
            "(node, value) => { node.value = value; node.dispatchEvent(new Event('input')); }",
            wanted,
        )
        threshold = float(shown.locator(".threshold").inner_text())
        selected = cz.selector(f"StaticSelector(threshold={threshold!r})").select(scores)
        values = shown.eval_on_selector_all(
            ".document-scores td", "cells => Object.fromEntries(cells.map((cell) => [cell.dataset.metric, Number(cell.dataset.value)]))"
        )  # fmt: skip
        hypothesis = cz.Segmentation.from_boundaries(reference.n_units, selected.boundaries)
        for name in METRICS:
            assert values[name] == pytest.approx(cz.metric(name)(reference, hypothesis), abs=1e-12)
    assert threshold > max(scores)


def test_blame_gains_are_differences_of_the_library_s_scores(opened, compared):
    results, evaluation, path = compared
    key = results.documents[0]
    shown = opened(path, link("documents", key)).page
    shown.wait_for_selector(".blame")
    reference = evaluation.reference.corpus[key].segmentation
    given = evaluation.systems["first"].corpus[key].segmentation
    metric = cz.metric("W-F1")
    rows = shown.eval_on_selector_all(
        ".blame tbody tr", "rows => rows.map((row) => [row.cells[0].innerText, row.cells[3].innerText])"
    )
    assert rows
    for change, gain in rows:
        what, _, place = change.rpartition(" ")
        places = set(given.boundaries)
        if what == "add":
            places.add(int(place))
        else:
            places.remove(int(place))
            places |= {"remove": set(), "move on": {int(place) + 1}, "move back": {int(place) - 1}}[what]
        after = cz.Segmentation.from_boundaries(given.n_units, sorted(places))
        wanted = metric(reference, after) - metric(reference, given)
        assert gain == f"+{wanted:.3f}"


def _errors(reference, given):
    """Return how many boundaries are missed and how many false, each found within one unit of the other side."""
    near = [
        [any(abs(one - other) <= 1 for other in others) for one in places]
        for places, others in ((reference, given), (given, reference))
    ]
    return tuple(side.count(False) for side in near)


def test_the_list_filters_sorts_and_follows_the_keyboard(opened, compared):
    results, evaluation, path = compared
    shown = opened(path, link("documents")).page
    status = shown.locator(".side [role=status]")
    shown.locator("input[type=search]").fill("doc 1")
    shown.locator(".side [role=status]", has_text=re.compile("^11 documents$")).wait_for()
    shown.locator("input[type=search]").fill("")
    boundaries = {
        name: {key: evaluation.systems[name].corpus[key].segmentation.boundaries for key in results.documents}
        for name in ("first", "second")
    }
    gold = evaluation.corpora().documents
    wrong = {
        name: {key: _errors(gold[key].segmentation.boundaries, places[key]) for key in results.documents}
        for name, places in boundaries.items()
    }
    shown.locator(".list").focus()
    shown.keyboard.press("End")
    best = reading(shown)
    assert sum(wrong["first"][best]) == min(map(sum, wrong["first"].values()))
    shown.keyboard.press("Home")
    worst = reading(shown)
    assert sum(wrong["first"][worst]) == max(map(sum, wrong["first"].values()))

    def left(count):
        assert count not in (0, len(results.documents))
        assert status.inner_text() == f"{count} document{'' if count == 1 else 's'}"

    boxes = shown.locator(".side select")
    boxes.nth(2).select_option("missed ones only")
    left(sum(missed > 0 and extra == 0 for missed, extra in wrong["first"].values()))
    boxes.nth(2).select_option("with false boundaries")
    left(sum(extra > 0 for _, extra in wrong["first"].values()))
    boxes.nth(2).select_option("genre: news")
    left(20)
    boxes.nth(2).select_option("all documents")
    boxes.nth(3).select_option("better")
    left(sum(sum(wrong["first"][key]) < sum(wrong["second"][key]) for key in results.documents))
    boxes.nth(3).select_option("worse")
    left(sum(sum(wrong["first"][key]) > sum(wrong["second"][key]) for key in results.documents))
    boxes.nth(3).select_option("differ")
    assert status.inner_text().split()[0] == str(
        sum(boundaries["first"][key] != boundaries["second"][key] for key in results.documents)
    )


def test_words_of_the_texts_are_found_and_marked(opened, tmp_path):
    gold = made_corpus(450)  # three blocks
    ids = ["doc 3", "doc 207", "doc 449"]
    said = {key: (*gold[key].units[:5], "And my Social Security number?", *gold[key].units[6:]) for key in ids}
    gold = cz.Corpus([dataclasses.replace(d, units=said.get(d.id, d.units)) for d in gold])
    results = cz.evaluate(gold, {"first": made_system(gold, 1, 0.8)}, metrics=["W-F1"]).results(per_document=True)
    path = tmp_path / "page.html"
    path.write_text(page({"r": (results, Corpora(gold, {"first": made_system(gold, 1, 0.8)}))}), "utf-8")
    shown = opened(path, link("documents"))
    shown.page.locator("input[type=search]").fill("social security")
    shown.page.locator(".side [role=status]", has_text=re.compile("^3 documents$")).wait_for()
    found = shown.page.eval_on_selector_all(".list .row .id", "rows => rows.map((row) => row.title)")
    assert sorted(found) == sorted(ids)
    shown.page.locator(".list .row").first.click()
    assert reading(shown.page) in ids
    assert shown.page.locator(".reader mark.sought").inner_text() == "Social Security"
    assert shown.messages == []


def test_an_error_says_what_it_costs_and_the_next_one_is_a_key_away(opened, compared):
    _, evaluation, path = compared
    own = evaluation.systems["first"].corpus
    key = next(
        d.id
        for d in evaluation.corpora().documents
        if d.segmentation.boundaries and _errors(d.segmentation.boundaries, own[d.id].segmentation.boundaries)[1]
    )
    shown = opened(path, link("documents", key)).page
    reading(shown)
    metric = cz.metric("W-F1")
    gold = evaluation.corpora().documents[key].segmentation
    given = evaluation.systems["first"].corpus[key].segmentation
    costs = shown.locator(".reader .tag", has_text="first, costs").all_inner_texts()
    places = shown.eval_on_selector_all(
        ".reader .gap", "gaps => gaps.filter((gap) => gap.innerText.includes('false: first, costs')).map((gap) => Number(gap.id.slice(4)))"
    )  # fmt: skip
    assert costs
    for place in places:
        rest = [at for at in given.boundaries if at != place]
        moved = [sorted([*rest, to]) for to in (place - 1, place + 1) if 1 <= to < given.n_units and to not in given.boundaries]  # fmt: skip
        best = max(metric(gold, cz.Segmentation.from_boundaries(given.n_units, at)) for at in (rest, *moved))
        text = shown.locator(f"#gap-{place} .tag", has_text="costs").inner_text()
        assert text == f"false: first, costs {best - metric(gold, given):.3f} W-F1"
    shown.locator("button.next").focus()
    shown.keyboard.press("Enter")
    assert shown.locator(".gap.chosen .tag.wrong, .gap.chosen .tag.near, .gap.chosen .tag.missed").count() >= 1


def test_a_crowded_chart_is_looked_at_in_parts(opened, tmp_path):
    n = 20_000
    places = list(range(20, n, 22))
    gold = cz.Corpus.from_segmentations({"long": cz.Segmentation.from_boundaries(n, places)})
    results = cz.evaluate(gold, {"same": gold}, metrics=["W-F1"]).results(per_document=True)
    path = tmp_path / "page.html"
    path.write_text(page({"r": (results, Corpora(gold, {"same": gold}))}), "utf-8")
    shown = opened(path, link("documents"))
    marks = shown.page.locator(".reader svg.strip[role=group] [data-row=same]")
    shown.page.locator(".reader svg.strip").first.wait_for()
    assert marks.count() == len(places)
    for _ in range(3):
        shown.page.locator(".zoom button", has_text="Zoom in").click()
    drawn = marks.evaluate_all("all => all.map((one) => Number(one.dataset.place))")
    middle, width = n / 2, n / 64
    assert drawn == [at for at in places if abs(at - middle) <= width / 2 + 1]
    shown.page.locator(".zoom button", has_text="Later").click()
    assert min(marks.evaluate_all("all => all.map((one) => Number(one.dataset.place))")) > min(drawn)
    for _ in range(3):
        shown.page.locator(".zoom button", has_text="Zoom out").click()
    assert marks.count() == len(places)
    assert shown.messages == []


@pytest.mark.parametrize("written", ["a/b", "a%2Fb", "a", "100%", "100%25", "a/b/c"])
def test_a_link_to_a_document_needs_no_encoding(opened, tmp_path, written):
    ids = ["a", "a/b", "a/b/c", "100%", "b"]
    gold = cz.Corpus.from_segmentations(
        {key: cz.Segmentation.from_masses([3, 4, at + 1]) for at, key in enumerate(ids)}
    )
    results = cz.evaluate(gold, {"first": gold}, metrics=["W-F1", "BOR"]).results(per_document=True)
    path = tmp_path / "page.html"
    path.write_text(page({"r": (results, Corpora(gold, {"first": gold}))}), "utf-8")
    shown = opened(path, f"#1/documents/{written}")
    wanted = written.replace("%2F", "/").replace("%25", "%")
    shown.page.locator(".reader h3", has_text=re.compile(f"^{re.escape(wanted)}$")).wait_for()
    # the link of a number in a document still finds it, whatever else the first part could begin
    shown.page.evaluate("location.hash = '#1/documents/a/first/score/BOR'")
    shown.page.locator("dialog pre", has_text="first, BOR of document a: 1").wait_for(state="attached")
    assert shown.messages == []


def test_text_runs_in_the_direction_of_its_script(opened, tmp_path):
    texts = ("A line in English.", "هذا سطر بالعربية", "זו שורה בעברית", "And the last.")
    document = cz.Document(
        id="d", n_units=4, units=texts, speakers=("Ann", "Ann", "رنا", "رنا"), segmentation=cz.Segmentation.from_boundaries(4, [2])
    )  # fmt: skip
    gold = cz.Corpus([document])
    results = cz.evaluate(gold, {"same": gold}, metrics=["W-F1"]).results(per_document=True)
    path = tmp_path / "page.html"
    path.write_text(page({"r": (results, Corpora(gold, {"same": gold}))}), "utf-8")
    shown = opened(path, link("documents", "d")).page
    shown.wait_for_selector(".reader .unit")
    found = shown.eval_on_selector_all(
        ".reader .unit p", "nodes => nodes.map((node) => getComputedStyle(node).direction)"
    )
    assert found == ["ltr", "rtl", "rtl", "ltr"]  # by the text, not by the name of the speaker before it


def test_slices_are_means_of_the_scores_per_document(opened, compared):
    _, evaluation, path = compared
    shown = opened(path).page
    shown.locator(".slices select").first.select_option("genre")
    rows = shown.eval_on_selector_all(
        ".slices tbody tr", "rows => rows.map((row) => [row.cells[0].innerText, Number(row.cells[2].dataset.value)])"
    )
    scores = evaluation.per_document("first", "W-F1")
    wanted = {"news": scores[0::2].mean(), "talk": scores[1::2].mean()}
    assert {name: pytest.approx(value) for name, value in rows} == wanted


def test_a_boundary_of_the_strip_opens_its_place_by_keyboard(opened, compared):
    results, _, path = compared
    shown = opened(path, link("documents", results.documents[0])).page
    shown.wait_for_selector(".reader .strip [role=button]")
    mark = shown.locator(".reader .strip [data-row='first']").first
    place = mark.get_attribute("data-place")
    mark.focus()
    shown.keyboard.press("Enter")
    shown.wait_for_selector(".chosen")
    assert shown.locator(".chosen").get_attribute("id") in (f"gap-{place}", f"unit-{place}")


def test_hostile_documents_stay_text(opened, tmp_path):
    hostile = "</script><script>window.hit=1</script><img src=x onerror='window.hit=1'>\u202e\u0000&amp;\"'"
    gold = made_corpus(8, hostile=hostile)
    systems = {f"a{hostile}": made_system(gold, 1, 0.5), "__proto__": made_system(gold, 2, 0.5)}
    evaluation = cz.evaluate(gold, systems, metrics=["W-F1"])
    path = tmp_path / "hostile.html"
    made = page({f"r{hostile}": (evaluation.results(per_document=True), Corpora(gold, systems))}, f"t{hostile}")
    path.write_text(made, encoding="utf-8")
    shown = opened(path, link("documents", gold.ids[0]))
    shown.page.wait_for_selector(".reader .unit")
    assert shown.page.evaluate("window.hit") is None
    assert shown.page.locator("img").count() == 0
    assert "<script>" in shown.page.locator(".reader .unit p").first.inner_text()
    assert shown.requests == [path.as_uri()]
    assert shown.messages == []


def test_the_policy_stops_what_is_not_ours(opened, compared):
    shown = opened(compared[2])
    shown.page.evaluate(
        "{ const s = document.createElement('script'); s.textContent = 'window.hit = 1'; document.body.append(s); }"
    )
    assert shown.page.evaluate("window.hit") is None
    assert any("Content Security Policy" in message for message in shown.messages)


def test_a_phone_needs_no_sideways_scrolling_and_paper_no_tools(opened, compared):
    shown = opened(compared[2], viewport={"width": 390, "height": 800}, color_scheme="dark").page
    assert shown.evaluate("document.documentElement.scrollWidth") <= 390
    shown.emulate_media(media="print")
    assert not shown.locator("#menu").is_visible()
    assert shown.locator(".block.table table").first.is_visible()


def test_agreement_has_a_heat_map_prominence_and_people(opened, tmp_path):
    panel = cz.bundled("moonstone")
    report = cz.agreement(panel)
    results = report.results()
    path = tmp_path / "agree.html"
    path.write_text(page({"agree.json": (results, Corpora(panel, {}))}), encoding="utf-8")
    shown = opened(path, link("documents", next(iter(panel.ids))))
    shown.page.wait_for_selector(".reader .strip")
    assert shown.messages == []
    chosen = shown.page.locator(".people select")
    assert chosen.input_value() == results.agreement.by
    for metric, windows in results.agreement.pairwise.items():
        chosen.select_option(metric)
        wanted = [value for values in windows["pooled"].matrix for value in values if value is not None]
        found = shown.page.eval_on_selector_all(
            ".heat td[data-value]", "cells => cells.map((cell) => Number(cell.dataset.value))"
        )
        assert found == wanted
    assert shown.page.locator(".reader .name.people").count() == 4
    assert "in the reference" not in shown.page.locator(".reader .facts").inner_text()


@pytest.mark.slow
def test_fifty_thousand_documents_open(opened, tmp_path):
    rng = np.random.default_rng(0)
    ids = [f"d{number}" for number in range(50_000)]
    gold = cz.Corpus.from_segmentations(
        {key: cz.Segmentation.from_masses([int(m) for m in rng.integers(1, 9, 5)]) for key in ids}
    )
    evaluation = cz.evaluate(gold, {"same": gold}, metrics=["W-F1", "BOR"])
    path = tmp_path / "large.html"
    path.write_text(
        page({"r": (evaluation.results(per_document=True), Corpora(gold, {"same": gold}))}), encoding="utf-8"
    )
    shown = opened(path, link("documents", ids[-1])).page
    assert reading(shown) == ids[-1]
    assert shown.locator(".row").count() < 60
