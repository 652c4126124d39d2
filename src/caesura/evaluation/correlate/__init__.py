# SPDX-License-Identifier: Apache-2.0
"""Whether metrics without a reference order systems as metrics with one do."""

from caesura.evaluation.correlate.run import Correlation, correlate

__all__ = ["Correlation", "correlate"]
