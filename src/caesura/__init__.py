# SPDX-License-Identifier: Apache-2.0
"""Caesura evaluates topic segmentation: against one reference, against many annotators, or with no reference at all.

>>> import caesura as cz
>>> reference, hypothesis = cz.Segmentation.from_masses([6, 3, 4]), cz.Segmentation.from_masses([4, 4, 5])
>>> round(cz.metric("Pk")(reference, hypothesis), 3)
0.545
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from caesura._version import __version__

if TYPE_CHECKING:
    from caesura.batches.pairs import Pairs as Pairs
    from caesura.corpus import Corpus as Corpus
    from caesura.corpus import Document as Document
    from caesura.encoders import encoder as encoder
    from caesura.errors import CaesuraError as CaesuraError
    from caesura.errors import CaesuraWarning as CaesuraWarning
    from caesura.evaluation import Evaluation as Evaluation
    from caesura.evaluation import evaluate as evaluate
    from caesura.evaluation.annotators import Agreement as Agreement
    from caesura.evaluation.annotators import agreement as agreement
    from caesura.evaluation.cohesion import Cohesion as Cohesion
    from caesura.evaluation.cohesion import cohesion as cohesion
    from caesura.evaluation.explain.run import explain as explain
    from caesura.experiments.validity import validate as validate
    from caesura.formats import load as load
    from caesura.formats import save as save
    from caesura.metrics import metric as metric
    from caesura.results import read_results as read_results
    from caesura.segmentation import Segmentation as Segmentation
    from caesura.tuning.sweep import sweep as sweep
    from caesura.units.projection import project as project

_HOMES = {
    "Agreement": "caesura.evaluation.annotators",
    "CaesuraError": "caesura.errors",
    "CaesuraWarning": "caesura.errors",
    "Cohesion": "caesura.evaluation.cohesion",
    "Corpus": "caesura.corpus",
    "Document": "caesura.corpus",
    "Evaluation": "caesura.evaluation",
    "Pairs": "caesura.batches.pairs",
    "Segmentation": "caesura.segmentation",
    "agreement": "caesura.evaluation.annotators",
    "cohesion": "caesura.evaluation.cohesion",
    "encoder": "caesura.encoders",
    "evaluate": "caesura.evaluation",
    "explain": "caesura.evaluation.explain.run",
    "load": "caesura.formats",
    "metric": "caesura.metrics",
    "project": "caesura.units.projection",
    "read_results": "caesura.results",
    "save": "caesura.formats",
    "sweep": "caesura.tuning.sweep",
    "validate": "caesura.experiments.validity",
}

__all__ = [
    "Agreement",
    "CaesuraError",
    "CaesuraWarning",
    "Cohesion",
    "Corpus",
    "Document",
    "Evaluation",
    "Pairs",
    "Segmentation",
    "__version__",
    "agreement",
    "cohesion",
    "encoder",
    "evaluate",
    "explain",
    "load",
    "metric",
    "project",
    "read_results",
    "save",
    "sweep",
    "validate",
]


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used, so that ``import caesura`` stays light."""
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'caesura' has no attribute {name!r}")
    value = getattr(importlib.import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
