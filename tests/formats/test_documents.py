# SPDX-License-Identifier: Apache-2.0
"""Markdown, HTML and reStructuredText: their blocks, units and sections, alone and in folders."""

from __future__ import annotations

import gc
import re
import tempfile
import time
import warnings
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caesura.corpus import Corpus, Document
from caesura.errors import CaesuraWarning, ComparabilityError, FormatError
from caesura.evaluation.evaluate import evaluate
from caesura.evaluation.inputs import read_source
from caesura.evaluation.matching import matched
from caesura.formats import detect, load, save, structure_of, structured
from caesura.units.text import text_of
from scripts.inputs_documents import samples
from tests.corpora import needs

pytest.importorskip("syntok")
IMAGE = re.compile(r"!\[[^\]]*\]\([^)]*\)")
DOCS = sorted((Path(__file__).parents[2] / "docs").rglob("*.md"))


def read(source: str, kind: str) -> list[tuple[str, str]]:
    text, blocks = structured(source, kind)
    return [(block.kind, text[block.start : block.end]) for block in blocks]


MARKDOWN = """\
---
title: Setup
---
Title
=====

Setup. It is
short.

- one

  still one
  - two
    ~~~py
    # no heading

    code
    ~~~

  behind
- three
\t- four

> quoted
> words

| a | b |
|---|---|
| 1 | 2 |

    indented

<!-- unseen -->

<table><tr><td>x</td></tr></table>

[target]: http://example.com

## Last ##
"""


def test_the_blocks_of_markdown() -> None:
    assert read(MARKDOWN, "markdown") == [
        ("heading", "Title\n====="),
        ("paragraph", "Setup. It is\nshort."),
        ("list_item", "- one\n\n  still one"),
        ("list_item", "- two"),
        ("code", "~~~py\n    # no heading\n\n    code\n    ~~~"),
        ("paragraph", "behind"),
        ("list_item", "- three"),
        ("list_item", "- four"),
        ("quote", "> quoted\n> words"),
        ("table", "| a | b |\n|---|---|\n| 1 | 2 |"),
        ("code", "indented"),
        ("table", "<table><tr><td>x</td></tr></table>"),
        ("heading", "## Last ##"),
    ]
    headings = [block for block in structured(MARKDOWN, "markdown")[1] if block.title]
    assert [(block.level, block.title) for block in headings] == [(1, "Title"), (2, "Last")]


@pytest.mark.parametrize("source", ["---\n\nText.\n\n---\n\nMore.\n", "```\nnever closed\n", "a\n\n+++\nb\n"])
def test_lines_that_are_no_front_matter_stay(source: str) -> None:
    words = re.findall(r"\w+", " ".join(text for _, text in read(source, "markdown")))
    assert words == re.findall(r"\w+", source)


def test_the_visible_text_of_html() -> None:
    page = """<!DOCTYPE html><html><head><title>Unseen</title><style>p { color: red }</style>
    <script>if (a < b) document.write("<p>unseen</p>")</script></head><body><!-- unseen <p> -->
    <h1>One &amp; <em>t</em>wo</h1> loose
    <p>First<br>line &lt;b&gt; &eacute;&#233;&nosuch; 1 < 2
    <p title="a > b">Second.
    <ul><li>a<li><p>b</p><p>c</p><pre>
  x = 1
    y</pre>d</ul>
    <blockquote><p>said</p></blockquote>
    <table><caption>Cap</caption><tr><th>A<th>B</tr><tr><td><p>1</p></td><td>2</table>
    <![CDATA[unseen]]><div><div>deep<h2>Not closed<p>after</div><svg><text>unseen</text></svg><p>end <b"""
    assert read(page, "html") == [
        ("heading", "One & two"),
        ("paragraph", "loose"),
        ("paragraph", "First\nline <b> éé&nosuch; 1 < 2"),
        ("paragraph", "Second."),
        ("list_item", "a"),
        ("list_item", "b\n\nc"),
        ("code", "  x = 1\n    y"),
        ("paragraph", "d"),
        ("quote", "said"),
        ("table", "Cap\nA\tB\n1\t2"),
        ("paragraph", "deep"),
        ("heading", "Not closed"),
        ("paragraph", "after"),
        ("paragraph", "end"),
    ]


def test_a_table_that_holds_headings_is_the_layout_of_a_page() -> None:
    page = "<table><tr><td>Menu<td><h1>Title</h1><p>Text.</p><table><tr><td>1<td>2</table></table>"
    kinds = [kind for kind, _ in read(page, "html")]
    assert kinds == ["table", "heading", "paragraph", "table"]


