"""Heads that torch trains: against their definitions, equal by seed, resumed to the same weights, saved and loaded."""

from __future__ import annotations

import dataclasses
import json
import math
import os
import sys
from pathlib import Path

import numpy as np
import pytest

from caesura.corpus import Corpus, Document
from caesura.encoders import encoder
from caesura.errors import CaesuraError, EncoderError, FormatError, MissingExtraError
from caesura.scorers import Encoding, scorer
from caesura.scorers.trained import head as find_head
from caesura.scorers.trained.heads._sequence import pieces
from caesura.scorers.trained.heads.cross_encoder import windows
from caesura.segmenters import segmenter
from caesura.training import read_config, train
from caesura.training.config import Splicing, Supervision
from caesura.training.data import make_data
from tests.libraries import library
from tests.training.toy import TOPICS, config, corpus, killed_run, source, write

pytestmark = pytest.mark.filterwarnings("default")  # the libraries' own warnings are not ours to fail on

ENCODING = Encoding()
SEQUENCES = [
    "BiLSTM(hidden=8, layers=2, rate=0.02)",
    "SheikhBiLSTM(hidden=8, rate=0.02)",
    "TransformerHead(hidden=16, layers=1, rate=0.005)",
]
WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", ".", *(word for topic in TOPICS for word in topic)]


@pytest.fixture(scope="session")
def pretrained(tmp_path_factory) -> Path:
    """A small BERT with random weights, in the layout of the hub."""
    torch, transformers = library("torch"), library("transformers")
    folder = tmp_path_factory.mktemp("bert")
    torch.manual_seed(0)
    sizes = {"hidden_size": 24, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 48}
    made = transformers.BertConfig(vocab_size=len(WORDS), **sizes, initializer_range=0.2)
    transformers.BertModel(made).save_pretrained(folder)
    (folder / "vocab.txt").write_text("\n".join(WORDS) + "\n")
    facts = {"tokenizer_class": "BertTokenizer", "do_lower_case": True}
    (folder / "tokenizer_config.json").write_text(json.dumps(facts))
    return folder


@pytest.fixture(params=[*SEQUENCES, "CrossEncoder"], ids=lambda text: text.split("(")[0])
def text(request) -> str:
    """A head as text."""
    library("torch")
    if request.param != "CrossEncoder":
        return request.param
    folder = request.getfixturevalue("pretrained")
    return f"CrossEncoder(model='{folder}', window=2, length=24, rate=0.001, last_rate=0.01, pairs=300)"


def run(folder: Path, text: str, documents: int = 20, **changes: object):
    small = {"stage1": Splicing(documents=20, units=(2, 6), trim=0, epochs=1), "stage2": Supervision(epochs=2)}
    made = config(scorer=text, **{**small, **changes})
    return train(made, folder, make_data(made, {"toy": source(documents)}), encoding=ENCODING)


def weights(folder: Path) -> bytes:
    return (folder / "model.safetensors").read_bytes()


@pytest.mark.parametrize(("n", "longest", "context"), [(2, 6, 2), (6, 6, 2), (7, 6, 2), (40, 9, 3), (41, 9, 3)])
def test_stretches_hold_every_gap_once_with_its_context(n, longest, context):
    found = pieces(n, longest, context)
    assert [gap for piece in found for gap in range(piece.first, piece.last)] == list(range(1, n))
    for piece in found:
        assert piece.stop - piece.start <= longest
        assert piece.start <= max(0, piece.first - context)
        assert piece.stop >= min(n, piece.last - 1 + context)


def test_windows_keep_what_is_next_to_the_gap():
    units = [[1], [2, 3], [4, 5], [6], [7, 8, 9]]
    assert windows(units, 2, 1, 100) == ([2, 3], [4, 5])
    assert windows(units, 2, 9, 100) == ([1, 2, 3], [4, 5, 6, 7, 8, 9])
    assert windows(units, 2, 9, 4) == ([2, 3], [4, 5])
    assert windows(units, 1, 9, 5) == ([1], [2, 3, 4, 5])
    assert windows(units, 4, 9, 7) == ([3, 4, 5, 6], [7, 8, 9])
    assert windows([[], [], []], 1, 2, 5) == ([], [])


