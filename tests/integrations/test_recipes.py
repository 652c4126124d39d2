"""The page on other tools: its Python runs, with the tool where it is installed (`make test-recipes`), and gives the right numbers."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import caesura as cz
from caesura.errors import CaesuraError
from caesura.integrations.inspect_ai import read_lengths, segmentation
from caesura.integrations.scikit_learn import score, scorer
from tests.examples import write_example_files

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "integrations.md").read_text(encoding="utf-8")
RECIPES = dict(re.findall(r"^## ([^\n]*)\n(?:(?!^## ).)*?```python\n(.*?)```", PAGE, flags=re.DOTALL | re.MULTILINE))
pytestmark = pytest.mark.filterwarnings("ignore:::^(?!caesura)")


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write_example_files(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(title: str) -> dict[str, Any]:
    names: dict[str, Any] = {}
    exec(compile(RECIPES[title], title, "exec"), names)
    return names


def scores() -> dict[str, float]:
    return dict(cz.evaluate("gold.jsonl", "reader.jsonl", metrics=["W-F1", "B", "BOR"]).scores["reader"])


def test_every_recipe_is_run() -> None:
    assert set(RECIPES) == {"Hugging Face", "scikit-learn", "Inspect", "MLflow", "Weights & Biases", "Lightning", "DVC"}


def test_compute_gives_what_evaluate_gives(here: Path) -> None:
    run("Hugging Face")
    assert cz.compute(predictions="reader.jsonl", references="gold.jsonl", metric=["W-F1", "B", "BOR"]) == scores()
    pair = {"metric": "Pk", "references": [cz.Segmentation.from_masses([6, 3, 4])]}
    assert cz.compute(predictions=[cz.Segmentation.from_masses([4, 4, 5])], **pair) == {"Pk": pytest.approx(6 / 11)}
    gaps = np.array([[False, True, False], [True, False, False]])
    assert cz.compute(predictions=gaps, references=gaps.tolist(), metric="F1") == {"F1": 1.0}
    assert cz.compute(predictions=[False, True], references=[False, True], metric="F1") == {"F1": 1.0}


def test_compute_refuses_what_has_no_pair() -> None:
    with pytest.raises(CaesuraError, match="2 predictions and 1 references"):
        cz.compute(predictions=["01", "10"], references=["01"], metric="F1")
    with pytest.raises(CaesuraError):
        cz.compute(predictions=[[0, 1, 0]], references=[[0, 1, 0]], metric="F1")


def test_labels_of_gaps_are_scored_by_document() -> None:
    true, predicted = [0, 1, 0, 0, 1, 0, 0], [0, 1, 0, 0, 0, 1, 0]
    documents = ["b", "b", "b", "a", "a", "a", "a"]
    two = {"1": cz.Segmentation(5, (2,)), "2": cz.Segmentation(4, (2,))}
    other = {"1": cz.Segmentation(5, (3,)), "2": cz.Segmentation(4, (2,))}
    expected = cz.evaluate(two, {"s": other}, ["B", "Pk"]).scores["s"]
    for metric in ("B", "Pk"):
        assert score(true, predicted, metric=metric, documents=documents) == expected[metric]


@pytest.mark.parametrize(
    ("true", "predicted", "documents", "said"),
    [
        ([0, 1], [0, 1, 0], None, "2 rows, y_pred 3"),
        ([0, 2], [0, 1], None, "y_true must be one row of 0 and 1"),
        ([[0, 1]], [[0, 1]], None, "y_true must be one row of 0 and 1"),
        ([0, 1], [0, 1], ["a"], "must name a document for each of 2 rows"),
    ],
)
def test_labels_that_are_none_are_refused(true: Any, predicted: Any, documents: Any, said: str) -> None:
    with pytest.raises(CaesuraError, match=said):
        score(true, predicted, documents=documents)


def test_scikit_learn_chooses_by_a_metric_of_segmentation() -> None:
    pytest.importorskip("sklearn")
    import sklearn

    try:
        names = run("scikit-learn")
        search, documents, ends = names["search"], names["documents"], names["ends"]
        means = []
        for cost in (0.001, 1.0):
            model, parts = sklearn.base.clone(search.estimator).set_params(C=cost), []
            for train, test in search.cv.split(ends, groups=documents):
                predicted = model.fit(names["features"][train], ends[train]).predict(names["features"][test])
                parts.append(score(ends[test], predicted, metric="B", documents=documents[test]))
            means.append(np.mean(parts))
        assert search.cv_results_["mean_test_score"] == pytest.approx(means)
        assert means[1] > means[0], "this cost matters"
    finally:
        sklearn.set_config(enable_metadata_routing=False)

    class Fixed(sklearn.base.BaseEstimator):
        def predict(self, rows: Any) -> Any:
            return rows

    assert scorer("Pk")(Fixed(), [0, 1, 0, 0], [0, 0, 1, 0]) == -score([0, 0, 1, 0], [0, 1, 0, 0], metric="Pk") < 0
    with pytest.raises(CaesuraError, match="best at a target"):
        scorer("BOR")


@pytest.mark.parametrize(
    ("text", "masses"),
    [("6-3-4", (6, 3, 4)), ("First 5-8. No: 6, 3, 4.", (6, 3, 4)), ("13", (13,)), ("in 2026-format v1.5: 4-9", (4, 9))],
)
def test_the_last_lengths_of_an_answer_count(text: str, masses: tuple[int, ...]) -> None:
    assert read_lengths(text).masses == masses


def test_inspect_scores_answers(here: Path) -> None:
    pytest.importorskip("inspect_ai")
    from inspect_ai import eval as run_task
    from inspect_ai.dataset import Sample
    from inspect_ai.model import ModelOutput, ModelUsage, get_model

    task = run("Inspect")["task"]
    task.dataset = type(task.dataset)([Sample(input="?", target="6-3-4") for _ in range(3)])
    answers = ["Answer: 4-4-5", "I cannot say.", "6-3-5"]
    outputs = [ModelOutput.from_content("mockllm/model", text) for text in answers]
    for each in outputs:
        each.usage = ModelUsage()  # counting tokens would fetch a vocabulary
    model = get_model("mockllm/model", custom_outputs=outputs)
    (log,) = run_task(task, model=model, display="none", log_dir=str(here / "logs"), max_samples=1)
    assert log.status == "success", log.error
    found = [next(iter(sample.scores.values())) for sample in log.samples]
    pair = (cz.Segmentation.from_masses([6, 3, 4]), cz.Segmentation.from_masses([4, 4, 5]))
    assert found[0].value == cz.metric("B")(*pair)
    assert found[0].answer == "4-4-5"
    assert [each.value for each in found[1:]] == [0, 0]
    assert "no lengths of segments" in found[1].explanation
    assert "14" in found[2].explanation
    assert segmentation("Pk") is not None
    with pytest.raises(CaesuraError, match="no worst score"):
        segmentation("BOR")


def test_mlflow_keeps_the_scores(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mlflow = pytest.importorskip("mlflow")
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    mlflow.set_tracking_uri((here / "mlruns").as_uri())
    run("MLflow")
    (kept,) = mlflow.search_runs(output_format="list")
    assert kept.data.metrics == pytest.approx(scores())
    assert kept.data.tags["caesura.W-F1"].startswith("BoundaryF1|tolerance:1|")


def test_weights_and_biases_keeps_the_scores(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wandb = pytest.importorskip("wandb")
    monkeypatch.setenv("WANDB_SILENT", "true")
    kept: list[dict[str, float]] = []
    log = wandb.Run.log

    def logged(run: Any, data: dict[str, float]) -> None:
        log(run, data)
        kept.append(dict(run.summary))

    monkeypatch.setattr(wandb.Run, "log", logged)
    run("Weights & Biases")
    assert {name: value for name, value in kept[0].items() if name[0] != "_"} == pytest.approx(scores())


def test_lightning_logs_the_scores(here: Path) -> None:
    lightning = pytest.importorskip("lightning")
    import torch

    true, predicted = ([[0, 1, 0, 0], [0, 0, 1, 0]], [[0, 1, 0, 0], [1, 0, 1, 0]])

    class Model(lightning.LightningModule):
        def validation_step(self, batch, index):
            return {"true": torch.tensor([true[index]]), "predicted": torch.tensor([predicted[index]])}

    callback = run("Lightning")["SegmentationScores"]()
    trainer = lightning.Trainer(callbacks=[callback], logger=False, enable_checkpointing=False, accelerator="cpu")
    logged = trainer.validate(Model(), torch.utils.data.DataLoader([0, 1]), verbose=False)[0]
    gaps = [np.array(each, dtype=bool) for each in (true, predicted)]
    assert logged == pytest.approx(cz.compute(references=gaps[0], predictions=gaps[1], metric=["B", "BOR"]))


def test_dvc_reads_the_metrics(here: Path) -> None:
    run("DVC")
    assert json.loads((here / "metrics.json").read_text()) == {"reader": scores()}
    pytest.importorskip("dvc")
    (here / "dvc.yaml").write_text(PAGE.split("```yaml\n")[1].split("```")[0])
    for command in (["init", "--no-scm"], ["metrics", "show", "--json"]):
        done = subprocess.run([sys.executable, "-m", "dvc", *command], capture_output=True, text=True, cwd=here)
        assert done.returncode == 0, done.stderr
    shown = json.loads(done.stdout)[""]["data"]["metrics.json"]["data"]
    assert shown["reader"] == pytest.approx(scores())
