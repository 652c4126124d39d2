"""`evaluate` from Python: inputs, aggregation, signatures, the results file."""

from __future__ import annotations

import math

import numpy as np
import pytest

import caesura as cz
from caesura.batches.pairs import Pairs
from caesura.errors import ComparabilityError, FormatError, MetricError, OutputExistsError, SegmentationError
from caesura.evaluation.aggregate import aggregate
from caesura.results import read_counts, read_results
from tests.strategies import UNTITLED, batch

S = cz.Segmentation
R, H = S.from_masses([6, 3, 4]), S.from_masses([4, 4, 5])


def test_mappings_corpora_and_paths_alike(tmp_path):
    corpus = cz.Corpus.from_segmentations({"d1": R})
    cz.save(corpus, tmp_path / "gold.jsonl")
    cz.save(cz.Corpus.from_segmentations({"d1": H}), tmp_path / "a.jsonl")
    expected = cz.metric("Pk")(R, H)
    for reference in ({"d1": R}, corpus, tmp_path / "gold.jsonl", str(tmp_path / "gold.jsonl")):
        for systems in ({"a": {"d1": H}}, {"a": tmp_path / "a.jsonl"}, [tmp_path / "a.jsonl"], tmp_path / "a.jsonl"):
            assert cz.evaluate(reference, systems, metrics=["Pk"]).scores["a"]["Pk"] == expected


def test_bare_segmentations():
    e = cz.evaluate(R, {"a": H, "b": R}, metrics=["Pk"])
    assert e.scores == {"a": {"Pk": 6 / 11}, "b": {"Pk": 0.0}}
    assert cz.evaluate(R, H, metrics="Pk").scores["hypothesis"]["Pk"] == 6 / 11
    assert cz.evaluate({"d": R}, {"d": H}, metrics="Pk").scores["hypothesis"]["Pk"] == 6 / 11


def test_metric_objects_and_duplicates():
    e = cz.evaluate({"d": R}, {"a": {"d": H}}, metrics=[cz.metric("WD"), "WD(k=3)"])
    assert list(e.metrics) == ["WindowDiff", "WD(k=3)"]


def test_every_metric_agrees_with_its_call_on_one_document():
    names = UNTITLED
    e = cz.evaluate({"d": R}, {"a": {"d": H}}, metrics=names)
    for name in names:
        alone = cz.metric(name)(R, H)
        assert e.scores["a"][name] == pytest.approx(alone, abs=1e-15), name
        assert e.per_document("a", name)[0] == alone


@pytest.mark.parametrize("by", [None, "macro", "micro"])
def test_scores_do_not_depend_on_the_documents_scored_at_once(by, monkeypatch):
    random = np.random.default_rng(1)
    masses = [random.integers(1, 9, size=(2, random.integers(1, 9))) for _ in range(9_000)]
    sides = [{str(n): S.from_masses(each[side]) for n, each in enumerate(masses)} for side in (0, 1)]
    lengths = [sum(each[0]) for each in masses]
    sides[1] = {
        key: S(length, [gap for gap in coding.boundaries if gap < length])
        for (key, coding), length in zip(sides[1].items(), lengths, strict=True)
    }
    monkeypatch.setattr("caesura.evaluation.evaluate.report._BLOCK", 3_000)
    e = cz.evaluate(sides[0], {"a": sides[1]}, by=by)
    assert len(list(e.counted["a"].tables[e.requests["Pk"]].taken([0], 3_000))) > 1
    for name, metric in e.metrics.items():
        expected = aggregate(metric, e.counts("a", name), e.aggregation(name), e.used(name))
        assert e.aggregates["a"][name] == expected


def test_signature_names_every_choice():
    e = cz.evaluate({"d": R}, {"a": {"d": H}}, metrics=["WindowDiff(edge='lamprier')"])
    long = e.signature("WindowDiff(edge='lamprier')")
    for part in (
        "WindowDiff|",
        "k:auto=2",
        "rounding:half_even",
        "min_k:2",
        "edge:lamprier",
        "unit:unit",
        "agg:macro",
        "docs:1",
    ):
        assert part in long
    assert long.endswith(f"caesura:{cz.__version__}")
    short = e.signature("WindowDiff(edge='lamprier')", short=True)
    assert short == f"WindowDiff|k:auto=2|edge:lamprier|agg:macro|docs:1|v:{cz.__version__}"


