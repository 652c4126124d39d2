"""Blocks that only some questions have, and numbers that have a link of their own."""

from __future__ import annotations

import json
import re

import pytest

import caesura as cz
from caesura.evaluation.correlate.run import correlate
from caesura.evaluation.outcome import Corpora
from caesura.reports.page import page
from caesura.results import tables_of
from caesura.tuning.tune import tune
from tests.browser.conftest import link, made_corpus, made_system, reading
from tests.cli.conftest import *  # noqa: F403  (the command line in this process)
from tests.examples import write_example_files


@pytest.fixture(scope="module")
def gold():
    return made_corpus(12, units=(20, 40), fields=False)


@pytest.fixture
def write(tmp_path):
    """Return a function that writes the page of an outcome."""

    def written(outcome, corpora=None):
        path = tmp_path / "page.html"
        path.write_text(page({"r": (outcome.results(), outcome.corpora() if corpora is None else corpora)}), "utf-8")
        return path

    return written


def _cells(shown, table):
    return shown.eval_on_selector_all(
        f"{table} tbody tr", "rows => rows.map((row) => [...row.cells].slice(1).map((cell) => cell.dataset.value ? Number(cell.dataset.value) : null))"
    )  # fmt: skip


def test_correlations_are_a_heat_map_with_the_systems_behind_a_cell(opened, write, gold):
    systems = {f"s{share}": made_system(gold, share, share / 10) for share in (2, 5, 8, 9)}
    outcome = correlate(gold, systems, ["ARPpair", "Silhouette", "Pk", "W-F1"], baselines="even", resamples=50)
    shown = opened(write(outcome), link("correlations")).page
    rows = outcome.facts.rows

    def wanted(reading, coefficient):
        found = {(r.metric, r.reference): getattr(r, coefficient).value for r in rows if r.reading == reading}
        return [[found[metric, other] for other in ("Pk", "W-F1")] for metric in ("ARPpair", "Silhouette")]

    assert _cells(shown, ".correlations .heat") == wanted("all", "pearson")
    shown.locator(".correlations select").nth(0).select_option("without baselines")
    shown.locator(".correlations select").nth(1).select_option("kendall")
    assert _cells(shown, ".correlations .heat") == wanted("without baselines", "kendall")
    shown.locator(".correlations .heat button").last.click()
    assert shown.locator(".correlations h3").inner_text() == "Silhouette and W-F1"
    assert shown.locator(".correlations .chart .mark").count() == 4  # without the baseline


def test_damages_are_a_heat_map_and_curves(opened, run, tmp_path, gold):
    cz.save(gold, tmp_path / "gold.jsonl")
    assert (
        run("validate", tmp_path / "gold.jsonl", "-o", tmp_path / "r.json", "--report", tmp_path / "p.html").code == 0
    )
    shown = opened(tmp_path / "p.html").page
    facts = next(iter(json.loads((tmp_path / "r.json").read_text())["validity"]["encoders"].values()))
    assert _cells(shown, ".damages .heat") == [list(trust["damages"].values()) for trust in facts["metrics"].values()]
    assert shown.locator(".damages .chart").count() == 3  # removal, splitting, transposition have levels


def test_settings_are_bars_best_first(opened, write):
    outcome = tune(cz.bundled("moonstone").consensus(0.5), "TextTiling", {"window": [2, 4, 6]}, "W-F1")
    shown = opened(write(outcome)).page
    rows = shown.locator(".settings .bars tr").all_inner_texts()
    ordered = sorted(outcome.facts.tried, key=lambda one: -one.score)
    assert [row.split("\t")[0] for row in rows] == [one.method for one in ordered]
    assert "chosen" in rows[0]


