# SPDX-License-Identifier: Apache-2.0
"""Every reader of files or strings from outside, with whole files to damage."""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import io
import json
import random
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np

import caesura as cz
from caesura.annotate import Project
from caesura.annotate.checking import Sent, checked
from caesura.annotations import FILE
from caesura.batches.flat import first_fault
from caesura.corpus import Corpus, Document
from caesura.encoders import source
from caesura.encoders._precomputed import Precomputed
from caesura.evaluation.spans.files import read_spans
from caesura.formats import load
from caesura.results.base import CountsFile
from caesura.results.schema import Results
from caesura.results.store import read_counts, read_results
from caesura.results.train.facts import StageFacts
from caesura.scale import count, finish, merge, read_shard, shard_text
from caesura.scorers.trained import ModelCard, head, load_model
from caesura.scorers.trained.model import write_model
from caesura.selectors import AdaptiveSelector
from caesura.training.checkpoint import Checkpoint, CheckpointStore
from caesura.tuning.calibrate import read_temperature
from caesura.tuning.policy import read_policy
from tests.seeds import Seed, seeds

__all__ = ["Target", "targets"]


@dataclasses.dataclass(frozen=True)
class Target:
    """A reader: it gets a damaged copy of one of the files, and may raise nothing but a `CaesuraError`."""

    name: str
    files: tuple[Seed, ...]
    read: Callable[[Path, random.Random], object]


def _format(path: Path, draw: random.Random, name: str) -> object:
    corpus = load(path, name if draw.random() < 0.75 else None, strict=draw.random() < 0.1)
    # A table may have no rows, as that of an empty part; whoever scores it refuses it.
    assert len(corpus) > 0 or name in ("arrow", "parquet"), "no document and no refusal"
    fault = first_fault(corpus.flat.n_units, corpus.flat.ptr, corpus.flat.pos)
    assert fault is None, f"an invalid segmentation was read: {fault}"
    return corpus


def _only(read: Callable[[Path], object]) -> Callable[[Path, random.Random], object]:
    return lambda path, _: read(path)


def _vectors(path: Path, draw: random.Random) -> object:
    kind = path.suffix.removeprefix(".")
    found = source(f"{kind}:{path}" + draw.choice(("", "", "#a")))
    assert isinstance(found, Precomputed)
    vectors = found.of("a", 4)
    assert vectors.shape == (4, found.dim), "the shape is not what was said"
    assert np.isfinite(vectors).all(), "vectors that no metric can take"
    return vectors


def _selector_state(path: Path, draw: random.Random) -> object:
    """Continue a stored run: whatever was stored, the selector goes on or refuses it."""
    selector = cz.selector(_SELECTOR)
    assert isinstance(selector, AdaptiveSelector)
    try:
        state = json.loads(path.read_bytes())
    except (ValueError, RecursionError):
        return None
    selector.restore(state)
    step = selector.state()["step"]
    committed = [gap for _ in range(8) for gap in selector.push(draw.random())]
    assert all(gap <= step + 8 for gap in committed), "a gap that has not come was committed"
    return committed


def _text(make: Callable[[str], object]) -> Callable[[Path, random.Random], object]:
    return lambda path, _: make(path.read_bytes().decode("utf-8", "replace"))


_METRICS = ("BoundarySimilarity(n_t=5, weight='scaled')", "W-F1(tolerance=1)", "Pk(k=3)", "WindowDiff(k=None, edges='lamprier')",
            "B(n_t='5s')", "CovN(gamma=0.5)")  # fmt: skip
_FORMATS = ("bits(marks='last')", "textgrid(tier='topics')", "webvtt(kind='cues')", "uima_cas(layer=\"a\", view='b')")
_METHODS = ("TextTiling(window=6, per_100=12.5)", "C99(n_segments=4)", "Scatter(n_segments='auto')", "BayesSeg(theta=0.5)",
            "nltk:TextTiling(w=20, k=10)", "semchunk:chunkerify(chunk_size=64)", "command:cat --number",
            "http://127.0.0.1:9/v1#model")  # fmt: skip
_SELECTORS = ("StaticSelector(threshold=0.55, min_gap=3)", "TopKSelector(k=3)", "AdaptiveSelector(rate=0.2, horizon=3)")
_ENCODERS = ("onnx:folder", "npy:a.npy#b@sha256:0123456789", "st:name/of-model", "hf:name/of-model",
             "default@sha256:00000000")  # fmt: skip