def test_swapped_profile_exchanges_the_sides():
    reference, hypothesis = {"d": S.from_masses([9, 2, 2])}, {"a": {"d": S.from_masses([3, 10])}}
    swapped = cz.evaluate(reference, hypothesis, metrics=["BOR", "Purity"], profile="swapped").scores["a"]
    plain = cz.evaluate(hypothesis["a"], {"a": reference}, metrics=["BOR", "Purity"]).scores["a"]
    assert swapped == plain


def test_the_notebook_profile_also_lengthens_the_first_segment_of_both_sides():
    reference, hypothesis = {"d": S.from_masses([2, 4, 3])}, {"a": {"d": S.from_masses([5, 4])}}
    names = ["Pk", "WindowDiff", "S", "B"]
    e = cz.evaluate(reference, hypothesis, metrics=names, profile="swapped_first_plus_one")
    longer = {"d": S.from_masses([6, 4])}, {"a": {"d": S.from_masses([3, 4, 3])}}
    assert e.scores["a"] == cz.evaluate(*longer, metrics=names).scores["a"]
    assert "profile:swapped_first_plus_one" in e.signature("Pk")


def test_comparison_only_where_defined_for_all():
    reference = {"x": R, "y": R}
    e = cz.evaluate(
        reference,
        {"a": {"x": H, "y": S(13)}, "b": {"x": H, "y": H}},
        metrics=["BoundaryPrecision(length='short', cut=99)"],
    )
    a, b = (
        e.aggregates["a"]["BoundaryPrecision(length='short', cut=99)"],
        e.aggregates["b"]["BoundaryPrecision(length='short', cut=99)"],
    )
    assert (a.documents, a.undefined, a.dropped) == (1, 1, 0)
    assert (b.documents, b.undefined, b.dropped) == (1, 0, 1)
    assert a.score == b.score
    assert any("dropped" in note for note in e.notes())


def test_units_are_never_compared_silently():
    with pytest.raises(ComparabilityError, match="counts 'ms'"):
        cz.evaluate({"d": R.with_unit("sentence")}, {"a": {"d": H.with_unit("ms")}}, metrics=["Pk"])
    assert cz.evaluate({"d": R.with_unit("turn")}, {"a": {"d": H}}, metrics=["Pk"]).unit == "turn"


@pytest.mark.parametrize("bad", [[], ["Pk", 3], [None]])
def test_bad_metric_lists(bad):
    with pytest.raises(MetricError):
        cz.evaluate({"d": R}, {"a": {"d": H}}, metrics=bad)


def test_bad_inputs():
    with pytest.raises(ComparabilityError, match="give a path"):
        cz.evaluate(3, {"a": {"d": H}})  # type: ignore[arg-type]
    with pytest.raises(ComparabilityError, match="no system"):
        cz.evaluate({"d": R}, [])
    with pytest.raises(MetricError, match="is not a profile"):
        cz.evaluate({"d": R}, {"a": {"d": H}}, profile="segevall")


def test_cut_needs_a_metric_that_knows_classes():
    with pytest.raises(MetricError, match="length classes"):
        cz.evaluate({"d": R}, {"a": {"d": H}}, metrics=["Pk"], cut=5)


def test_by_default_every_processor_counts_if_there_is_enough(monkeypatch):
    from caesura.kernels import _together

    reference = {str(n): S(200, tuple(range(1, 200, 1 + n % 7))) for n in range(100)}
    hypothesis = {key: S(200, tuple(range(2, 200, 3))) for key in reference}
    monkeypatch.setattr("os.sched_getaffinity", lambda _: {0, 1, 2}, raising=False)
    cut = []

    class Plan(_together._Plan):
        @classmethod
        def of(cls, pairs, kernels, threads):
            cut.append(threads)
            return super().of(pairs, kernels, threads)

    monkeypatch.setattr(_together, "_Plan", Plan)
    alone = cz.evaluate(reference, {"a": hypothesis})
    monkeypatch.setattr(_together, "_ENOUGH", 1_000)
    together = cz.evaluate(reference, {"a": hypothesis})
    assert cut == [1, 3]
    assert together.scores == alone.scores
    assert np.array_equal(together.per_document("a", "B"), alone.per_document("a", "B"))


