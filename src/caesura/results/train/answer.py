# SPDX-License-Identifier: Apache-2.0
"""The answer of a training: the scorer on unseen documents of the training files and of other files."""

from __future__ import annotations

from caesura.results._sentences import beats, number_of
from caesura.results.base import as_float, required
from caesura.results.schema import Results
from caesura.results.train.facts import DatasetFacts
from caesura.table import format_number

__all__ = ["answer"]

_CONTROL = 0.05  # a scorer with a higher share of boundaries in single-segment documents sees false boundaries


def answer(results: Results) -> tuple[str, ...]:
    """Return the epochs and the control, the scores against the rival on each dataset, and what is unknown."""
    facts = required(results.training)
    epochs = number_of(sum(len(stage.epochs) for stage in facts.stages), "epoch")
    last = facts.stages[-1]
    epoch = last.epochs[last.best - 1]
    sentences = [f"Trained for {epochs}."]
    for home in (each for each in facts.datasets if each.role == "home"):
        w_f1, bor = (format_number(home.own["trained"][name]) for name in ("W-F1", "BOR"))
        sentences[0] += f" With its own threshold it scores W-F1 {w_f1} (BOR {bor}) on {_documents(home)}."
    if epoch.control is not None and epoch.control > _CONTROL:
        sentences.append(
            f"It sets boundaries at {epoch.control:.0%} of the gaps of documents with one segment, where none belong."
        )
    sentences += [_dataset(dataset) for dataset in facts.datasets]
    if not any(dataset.role == "abroad" for dataset in facts.datasets):
        sentences.append("How it does on other data is not known; --abroad NAME=FILE scores it there.")
    return tuple(sentences)


def _documents(dataset: DatasetFacts) -> str:
    where = "the same source" if dataset.role == "home" else dataset.name
    return f"{dataset.documents} unseen documents of {where}"


def _dataset(dataset: DatasetFacts) -> str:
    ours, theirs = (dataset.equal[system]["W-F1"] for system in ("trained", dataset.rival))
    said = beats("it", f"untrained {dataset.rival}", dataset.p, first_better=as_float(dataset.difference) > 0)
    return f"On {_documents(dataset)}, at equal density, {said} (W-F1 {format_number(ours)} against {format_number(theirs)})."
