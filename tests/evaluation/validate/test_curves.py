"""Scores over the levels of a damage: by hand, and against `validate`'s way of damaging."""

from __future__ import annotations

import numpy as np
import pytest

from caesura.batches.embedded import Embedded
from caesura.errors import DeclarationError
from caesura.evaluation.degrade.removal import Removal
from caesura.evaluation.degrade.transposition import Transposition
from caesura.evaluation.validate.curves import degradation_curves
from caesura.segmentation import Segmentation

RNG = np.random.default_rng(2)
GOLD = {f"d{n}": Segmentation.from_masses([3, 4, 2, 5, 3]) for n in range(6)}
VECTORS = {
    key: np.repeat(RNG.normal(size=(5, 8)), [3, 4, 2, 5, 3], axis=0) + 0.2 * RNG.normal(size=(17, 8)) for key in GOLD
}
BATCH = Embedded.of(GOLD, VECTORS)


def removal(level):
    return Removal(count=level)


def test_reference_metrics_of_pure_removals_have_a_closed_form():
    """S = 1 - n / (N - 1) and B = 1 - n / b, whichever boundaries are removed."""
    found = degradation_curves(BATCH, removal, range(4), ["SegReFree"], ["S", "B"], draws=2)
    assert found.losses("S") == pytest.approx([n / 16 for n in range(4)])
    assert found.losses("B") == pytest.approx([n / 4 for n in range(4)])
    assert found.scaled("B") == pytest.approx([0, 1 / 3, 2 / 3, 1])
    x = found.means["SegReFree"]
    assert found.pearson("SegReFree", "B") == pytest.approx(np.corrcoef(x, range(4))[0, 1])


def test_both_orders_of_the_arguments_stand_side_by_side():
    found = degradation_curves(BATCH, removal, (0, 2), [], ["Pk", "S"], profiles=("caesura", "swapped"))
    assert list(found.means) == ["Pk", "S", "Pk [swapped]", "S [swapped]"]
    assert found.means["Pk"][1] != found.means["Pk [swapped]"][1]
    assert found.means["S"].tolist() == found.means["S [swapped]"].tolist()


def test_infinite_scores_are_counted_and_left_out_of_the_means():
    vectors = {**VECTORS, "d0": np.tile([[1.0, 0], [0, 1]], (9, 4))[:17]}
    vectors["d0"] = np.concatenate([VECTORS["d0"][:3], VECTORS["d0"][:3], VECTORS["d0"][6:]])
    gold = {**GOLD, "d0": Segmentation.from_masses([3, 3, 3, 5, 3])}
    found = degradation_curves(Embedded.of(gold, vectors), removal, (0, 1), ["SegReFree"])
    assert found.infinite["SegReFree"][0] == 1
    assert np.isfinite(found.means["SegReFree"]).all()


def test_higher_is_turned_over_and_a_flat_curve_has_no_scale():
    found = degradation_curves(BATCH, removal, (0, 1, 2), ["ARPpair", "Evenness"], ["BOR"])
    assert found.losses("ARPpair") == pytest.approx(1 - found.means["ARPpair"])
    flat = degradation_curves(BATCH, lambda n: Transposition(distance=n, which="all"), (0, 1), [], ["BOR"])
    assert np.isnan(flat.scaled("BOR")).all()


@pytest.mark.parametrize("levels", [(), (0,), (2, 1), (0, 0), (-1, 0)])
def test_levels_that_mean_nothing_are_refused(levels):
    with pytest.raises(DeclarationError, match="two or more, ascending"):
        degradation_curves(BATCH, removal, levels, ["ARPpair"])


def test_a_correlation_may_leave_out_levels():
    found = degradation_curves(BATCH, removal, range(4), ["SegReFree"], ["B"])
    x = found.means["SegReFree"][1:]
    assert found.pearson("SegReFree", "B", range(1, 4)) == pytest.approx(np.corrcoef(x, range(3))[0, 1])


def test_documents_without_a_boundary_are_counted_at_each_level():
    """Documents of one, two and four boundaries are emptied at levels 1, 2 and 4; the worst score by decree is their share."""
    gold = {"a": Segmentation(17, (3,)), "b": Segmentation(17, (3, 7)), "c": Segmentation(17, (3, 7, 9, 14))}
    batch = Embedded.of(gold, {key: VECTORS[f"d{n}"] for n, key in enumerate(gold)})
    found = degradation_curves(batch, removal, range(6), ["ARPpair(on_single='worst')"], ["B"], draws=3)
    assert found.emptied.tolist() == [0, 1, 2, 2, 3, 3]
    assert found.documents == 3
    assert found.means["ARPpair(on_single='worst')"][4] == -1
    moved = degradation_curves(batch, lambda n: Transposition(distance=n, which="all"), range(2), ["ARPpair"])
    assert moved.emptied.tolist() == [0, 0]
