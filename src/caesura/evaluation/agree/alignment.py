# SPDX-License-Identifier: Apache-2.0
"""Annotated documents and the systems' segmentations of them, in one order."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

import numpy as np

from caesura.batches.flat import Flat
from caesura.batches.pairs import Missing, pair
from caesura.batches.panel import Panel
from caesura.corpus import Corpus, Document
from caesura.errors import ComparabilityError
from caesura.evaluation.inputs import Source
from caesura.segmentation import Segmentation

__all__ = ["aligned"]


def aligned(
    corpus: Corpus, systems: Mapping[str, Source], missing: Missing
) -> tuple[Panel, dict[str, Flat], dict[str, tuple[str, ...]]]:
    """Return the panel and the hypotheses of the annotated documents that every system has."""
    panel = Panel.from_corpus(corpus)
    stand_in = Corpus(
        [_with_any_segmentation(document) for document in corpus if document.annotations],
        name=corpus.name,
        ids_are_given=corpus.ids_are_given,
    )
    unread = set(corpus.ids) - set(panel.ids)
    pairings = {
        name: pair(stand_in, _without(s.corpus, unread), name=name, missing=missing)
        for name, s in systems.items()
    }
    # The annotated documents have the same order in the panel and in the pairing.
    common = np.arange(len(panel))
    for pairing in pairings.values():
        common = np.intersect1d(common, pairing.rows)
    if not len(common):
        raise ComparabilityError("no annotated document is in every system; check the ids")
    flats = {}
    for name, pairing in pairings.items():
        places = np.intersect1d(common, pairing.rows, return_indices=True)[2]
        flats[name] = pairing.pairs.hypothesis.take(places)
    return panel.take(common.tolist()), flats, {name: p.skipped for name, p in pairings.items()}


def _without(corpus: Corpus, unread: set[str]) -> Corpus:
    return corpus.subset(key for key in corpus.ids if key not in unread) if unread else corpus


def _with_any_segmentation(document: Document) -> Document:
    """Give a document any boundaries, so that it can be paired."""
    # The annotators segmented a known length, so the end is no longer open.
    any_one = document.segmentation or Segmentation(document.n_units, unit=document.unit)
    return dataclasses.replace(document, segmentation=any_one, open_ended=False)
