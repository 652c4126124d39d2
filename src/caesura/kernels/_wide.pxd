# SPDX-License-Identifier: Apache-2.0
# What `silhouettes` takes from C.

cdef extern from "_wide.h" nogil:
    int caesura_has_wide()
    void caesura_products(const double *left, const double *right, long long d, double *out)
    void caesura_products_wide(const double *left, const double *right, long long d, double *out)
    void caesura_roots_wide(double *values, long long count)
    void caesura_widen_wide(const float *from_, long long count, double *to)