def test_each_head_fits_what_it_is_shown(text):
    learner = find_head(text.replace("rate=0.001", "rate=0.005")).learner(ENCODING, 0)
    examples = learner.read(corpus(6))
    rng = np.random.default_rng(0)
    losses = [learner.epoch(examples, 1, rng) for _ in range(60)]
    assert losses[-1] < losses[0] / 4


@pytest.mark.parametrize("text", SEQUENCES, ids=lambda text: text.split("(")[0])
def test_heads_on_vectors_learn_topics_that_share_no_word(tmp_path, text):
    library("torch")
    epochs = Supervision(epochs=20)
    outcome = run(tmp_path / "m", text, 40, stage1=Splicing(documents=60, epochs=2), stage2=epochs, patience=6)
    home = outcome.facts.datasets[0]
    assert home.equal["trained"]["W-F1"] > home.equal["chance"]["W-F1"] + 0.1
    assert home.equal["trained"]["W-F1"] > 0.8


def test_two_runs_with_one_seed_are_equal_and_another_seed_is_not(tmp_path, text):
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        run(tmp_path / name, text, seed=seed)
    assert weights(tmp_path / "a") == weights(tmp_path / "b")
    assert (tmp_path / "a" / "model.json").read_bytes() == (tmp_path / "b" / "model.json").read_bytes()
    assert weights(tmp_path / "a") != weights(tmp_path / "c")


def test_the_parts_of_a_cross_encoder_learn_at_rates_of_their_own(pretrained):
    text = f"CrossEncoder(model='{pretrained}', length=24, pooling='windows', rate=0, last_rate=0.01, pairs=60)"
    learner = find_head(text).learner(ENCODING, 0)
    examples = learner.read(corpus(6))
    before = learner.weights()
    learner.epoch(examples, 1, np.random.default_rng(0))
    after = learner.weights()
    changed = {name.split(".")[0] for name in before if (before[name] != after[name]).any()}
    assert changed == {"out"}
    # The bias begins with the log-odds of a boundary, and moves from there by small steps.
    odds = examples.labels.sum() / (len(examples.labels) - examples.labels.sum())
    assert after["out.bias"][0] == pytest.approx(math.log(odds), abs=0.1)


class Stopped(Exception):
    pass


@pytest.mark.parametrize("at", [1, 2])
def test_a_run_that_stops_goes_on_to_the_same_weights(tmp_path, text, at):
    made = config(scorer=text, stage1=Splicing(documents=20, units=(2, 6), trim=0, epochs=1))
    data = make_data(made, {"toy": source(12)})

    def stop(done: int, total: int) -> None:
        if done == at:
            raise Stopped

    with pytest.raises(Stopped):
        train(made, tmp_path / "m", data, encoding=ENCODING, progress=stop)
    train(made, tmp_path / "m", data, encoding=ENCODING)
    train(made, tmp_path / "whole", data, encoding=ENCODING)
    assert weights(tmp_path / "m") == weights(tmp_path / "whole")


