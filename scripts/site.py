# SPDX-License-Identifier: Apache-2.0
"""Build the site from the Markdown as it is: ``make site``, that is ``python -m scripts.site`` in an environment of its own.

The folder keeps the layout of the repository, so that every link of a page is a link of the site. The navigation is that of
docs/index.md. Formulas become MathML here, so that a reader needs neither a script nor a font from elsewhere. The build fails if
a link, an anchor or a picture leads nowhere, if a page asks another host for anything, or if a page lost a heading, a list, a table or
a code block on the way.
"""

from __future__ import annotations

import html
import json
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build" / "site"
SOURCE, HTML = BUILD / "source", BUILD / "html"
_PROJECT = ("CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md")
_COPIED = ("docs", "studies/*/*.svg", "reproductions/caesura_reproductions/*/*.svg", "README.md", *_PROJECT)
_START = ("docs/install.md", "docs/start.md", "docs/jobs.md")
_PLAIN = ("NOTICE", "LICENSE", "CITATION.cff")
_MATH = re.compile(r'<(span|div) class="arithmatex">\\[(\[](.*?)\\[)\]]</\1>', flags=re.DOTALL)
_COUNTED = ("h1", "h2", "h3", "li", "table", "tr", "pre", "img")
_STYLE = """.formula { margin: 1em 0; padding: 0.5em 0; overflow-x: auto; }
.md-typeset math { font-size: 1.05em; }
.md-typeset thead:not(:has(th:not(:empty))) { display: none; }
"""


def navigation() -> list[object]:
    """Return the entries of the site: a section for every heading of docs/index.md, with the pages linked below it."""
    index = (ROOT / "docs/index.md").read_text(encoding="utf-8")
    head, *sections = re.split(r"^## (.*)$", index, flags=re.MULTILINE)
    del head
    found: list[object] = [{"Start": ["README.md", "docs/index.md", *_START, *_folder("tutorials")]}]
    for title, text in zip(sections[::2], sections[1::2], strict=True):
        # A folder comes last, with the pages that its index links to.
        folders = [target for target in _targets(text) if target.endswith("/index.md")]
        pages = [f"docs/{target}" for target in _targets(text) if "/" not in target]
        entries: list[object] = [page for page in pages if not _listed(found, page)]
        entries += [{_title(ROOT / "docs" / index): _folder(index.partition("/")[0])} for index in folders]
        found.append({title: entries})
    return [*found, {"Python": [f"api/{name}.md" for name in ("index", *_public())]}, {"Project": list(_PROJECT)}]


def _folder(name: str) -> list[object]:
    """Return the pages of a folder of docs: its index, and what that links to."""
    targets = _targets((ROOT / f"docs/{name}/index.md").read_text(encoding="utf-8"))
    return [f"docs/{name}/{target}" for target in ("index.md", *targets) if "/" not in target]


def _targets(text: str) -> list[str]:
    """Return the pages that a text links to, each once, in order."""
    return list(dict.fromkeys(re.findall(r"\]\(([^)#:]+\.md)(?:#[^)]*)?\)", text)))


def _title(page: Path) -> str:
    return re.search(r"^# (.*)$", page.read_text(encoding="utf-8"), flags=re.MULTILINE)[1]


def _listed(entries: object, page: str) -> bool:
    if isinstance(entries, dict):
        return any(_listed(value, page) for value in entries.values())
    return any(_listed(each, page) for each in entries) if isinstance(entries, list) else entries == page


def _public() -> list[str]:
    """Return the names that the package gives; importing it loads nothing else."""
    import caesura

    return [name for name in caesura.__all__ if not name.startswith("_")]


def reference() -> dict[str, list[str]]:
    """Return the objects on each page of the reference: a public name, and the class that a call returns."""
    import griffe

    package = griffe.load("caesura", search_paths=[ROOT / "src"], resolve_aliases=True)
    found = {}
    for name in _public():
        target = package[name].final_target
        found[name] = [target.path]
        returned = getattr(getattr(target, "returns", None), "canonical_path", "")
        if returned.startswith("caesura.") and returned.rpartition(".")[2] not in _public():
            found[name].append(package[returned.removeprefix("caesura.")].canonical_path)
    return found