def test_every_number_of_a_table_has_a_link_and_a_recipe(opened, compared):
    results, _, path = compared
    tables = tables_of(results)
    table = next(number for number, each in enumerate(tables, start=1) if each.detail)
    row, column = next(
        (r, c)
        for r, values in enumerate(tables[table - 1].rows)
        for c, value in enumerate(values)
        if c and isinstance(value, float)
    )
    shown = opened(path, f"#1/table/{table}/{row + 1}/{column + 1}")
    text = shown.page.locator("dialog pre").text_content()
    assert str(tables[table - 1].columns[column].title) in text
    assert f"caesura: {results.caesura}" in text
    shown.page.locator("dialog button", has_text="Copy link").click()
    shown.page.wait_for_selector("#announce.shown")
    assert shown.copied().endswith(f"#1/table/{table}/{row + 1}/{column + 1}")
    lacking = shown.page.eval_on_selector_all(
        "table.sortable td[data-value], .slices td[data-value], .document-scores td",
        "cells => cells.filter((cell) => !cell.querySelector('button.value')).map((cell) => cell.outerHTML)",
    )
    assert lacking == []


def test_a_link_to_no_number_does_nothing(opened, compared):
    shown = opened(compared[2], "#1/table/1/99/99")
    assert shown.messages == []
    assert shown.page.locator("dialog").count() == 0


def test_segments_over_a_token_limit_are_counted_in_words(opened, compared):
    _, evaluation, path = compared
    shown = opened(path, link("lengths")).page
    shown.locator(".lengths input").nth(0).fill("40")
    shown.locator(".lengths input").nth(1).fill("1")
    found = shown.eval_on_selector_all(
        ".limits tbody tr", "rows => rows.map((row) => [...row.cells].map((cell) => cell.innerText))"
    )
    gold = evaluation.reference.corpus
    for name, segments, _, longest, over, _ in found:
        corpus = gold if name == "reference" else evaluation.systems[name].corpus
        words = [
            sum(len(text.split()) for text in gold[document.id].units[start:end])
            for document in corpus
            for start, end in zip(
                (0, *document.segmentation.boundaries),
                (*document.segmentation.boundaries, document.n_units),
                strict=True,
            )
        ]
        assert [segments, longest, over] == [str(len(words)), str(max(words)), str(sum(count > 40 for count in words))]


@pytest.fixture
def chapters(run, tmp_path):
    """Write the page of the chapters of a show, one list by an editor and one by a machine."""
    write_example_files(tmp_path / "examples")
    done = run("evaluate", tmp_path / "examples/show.txt", tmp_path / "examples/auto.json", "--report", tmp_path / "show.html")  # fmt: skip
    assert done.code == 0, done.err
    return tmp_path / "show.html"


def test_chapters_have_times_titles_and_the_library_s_scores(opened, chapters):
    shown = opened(chapters).page
    shown.wait_for_selector(".chapters")
    rows = shown.eval_on_selector_all(
        ".chapters tbody tr", "rows => rows.map((row) => [...row.cells].map((cell) => cell.innerText))"
    )
    # partners in one row, and in rows of their own the chapter that is false and the one that is missed
    assert rows[2:5] == [
        ["0:12:10 Interview: the lighthouse keeper", "0:12:08 The lighthouse", "found, 2 s early"],
        ["", "0:22:00 The sea", "extra"],
        ["0:24:40 Fog and foghorns", "", "missed"],
    ]
    assert len(rows) == 9
    heads = shown.locator("main .block > h2").all_inner_texts()
    assert [head.rstrip("#") for head in heads][:3] == ["The answer", "Documents", "Scores"]
    parts = shown.locator(".reader > *").evaluate_all("all => all.map((one) => one.className)")
    assert parts.index("player") < parts.index("wide chapters") < parts.index("wide")  # the strip comes after them
    examples = chapters.parent / "examples"
    evaluation = cz.evaluate(examples / "show.txt", {"auto": examples / "auto.json"})
    scores = dict(
        shown.eval_on_selector_all(
            ".document-scores td", "cells => cells.map((cell) => [cell.dataset.metric, Number(cell.dataset.value)])"
        )
    )  # fmt: skip
    names = {
        "Pk": "Pk",
        "WindowDiff": "WindowDiff",
        "F1 (10s)": "BoundaryF1(tolerance='10s')",
        "BOR": "BOR",
        "Purity": "Purity",
    }
    for here, there in names.items():
        assert scores[here] == pytest.approx(evaluation.per_document("auto", there)[0], abs=1e-12)


