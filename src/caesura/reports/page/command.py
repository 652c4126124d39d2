# SPDX-License-Identifier: Apache-2.0
"""The command that repeats a measurement, as far as the results record it."""

from __future__ import annotations

import shlex

from caesura.results import Results
from caesura.results.tuning import TuningFacts

__all__ = ["command_of"]

_SAME = {"gate": "evaluate"}  # a gate checks the scores of an evaluation
_INSIDE_DOUBLE_QUOTES = set('"$`\\!')


def command_of(results: Results) -> str:
    """Return the command line, to be run in the folder of the files; empty if it is not recorded.

    It is not exact if a file was read with special options, or if an option that affects the scores is not stored; the
    signatures of the scores are exact.
    """
    if results.reproduction is not None:
        return _joined(["caesura", "reproduce", results.reproduction.paper])
    if results.tuning is not None:
        return _tune(results, results.tuning)
    if results.costs:
        return _bench(results)
    files = [entry for entry in results.inputs if entry.role != "baseline"]
    if not files or any(entry.file is None for entry in files):
        return ""
    question = _SAME.get(results.question, results.question)
    words = ["caesura", question]
    for entry in files:
        named = entry.role == "system" and entry.name != str(entry.file).partition(".")[0]
        words.append(f"{entry.name}={entry.file}" if named else str(entry.file))
    asked = results.metrics if results.agreement is None else results.agreement.coefficients
    for name in asked if results.spans is None else ():
        words += ["-m", name]
    return _joined([*words, *_options(results)])


def _options(results: Results) -> list[str]:
    """Return the options that the results record."""
    words: list[str] = []
    if results.against not in ("boundaries", "nothing", "annotators", "spans") or (
        results.against == "annotators" and results.systems
    ):
        words += ["--against", results.against]
    if results.profile != "caesura":
        words += ["--profile", results.profile]
    baselines = [entry.name.removesuffix(" (oracle)") for entry in results.inputs if entry.role == "baseline"]
    if baselines:
        words += ["--baselines", ",".join(baselines)]
    if results.sweep is not None and results.sweep.without_reference is not None:
        words.append("--no-reference")
    scores = [score for row in results.systems.values() for score in row.values()]
    if results.question == "evaluate":
        words += ["--ci"] if any(score.interval is not None for score in scores) else []
        words += ["--skill"] if any(score.skill is not None for score in scores) else []
    if results.seed:
        words += ["--seed", str(results.seed)]
    return words


def _tune(results: Results, facts: TuningFacts) -> str:
    """Return the command that tries the same settings; empty if older results do not record them."""
    files = {entry.role: entry.file for entry in results.inputs}
    if not facts.method or any(file is None for file in files.values()):
        return ""
    words = ["caesura", "tune", str(files["documents"]), facts.method]
    for name, values in facts.tries.items():
        words += ["--try", f"{name}={','.join(values)}"]
    words += ["-m", facts.metric]
    if "held out" in files:
        words += ["--held-out", str(files["held out"])]
    if len(facts.tried) < facts.possible:
        words += ["--random", str(len(facts.tried))]
    words += ["--folds", str(facts.folds)]
    return _joined([*words, *(["--seed", str(results.seed)] if results.seed else [])])


def _bench(results: Results) -> str:
    """Return the command that also creates the systems."""
    documents = next(
        (entry.file for entry in results.inputs if entry.role not in ("system", "baseline", "spans")), None
    )
    if documents is None:
        return ""
    words = ["caesura", "bench", documents]
    for cost in (results.costs or {}).values():
        words += ["--method", cost.method]
    spans = next((entry.file for entry in results.inputs if entry.role == "spans"), None)
    if results.spans is not None:
        words += ["--spans", spans or "SPANS"]
    elif results.cohesion is None:
        words.append("--gold")
    for name in results.metrics if results.spans is None else ():
        words += ["-m", name]
    return _joined(words)


def _joined(words: list[str]) -> str:
    """Return words quoted for a shell, with double quotes if a word has single quotes.

    >>> print(_joined(["caesura", "-m", "BoundaryF1(tolerance='10s')", "a b"]))
    caesura -m "BoundaryF1(tolerance='10s')" 'a b'
    """
    return " ".join(
        f'"{word}"' if "'" in word and not _INSIDE_DOUBLE_QUOTES & set(word) else shlex.quote(word)
        for word in words
    )
