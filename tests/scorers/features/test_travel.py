"""An encoding that travels to another process names its encoder, and is opened there."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from caesura.errors import EncoderError
from caesura.scorers import Encoding
from tests.encoders.conftest import Toy, toy_vectors

TOY = "tests.encoders.conftest:Toy"


def test_only_the_name_travels():
    here = Encoding(TOY, cache=False)
    assert here.source.name == "toy"
    sent = pickle.dumps(here)
    assert len(sent) < 500
    there = pickle.loads(sent)
    assert there.name is None, "not opened before it is used"
    np.testing.assert_array_equal(there.encode(["a", "b"]), toy_vectors(["a", "b"]))
    assert there.cache is False


def test_another_version_there_is_refused(monkeypatch):
    here = Encoding(TOY, cache=False)
    assert here.source.fingerprint == "toy-1"
    there = pickle.loads(pickle.dumps(pickle.loads(pickle.dumps(here))))
    monkeypatch.setattr(Toy, "fingerprint", "toy-2")
    with pytest.raises(EncoderError, match=r"differs on this machine \(toy-2\) from where the run began \(toy-1\)"):
        there.encode(["a"])
    assert pickle.loads(pickle.dumps(Encoding(TOY))).source.fingerprint == "toy-2", (
        "never opened, so nothing is expected"
    )
