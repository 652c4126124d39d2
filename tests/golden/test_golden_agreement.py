"""Agreement of annotators against statsmodels 0.15.0, NLTK 3.10.4 and segeval 2.0.11."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from caesura.batches.panel import Panel
from caesura.evaluation.agree.pairwise import pairwise
from caesura.metrics import metric
from caesura.metrics.agreement._tables import pooled_window
from caesura.segmentation import Segmentation
from tests.golden.cells import Cell, cases, compare

ONE_MIND = ("all-silent", "all-full")
DISAGREEMENTS = {
    # All of one mind in one category: chance explains everything. NLTK prints 1, statsmodels nan as we do.
    **{f"{case} {name}": math.nan for case in ONE_MIND for name in ("MultiKappa", "KrippendorffAlpha")},
    # NLTK's pi is the same coefficient as statsmodels' kappa, and prints 1 as well.
    **{f"{case} MultiPi": math.nan for case in ONE_MIND},
    # segeval crashes on all of it: no boundary anywhere, or nothing left for chance.
    **{f"{case} {name}": math.nan for case in ONE_MIND for name in ("pi B", "kappa B", "pi S", "kappa S")},
    "all-silent observed B": math.nan,
    "all-silent observed S": math.nan,
    **{f"{case} bias B": 0.0 for case in ONE_MIND},
    # No boundary on either side: B and S of a pair are 1 by decision, segeval raises ValueError.
    **{f"all-silent {name} mean": 1.0 for name in "BS"},
    **{f"all-silent {name} sd": 0.0 for name in "BS"},
    # The same crash, since four of five annotators are silent. By hand, of 15 gaps one is marked once: of ten pairs six
    # are silent (B = S = 1, and nothing to count), four have one addition.
    "rand-24 observed B": 0.0,
    "rand-24 pi B": (0 - 1 / 75**2) / (1 - 1 / 75**2),
    "rand-24 kappa B": 0.0,
    "rand-24 bias B": 1 / 75**2,
    "rand-24 observed S": 146 / 150,
    "rand-24 pi S": (146 / 150 - 1 / 75**2) / (1 - 1 / 75**2),
    "rand-24 kappa S": 146 / 150,
    "rand-24 B mean": 0.6,
    "rand-24 B sd": math.sqrt(0.24),
    "rand-24 S mean": 146 / 150,
    "rand-24 S sd": math.sqrt(0.24) / 15,
}


def annotators(case: Mapping[str, Any]) -> dict[str, Segmentation]:
    return {name: Segmentation.from_masses(masses) for name, masses in case["input"]["annotations"].items()}


def cells() -> Iterator[Cell]:
    for case in cases("agreement"):
        people, key, printed = annotators(case), case["id"], case["expected"]
        fleiss = metric("FleissKappa").parts(people)
        yield Cell(f"{key} FleissKappa", fleiss["score"], printed["fleiss_kappa_statsmodels"])
        yield Cell(f"{key} MultiPi", metric("MultiPi")(people), printed["scott_multi_pi_nltk"])
        yield Cell(f"{key} observed", fleiss["observed"], printed["avg_observed_agreement_nltk"])
        for name, theirs in (("MultiKappa", "davies_fleiss_multi_kappa_nltk"), ("KrippendorffAlpha", "alpha_nltk")):
            yield Cell(f"{key} {name}", metric(name)(people), printed[theirs])
        segeval = printed["segeval"]
        for letter in "BS":
            pi, kappa = metric(f"Agreement{letter}"), metric(f"Agreement{letter}(kappa=True)")
            observed = segeval[f"actual_agreement_{letter}"]
            yield Cell(f"{key} observed {letter}", pi.parts(people)["observed"], observed)
            yield Cell(f"{key} pi {letter}", pi(people), segeval[f"fleiss_pi_{letter}"])
            yield Cell(f"{key} kappa {letter}", kappa(people), segeval[f"fleiss_kappa_{letter}"])
        yield Cell(f"{key} bias B", metric("AgreementB").bias(people), segeval["bias_B"])
        panel = Panel.of(people)
        yield Cell(f"{key} window", float(pooled_window(panel)[0]), segeval["window_size_pooled"])
        for name, theirs in (
            ("Pk", "pk_mean_own_k"),
            ("WindowDiff", "windowdiff_mean_own_k"),
            ("B", "B_mean"),
            ("S", "S_mean"),
        ):
            ours, shown = (pairwise(panel, [(name, "reference")])[name, "reference"], segeval[f"pairwise_{theirs}"])
            mean, sd = (shown, shown) if isinstance(shown, dict) else shown
            yield Cell(f"{key} {name} mean", float(ours.per_document[0]), mean)
            yield Cell(f"{key} {name} sd", float(ours.sd_per_document[0]), sd)


def test_agreement() -> None:
    compare(cells(), DISAGREEMENTS, count=34 * (5 + 6 + 1 + 1 + 8))
