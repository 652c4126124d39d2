"""Generated pages equal what the declarations give now, and every page that is linked exists."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from scripts.docs import DOCS, pages  # noqa: E402
from tests.corpora import corpus_file, needs  # noqa: E402

PAGES = pages()


@pytest.mark.parametrize("name", sorted(PAGES))
def test_page_is_fresh(name):
    assert (DOCS / name).read_text(encoding="utf-8") == PAGES[name], f"{name} is stale; run: make docs"


def test_the_page_on_validity_comes_from_its_numbers():
    from studies.validity.study import page

    assert (DOCS / "validate.md").read_text(encoding="utf-8") == page(), "run: python -m studies.validity.study page"


def test_the_page_on_placement_comes_from_its_numbers():
    from studies.placement.study import page

    assert (DOCS / "placement.md").read_text(encoding="utf-8") == page(), "run: python -m studies.placement.study page"


@needs("tiage", "tinyrec", "moonstone_annotations.json")
def test_the_page_on_files_is_what_becomes_of_them():
    from scripts.inputs import PAGE, page

    text, counts, misread = page()
    assert not misread
    assert counts["at once"] >= 50
    assert sum(counts.values()) >= 60
    assert PAGE.read_text(encoding="utf-8") == text, "run: python -m scripts.inputs"


def test_the_page_on_segmenters_comes_from_its_numbers():
    from studies.segmenters.study import page

    assert (DOCS / "segmenters.md").read_text(encoding="utf-8") == page(), (
        "run: python -m studies.segmenters.study page"
    )


def test_the_pages_on_reproductions_come_from_their_results():
    from caesura_reproductions.pages import pages

    for name, text in pages().items():
        assert (DOCS / name).read_text(encoding="utf-8") == text, "run: python -m caesura_reproductions.pages page"


@pytest.mark.slow
def test_the_results_of_reproductions_are_those_of_now():
    """Of every item that needs no data; the others by name. Paper 004 takes all chapters where they are, as its page does."""
    from caesura.results import read_results
    from caesura_reproductions.pages import stored
    from caesura_reproductions.run import items, reproduce

    for number, path in stored().items():
        kept = read_results(path)
        advice = f"run: python -m caesura_reproductions.pages run {number}, then page"
        assert [item.name for item in kept.reproduction.items] == list(items(number)), advice
        for item in items(number).values():
            if not item.needs and (number != "004" or corpus_file("moonstone_release").is_dir()):
                cells = reproduce(number, item.name).cells
                now = [(c.row, c.column, c.printed, c.shown(c.ours), c.status) for c in cells]
                then = [c for c in kept.cells if c.item == item.name]
                assert [(c.row, c.column, c.printed, c.shown(c.ours), c.status) for c in then] == now, advice


def test_the_page_on_nine_systems_comes_from_its_numbers():
    from studies.nine_systems.study import page

    assert (DOCS / "nine-systems.md").read_text(encoding="utf-8") == page(), (
        "run: python -m studies.nine_systems.study page"
    )


def test_the_page_on_training_comes_from_its_numbers():
    from studies.training.study import page

    assert (DOCS / "train.md").read_text(encoding="utf-8") == page(), "run: python -m studies.training.study page"


def test_no_page_of_a_metric_that_is_gone():
    assert {f"metrics/{p.name}" for p in (DOCS / "metrics").glob("*.md")} <= set(PAGES)


def _anchors(page: Path) -> set[str]:
    """Return the anchors that a Markdown renderer gives to the headings of a page."""
    heads = re.findall(r"^#+ (.*)$", _outside_code(page), flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}


def _outside_code(page: Path) -> str:
    return re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)


def test_links_lead_somewhere():
    for page in [*ROOT.glob("*.md"), *DOCS.rglob("*.md")]:
        for target in re.findall(r"\]\(([^)]+)\)", _outside_code(page)):
            name, _, anchor = target.partition("#")
            if "://" not in target:
                linked = page.parent / name if name else page
                assert linked.exists(), f"{page.name} links to {target}"
                if anchor:
                    assert anchor in _anchors(linked), f"{page.name} links to {target}, a heading that is not there"


def test_the_index_names_every_page():
    linked = {(DOCS / target).resolve() for target in re.findall(r"\]\(([^)#]+)", (DOCS / "index.md").read_text())}
    pages = {page.resolve() for page in DOCS.glob("*.md")} - {(DOCS / "index.md").resolve()}
    assert not pages - linked, sorted(page.name for page in pages - linked)


def test_readme_commands_are_real():
    text = (ROOT / "README.md").read_text()
    makefile = (ROOT / "Makefile").read_text()
    for target in re.findall(r"^make (\w+)", text, flags=re.MULTILINE):
        assert f"\n{target}:" in makefile


def test_pages_show_what_the_program_prints():
    from scripts.printed import pages

    for name, text in pages().items():
        assert (ROOT / name).read_text(encoding="utf-8") == text, "run: python -m scripts.printed"
