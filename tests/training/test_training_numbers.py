"""The numbers of studies/training/numbers.json: what the page says of the stages, the curves and the scorer that is not shipped."""

from __future__ import annotations

import msgspec
import pytest

from studies.training.curves import DATASETS
from studies.training.page import beats
from studies.training.study import CROSS, DATA, DOCS, SHOWN, Numbers
from studies.training.study import DATASETS as TRANSFER

FOUND = msgspec.json.decode(DATA.read_bytes(), type=Numbers)


def test_splices_leave_the_control_alone_and_gold_boundaries_bring_the_density_nearer():
    (run,) = [run for run in FOUND.runs.values() if run.how == "as in the paper"]
    first, second = run.stages
    assert first.epochs[first.best - 1].control <= 0.05
    bors = [second.before.bor, *(epoch.bor for epoch in second.epochs)]
    assert abs(bors[second.best] - 1) < abs(bors[0] - 1)


@pytest.mark.parametrize("name", DATASETS)
def test_density_changes_the_score_more_than_the_scorer_does(name):
    curves = {curve.system: curve.w_f1 for curve in FOUND.curves if curve.dataset == name}
    ours, other = curves["trained"], curves["VectorTiling"]
    apart = max(abs(a - b) for a, b in zip(ours, other, strict=True) if b is not None)
    assert max(ours) - min(ours) > 3 * apart


def test_no_scorer_is_shipped_because_none_beats_texttiling():
    assert not beats(FOUND)
    assert "no scorer is shipped" in (DOCS / "train.md").read_text(encoding="utf-8")


def test_the_cross_encoder_comes_near_the_density_of_gold_boundaries():
    run, *_ = [run for run in FOUND.runs.values() if (run.head, run.how) == ("cross-encoder", CROSS)]
    first, second = run.stages
    assert first.epochs[first.best - 1].control <= 0.05
    assert abs(second.epochs[second.best - 1].bor - 1) < abs(second.before.bor - 1)


@pytest.mark.parametrize("head", [*SHOWN, "BiLSTM", "SheikhBiLSTM", "TransformerHead"])
@pytest.mark.parametrize("how", ["within", "leave one out"])
def test_every_scorer_of_the_table_is_measured_on_every_dataset(head, how):
    measured = [run.dataset for run in FOUND.runs.values() if (run.head, run.how) == (head, how)]
    assert sorted(measured) == sorted(TRANSFER)