RST = """\
=====
Title
=====

Intro
text.

Part
----

- one
  more

  still one

  * two

3. three

Code::

    x = 1

    y = 2

.. code-block:: python
   :linenos:

   f()

.. note:: Careful.
   Really.

   Inside.

.. image:: a.png
   :alt: unseen

.. _unseen:

.. unseen
   at all

====  ====
A     B
====  ====
1     2

3     4
====  ====

+---+---+
| a | b |
+---+---+

    quoted

>>> 1 + 1
2

:param x: number

Part two
--------
"""


def test_the_blocks_of_restructured_text() -> None:
    assert read(RST, "rst") == [
        ("heading", "=====\nTitle\n====="),
        ("paragraph", "Intro\ntext."),
        ("heading", "Part\n----"),
        ("list_item", "- one\n  more\n\n  still one"),
        ("list_item", "* two"),
        ("list_item", "3. three"),
        ("paragraph", "Code::"),
        ("code", "x = 1\n\n    y = 2"),
        ("code", ".. code-block:: python\n   :linenos:\n\n   f()"),
        ("paragraph", ".. note:: Careful.\n   Really."),
        ("paragraph", "Inside."),
        ("table", "====  ====\nA     B\n====  ====\n1     2\n\n3     4\n====  ===="),
        ("table", "+---+---+\n| a | b |\n+---+---+"),
        ("quote", "quoted"),
        ("code", ">>> 1 + 1\n2"),
        ("list_item", ":param x: number"),
        ("heading", "Part two\n--------"),
    ]
    headings = [block for block in structured(RST, "rst")[1] if block.kind == "heading"]
    assert [(block.level, block.title) for block in headings] == [(1, "Title"), (2, "Part"), (2, "Part two")]


def test_a_short_title_needs_an_underline_as_long_as_itself() -> None:
    text = "UX\n==\n\nGood.\n\nQ\n-\n\nMore\n--\n\nab\n::\n\n   code\n"
    blocks = read(text, "rst")
    assert [body for kind, body in blocks if kind == "heading"] == ["UX\n==", "Q\n-"]
    assert ("paragraph", "More\n--") in blocks
    assert ("code", "code") in blocks


def words(text: str, numbered: bool) -> list[str]:
    """Return the words of a text without images, the targets of links, and the number of an item."""
    shown = re.sub(r"\]\([^)]*\)", "]", IMAGE.sub("", text))
    return re.findall(r"[^\W_]+", re.sub(r"\A\d+\.", "", shown) if numbered else shown)


@pytest.mark.parametrize("path", DOCS, ids=[path.name for path in DOCS])
def test_a_page_of_the_docs_has_the_words_and_blocks_of_its_html(path: Path) -> None:
    from markdown_it import MarkdownIt

    source = path.read_text()
    made = MarkdownIt("commonmark").enable("table").render(source)
    text, found = structured(source, "markdown")
    blocks = [block for block in found if not IMAGE.fullmatch(text[block.start : block.end])]
    shown, there = structured(made, "html")
    assert [(block.kind, block.level) for block in blocks] == [(block.kind, block.level) for block in there]
    for one, other in zip(blocks, there, strict=True):
        if one.kind not in ("code", "table"):
            told = words(text[one.start : one.end], numbered=one.kind == "list_item")
            assert told == words(shown[other.start : other.end], numbered=False)
    code = [shown[block.start : block.end] for block in there if block.kind == "code"]
    sources = [text[block.start : block.end] for block in blocks if block.kind == "code"]
    fenced = [re.sub(r"\A```.*\n|\n *```\Z", "", each) for each in sources]
    assert [each.split() for each in code] == [each.split() for each in fenced]


PIECES = st.sampled_from(
    "# A|word. More|- item|  - sub|> said|```|~~~|\n|    x|1. one|===|---|::|.. note::|.. code::|<p>|</p>|<li>|<pre>|<table>|<td>"
    "|&amp;|<!--|-->|<h2>|</h2>|<br>|== ==|{ a { b {|{---{---{".replace("|", "\t")
    .replace("{", "|")
    .split("\t")
)
TEXTS = st.lists(st.one_of(PIECES, st.text("ab .\t<>&`*-=é漢", max_size=6)), max_size=14).map("\n".join)


