"""The next-sentence scorer: refusals everywhere, and a small BERT of random weights where torch is."""

from __future__ import annotations

import itertools
import json
import sys
from pathlib import Path

import numpy as np
import pytest

from caesura.corpus import Document
from caesura.errors import EncoderError, MissingExtraError
from caesura.scorers import scorer
from caesura.scorers.blocks import depths
from tests.libraries import library

UNITS = ("the cat sat", "on the mat", "a cat", "", "the mat sat on a cat", "a mat")
DOCUMENT = Document(id="d", n_units=len(UNITS), units=UNITS)
WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "a", "cat", "sat", "on", "the", "mat"]


def test_the_weights_must_be_named(tmp_path, monkeypatch):
    with pytest.raises(EncoderError, match="no pretrained transformer is named; give model='FOLDER'"):
        scorer("NextSentence").score(DOCUMENT)
    monkeypatch.setitem(sys.modules, "transformers", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'caesura-eval\[torch\]'"):
        scorer(f"NextSentence(model='{tmp_path}')").score(DOCUMENT)


@pytest.fixture
def folder(tmp_path) -> Path:
    torch, transformers = library("torch"), library("transformers")
    torch.manual_seed(3)
    config = transformers.BertConfig(
        vocab_size=len(WORDS),
        hidden_size=16,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=32,
        initializer_range=0.7,
    )
    transformers.BertForNextSentencePrediction(config).save_pretrained(tmp_path)
    (tmp_path / "vocab.txt").write_text("\n".join(WORDS) + "\n")
    (tmp_path / "tokenizer_config.json").write_text(
        json.dumps({"tokenizer_class": "BertTokenizer", "do_lower_case": True})
    )
    return tmp_path


@pytest.mark.filterwarnings("default")
def test_depths_of_the_probability(folder):
    """Against the model's own words, one pair at a time: class 0 is "continues"."""
    import torch
    from transformers import BertForNextSentencePrediction

    model = BertForNextSentencePrediction.from_pretrained(folder).eval()
    number = {word: place for place, word in enumerate(WORDS)}
    wanted = []
    for first, second in itertools.pairwise(UNITS):
        one, two = ([number[word] for word in text.split()] for text in (first, second))
        ids = [2, *one, 3, *two, 3]
        types = [0] * (len(one) + 2) + [1] * (len(two) + 1)
        with torch.inference_mode():
            odds = model(input_ids=torch.tensor([ids]), token_type_ids=torch.tensor([types])).logits[0]
        wanted.append(float(torch.softmax(odds.double(), 0)[0]))
    found = scorer(f"NextSentence(model='{folder}')").score(DOCUMENT)
    np.testing.assert_allclose(found, depths(np.array(wanted)) / 2, atol=1e-6)
    assert np.ptp(found) > 0.01
    assert len(scorer(f"NextSentence(model='{folder}')").score(Document(id="e", n_units=1, units=("a",)))) == 0


@pytest.mark.filterwarnings("default")
def test_weights_without_the_head(folder):
    import transformers

    config = transformers.BertConfig.from_pretrained(folder)
    transformers.BertModel(config).save_pretrained(folder)
    with pytest.raises(EncoderError, match="has no head for next-sentence prediction"):
        scorer(f"NextSentence(model='{folder}')").score(DOCUMENT)
