# SPDX-License-Identifier: Apache-2.0
"""The least that any program must do with flat segmentations, compiled by `benchmarks.floor_build`.

Cython's pure-Python mode, as the kernels are. Each function returns something that depends on all it read, so that
no compiler can leave the reading out.
"""

import cython


@cython.locals(place=cython.longlong, total=cython.longlong)
def read(values: cython.const[cython.longlong][::1]):
    """Read every number once."""
    total = 0
    for place in range(len(values)):
        total += values[place]
    return total


@cython.locals(row=cython.longlong, place=cython.longlong, total=cython.longlong)
def walk(
    ref_ptr: cython.const[cython.longlong][::1],
    ref: cython.const[cython.longlong][::1],
    hyp_ptr: cython.const[cython.longlong][::1],
    hyp: cython.const[cython.longlong][::1],
    out: cython.longlong[::1],
):
    """Visit the boundaries of each document, one side after the other."""
    for row in range(len(ref_ptr) - 1):
        total = 0
        for place in range(ref_ptr[row], ref_ptr[row + 1]):
            total += ref[place]
        for place in range(hyp_ptr[row], hyp_ptr[row + 1]):
            total += hyp[place]
        out[row] = total


@cython.locals(
    row=cython.longlong,
    r=cython.longlong,
    r_end=cython.longlong,
    h=cython.longlong,
    h_end=cython.longlong,
    a=cython.longlong,
    b=cython.longlong,
    equal=cython.longlong,
)
def merge(
    ref_ptr: cython.const[cython.longlong][::1],
    ref: cython.const[cython.longlong][::1],
    hyp_ptr: cython.const[cython.longlong][::1],
    hyp: cython.const[cython.longlong][::1],
    out: cython.longlong[::1],
):
    """Merge the boundaries of both sides with two pointers, as a textbook writes it."""
    for row in range(len(ref_ptr) - 1):
        r = ref_ptr[row]
        r_end = ref_ptr[row + 1]
        h = hyp_ptr[row]
        h_end = hyp_ptr[row + 1]
        equal = 0
        while r < r_end and h < h_end:
            a = ref[r]
            b = hyp[h]
            if a < b:
                r += 1
            elif b < a:
                h += 1
            else:
                equal += 1
                r += 1
                h += 1
        out[row] = equal


@cython.locals(
    row=cython.longlong,
    r=cython.longlong,
    r_end=cython.longlong,
    h=cython.longlong,
    h_end=cython.longlong,
    a=cython.longlong,
    b=cython.longlong,
    equal=cython.longlong,
)
def merge_without_branches(
    ref_ptr: cython.const[cython.longlong][::1],
    ref: cython.const[cython.longlong][::1],
    hyp_ptr: cython.const[cython.longlong][::1],
    hyp: cython.const[cython.longlong][::1],
    out: cython.longlong[::1],
):
    """Merge with comparisons as numbers, so that the processor has nothing to guess: the fastest merge known here."""
    for row in range(len(ref_ptr) - 1):
        r = ref_ptr[row]
        r_end = ref_ptr[row + 1]
        h = hyp_ptr[row]
        h_end = hyp_ptr[row + 1]
        equal = 0
        while r < r_end and h < h_end:
            a = ref[r]
            b = hyp[h]
            equal += a == b
            r += a <= b
            h += b <= a
        out[row] = equal
