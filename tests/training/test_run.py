"""Training as a whole: it learns, two runs are equal, a killed one goes on, bad input is one line."""

from __future__ import annotations

import dataclasses
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from caesura.errors import ComparabilityError, FormatError, OutputExistsError
from caesura.evaluation.inputs import Source
from caesura.results import read_results
from caesura.scorers import Encoding, scorer
from caesura.scorers.trained import HEADS, Head
from caesura.segmentation import Segmentation
from caesura.segmenters import segmenter
from caesura.training import train
from caesura.training.data import make_data
from tests.strategies import forget
from tests.training.toy import config, corpus, killed_run, source, write

ENCODING = Encoding()


def run(folder: Path, **changes: object):
    made = config(**changes)
    return train(made, folder, make_data(made, {"toy": source()}), encoding=ENCODING)


def weights(folder: Path) -> bytes:
    return (folder / "model.safetensors").read_bytes()


def test_a_scorer_learns_topics_that_share_no_word(tmp_path):
    outcome = run(tmp_path / "m")
    home = outcome.facts.datasets[0]
    assert home.equal["trained"]["W-F1"] > 0.9
    assert home.equal["chance"]["W-F1"] < 0.7
    stages = outcome.facts.stages
    assert [stage.stage for stage in stages] == [1, 2]
    assert stages[0].epochs[stages[0].best - 1].control <= 0.05
    assert 0.8 < stages[1].epochs[-1].bor < 1.2
    other = corpus(5, seed=9)
    cut = segmenter(f"model:{tmp_path / 'm'}").segment(other, encoding=ENCODING)
    hits = sum(one.segmentation == two.segmentation for one, two in zip(cut, other, strict=True))
    assert hits >= 4
    scores = scorer(f"model:{tmp_path / 'm'}").score(next(iter(other)), encoding=ENCODING)
    assert ((scores > 0) & (scores < 1)).all()


def test_the_folder_holds_card_weights_and_results_and_no_checkpoint(tmp_path):
    outcome = run(tmp_path / "m")
    assert sorted(path.name for path in (tmp_path / "m").iterdir()) == [
        "model.json", "model.safetensors", "training.json",
    ]  # fmt: skip
    card = json.loads((tmp_path / "m" / "model.json").read_text())
    assert {each["role"]: each["documents"] for each in card["data"]} == {"train": 22, "validation": 4, "test": 4}
    assert card["scores"]["held out (home)"]["trained, equal density"]["W-F1"] is not None
    assert read_results(tmp_path / "m" / "training.json").training == outcome.facts


@pytest.mark.parametrize("head", ["WindowHead(window=2)", "WindowHead(window=2, hidden=3, parts='products')"])
def test_two_runs_with_one_seed_are_equal_and_another_seed_is_not(tmp_path, head):
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        run(tmp_path / name, scorer=head, seed=seed)
    assert weights(tmp_path / "a") == weights(tmp_path / "b")
    assert (tmp_path / "a" / "model.json").read_bytes() == (tmp_path / "b" / "model.json").read_bytes()
    assert weights(tmp_path / "a") != weights(tmp_path / "c")


