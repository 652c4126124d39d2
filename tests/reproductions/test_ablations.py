"""Ablations of a metric, and one annotator against the others."""

from __future__ import annotations

import pytest

from caesura.batches.embedded import Embedded
from caesura.datasets.bundled import bundled
from caesura.encoders import embed, source
from caesura.errors import ComparabilityError
from caesura.evaluation.agree.pairwise import against_annotator
from caesura.evaluation.degrade.removal import Removal
from caesura.evaluation.validate.curves import degradation_curves
from caesura.metrics import metric
from caesura_reproductions.ablations import SEGREFREE_ABLATIONS, ablation_correlations


def test_every_ablation_is_correlated_over_the_levels():
    corpus = bundled("moonstone")
    gold = {d.id: d.segmentation for d in corpus}
    batch = Embedded.of(gold, embed(corpus, source("default")))
    texts = list(SEGREFREE_ABLATIONS.values())
    curves = degradation_curves(batch, lambda n: Removal(count=n), range(3), texts, ["Pk"])
    found = ablation_correlations(curves)
    assert found == {name: curves.pearson(text, "Pk") for name, text in SEGREFREE_ABLATIONS.items()}
    assert ablation_correlations(curves, levels=(0, 1)) != found
    assert len(set(found.values())) == len(found)


def test_an_annotator_against_the_others_both_ways():
    (article,) = bundled("stargazer")
    found = against_annotator(article, "4")
    pk = metric("Pk")
    for name, own in article.annotations.items():
        chosen = article.annotations["4"]
        assert found[name] == (pk(own, chosen), pk(chosen, own))
    sides = against_annotator(article, "4", "Coverage")
    assert any(one.score != one.exchanged for one in sides.values())
    with pytest.raises(ComparabilityError, match="has no annotator '9'"):
        against_annotator(article, "9")
