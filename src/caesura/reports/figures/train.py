# SPDX-License-Identifier: Apache-2.0
"""The figure of a training: every quantity over the epochs, one panel each."""

from __future__ import annotations

from caesura.reports.figures._panel import Panel, Spec, axis, concatenated, needed, read_off
from caesura.results import Results

__all__ = ["train_figure"]

_PANELS = (
    ("w_f1", "W-F1", {"domain": [0, 1]}, 1.0),
    ("f1", "F1", {"domain": [0, 1]}, 1.0),
    ("bor", "BOR", {"zero": True}, 1.0),
    ("control", "control: share of gaps cut", {"zero": True}, 0.05),
    ("mean_score", "mean |logit|", {"zero": True}, 0.0),
    ("validation_loss", "validation loss", {"zero": True}, 0.0),
)


def train_figure(results: Results) -> Spec:
    """Return one panel per number, over the epochs of each stage; the epoch that was kept is marked.

    Parameters
    ----------
    results : Results
        The results of `train`.
    """
    training = needed(results.training, results, "epochs", "train")
    names = {stage.stage: f"stage {stage.stage}: {stage.purpose}" for stage in training.stages}
    panels = []
    for field, title, scale, line in _PANELS:
        rows: list[Spec] = []
        marked: list[Spec] = []
        for stage in training.stages:
            for epoch in (*([] if stage.before is None else [stage.before]), *stage.epochs):
                value = getattr(epoch, field)
                if value is None:
                    continue
                row = {
                    "scorer": names[stage.stage],
                    "threshold": epoch.epoch,
                    "epoch": epoch.epoch,
                    field: value,
                }
                row |= {"low": value, "high": value}
                rows.append(row)
                marked += [row] if epoch.epoch == stage.best else []
        panels.append(
            Panel(
                title=title,
                rows=rows,
                marked=marked,
                x=axis("epoch", "epoch", {"zero": False, "nice": False}, tickMinStep=1),
                y=axis(field, title, scale, tickCount=5),
                line={field: line},
                tooltip=read_off(epoch=("epoch", "d"), **{field: (title, ".3f")}),
                clip={},
            )
        )
    subtitle = ["on validation documents, boundaries at probability 0.5; diamond: the epoch that was kept"]
    return concatenated(panels, list(names.values()), "Training, epoch by epoch", subtitle)