_SELECTOR = "AdaptiveSelector(rate=0.2, horizon=3)"
_POLICY = '{"schema": "caesura.policy/1", "selector": "StaticSelector(threshold=0.55, min_gap=3)", "why": "x", "reached": {"Pk": 0.5}}'
_TEMPERATURE = '{"schema": "caesura.temperature/1", "temperature": 1.5, "interior": true, "nll_before": 0.5}'
_SPANS = '{"id": "d1", "spans": [[0, 12], {"text": "the words"}], "unit": "character"}\n{"id": "d2", "spans": []}\n'


@functools.cache
def targets() -> tuple[Target, ...]:
    """Return a target for every format, and for every other file or string that is read."""
    whole = seeds()
    found = []
    for name in sorted({seed.format for seed in whole}):
        own = tuple(seed for seed in whole if seed.format == name)
        found.append(Target(name, own, functools.partial(_format, name=name)))
    return (
        *found,
        Target("results", (_seed("a.json", _results()),), _only(read_results)),
        Target("counts", _counts(), _read_counts),
        Target("shards", _shards(), _only(_read_shard)),
        Target("model", _models(), _read_model),
        Target("checkpoint", _checkpoints(), _read_checkpoint),
        Target("annotation_project", (_seed(FILE, _project()[FILE]),), _read_project),
        Target("spans", (_seed("a.jsonl", _SPANS.encode()),), _only(read_spans)),
        Target("policy", (_seed("a.json", _POLICY.encode()),), _only(read_policy)),
        Target("temperature", (_seed("a.json", _TEMPERATURE.encode()),), _only(read_temperature)),
        Target("vectors", _arrays(), _vectors),
        Target("metric", tuple(_seed("a", text.encode()) for text in _METRICS), _text(cz.metric)),
        Target("format string", tuple(_seed("a", text.encode()) for text in _FORMATS), _text(cz.formats.FORMATS.parse)),
        Target("method", tuple(_seed("a", text.encode()) for text in _METHODS), _text(cz.segmenter)),
        Target("selector", tuple(_seed("a", text.encode()) for text in _SELECTORS), _text(cz.selector)),
        Target("encoder", tuple(_seed("a", text.encode()) for text in _ENCODERS), _text(source)),
        Target("selector state", (_seed("a.json", _state()),), _selector_state),
    )


def _seed(name: str, content: bytes) -> Seed:
    return Seed("other", name, content)


def _state() -> bytes:
    selector = cz.selector(_SELECTOR)
    assert isinstance(selector, AdaptiveSelector)
    for score in (0.9, 0.1, 0.8, 0.7, 0.2):
        selector.push(score)
    return json.dumps(selector.state()).encode()


def _results() -> bytes:
    reference = {"a": "001000100", "b": "100"}
    with tempfile.TemporaryDirectory() as folder:
        cz.evaluate(reference, {"x": {"a": "010000010", "b": "010"}}).save(Path(folder) / "a.json")
        return (Path(folder) / "a.json").read_bytes()


def _counts() -> tuple[Seed, ...]:
    """Return counts of two systems, stored and deflated."""
    table = np.arange(12, dtype=np.float32).reshape(4, 3)
    arrays = {"documents": np.array([b"a", b"b", b"c", b"d"]), "counts/x/pk()": table, "counts/y/pk()": table * 2}
    stored, deflated = io.BytesIO(), io.BytesIO()
    np.savez(stored, **arrays)
    np.savez_compressed(deflated, **arrays)
    return (_seed("a.counts.npz", stored.getvalue()), _seed("a.counts.npz", deflated.getvalue()))


def _read_counts(path: Path, _: random.Random) -> object:
    """Read counts whose hash is right, as that of a hostile results file is."""
    kept = CountsFile(
        file=path.name, sha256=hashlib.sha256(path.read_bytes()).hexdigest(), requests={"pk()": ["a", "b", "c"]}
    )
    documents, tables = read_counts(path.with_name("a.json"), Results(question="evaluate", counts=kept))
    for table in (table for of in tables.values() for table in of.values()):
        assert len(table) == len(documents), "rows that belong to no document"
        assert not np.isnan(table).any(), "counts that are no numbers"
    return documents


def _shards() -> tuple[Seed, ...]:
    """Return results of shards, one of them with counts."""
    gold, system = {"a": "001000100", "b": "100"}, {"a": "010000010", "b": "010"}
    made = [count(gold, {"x": system, "y": gold}, ["Pk", "B", "BOR"], keep_counts=keep) for keep in (False, True)]
    return tuple(_seed("a.shard.json", shard_text(each).encode()) for each in made)


