"""The page of ``caesura spans``: chunks and answers in the text, cut answers first."""

from __future__ import annotations

import re

import pytest

import caesura as cz
from caesura.reports.page import page

HOSTILE = "</script><img src=x onerror=document.title='owned'> <b>&amp;\u202e"
# An emoji counts as two characters in a browser, and as one in Python.
TEXTS = {
    "easy": "Cats sleep. Dogs bark. Birds sing.",
    "hard": f"One \U0001f600 two three. Four five {HOSTILE} six. Seven eight nine. Ten eleven.",
}
OVERLAPPING = {
    "easy": ["Cats sleep. Dogs bark.", "Birds sing."],
    "hard": ["One \U0001f600 two three. Four five", f"Four five {HOSTILE} six. Seven", "nine. Ten eleven."],
}
WHOLE = {name: [text] for name, text in TEXTS.items()}
ANSWERS = {
    "easy": ["Dogs bark"],
    "hard": ["\U0001f600 two", "three. Four five", "six. Seven eight", "Seven eight nine", "Ten eleven"],
}


@pytest.fixture(scope="module")
def report():
    return cz.spans(TEXTS, ANSWERS, {"overlapping": OVERLAPPING, "whole": WHOLE}, resamples=2, clock=False)


@pytest.fixture
def shown(report, opened, tmp_path):
    target = tmp_path / "page.html"
    target.write_text(page({"spans": (report.results(per_document=True), report.corpora())}), "utf-8")

    def show(fragment="", **options):
        visit = opened(target, fragment, **options)
        visit.page.wait_for_selector(".passage")
        return visit

    return show


def test_where_answers_and_chunks_lie(report):
    """In characters of the text, for each answer with the chunks it needs and the share that is lost."""
    found = report.corpora().spans
    assert list(found) == ["easy", "hard"]
    hard, text = found["hard"], TEXTS["hard"]
    assert hard.text == text
    assert [text[start:end] for start, end in hard.spans] == ANSWERS["hard"]
    assert [text[start:end] for start, end in hard.chunks["overlapping"]] == OVERLAPPING["hard"]
    assert hard.chunks["whole"] == [(0, len(text))]
    # "eight" is in no chunk: 5 of the 14 letters of "six. Seven eight", 5 of "Seven eight nine"
    assert hard.needed["overlapping"] == [
        (1, 0), (1, 0), (1, pytest.approx(5 / 14)), (2, pytest.approx(5 / 14)), (1, 0),
    ]  # fmt: skip
    assert hard.needed["whole"] == [(1, 0)] * 5


def test_cut_answers_come_first_and_the_text_is_the_text(shown):
    visit = shown()
    tab = visit.page
    assert tab.locator(".list .row").all_inner_texts() == ["hard\n2 of 5 cut", "easy\n0 of 1 cut"]
    assert tab.locator(".reader h3").inner_text() == "hard"
    rows = tab.locator(".answers tbody tr")
    firsts = rows.locator("th").all_inner_texts()
    assert set(firsts[:2]) == {"six. Seven eight", "Seven eight nine"}
    assert firsts[2:] == ["\U0001f600 two", "three. Four five", "Ten eleven"]
    needs = {row.locator("th").inner_text(): row.locator("td").all_inner_texts() for row in rows.all()}
    assert needs["Seven eight nine"] == ["cut: 2 chunks, 36 % lost", "whole"]
    assert needs["six. Seven eight"] == ["cut: 1 chunk, 36 % lost", "whole"]
    assert needs["Ten eleven"] == ["whole", "whole"]
    # every character of the text, and nothing else; what looks like HTML is text
    assert tab.locator(".passage").evaluate("node => node.textContent") == TEXTS["hard"]
    assert tab.title() != "owned"
    assert tab.locator(".passage img, .passage b").count() == 0
    assert visit.messages == []
    assert all(url.startswith("file:") for url in visit.requests)


def test_chunks_overlaps_and_gaps_are_drawn(shown):
    tab = shown().page
    parts = tab.locator(".passage > *").evaluate_all(
        "nodes => nodes.map((node) => [node.className, node.dataset.n || node.textContent])"
    )
    limits = [(kind, int(text)) for kind, text in parts if kind.startswith("limit")]
    # the second begins inside the first; "eight" is in none; the last ends with the text
    assert limits == [("limit", 1), ("limit", 2), ("limit end", 1), ("limit end", 2), ("limit", 3)]
    assert "".join(text for kind, text in parts if "shared" in kind) == "Four five"
    assert "".join(text for kind, text in parts if "none" in kind.split()).strip() == "eight"
    cut = "".join(text for kind, text in parts if "parted" in kind)
    assert cut == "six. Seven eight nine"
    whole = [text for kind, text in parts if "wanted" in kind and "parted" not in kind]
    assert "".join(whole) == "\U0001f600 twothree. Four fiveTen eleven"
    assert tab.locator(".chunkmap .chunk").count() == 3 + 1
    assert tab.locator(".chunkmap .parted").count() == 2
    tab.get_by_role("button", name="Ten eleven").click()
    assert tab.locator(".passage .chosen").all_inner_texts() == ["Ten eleven"]


