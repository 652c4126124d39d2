# SPDX-License-Identifier: Apache-2.0
"""Boundaries of short documents as the bits of one word: boundary p is bit p.

What several kernels ask of a document of up to 64 units is then answered for all of its gaps at once, without a walk. The words are
made once and read by all of these kernels.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from caesura.kernels import _cython as cython

COMPILED = cython.compiled
Ints = cython.typedef(cython.const[cython.longlong][::1])
Words = cython.typedef(cython.ulonglong[::1])
i64 = cython.typedef(cython.longlong)
u64 = cython.typedef(cython.ulonglong)

_ONE = cython.declare(u64, 1)
_SHORT = cython.declare(i64, 64)


@cython.locals(row=i64, place=i64, word=u64)
def set_bits(n_units: Ints, ptr: Ints, pos: Ints, out: Words):
    """Write the word of each document; those of longer documents are 0."""
    with cython.nogil:
        for row in range((n_units.shape[0] if cython.compiled else len(n_units))):
            word = 0
            if n_units[row] <= _SHORT:
                for place in range(ptr[row], ptr[row + 1]):
                    word |= _ONE << pos[place]
            out[row] = word
