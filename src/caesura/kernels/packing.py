# SPDX-License-Identifier: Apache-2.0
"""Packing of one segmentation: masses become the last units of its segments, as 64-bit integers in a row.

Only what is plainly right is packed here, in one pass. For anything else the caller says what is wrong with it.
"""

from __future__ import annotations

from array import array

try:
    import cython
except ImportError:
    from caesura.kernels import _cython as cython

COMPILED = cython.compiled
i64 = cython.typedef(cython.longlong)
if cython.compiled:
    from cython.cimports.cpython.array import array as c_array
    from cython.cimports.cpython.array import clone
else:
    c_array = array

_TEMPLATE: c_array = array("q")


@cython.locals(ends=c_array, place=i64, mass=i64, end=i64, size=i64)
def packed_ends(masses, limit: i64):
    """Return the last unit of each segment, the end of the document included, or None unless the masses are plain.

    Plain masses are a list or tuple of at least one int and nothing else, each at least 1, that add up to ``limit`` at most.
    """
    if type(masses) is not list and type(masses) is not tuple:
        return None
    size = len(masses)
    if size == 0:
        return None
    ends = clone(_TEMPLATE, size, False) if cython.compiled else array("q", bytes(8 * size))
    end = 0
    # No other Python code runs in the loop, so that the list cannot change on the way.
    for place, each in enumerate(masses):
        if type(each) is not int:
            return None
        try:
            mass = each
        except OverflowError:
            return None
        if mass < 1 or mass > limit - end:
            return None
        end += mass
        if cython.compiled:
            ends.data.as_longlongs[place] = end
        else:
            ends[place] = end
    return ends