def test_another_chunker_and_a_link(shown):
    tab = shown("#1/documents/easy/whole").page
    tab.wait_for_function("document.querySelector('.reader h3').textContent === 'easy'")
    assert tab.locator(".side select").input_value() == "whole"
    assert tab.locator(".passage .limit").count() == 1
    assert "0 of 5 cut" in tab.locator(".list").inner_text()
    tab.locator(".side select").select_option("overlapping")
    assert tab.locator(".passage .limit").count() == 2
    assert "2 of 5 cut" in tab.locator(".list").inner_text()


def test_nothing_on_the_page_is_empty_or_counts_the_wrong_thing(shown):
    tab = shown().page
    blocks = tab.eval_on_selector_all("section.block", "nodes => nodes.map((node) => node.id.slice(2))")
    assert not {"strip", "density", "regimes"} & set(blocks)
    assert tab.eval_on_selector_all("svg", "nodes => nodes.filter((node) => !node.children.length).length") == 0
    facts = tab.locator(".reader .facts").inner_text()
    assert facts == f"{len(TEXTS['hard'])} characters; 5 answers, 2 of them cut; 3 chunks of overlapping."
    lengths = tab.locator("section.lengths .limits tbody tr").first.locator("td").all_inner_texts()
    words = [len(chunk.split()) for row in OVERLAPPING.values() for chunk in row]
    assert lengths[:1] == [str(len(words))]
    assert lengths[2] == str(max(words))


def test_a_long_text_is_shown_in_parts_around_the_answer(opened, tmp_path):
    """The first view is the part with the cut answer, far from the start."""
    text = " ".join(f"word{number}" for number in range(8000))
    chunks = [text[start : start + 500] for start in range(0, len(text), 500)]
    place = text.index(chunks[100]) - 8
    spans = [[10, 15], [place, place + 16]]
    report = cz.spans({"long": text}, {"long": spans}, {"fixed": {"long": chunks}}, resamples=2, clock=False)
    target = tmp_path / "long.html"
    target.write_text(page({"spans": (report.results(per_document=True), report.corpora())}), "utf-8")
    tab = opened(target).page
    tab.wait_for_selector(".passage")
    part = tab.locator(".passage").evaluate("node => node.textContent")
    assert len(part) < 20_000
    assert text[place : place + 16] in part
    assert re.fullmatch(r"Later \([\d,]+ characters more\)", tab.get_by_role("button", name="Later").inner_text())
    tab.get_by_role("button", name="Earlier").click()
    assert text[place : place + 16] not in tab.locator(".passage").evaluate("node => node.textContent")
    tab.locator(".answers tbody button.value").first.click()
    assert text[place : place + 16] in tab.locator(".passage").evaluate("node => node.textContent")
    assert "parted" in tab.locator(".passage .chosen").first.get_attribute("class")


def test_without_texts_answers_are_units(opened, tmp_path):
    documents = cz.Corpus([cz.Document(id="d", n_units=9)])
    cuts = {"a": {"d": cz.Segmentation(9, (3, 5))}}
    report = cz.spans(documents, {"d": [(0, 3), (2, 6)]}, cuts, resamples=2, clock=False)
    found = report.corpora().spans["d"]
    assert (found.text, found.spans, found.chunks["a"]) == (None, [(0, 3), (2, 6)], [(0, 3), (3, 5), (5, 9)])
    target = tmp_path / "units.html"
    target.write_text(page({"spans": (report.results(per_document=True), report.corpora())}), "utf-8")
    tab = opened(target).page
    tab.wait_for_selector(".answers")
    assert tab.locator(".answers tbody th").all_inner_texts() == ["units 3 to 6", "units 1 to 3"]
    assert tab.locator(".answers tbody td").all_inner_texts() == ["cut: 3 chunks", "whole"]
    assert tab.locator(".reader .facts").inner_text().startswith("9 units; 2 answers, 1 of them cut")
