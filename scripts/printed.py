# SPDX-License-Identifier: Apache-2.0
"""Pages that show what a command prints: ``python -m scripts.printed`` runs the commands again and writes the output."""

from __future__ import annotations

import re
from pathlib import Path

import caesura as cz
from scripts.jobs import Job, done, in_examples

__all__ = ["pages"]

ROOT = Path(__file__).resolve().parent.parent
_PAGES = ("docs/start.md", "docs/agree.md", "docs/spans.md", "docs/check.md")
# A block of one command and its output; blocks of commands alone have a second line that begins with $.
_BLOCK = re.compile(r"(?<=^```\n)\$ (caesura [^\n]*)\n[^$].*?(?=^```$)", flags=re.DOTALL | re.MULTILINE)


def pages() -> dict[str, str]:
    """Return every page that shows output, by path, with the output of now."""
    with in_examples():
        cz.save(cz.bundled("moonstone"), "moonstone.jsonl")
        return {name: _BLOCK.sub(_run, (ROOT / name).read_text(encoding="utf-8")) for name in _PAGES}


def _run(block: re.Match[str]) -> str:
    (part,) = done(Job("", "", (block[1],)))
    return f"$ {block[1]}\n{part.printed.strip()}\n"


if __name__ == "__main__":
    for name, text in pages().items():
        (ROOT / name).write_text(text, encoding="utf-8")
