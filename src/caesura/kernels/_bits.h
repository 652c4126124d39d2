/* SPDX-License-Identifier: Apache-2.0 */

/* How many bits are set: counted in pairs, then in groups of four and of eight, which a product adds up. */
static inline long long caesura_ones(unsigned long long word) {
    word -= (word >> 1) & 0x5555555555555555ULL;
    word = (word & 0x3333333333333333ULL) + ((word >> 2) & 0x3333333333333333ULL);
    word = (word + (word >> 4)) & 0x0F0F0F0F0F0F0F0FULL;
    return (long long)((word * 0x0101010101010101ULL) >> 56);
}