@given(
    source=TEXTS,
    kind=st.sampled_from(["markdown", "html", "rst", "text"]),
    by=st.sampled_from(["sentence", "paragraph"]),
)
def test_blocks_and_units_lie_in_the_text_in_order_and_survive_jsonl(source: str, kind: str, by: str) -> None:
    text, blocks = structured(source, kind)
    assert kind == "html" or text == source
    last = 0
    for block in blocks:
        assert last <= block.start < block.end <= len(text)
        assert not text[block.start].isspace() or block.kind == "code"
        last = block.end
    if kind in ("html", "text"):  # nothing but white space is outside
        outside = text
        for block in reversed(blocks):
            outside = outside[: block.start] + outside[block.end :]
        assert not outside.strip()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "a.md")
        path.write_text(source)
        if not blocks:
            with pytest.raises(FormatError):
                load(path, f"documents(kind='{kind}')")
            return
        (document,) = load(path, f"documents(kind='{kind}',by='{by}',level=2)")
        assert document.units is not None
        whole = [
            text[block.start : block.end]
            for block in blocks
            if by == "paragraph" or block.kind not in ("paragraph", "quote")
        ]
        left = iter(document.units)
        assert all(unit in left for unit in whole)  # none is split
        place = 0
        for unit in document.units:
            place = text.index(unit, place) + len(unit)
        assert structure_of(document) == blocks
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            save(Corpus([document]), Path(folder, "a.jsonl"))
            (again,) = load(Path(folder, "a.jsonl"))
    assert again == document


def test_headings_are_a_segmentation_if_they_are_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_bytes(
        b"\xef\xbb\xbfPreface.\r\n\r\n# A\r\n\r\n## B\r\n\r\nOne. Two.\r\n\r\n### C\r\n\r\nThree.\r\n\r\n## D\r\n\r\nFour.\r\n\r\n## E\r\n"
    )
    assert detect(path).name() == "documents"
    (plain,) = load(path)
    assert plain.segmentation is None
    assert plain.units == ("Preface.", "# A", "## B", "One.", "Two.", "### C", "Three.", "## D", "Four.", "## E")
    assert text_of(plain).starts[3] == plain.extra["text"].index("One.")
    wanted = {
        "level=2": ((1, 6, 2, 1), ["", "B", "D", "E"]),
        "level=1": ((1, 9), ["", "A"]),
        "level=3": ((1, 4, 2, 2, 1), ["", "B", "C", "D", "E"]),
        "level=2,headings='drop'": ((1, 3, 1), ["", "B", "D"]),
        "level=2,by='paragraph'": ((1, 5, 2, 1), ["", "B", "D", "E"]),
    }
    for options, (masses, titles) in wanted.items():
        (document,) = load(path, f"documents({options})")
        assert document.segmentation is not None
        assert document.segmentation.masses == masses
        assert document.extra["segment_titles"] == titles
    with pytest.raises(ComparabilityError, match=r'or take its headings, as in "FILE::documents\(level=2\)"'):
        evaluate(str(path), {"same": str(path)}, ["B"])
    outcome = evaluate(f"{path}::documents(level=2)", {"same": f"{path}::documents(level=2)"}, ["B"])
    assert outcome.results().question == "evaluate"


def site(folder: Path) -> Path:
    (folder / "guide" / ".cache").mkdir(parents=True)
    for name, content in {
        "index.md": "# Home\n\nWelcome. Read on.\n",
        "guide/setup.html": "<h1>Setup</h1><p>Install &amp; run.</p>",
        "guide/setup.rst": "Setup\n=====\n\nInstall it.\n",
        "guide/notes.txt": "Plain words follow here. And some more.\n",
        "guide/index.md": "# Guide\n\nText.\n",
        "guide/lengths.txt": "6 3 4\n",
        "guide/empty.md": "",
        "guide/.cache/old.md": "# Old\n",
        ".hidden.md": "# Hidden\n",
        "logo.png": "\0",
    }.items():
        (folder / name).write_text(content)
    return folder


def test_a_folder_of_documents_is_read_with_its_subfolders(tmp_path: Path) -> None:
    folder = site(tmp_path / "docs")
    with pytest.warns(
        CaesuraWarning,
        match=r"1 file of other kinds left out \(1 \.png\); 2 documents left out, the first: .*empty\.md",
    ):
        corpus = load(folder)
    assert list(corpus.ids) == ["index", "guide/index", "guide/notes", "guide/setup.html", "guide/setup.rst"]
    assert corpus["guide/setup.html"].units == ("Setup", "Install & run.")
    assert corpus["guide/notes"].units == ("Plain words follow here.", "And some more.")
    assert corpus.origin is not None
    assert corpus.origin.format == "documents"
    assert len(corpus.origin.files) == 7
    with pytest.raises(FormatError, match="empty"):
        load(folder, strict=True)
    with pytest.warns(CaesuraWarning):
        save(load(folder), tmp_path / "docs.jsonl")
    assert list(load(tmp_path / "docs.jsonl")) == list(corpus)


