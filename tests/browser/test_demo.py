"""The page of ``make demo``: it opens from disk, and shows the first six blocks of the bundled chapters."""

from __future__ import annotations

import pytest

from caesura.demo import demonstrate
from tests.browser.conftest import link
from tests.cli.conftest import *  # noqa: F403  (the command line in this process)


@pytest.fixture(scope="module")
def demonstration():
    return demonstrate()


@pytest.fixture
def demo(run, opened, tmp_path):
    """Return the page, and what the command printed."""
    target = tmp_path / "demo.html"
    done = run("demo", "--report", target)
    assert done.code == 0, done.err
    assert target.as_uri() in done.out
    shown = opened(target)
    assert shown.messages == []
    assert shown.requests == [target.as_uri()]
    return shown.page


def test_the_demo_shows_the_first_six_blocks(demo, demonstration):
    compared = demonstration.systems.results(per_document=True)
    found = demo.eval_on_selector_all("section.block", "nodes => nodes.map((node) => node.id)")
    blocks = ["answer", "table", "strip", "density", "regimes", "people"]
    assert [name for name in found if name.startswith("2/")][:6] == [f"2/{name}" for name in blocks]
    block = {name: demo.locator(f"[id='2/{name}']") for name in [*blocks, "documents"]}
    # 1: the sentences, and P(best) of every system
    assert "scores best" in block["answer"].inner_text()
    shares = block["answer"].locator(".bars tr").all_inner_texts()
    best = compared.standings["W-F1"].p_best
    assert [row.split()[0] for row in shares] == sorted(compared.systems, key=lambda name: -best[name])
    # 2: one row per system, every score with a recipe
    rows = block["table"].locator("table").first.locator("tbody tr")
    assert rows.count() == 3
    assert rows.first.locator("button.value").count() == len(compared.metrics) + 2  # chance and clock of W-F1
    # 3: the median document and the worst, people above systems, all four outcomes by shape
    assert block["strip"].locator("svg.strip").count() == 2
    kinds = block["strip"].locator("svg.strip [data-kind]")
    assert {"hit", "near", "wrong", "missed"} <= {node.get_attribute("data-kind") for node in kinds.element_handles()}
    names = block["strip"].locator("svg.strip").first.locator("text.name")
    assert [name.split("\n")[0] for name in names.all_text_contents()][-3:] == [
        f"{name}{name}"
        for name in compared.systems  # the name, and its title
    ]
    # 4: every system a point, the clock and chance drawn in
    legend = block["density"].locator(".legend").inner_text()
    for name in (*compared.systems, "chance at the same density", "a clock at the same density"):
        assert name in legend
    # 5: systems among the people
    assert block["regimes"].locator(".mark").count() >= 3
    heads = block["people"].locator(".everybody thead th").all_inner_texts()
    assert heads == [f"an{number}" for number in range(1, 11)] + list(compared.systems)
    assert block["people"].locator(".everybody .framed").count() > 0
    # the readers have a section of their own, with prominence and density of each
    assert demo.locator("[id='3/people']").get_by_text("Prominence").count() == 1
    # 6: the worst document is open: text, the boundaries of every system, blame, similarity
    reader = block["documents"].locator(".reader")
    assert reader.locator(".unit").count() > 10
    assert reader.locator(".gap .tag", has_text="reader").count() > 0
    assert reader.locator("canvas.similarity").count() == 1
    assert reader.locator("h3").first.inner_text() == block["documents"].locator(".row.current .id").inner_text()


def test_everybody_s_agreement_is_the_library_s(demo, demonstration):
    pairwise = demonstration.readers.pairwise("B")
    cells = demo.eval_on_selector_all(
        ".everybody tbody tr", "rows => rows.map((row) => [...row.cells].slice(1).map((cell) => cell.dataset.value ? Number(cell.dataset.value) : null))"
    )  # fmt: skip
    heads = demo.locator(".everybody thead th").all_inner_texts()
    place = {name: heads.index(name) for name in pairwise.names}
    for i, one in enumerate(pairwise.names):
        for j, other in enumerate(pairwise.names):
            value = cells[place[one]][place[other]]
            wanted = pairwise.matrix[i][j]
            assert value is None if wanted != wanted else value == pytest.approx(wanted, abs=1e-12)
    # framed: a system and an annotator who agree as two annotators do; never two of a kind
    first = len(heads) - 3
    human = [value for row in cells[:first] for value in row[:first] if value is not None]
    wanted = {
        (i, j)
        for i, row in enumerate(cells)
        for j, value in enumerate(row)
        if (i < first) != (j < first) and value is not None and min(human) <= value <= max(human)
    }
    framed = demo.eval_on_selector_all(
        ".everybody tbody tr", "rows => rows.flatMap((row, i) => [...row.cells].slice(1).flatMap((cell, j) => cell.classList.contains('framed') ? [[i, j]] : []))"
    )  # fmt: skip
    assert {tuple(place) for place in framed} == wanted
    assert wanted
    # reader is an1 in the chapters that an1 read
    assert cells[heads.index("an1")][heads.index("reader")] == 1


def test_a_document_of_the_demo_opens_by_its_link(opened, run, tmp_path):
    target = tmp_path / "demo.html"
    run("demo", "--report", target)
    shown = opened(target, link("documents", "ch10", section=2)).page
    shown.locator("[id='2/documents'] .reader h3", has_text="ch10").wait_for()
