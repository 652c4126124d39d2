# SPDX-License-Identifier: Apache-2.0
"""The design of Table 1 with our own systems: trained ones, the gold and random ones, in four readings.

``systems.json.gz`` has the boundaries of the trained systems of ``docs/nine-systems.md``, by corpus; the texts are not
included. A folder ``nine-systems/CORPUS/outputs`` below the data has the documents that ``python -m studies.nine_systems.study outputs`` writes,
``gold.jsonl`` and one file for each system, and takes precedence. ``models/minilm`` and ``models/mpnet`` have weights of encoders.
"""

from __future__ import annotations

import gzip
import statistics
import warnings
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import msgspec

from caesura.corpus import Corpus
from caesura.errors import CaesuraWarning, FormatError
from caesura.evaluation.correlate.board import BoardCorpus
from caesura.evaluation.correlate.run import correlate
from caesura.formats import load
from caesura.results.correlate.facts import CorrelationRow
from caesura.segmentation import Segmentation
from caesura.strict_json import decode
from caesura_reproductions.base import Found, Value, item
from caesura_reproductions.data import Data
from caesura_reproductions.printed import Printed

__all__ = ["board", "own_systems", "packed_systems"]

Systems = Mapping[str, Corpus | Mapping[str, Segmentation]]

_FILES = {
    "Choi 3-11": "choi/choi_3_3-11.jsonl.gz",
    "QMSum": "qmsum/qmsum_test_academic_product.jsonl.gz",
    "WikiSection-PT": "wikisection_pt/wikisection_pt_disease_test_shared500.jsonl.gz",
    "Wiki-50": "wiki50/wiki50_shared25.jsonl.gz",
}
_MEETINGS = ("QMSum",)
"""Corpora of meetings, on which the paper finds that reference-free metrics struggle, so nothing is expected."""
_MODELS = {"MiniLM": ("models/minilm", "53aa51172d142c89"), "MPNet": ("models/mpnet", "78c0197b6159d926")}
"""Folder and hash of the weights, as ``docs/encoders.md`` has them."""
_TRAINED_ON = {"included": ", default", "MiniLM": ", minilm", "MPNet": ", mpnet"}
"""How the name of a system of the package ends, by the encoder that it was trained on."""
_FREE = ("SegReFree", "Silhouette", "ARPstd", "ARPcos", "ARPpair")
_REFERENCES = ("Pk", "WindowDiff", "B")
_ENOUGH = 6
"""The minimum number of trained systems without the random ones, since a line through four points fits too well."""
_STRONG = 0.7
"""The minimum of the ARP scores of Table 1 on written text."""
_READ = {
    "all": "all systems, as in the paper",
    "without baselines": "without the random systems",
    "density removed": "without the random systems, with the logarithm of BOR held constant",
    "systems only": "without the random systems and the gold",
}


class _Packed(msgspec.Struct, forbid_unknown_fields=True):
    documents: list[str]
    systems: dict[str, list[list[int]]]


@item(
    "T1ours",
    "The design of Table 1 with trained systems of our own",
    needs="Choi 3-11, WikiSection-PT, Wiki-50 and QMSum as one file each, and models/minilm and models/mpnet for two more encoders",
)
def own_systems(printed: Printed, data: Data) -> Iterator[Found]:
    """Correlate over systems with every available encoder, also without the random systems."""
    packed = _packed()
    folders = {path.parent.name: path for path in sorted((data.folder / "nine-systems").glob("*/outputs"))}
    encoders = _encoders(data)
    for name in [*packed, *(name for name in folders if name not in packed)]:
        if name not in folders and not (data.folder / _FILES[name]).exists():
            yield Value("every metric", name, note=f"needs {_FILES[name]} below the data")
            continue
        gold, systems = _outputs(folders[name]) if name in folders else _unpacked(data, name, packed[name])
        for encoder, spec in {"included": "default", **encoders}.items():
            if name not in folders and not any(each.endswith(_TRAINED_ON[encoder]) for each in systems):
                continue  # no system of the package was trained on its vectors
            yield from _correlations(f"{name}, {encoder}", gold, systems, spec, name not in _MEETINGS)
    for encoder, (folder, _) in _MODELS.items():
        if encoder not in encoders:
            yield Value("every metric", encoder, note=f"needs its weights as {folder} below the data")