def test_threads_agree_bit_for_bit():
    rng = np.random.default_rng(0)
    reference = {str(i): S(30, np.flatnonzero(rng.random(29) < 0.2) + 1) for i in range(200)}
    hypothesis = {str(i): S(30, np.flatnonzero(rng.random(29) < 0.2) + 1) for i in range(200)}
    one = cz.evaluate(reference, {"a": hypothesis}, threads=1)
    two = cz.evaluate(reference, {"a": hypothesis}, threads=3)
    assert one.scores == two.scores
    for name in one.metrics:
        assert np.array_equal(one.counts("a", name), two.counts("a", name))


def test_results_file_reads_back_and_rebuilds_every_score(tmp_path):
    reference = {"x": R, "y": S(2), "z": S(9)}
    e = cz.evaluate(reference, {"a": {"x": H, "y": S(2, [1]), "z": S(9, [4])}, "b": reference})
    path = tmp_path / "results.json"
    e.save(path, per_document=True)
    results = read_results(path)
    assert results == cz.read_results(path)
    documents, counts = read_counts(path, results)
    assert documents == ["x", "y", "z"]
    for system in ("a", "b"):
        for name, facts in results.metrics.items():
            metric = cz.metric(facts.metric)
            columns = results.counts.requests[facts.request]
            rows = counts[system][facts.request]
            if set(facts.columns) <= set(columns):
                rows = rows[:, [columns.index(c) for c in facts.columns]]
                scores = metric.score(rows)
                stored = [math.nan if v is None else float(v) for v in results.per_document[system][name]]
                np.testing.assert_array_equal(scores, stored)
            stored_score = results.systems[system][name].score
            score = e.scores[system][name]
            assert (stored_score is None and math.isnan(score)) or float(stored_score) == score
    assert results.inputs[0].role == "reference"
    assert results.environment["kernels"] in ("compiled", "uncompiled")


def test_results_are_the_same_bytes_twice(tmp_path):
    e = cz.evaluate({"x": R}, {"a": {"x": H}})
    for name in ("one.json", "two.json"):
        e.save(tmp_path / name)
    one, two = ((tmp_path / name).read_text() for name in ("one.json", "two.json"))
    assert one.replace("one.counts", "two.counts") == two


def test_results_refuse_to_overwrite_when_asked(tmp_path):
    e = cz.evaluate({"x": R}, {"a": {"x": H}})
    e.save(tmp_path / "r.json")
    e.save(tmp_path / "r.json")
    with pytest.raises(OutputExistsError, match="--force"):
        e.save(tmp_path / "r.json", overwrite=False)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "3",
        '{"schema": "caesura.results/3"}',
        '{"schema": "caesura.results/2", "systems": []}',
        '{"schema": "caesura.results/2", "unknown": 1}',
        '{"schema": "caesura.results/1", "inputs": 3}',
        "\x00",
    ],
)
def test_other_files_are_no_results(tmp_path, text):
    path = tmp_path / "r.json"
    path.write_text(text)
    with pytest.raises(FormatError) as error:
        read_results(path)
    assert str(path) in str(error.value)
    assert "\n" not in str(error.value)


def test_counts_must_belong_to_their_results(tmp_path):
    e = cz.evaluate({"x": R}, {"a": {"x": H}})
    e.save(tmp_path / "r.json")
    (tmp_path / "r.counts.npz").write_bytes(b"PK something else")
    with pytest.raises(FormatError, match="hash differs"):
        read_counts(tmp_path / "r.json", read_results(tmp_path / "r.json"))
    with pytest.raises(FormatError, match="cannot be read"):
        read_results(tmp_path / "none.json")


def test_system_names_with_slashes_survive(tmp_path):
    e = cz.evaluate({"x": R}, {"runs/a b": {"x": H}}, metrics=["Pk"])
    e.save(tmp_path / "r.json")
    _, counts = read_counts(tmp_path / "r.json", read_results(tmp_path / "r.json"))
    assert list(counts) == ["runs/a b"]


