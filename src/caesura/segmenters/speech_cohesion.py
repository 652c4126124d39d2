# SPDX-License-Identifier: Apache-2.0
"""SpeechCohesion: words, speakers and spoken names in one similarity of breath groups."""

from __future__ import annotations

import dataclasses
import functools
from collections import Counter
from pathlib import Path

import numpy as np

from caesura.corpus import Document
from caesura.declare import Card, param
from caesura.errors import DeclarationError, SegmentationError
from caesura.scorers import Features, Ints
from caesura.scorers.blocks import Related, below_valleys, depths, term_cosines
from caesura.scorers.features import Terms, terms_of
from caesura.scorers.features.terms import STOP_WORDS_HELP, weigh_terms, words
from caesura.segmenters._search import above, best
from caesura.segmenters.base import SEGMENTERS, Cut, SizedSegmenter
from caesura.selectors import SPACING

__all__ = ["SpeechCohesion", "breath_groups"]

_PERSON = "\0"  # begins the terms of persons, which no word does
_INSIDE = -4.0  # the score of a gap inside a breath group, below all others


@SEGMENTERS.register()
@dataclasses.dataclass(frozen=True)
class SpeechCohesion(SizedSegmenter):
    """Cut a transcript where words, speakers and spoken names change.

    Definition
    ----------
    Units are joined into breath groups: what one speaker says with silences shorter than ``pause``. Each group counts
    its terms, and the persons of the document: its speaker by ``speakers``, and by ``names`` every speaker of whose name
    it speaks a part. As in TextTiling, the cosine of the counts of ``window`` groups before and after a gap gives depths,
    and the valleys deeper than mean + ``cutoff`` · sd become boundaries, at least ``min_gap`` groups apart. Of a flat valley,
    a run of equal similarities, the last gap is the candidate. With a file of ``relations`` (word, word and a number between 0
    and 1 per line, separated by tabs), related words count as partly equal: the soft cosine, for words that belong together
    at the time of the recording.

    Edge cases
    ----------
    Without speakers only words count. Boundaries lie between breath groups; a number of segments that exceeds theirs is
    reached by cutting inside them, from left to right.
    """

    window: int = param(6, "breath groups in each block", minimum=1)
    pause: float | None = param(
        None, "seconds of silence that end a breath group; None keeps units as they are", minimum=0
    )
    speakers: float = param(1.0, "weight of the speaker of a group", minimum=0)
    names: float = param(1.0, "weight of a spoken name of a speaker", minimum=0)
    relations: str | None = param(None, "a file of related words: word, word, number from 0 to 1, by line")
    cutoff: float = param(-0.5, "standard deviations above the mean depth that a boundary must exceed")
    min_gap: int = param(4, SPACING, minimum=1)
    stop_words: str = param("english", STOP_WORDS_HELP)
    stem: bool = param(True, "whether to reduce English words to stems")

    card = Card(
        title="valleys of the similarity of words, speakers and names",
        citation="the system that the paper of CovN and CovD evaluates, as far as it describes it",
    )

    def cut(self, features: Features) -> Cut:
        """Segment one document."""
        ends = breath_groups(features.document, self.pause)
        terms = self.terms(features, ends)
        similarities = term_cosines(terms, self.window, self._related(terms))
        depth = depths(similarities)
        ranked = below_valleys(similarities, depth)
        scores = np.full(features.n_units - 1, _INSIDE)
        scores[ends[:-1] - 1] = ranked
        wanted = self.wanted(features)
        if wanted is not None:
            return Cut.at(features, best(scores, wanted), scores)
        threshold = float(depth.mean() + self.cutoff * depth.std()) if len(depth) else 0.0
        groups = above(ranked, max(threshold, 0.0), self.min_gap)
        return Cut.at(features, ends[np.array(groups, dtype=np.int64) - 1].tolist(), scores)

    def terms(self, features: Features, ends: Ints) -> Terms:
        """Return the weights of words and persons in each breath group, given the last units of the groups."""
        persons = features.document.speakers
        parts = _name_parts(persons or ())
        groups = []
        for first, last in zip([0, *ends[:-1].tolist()], ends.tolist(), strict=True):
            text = " ".join(features.units[first:last])
            weights: dict[str, float] = dict(Counter(terms_of(text, self.stop_words, self.stem)))
            said = [(parts[word], self.names) for word in words(text) if word in parts]
            if persons is not None:
                said.append((persons[first], self.speakers))
            for person, weight in said:
                weights[_PERSON + person] = weights.get(_PERSON + person, 0.0) + weight
            groups.append({term: weight for term, weight in weights.items() if weight})
        return weigh_terms(groups)

    def _related(self, terms: Terms) -> Related | None:
        """Return the related terms of a vocabulary."""
        if self.relations is None:
            return None
        places = {term: place for place, term in enumerate(terms.vocabulary)}
        pairs = [
            (places[one], places[other], share)
            for (one, other), share in _relations(self.relations, self.stem, _changed(self.relations)).items()
            if one in places and other in places
        ]
        return Related(*(np.array(column) for column in zip(*pairs, strict=True))) if pairs else None


