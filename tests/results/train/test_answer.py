"""What a training says: better only where a test carries it, a warning by the control, what is not known."""

from __future__ import annotations

from caesura.results import Results, answer_of, csv_table, tables_of
from caesura.results.train.facts import DatasetFacts, EpochFacts, FileScores, StageFacts, TrainingFacts


def epoch(number: int, loss: float, control: float | None = 0.01, **more: object) -> EpochFacts:
    return EpochFacts(
        epoch=number,
        loss=loss,
        validation_loss=loss,
        f1=0.4,
        w_f1=0.5,
        bor=0.9,
        mean_score=2.0,
        control=control,
        **more,
    )  # type: ignore[arg-type]


def dataset(name: str, role: str, ours: float, theirs: float, p: float | None) -> DatasetFacts:
    equal = {"trained": {"W-F1": ours}, "VectorTiling": {"W-F1": theirs}}
    own = {"trained": {"W-F1": ours - 0.1, "BOR": 1.25}, "VectorTiling": {"W-F1": theirs, "BOR": 1.0}}
    return DatasetFacts(
        name=name, role=role, documents=30, own=own, equal=equal, rival="VectorTiling", difference=ours - theirs, p=p
    )


def results(datasets: list[DatasetFacts], control: float | None = 0.01) -> Results:
    files = {"a": FileScores(f1=0.3, bor=1.1), "b": FileScores(f1=0.5, bor=0.8)}
    first = StageFacts(
        stage=1, purpose="splices", documents=5, gaps=50, boundaries=9, epochs=[epoch(1, 0.5), epoch(2, 0.4)], best=2
    )
    last = StageFacts(
        stage=2, purpose="gold boundaries", documents=5, gaps=50, boundaries=9, best=1, stopped=True,
        epochs=[epoch(1, 0.6, control, by_file=files)], before=epoch(0, 0.7),
    )  # fmt: skip
    facts = TrainingFacts(
        head="WindowHead", encoder="default", fingerprint="f", weights="w", stages=[first, last], control_documents=7,
        temperature=1.1, nll_before=0.5, nll_after=0.4, temperature_reason=None, selector="StaticSelector", datasets=datasets,
    )  # fmt: skip
    return Results(question="train", training=facts)


def test_better_and_worse_are_said_only_where_the_test_carries_it():
    said = answer_of(
        results(
            [
                dataset("held out", "home", 0.8, 0.6, 0.01),
                dataset("x", "abroad", 0.5, 0.6, 0.02),
                dataset("y", "abroad", 0.9, 0.6, 0.06),
            ]
        )
    )
    assert said[0] == (
        "Trained for 3 epochs. With its own threshold it scores W-F1 0.700 (BOR 1.250) on 30 unseen documents of the same source."
    )
    assert "it is better than untrained VectorTiling (W-F1 0.800 against 0.600)" in said[1]
    assert "30 unseen documents of the same source" in said[1]
    assert "untrained VectorTiling is better than it" in said[2]
    assert "it does not differ significantly from untrained VectorTiling" in said[3]
    assert len(said) == 4


def test_a_failed_control_and_what_is_not_known_are_said():
    said = answer_of(results([dataset("held out", "home", 0.8, 0.6, None)], control=0.2))
    assert any("20% of the gaps of documents with one segment" in sentence for sentence in said)
    assert said[-1].startswith("How it does on other data is not known")
    fine = answer_of(results([dataset("x", "abroad", 0.8, 0.6, None)], control=0.05))
    assert not any("one segment" in sentence or "not known" in sentence for sentence in fine)


def test_tables_have_every_epoch_and_mark_the_one_that_was_kept():
    equal, epochs, own = tables_of(results([dataset("held out", "home", 0.8, 0.6, 0.01)]))
    assert [row[0] for row in epochs.rows] == ["1.1", "1.2*", "2.0", "2.1*"]
    assert [column.title for column in epochs.columns][-4:] == ["a F1", "a BOR", "b F1", "b BOR"]
    assert epochs.rows[-1][-4:] == [0.3, 1.1, 0.5, 0.8]
    assert any("stopped early" in note for note in epochs.notes)
    assert [row[1] for row in equal.rows] == ["trained", "VectorTiling"]
    assert (equal.detail, epochs.detail, own.detail) == (False, True, True)
    (alone,) = tables_of(results([]))
    assert alone.rows == epochs.rows
    assert not alone.detail


def test_csv_has_a_row_for_every_dataset_density_and_system():
    scored = [dataset("held out", "home", 0.8, 0.6, 0.01), dataset("x", "abroad", 0.5, 0.55, 0.5)]
    rows = csv_table(results(scored)).records()
    assert len(rows) == 8
    assert {(row["dataset"], row["density"]) for row in rows} == {
        (name, density) for name in ("held out", "x") for density in ("equal", "own")
    }
    assert rows[0]["W-F1"] == 0.8
    epochs = csv_table(results([])).records()
    assert [(row["stage"], row["epoch"], row["kept"]) for row in epochs] == [(1, 1, "no"), (1, 2, "yes"), (2, 1, "yes")]


def test_no_best_score_is_marked():
    scored = [dataset("held out", "home", 0.8, 0.6, 0.01), dataset("x", "abroad", 0.5, 0.55, 0.5)]
    tables = tables_of(results(scored))
    assert [table.best() for table in tables] == [frozenset()] * 3
    assert "BOR" not in [column.title for column in tables[0].columns]
