# SPDX-License-Identifier: Apache-2.0
"""Corpora: loaders for published datasets in their original files, and the data that come with the library.

A dataset is a release of files with its rules: which unit, where a boundary lies, what is left out. Each is one file in
`corpora`, declared like a metric, and its parameters are the choices that the release leaves open. Files that anybody may
write in are formats, and belong to `caesura.formats`.
"""

from caesura.datasets import corpora as _corpora
from caesura.datasets.base import DATASETS, Dataset, DatasetCard, dataset

__all__ = ["DATASETS", "Dataset", "DatasetCard", "dataset"]

DATASETS.discover(_corpora.__path__, _corpora.__name__, lazy=True)
