# SPDX-License-Identifier: Apache-2.0
"""What is expected of random gaps: the same compiled and uncompiled; against all placements in the tests of skill."""

from __future__ import annotations

from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caesura.batches.pairs import Pairs
from caesura.metrics import metric
from caesura.metrics.pairwise import _retrieval, window_diff
from caesura.segmentation import Segmentation
from tests.kernels.test_compiled_equals_uncompiled import load
from tests.strategies import batch, corpora


@settings(deadline=None, max_examples=60)
@given(
    corpora(max_documents=4, max_units=70),
    st.sampled_from(["CovN", "CovD(gamma=0.67)", "CovD(gamma=1, strict=False)", "WindowDiff", "WindowDiff(k=3)"]),
)
def test_compiled_and_uncompiled_expect_the_same(documents, name):
    pairs = batch(documents)
    m = metric(name)
    counts = m.count(pairs)
    found = m.expected_counts(counts, pairs, swap=False)
    module = load("expected", shim=True)
    assert module.COMPILED is False
    with mock.patch.object(_retrieval, "expected", module), mock.patch.object(window_diff, "expected", module):
        np.testing.assert_array_equal(m.expected_counts(counts, pairs, swap=False), found)


@pytest.mark.parametrize("gamma", [0.67, 0.85, 1.0])
def test_long_documents(gamma):
    """Twenty thousand units in segments of any length: as many are expected as are found on average."""
    rng = np.random.default_rng(5)
    n = 20_000
    reference = Segmentation(n, np.sort(rng.choice(n - 1, 4_000, replace=False) + 1))
    m = metric(f"CovD(gamma={gamma}, strict=False)")

    def drawn():
        return Segmentation(n, np.sort(rng.choice(n - 1, 5_000, replace=False) + 1))

    pairs = Pairs.of(reference, drawn())
    expected = m.expected_counts(m.count(pairs), pairs, swap=False)[0]
    every = np.array([m.count(Pairs.of(reference, drawn()))[0] for _ in range(200)])
    error = every.std(axis=0, ddof=1) / np.sqrt(200)
    assert (np.abs(every.mean(axis=0) - expected) <= 4 * error + 1e-9).all()
