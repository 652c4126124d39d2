# SPDX-License-Identifier: Apache-2.0
"""The design of Table 1 with systems of our own: nine trained ones, the gold and nine random ones, in three readings.

``systems.json.gz`` has the boundaries that the nine trained systems of ``docs/nine-systems.md`` set, by corpus; the texts are not
part of it.
"""

from __future__ import annotations

import gzip
import statistics
import warnings
from collections.abc import Iterator
from pathlib import Path

import msgspec

from caesura.corpus import Corpus
from caesura.errors import CaesuraWarning, FormatError
from caesura.evaluation.correlation import correlate
from caesura.experiments.reproductions.base import Finding, Value, item
from caesura.experiments.reproductions.data import Data
from caesura.experiments.reproductions.printed import Printed
from caesura.formats import load
from caesura.segmentation import Segmentation
from caesura.strict_json import decode

__all__ = ["own_systems"]

_FILES = {"Choi 3-11": "choi/choi_3_3-11.jsonl.gz"}
_FREE = ("SegReFree", "Silhouette", "ARPstd", "ARPcos", "ARPpair")
_REFERENCES = ("Pk", "WindowDiff", "B")
_STRONG = 0.7
"""What every ARP score of Table 1 has at least on written text."""
_READ = {
    "all": "all 19 systems, as in the paper",
    "without baselines": "without the nine random systems",
    "density removed": "without the nine random systems, with the logarithm of BOR held constant",
}


class _Systems(msgspec.Struct, forbid_unknown_fields=True):
    documents: list[str]
    systems: dict[str, list[list[int]]]


@item(
    "T1ours",
    "The design of Table 1 with nine trained systems of our own",
    needs="Choi 3-11, as one file of documents",
)
def own_systems(printed: Printed, data: Data) -> Iterator[Value | Finding]:
    """Correlate over systems with the shipped encoder, and say what is left without the random systems."""
    content = gzip.decompress(Path(__file__).with_name("systems.json.gz").read_bytes())
    for name, made in decode(content, dict[str, _Systems]).items():
        gold = _gold(data, name, made.documents)
        systems: dict[str, Corpus | dict[str, Segmentation]] = {
            system: {
                key: Segmentation(gold[key].n_units, found, unit=gold[key].unit)
                for key, found in zip(made.documents, gaps, strict=True)
            }
            for system, gaps in made.systems.items()
        }
        segments = 1 + len(gold.flat.pos) / len(gold)
        rows = correlate(
            gold, {**systems, "gold": gold}, [*_FREE, *_REFERENCES], resamples=2,
            baselines=[f"random(p={1 / k:.6g})" for k in (segments, *range(2, 10))],
        ).facts.rows  # fmt: skip
        for row in rows:
            strong = row.metric.startswith("ARP") and row.reading == "all"
            value = row.pearson.value
            yield Value(
                f"{row.reference} | {row.metric}", f"{name}, {row.reading}", value,
                note=f"our own systems and the shipped encoder, {_READ[row.reading]}",
                holds=value is not None and value >= _STRONG if strong else None,
            )  # fmt: skip
        means = {
            metric: statistics.fmean(
                row.pearson.value or 0.0 for row in rows if (row.metric, row.reading) == (metric, "all")
            )
            for metric in _FREE
        }
        order = means["ARPpair"] >= means["Silhouette"] >= means["SegReFree"]
        yield Value(
            "mean of Pk, WindowDiff and B", f"{name}, ARP above Silhouette above SegReFree", "yes" if order else "no",
            note=", ".join(f"{metric} {mean:.3f}" for metric, mean in means.items()), holds=order,
        )  # fmt: skip


def _gold(data: Data, name: str, ids: list[str]) -> Corpus:
    path = data.path(_FILES[name])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CaesuraWarning)  # on keys that are not used here
        found = load(path)
    missing = [key for key in ids if key not in set(found.ids)]
    if missing:
        raise FormatError(f"has no document {missing[0]!r}, which the systems segment", path)
    return found.subset(ids)
