"""The page on ``explain`` shows what the command prints now."""

from __future__ import annotations

from pathlib import Path

from caesura.evaluation.explain.conventions import CONVENTIONS
from caesura.evaluation.explain.run import explain
from caesura.evaluation.explain.text import explanation_text
from caesura.segmentation import Segmentation

PAGE = Path(__file__).parents[3] / "docs" / "explain.md"


def test_the_sample_is_fresh() -> None:
    pair = Segmentation.from_masses([6, 3, 4]), Segmentation.from_masses([4, 4, 5])
    assert explanation_text(explain(*pair), 80) in PAGE.read_text()


def test_every_convention_is_on_the_page() -> None:
    page = PAGE.read_text()
    assert not [c.name for c in CONVENTIONS if c.name.split(",")[0] not in page]
