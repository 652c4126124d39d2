# SPDX-License-Identifier: Apache-2.0
"""The command that repeats a measurement, as far as the results record it."""

from __future__ import annotations

import re
import shlex

from caesura.files import system_name
from caesura.results import Input, Results
from caesura.results.check.facts import CheckFacts
from caesura.results.spans.facts import SpanFacts
from caesura.results.tune.facts import TuningFacts

__all__ = ["command_of"]

_SAME = {"gate": "evaluate"}  # a gate checks the scores of an evaluation
_INSIDE_DOUBLE_QUOTES = set('"$`\\!')


def command_of(results: Results) -> str:
    """Return the command line, to be run in the folder of the results file; empty if it is not recorded.

    It is not exact if an option that affects the scores is not stored, such as new names of annotators, which may be there
    to hide the old ones; the signatures of the scores are exact.
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
        named = entry.role == "system" and entry.name != system_name(str(entry.file))
        words.append(f"{entry.name}={_file(entry)}" if named else _file(entry))
    if results.spans is not None and results.spans.structure:
        words.insert(3, "structure")
    asked = results.metrics if results.agreement is None else results.agreement.coefficients
    for name in asked if results.spans is None and results.check is None else ():
        words += ["-m", name]
    return _joined([*words, *_options(results), *_agree(results)])


def _agree(results: Results) -> list[str]:
    """Return what an agreement was asked beyond its file; names that are hidden are not told."""
    facts = results.agreement
    if facts is None:
        return []
    words = ["--before", facts.since.file] if facts.since is not None and facts.since.file else []
    if facts.anonymous:
        return [*words, "--anonymous"]
    return words + [word for again, name in facts.second.items() for word in ("--repeat", f"{again}={name}")]


def _file(entry: Input) -> str:
    """Return a file with its format if that has options, without which it would be read in another way."""
    return f"{entry.file}::{entry.format}" if "(" in (entry.format or "") else str(entry.file)


def _options(results: Results) -> list[str]:
    facts = results.agreement
    told = facts.second if facts is not None and not facts.anonymous else {}
    words = [
        word
        for entry in results.inputs
        for change in entry.changes or ()
        for name in change.exclude
        if name not in told and not (facts is not None and facts.anonymous)
        for word in ("--exclude", name)
    ]
    if results.against not in ("boundaries", "nothing", "annotators", "spans") or (
        results.against == "annotators" and results.systems
    ):
        words += ["--against", results.against]
    if results.profile != "caesura":
        words += ["--profile", results.profile]
    if results.spans is not None:
        return words + _spans(results, results.spans)
    if results.check is not None:
        asked = [word for name in results.check.asked for word in ("--for", name)]
        return words + asked + _tokens(results.check)
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


def _spans(results: Results, facts: SpanFacts) -> list[str]:
    words = [] if facts.clocks else ["--no-clock"]
    if facts.retrieval is not None:
        words += ["--retrieve", "bm25" if facts.retrieval.by.startswith("bm25(") else facts.retrieval.by]
        for name in ("budget", "k"):
            found = next(
                (match[1] for metric in results.metrics if (match := re.search(rf"\b{name}=(-?\d+)", metric))), None
            )
            words += [f"--{name}", found] if found else []
    return words + _tokens(facts) + (["--seed", str(results.seed)] if results.seed else [])


def _tokens(facts: SpanFacts | CheckFacts) -> list[str]:
    words = ["--tokenizer", facts.measured_in] if facts.measured_in not in ("words", "units") else []
    return words + (["--max-tokens", str(facts.max_tokens)] if facts.max_tokens is not None else [])


def _tune(results: Results, facts: TuningFacts) -> str:
    """Return the command that tries the same settings; empty if older results do not record them."""
    files = {entry.role: _file(entry) for entry in results.inputs}
    if not facts.method or "documents" not in files or any(entry.file is None for entry in results.inputs):
        return ""
    words = ["caesura", "tune", files["documents"], facts.method]
    for name, values in facts.tries.items():
        words += ["--try", f"{name}={','.join(values)}"]
    words += ["-m", facts.metric]
    if "held out" in files:
        words += ["--held-out", files["held out"]]
    if len(facts.tried) < facts.possible:
        words += ["--random", str(len(facts.tried))]
    words += ["--folds", str(facts.folds)]
    return _joined([*words, *(["--seed", str(results.seed)] if results.seed else [])])


def _bench(results: Results) -> str:
    """Return the command that also creates the systems."""
    documents = next((entry for entry in results.inputs if entry.role not in ("system", "baseline", "spans")), None)
    if documents is None or documents.file is None:
        return ""
    words = ["caesura", "bench", _file(documents)]
    for name, cost in (results.costs or {}).items():
        words += ["--method", cost.method or f"{name}=METHOD"]
    spans = next((entry.file for entry in results.inputs if entry.role == "spans"), None)
    if results.spans is not None:
        if not results.spans.placement:  # which a bench measures that chooses the structure by itself
            words += ["--spans", spans or ("structure" if results.spans.structure else "SPANS")]
        words += [word for word in _spans(results, results.spans) if word != "--no-clock"]
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
        f'"{word}"' if "'" in word and not _INSIDE_DOUBLE_QUOTES & set(word) else shlex.quote(word) for word in words
    )
