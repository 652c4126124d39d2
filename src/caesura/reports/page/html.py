# SPDX-License-Identifier: Apache-2.0
"""One HTML file: the modules of `assets` joined into one script, the style, and the data as compressed text.

The page may run only this script and load nothing: its content security policy names script and style by hash. Data are in
elements that no browser executes, compressed and in base64, so that no text of a document can close them.
"""

from __future__ import annotations

import base64
import functools
import gzip
import hashlib
import html
import importlib.resources
import re
from collections.abc import Mapping

import msgspec

__all__ = ["SERVED_POLICY", "asset", "assets", "compressed", "document", "script", "served_document"]

_ASSETS = importlib.resources.files("caesura.reports.page") / "assets"
_IMPORT = re.compile(r'^import \{[^}]*\} from "\./(\w+)\.js";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?function |class |const )", re.MULTILINE)
_FIRST = "page"

SERVED_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; "
    "media-src blob: 'self' https:; base-uri 'none'; form-action 'none'"
)
"""The content security policy of a served page: its own modules, its data, and a recording chosen by the user."""


@functools.cache
def script() -> str:
    """Return all modules as one script, each after its imports, without import and export statements."""
    parts: list[str] = []
    taken: set[str] = set()

    def take(name: str) -> None:
        if name in taken:
            return
        taken.add(name)
        text = asset(f"{name}.js")
        for other in _IMPORT.findall(text):
            take(other)
        parts.append(_EXPORT.sub("", _IMPORT.sub("", text)))

    take(_FIRST)
    return "\n".join(parts)


@functools.cache
def assets() -> tuple[str, ...]:
    """Return the names of the modules and the style sheet."""
    return tuple(sorted(entry.name for entry in _ASSETS.iterdir() if entry.name.endswith((".js", ".css"))))


def asset(name: str) -> str:
    """Return one of the `assets`."""
    return (_ASSETS / name).read_text("utf-8")


def compressed(value: object) -> str:
    """Return plain data encoded for the page: JSON, gzip, base64. Equal data give equal text."""
    return base64.b64encode(gzip.compress(msgspec.json.encode(value), 6, mtime=0)).decode("ascii")


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode('ascii')}'"


def document(title: str, parts: Mapping[str, str]) -> str:
    """Return the page with its data, keyed by the names that the script uses."""
    style = asset("page.css")
    policy = (
        f"default-src 'none'; script-src {_hash(script())}; style-src {_hash(style)}; "
        "img-src data:; media-src blob:; base-uri 'none'; form-action 'none'"
    )
    data = "\n".join(f'<script type="text/plain" id="{name}">{text}</script>' for name, text in parts.items())
    head = f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n<style>{style}</style>'
    return _shell(title, head, f'{data}\n<script type="module">{script()}</script>')


def served_document(title: str, data: str) -> str:
    """Return the page that reads its modules from ``assets/`` and its data from the folder ``data``."""
    policy = f'<meta http-equiv="Content-Security-Policy" content="{SERVED_POLICY}">'
    head = f'{policy}\n<link rel="stylesheet" href="assets/page.css">'
    return _shell(title, head, '<script type="module" src="assets/page.js"></script>', f' data-served="{data}"')


def _shell(title: str, head: str, tail: str, body: str = "") -> str:
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{html.escape(title)}</title>
{head}
</head>
<body{body}>
<a class="skip" href="#main">Skip to the results</a>
<header><h1>{html.escape(title)}</h1></header>
<div class="layout">
<nav id="menu" aria-label="Contents"></nav>
<main id="main"><noscript><p>This page needs JavaScript to show its data. Nothing is loaded from elsewhere.</p></noscript></main>
</div>
<div id="announce" role="status" aria-live="polite"></div>
{tail}
</body>
</html>
"""
