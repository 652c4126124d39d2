# SPDX-License-Identifier: Apache-2.0
"""``nltk:TextTiling(w=20)``: the TextTiling of NLTK."""

from __future__ import annotations

from typing import Any, ClassVar

from caesura.declare import Card
from caesura.errors import DeclarationError
from caesura.scorers import Features
from caesura.scorers.features.terms import stop_list
from caesura.segmentation import Segmentation
from caesura.segmenters.base import Cut
from caesura.segmenters.others.base import Library, joined_text
from caesura.segmenters.others.outputs import chunks_cut

__all__ = ["Nltk"]

_TOO_SHORT = ("No paragraph breaks", "bigger than window size", "cannot convert float NaN")


class Nltk(Library):
    """NLTK's ``TextTilingTokenizer`` on the units as paragraphs; without ``stopwords``, with our stop list.

    A text that NLTK refuses as too short has no boundary.
    """

    family = "nltk"
    form = "nltk:TextTiling(…)"
    packages: ClassVar[tuple[str, ...]] = ("nltk",)
    modules: ClassVar[tuple[str, ...]] = ("nltk.tokenize.texttiling",)
    card = Card(title="TextTiling of NLTK")

    def __post_init__(self) -> None:
        if self.target != "TextTiling":
            raise DeclarationError(f"{self}: only nltk:TextTiling segments; write nltk:TextTiling(w=20, k=10)")
        super().__post_init__()

    @property
    def class_name(self) -> str:
        """The name in NLTK."""
        return "TextTilingTokenizer"

    def build(self, features: Features) -> Any:
        """Make the tokenizer, with our stop list, because NLTK's own has to be downloaded."""
        with self.making(features):
            return self.found(**{"stopwords": sorted(stop_list("english")), **self.arguments})

    def cut(self, features: Features) -> Cut:
        """Tile one document, whose units are paragraphs."""
        made = self.kept(features)
        text = joined_text(features, "\n\n")
        alone = Cut(Segmentation(features.n_units, unit=features.document.unit))
        if not text.text.strip():
            return alone
        with self.segmenting(features):
            try:
                found = made.tokenize(text.text)
            except ValueError as error:
                if any(words in str(error) for words in _TOO_SHORT):
                    return alone
                raise
        return chunks_cut(list(found), features, text, str(self))