@pytest.mark.skipif(os.name != "posix", reason="kill -9 is POSIX")
def test_a_run_that_is_killed_goes_on_to_the_same_weights(tmp_path, text):
    """A real kill, in the middle of the second stage."""
    documents = write(tmp_path / "toy.jsonl", corpus(12))
    parts = "[stage1]\ndocuments = 10\nunits = [2, 6]\ntrim = 0\nepochs = 1\n[stage2]\nepochs = 3\n"
    stages = tmp_path / "stages.toml"
    stages.write_text(f'train = ["{documents}"]\nscorer = """{text}"""\npatience = 9\n{parts}')
    killed_run(stages, tmp_path / "killed", 2)
    told: list[str] = []
    threads = library("torch").get_num_threads()
    library("torch").set_num_threads(1)  # as the run that was killed: sums depend on the number of threads
    try:
        train(read_config(stages), tmp_path / "killed", tell=told.append)
        train(read_config(stages), tmp_path / "whole")
    finally:
        library("torch").set_num_threads(threads)
    assert told == ["going on after epoch 1 of stage 2"]
    assert weights(tmp_path / "killed") == weights(tmp_path / "whole")
    for name in ("model.json", "training.json"):
        assert (tmp_path / "killed" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()


def test_training_leaves_the_generator_of_torch_alone(tmp_path, text):
    torch = library("torch")
    torch.manual_seed(5)
    before = torch.random.get_rng_state()
    run(tmp_path / "m", text, 10)
    assert torch.equal(torch.random.get_rng_state(), before)


def test_the_saved_scorer_gives_the_scores_of_the_trained_one(tmp_path, text):
    made = find_head(text)
    learner = made.learner(ENCODING, 0)
    some = corpus(6)
    learner.epoch(learner.read(some), 1, np.random.default_rng(0))
    logits = learner.logits(learner.read(some))
    folder = tmp_path / "m"
    folder.mkdir()
    for name, content in learner.files().items():
        (folder / name).write_bytes(content)
    dim = ENCODING.source.dim
    saved = learner.weights()
    assert {name: array.shape for name, array in saved.items()} == made.shapes(dim, folder)
    ready = made.ready(saved, folder)
    from caesura.scorers import Features

    for document, wanted in zip(some, logits, strict=True):
        assert len(wanted) == document.n_units - 1
        np.testing.assert_allclose(ready(Features(document, ENCODING)), wanted, atol=1e-5)


def test_a_document_is_scored_alike_whatever_is_beside_it(text):
    """The loss of a padded batch is the mean over the gaps of documents read alone."""
    torch = library("torch")
    made = find_head(text.replace("layers=1", "layers=1, dropout=0"))
    learner = made.learner(ENCODING, 0)
    some = corpus(5)
    examples = learner.read(some)
    count = len(examples.pieces) if hasattr(examples, "pieces") else len(examples.labels)
    learner._module.eval()
    with torch.no_grad():
        together = learner._losses(examples, list(range(count)))
    logits = np.concatenate(learner.logits(examples))
    labels = np.concatenate([np.isin(np.arange(1, d.n_units), d.segmentation.boundaries).astype(float) for d in some])
    alone = np.logaddexp(0, np.where(labels == 1, -logits, logits))
    np.testing.assert_allclose(together.numpy(), alone, atol=1e-5)


def sigmoid(x: float) -> float:
    return 1 / (1 + math.exp(-x))


def lstm(xs: np.ndarray, w: dict[str, np.ndarray], suffix: str) -> list[np.ndarray]:
    """The states of an LSTM by its equations: gates in the order input, forget, cell, output."""
    size = w[f"weight_hh_{suffix}"].shape[1]
    h, c, states = np.zeros(size), np.zeros(size), []
    for x in xs:
        gates = w[f"weight_ih_{suffix}"] @ x + w[f"bias_ih_{suffix}"]
        gates = gates + w[f"weight_hh_{suffix}"] @ h + w[f"bias_hh_{suffix}"]
        i, f, g, o = np.split(gates, 4)
        c = np.array([sigmoid(a) for a in f]) * c + np.array([sigmoid(a) for a in i]) * np.tanh(g)
        h = np.array([sigmoid(a) for a in o]) * np.tanh(c)
        states.append(h)
    return states


def below(weights: dict[str, np.ndarray], name: str) -> dict[str, np.ndarray]:
    return {
        key.removeprefix(f"{name}."): array.astype(float)
        for key, array in weights.items()
        if key.startswith(f"{name}.")
    }


def logits_and_weights(text: str):
    learner = find_head(text).learner(ENCODING, 3)
    document = next(iter(corpus(1)))
    (found,) = learner.logits(learner.read(Corpus([document])))
    vectors = ENCODING.vectors(document).astype(float)
    vectors *= math.sqrt(vectors.shape[1]) / np.linalg.norm(vectors, axis=1, keepdims=True)
    return found, learner.weights(), vectors


def test_the_bilstm_is_its_equations():
    library("torch")
    found, saved, xs = logits_and_weights("BiLSTM(hidden=3, layers=1)")
    w, out = below(saved, "lstm"), below(saved, "out")
    forward, backward = lstm(xs, w, "l0"), lstm(xs[::-1], w, "l0_reverse")[::-1]
    states = [np.concatenate(both) for both in zip(forward, backward, strict=True)]
    wanted = [float(out["weight"][0] @ state + out["bias"][0]) for state in states[:-1]]
    np.testing.assert_allclose(found, wanted, atol=1e-5)


def test_sheikh_is_the_distance_of_what_was_and_what_comes():
    library("torch")
    found, saved, xs = logits_and_weights("SheikhBiLSTM(hidden=3)")
    before, out = lstm(xs, below(saved, "before"), "l0"), below(saved, "out")
    after = lstm(xs[::-1], below(saved, "after"), "l0")[::-1]
    wanted = []
    for gap in range(1, len(xs)):
        f, b = before[gap - 1], after[gap]
        cosine = f @ b / np.linalg.norm(f) / np.linalg.norm(b)
        wanted.append(float(out["weight"][0, 0] * (1 - cosine) + out["bias"][0]))
    np.testing.assert_allclose(found, wanted, atol=1e-5)


def test_the_transformer_reads_long_documents_in_stretches():
    library("torch")
    learner = find_head("TransformerHead(hidden=16, layers=1, longest=128)").learner(ENCODING, 0)
    units = tuple(f"unit number {n} of the {TOPICS[n // 50 % 4][n % 6]}" for n in range(400))
    document = Document(id="long", n_units=400, units=units)
    (whole,) = learner.logits(learner.read(Corpus([document])))
    first = dataclasses.replace(document, n_units=97, units=units[:97])
    (begin,) = learner.logits(learner.read(Corpus([first])))
    assert whole.shape == (399,)
    assert np.isfinite(whole).all()
    # Gaps 1 to 64 are read from units 0 to 96, and from nothing else.
    np.testing.assert_allclose(whole[:64], begin[:64], atol=1e-5)


@pytest.mark.parametrize("pooling", ["cls", "windows"])
def test_the_cross_encoder_reads_both_windows(pretrained, pooling):
    """Against transformers itself, with the tokens written out."""
    torch, transformers = library("torch"), library("transformers")
    text = f"CrossEncoder(model='{pretrained}', window=2, length=14, pooling='{pooling}')"
    learner = find_head(text).learner(ENCODING, 0)
    some = learner.read(corpus(3))
    np.testing.assert_array_equal(np.concatenate(learner.logits(some)), float(learner.weights()["out.bias"][0]))
    torch.nn.init.normal_(learner._module["out"].weight)  # it begins at 0
    units = ("cat purr.", "kitten mouse paw whisker.", "rain cloud.", "storm storm storm storm storm storm.")
    document = Document(id="d", n_units=4, units=units)
    (found,) = learner.logits(learner.read(Corpus([document])))
    number = {word: place for place, word in enumerate(WORDS)}
    ids = [[number[word] for word in unit.replace(".", " .").split()] for unit in units]
    before, after = ids[0] + ids[1], ids[2] + ids[3]  # 8 and 10 tokens, of which 11 fit: 5 and 6
    row = [2, *before[-5:], 3, *after[:6], 3]
    types = [0] * 7 + [1] * 7
    saved = learner.weights()
    model = transformers.BertModel.from_pretrained(pretrained).eval()
    with torch.inference_mode():
        made = model(input_ids=torch.tensor([row]), token_type_ids=torch.tensor([types])).last_hidden_state
    states = made[0].numpy().astype(float)
    read = states[0]
    if pooling == "windows":
        left, right = states[1:6].mean(axis=0), states[7:13].mean(axis=0)
        left, right = (side / np.linalg.norm(side) * math.sqrt(24) for side in (left, right))
        read = np.concatenate([np.abs(left - right), left * right])
    wanted = float(saved["out.weight"][0] @ read + saved["out.bias"][0])
    assert found[1] == pytest.approx(wanted, abs=1e-5)


def test_a_cross_encoder_is_whole_without_its_pretrained_folder(tmp_path, pretrained):
    import shutil

    copy = tmp_path / "bert"
    shutil.copytree(pretrained, copy)
    outcome = run(tmp_path / "m", f"CrossEncoder(model='{copy}', length=24, pairs=60)", 10)
    assert outcome.card.encoder == ""
    shutil.rmtree(copy)
    documents = corpus(3, seed=4)
    cut = segmenter(f"model:{tmp_path / 'm'}").segment(documents)
    assert all(len(d.scores) == d.n_units - 1 for d in cut)
    (tmp_path / "m" / "config.json").write_text("{}")
    with pytest.raises(FormatError, match="is not the file that the card of the model names"):
        scorer(f"model:{tmp_path / 'm'}")
    (tmp_path / "m" / "config.json").unlink()
    with pytest.raises(FormatError, match="there is no such file"):
        scorer(f"model:{tmp_path / 'm'}")
    card = json.loads((tmp_path / "m" / "model.json").read_text())
    for name in ("../config.json", "/etc/passwd", "model.json", "code.py", ".json"):
        (tmp_path / "m" / "model.json").write_text(json.dumps(card | {"files": {name: "0"}}))
        with pytest.raises(FormatError, match="which no model has"):
            scorer(f"model:{tmp_path / 'm'}")


def test_a_model_of_other_vectors_is_refused(tmp_path):
    library("torch")
    run(tmp_path / "m", SEQUENCES[0], 10)

    class Other:
        name, dim, normalized, fingerprint = "other", 4, False, "other-1"

        def encode(self, texts):
            return np.ones((len(texts), 4), dtype=np.float32)

    with pytest.raises(EncoderError, match="was trained on the vectors of default"):
        scorer(f"model:{tmp_path / 'm'}").score(next(iter(corpus(1))), encoding=Encoding(Other()))
    assert encoder("default").dim == ENCODING.source.dim


def test_a_cross_encoder_must_name_its_weights():
    library("torch")
    with pytest.raises(EncoderError, match="no pretrained transformer is named"):
        find_head("CrossEncoder").learner(ENCODING, 0)
    with pytest.raises(EncoderError, match="does not exist"):
        find_head("CrossEncoder(model='./nowhere')").learner(ENCODING, 0)


@pytest.mark.parametrize("name", ["BiLSTM", "SheikhBiLSTM", "TransformerHead", "CrossEncoder(model='m')"])
def test_the_extra_is_named(name, monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'caesura-eval\[train\]'"):
        find_head(name).learner(ENCODING, 0)
    with pytest.raises(MissingExtraError, match=r"pip install 'caesura-eval\[train\]'"):
        find_head(name).shapes(4, tmp_path)


def test_numbers_that_are_refused():
    for bad in (
        "BiLSTM(hidden=0)",
        "TransformerHead(hidden=6)",
        "TransformerHead(longest=10)",
        "BiLSTM(layers=99)",
        "CrossEncoder(pooling='max')",
    ):
        with pytest.raises(CaesuraError):
            find_head(bad)