def _kinds(shown, row):
    found = shown.eval_on_selector_all(f".reader .strip [data-row='{row}']", "nodes => nodes.map((node) => node.dataset.kind)")  # fmt: skip
    return {kind: found.count(kind) for kind in ("hit", "near", "wrong", "missed")}


def test_chapters_are_found_within_the_tolerance_of_their_f1(opened, chapters):
    shown = opened(chapters).page
    shown.wait_for_selector(".chapters")
    # F1 is 6 / 7 with 7 boundaries on both sides, so 6 are found
    assert _kinds(shown, "auto") == {"hit": 6, "near": 0, "wrong": 1, "missed": 1}
    assert "auto: 6 found, 0 near, 1 false, 1 missed." in shown.locator(".document-scores").inner_text()
    assert shown.locator(".legend", has_text="found (within 10 s)").count() == 2
    tips = shown.locator(".reader .strip .hit title").all_text_contents()
    assert "auto: found boundary, 4 s after the reference, at 0:01:34" in tips


def test_a_tolerance_that_was_asked_for_decides_what_is_found(opened, run, chapters):
    files = chapters.parent / "examples"
    asked = ["-m", "BoundaryF1(tolerance='3s')", "-m", "BOR"]
    assert run("evaluate", files / "show.txt", files / "auto.json", *asked, "--report", chapters, "--force").code == 0  # fmt: skip
    shown = opened(chapters).page
    shown.wait_for_selector(".chapters")
    # off by 4, 2, 1, 5, 1 and 2 seconds and more, so three of seven: F1 is 3 / 7
    scores = shown.locator(".document-scores td").all()
    named = {cell.get_attribute("data-metric"): cell.get_attribute("data-value") for cell in scores}
    assert float(named["BoundaryF1(tolerance='3s')"]) == pytest.approx(3 / 7)
    kinds = _kinds(shown, "auto")
    assert (kinds["hit"], kinds["hit"] + kinds["near"] + kinds["wrong"]) == (3, 7)
    assert shown.locator(".legend", has_text="found (within 3 s)").count() == 2


def test_chapters_have_chance_and_a_clock_over_density(opened, run, chapters):
    files = chapters.parent / "examples"
    run("evaluate", files / "show.txt", files / "auto.json", "-o", files / "results.json")
    verdict = json.loads((files / "results.json").read_text())["verdicts"]["auto"]
    shown = opened(chapters).page
    wanted = {
        "chance": verdict["findings"]["W-F1"]["chance"],
        "a clock": max(clock["score"] for clock in verdict["clocks"].values()),
    }
    for words, level in wanted.items():
        mark = shown.locator(f".density [data-link^='#1/density/{words.replace(' ', '%20')}']")
        assert float(mark.get_attribute("data-value")) == level
        assert float(mark.get_attribute("data-x")) == verdict["bor"]


def test_a_metric_has_one_name_on_a_page(opened, chapters):
    shown = opened(chapters).page
    shown.wait_for_selector(".chapters")
    for details in shown.locator("details").all():
        details.evaluate("node => { node.open = true; }")
    text = shown.locator("main").inner_text()
    command = shown.locator(".method pre").inner_text()
    assert "BoundaryF1(tolerance='10s')" in command  # as a command has to name it
    assert "BoundaryF1(" not in text.replace(command, "")
    assert set(re.findall(r"F1 \(.*?\)", text)) == {"F1 (10s)"}
    assert "F1 (10s)" in shown.locator(".side select option").all_inner_texts()