# ---------------------------------------------------------------------------------------------- bits and arrays


@pytest.mark.parametrize("make", [lambda s: s.bits, lambda s: [bit == "1" for bit in s.bits]], ids=["str", "bool"])
def test_bits_are_evaluated(make):
    expected = cz.evaluate(R, H, metrics="Pk").scores["hypothesis"]["Pk"]
    reference, hypothesis = make(R), make(H)
    for arguments in (
        (reference, hypothesis),
        (R, hypothesis),
        (np.array([bit == "1" for bit in R.bits]), hypothesis),
        ({"d": reference}, {"d": hypothesis}),
    ):
        assert cz.evaluate(*arguments, metrics="Pk").scores["hypothesis"]["Pk"] == expected
    assert cz.evaluate(reference, {"a": hypothesis}, "Pk").scores["a"]["Pk"] == expected
    assert cz.evaluate({"d": reference}, {"a": {"d": hypothesis}}, "Pk").scores["a"]["Pk"] == expected


def test_a_file_called_like_bits_is_read(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "0101").write_text("000001001000\n")
    assert cz.evaluate("0101", R.bits, "Pk", format="bits").scores["hypothesis"]["Pk"] == 0.0
    assert cz.evaluate("0" * 5000, "0" * 5000, "BOR").unit == "unit"  # longer than any file's name


@pytest.mark.parametrize(
    ("reference", "systems"),
    [
        ([6, 3, 4], [4, 4, 5]),
        (R, [4, 4, 5]),
        (R, {"a": [4, 4, 5]}),
        ({"d": [6, 3, 4]}, {"d": H}),
        ({"d": R}, {"a": {"d": [4, 4, 5]}}),
        ({"d": R}, {"d": [4, 4, 5]}),
        (np.array([6, 3, 4]), np.array([4, 4, 5])),
        (R, np.array([4, 4, 5])),
    ],
)
def test_what_may_mean_two_things_is_refused(reference, systems):
    with pytest.raises(SegmentationError) as caught:
        cz.evaluate(reference, systems, "Pk")
    message = str(caught.value)
    assert "it must be a Segmentation, such as Segmentation.from_masses" in message
    assert all(name in message for name in ("from_bits", "from_labels", "from_boundaries"))
    assert "\n" not in message


def test_a_list_of_texts_is_a_list_of_chunks():
    with pytest.raises(ComparabilityError, match="counts 'character'"):
        cz.evaluate({"d": ["a", "a", "b"]}, {"d": H}, "Pk")


@pytest.mark.parametrize(("reference", "systems"), [(7, H), (R, 7), (R, {"a": None}), ({1, 2}, H)])
def test_what_is_no_document_is_refused(reference, systems):
    with pytest.raises(ComparabilityError, match="give a path, a Corpus, or a mapping"):
        cz.evaluate(reference, systems, "Pk")


DOCUMENTS = [(R, H), (S(5), S(5, (2,))), (S(4, (1, 2)), S(4, (1, 3)))]


def test_pairs_are_evaluated(tmp_path):
    reference, hypothesis = ({str(n): pair[side] for n, pair in enumerate(DOCUMENTS, 1)} for side in (0, 1))
    expected, e = cz.evaluate(reference, hypothesis), cz.evaluate(batch(DOCUMENTS))
    assert e.scores == expected.scores
    assert list(e.documents) == ["1", "2", "3"]
    assert e.results(per_document=True) == expected.results(per_document=True)
    assert e.table() == expected.table()
    assert e.tables(per_document=True)[0] == expected.tables(per_document=True)[0]
    e.save(tmp_path / "r.json")
    ids, counts = read_counts(tmp_path / "r.json", read_results(tmp_path / "r.json"))
    assert list(ids) == ["1", "2", "3"]
    assert list(counts) == ["hypothesis"]


