# SPDX-License-Identifier: Apache-2.0
"""Runs of neighbouring windows with the same number of boundaries inside, of which closed forms of chance are made."""

from __future__ import annotations

try:
    import cython
except ImportError:
    from caesura.kernels import _cython as cython

COMPILED = cython.compiled
Ints = cython.typedef(cython.const[cython.longlong][::1])
Cells = cython.typedef(cython.longlong[::1])
i64 = cython.typedef(cython.longlong)

_AFTER_ALL = cython.declare(i64, 0x7FFFFFFFFFFFFFFF)


@cython.locals(
    row=i64, number=i64, last=i64, end=i64, enter=i64, leave=i64, at=i64, count=i64, a=i64, b=i64, event=i64, stop=i64,
)
def list_runs(ptr: Ints, pos: Ints, k: Ints, windows: Ints, document: Cells, inside: Cells, width: Cells):
    """List the runs of each document from left to right, and return how many there are; at most two a boundary, and one.

    Windows of k gaps are named by the gap they start in, 1 .. windows. A boundary p is in those from p-k+1 to p.
    """
    number = 0
    with cython.nogil:
        for row in range((k.shape[0] if cython.compiled else len(k))):
            last = windows[row]
            enter = ptr[row]
            leave = enter
            end = ptr[row + 1]
            at = 1
            count = 0
            while at <= last:
                a = pos[enter] - k[row] + 1 if enter < end else _AFTER_ALL
                b = pos[leave] + 1 if leave < end else _AFTER_ALL
                event = a if a < b else b
                stop = event if event <= last else last + 1
                if stop > at:
                    document[number] = row
                    inside[number] = count
                    width[number] = stop - at
                    number += 1
                    at = stop
                if a <= b:
                    count += 1
                    enter += 1
                else:
                    count -= 1
                    leave += 1
    return number