def test_a_recording_above_an_hour_has_hours(opened, run, tmp_path):
    (tmp_path / "gold.txt").write_text("0:00 Start\n59:30 Break\n1:15:00 Questions\n2:05:10 End\n")
    (tmp_path / "auto.txt").write_text("0:00 Start\n59:30 Break\n1:15:08 Questions\n2:05:10 End\n")
    done = run("evaluate", tmp_path / "gold.txt", tmp_path / "auto.txt", "--duration", "2:10:00", "--report", tmp_path / "page.html")  # fmt: skip
    assert done.code == 0, done.err
    shown = opened(tmp_path / "page.html").page
    shown.wait_for_selector(".chapters")
    assert shown.locator(".reader .facts").inner_text().startswith("2:10:00, 3 boundaries")
    starts = [text.split(" ")[0] for text in shown.locator(".chapters td:not(.outcome)").all_inner_texts()]
    assert starts == ["0:00:00", "0:00:00", "0:59:30", "0:59:30", "1:15:00", "1:15:08", "2:05:10", "2:05:10"]
    ticks = shown.locator(".reader .strip .tick").all_text_contents()
    assert ticks[0] == "0:00:00"
    assert all(re.fullmatch(r"[0-2]:[0-5]\d:00", tick) for tick in ticks)


def test_a_recording_is_played_along(opened, chapters, recording):
    shown = opened(chapters)
    tab = shown.page
    tab.wait_for_selector(".player input[type=file]")
    tab.locator(".player input[type=file]").set_input_files(recording)
    # The policy of the page forbids the strings that wait_for_function runs, so it is asked until it is so.
    for _ in range(100):
        if tab.evaluate("document.querySelector('audio')?.readyState >= 1"):
            break
        tab.wait_for_timeout(50)
    tab.locator(".chapters button", has_text="0:01:30").click()
    tab.wait_for_selector(".reader .cursor:not([visibility])", state="attached")
    assert not tab.evaluate("document.querySelector('audio').paused")
    tab.evaluate("document.querySelector('audio').pause()")
    played = tab.evaluate("document.querySelector('audio').currentTime")
    assert 90 <= played < 110
    at, mark = (
        float(tab.locator(selector).first.get_attribute(name))
        for selector, name in ((".reader .cursor", "x1"), (".reader [data-row=reference]", "cx"))
    )
    # the line stands on the first boundary of the reference, at 0:01:30, and goes on from there; 30 pixels are two minutes
    assert mark - 0.01 <= at < mark + 5
    assert shown.messages == []
    assert all(url.startswith(("file:", "blob:")) for url in shown.requests)


def test_chapters_need_no_sideways_scrolling_on_a_phone(opened, chapters):
    shown = opened(chapters, viewport={"width": 390, "height": 800}).page
    shown.wait_for_selector(".player input[type=file]")
    assert shown.evaluate("document.documentElement.scrollWidth") <= 390


def test_a_scorer_without_boundaries_is_cut_as_densely_as_the_reference(opened, write, gold):
    scorer = cz.Corpus(
        [
            cz.Document(id=d.id, n_units=d.n_units, scores=made.scores)
            for d, made in zip(gold, made_system(gold, 1, 0.8), strict=True)
        ]
    )
    outcome = cz.sweep(gold, {"scorer": scorer}, resamples=20)
    shown = opened(write(outcome, Corpora(gold, {"scorer": scorer})), link("documents", "doc 3")).page
    shown.wait_for_selector(".reader .document-scores")
    bor = shown.locator(".document-scores td[data-metric=BOR]").get_attribute("data-value")
    assert float(bor) == 1
    assert shown.locator(".threshold").inner_text() == "as dense as the reference"


def test_a_sweep_draws_the_clock_and_chance_at_every_density(opened, write, gold):
    outcome = cz.sweep(gold, {"scorer": made_system(gold, 1, 0.8)}, resamples=20)
    results = outcome.results()
    shown = opened(write(outcome)).page
    legend = shown.locator(".density .legend").inner_text()
    for kind, words in (("clock", "a clock at the same density"), ("chance", "chance at the same density")):
        assert words in legend
        found = shown.eval_on_selector_all(
            f".density [data-link^='#1/density/{words.replace(' ', '%20')}/']",
            "nodes => nodes.map((node) => [Number(node.dataset.x), Number(node.dataset.value)])",
        )
        wanted = [
            [scores["BOR"], scores["W-F1"]]
            for scores in results.sweep.blind[kind]
            if scores["BOR"] is not None and scores["W-F1"] is not None
        ]
        assert found == wanted
        assert len(found) > 3