def board(folder: Path) -> Iterator[BoardCorpus]:
    """Yield each corpus with the segmentations of its trained systems, for ``caesura correlate --board``."""
    for name, made in _packed().items():
        if not (folder / _FILES[name]).exists():
            yield BoardCorpus(name, None, {}, f"which needs {_FILES[name]}")
            continue
        gold, systems = _unpacked(Data(folder), name, made)
        yield BoardCorpus(name, gold, systems)


def _packed() -> dict[str, _Packed]:
    return decode(gzip.decompress(Path(__file__).with_name("systems.json.gz").read_bytes()), dict[str, _Packed])


def packed_systems(data: Data, name: str) -> tuple[Corpus, Systems]:
    """Return the documents of a corpus that the systems of the package segmented, and their segmentations."""
    return _unpacked(data, name, _packed()[name])


def _correlations(where: str, gold: Corpus, systems: Systems, spec: str, written: bool) -> Iterator[Value]:
    segments = 1 + len(gold.flat.pos) / len(gold)
    rows = correlate(
        gold, {**systems, "gold": gold}, [*_FREE, *_REFERENCES], encoders=[spec], resamples=2, check=False,
        baselines=list(dict.fromkeys(f"random(p={1 / k:.6g})" for k in (segments, *range(2, 10)))),
    ).facts.rows  # fmt: skip
    if len(systems) < _ENOUGH:
        yield Value(
            "every metric", f"{where}, without baselines", note=f"{len(systems)} trained systems are too few for it"
        )
    for row in rows:
        if row.reading != "all" and len(systems) < _ENOUGH:
            continue
        strong = written and row.metric.startswith("ARP") and row.reading == "all"
        value = row.pearson.value
        yield Value(
            f"{row.reference} | {row.metric}", f"{where}, {row.reading}", value,
            note=f"{len(systems)} trained systems of our own{'' if row.reading == 'systems only' else ' and the gold'}, "
            f"{_READ[row.reading]}",
            holds=value is not None and value >= _STRONG if strong else None,
        )  # fmt: skip
    means = _means(rows)
    order = means["ARPpair"] >= means["Silhouette"] >= means["SegReFree"]
    yield Value(
        "mean of Pk, WindowDiff and B", f"{where}, ARP above Silhouette above SegReFree", "yes" if order else "no",
        note=", ".join(f"{metric} {mean:.3f}" for metric, mean in means.items()), holds=order,
    )  # fmt: skip


def _means(rows: Sequence[CorrelationRow]) -> dict[str, float]:
    return {
        metric: statistics.fmean(
            row.pearson.value or 0.0 for row in rows if (row.metric, row.reading) == (metric, "all")
        )
        for metric in _FREE
    }


def _encoders(data: Data) -> dict[str, str]:
    """Return the encoders whose weights are present, as text; reading refuses weights with another hash."""
    return {
        name: f"numpy:{data.folder / folder}@sha256:{digest}"
        for name, (folder, digest) in _MODELS.items()
        if (data.folder / folder).is_dir()
    }


def _outputs(folder: Path) -> tuple[Corpus, Systems]:
    """Return the gold and the systems of a folder of documents."""
    if not (folder / "gold.jsonl").is_file():
        raise FormatError("is missing; the systems beside it are compared with it", folder / "gold.jsonl")
    systems = {path.stem.replace("-", ", "): _read(path) for path in sorted(folder.glob("*-*.jsonl"))}
    if not systems:
        raise FormatError("has no output of a system, HEAD-ENCODER.jsonl", folder)
    return _read(folder / "gold.jsonl"), systems


def _unpacked(data: Data, name: str, made: _Packed) -> tuple[Corpus, Mapping[str, Mapping[str, Segmentation]]]:
    """Return the documents of a corpus that the systems of the package segmented, and their segmentations."""
    path = data.path(_FILES[name])
    found = _read(path)
    missing = [key for key in made.documents if key not in set(found.ids)]
    if missing:
        raise FormatError(f"has no document {missing[0]!r}, which the systems segment", path)
    gold = found.subset(made.documents)
    return gold, {
        system: {
            key: Segmentation(gold[key].n_units, cuts, unit=gold[key].unit)
            for key, cuts in zip(made.documents, gaps, strict=True)
        }
        for system, gaps in made.systems.items()
    }


def _read(path: Path) -> Corpus:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CaesuraWarning)  # warnings about keys that are not used here
        return load(path)
