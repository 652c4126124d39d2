"""Shards that are counted apart and merged give the digits of one evaluation."""

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import caesura as cz
from caesura.errors import ComparabilityError, FormatError
from caesura.scale import count, finish, merge, read_shard, write_shard
from caesura.scale.files import merge_files
from caesura.segmentation import Segmentation as S

METRICS = [
    "Pk",
    "WindowDiff",
    "B",
    "W-F1",
    "BOR",
    "CovN",
    "CovD",
    "Purity",
    "BoundaryPrecision(length='short', cut=99)",
]


def corpus(size, seed):
    """Return a reference and two systems; some documents are too short for Pk."""
    rng = np.random.default_rng(seed)
    sides = []
    lengths = rng.integers(1, 30, size)
    for density in (0.2, 0.25, 0.1):
        cut = [np.flatnonzero(rng.random(n - 1) < density) + 1 for n in lengths]
        sides.append(
            {f"d{i}": S(int(n), tuple(map(int, c))) for i, (n, c) in enumerate(zip(lengths, cut, strict=True))}
        )
    return sides[0], {"a": sides[1], "b": sides[2]}


def part(documents, keys):
    return {key: documents[key] for key in keys if key in documents}


def shards_of(reference, systems, cuts, order, **options):
    keys = list(reference)
    parts = [keys[i:j] for i, j in zip([0, *cuts], [*cuts, len(keys)], strict=True) if i < j]
    results = [
        count(part(reference, p), {n: part(s, p) for n, s in systems.items()}, METRICS, **options) for p in parts
    ]
    return [results[i % len(results)] for i in order] if order else results


@settings(max_examples=25, deadline=None)
@given(st.integers(1, 40), st.integers(0, 9), st.data())
def test_every_sharding_and_order_gives_the_digits_of_one_evaluation(size, seed, data):
    reference, systems = corpus(size, seed)
    cuts = sorted(data.draw(st.lists(st.integers(0, size), max_size=4)))
    results = shards_of(reference, systems, cuts, ())
    shuffled = data.draw(st.permutations(results))
    whole = cz.evaluate(reference, systems, METRICS, threads=2).results()
    merged = merge(shuffled)
    found = finish(merged)
    assert msgspec.to_builtins(found.systems) == msgspec.to_builtins(whole.systems)
    assert found.metrics == whole.metrics
    one = count(reference, systems, METRICS)
    assert merged.metrics == one.metrics
    # Merging in steps is merging at once.
    assert merge([merge(shuffled[:1]), *shuffled[1:]]) == merged


@pytest.mark.parametrize(
    "options",
    [{"by": "macro"}, {"profile": "swapped"}, {"profile": "segeval"}, {"cut": 5}, {"against": "pseudo"}],
    ids=str,
)
def test_every_option_that_decides_a_score_is_kept(options):
    reference, systems = corpus(40, 1)
    found = finish(merge(shards_of(reference, systems, [7, 22], (), **options)))
    whole = cz.evaluate(reference, systems, METRICS, **options).results()
    assert msgspec.to_builtins(found.systems) == msgspec.to_builtins(whole.systems)
    assert (found.against, found.profile, found.unit) == (whole.against, whole.profile, whole.unit)


def test_missing_documents_are_counted():
    reference, systems = corpus(40, 2)
    systems = {"a": {k: v for k, v in systems["a"].items() if k not in ("d3", "d30")}, "b": systems["b"]}
    found = finish(merge(shards_of(reference, systems, [20], (), missing="skip")))
    whole = cz.evaluate(reference, systems, METRICS, missing="skip").results()
    assert msgspec.to_builtins(found.systems) == msgspec.to_builtins(whole.systems)
    assert found.notes == whole.notes


def test_intervals_equal_those_of_a_large_evaluation(monkeypatch):
    reference, systems = corpus(300, 3)
    monkeypatch.setattr("caesura.statistics.statistic.RESAMPLED_TO", 200)
    evaluation = cz.evaluate(reference, systems, METRICS)
    evaluation.intervals(seed=4)
    found = finish(merge(shards_of(reference, systems, [100, 150], ())), intervals=True)
    assert evaluation.results().resampling.resamples == 0
    assert msgspec.to_builtins(found.systems) == msgspec.to_builtins(evaluation.results().systems)


def test_paired_tests_agree_with_permutations():
    reference, systems = corpus(400, 5)
    tested = {c.metric: c for c in cz.evaluate(reference, systems, METRICS).compare(draws=0)}
    normal = {c.metric: c for c in finish(count(reference, systems, METRICS), compare=True).comparisons}
    assert set(normal) == set(METRICS)
    for name, item in normal.items():
        assert item.difference == pytest.approx(tested[name].difference, abs=1e-12)
        assert item.scores == tested[name].scores
        assert item.p == pytest.approx(tested[name].p, abs=0.02)
        assert item.better == tested[name].better
        if item.effect is not None:
            assert item.effect == pytest.approx(tested[name].effect, rel=0.01)


