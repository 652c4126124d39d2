# SPDX-License-Identifier: Apache-2.0
"""What the structure of a document keeps together, in place of answers."""

from __future__ import annotations

from pathlib import Path

import pytest

from caesura.errors import CaesuraError
from caesura.evaluation.spans import spans

TEXT = (
    "# Title\n\nFirst line\nsecond line.\n\n```\ncode\nmore\n```\n\n- one\n- two\n\n| a | b |\n| - | - |\n| 1 | 2 |\n"
)


def test_headings_code_items_and_tables(tmp_path: Path) -> None:
    (tmp_path / "d.md").write_text(TEXT)
    cut = TEXT.index("more")
    systems = {"whole": {"d": [TEXT]}, "cut": {"d": [TEXT[:9], TEXT[9:cut], TEXT[cut:]]}}
    report = spans(tmp_path, "structure", systems, resamples=10)
    places = [TEXT[start:end] for start, end in report.places[0]]
    assert [each.split("\n")[0] for each in places] == ["# Title", "```", "- one", "- two", "| a | b |"]
    assert places[0] == "# Title\n\nFirst line"
    assert report.scores["whole"]["Inside"] == 1
    assert report.scores["cut"]["Inside"] == pytest.approx(3 / 5)  # the heading is left behind, and the code is cut


def test_a_text_without_structure_is_refused() -> None:
    with pytest.raises(CaesuraError, match="no document has a heading"):
        spans({"d": "Plain text. More."}, "structure", {"a": {"d": ["Plain text.", "More."]}}, resamples=10)
