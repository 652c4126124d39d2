# SPDX-License-Identifier: Apache-2.0
"""The value type of the library: the number of units, and which gaps between them are boundaries.

Conventions, here and everywhere
--------------------------------
A document has ``n_units`` units. Gap ``i`` lies after unit ``i``, ``1 <= i <= n_units - 1``. A boundary is a chosen
gap; the end of the document is never one. Masses, labels, bits and spans are equivalent notations; every
conversion between them is in this package.
"""

from caesura.segmentation._checks import (
    CONTINUOUS_UNITS,
    MOST_UNITS,
    UNSPECIFIED_UNIT,
    checked_n_units,
    is_row_of_integers,
    milliseconds,
    units_agree,
)
from caesura.segmentation._checks import Marks as Marks
from caesura.segmentation._spelled import Spelled, check_marks, is_spelled, look_like_starts, segmentation_of
from caesura.segmentation._value import Segmentation, laid_out

__all__ = [
    "CONTINUOUS_UNITS",
    "MOST_UNITS",
    "UNSPECIFIED_UNIT",
    "Segmentation",
    "Spelled",
    "check_marks",
    "checked_n_units",
    "is_row_of_integers",
    "is_spelled",
    "laid_out",
    "look_like_starts",
    "milliseconds",
    "segmentation_of",
    "units_agree",
]
