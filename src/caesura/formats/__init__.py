# SPDX-License-Identifier: Apache-2.0
"""Read and write files: one module per format, named after the format.

A format is detected from suffix and content, or named: ``load(path, "bits(marks='last')")``. Modules whose name begins
with an underscore are shared parts. A format's module is imported on first use, and a third-party library only inside
the function that uses it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from caesura.formats._base import FORMATS, Format
from caesura.formats._detect import detect, load, load_unchanged, save, with_columns
from caesura.formats._files import faults, leaving_out, notice, plural, read_bytes, read_text
from caesura.formats._json import json_bytes, read_json, top_keys
from caesura.formats._places import expanded, is_elsewhere
from caesura.later import later

if TYPE_CHECKING:
    from caesura.formats._arrow import from_arrow
    from caesura.formats._blocks import Block
    from caesura.formats._chapters import save_each
    from caesura.formats._describe import describe_format, format_table, sample_of
    from caesura.formats._durations import length_in_ms, read_durations
    from caesura.formats._structure import structure_of, structured
    from caesura.formats._xml import refuse_dangers
    from caesura.formats.annotation_project import project_documents
    from caesura.formats.jsonl import from_records
    from caesura.formats.text import sentences

__all__ = [
    "FORMATS",
    "Block",
    "Format",
    "describe_format",
    "detect",
    "expanded",
    "faults",
    "format_table",
    "from_arrow",
    "from_records",
    "is_elsewhere",
    "json_bytes",
    "leaving_out",
    "length_in_ms",
    "load",
    "load_unchanged",
    "notice",
    "plural",
    "project_documents",
    "read_bytes",
    "read_durations",
    "read_json",
    "read_text",
    "refuse_dangers",
    "sample_of",
    "save",
    "save_each",
    "sentences",
    "structure_of",
    "structured",
    "top_keys",
    "with_columns",
]

_HOMES = {
    "Block": "_blocks",
    "describe_format": "_describe",
    "format_table": "_describe",
    "from_arrow": "_arrow",
    "from_records": "jsonl",
    "length_in_ms": "_durations",
    "project_documents": "annotation_project",
    "read_durations": "_durations",
    "refuse_dangers": "_xml",
    "sample_of": "_describe",
    "save_each": "_chapters",
    "sentences": "text",
    "structure_of": "_structure",
    "structured": "_structure",
}
"""What few readers need, with its module, which is imported on first use."""

__getattr__ = later(__name__, _HOMES)

FORMATS.discover(__path__, __name__, lazy=True)
