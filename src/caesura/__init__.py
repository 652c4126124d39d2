# SPDX-License-Identifier: Apache-2.0
"""Caesura evaluates topic segmentation: against one reference, against many annotators, or with no reference at all.

>>> import caesura as cz
>>> reference, hypothesis = cz.Segmentation.from_masses([6, 3, 4]), cz.Segmentation.from_masses([4, 4, 5])
>>> round(cz.metric("Pk")(reference, hypothesis), 3)
0.545
"""

from __future__ import annotations

from caesura._version import __version__ as __version__

# Nothing is imported here, not even typing: the command line answers Ctrl-C as soon as this file has been read.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from caesura.corpus import Corpus as Corpus
    from caesura.corpus import Document as Document
    from caesura.datasets import dataset as dataset
    from caesura.datasets.bundled import bundled as bundled
    from caesura.encoders import encoder as encoder
    from caesura.errors import CaesuraError as CaesuraError
    from caesura.errors import CaesuraWarning as CaesuraWarning
    from caesura.evaluation.agree import agreement as agreement
    from caesura.evaluation.check import check as check
    from caesura.evaluation.cohesion import cohesion as cohesion
    from caesura.evaluation.compare.run import compare as compare
    from caesura.evaluation.correlate.run import correlate as correlate
    from caesura.evaluation.degrade import degrade as degrade
    from caesura.evaluation.evaluate import evaluate as evaluate
    from caesura.evaluation.explain.run import explain as explain
    from caesura.evaluation.gate.run import gate as gate
    from caesura.evaluation.intervals import intervals as intervals
    from caesura.evaluation.spans import spans as spans
    from caesura.evaluation.validate.run import validate as validate
    from caesura.formats import load as load
    from caesura.formats import save as save
    from caesura.integrations.compute import compute as compute
    from caesura.metrics import metric as metric
    from caesura.results import Results as Results
    from caesura.results import read_results as read_results
    from caesura.segmentation import Segmentation as Segmentation
    from caesura.segmenters import segmenter as segmenter
    from caesura.selectors import selector as selector
    from caesura.tuning.calibrate import calibrate as calibrate
    from caesura.tuning.sweep import sweep as sweep
    from caesura.tuning.tune import tune as tune
    from caesura.units.projection import project as project

_HOMES = {
    "CaesuraError": "errors",
    "CaesuraWarning": "errors",
    "Corpus": "corpus",
    "Document": "corpus",
    "Results": "results",
    "Segmentation": "segmentation",
    "agreement": "evaluation.agree",
    "bundled": "datasets.bundled",
    "calibrate": "tuning.calibrate",
    "check": "evaluation.check",
    "cohesion": "evaluation.cohesion",
    "compare": "evaluation.compare.run",
    "compute": "integrations.compute",
    "correlate": "evaluation.correlate.run",
    "dataset": "datasets",
    "degrade": "evaluation.degrade",
    "encoder": "encoders",
    "evaluate": "evaluation.evaluate",
    "explain": "evaluation.explain.run",
    "gate": "evaluation.gate.run",
    "intervals": "evaluation.intervals",
    "load": "formats",
    "metric": "metrics",
    "project": "units.projection",
    "read_results": "results",
    "save": "formats",
    "segmenter": "segmenters",
    "selector": "selectors",
    "spans": "evaluation.spans",
    "sweep": "tuning.sweep",
    "tune": "tuning.tune",
    "validate": "evaluation.validate.run",
}

__all__ = sorted(["__version__", *_HOMES])


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used, so that ``import caesura`` stays light."""
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'caesura' has no attribute {name!r}")
    import importlib

    value = getattr(importlib.import_module(f"caesura.{home}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
