"""Shards that keep their counts: merged, they are one evaluation, draws included."""

from __future__ import annotations

import base64
import json

import msgspec
import numpy as np
import pytest

import caesura as cz
from caesura.errors import ComparabilityError, DeclarationError, FormatError
from caesura.scale import count, finish, merge, parse_shard, read_shard, shard_text, write_shard
from caesura.scale.measured import Merged
from caesura.scale.shard import KeptCounts, PackedTable
from tests.scale.test_shards import METRICS, corpus, part, shards_of

NEED_BOUNDARIES = {"bors", "regimes"}


def plain(comparisons):
    return [{k: v for k, v in msgspec.to_builtins(c).items() if k not in NEED_BOUNDARIES} for c in comparisons]


@pytest.mark.parametrize("options", [{}, {"by": "macro"}, {"profile": "segeval"}], ids=str)
def test_intervals_tests_and_documents_are_those_of_one_evaluation(options):
    reference, systems = corpus(60, 8)
    evaluation = cz.evaluate(reference, systems, METRICS, **options)
    evaluation.intervals()
    evaluation.compare(draws=0)
    whole = evaluation.results(per_document=True)
    shards = shards_of(reference, systems, [7, 7, 41], (), keep_counts=True, **options)
    passed = [parse_shard(shard_text(shard)) for shard in shards]
    found = finish(merge(passed), intervals=True, compare=True, per_document=True)
    assert msgspec.to_builtins(found.systems) == msgspec.to_builtins(whole.systems)
    assert found.systems["a"]["Pk"].interval is not None
    assert plain(found.comparisons) == plain(whole.comparisons)
    assert found.standings == whole.standings
    assert (found.documents, found.per_document) == (whole.documents, whole.per_document)
    assert found.resampling.resamples == 1000


def test_counts_are_saved_beside_the_results_and_gated_against(tmp_path):
    reference, systems = corpus(60, 9)
    merged = Merged(merge(shards_of(reference, systems, [20], (), keep_counts=True)))
    merged.save(tmp_path / "merged.json")
    evaluation = cz.evaluate(reference, systems, METRICS)
    evaluation.save(tmp_path / "whole.json")
    one, other = (np.load(tmp_path / f"{name}.counts.npz") for name in ("merged", "whole"))
    assert one.files == other.files
    assert all(np.array_equal(one[name], other[name]) for name in one.files)
    gates = evaluation.gate(last=tmp_path / "merged.json")
    assert gates.drops
    assert all(drop.drop == 0 for drop in gates.drops if drop.drop is not None)


def test_documents_stand_in_the_order_of_the_files(tmp_path):
    """So that the order in which shards are given does not matter, and a folder of them is the corpus."""
    reference, systems = corpus(30, 4)
    keys, shards = list(reference), []
    for place, ids in enumerate((keys[:12], keys[12:20], keys[20:])):
        paths = []
        for name, side in (("gold", reference), ("a", systems["a"])):
            path = tmp_path / f"{name}{place}.jsonl"
            lines = ({"id": i, "n_units": side[i].n_units, "boundaries": list(side[i].boundaries)} for i in ids)
            path.write_text("".join(json.dumps(line) + "\n" for line in lines))
            paths.append(str(path))
        shards.append(count(paths[0], {"a": paths[1]}, ["B"], keep_counts=True))
    assert merge([shards[2], shards[0], shards[1]]).counts.documents == keys


def test_without_counts_in_every_shard_there_are_none():
    reference, systems = corpus(20, 1)
    first = count(part(reference, ["d0"]), {n: part(s, ["d0"]) for n, s in systems.items()}, METRICS)
    rest = [key for key in reference if key != "d0"]
    others = {n: part(s, rest) for n, s in systems.items()}
    second = count(part(reference, rest), others, METRICS, keep_counts=True)
    assert (first.key == second.key, first.counts) == (False, None)
    merged = merge([first, second])
    assert merged.counts is None
    assert finish(merged, intervals=True).resampling.resamples == 0
    with pytest.raises(ComparabilityError, match="keep no counts"):
        finish(merged, per_document=True)


def test_a_document_in_two_shards_is_named():
    reference, systems = corpus(9, 1)
    some = {n: part(s, ["d1", "d2"]) for n, s in systems.items()}
    shards = [
        count(reference, systems, ["B"], keep_counts=True),
        count(part(reference, ["d1", "d2"]), some, ["B"], keep_counts=True),
    ]
    with pytest.raises(ComparabilityError, match="document 'd1' is in two shards"):
        merge(shards)


def test_tables_of_any_type_join():
    tables = [np.array([[1], [200]], dtype=np.uint8), np.array([[2.5]]), np.zeros((0, 0), dtype=np.int16)]
    parts = [
        KeptCounts.of([f"{place}-{i}" for i in range(len(table))], {"a": {"r": table}})
        for place, table in enumerate(tables)
    ]
    assert KeptCounts.joined(parts).table("a", "r", 1).tolist() == [[1.0], [200.0], [2.5]]
    with pytest.raises(DeclarationError, match="do not have 2 columns"):
        parts[0].table("a", "r", 2)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda c: c["documents"].pop(), "other documents"),
        (lambda c: c["tables"].pop("a"), "other documents or systems"),
        (lambda c: c["tables"]["a"].popitem(), "different counts"),
        (lambda c: next(iter(c["tables"]["a"].values())).update(type="|O8"), "one row per document"),
        (lambda c: next(iter(c["tables"]["a"].values())).update(data=base64.b64encode(b"abc").decode()), "one row"),
        (lambda c: next(iter(c["tables"]["a"].values())).update(data="%%%"), "damaged"),
        (lambda c: next(iter(c["tables"]["a"].values())).update(type="x", data=""), "a known type"),
    ],
)  # fmt: skip
def test_damaged_counts_are_refused(tmp_path, change, why):
    reference, systems = corpus(7, 2)
    write_shard(tmp_path / "s", count(reference, systems, METRICS, keep_counts=True))
    text = json.loads((tmp_path / "s").read_text())
    change(text["counts"])
    (tmp_path / "s").write_text(json.dumps(text))
    with pytest.raises(FormatError, match=why):
        read_shard(tmp_path / "s")


def test_packing_keeps_the_order_of_bytes():
    table = np.array([[1, 2], [3, 40_000]], dtype=">i4")
    packed = PackedTable.of(table)
    assert packed.type == "<i4"
    assert packed.unpacked(2).tolist() == table.tolist()