def _read_shard(path: Path) -> object:
    """Merge a shard with an undamaged one, with intervals and comparisons."""
    read = read_shard(path)
    other = count({"z": "0100"}, {"x": {"z": "0010"}, "y": {"z": "0110"}}, ["Pk", "B", "BOR"])
    return finish(merge([read, other]), intervals=True, compare=True)


@functools.cache
def _project() -> dict[str, bytes]:
    """Return the files of a project of `caesura annotate` by their names, with marks of one person."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        units = ("One.", "Two.", "Three.", "Four.")
        cz.save(Corpus([Document(id="a", n_units=4, units=units)]), folder / "docs.jsonl")
        with Project(folder / "p", create=True) as project:
            project.add_documents(folder / "docs.jsonl")
            project.add_people(["x"])
            project.assign()
            sent = (Sent(1, "mark", {"gap": 2, "level": 1}, 0), Sent(2, "finish", {}, 0))
            project.record(*(checked(project.state, "x", "c", each) for each in sent))
        # A file that was closed holds everything: its log is empty.
        kept = [folder / "p" / FILE, *sorted((folder / "p" / "documents").iterdir())]
        return {path.name: path.read_bytes() for path in kept}


def _read_project(path: Path, _: random.Random) -> object:
    """Read damaged events beside whole documents; nothing but the folder is told by its name."""
    (path.parent / "documents").mkdir(exist_ok=True)
    for name, content in _project().items():
        if name != FILE:
            (path.parent / "documents" / name).write_bytes(content)
    return load(path, "annotation_project")


_HEAD = "WindowHead(window=2, parts='products')"
_RECIPE = "0" * 64


def _tensors() -> dict[str, np.ndarray]:
    return {name: np.ones(shape, np.float32) for name, shape in head(_HEAD).shapes(4).items()}


def _models() -> tuple[Seed, ...]:
    """Return the card of a model, and its weights."""
    with tempfile.TemporaryDirectory() as folder:
        write_model(Path(folder) / "m", ModelCard(head=_HEAD, encoder="npy:a.npy", fingerprint="a", dim=4), _tensors())
        return tuple(_seed(path.name, path.read_bytes()) for path in sorted((Path(folder) / "m").glob("model.*")))


def _read_model(path: Path, _: random.Random) -> object:
    """Open a model whose card, or whose weights under their right hash, are damaged."""
    with tempfile.TemporaryDirectory() as folder:
        _place(path, _models(), Path(folder), "model.json", "weights")
        return load_model(Path(folder))


def _place(path: Path, whole: tuple[Seed, ...], folder: Path, card: str, key: str) -> None:
    """Write whole files with a damaged one in the place of its like; the card gets the hash of damaged tensors."""
    data = path.read_bytes()
    for seed in whole:
        (folder / seed.name).write_bytes(data if path.suffix == Path(seed.name).suffix else seed.content)
    if path.suffix == ".safetensors":
        known = json.loads((folder / card).read_text())
        (folder / card).write_text(json.dumps({**known, key: hashlib.sha256(data).hexdigest()}))


def _checkpoints() -> tuple[Seed, ...]:
    """Return what says how far a run of training is, and the tensors of its last epoch."""
    with tempfile.TemporaryDirectory() as folder:
        stage = StageFacts(stage=1, purpose="gold", documents=3, gaps=9, boundaries=2, epochs=[])
        CheckpointStore(Path(folder), _RECIPE).write(Checkpoint(recipe=_RECIPE, stages=[stage]), _tensors())
        return tuple(_seed(path.name, path.read_bytes()) for path in sorted(Path(folder).iterdir()))


def _read_checkpoint(path: Path, _: random.Random) -> object:
    """Go on from a checkpoint of which one file is damaged."""
    with tempfile.TemporaryDirectory() as folder:
        _place(path, _checkpoints(), Path(folder), "checkpoint.json", "sha256")
        return CheckpointStore(Path(folder), _RECIPE).read()


def _arrays() -> tuple[Seed, ...]:
    vectors = np.arange(12, dtype=np.float32).reshape(4, 3)
    npy, npz = io.BytesIO(), io.BytesIO()
    np.save(npy, vectors)
    np.savez_compressed(npz, a=vectors)
    head = b'{"a":{"dtype":"F32","shape":[4,3],"data_offsets":[0,48]}}'
    safetensors = len(head).to_bytes(8, "little") + head + vectors.tobytes()
    return (_seed("a.npy", npy.getvalue()), _seed("a.npz", npz.getvalue()), _seed("a.safetensors", safetensors))
