# SPDX-License-Identifier: Apache-2.0
"""Tables of a training: every epoch, and the scorer on its own and on other datasets."""

from __future__ import annotations

import dataclasses

from caesura.results.base import required
from caesura.results.schema import Results
from caesura.results.train.facts import DatasetFacts, StageFacts
from caesura.table import Column, Table, Value, columns_of

__all__ = ["csv_table", "tables"]


def tables(results: Results) -> list[Table]:
    """Return the scores on unseen documents at equal density; the epochs and each system's own density are detail, if there are any."""
    facts = required(results.training)
    epochs = _epochs(facts.stages, facts.control_documents)
    if not facts.datasets:
        return [epochs]
    own = _scores(facts.datasets, "own")
    return [_scores(facts.datasets, "equal"), *(dataclasses.replace(t, detail=True) for t in (epochs, own))]


def csv_table(results: Results) -> Table:
    """Return one row per dataset, density and system; without datasets one per epoch."""
    facts = required(results.training)
    if not facts.datasets:
        names = ("epoch", "loss", "validation_loss", "f1", "w_f1", "bor", "mean_score", "control")
        epochs: list[list[Value]] = [
            [stage.stage, *(getattr(epoch, name) for name in names), "yes" if epoch.epoch == stage.best else "no"]
            for stage in facts.stages
            for epoch in stage.epochs
        ]
        return Table(columns_of("stage", *names, "kept"), epochs)
    rows: list[list[Value]] = [
        [d.name, d.role, d.documents, density, system, *(scores.get(column.title) for column in _SHOWN)]
        for d in facts.datasets
        for density, systems in (("equal", d.equal), ("own", d.own))
        for system, scores in systems.items()
    ]
    return Table([*columns_of("dataset", "role", "documents", "density", "system"), *_SHOWN], rows)


def _epochs(stages: list[StageFacts], controls: int) -> Table:
    files = list(dict.fromkeys(f for s in stages for e in s.epochs for f in e.by_file or {}))
    rows: list[list[Value]] = []
    for stage in stages:
        for epoch in (*([] if stage.before is None else [stage.before]), *stage.epochs):
            mark = "*" if epoch.epoch == stage.best else ""
            row: list[Value] = [
                f"{stage.stage}.{epoch.epoch}{mark}", epoch.f1, epoch.w_f1, epoch.bor, epoch.mean_score, epoch.control,
                epoch.validation_loss,
            ]  # fmt: skip
            for file in files:
                own = (epoch.by_file or {}).get(file)
                row += [None, None] if own is None else [own.f1, own.bor]
            rows.append(row)
    columns = [
        Column("epoch"), Column("F1", "higher"), Column("W-F1", "higher"), Column("BOR", "target", 1.0),
        *columns_of("mean |logit|"), Column("control", "lower"), Column("loss", "lower"),
    ]  # fmt: skip
    columns += [
        column for file in files for column in (Column(f"{file} F1", "higher"), Column(f"{file} BOR", "target", 1.0))
    ]
    notes = [
        "on validation documents, boundaries where the probability is at least one half; *: the epoch that was kept",
        f"control: share of gaps that become boundaries in {controls} documents of one segment",
    ]
    notes += [
        f"stage {stage.stage}: {stage.purpose}, {stage.documents} documents, {stage.boundaries} boundaries in {stage.gaps} gaps"
        + ("; stopped early" if stage.stopped else "")
        for stage in stages
    ]
    # Stages are judged on different documents, so no number is the best of its column.
    return Table(columns, rows, notes=notes, title="Epochs", marked=frozenset())


def _scores(datasets: list[DatasetFacts], which: str) -> Table:
    # At equal density BOR is 1 for all of them.
    shown = [column for column in _SHOWN if which == "own" or column.title != "BOR"]
    columns = [Column("dataset"), Column("system"), *shown]
    rows: list[list[Value]] = []
    for dataset in datasets:
        systems = dataset.equal if which == "equal" else dataset.own
        some: list[list[Value]] = [
            ["", system, *(scores.get(column.title) for column in shown)] for system, scores in systems.items()
        ]
        some[0][0] = f"{dataset.name} ({dataset.role})"
        rows += some
    notes = [
        "skill: W-F1 relative to chance at the same density; clock: boundaries at equal distances; chance: mean of random draws"
    ]
    if which == "equal":
        notes.append("every system has as many boundaries in each document as the reference, by its scores")
    # The answer says what was tested; the best of some numbers is no finding.
    return Table(columns, rows, notes=notes, title=f"Unseen documents, {which} density", marked=frozenset())


_SHOWN = (
    Column("W-F1", "higher"), *columns_of("skill"), Column("Pk", "lower"), Column("BOR", "target", 1.0),
    Column("Purity", "higher"), Column("Coverage", "higher"),
)  # fmt: skip