@pytest.mark.skipif(os.name != "posix", reason="kill -9 is POSIX")
def test_a_run_that_is_killed_goes_on_to_the_same_weights(tmp_path):
    """A real kill, after the first checkpoint; the second call begins where the first was."""
    documents = write(tmp_path / "toy.jsonl", corpus(20))
    text = (
        f'train = ["{documents}"]\nscorer = "WindowHead(window=2, hidden=4)"\npatience = 100\n'
        "[stage1]\ndocuments = 40\nunits = [2, 6]\ntrim = 0\nepochs = 2\n[stage2]\nepochs = 1\n"
    )
    stages = tmp_path / "stages.toml"
    stages.write_text(text)
    killed_run(stages, tmp_path / "killed", 1)
    alone = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    words = [sys.executable, "-m", "caesura", "train", "--config", str(stages), "-o"]
    again, _ = (
        subprocess.run([*words, str(tmp_path / name)], capture_output=True, env=alone, check=True)
        for name in ("killed", "whole")
    )
    assert b"going on after epoch 1 of stage 1" in again.stderr
    assert weights(tmp_path / "killed") == weights(tmp_path / "whole")
    for name in ("model.json", "training.json"):
        assert (tmp_path / "killed" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()


class Stopped(Exception):
    pass


@pytest.mark.parametrize("at", [1, 2, 3, 4])
def test_a_run_that_stops_after_any_epoch_goes_on_to_the_same_weights(tmp_path, at):
    made = config()
    data = make_data(made, {"toy": source()})

    def stop(done: int, total: int) -> None:
        if done == at:
            raise Stopped

    with pytest.raises(Stopped):
        train(made, tmp_path / "m", data, encoding=ENCODING, progress=stop)
    told: list[str] = []
    train(made, tmp_path / "m", data, encoding=ENCODING, tell=told.append)
    run(tmp_path / "whole")
    assert told
    assert weights(tmp_path / "m") == weights(tmp_path / "whole")


@pytest.mark.parametrize("overwrite", [False, True])
def test_a_run_that_is_stopped_while_it_scores_goes_on_too(tmp_path, monkeypatch, overwrite):
    """The model is there already, but without its scores: the next call ends the run, and needs no epoch again."""
    made = config()
    data = make_data(made, {"toy": source()})

    def stop(*arguments: object) -> None:
        raise Stopped

    with monkeypatch.context() as patch:
        patch.setattr("caesura.training.run._transfer", stop)
        with pytest.raises(Stopped):
            train(made, tmp_path / "m", data, encoding=ENCODING)
    assert (tmp_path / "m" / "model.json").exists()
    done: list[int] = []
    outcome = train(
        made, tmp_path / "m", data, encoding=ENCODING, overwrite=overwrite, progress=lambda n, of: done.append(n)
    )
    assert not done
    assert outcome.facts.datasets
    assert not (tmp_path / "m" / "checkpoint.json").exists()


def test_the_threshold_gives_validation_documents_their_density(tmp_path):
    made = config()
    data = make_data(made, {"toy": source()})
    train(made, tmp_path / "m", data, encoding=ENCODING)
    cut = segmenter(f"model:{tmp_path / 'm'}").segment(data.validation, encoding=ENCODING)
    assert len(cut.flat.pos) == len(data.validation.flat.pos)


def test_a_checkpoint_of_another_run_is_refused_and_kept(tmp_path):
    made = config()
    data = make_data(made, {"toy": source()})

    def stop(done: int, total: int) -> None:
        raise Stopped

    with pytest.raises(Stopped):
        train(made, tmp_path / "m", data, encoding=ENCODING, progress=stop)
    before = {path.name: path.read_bytes() for path in (tmp_path / "m").iterdir()}
    with pytest.raises(FormatError, match=r"belongs to another configuration.*--force"):
        train(config(seed=5), tmp_path / "m", data, encoding=ENCODING)
    card = json.loads((tmp_path / "m" / "checkpoint.json").read_text())
    assert {path.name: path.read_bytes() for path in (tmp_path / "m").iterdir()} == before
    (tmp_path / "m" / "checkpoint.json").write_text(json.dumps({**card, "caesura": "0.0.1"}))
    with pytest.raises(FormatError, match=r"was written by Caesura 0\.0\.1"):
        train(made, tmp_path / "m", data, encoding=ENCODING)
    (tmp_path / "m" / "checkpoint.json").write_text(json.dumps({**card, "sha256": "0"}))
    with pytest.raises(FormatError, match=r"is not the file that checkpoint\.json names"):
        train(made, tmp_path / "m", data, encoding=ENCODING)
    assert train(made, tmp_path / "m", data, encoding=ENCODING, overwrite=True).facts.stages


def test_a_model_is_not_replaced_without_being_asked(tmp_path):
    run(tmp_path / "m")
    before = weights(tmp_path / "m")
    with pytest.raises(OutputExistsError, match="holds a model already"):
        run(tmp_path / "m", seed=7)
    assert weights(tmp_path / "m") == before


@dataclasses.dataclass(frozen=True)
class Broken(Head):
    """Gives NaN in the second epoch."""

    def learner(self, encoding, seed):
        inner = HEADS.parse("WindowHead").learner(encoding, seed)
        plain, count = inner.epoch, []

        def epoch(examples, stage, rng):
            count.append(1)
            return plain(examples, stage, rng) if len(count) < 2 else float("nan")

        inner.epoch = epoch
        return inner


def test_a_loss_that_is_not_a_number_stops_the_run_and_keeps_the_epochs_before(tmp_path):
    HEADS.register()(Broken)
    try:
        with pytest.raises(ComparabilityError, match=r"the loss of epoch 2 of stage 1 is nan.*are kept"):
            run(tmp_path / "m", scorer="Broken")
    finally:
        forget(HEADS, Broken)
    kept = json.loads((tmp_path / "m" / "checkpoint.json").read_text())
    assert len(kept["stages"][0]["epochs"]) == 1


def test_early_stopping_keeps_the_best_epoch(tmp_path):
    outcome = run(tmp_path / "m", patience=1, scorer="WindowHead(window=2, l2=0.0, iterations=30)")
    for stage in outcome.facts.stages:
        losses = [epoch.validation_loss for epoch in stage.epochs]
        assert stage.best == int(np.argmin(losses)) + 1


@pytest.mark.parametrize(
    ("gaps", "says"), [(lambda n: (), "no boundary"), (lambda n: tuple(range(1, n)), "a boundary at every gap")]
)
def test_one_class_only_is_refused(tmp_path, gaps, says):
    changed = [dataclasses.replace(d, segmentation=Segmentation(d.n_units, gaps(d.n_units))) for d in corpus(10)]
    one = Source(type(corpus(1))(changed), "toy")
    with pytest.raises(ComparabilityError, match=f"have {says}, so there is nothing to tell apart"):
        make_data(config(), {"toy": one})
    assert not (tmp_path / "m").exists()
