/* random.h - numbers that look random and are the same everywhere: splitmix64, and its
 * finaliser as a hash of whole numbers.
 *
 * Contents of buffers, generated kernels, shuffles and learned trees are frozen by
 * these streams: a change of one makes other data. Code that is compiled for a GPU has
 * its own copy (measure/cuda/fill_core.h). */
#ifndef WW_BASE_RANDOM_H
#define WW_BASE_RANDOM_H

#include <stdint.h>

#define WW_GOLDEN 0x9e3779b97f4a7c15ull /* 2^64 divided by the golden ratio */

/* Every bit of the result depends on every bit of x. */
static inline uint64_t ww_mix64(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

/* The next number of the stream; *state is its seed at first. */
static inline uint64_t ww_random(uint64_t *state) {
  *state += WW_GOLDEN;
  return ww_mix64(*state);
}

/* Marsaglia's xorshift64: quicker, for a choice whose quality matters little; *state is
 * never 0. */
static inline uint64_t ww_xorshift(uint64_t *state) {
  *state ^= *state << 13;
  *state ^= *state >> 7;
  *state ^= *state << 17;
  return *state;
}

/* 0 <= x < n of a random number's upper half. */
static inline uint32_t ww_random_below(uint64_t random, uint32_t n) {
  return (random >> 32) * n >> 32;
}

/* 0 <= x < 1 of a random number's upper 53 bits. */
static inline double ww_random_unit(uint64_t random) {
  return (random >> 11) * 0x1p-53;
}

#endif
