"""The site names every page once, and its build notices what is broken. `make site` builds it, `make test-site` looks at it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from scripts.site import faults, navigation

ROOT = Path(__file__).resolve().parents[2]
PAGE = "<html><body><article><h1 id='a'>A</h1><p>One.</p>{}</article></body></html>"


def _paths(entry: object) -> Iterator[str]:
    if isinstance(entry, str):
        yield entry
    else:
        for each in entry.values() if isinstance(entry, dict) else entry:
            yield from _paths(each)


def test_the_navigation_names_every_page_once() -> None:
    named = [path for path in _paths(navigation()) if path.startswith("docs/")]
    assert len(named) == len(set(named)) > 80
    assert set(named) == {page.relative_to(ROOT).as_posix() for page in (ROOT / "docs").rglob("*.md")}


def _site(folder: Path, extra: str) -> list[str]:
    source, html = folder / "source", folder / "html"
    for each in (source, html):
        each.mkdir()
    (source / "a.md").write_text("# A\n\nOne.\n")
    (html / "a.html").write_text(PAGE.format(extra))
    (html / "b.html").write_text(PAGE.format(""))
    return faults(html, source)


def test_a_whole_site_has_no_fault(tmp_path: Path) -> None:
    assert _site(tmp_path, '<a href="b.html#a"></a><a href="/b.html"></a><a href="https://example.org/"></a>') == []


def test_every_fault_is_told(tmp_path: Path) -> None:
    extra = (
        '<a href="gone.html"></a><a href="b.html#gone"></a><img src="https://example.org/x.png">'
        '<span class="arithmatex">\\(x\\)</span><pre></pre>'
    )
    assert _site(tmp_path, extra) == [
        "a.html: a formula was not typeset",
        "a.html: gone.html leads nowhere",
        "a.html: b.html#gone names a heading that is not there",
        "a.html: loads https://example.org/x.png",
        "a.html: 1 pre, 0 in the Markdown",
        "a.html: 1 img, 0 in the Markdown",
    ]
