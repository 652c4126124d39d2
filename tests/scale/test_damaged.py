# SPDX-License-Identifier: Apache-2.0
"""Shard results with a changed leaf: refused as damaged when they are read, or merged; never a foreign exception."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from caesura.errors import CaesuraError, FormatError
from caesura.scale import finish, merge, parse_shard, shard_text
from tests.scale.test_shards import corpus, shards_of

VALUES = [None, True, 0, -1, 3, 2**63, 1e308, "inf", "nan", "", "x", [], [None], {}, {"a": 1}, [[1.0], [2.0, 3.0]], [[], []], "1p0", 10**400]  # fmt: skip


def shards(**options: Any) -> list[dict[str, Any]]:
    made = shards_of(*corpus(12, 1), [6], (), **options)
    return [json.loads(shard_text(each)) for each in made]


def leaves(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(deeper for key, each in inner for deeper in leaves(each, (*path, key)))]


def changed(plain: dict[str, Any], path: tuple[Any, ...], value: Any, *, delete: bool = False) -> dict[str, Any]:
    copy = json.loads(json.dumps(plain))
    at = copy
    for key in path[:-1]:
        at = at[key]
    if delete:
        del at[path[-1]]
    else:
        at[path[-1]] = value
    return copy


@pytest.mark.parametrize("keep_counts", [False, True])
def test_a_changed_leaf_is_refused_or_merged(keep_counts):
    first, second = shards(keep_counts=keep_counts)
    whole, draw = parse_shard(json.dumps(first)), random.Random(1)
    paths = [path for path in leaves(second) if path]
    refused: list[str] = []
    for _ in range(300):
        path = draw.choice(paths)
        damaged = changed(second, path, draw.choice(VALUES), delete=draw.random() < 0.2)
        try:
            finish(merge([whole, parse_shard(json.dumps(damaged))]), intervals=True, compare=True)
        except CaesuraError as error:
            refused.append(str(error))
    assert len(refused) > 100
    assert not [line for line in refused if "\n" in line]


@pytest.mark.parametrize(
    ("path", "value", "why"),
    [
        (("metrics", "Pk", "systems", "a", "extremes"), [[1.0], [2.0, 3.0]], "contradict each other"),
        (("metrics", "Pk", "systems", "a", "extremes"), [[None] * 9, [None] * 9], "contradict each other"),
        (("metrics", "Pk", "systems", "a", "extremes"), None, "Expected `array`"),
        (("recipe", "against"), ..., "lacks 'against' or 'profile'"),
        (("recipe", "profile"), ..., "lacks 'against' or 'profile'"),
        (("recipe", "by"), ..., "no known 'by'"),
        (("readings", "a", "missing"), 2**63, "missing"),
        (("readings", "a", "missing"), -1, "missing"),
        (("inputs", 0, "documents"), 2**63, "too many"),
        (("inputs",), [], "no documents"),
        (("inputs", 0, "format"), "nothing(x=1)", "nothing"),
        (("metrics", "Pk", "metric"), "Nothing", "Nothing"),
        (("metrics", "Pk", "moments", "sums"), ["1p0"], "contradict each other"),
    ],
)
def test_a_damaged_shard_is_refused_when_it_is_read(path, value, why):
    damaged = changed(shards()[0], path, value, delete=value is ...)
    with pytest.raises(FormatError, match="is a damaged shard result") as caught:
        parse_shard(json.dumps(damaged))
    assert why in str(caught.value)


def test_moments_are_those_of_the_counts_beside_them():
    first, second = shards(keep_counts=True)
    parse_shard(json.dumps(first))
    for name in first["metrics"]:
        sums = ["7p0"] * len(first["metrics"][name]["moments"]["sums"])
        with pytest.raises(FormatError, match="are not those of its counts"):
            parse_shard(json.dumps(changed(first, ("metrics", name, "moments", "sums"), sums)))
    with pytest.raises(FormatError, match=r"damaged shard result \(its (counts|moments)"):
        parse_shard(json.dumps({**first, "counts": second["counts"]}))