def _name_parts(speakers: tuple[str, ...]) -> dict[str, str]:
    """Return the person of each part of a name; a part that two persons share names nobody.

    >>> _name_parts(("Anna Kern", "Tom Kern"))
    {'anna': 'Anna Kern', 'tom': 'Tom Kern'}
    """
    found: dict[str, set[str]] = {}
    for person in dict.fromkeys(speakers):
        for part in words(person):
            found.setdefault(part, set()).add(person)
    return {part: min(persons) for part, persons in found.items() if len(persons) == 1}


def _changed(path: str) -> int:
    try:
        return Path(path).stat().st_mtime_ns
    except (OSError, ValueError):
        return 0


@functools.lru_cache(maxsize=4)
def _relations(path: str, stemmed: bool, changed: int) -> dict[tuple[str, str], float]:
    """Read related words; words that have the same stem are one. A file that changed is read again."""
    try:
        lines = Path(path).read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError, ValueError) as error:
        what = getattr(error, "strerror", None) or "not UTF-8 text"
        raise DeclarationError(
            f"relations is {path!r}, which cannot be read ({what}); give a file of lines: word, word, number"
        ) from None
    found: dict[tuple[str, str], float] = {}
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        one, _, rest = line.partition("\t")
        other, _, share = rest.partition("\t")
        terms = [terms_of(word, "none", stemmed) for word in (one, other)]
        try:
            value = float(share)
        except ValueError:
            value = -1.0
        if not 0 <= value <= 1 or any(len(term) != 1 for term in terms):
            raise DeclarationError(
                f"{path}:{number}: {line[:60]!r} is no relation; write word, word and a number from 0 to 1, with tabs"
            )
        pair = (min(terms)[0], max(terms)[0])
        if pair[0] != pair[1]:
            found[pair] = max(value, found.get(pair, 0.0))
    return found


def breath_groups(document: Document, pause: float | None) -> Ints:
    """Return the last unit of each breath group, counted from 1.

    A group ends where the speaker changes or where the next unit starts at least ``pause`` seconds after the end of this
    one. With None every unit is a group.

    Examples
    --------
    >>> times = ((0.0, 0.4), (0.5, 0.9), (1.9, 2.3), (2.4, 2.6))
    >>> said = Document(id="d", n_units=4, unit_times=times, speakers=("a", "a", "a", "b"))
    >>> breath_groups(said, 0.5).tolist()
    [2, 3, 4]
    """
    ends = np.arange(1, document.n_units + 1)
    if pause is None or document.n_units == 1:
        return ends
    if document.unit_times is None:
        raise SegmentationError(
            f"document {document.id!r} has no times, which breath groups need; add 'unit_times', or set pause=None"
        )
    times = np.array(document.unit_times, dtype=np.float64)
    apart = times[1:, 0] - times[:-1, 1] >= pause
    if document.speakers is not None:
        who = np.array(document.speakers)
        apart |= who[1:] != who[:-1]
    last: Ints = ends[np.append(apart, True)]
    return last