def write_source() -> None:
    """Lay out the Markdown as in the repository, with the pages of the reference and the settings beside it."""
    shutil.rmtree(BUILD, ignore_errors=True)
    for pattern in _COPIED:
        for path in ROOT.glob(pattern):
            target = SOURCE / path.relative_to(ROOT)
            target.parent.mkdir(parents=True, exist_ok=True)
            (shutil.copytree if path.is_dir() else shutil.copy)(path, target)
    (SOURCE / "api").mkdir()
    lines = ["# Python", "", "Everything that `import caesura` gives, from its docstrings.", ""]
    for name, objects in reference().items():
        lines.append(f"- [{name}]({name}.md)")
        text = "\n\n".join(f"::: {each}" for each in objects)
        (SOURCE / "api" / f"{name}.md").write_text(f"# caesura.{name}\n\n{text}\n", encoding="utf-8")
    (SOURCE / "api/index.md").write_text("\n".join([*lines, ""]), encoding="utf-8")
    (SOURCE / "site.css").write_text(_STYLE, encoding="utf-8")
    settings = (ROOT / "scripts/site.toml").read_text(encoding="utf-8")
    navigation_line = f"[project]\nnav = {_toml(navigation())}\n"
    (BUILD / "zensical.toml").write_text(settings.replace("[project]\n", navigation_line, 1), encoding="utf-8")


def _toml(value: object) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_toml, value))}]"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{json.dumps(key)} = {_toml(each)}' for key, each in value.items())}}}"
    return json.dumps(value)


def typeset(page: str) -> str:
    """Return a page with its formulas as MathML."""
    from latex2mathml.converter import convert

    def formula(found: re.Match[str]) -> str:
        text = html.unescape(found[2]).strip()
        # The box scrolls, not the formula, which would be cut.
        return f'<div class="formula">{convert(text, display="block")}</div>' if found[1] == "div" else convert(text)

    return _MATH.sub(formula, page)


class _Page(HTMLParser):
    """What a page holds: its anchors, what it links to, what it loads, and how many of each element its article has."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.counts: Counter[str] = Counter()
        self._inside = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Count a tag and keep where it points."""
        given = {name: value or "" for name, value in attrs}
        self.anchors.update({given.get("id", ""), given.get("name", "")} - {""})
        if tag == "article":
            self._inside = True
        if self._inside:
            self.counts[tag] += tag in _COUNTED
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        elif tag in {"img", "script", "source", "iframe"} and "src" in given:
            self.loads.append(given["src"])
        elif tag == "link" and given.get("rel") not in {"canonical", "edit"}:
            self.loads.append(given.get("href", ""))

    def handle_endtag(self, tag: str) -> None:
        """Leave the article."""
        if tag == "article":
            self._inside = False


def faults(folder: Path = HTML, source: Path = SOURCE) -> list[str]:
    """Return what is broken in a built site, one line each."""
    texts = {path: path.read_text(encoding="utf-8") for path in sorted(folder.rglob("*.html"))}
    pages = {path: _Page(text) for path, text in texts.items()}
    found = []
    for path, page in pages.items():
        name = path.relative_to(folder)
        if "arithmatex" in texts[path]:
            found.append(f"{name}: a formula was not typeset")
        for target in (*page.links, *page.loads):
            url = urlsplit(target)
            if url.scheme or url.netloc:
                if target in page.loads:
                    found.append(f"{name}: loads {target}")
                continue
            base = folder if url.path.startswith("/") else path.parent
            linked = Path(os.path.normpath(base / unquote(url.path).lstrip("/"))) if url.path else path
            linked = linked / "index.html" if linked.is_dir() else linked
            if not linked.is_file():
                found.append(f"{name}: {target} leads nowhere")
            elif url.fragment and linked in pages and unquote(url.fragment) not in pages[linked].anchors:
                found.append(f"{name}: {target} names a heading that is not there")
        found += _lost(name, source / name.with_suffix(".md"), page)
    return found


def _lost(name: Path, source: Path, page: _Page) -> list[str]:
    """Compare a page with its Markdown as another program, one that reads it as forges do, renders it."""
    from markdown_it import MarkdownIt

    if name.name == "index.html" and not source.exists():
        source = source.with_name("README.md")
    if not source.exists() or name.parts[0] == "api":
        return []
    text = MarkdownIt("commonmark").enable("table").render(source.read_text(encoding="utf-8"))
    expected = _Page(f"<article>{text}").counts
    return [
        f"{name}: {page.counts[tag]} {tag}, {expected[tag]} in the Markdown"
        for tag in _COUNTED
        if page.counts[tag] != expected[tag]
    ]


def main() -> None:
    """Build, typeset and check."""
    write_source()
    subprocess.run([sys.executable, "-m", "zensical", "build", "--strict", "--clean"], cwd=BUILD, check=True)
    for page in HTML.rglob("*.html"):
        page.write_text(typeset(page.read_text(encoding="utf-8")), encoding="utf-8")
    for name in _PLAIN:
        shutil.copy(ROOT / name, HTML / name)
    if found := faults():
        sys.exit("\n".join([*found, f"The site has {len(found)} faults."]))
    print(f"{len(list(HTML.rglob('*.html')))} pages: {HTML.relative_to(ROOT) / 'index.html'}")


if __name__ == "__main__":
    main()