def test_a_chart_works_by_keyboard(opened, compared):
    shown = opened(compared[2]).page
    marks = shown.locator(".density [role=button]")
    marks.first.focus()
    shown.keyboard.press("ArrowRight")
    link_there = shown.evaluate("document.activeElement.dataset.link")
    assert link_there == marks.nth(1).get_attribute("data-link")
    shown.keyboard.press("Enter")
    assert "W-F1" in shown.locator("dialog pre").text_content()
    shown.keyboard.press("Escape")
    shown.locator("dialog").wait_for(state="detached")
    assert shown.evaluate("document.activeElement.dataset.link") == link_there
    # the number of a row of the list opens by Enter
    shown.locator(".list").focus()
    shown.keyboard.press("Enter")
    text = shown.locator("dialog pre").text_content()
    assert re.match(r"document .+: first: \d+ of \d+ boundaries missed, \d+ false\n", text)


@pytest.mark.parametrize(("motion", "behavior"), [("reduce", "auto"), ("no-preference", "smooth")])
def test_nothing_moves_for_those_who_ask_for_rest(opened, compared, motion, behavior):
    results, _, path = compared
    shown = opened(path, link("documents", results.documents[0]), reduced_motion=motion).page
    shown.locator(".blame th button").first.wait_for()
    shown.evaluate("Element.prototype.scrollIntoView = function (how) { window.how = how; }")
    shown.locator(".blame th button").first.click()
    assert shown.evaluate("window.how.behavior") == behavior
    moving = shown.evaluate("[...document.querySelectorAll('*')].filter((node) => getComputedStyle(node).transitionDuration !== '0s' || getComputedStyle(node).animationName !== 'none').length")  # fmt: skip
    assert moving == 0


def test_the_list_of_documents_has_the_scores_of_the_results(opened, compared):
    results, _, path = compared
    shown = opened(path, link("documents")).page
    shown.locator(".side select").nth(1).select_option("W-F1")
    rows = shown.eval_on_selector_all(
        ".list .row",
        "rows => rows.map((row) => [row.querySelector('.id').title, Number(row.querySelector('.number').dataset.value)])",
    )
    assert len(rows) > 10
    for key, value in rows:
        assert value == results.per_document["first"]["W-F1"][results.documents.index(key)]


def test_extra_boundaries_say_whether_the_text_supports_them(opened, write):
    words = ["river bridge water", "ledger price market", "engine piston wheel"]
    units = [f"{words[at // 8]} {at}" for at in range(24)]
    gold = {"id": "d", "units": units, "boundaries": [16]}
    auto = {"id": "d", "n_units": 24, "boundaries": [8, 16, 20]}  # 8 is where the words change, 20 is not
    evaluation = cz.evaluate([gold], {"auto": [auto]}, metrics=["Pk", "W-F1"])
    evaluation.extra_boundaries("words")
    assert evaluation.results().extra["auto"].places == {"d": [(8, True), (20, False)]}
    shown = opened(write(evaluation), link("documents", "d")).page
    reading(shown)
    assert shown.locator(".reader .strip .ring").count() == 1
    for gap, said in ((8, "extra: the text supports it"), (20, "extra: the text does not support it")):
        assert said in shown.locator(f"#gap-{gap} .tag").inner_text()
        assert said in shown.locator(f".reader .strip [data-row=auto][data-place='{gap}'] title").text_content()
    assert "extra" not in shown.locator("#gap-16").inner_text()
    assert "extra, and the text supports it" in shown.locator(".reader p.legend").inner_text()
    assert "The text supports 1 of 2 extra boundaries." in shown.locator(".document-scores").inner_text()
    for which, count in (("that the text supports", 1), ("that the text does not support", 1)):
        shown.get_by_label("Show").select_option(f"with extra boundaries {which}")
        assert shown.locator(".side [role=status]").inner_text().startswith(f"{count} document")