def test_a_folder_of_other_files_with_a_readme_is_not_taken_for_documents(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.jsonl").write_text(f'{{"id": "{name}", "masses": [1, 2]}}\n')
    (tmp_path / "README.md").write_text("# About\n\nThese are runs.\n")
    with pytest.raises(FormatError, match="in the same directory"):
        load(tmp_path)
    (tmp_path / "README.md").unlink()
    assert list(load(tmp_path).ids) == ["a", "b"]


def test_plain_texts_in_subfolders_only_are_documents(tmp_path: Path) -> None:
    for name in ("x/a.txt", "y/a.txt"):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text("Some plain words. And more of them.\n")
    assert list(load(tmp_path).ids) == ["x/a", "y/a"]


def test_a_list_of_chapters_in_markdown_stays_one_and_times_in_prose_do_not_make_one(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_text("Chapters:\n\n- **0:00** - Start\n- **2:15** - Middle\n- **3:00** - End\n")
    assert detect(path).name() == "youtube"
    path.write_text(
        "# Day\n\nWe meet.\n\n- **9:00** coffee\n- **10:30** talks\n\nThen lunch.\n\nThen home.\n\nBye.\n\nEnd.\n"
    )
    assert detect(path).name() == "documents"


def test_chunks_find_their_document_by_the_end_of_its_path(tmp_path: Path) -> None:
    folder = site(tmp_path / "docs")
    with pytest.warns(CaesuraWarning):
        documents = load(folder)
    chunks = tmp_path / "chunks.jsonl"
    lines = []
    for name in ("index.md", "guide/index.md", "guide/setup.rst"):
        lines.append(f'{{"page_content": "x", "metadata": {{"source": "/home/me/docs/{name}"}}}}')
    chunks.write_text("\n".join(lines))
    found = matched({"mine": read_source(str(chunks), "mine")}, documents, "id")["mine"].corpus
    assert list(found.ids) == ["index", "guide/index", "guide/setup.rst"]


def test_a_structure_that_does_not_fit_is_refused() -> None:
    good = {"kind": "code", "start": 0, "end": 3}
    for blocks in ([{**good, "end": 9}], [good, good], [{"kind": "code"}], "code", [{**good, "start": "0"}]):
        document = Document(id="d", n_units=1, units=("abc",), extra={"text": "abc", "structure": blocks})
        with pytest.raises(ComparabilityError, match="'structure' must list blocks of its text in order"):
            structure_of(document)
    assert [block.kind for block in structure_of(Document(id="d", n_units=1, extra={"text": "a\n\nb"}))] == [
        "paragraph"
    ] * 2


HOSTILE = {
    "html": ["<div>", "<", "<a ", "<!--", "<a b='", "</", "<script>", "&#", "<ul>x", "<li>x<ul>", "<table><tr><td>x", "<h1>x<div>"],
    "markdown": [">", "- ", "*", "[", "---\na: b\n", "[a]: b\n", "```\n", "| a |\n|---|\n"],
    "rst": ["=", "a\n=\n", ".. a\n", ".. note::\n", "a::\n\n", "== ==\na\n\n", "- a\n", "+--+\n"],
}  # fmt: skip


@pytest.mark.parametrize(("kind", "piece"), [(kind, piece) for kind in HOSTILE for piece in HOSTILE[kind]])
def test_hostile_pages_take_time_in_proportion(kind: str, piece: str) -> None:
    """Eight times the page takes 64 times as long if the work is quadratic, in every run; a busy machine slows only some runs."""

    def seconds(count: int) -> float:
        start = time.process_time()
        structured(piece * count, kind)
        return time.process_time() - start

    structured(piece, kind)
    gc.disable()
    try:
        assert any(seconds(8000) < 30 * max(seconds(1000), 0.01) for _ in range(8))
    finally:
        gc.enable()


@needs("wiki50")
def test_every_sample_is_read(tmp_path: Path) -> None:
    for _, path, argument in samples(tmp_path):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            assert len(load(path, argument)) > 0
