"""Cohesion tests itself, by the rule of validate: a metric that may not be used names no better system."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from caesura.corpus import Corpus, Document
from caesura.evaluation.cohesion import Cohesion, cohesion
from caesura.evaluation.degrade import degrade
from caesura.evaluation.validate.run import validate
from caesura.results import answer_of
from caesura.segmentation import Segmentation

MASSES = (5, 3, 7, 4, 6, 8, 5)


class Topics:
    """Units of one topic are near each other."""

    name, dim, normalized, fingerprint = "topics", 8, False, "topics-1"

    def encode(self, texts):
        rows = np.zeros((len(texts), self.dim), dtype=np.float32)
        for row, text in enumerate(texts):
            rng = np.random.default_rng(list(text.encode()))
            rows[row] = 0.2 * rng.normal(size=self.dim)
            rows[row, int(text.split()[0])] += 1.0
        return rows


class Noise(Topics):
    """Vectors that know nothing."""

    name = "noise"

    def encode(self, texts):
        return np.stack([np.random.default_rng(list(t.encode())).normal(size=8) for t in texts]).astype(np.float32)


def corpus(n: int) -> Corpus:
    documents = []
    for key in range(n):
        masses = MASSES[key % 7 :] + MASSES[: key % 7]
        topics = [(key + 3 * place) % 8 for place in range(len(masses))]
        units = [f"{topic} {key} {i}" for topic, length in zip(topics, masses, strict=True) for i in range(length)]
        documents.append(
            Document(
                id=f"d{key}", n_units=len(units), units=tuple(units), segmentation=Segmentation.from_masses(masses)
            )
        )
    return Corpus(documents)


def bare(gold: Corpus) -> Corpus:
    """The documents without their boundaries: what the systems gave is damaged instead."""
    return Corpus([dataclasses.replace(document, segmentation=None) for document in gold])


def measured(
    encoder: Topics, n: int = 14, bad: str = "RandomPlacement", *, reference: bool = False, **options: object
) -> Cohesion:
    gold = corpus(n)
    systems = {"gold": gold, "bad": degrade(gold, bad, encoder=encoder).corpus}
    return cohesion(
        gold if reference else bare(gold),
        systems,
        encoder=encoder,
        draws=10,
        resamples=200,
        nulls=("count",),
        **options,
    )  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def good() -> Cohesion:
    return measured(Topics())


def test_a_metric_that_notices_names_the_better_system(good: Cohesion) -> None:
    checks = good.checks
    assert checks is not None
    assert checks["gold"]["Placement"].verdict == "usable here"
    assert checks["bad"]["Placement"].verdict == "not usable here"
    assert set(checks["gold"]) == {*good.metrics, "Evenness"}
    assert {c.better for c in good.compare() if c.metric == "Placement"} == {"gold"}
    first, second, *others = good.answer()
    assert first.startswith(
        "Support passes the check and may be used here: of six perturbations of the output of gold, the hardest "
    )
    assert first.endswith(" of 14 documents; 85 % are required.")
    assert second.startswith("By Support, gold is better than bad (")
    assert second.endswith("; p < 0.001).")
    # As many boundaries in both: nothing to say of density.
    assert others == [
        "gold is better placed than chance (the interval of Support lies above 0); bad is not shown to be."
    ]


def test_without_a_metric_that_notices_nobody_is_named() -> None:
    found = measured(Noise(), bad="Removal(share=0.5)")
    assert {c.better for c in found.compare()} == {None}
    first, instead, *others = found.answer()
    assert first.startswith("No system is called better: no reference-free metric passes the check. The best, ")
    assert "perturbations of the output of " in first
    assert instead.startswith("Instead, mark the boundaries of at least ten documents")
    assert not any("is better" in sentence for sentence in others)
    assert others[-1].startswith("Segments per 100 units: gold 18.4 and bad ")
    (scores, *details) = found.tables()
    assert not scores.best()
    assert all(table.detail for table in details)


def test_few_documents_cannot_tell() -> None:
    found = measured(Topics(), n=6)
    assert {c.better for c in found.compare()} == {None}
    assert found.answer()[0] == ("No system is called better: the check of the metrics needs 10 documents and found 6.")


def test_a_system_that_cuts_out_odd_units_cannot_vouch_for_a_metric() -> None:
    found = measured(Topics(), bad="Odd")
    assert found.checks is not None
    for check in found.checks["bad"].values():
        assert check.verdict == "not usable here"
    assert found.checks["bad"]["ARPpair"].reasons[0] == "what was given is itself odd units cut out"
    assert {c.better for c in found.compare() if c.metric == "ARPpair"} <= {None, "gold"}


def test_stars_only_where_scores_may_be_compared(good: Cohesion) -> None:
    assert {good.tables()[0].columns[column].title for _, column in good.tables()[0].best()} >= {"Placement"}
    sparse = measured(Topics(), bad="Removal(share=0.5)").tables()[0]
    assert {sparse.columns[column].title for _, column in sparse.best()} == {"Support", "Placement"}


def test_one_p_per_row_and_never_0(good: Cohesion) -> None:
    table = next(t for t in good.tables() if t.title == "Comparison")
    titles = [column.title for column in table.columns]
    assert [title for title in titles if title == "p" or title.startswith("p ")] == ["p (adjusted)"]
    assert "< 0.001" in [texts[titles.index("p (adjusted)")] for texts in table.texts()]


def test_the_check_can_be_left_out() -> None:
    found = measured(Noise(), check=False)
    assert found.checks is None
    results = found.results()
    assert results.cohesion is not None
    assert results.cohesion.checks is None
    assert answer_of(results)


@pytest.mark.parametrize("noise", [False, True])
def test_with_boundaries_in_the_documents_the_test_is_that_of_validate(noise: bool) -> None:
    """One rule, one number: the same documents, damage, repetitions and limits, whatever the systems are."""
    encoder = Noise() if noise else Topics()
    found = measured(encoder, bad="Removal(share=0.5)", reference=True)
    theirs = validate(corpus(14), metrics=list(found.metrics), encoders=[encoder])
    checks = found.checks
    assert checks is not None
    assert checks["gold"] == checks["bad"]
    for name, check in checks["gold"].items():
        trust = theirs.trust(name)
        assert (check.verdict, check.worst, check.damages, check.documents, check.reasons) == (
            trust.verdict, trust.worst, trust.damages, trust.documents, trust.reasons,
        )  # fmt: skip
        assert check.reference
    # The same words too, but for what follows from them, and the metrics that are listed.
    ours, its = found.answer()[0], theirs.answer()[0]
    if noise:
        assert ours.replace("No system is called better: no reference", "No reference") == its
        assert found.answer()[1].startswith("The documents have boundaries: score against them instead")
        assert {c.better for c in found.compare()} == {None}
    else:
        assert ours.startswith(
            "Support passes the check and may be used here: of six perturbations of the documents' own boundaries, "
        )
        assert "perturbations of the documents' own boundaries, " in its
        assert "Placement" in its.split(" and may be used here")[0]
    (table,) = (table for table in found.tables() if table.title == "Whether metrics may be used")
    assert [row[0] for row in table.rows] == ["documents"] * (len(found.metrics) + 1)


def test_without_boundaries_validate_and_cohesion_damage_the_same() -> None:
    gold = corpus(14)
    ours = cohesion(bare(gold), {"a": gold}, ["Placement"], encoder=Topics(), nulls=()).checks
    theirs = validate(bare(gold), gold, ["Placement"], encoders=[Topics()]).trust("Placement")
    assert ours is not None
    assert (ours["a"]["Placement"].damages, ours["a"]["Placement"].verdict) == (theirs.damages, theirs.verdict)
    assert not ours["a"]["Placement"].reference


def test_a_metric_for_large_differences_names_nobody() -> None:
    """What tells boundaries from random ones need not tell two systems apart."""

    class Hints(Topics):
        """Topics with so much noise that only large damage shows."""

        name, fingerprint = "hints", "hints-1"

        def encode(self, texts):
            return 0.35 * Topics.encode(self, texts) + 0.3 * Noise.encode(self, texts)  # type: ignore[arg-type]

    found = measured(Hints(), n=24, reference=True)  # type: ignore[arg-type]
    assert found.checks is not None
    assert found.checks["gold"]["Placement"].verdict == "only for large differences"
    assert {c.better for c in found.compare()} == {None}
    first, *_, last = found.answer()
    assert first.startswith("No system is called better: no reference-free metric passes the check. ")
    assert last.startswith("gold is better placed than chance")


def test_a_system_without_boundaries() -> None:
    gold = corpus(12)
    whole = {d.id: Segmentation(d.n_units) for d in gold}
    found = cohesion(bare(gold), {"gold": gold, "whole": whole}, encoder=Topics(), draws=5, resamples=50)
    assert found.checks is not None
    assert found.checks["whole"]["Placement"].reasons == ["no document has a boundary"]
    assert found.scores["whole"]["Placement"] == 0.0
    assert found.answer()


def made_by(corpus_: Corpus, encoder: object) -> Corpus:
    recipe = {"made_by": {"method": "text_tiling", "encoder": encoder}}
    return Corpus([dataclasses.replace(d, extra=recipe) for d in corpus_])


def test_a_system_made_with_the_judging_vectors_is_named_and_scored_by_words() -> None:
    gold = corpus(12)
    systems = {"own": made_by(gold, "topics topics-1"), "other": made_by(gold, "another another-7")}
    found = cohesion(gold, systems, encoder=Topics(), draws=5, resamples=50)
    assert found.same_vectors == ("own",)
    assert list(found.metrics)[-1] == "Placement(of='words')"
    assert found.results().cohesion.same_vectors == ["own"]  # type: ignore[union-attr]
    first, *_ = found.answer()
    assert first == (
        "own was made with the judging encoder, whose vectors overrate such systems; Placement(of='words') reads words instead."
    )
    assert "by Placement (" not in " ".join(found.answer())
    bad = made_by(degrade(gold, "RandomPlacement").corpus, "topics topics-1")
    against = cohesion(gold, {"gold": gold, "bad": bad}, encoder=Topics(), draws=5, resamples=50)
    named = {c.metric for c in against.compare() if c.better is not None}
    assert "Placement" not in named  # gold is far better, but it is not for these vectors to say
    assert {against.tables()[0].columns[c].title for _, c in against.tables()[0].best()} <= {"Placement(of='words')"}
    few = cohesion(gold, systems, ["Placement"], encoder=Topics(), draws=5, resamples=50)
    assert list(few.metrics) == ["Placement"]
    assert "add -m \"Placement(of='words')\"" in few.answer()[0]
    assert not any("is better" in sentence for sentence in few.answer())


@pytest.mark.parametrize("nonsense", [None, 7, ["topics-1"], {"a": 1}])
def test_a_recipe_of_another_form_says_nothing(nonsense: object) -> None:
    gold = corpus(2)
    found = cohesion(gold, {"a": made_by(gold, nonsense)}, ["Placement"], encoder=Topics(), nulls=(), check=False)
    assert found.same_vectors == ()


def test_support_too_may_not_judge_systems_of_its_vectors() -> None:
    gold = corpus(14)
    other = degrade(gold, "Transposition(distance=2)", seed=1).corpus
    systems = {"theirs": made_by(gold, "topics topics-1"), "other": other}
    outcome = cohesion(bare(gold), systems, ["Support", "Placement"], encoder=Topics(), draws=2, resamples=50)
    assert [c.better for c in outcome.compare()] == [None, None]
    said = answer_of(outcome.results())
    assert said[0].startswith("theirs was made with the judging encoder, whose vectors overrate such systems; add ")
    assert said[1] == "No system is called better: no metric that was scored may judge what its own vectors made."
    assert not any(line.startswith("By ") for line in said)
    words = cohesion(bare(gold), systems, ["Support", "Placement(of='words')"], encoder=Topics(), draws=2, resamples=50)
    assert all(c.better is None for c in words.compare() if c.metric == "Support")
    assert "Placement(of='words') reads words instead" in answer_of(words.results())[0]


def test_support_and_placement_that_disagree_are_told() -> None:
    gold = corpus(14)
    systems = {"gold": gold, "moved": degrade(gold, "Transposition(distance=2)", seed=1).corpus}
    outcome = cohesion(
        bare(gold), systems, ["Support", "Placement", "ARPpair"], encoder=Topics(), draws=2, resamples=50, check=False
    )
    results = outcome.results()
    assert next(c for c in results.comparisons or [] if c.metric == "Support").better == "gold"
    assert answer_of(results)[0].startswith("By Support, gold is better than moved (")
    assert not any("disagrees" in line for line in answer_of(results))
    rows = results.systems
    rows["gold"]["Placement"].score, rows["moved"]["Placement"].score = 1.0, 1.5
    assert answer_of(results)[1] == (
        "Placement disagrees: it places moved above gold (1.50 against 1.00); without a reference nothing decides between "
        "the two metrics."
    )
    del rows["gold"]["Placement"], rows["moved"]["Placement"], results.metrics["Placement"]
    assert not any("disagrees" in line for line in answer_of(results))


@pytest.mark.parametrize(
    ("metrics", "said"),
    [
        (
            ["Support", "Placement", "ARPpair"],
            "raw scores other than Support and Placement are not comparable between them.",
        ),
        (["Placement", "ARPpair"], "raw scores other than Placement are not comparable between them."),
        (["ARPpair"], "raw scores are not comparable between them."),
    ],
)
def test_raw_scores_that_density_does_not_change_are_named(metrics: list[str], said: str) -> None:
    gold = corpus(4)
    systems = {"gold": gold, "fewer": degrade(gold, "Removal(share=0.5)", seed=1).corpus}
    outcome = cohesion(bare(gold), systems, metrics, encoder=Topics(), draws=2, resamples=50, check=False)
    assert answer_of(outcome.results())[-1].endswith(f"; {said}")
