# SPDX-License-Identifier: Apache-2.0
"""Samples of documents as engineers have them, made from articles of Wiki-50."""

from __future__ import annotations

import html
import os
import re
import shutil
from pathlib import Path

__all__ = ["samples"]

Sample = tuple[str, Path, str | None]
_TITLE = re.compile(r"=+,(\d+),(.*?)\.?")


def samples(folder: Path) -> list[Sample]:
    """Write one file or folder of every kind; return its kind, its path, and the argument it needs to be read, if any."""
    data = Path(os.environ["CAESURA_DATA"]) / "wiki50" / "original"
    articles = [_parts(path.read_text()) for path in sorted(data.iterdir())[:3]]
    shutil.rmtree(folder / "site", ignore_errors=True)
    folder.mkdir(parents=True, exist_ok=True)
    first = articles[0]
    page = _html(first)
    files = {
        "Markdown": ("article.md", _markdown(first)),
        "Markdown with front matter, code, tables and lists": ("rich.md", "---\ntitle: x\n---\n" + _rich(first)),
        "Markdown, Windows line ends": ("windows.md", _markdown(first).replace("\n", "\r\n")),
        "HTML": ("article.html", f"<!DOCTYPE html><html><head><title>x</title></head><body>{page}</body></html>"),
        "HTML without end tags": ("open.htm", re.sub(r"</(?:p|li)>", "", page)),
        "reStructuredText": ("article.rst", _rst(first)),
        "plain text": ("article.txt", _plain(first)),
    }
    found: list[Sample] = []
    for kind, (name, content) in files.items():
        (folder / name).write_text(content, newline="")
        found.append((kind, folder / name, None))
    found.append(("Markdown, sections as segments", folder / "article.md", "documents(level=2)"))
    inner = folder / "site" / "guide"
    inner.mkdir(parents=True)
    (inner.parent / "index.md").write_text(_markdown(first))
    (inner / "page.html").write_text(_html(articles[1]))
    (inner / "page.rst").write_text(_rst(articles[2]))
    (inner / "notes.txt").write_text(_plain(articles[2]))
    (inner / "logo.png").write_bytes(b"\x89PNG\0")
    found.append(("folder of Markdown, HTML, reStructuredText and text", inner.parent, None))
    found.append(("folder, sections as segments", inner.parent, "documents(level=2)"))
    return found


def _parts(text: str) -> list[tuple[int, str, str]]:
    """Return level, title and text of each section of an article."""
    parts: list[tuple[int, str, str]] = []
    for line in text.splitlines():
        title = _TITLE.fullmatch(line)
        if title:
            parts.append((int(title[1]), title[2], ""))
        elif parts and line.strip():
            parts[-1] = (*parts[-1][:2], f"{parts[-1][2]} {line.strip()}".strip())
    return parts


def _markdown(parts: list[tuple[int, str, str]]) -> str:
    return "\n".join(f"{'#' * level} {title}\n\n{text}\n" for level, title, text in parts)


def _rich(parts: list[tuple[int, str, str]]) -> str:
    return (
        _markdown(parts) + "\n- one\n  - two\n\n```py\nx = 1\n\n# no heading\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n"
    )


def _html(parts: list[tuple[int, str, str]]) -> str:
    return "\n".join(
        f"<h{level}>{html.escape(title)}</h{level}><p>{html.escape(text)}</p>" for level, title, text in parts
    )


def _rst(parts: list[tuple[int, str, str]]) -> str:
    return "\n".join(f"{title}\n{'=-~^*+'[level - 1] * max(4, len(title))}\n\n{text}\n" for level, title, text in parts)


def _plain(parts: list[tuple[int, str, str]]) -> str:
    return "\n\n".join(text for _, _, text in parts if text) + "\n"