def test_pairs_of_several_systems():
    swapped = [(reference, reference) for reference, _ in DOCUMENTS]
    e = cz.evaluate({"a": batch(DOCUMENTS), "b": batch(swapped)}, metrics=["Pk", "B"], baselines="none")
    assert list(e.systems) == ["a", "b", "none"]
    assert e.scores["b"]["Pk"] == 0.0
    from caesura.evaluation.chance.skill import expectations
    from caesura.evaluation.compare.run import compare
    from caesura.evaluation.intervals import intervals

    assert intervals(e)
    assert compare(e)
    assert expectations(e, draws=5)["a"]["Pk"].expected > 0


def test_pairs_that_cannot_be_scored():
    pairs = batch(DOCUMENTS)
    with pytest.raises(ComparabilityError, match="Pairs hold reference and hypothesis; give them without systems"):
        cz.evaluate(pairs, {"a": H})
    with pytest.raises(ComparabilityError, match="no system given"):
        cz.evaluate({"d": R})
    with pytest.raises(ComparabilityError, match="the references of 'a' and 'b' differ; all batches must hold"):
        cz.evaluate({"a": pairs, "b": pairs.swapped()})
    with pytest.raises(SegmentationError, match="hypothesis: ptr runs from 1 to 6; it must run from 0 to 5"):
        Pairs(pairs.n_units, pairs.ref_ptr, pairs.ref_pos, pairs.hyp_ptr + 1, pairs.hyp_pos)
    with pytest.raises(SegmentationError, match=r"hypothesis: document 2: boundary 2 is out of range 1\.\.1"):
        Pairs(np.array([13, 2, 4]), pairs.ref_ptr, pairs.ref_pos, pairs.hyp_ptr, pairs.hyp_pos)
    with pytest.raises(ComparabilityError, match="the reference holds no document"):
        cz.evaluate(batch([]))


def test_no_common_document_is_an_error():
    reference = {"a": S(5), "b": S(5)}
    with pytest.raises(ComparabilityError, match="no document of the reference is in every system"):
        cz.evaluate(reference, {"A": {"a": S(5, (2,))}, "B": {"b": S(5)}}, missing="skip")


@pytest.mark.parametrize("name", ["", None, 2.5])
def test_a_system_has_a_name(name):
    with pytest.raises(ComparabilityError, match="give it a name"):
        cz.evaluate({"d": R}, {name: {"d": H}})


def test_numbers_as_names_are_saved_and_read(tmp_path):
    e = cz.evaluate({3: R}, {1: {3: R}, 2: {3: H}}, ["Pk"])
    e.save(tmp_path / "r.json", per_document=True)
    assert list(read_results(tmp_path / "r.json").systems) == ["1", "2"]
    with pytest.raises(ComparabilityError, match="two systems are called '1'"):
        cz.evaluate({"d": R}, {1: {"d": R}, "1": {"d": H}})


def test_numbers_of_numpy_are_saved(tmp_path):
    e = cz.evaluate({"d": R, "e": H}, {"a": {"d": H, "e": H}}, [cz.metric("Pk"), type(cz.metric("Pk"))(k=np.int64(3))])
    assert list(e.metrics) == ["Pk", "Pk(k=3)"]
    e.intervals(seed=np.int64(1), resamples=np.int64(10), level=np.float64(0.9))
    e.gate({"Pk": np.float32(0.5)})
    e.save(tmp_path / "r.json")
    assert read_results(tmp_path / "r.json").resampling.resamples == 10


@pytest.mark.parametrize(
    "options",
    [{"seed": -1}, {"seed": "x"}, {"resamples": 10.5}, {"resamples": True}, {"level": "95"}, {"resamples": 10**8}],
)
def test_resampling_is_checked(options):
    e = cz.evaluate({"d": R, "e": H}, {"a": {"d": H, "e": H}, "b": {"d": R, "e": R}}, ["Pk"])
    (name,) = options
    for ask in (e.intervals, e.compare):
        with pytest.raises((cz.errors.DeclarationError, SegmentationError), match=f"^{name} is "):
            ask(**options)


@pytest.mark.filterwarnings("error")
def test_a_document_without_reference_boundaries_can_be_compared():
    reference = {"x": S(9, (4,)), "y": S(9)}
    systems = {"a": {"x": S(9, (3,)), "y": S(9, (2,))}, "b": {"x": S(9, (4,)), "y": S(9, (2,))}}
    assert len(cz.evaluate(reference, systems).compare()) == 9
