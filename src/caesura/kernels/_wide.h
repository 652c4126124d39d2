/* SPDX-License-Identifier: Apache-2.0

   The loops of `silhouettes` that take most of its time, for processors with AVX2, which are found when the program runs.

   Products: of three vectors with four others, in four lanes each: lane l has the numbers l, l + 4, l + 8 and so on. The lanes
   are part of the definition, roots are rounded as the standard says, nothing is added in another order and nothing is
   fused: every processor gives the same digits, and only the time differs. */

#define CAESURA_ROWS 3
#define CAESURA_COLUMNS 4
#define CAESURA_LANES 4

static void caesura_products(const double *left, const double *right, long long d, double *out) {
    double sums[CAESURA_ROWS * CAESURA_COLUMNS * CAESURA_LANES];
    long long at, k, i, j, l;
    for (at = 0; at < CAESURA_ROWS * CAESURA_COLUMNS * CAESURA_LANES; at++) sums[at] = 0.0;
    for (k = 0; k < d; k += CAESURA_LANES)
        for (i = 0; i < CAESURA_ROWS; i++)
            for (j = 0; j < CAESURA_COLUMNS; j++)
                for (l = 0; l < CAESURA_LANES; l++)
                    sums[(i * CAESURA_COLUMNS + j) * CAESURA_LANES + l] += left[i * d + k + l] * right[j * d + k + l];
    for (at = 0; at < CAESURA_ROWS * CAESURA_COLUMNS * CAESURA_LANES; at++) out[at] = sums[at];
}

#if defined(__GNUC__) && defined(__x86_64__)

#define CAESURA_WIDE __attribute__((target("avx2"))) static

static int caesura_has_wide(void) { return __builtin_cpu_supports("avx2") != 0; }

typedef double caesura_four __attribute__((vector_size(32), aligned(8)));

/* Written with vectors, since compilers do not keep all sums of the plain loops in registers. */
CAESURA_WIDE void caesura_products_wide(const double *left, const double *right, long long d, double *out) {
    caesura_four sums[CAESURA_ROWS][CAESURA_COLUMNS];
    long long k, i, j;
    for (i = 0; i < CAESURA_ROWS; i++)
        for (j = 0; j < CAESURA_COLUMNS; j++) sums[i][j] = (caesura_four){0.0, 0.0, 0.0, 0.0};
    for (k = 0; k < d; k += CAESURA_LANES)
        for (i = 0; i < CAESURA_ROWS; i++)
            for (j = 0; j < CAESURA_COLUMNS; j++)
                sums[i][j] += *(const caesura_four *)(left + i * d + k) * *(const caesura_four *)(right + j * d + k);
    for (i = 0; i < CAESURA_ROWS; i++)
        for (j = 0; j < CAESURA_COLUMNS; j++)
            *(caesura_four *)(out + (i * CAESURA_COLUMNS + j) * CAESURA_LANES) = sums[i][j];
}

#else

#define CAESURA_WIDE static
#define caesura_products_wide caesura_products

static int caesura_has_wide(void) { return 0; }

#endif

#include <math.h>

CAESURA_WIDE void caesura_roots_wide(double *values, long long count) {
    long long i;
    for (i = 0; i < count; i++) values[i] = sqrt(values[i]);
}

CAESURA_WIDE void caesura_widen_wide(const float *from, long long count, double *to) {
    long long i;
    for (i = 0; i < count; i++) to[i] = from[i];
}
