"""The page for people who did not run it: without a script, on a phone, on paper, by keyboard."""

from __future__ import annotations

import pytest

import caesura as cz
from caesura.reports.page import page
from tests.browser.conftest import made_corpus, made_system


def test_without_javascript_the_answer_and_the_main_table_are_there(chromium, compared):
    results, _, path = compared
    context = chromium.new_context(java_script_enabled=False, offline=True)
    try:
        tab = context.new_page()
        tab.goto(path.as_uri())
        assert "first comes closest to the reference" in tab.locator(".lead").inner_text()
        cells = tab.locator(".bare table:not(.picture) tbody tr").first.locator("td").all_inner_texts()
        assert cells[0] == "first"
        assert any(cell.startswith(f"{results.systems['first']['W-F1'].score:.3f}") and "[" in cell for cell in cells)
        assert tab.locator(".picture tbody tr").count() == 3  # two systems and the axis
    finally:
        context.close()


def test_the_script_keeps_the_front_and_its_numbers_say_what_they_are(opened, compared):
    results, _, path = compared
    shown = opened(path)
    tab = shown.page
    assert tab.locator(".bare").count() == 0
    assert tab.locator(".front .lead").count() == 1
    tab.locator(".picture td.number button").first.click()
    dialog = tab.locator("dialog.recipe")
    assert dialog.locator("h2").inner_text() == f"first, W-F1: {results.systems['first']['W-F1'].score}"
    words = dialog.locator("p").all_inner_texts()
    assert words[0] == "harmonic mean of boundary precision and recall; higher is better, 1 is perfect"
    assert any(line.startswith("interval: ") for line in words)
    assert not any("sha256" in line or "signature" in line for line in words)
    assert not dialog.locator("pre").is_visible()
    assert shown.messages == []


def test_main_columns_come_first_and_all_of_them_after_a_click(opened, tmp_path):
    gold = made_corpus(6, fields=False)
    evaluation = cz.evaluate(gold, {"first": made_system(gold, 1, 0.8), "second": made_system(gold, 2, 0.3)})
    (tmp_path / "page.html").write_text(page({"r": (evaluation.results(), evaluation.corpora())}), "utf-8")
    shown = opened(tmp_path / "page.html")
    table = shown.page.locator(".block.table .table").first
    heads = table.locator("thead th:visible")
    assert "Coverage ↑" not in heads.all_inner_texts()
    assert table.locator("thead button[title*='lower is better']").count() >= 1
    shown.page.locator("button", has_text="Show all columns").first.click()
    assert "Coverage ↑" in heads.all_inner_texts()


def test_ten_keys_lead_from_the_top_to_a_document(opened, compared):
    shown = opened(compared[2])
    for key in ("Tab", "Tab", "Enter", "ArrowDown"):
        shown.page.keyboard.press(key)
    assert shown.page.evaluate("document.activeElement.className") == "list"
    shown.page.wait_for_function("location.hash.includes('/documents/')")
    assert shown.messages == []


def test_a_table_is_one_stop_and_arrows_move_in_it(opened, compared):
    shown = opened(compared[2])
    shown.page.locator(".block.table thead button").first.focus()
    shown.page.keyboard.press("ArrowDown")
    shown.page.keyboard.press("ArrowRight")
    cell = shown.page.evaluate(
        "[document.activeElement.closest('td,th').cellIndex, document.activeElement.closest('tr').rowIndex]"
    )
    assert cell[1] == 1
    stops = shown.page.locator(".block.table .table").first.locator("table button[tabindex='0']")
    assert stops.count() == 1


@pytest.mark.parametrize("width", [390, 700])
def test_nothing_is_lost_sideways(opened, compared, width):
    """A phone; and A4 without margins, as it is printed."""
    shown = opened(compared[2], viewport={"width": width, "height": 900})
    if width == 700:
        shown.page.emulate_media(media="print")
    assert shown.page.evaluate("document.documentElement.scrollWidth") <= width
    table = shown.page.locator(".block.table .wide").first
    if width == 700:
        assert table.evaluate("node => node.querySelector('table').scrollWidth") <= width - 28
        assert table.locator("thead th").evaluate_all("heads => heads.every((head) => head.offsetParent)")
    name = table.locator("tbody th").first.bounding_box()
    assert name["x"] >= 0
    assert name["width"] > 30


def test_long_names_are_shortened_in_the_middle_and_stay_apart(opened, tmp_path):
    gold = made_corpus(6, fields=False)
    names = [f"a-system-with-a-very-long-name-and-prompt-v{n}" for n in (1, 2)]
    evaluation = cz.evaluate(gold, {name: made_system(gold, n, 0.5) for n, name in enumerate(names)}, ["W-F1", "BOR"])
    (tmp_path / "page.html").write_text(
        page({"r": (evaluation.results(per_document=True), evaluation.corpora())}), "utf-8"
    )
    shown = opened(tmp_path / "page.html", viewport={"width": 390, "height": 844})
    shown.page.wait_for_selector(".teaser svg.strip")
    found = (
        shown.page.locator(".teaser")
        .first.locator("text.name:not(.people)")
        .evaluate_all("all => all.map((one) => one.firstChild.data)")
    )
    assert len(set(found)) == 2
    assert all(text.startswith("a-s") and "…" in text and text.endswith(("v1", "v2")) for text in found)
    assert shown.page.locator(".picture th").all_inner_texts() in (names, names[::-1])


def test_names_that_differ_in_the_middle_or_by_a_letter_stay_apart(opened, tmp_path):
    gold = made_corpus(6, fields=False)
    begin, end = "a-system-with-a-long-name-", "-and-the-same-end-of-its-name"
    names = [*(f"{begin}{word}{end}" for word in ("one", "two", "two-and-a-half")), f"{begin}three{end}"]
    evaluation = cz.evaluate(gold, {name: made_system(gold, n, 0.5) for n, name in enumerate(names)}, ["W-F1", "BOR"])
    (tmp_path / "page.html").write_text(
        page({"r": (evaluation.results(per_document=True), evaluation.corpora())}), "utf-8"
    )
    shown = opened(tmp_path / "page.html", viewport={"width": 390, "height": 844})
    shown.page.wait_for_selector(".teaser svg.strip")
    rows = shown.page.locator(".teaser").first.locator("text.name:not(.people)")
    found = rows.evaluate_all("all => all.map((one) => one.firstChild.data)")
    assert all(
        word[:4] in text for word, text in zip(("one", "two", "two-", "three"), found, strict=True)
    )  # what differs, not numbers
    assert len(set(found)) == len(names)
    assert all("…" in text and not text[-1].isdigit() for text in found)


def test_runs_stand_side_by_side_above_their_sections(opened, compared, tmp_path):
    results, evaluation, _ = compared
    runs = {name: (results, evaluation.corpora()) for name in ("monday.json", "friday.json")}
    (tmp_path / "page.html").write_text(page(runs), "utf-8")
    shown = opened(tmp_path / "page.html")
    assert shown.page.locator("main > #history h1").inner_text() == "2 runs side by side"
    assert shown.page.locator("#history .picture").count() == 2  # one per system
    assert shown.page.locator(".results").count() == 2
    assert shown.messages == []
