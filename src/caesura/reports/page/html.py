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

__all__ = ["SERVED_POLICY", "asset", "assets", "compressed", "document", "plain_document", "script", "served_document"]

_ASSETS = importlib.resources.files("caesura.reports.page") / "assets"
_IMPORT = re.compile(r'^import \{[^}]*\} from "\./(\w+)\.js";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?function |class |const )", re.MULTILINE)
_COMMENT = re.compile(r"^ *(?://.*|/\*\*(?:[^*]|\*(?!/))*\*/)?\n", re.MULTILINE)
_INDENTATION = re.compile(r"^ +", re.MULTILINE)
_FIRST = "page"

SERVED_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; "
    "media-src blob: 'self' https:; base-uri 'none'; form-action 'none'"
)
"""The content security policy of a served page: its own modules, its data, and a recording chosen by the user."""


@functools.cache
def _modules(first: str) -> tuple[str, ...]:
    """Return a module and those it needs, each after its imports."""
    taken: dict[str, None] = {}

    def take(name: str) -> None:
        for other in _IMPORT.findall(asset(f"{name}.js")):
            if other not in taken:
                take(other)
        taken.setdefault(name)

    take(first)
    return tuple(taken)


@functools.cache
def script(first: str = _FIRST) -> str:
    """Return the modules of a page as one script, each after its imports, without import and export statements and without comments."""
    whole = "\n".join(_EXPORT.sub("", _IMPORT.sub("", asset(f"{name}.js"))) for name in _modules(first))
    # What only people need takes a fifth of the script. No text in backticks has several lines.
    return _INDENTATION.sub(" ", _COMMENT.sub("", whole))


def assets(first: str = _FIRST) -> tuple[str, ...]:
    """Return the names of the modules and style sheets of the page that begins with a module."""
    return tuple(sorted({*_styles(first), *(f"{name}.js" for name in _modules(first))}))


def _styles(first: str) -> tuple[str, ...]:
    """Return the style sheets of a page: the common one and, if it is another page, its own."""
    return tuple(dict.fromkeys((f"{_FIRST}.css", f"{first}.css")))


def asset(name: str) -> str:
    """Return one of the `assets`."""
    return (_ASSETS / name).read_text("utf-8")


def compressed(value: object) -> str:
    """Return plain data encoded for the page: JSON, gzip, base64. Equal data give equal text."""
    return base64.b64encode(gzip.compress(msgspec.json.encode(value), 6, mtime=0)).decode("ascii")


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode('ascii')}'"


def document(title: str, parts: Mapping[str, str], first: str = _FIRST, *, bare: str = "") -> str:
    """Return the page with its data, keyed by the names that the script uses.

    ``first`` is the module that it begins with, and ``bare`` is what it shows without a script.
    """
    style = "".join(asset(name) for name in _styles(first))
    policy = (
        f"default-src 'none'; script-src {_hash(script(first))}; style-src {_hash(style)}; "
        "img-src data:; media-src blob:; base-uri 'none'; form-action 'none'"
    )
    data = "\n".join(f'<script type="text/plain" id="{name}">{text}</script>' for name, text in parts.items())
    head = f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n<style>{style}</style>'
    return _shell(title, head, f'{data}\n<script type="module">{script(first)}</script>', bare=bare)


def served_document(title: str, data: str, first: str = _FIRST, *, bare: str = "", live: bool = False) -> str:
    """Return the page that reads its modules from ``assets/`` and its data from the folder ``data``; a ``live`` one loads changes."""
    policy = f'<meta http-equiv="Content-Security-Policy" content="{SERVED_POLICY}">'
    links = "".join(f'\n<link rel="stylesheet" href="assets/{name}">' for name in _styles(first))
    tail = f'<script type="module" src="assets/{first}.js"></script>'
    return _shell(title, policy + links, tail, f' data-served="{data}"' + " data-live" * live, bare=bare)


def plain_document(title: str, body: str, first: str = _FIRST) -> str:
    """Return a page of finished HTML in the style of the one that begins with a module; it runs no script and loads nothing."""
    style = "".join(asset(name) for name in _styles(first))
    policy = f"default-src 'none'; style-src {_hash(style)}; base-uri 'none'; form-action 'none'"
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{html.escape(title)}</title>
<meta http-equiv="Content-Security-Policy" content="{policy}">
<style>{style}</style>
</head>
<body>
<header><h1>{html.escape(title)}</h1></header>
<div class="desk"><main>
{body}
</main></div>
</body>
</html>
"""


def _shell(title: str, head: str, tail: str, body: str = "", *, bare: str = "") -> str:
    rest = "Charts, documents and all other tables need JavaScript." if bare else "This page needs JavaScript."
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
<main id="main">
<noscript><p class="hint">{rest} Nothing is loaded from elsewhere.</p></noscript>
{bare}
</main>
</div>
<div id="announce" role="status" aria-live="polite"></div>
{tail}
</body>
</html>
"""
