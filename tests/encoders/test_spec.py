"""One text names an encoder, and every wrong one gets a line that helps."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import types
from importlib.metadata import EntryPoint
from pathlib import Path

import numpy as np
import pytest

import caesura as cz
import caesura.encoders
from caesura.encoders import ENCODERS, Precomputed, encoder, source
from caesura.encoders.base import Encoder, check_texts, check_vectors, fingerprint, unit_length
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
        ("onxx:minilm", "'onxx:minilm' is not an encoder; did you mean onnx?"),
        ("nothing-like-it", "'nothing-like-it' is not an encoder; choose from"),
        ("", "'' is not an encoder"),
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
        "def explodes(): raise RuntimeError('boom\\nsecond line')\n"
        "class Half:\n    name = 'half'; dim = 3\n"
        "class Flat(Toy):\n    dim = 0\n"
        "class Nameless(Toy):\n    fingerprint = ''\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    for attribute in ("instance", "factory", "Inner.made"):
        assert encoder(f"someones:{attribute}").name == "toy"
    for attribute, says in {
        "absent": "has no absent",
        "needs": r"someones:needs: calling it without arguments fails \(TypeError: .*'argument'\)",
        "explodes": r"someones:explodes: calling it without arguments fails \(RuntimeError: boom second line\)",
        "number": "is a int without name, dim",
        "Half": "without normalized, fingerprint, encode",
        "Flat": "has dim 0",
        "Nameless": "has fingerprint ''",
    }.items():
        with pytest.raises(EncoderError, match=says) as caught:
            encoder(f"someones:{attribute}")
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize("spec", ["mymod:Mine", "my.mod:Mine", "json.absent:x", "json.absent.more:x"])
def test_a_module_that_is_not_on_the_path(monkeypatch, tmp_path, spec):
    """As the console script sees it: the current folder, where it is not either, is told too."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [place for place in sys.path if place])
    head = spec.partition(":")[0]
    with pytest.raises(EncoderError) as caught:
        encoder(spec)
    assert str(caught.value) == (
        f"{spec}: no kind of encoder is called {head}, and there is no module {head}, installed, on PYTHONPATH or "
        f"in the current folder ({tmp_path}); go to its folder, or put that on PYTHONPATH"
    )


@pytest.mark.parametrize(
    ("code", "says"),
    [
        ("import nowhere_to_be_found", r"cannot be imported \(ModuleNotFoundError: .*nowhere_to_be_found"),
        ("1 // 0", r"cannot be imported \(ZeroDivisionError"),
        ("(", r"cannot be imported \(SyntaxError"),
        ("import json; json.absent", r"cannot be imported \(AttributeError"),
    ],
)
@pytest.mark.parametrize("name", ["broken_encoder", "broken_encoder.below"])
def test_a_module_that_fails_to_import(monkeypatch, tmp_path, name, code, says):
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "broken_encoder", raising=False)
    (tmp_path / "broken_encoder").mkdir()
    (tmp_path / "broken_encoder" / "__init__.py").write_text(code)
    with pytest.raises(EncoderError, match=says) as caught:
        encoder(f"{name}:x")
    assert "\n" not in str(caught.value)


def test_entry_points(monkeypatch):
    import importlib.metadata

    mine = EntryPoint("mine", "tests.encoders.conftest:Toy", "caesura.encoders")

    def some(**asked):
        return [mine] if asked.get("name", "mine") == "mine" else []

    monkeypatch.setattr(importlib.metadata, "entry_points", some)
    assert encoder("mine").name == "toy"


def test_an_entry_point_that_fails(monkeypatch):
    import importlib.metadata

    mine = EntryPoint("mine", "tests.encoders.absent:Toy", "caesura.encoders")
    monkeypatch.setattr(
        importlib.metadata, "entry_points", lambda **asked: [mine] if asked.get("name") == "mine" else []
    )
    with pytest.raises(EncoderError, match=r"mine: tests\.encoders\.absent:Toy cannot be imported .*uninstall it"):
        encoder("mine")


def test_vectors_of_a_file_are_no_encoder(tmp_path):
    np.savez(tmp_path / "v.npz", d1=np.ones((2, 3)))
    spec = f"npz:{tmp_path / 'v.npz'}"
    assert isinstance(source(spec), Precomputed)
    with pytest.raises(EncoderError, match="cannot encode other texts"):
        encoder(spec)


