# SPDX-License-Identifier: Apache-2.0
"""The page on training, from its numbers and its template."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterable, Sequence
from pathlib import Path

from caesura.results.train.facts import StageFacts
from studies.training.curves import BORS
from studies.training.curves import DATASETS as CURVES
from studies.training.study import (
    CROSS,
    CROSS_HOME,
    DATASETS,
    HEADS,
    SHOWN,
    TORCH,
    WITHIN,
    Numbers,
    Run,
    chosen_head,
    mean_w_f1,
)

_PRINTED = (("1.1", 0.265, 0.420, 0.31, 0.000), ("1.2", 0.453, 0.688, 0.67, 0.032), ("1.3", 0.489, 0.733, 0.87, None),
            ("2.1", 0.778, 0.833, 1.11, None), ("2.2", 0.819, 0.850, 1.23, None), ("2.3", 0.840, 0.865, 1.13, None),
            ("2.4", 0.848, 0.875, 1.08, None), ("2.5", 0.843, 0.872, 1.04, None))  # fmt: skip
"""Tables 7 and 8: epoch, F1, W-F1, BOR, control."""
_CROSS_ENCODER = "cross-encoder"
_PAIRS = int(TORCH[_CROSS_ENCODER].partition("pairs=")[2].rstrip(")"))


def page(found: Numbers) -> str:
    """Return the page."""
    text = Path(__file__).with_name("page.md").read_text(encoding="utf-8")
    for mark, part in (
        ("streams", _streams(found)),
        ("intro", _intro(found)),
        ("transfer", _transfer(found)),
        ("transfer notes", _notes(found)),
        ("own", _own(found)),
        ("edges", _edges(found)),
        ("paper", _paper(found)),
        ("curves", _curves(found)),
        ("cross", _cross(found)),
        ("shipped", _shipped(found)),
    ):
        text = text.replace(f"<!-- {mark} -->", _wrapped(part))
    if beats(found):
        text = text.replace("## Why no trained scorer is shipped", "## The shipped scorer")
    return "<!-- Written by `python -m studies.training.study page`; edit the template and the script. -->\n" + text


def _wrapped(part: str) -> str:
    """Return paragraphs and list items in lines that can be read; a table stays as it is."""
    lines = []
    for line in part.split("\n"):
        if line.startswith("|") or not line:
            lines.append(line)
            continue
        indent = "  " if line.startswith("- ") else ""
        lines += textwrap.wrap(line, 130, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)
    return "\n".join(lines)


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = ["| " + " | ".join(heads) + " |", "|" + " --- |" * len(heads)]
    return "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in rows)])


def _n(value: float | None, digits: int = 3) -> str:
    if value is None:
        return "-"
    value = round(value, digits) + 0.0  # no -.00
    return f"{value:.{digits}f}".replace("0.", ".", 1) if abs(value) < 1 else f"{value:.{digits}f}"


def _runs(found: Numbers, how: str, head: str | None = None) -> list[Run]:
    return [run for run in found.runs.values() if run.how == how and head in (None, run.head)]


def _intro(found: Numbers) -> str:
    sizes = ", ".join(f"{name} {train} and {test}" for name, (train, test) in found.documents.items())
    return (
        "Each dataset was cut into documents to train on and documents to score: "
        f"{sizes}. TIAGE is scored on its own test split. {found.dropped} documents of DialSeg711, which was made of MultiWOZ "
        "dialogues among others, share a long utterance with MultiWOZ and are left out. *Within*: trained on the same dataset. *Across*: "
        "trained on all datasets but the one that is scored. In each cell W-F1 at equal density, and in brackets its skill, "
        f"which is 0 for chance; - was not measured. Within QMSum, {WITHIN['QMSum']} meetings are trained on. The included encoder, "
        "default settings but for 200 splices, one seed."
    )


def _compared(found: Numbers) -> list[str]:
    """Return the scorers of the table: the light ones, and what torch has trained within datasets."""
    return [*SHOWN, *(label for label in TORCH if _runs(found, "within", label))]


def _transfer(found: Numbers) -> str:
    every = {(run.head, run.how, run.dataset): run.facts.equal for run in found.runs.values()}
    rows = []
    for label in _compared(found):
        for how, word in (("within", "within"), ("leave one out", "across")):
            systems = [every.get((label, how, name), {}).get("trained") for name in DATASETS]
            rows.append([f"{label}, {word}", *_cells(systems)])
    for system in ("VectorTiling", "clock", "chance"):
        measured = [
            next((each.get(system) for (_, _, dataset), each in every.items() if dataset == name), None)
            for name in DATASETS
        ]
        rows.append([system, *_cells(measured)])
    return _table(["scorer", *DATASETS, "mean"], rows)


def _cells(scores: Sequence[dict[str, float | None] | None]) -> list[str]:
    cells = ["-" if each is None else f"{_n(each['W-F1'])} ({_n(each['skill'], 2)})" for each in scores]
    known = [each["W-F1"] or 0.0 for each in scores if each is not None]
    return [*cells, _n(sum(known) / len(known)) if len(known) == len(scores) else "-"]


def _notes(found: Numbers) -> str:
    lines = []
    for label in _compared(found):
        for how, word in (("within", "within"), ("leave one out", "across")):
            runs = _runs(found, how, label)
            if not runs:
                continue
            better = [run for run in runs if (run.facts.difference or 0) > 0 and (run.facts.p or 1) < 0.05 / len(runs)]
            worse = [run for run in runs if (run.facts.difference or 0) < 0 and (run.facts.p or 1) < 0.05 / len(runs)]
            lines.append(
                f"- `{(HEADS | TORCH)[label]}`, {word}: better than VectorTiling on {_named(better)}, worse on {_named(worse)}, not shown to "
                f"differ on the other {len(runs) - len(better) - len(worse)} of {len(runs)} datasets (paired permutation test of W-F1, "
                "p below 0.05 after Bonferroni's correction)."
            )
    lines.append(
        "- MultiWOZ and DialSeg711 are kin: scored across, each is among the training documents of the other, without the "
        "documents that they share."
    )
    ahead = [
        run
        for run in _runs(found, "leave one out", SHOWN[1])
        if (run.facts.equal["clock"]["W-F1"] or 0)
        > max(run.facts.equal[name]["W-F1"] or 0 for name in ("trained", "VectorTiling"))
    ]
    if ahead:
        lines.append(
            f"- A clock, which knows the number of boundaries and no text, scores above both across on {_named(ahead)}: there "
            "W-F1 says more about the lengths of segments than about topics."
        )
    return "\n".join(lines)


def _named(runs: Sequence[Run]) -> str:
    return ", ".join(run.dataset for run in runs) or "none"


def _own(found: Numbers) -> str:
    rows = []
    for run in _runs(found, "leave one out", SHOWN[1]):
        home = next((each for each in _runs(found, "within", SHOWN[1]) if each.dataset == run.dataset), None)
        for what, scores in (
            ("within", None if home is None else home.facts.own["trained"]), ("across", run.facts.own["trained"]),
            ("VectorTiling", run.facts.own["VectorTiling"]), ("clock", run.facts.own["clock"]),
        ):  # fmt: skip
            if scores is None:
                continue
            name = run.dataset if what == ("across" if home is None else "within") else ""
            cells = [_n(scores[key]) for key in ("W-F1", "skill")]
            cells += [_n(scores["BOR"], 2), *(_n(scores[key]) for key in ("Purity", "Coverage"))]
            rows.append([name, what, *cells])
    heads = ["dataset", "scorer", "W-F1", "skill", "BOR", "purity", "coverage"]
    lead = "A threshold does not transfer: it was chosen for the density of the documents that it was trained on. Head: `WindowHead`.\n\n"
    return lead + _table(heads, rows)


def _edges(found: Numbers) -> str:
    rows, leads = [], []
    for run in _runs(found, "without edges"):
        home = next(each for each in _runs(found, "within", run.head) if each.dataset == run.dataset)
        cells = [
            each.facts.equal[system]["W-F1"] or 0.0 for system in ("trained", "VectorTiling") for each in (home, run)
        ]
        rows.append([run.dataset, run.head, *map(_n, cells)])
        leads.append(f"from {_n(cells[0] - cells[2])} to {_n(cells[1] - cells[3])} ({run.dataset}, {run.head})")
    heads = ["dataset", "scorer", "as it is", "without edges", "VectorTiling as it is", "without edges"]
    lead = (
        "How segments open and close (requests, thanks, goodbyes) can be learnt, and says little about topics. Below, the first and the "
        "last unit of every segment of four units or more are removed, from the documents that are trained on and from those that are "
        "scored (W-F1 at equal density, within).\n\n"
    )
    tail = f"\n\nWithout them the lead over untrained TextTiling goes {', '.join(leads)}."
    return lead + _table(heads, rows) + tail


def _paper(found: Numbers) -> str:
    (run,) = _runs(found, "as in the paper")
    lead = (
        "Epochs of a run in the manner of Tables 7 and 8: splices, then gold boundaries of TIAGE and SuperDialseg; ours / printed. "
        "Epoch 2.0 is the scorer of the splices on gold documents.\n\n"
    )
    last = run.stages[-1]
    before = None if last.before is None else last.before.bor
    first = run.stages[0]
    after = first.epochs[first.best - 1].control
    tail = (
        f"\n\n- After the splices the control is {_n(after)}; in the second stage BOR goes from {_n(before, 2)} to {_n(last.epochs[-1].bor, 2)}.\n"
        "- Where this departs from the paper's Table 1: the training and validation splits of SuperDialseg are not at hand, so documents "
        f"of its test split are trained on ({found.documents['SuperDialseg'][0]}), held apart from those that are scored; the temperature is "
        "fitted on validation documents of both; splices are pieces of these dialogues; the scorer is a logistic regression on "
        "vectors of the included encoder, not DistilBERT on text. Shapes can be compared, values cannot."
    )
    return lead + _epochs(run.stages) + tail


def _curves(found: Numbers) -> str:
    """Return W-F1 at each density, and what changes more: the density or the scorer."""
    lead = (
        "Figure 1 of the paper shows W-F1 over BOR while a threshold falls. Ours is the scorer of the run above, on the documents that are scored; "
        "theirs is the released curve of their scorer, on user turns with at least one turn between two boundaries, so it ends sooner; "
        "- was not reached, or not within 5 % of this BOR. As in the paper, the density changes W-F1 more than the scorer does.\n\n"
    )
    rows, said = [], []
    for name in CURVES:
        own = {curve.system: curve.w_f1 for curve in found.curves if curve.dataset == name}
        for system, w_f1 in own.items():
            shown = {"trained": "ours", "the paper's": "theirs"}.get(system, system)
            rows.append([name if system == "trained" else "", shown, *map(_n, w_f1)])
        ours, other = own["trained"], own["VectorTiling"]
        known = [score for score in ours if score is not None]
        apart = [abs(a - b) for a, b in zip(ours, other, strict=True) if a is not None and b is not None]
        best, theirs = (
            BORS[max(range(len(BORS)), key=lambda place: curve[place] or 0)] for curve in (ours, own["the paper's"])
        )
        said.append(
            f"- {name}: of these, our curve is highest at a BOR of {best:g}, theirs at {theirs:g}. Along ours W-F1 changes by "
            f"{_n(max(known) - min(known))}, and at one BOR it differs from VectorTiling by at most {_n(max(apart))}."
        )
    return lead + _table(["dataset", "W-F1 at BOR", *(f"{bor:g}" for bor in BORS)], rows) + "\n\n" + "\n".join(said)


def _epochs(stages: Sequence[StageFacts]) -> str:
    """Return the epochs of a run beside those of Tables 7 and 8."""
    printed = {name: rest for name, *rest in _PRINTED}
    rows = []
    for stage in stages:
        for epoch in (*([] if stage.before is None else [stage.before]), *stage.epochs):
            name = f"{stage.stage}.{epoch.epoch}"
            theirs = printed.get(name, [None] * 4)
            ours = [epoch.f1, epoch.w_f1, epoch.bor, epoch.control]
            rows.append([name, *(f"{_n(a)} / {_n(b)}" for a, b in zip(ours, theirs, strict=True))])
    return _table(["epoch", "F1", "W-F1", "BOR", "control"], rows)


def _cross(found: Numbers) -> str:
    """Return the epochs of the cross-encoder, and its scores beside those of the light scorer on the same documents."""
    first_run, *_ = runs = _runs(found, CROSS, _CROSS_ENCODER)
    light = {run.dataset: run.facts.equal["trained"]["W-F1"] for run in _runs(found, CROSS, SHOWN[1])}
    one, two = first_run.stages
    pairs = sum(min(stage.gaps, _PAIRS) * len(stage.epochs) for stage in (one, two))
    share = one.boundaries / one.gaps
    base = -share * math.log(share) - (1 - share) * math.log(1 - share)
    lead = (
        f"The same stages for `{TORCH[_CROSS_ENCODER].replace('{minilm}', 'minilm')}`, trained by [torch](torch.md) on text: "
        "all-MiniLM-L6-v2, not DistilBERT. It had all 300 training dialogues of TIAGE and 60 of SuperDialseg, of which 15 % were held out, "
        f"for one epoch of {min(one.gaps, _PAIRS):,} gaps of splices and {len(two.epochs)} of {min(two.gaps, _PAIRS):,} gold gaps: {pairs:,} pairs of "
        "at most 96 tokens, less than half an hour of one processor, far less than in the paper. Ours / printed.\n\n"
    )
    assert two.before is not None
    tail = (
        f"\n\nAfter the splices the validation loss is {_n(one.epochs[-1].validation_loss)}; to know only how frequent a boundary is would "
        f"give {_n(base)} on the splices that were trained on. On gold documents it goes from {_n(two.before.validation_loss)} to "
        f"{_n(two.epochs[-1].validation_loss)}. W-F1 at equal density on test documents, beside `WindowHead` on the same documents and epochs; "
        "nothing of the datasets abroad was trained on:\n\n"
    )
    rows = [
        [run.dataset + ("" if run.dataset in CROSS_HOME else " (abroad)"), _n(run.facts.equal["trained"]["W-F1"]), _n(light[run.dataset]),
         *(_n(run.facts.equal[system]["W-F1"]) for system in ("VectorTiling", "clock", "chance")), _n(run.facts.p)]
        for run in runs
    ]  # fmt: skip
    heads = ["dataset", "cross-encoder", "WindowHead", "VectorTiling", "clock", "chance", "p"]
    better = [run for run in runs if (run.facts.p or 1) < 0.05 and (run.facts.difference or 0) > 0]
    shown = f"It is shown to be better on {_named(better)} only." if better else "It is shown to be better on none."
    abroad = [run.facts.equal for run in runs if run.dataset not in CROSS_HOME]
    means = [
        sum(each[system]["W-F1"] or 0.0 for each in abroad) / len(abroad)
        for system in ("trained", "VectorTiling", "clock")
    ]
    shown += (
        f" On the mean of the {len(abroad)} datasets abroad it has a W-F1 of {_n(means[0])}, VectorTiling {_n(means[1])} and a clock {_n(means[2])}. "
        f"VectorTiling has the vectors of the included encoder. The weights of the cross-encoder take {first_run.size / 1e6:.0f} MB, and it "
        "was trained on SuperDialseg too, so it cannot be shipped; `python -m studies.training.study torch cross-encoder` trains it."
    )
    note = f"\n\np is that of the difference between the cross-encoder and VectorTiling (paired permutation test, Holm's correction). {shown}"
    return lead + _epochs(first_run.stages) + tail + _table(heads, rows) + note


def _streams(found: Numbers) -> str:
    rows = [
        [each.dataset, each.scores, _n(each.w_f1), _n(each.static_w_f1), _n(each.static_w_f1 - each.w_f1), f"{each.delay:.1f}",
         _n(each.rate)]
        for each in found.streams.values()
    ]  # fmt: skip
    lead = (
        "The scorer of [the run below](#beside-the-paper), with the rate of the reference as target. *Best gaps* are the best of the whole "
        "document, as many as the stream committed, by the same scores; regret is what the stream loses against them; delay is in units "
        "after the gap, those that the window waits for included.\n\n"
    )
    return lead + _table(["dataset", "windows", "W-F1, stream", "best gaps", "regret", "delay", "rate"], rows)


def beats(found: Numbers) -> bool:
    """Say whether the candidate beats untrained TextTiling on the mean of the held-out datasets."""
    best = chosen_head(found)
    return mean_w_f1(found, best, "candidate") > mean_w_f1(found, best, "candidate", "VectorTiling")


def _shipped(found: Numbers) -> str:
    rows = []
    for label in HEADS:
        runs = {run.dataset: run.facts.equal["trained"]["W-F1"] for run in _runs(found, "development", label)}
        rows.append(
            [f"`{HEADS[label]}`", *(_n(score) for score in runs.values()), _n(mean_w_f1(found, label, "development"))]
        )
    names = [run.dataset for run in _runs(found, "development", SHOWN[0])]
    tiling = [run.facts.equal["VectorTiling"]["W-F1"] for run in _runs(found, "development", SHOWN[0])]
    rows.append(["`VectorTiling`", *map(_n, tiling), _n(mean_w_f1(found, SHOWN[0], "development", "VectorTiling"))])
    best = chosen_head(found)
    held = _runs(found, "candidate", best)
    ours, theirs = (mean_w_f1(found, best, "candidate", system) for system in ("trained", "VectorTiling"))
    final = [
        [run.dataset, *(_n(run.facts.equal[system]["W-F1"]) for system in ("trained", "VectorTiling", "clock", "chance")),
         *(_n(run.facts.equal[system]["Pk"]) for system in ("trained", "VectorTiling"))]
        for run in held
    ]  # fmt: skip
    verdict = (
        "It beats untrained TextTiling there, so it deserves to be shipped."
        if beats(found)
        else "It does not beat untrained TextTiling there, so no scorer is shipped: `--method VectorTiling` needs no training, and "
        "`caesura train` makes one for your documents."
    )
    return (
        "A scorer would be shipped only if it took at most 2 MB and beat untrained TextTiling on vectors on the mean of datasets that had no part in making it, at "
        "equal density. It may be trained on TIAGE (MIT), MultiWOZ (MIT), Topical-Chat (CDLA) and Taskmaster (CC BY) only. Every variant that was "
        "looked at, trained on three of them and scored on the fourth (W-F1 at equal density):\n\n"
        + _table(["head", *names, "mean"], rows)
        + "\n\nBefore these, a throw-away program tried other parts, penalties and hidden layers on the same four datasets: differences and "
        "products alone had a mean of .30 to .32, with similarities .37 to .42, similarities alone .41 to .44, the means beside "
        "differences and products .40, and all four parts .47, which became the default."
        + f"\n\nThe best of them, `{HEADS[best]}` ({held[0].size / 1024:.0f} kB), was then trained on all four, and scored once on the datasets "
        "held out:\n\n"
        + _table(["dataset", "trained", "VectorTiling", "clock", "chance", "Pk, trained", "Pk, VectorTiling"], final)
        + f"\n\nOn the mean it has a W-F1 of {_n(ours)}, and VectorTiling {_n(theirs)}. {verdict} DialSeg711 was made of dialogues of "
        "MultiWOZ's kind, so of the four it is the nearest to what was trained on."
    )