def test_a_page_shows_where_the_runs_of_a_system_part(opened, write, gold):
    runs = [made_system(gold, seed, 0.6) for seed in (1, 2, 3)]
    evaluation = cz.evaluate(gold, {"llm": runs, "even": made_system(gold, 9, 0.4)}, metrics=["Pk", "W-F1"])
    path = write(evaluation)
    key = gold.ids[0]
    marked = [set(run[key].segmentation.boundaries) for run in runs]
    votes = {gap: sum(gap in places for places in marked) for gap in set().union(*marked)}
    assert len(set(votes.values())) > 1
    shown = opened(path, link("documents", key)).page
    reading(shown)
    row = ".reader .strip [data-row='llm: 3 runs']"
    found = shown.eval_on_selector_all(row, "nodes => nodes.map((node) => [Number(node.dataset.place), node.dataset.kind])")  # fmt: skip
    kinds = {3: "unanimous", 2: "majority", 1: "minority"}
    assert dict(found) == {gap: kinds[count] for gap, count in votes.items()}
    for gap, count in votes.items():
        tags = shown.locator(f"#gap-{gap} .tag").all_inner_texts()
        assert (f"runs of llm part: {count} of 3" in tags) == (count < 3)
    assert "all runs" in shown.locator(".reader p.legend").inner_text()
    shown.locator(".side label.field:has(span:text-is('by')) select").select_option("gaps where the runs of llm part")
    apart = [
        sum(0 < sum(gap in run[key].segmentation.boundaries for run in runs) < 3 for gap in range(1, gold[key].n_units))
        for key in gold.ids
    ]
    first = [int(text) for text in shown.locator(".side .row .number").all_inner_texts()]
    assert first == sorted(apart, reverse=True)[: len(first)]
    shown.locator(".side label.field:has(span:text-is('by')) select").select_option("missed and false boundaries")
    assert "-" not in shown.locator(".side .row .number").all_inner_texts()


def test_people_systems_and_consensus_are_on_one_axis(opened, write):
    documents = [
        {"id": f"d{k}", "n_units": 20, "annotations": {"ada": [5, 10], "bob": [5, 11, 15], "cem": [5 + k % 2]}}
        for k in range(6)
    ]
    system = [{"id": f"d{k}", "n_units": 20, "boundaries": [5, 9]} for k in range(6)]
    evaluation = cz.evaluate(documents, {"auto": system}, metrics=["W-F1", "BOR"], against="all")
    points = evaluation.results().axis.points
    shown = opened(write(evaluation), link("peers")).page
    marks = shown.locator(".peers .chart .mark")
    drawn = sorted((float(mark.get_attribute("data-x")), float(mark.get_attribute("data-value"))) for mark in marks.all())  # fmt: skip
    wanted = [(p.bor, p.scores["W-F1"]) for p in points if p.bor and p.scores["W-F1"] is not None]
    assert drawn == sorted(wanted)
    assert {p.what for p in points} == {"system", "annotator", "consensus"}
    assert shown.locator(".peers .legend span").count() == 3


def test_slices_show_their_tests_below_the_means(opened, write, gold):
    systems = {"first": made_system(gold, 1, 0.95), "second": made_system(gold, 2, 0.05)}
    evaluation = cz.evaluate(gold, systems, metrics=["W-F1", "Pk"])
    evaluation.compare()
    evaluation.slices("length")
    path = write(evaluation)
    results = evaluation.results(per_document=True)
    path.write_text(page({"r": (results, evaluation.corpora())}), "utf-8")
    shown = opened(path, link("slices")).page
    rows = shown.locator(".slices tbody tr")
    assert rows.count() == len(results.slices.documents)
    for row, slice_ in zip(rows.all(), results.slices.documents, strict=True):
        test = results.slices.against_best(slice_, "second", "W-F1")
        said = row.locator("small").all_inner_texts()
        assert len(said) == 1
        assert f"p {test.p_corrected:.3f}" in said[0]
        assert f"{abs(test.difference):.3f}" in said[0]
        assert ("first better" in said[0]) == (test.better == "first")
    assert "Holm" in shown.locator(".slices .hint").inner_text()