def test_fingerprints_are_stable_between_processes():
    code = "from caesura.encoders.base import fingerprint; print(fingerprint('a', b=1, c='x'))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == fingerprint("a", c="x", b=1)


@pytest.mark.parametrize(
    ("vectors", "says"),
    [
        ([[1.0, 2.0]], "1 vectors for 2 units"),
        ([[1.0], [2.0]], "vectors of dimension 1; it must be 2"),
        ([[1.0, 2.0], [1.0]], "different lengths"),
        ([[1.0, np.nan], [1.0, 2.0]], "vector 1 holds NaN"),
        ([[np.inf, 1e300], [1e300, 2.0]], r"vector 1 \(and 1 more\) holds NaN or infinity"),
        ([[1.0, 2.0], [1e308, 2.0]], r"vector 2 holds a number too large for float32 .*; scale"),
        ([1.0, 2.0], "two dimensions"),
        ([["a", "b"], ["c", "d"]], "must be numbers"),
        ([[None, 1], [2, 3]], "must be numbers"),
    ],
)
def test_wrong_vectors(vectors, says):
    with pytest.raises(EncoderError, match=says):
        check_vectors(vectors, 2, 2, "it")


@pytest.mark.parametrize(
    ("texts", "says"),
    [
        ("abc", "it got a str; give it a list of strings"),
        (b"abc", "it got a bytes; give it a list"),
        ({"a"}, "it got a set; give it a list"),
        (5, "it got a int; give it a list"),
        (None, "it got a NoneType; give it a list"),
        ([1], "text 1 of 1 is a int; every text must be a str"),
        (["a", None], "text 2 of 2 is a NoneType; every text must be a str"),
        (["a", b"a"], "text 2 of 2 is a bytes; every text must be a str"),
    ],
)
def test_wrong_texts(texts, says):
    with pytest.raises(EncoderError, match=says):
        check_texts(texts, "it")


@pytest.mark.parametrize("texts", [["a", "b"], ("a", "b"), np.array(["a", "b"]), iter("ab"), {"a": 1, "b": 2}.keys()])
def test_right_texts(texts):
    assert check_texts(texts, "it") == ["a", "b"]
    assert check_texts([], "it") == []


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


@pytest.mark.parametrize("name", ["default", "npy"])
def test_only_the_kind_that_is_named_is_imported(name):
    code = (
        f"import sys; from caesura.encoders import ENCODERS; ENCODERS.lookup({name!r})\n"
        "kinds = ('default', 'hf', 'http', 'npy', 'npz', 'onnx', 'safetensors', 'st')\n"
        "print([kind for kind in kinds if f'caesura.encoders.{kind}' in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == str([name])


def test_every_file_of_the_folder_is_an_encoder_of_that_name():
    folder = Path(caesura.encoders.__path__[0])
    files = {path.stem for path in folder.glob("*.py") if not path.stem.startswith("_")}
    assert files - {"base"} == set(ENCODERS.names())


@pytest.mark.parametrize(
    ("spec", "name", "revision"),
    [
        ("hf:someone/model@refs/pr/1", "someone/model", "refs/pr/1"),
        ("hf:model@v1.0", "model", "v1.0"),
        ("st:small@0123abc@sha256:0123456789abcdef", "sentence-transformers/small", "0123abc"),
        ("st:someone/model", "someone/model", None),
    ],
)
def test_a_revision_of_the_hub(tmp_path, monkeypatch, spec, name, revision):
    """It goes to the hub beside the name; the folder that comes back has no weights, and says which spec it was."""
    asked: list[tuple[str, object]] = []

    def fetch(name: str, *, revision: str | None, **_: object) -> str:
        asked.append((name, revision))
        return str(tmp_path)

    hub, errors = types.ModuleType("huggingface_hub"), types.ModuleType("huggingface_hub.errors")
    hub.snapshot_download, errors.LocalEntryNotFoundError = fetch, KeyError
    for module in (hub, errors):
        monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: name)
    with pytest.raises(EncoderError, match=r"contains no \.safetensors") as caught:
        encoder(spec)
    assert str(caught.value).startswith(spec)
    assert asked == [(name, revision)]


@pytest.mark.parametrize("spec", ["hf:model@", "hf:model@a b", "hf:model@../x y", "hf:model@sha256:xyz"])
def test_what_is_no_revision(monkeypatch, spec):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: name)
    with pytest.raises(EncoderError, match="is no revision; write NAME@REVISION"):
        encoder(spec)
