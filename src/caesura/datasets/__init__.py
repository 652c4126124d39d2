# SPDX-License-Identifier: Apache-2.0
"""Corpora: loaders of published datasets in their original files, and the bundled data.

A dataset is a release of files with its rules: the unit, the position of boundaries, and what is left out. Each is one
module in `corpora`, declared like a metric; its parameters are the choices that the release leaves open. Generic file
formats belong to `caesura.formats`.
"""

from caesura.datasets import corpora as _corpora
from caesura.datasets.base import DATASETS, Dataset, DatasetCard, dataset

__all__ = ["DATASETS", "Dataset", "DatasetCard", "dataset"]

DATASETS.discover(_corpora.__path__, _corpora.__name__, lazy=True)
