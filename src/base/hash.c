/* hash.c - a 64-bit hash whose value never changes: cache keys, content ids and frozen
 * test values depend on it. */
#include "base.h"

#include <endian.h>

static uint64_t mix(uint64_t a, uint64_t b) {
  unsigned __int128 p = (unsigned __int128)a * b;
  return (uint64_t)p ^ p >> 64;
}

static uint64_t word(const unsigned char *p, size_t n) {
  uint64_t w = 0;
  memcpy(&w, p, n);
  return le64toh(w);
}

uint64_t ww_hash(const void *data, size_t n, uint64_t seed) {
  const uint64_t k0 = 0x9e3779b97f4a7c15ull;
  const uint64_t k1 = 0xe7037ed1a0b428dbull;
  const uint64_t k2 = 0x8ebc6af09c88c6e3ull;
  const unsigned char *p = data;
  uint64_t h = seed ^ mix(seed ^ k0, n ^ k1);
  size_t left = n;
  for (; left >= 16; left -= 16, p += 16)
    h = mix(word(p, 8) ^ k1, word(p + 8, 8) ^ h);
  uint64_t a = left >= 8 ? word(p, 8) : word(p, left);
  uint64_t b = left >= 8 ? word(p + 8, left - 8) : left;
  h = mix(a ^ k2, b ^ h);
  return mix(h ^ k0, n ^ k2);
}
