"""One text names an encoder, and every wrong one gets a line that helps."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import EntryPoint

import numpy as np
import pytest

import caesura as cz
from caesura.encoders import ENCODERS, Precomputed, encoder, source
from caesura.encoders.base import Encoder, check_vectors, fingerprint, unit_length
from caesura.errors import DeclarationError, EncoderError


def test_the_kinds_are_found_by_walking_the_folder():
    assert {"hf", "http", "npy", "npz", "onnx", "safetensors", "st"} <= set(ENCODERS.names())
    for kind in ENCODERS:
        assert kind.card.title


def test_an_encoder_is_returned_as_it_is(toy):
    assert encoder(toy) is toy
    assert isinstance(toy, Encoder)
    assert cz.encoder is encoder


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        ("onxx:minilm", "unknown encoder 'onxx:minilm'; did you mean onnx?"),
        ("nothing-like-it", "unknown encoder 'nothing-like-it'; known are"),
        ("", "unknown encoder ''"),
        ("onnx", "write onnx:minilm or onnx:FOLDER"),
        ("npz:", "write npz:FILE"),
        ("onnx:minilm@sha256:12", "8 to 64 hexadecimal digits"),
        ("json:loads@sha256:0123456789", "can be pinned"),
    ],
)
def test_a_wrong_spec(spec, says):
    with pytest.raises(DeclarationError) as caught:
        encoder(spec)
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


def test_module_and_attribute(monkeypatch, tmp_path):
    (tmp_path / "someones.py").write_text(
        "from tests.encoders.conftest import Toy\n"
        "instance = Toy()\n"
        "def factory(): return Toy()\n"
        "def needs(argument): return Toy()\n"
        "class Inner: made = Toy\n"
        "number = 5\n"
        "class Half:\n    name = 'half'; dim = 3\n"
        "class Flat(Toy):\n    dim = 0\n"
        "class Nameless(Toy):\n    fingerprint = ''\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    for attribute in ("instance", "factory", "Inner.made"):
        assert encoder(f"someones:{attribute}").name == "toy"
    for attribute, says in {
        "absent": "has no absent",
        "needs": "cannot be called without arguments",
        "number": "is a int without name, dim",
        "Half": "without normalized, fingerprint, encode",
        "Flat": "has dim 0",
        "Nameless": "has fingerprint ''",
    }.items():
        with pytest.raises(EncoderError, match=says):
            encoder(f"someones:{attribute}")


def test_a_module_that_fails_to_import(monkeypatch, tmp_path):
    (tmp_path / "broken_encoder.py").write_text("import nowhere_to_be_found")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(EncoderError, match=r"cannot be imported .*nowhere_to_be_found"):
        encoder("broken_encoder:x")


def test_entry_points(monkeypatch):
    import importlib.metadata

    mine = EntryPoint("mine", "tests.encoders.conftest:Toy", "caesura.encoders")

    def some(**asked):
        return [mine] if asked.get("name", "mine") == "mine" else []

    monkeypatch.setattr(importlib.metadata, "entry_points", some)
    assert encoder("mine").name == "toy"


def test_vectors_of_a_file_are_no_encoder(tmp_path):
    np.savez(tmp_path / "v.npz", d1=np.ones((2, 3)))
    spec = f"npz:{tmp_path / 'v.npz'}"
    assert isinstance(source(spec), Precomputed)
    with pytest.raises(EncoderError, match="cannot encode texts"):
        encoder(spec)


def test_fingerprints_are_stable_between_processes():
    code = "from caesura.encoders.base import fingerprint; print(fingerprint('a', b=1, c='x'))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == fingerprint("a", c="x", b=1)


@pytest.mark.parametrize(
    ("vectors", "says"),
    [
        ([[1.0, 2.0]], "1 vectors for 2 units"),
        ([[1.0], [2.0]], "vectors of 1 numbers; they must have 2"),
        ([[1.0, 2.0], [1.0]], "different lengths"),
        ([[1.0, np.nan], [1.0, 2.0]], "vector 1 holds NaN"),
        ([[1.0, 1e300], [np.inf, 2.0]], r"vector 1 \(and 1 more\) holds NaN or infinity"),
        ([1.0, 2.0], "two dimensions"),
        ([["a", "b"], ["c", "d"]], "must be numbers"),
        ([[None, 1], [2, 3]], "must be numbers"),
    ],
)
def test_wrong_vectors(vectors, says):
    with pytest.raises(EncoderError, match=says):
        check_vectors(vectors, 2, 2, "it")


def test_unit_length_leaves_zero_alone():
    found = unit_length(np.array([[3.0, 4.0], [0.0, 0.0], [1e-30, 0.0]]))
    assert found.dtype == np.float32
    assert found.tolist() == [[np.float32(0.6), np.float32(0.8)], [0.0, 0.0], [1.0, 0.0]]


def test_importing_the_encoders_loads_no_optional_part():
    code = (
        "import sys, caesura.encoders\n"
        "print([m for m in ('torch', 'onnxruntime', 'tokenizers', 'transformers', 'huggingface_hub', 'scipy', 'rich') "
        "if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