def test_equal_systems_are_not_told_apart():
    reference, systems = corpus(30, 5)
    same = finish(count(reference, {"a": systems["a"], "b": systems["a"]}, ["Pk"]), compare=True)
    assert (same.comparisons[0].p, same.comparisons[0].better) == (1.0, None)
    with pytest.raises(ComparabilityError, match="only system"):
        finish(count(reference, {"a": systems["a"]}, ["Pk"]), compare=True)


def test_distribution_and_worst_documents():
    reference, systems = corpus(200, 6)
    merged = merge(shards_of(reference, systems, [20, 90], ()))
    facts = finish(merged).shards
    evaluation = cz.evaluate(reference, systems, METRICS)
    for name in METRICS:
        scores = evaluation.per_document("a", name)
        defined = scores[~np.isnan(scores)]
        assert sum(facts.histograms["a"][name]) == len(defined)
        bins = [max((k for k in range(20) if k / 20 <= score), default=-1) for score in defined if score <= 1]
        assert facts.histograms["a"][name] == [*(bins.count(k) for k in range(-1, 20)), int((defined > 1).sum())]
        badness = np.asarray(evaluation.metrics[name].facts().badness(scores))
        order = sorted(
            (i for i in range(200) if not np.isnan(scores[i])), key=lambda i: (-badness[i], evaluation.documents[i])
        )
        assert [w.document for w in facts.worst["a"][name]] == [evaluation.documents[i] for i in order[:10]]


def test_a_result_survives_its_file(tmp_path):
    reference, systems = corpus(30, 7)
    result = count(reference, systems, METRICS)
    write_shard(tmp_path / "s", result)
    assert read_shard(tmp_path / "s") == result


def test_a_key_names_content_and_recipe():
    reference, systems = corpus(30, 7)
    key = count(reference, systems, METRICS).key
    assert count(reference, systems, METRICS, threads=2).key == key
    assert count(reference, systems, METRICS, by="macro").key != key
    assert count(reference, {"a": systems["b"], "b": systems["b"]}, METRICS).key != key


def test_what_does_not_belong_together_is_refused():
    reference, systems = corpus(30, 7)
    other, theirs = corpus(30, 8)
    first = count(reference, systems, ["Pk"])
    for wrong, why in (
        (count(other, theirs, ["B"]), "metrics is Pk in one and B"),
        (count(other, theirs, ["Pk"], by="macro"), "by is None in one"),
        (count(other, {"a": theirs["a"]}, ["Pk"]), "the systems of one are a, b, of another a"),
        (first, "is repeated"),
    ):
        with pytest.raises(ComparabilityError, match=why):
            merge([first, wrong])
    with pytest.raises(ComparabilityError, match="no shard"):
        merge([])


@pytest.mark.parametrize(
    ("damage", "why"),
    [
        (lambda text: text[: len(text) // 2], "damaged shard result"),
        (lambda text: text.replace("caesura.shard/1", "caesura.shard/9"), "is not a result of caesura count"),
        (lambda text: text.replace('"used": ', '"used": 9'), "contradict"),
        (lambda text: text.replace("p-", "q-"), "not an exact sum"),
        (lambda text: "[]", "is not a result of caesura count"),
        (lambda text: "", "damaged shard result"),
    ],
)
def test_a_damaged_file_is_refused(tmp_path, damage, why):
    reference, systems = corpus(30, 7)
    write_shard(tmp_path / "s", count(reference, systems, ["Pk"]))
    text = (tmp_path / "s").read_text()
    (tmp_path / "s").write_text(damage(text))
    with pytest.raises(FormatError, match=why):
        read_shard(tmp_path / "s")


def test_a_given_window_may_be_longer_than_a_whole_shard():
    reference = {"a": S(13, (6, 9)), "b": S(2, (1,))}
    system = {"a": S(13, (5, 9)), "b": S(2)}
    shards = [count({key: reference[key]}, {"s": {key: system[key]}}, ["Pk(k=3)", "B"]) for key in reference]
    together = cz.evaluate(reference, {"s": system}, ["Pk(k=3)", "B"]).results().systems
    assert finish(merge(shards)).systems == together


def test_the_same_documents_with_other_answers_are_refused(tmp_path):
    """As after a system was replaced and counted into the same folder."""
    reference = {"a": S(13, (6, 9)), "b": S(7, (1,))}
    for number, system in enumerate(({"a": S(13, (5, 9)), "b": S(7)}, reference)):
        write_shard(tmp_path / f"{number}.shard.json", count(reference, {"s": system}, ["Pk"]))
    with pytest.raises(ComparabilityError, match=r"hold the same documents, with other answers.*delete the one"):
        merge_files([str(tmp_path)])
    with pytest.raises(ComparabilityError, match="two shards hold the same documents"):
        merge([read_shard(tmp_path / f"{number}.shard.json") for number in (0, 1)])
    other = count({"c": S(13, (6, 9)), "d": S(7, (1,))}, {"s": {"c": S(13), "d": S(7)}}, ["Pk"])
    assert finish(merge([other, read_shard(tmp_path / "0.shard.json")])).inputs[0].documents == 4
