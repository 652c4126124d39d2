"""The window head: features by their definition, the gradient of the loss, and no memory but the tensors."""

from __future__ import annotations

import numpy as np
import pytest

from caesura.errors import DeclarationError
from caesura.scorers import Encoding
from caesura.scorers.trained import head
from caesura.scorers.trained.heads.window import _loss, window_features
from tests.training.toy import corpus

ENCODING = Encoding()


def unit(vector):
    length = np.linalg.norm(vector)
    return vector / length if length else vector


def test_features_by_their_definition():
    rng = np.random.default_rng(0)
    vectors = rng.normal(size=(7, 5)).astype(np.float32)
    vectors[2] = 0
    found = window_features(vectors, 3, "products,means,differences")
    for gap in range(1, 7):
        left = unit(vectors[max(0, gap - 3) : gap].astype(float).mean(axis=0))
        right = unit(vectors[gap : gap + 3].astype(float).mean(axis=0))
        expected = np.concatenate([left, right, np.abs(left - right), left * right])
        np.testing.assert_allclose(found[gap - 1], expected, atol=1e-6)


@pytest.mark.parametrize("n", [1, 2, 3])
def test_short_documents_have_features(n):
    for parts in ("means", "similarities", "means,differences,products,similarities"):
        assert np.isfinite(window_features(np.ones((n, 4), np.float32), 4, parts)).all()


@pytest.mark.parametrize("hidden", [0, 3])
def test_the_gradient_is_that_of_the_loss(hidden):
    rng = np.random.default_rng(1)
    x = rng.normal(size=(40, 6))
    labels = (rng.random(40) < 0.3).astype(float)
    made = {"bias": (1,), "weight": (hidden or 6,)}
    if hidden:
        made |= {"inner": (6, hidden), "inner_bias": (hidden,)}
    shapes = {name: made[name] for name in sorted(made)}
    centre = {name: rng.normal(size=shapes[name]) for name in ("weight", "inner") if name in shapes}
    loss = _loss(x, labels, shapes, 0.1, centre)
    at = rng.normal(size=sum(int(np.prod(shape)) for shape in shapes.values())) / 2
    _, slope = loss(at)
    step = 1e-3
    for place in range(len(at)):
        move = np.zeros_like(at)
        move[place] = step
        near = (loss(at + move)[0] - loss(at - move)[0]) / (2 * step)
        assert slope[place] == pytest.approx(near, abs=1e-6)


@pytest.mark.parametrize("text", ["WindowHead(window=2)", "WindowHead(window=2, hidden=3)"])
def test_a_restored_learner_goes_on_exactly(text):
    documents = corpus(8)
    one = head(text).learner(ENCODING, 0)
    examples = one.read(documents)
    rng = np.random.default_rng(0)
    losses = [one.epoch(examples, 1, rng)]
    other = head(text).learner(ENCODING, 99)
    other.restore(one.tensors())
    losses.append(one.epoch(examples, 1, rng))
    assert other.epoch(examples, 1, rng) == losses[1] < losses[0]
    for stage in (2, 2):
        again = head(text).learner(ENCODING, 7)
        again.restore(one.tensors())
        assert again.epoch(examples, stage, rng) == one.epoch(examples, stage, rng) == other.epoch(examples, stage, rng)
    for name, tensor in one.tensors().items():
        np.testing.assert_array_equal(other.tensors()[name], tensor)
    assert {name: each.shape for name, each in one.weights().items()} == head(text).shapes(256)


@pytest.mark.parametrize("parts", ["", "means,means", "colours", "means;products"])
def test_unknown_parts_are_refused(parts):
    with pytest.raises(DeclarationError, match="must be some of means"):
        head(f"WindowHead(parts={parts!r})")
