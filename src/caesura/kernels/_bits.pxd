# SPDX-License-Identifier: Apache-2.0
# What the kernels that read boundaries as bits take from C.

cdef extern from "_bits.h" nogil:
    long long caesura_ones(unsigned long long word)
