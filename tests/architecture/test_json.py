# SPDX-License-Identifier: Apache-2.0
"""JSON from outside is decoded by `caesura.strict_json`, which refuses repeated keys."""

from __future__ import annotations

import ast

from tests.architecture.test_layers import NODES


def test_json_is_decoded_in_one_place() -> None:
    """So that no reader forgets the check; the others have one of their own, or read what was not written by hand."""
    own = {"strict_json", "formats._jsonl_line", "formats.jsonl", "formats._detect", "formats._chunk_records"}
    own |= {"encoders._workers", "encoders.default", "encoders.http", "encoders.safetensors", "formats._json"}
    own |= {"reports.page.sections"}
    found = {
        name.removeprefix("caesura.")
        for name, nodes in NODES.items()
        for node in nodes
        if isinstance(node, ast.Attribute)
        and node.attr in ("decode", "loads", "load")
        and ast.unparse(node) in ("msgspec.json.decode", "json.loads", "json.load")
    }
    assert found <= own, f"decode with caesura.strict_json in {sorted(found - own)}"
