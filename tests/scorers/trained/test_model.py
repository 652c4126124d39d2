"""Folders of models: whatever is wrong with one is said in one line, and nothing is read that should not be."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path

import numpy as np
import pytest

from caesura.corpus import Document
from caesura.encoders.safetensors import SafetensorsFile, safetensors_bytes
from caesura.errors import CaesuraError, EncoderError, FormatError
from caesura.scorers import Encoding, scorer
from caesura.scorers.trained import ModelCard, head, load_model
from caesura.scorers.trained.model import write_model
from caesura.segmenters import ScoreThenSelect, segmenter

HEAD = "WindowHead(window=2, parts='products')"
TEXT = Document(id="d", n_units=4, units=("A cat purrs.", "Cats purr.", "Rain falls.", "It rains."))


def card(**changes: object) -> ModelCard:
    source = Encoding().source
    known = {"head": HEAD, "encoder": source.name, "fingerprint": source.fingerprint, "dim": source.dim}
    return ModelCard(**{**known, **changes})  # type: ignore[arg-type]


def tensors(dim: int, text: str = HEAD) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(0)
    shapes = head(text).shapes(dim)
    return {name: np.abs(rng.normal(1, 0.1, shape)).astype(np.float32) for name, shape in shapes.items()}


@pytest.fixture
def folder(tmp_path) -> Path:
    about = card()
    write_model(tmp_path / "m", about, tensors(about.dim))
    return tmp_path / "m"


def changed(folder: Path, **changes: object) -> None:
    path = folder / "model.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))


def weighed(folder: Path, data: bytes) -> None:
    """Write other weights, with the right hash."""
    (folder / "model.safetensors").write_bytes(data)
    changed(folder, weights=hashlib.sha256(data).hexdigest())


def test_scores_follow_the_definition(folder):
    """Standardised products of the two window means, times the weights, through the sigmoid at the temperature."""
    changed(folder, temperature=2.0)
    vectors = Encoding().source.encode(TEXT.units).astype(np.float64)
    known = {name: each.astype(np.float64) for name, each in tensors(vectors.shape[1]).items()}

    def unit(mean):
        return mean / np.linalg.norm(mean)

    expected = []
    for gap in (1, 2, 3):
        left, right = (unit(vectors[max(0, gap - 2) : gap].mean(axis=0)), unit(vectors[gap : gap + 2].mean(axis=0)))
        logit = ((left * right - known["mean"]) / known["scale"]) @ known["weight"] + known["bias"][0]
        expected.append(1 / (1 + np.exp(-logit / 2)))
    np.testing.assert_allclose(scorer(f"model:{folder}").score(TEXT), expected, rtol=1e-4)


def test_a_model_is_a_method_and_a_scorer(folder):
    method = segmenter(f"model:{folder}")
    assert str(method) == f"model:{folder.name}"  # as it is shared, without the place of its folder
    assert method.needs_vectors
    assert method.versions()["weights_sha256"] == json.loads((folder / "model.json").read_text())["weights"]
    other = ScoreThenSelect(f"model:{folder}", "TopKSelector(k=1)")
    assert other.segment(TEXT).n_boundaries == 1
    assert scorer(f"model:{folder}").score(Document(id="d", n_units=1, units=("One.",))).shape == (0,)


def test_another_encoder_is_refused(folder):
    changed(folder, encoder="onnx:minilm", fingerprint="onnx-0123456789abcdef")
    with pytest.raises(EncoderError, match=r"trained on the vectors of onnx:minilm .* --encoder onnx:minilm"):
        scorer(f"model:{folder}").score(TEXT)
    changed(folder, encoder="default", fingerprint="default-0123456789abcdef")  # another version of it
    with pytest.raises(EncoderError, match=r"not on those of default .*; train it again"):
        scorer(f"model:{folder}").score(TEXT)


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"schema": "caesura.model/99"}, "is a model of the version 'caesura.model/99'"),
        ({"head": "OtherHead"}, "names an invalid head"),
        ({"head": "WindowHead(window=0)"}, "names an invalid head"),
        ({"head": "__import__('os')"}, "names an invalid head"),
        ({"weights": "00"}, "and its card names 00"),
        ({"dim": 3}, "does not have the tensors of its head"),
        ({"dim": -3}, "does not have the tensors of its head"),
        ({"temperature": 0.0}, "has the temperature 0.0"),
        ({"temperature": "hot"}, "is not the card of a model"),
        ({"surprise": 1}, "is not the card of a model"),
        ({"selector": "NoSelector"}, "is not a selector"),
    ],
)
def test_a_card_that_does_not_fit_is_refused(folder, changes, says):
    changed(folder, **changes)
    with pytest.raises(CaesuraError) as refused:
        segmenter(f"model:{folder}")
    assert says in str(refused.value)
    assert "\n" not in str(refused.value)


def bomb(shape: list[int], offsets: list[int], dtype: str = "F32") -> bytes:
    text = json.dumps({"weight": {"dtype": dtype, "shape": shape, "data_offsets": offsets}}).encode()
    return len(text).to_bytes(8, "little") + text + b"\0" * 64


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\xff" * 64,
        (1 << 62).to_bytes(8, "little") + b"{}",
        b"\x02\0\0\0\0\0\0\0{}",
        bomb([1 << 40], [0, 64]),
        bomb([-1, -16], [0, 64]),
        bomb([16], [-64, 0]),
        bomb([16], [32, 96]),
        bomb([16], [0, 64], "I64"),
        b"\x06\0\0\0\0\0\0\0[[[[[[",
        b'\x0b\0\0\0\0\0\0\0{"a": "../.',
    ],
)
def test_hostile_weights_are_refused(folder, data):
    weighed(folder, data)
    with pytest.raises(FormatError) as refused:
        load_model(str(folder))
    assert "\n" not in str(refused.value)
    assert str(folder / "model.safetensors") in str(refused.value)


def test_weights_that_are_not_finite_are_refused(folder):
    known = tensors(Encoding().source.dim)
    known["weight"][3] = np.nan
    weighed(folder, safetensors_bytes(known))
    with pytest.raises(FormatError, match="holds NaN or infinity"):
        load_model(str(folder))


def test_a_key_that_stands_twice_is_refused(folder):
    path = folder / "model.json"
    path.write_text(path.read_text().replace('"dim":', '"dim": 3, "dim":', 1))
    with pytest.raises(FormatError, match="the key 'dim' appears twice"):
        load_model(str(folder))


@pytest.mark.parametrize("name", ["model.json", "model.safetensors"])
def test_what_is_not_a_file_is_refused_and_not_waited_for(folder, name):
    (folder / name).unlink()
    with pytest.raises(FormatError, match="there is no such file"):
        load_model(str(folder))
    os.mkfifo(folder / name)
    with pytest.raises(FormatError, match="is not a regular file"):
        load_model(str(folder))
    (folder / name).unlink()
    (folder / name).mkdir()
    with pytest.raises(FormatError, match="is not a regular file"):
        load_model(str(folder))


@pytest.mark.parametrize("name", ["", " ", "a\0b", "/dev/null", "x" * 5000, "../../nowhere"])
def test_a_name_that_is_no_model_is_refused(name):
    with pytest.raises(FormatError) as refused:
        segmenter(f"model:{name}")
    assert "\n" not in str(refused.value)


def test_large_files_are_refused_before_they_are_read(folder, monkeypatch):
    monkeypatch.setenv("CAESURA_LIMITS", "1e-7")
    with pytest.raises(FormatError, match="CAESURA_LIMITS"):
        load_model(str(folder))


@pytest.mark.parametrize("kind", [np.float16, np.float32, np.float64])
def test_tensors_come_back_as_they_were_written(tmp_path, kind):
    rng = np.random.default_rng(1)
    known = {"b": rng.normal(size=(2, 3)).astype(kind), "a": rng.normal(size=(4,)).astype(kind)}
    (tmp_path / "t.safetensors").write_bytes(safetensors_bytes(known))
    file = SafetensorsFile(tmp_path / "t.safetensors")
    assert list(file.names()) == ["a", "b"]
    for name, array in known.items():
        np.testing.assert_array_equal(file.member(name).read(), array)
        assert file.member(name).read().dtype == kind
