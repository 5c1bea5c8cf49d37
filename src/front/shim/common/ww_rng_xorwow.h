/* XORWOW (Marsaglia 2003) and MRG32k3a (L'Ecuyer 1999): exact per draw and exact for subsequence 0.
 *
 * Simplified: the real libraries reach subsequence n by multiplying the state with precomputed jump matrices. Here a
 * subsequence is a hash of its number mixed into the seeded state: the streams are independent and uniform, but
 * differ from cuRAND's for n > 0. Offsets are exact up to 1024 draws, beyond that they are hashed too. */
#ifndef WW_RNG_XORWOW_H
#define WW_RNG_XORWOW_H
#include "ww_vec.h"

WW_HD unsigned __ww_mix(unsigned long long *z) { /* splitmix64 */
  unsigned long long x = *z += 0x9E3779B97F4A7C15ull;
  x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9ull;
  x = (x ^ x >> 27) * 0x94D049BB133111EBull;
  return (unsigned)((x ^ x >> 31) >> 32);
}

/* ---- XORWOW ---- */
struct curandStateXORWOW {
  unsigned d, v[5]; /* Weyl counter, xorshift words */
  int boxmuller_flag, boxmuller_flag_double;
  float boxmuller_extra;
  double boxmuller_extra_double;
};
typedef struct curandStateXORWOW curandStateXORWOW_t;
typedef struct curandStateXORWOW curandState_t;
typedef struct curandStateXORWOW curandState;

WW_HD unsigned curand(curandStateXORWOW_t *s) {
  unsigned t = s->v[0] ^ s->v[0] >> 2;
  s->v[0] = s->v[1], s->v[1] = s->v[2], s->v[2] = s->v[3], s->v[3] = s->v[4];
  s->v[4] = (s->v[4] ^ s->v[4] << 4) ^ (t ^ t << 1);
  s->d += 362437;
  return s->v[4] + s->d;
}
WW_HD void skipahead_sequence(unsigned long long n, curandStateXORWOW_t *s) {
  if (!n) return;
  unsigned long long z = n;
  for (int i = 0; i < 5; i++) s->v[i] ^= __ww_mix(&z);
}
WW_HD void skipahead(unsigned long long n, curandStateXORWOW_t *s) {
  if (n > 1024) skipahead_sequence(n >> 10 << 20, s), n &= 1023;
  for (unsigned long long i = 0; i < n; i++) (void)curand(s);
}
WW_HD void curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset, curandStateXORWOW_t *s) {
  unsigned s0 = (unsigned)seed ^ 0xaad26b49u, s1 = (unsigned)(seed >> 32) ^ 0xf7dcefddu;
  unsigned t0 = 1099087573u * s0, t1 = 2591861531u * s1;
  s->d = 6615241 + t1 + t0;
  s->v[0] = 123456789u + t0, s->v[1] = 362436069u ^ t0, s->v[2] = 521288629u + t1, s->v[3] = 88675123u ^ t1, s->v[4] = 5783321u + t0;
  s->boxmuller_flag = s->boxmuller_flag_double = 0, s->boxmuller_extra = 0, s->boxmuller_extra_double = 0;
  skipahead_sequence(subsequence, s);
  skipahead(offset, s);
}

/* ---- MRG32k3a ---- */
struct curandStateMRG32k3a {
  unsigned s1[3], s2[3];
  int boxmuller_flag, boxmuller_flag_double;
  float boxmuller_extra;
  double boxmuller_extra_double;
};
typedef struct curandStateMRG32k3a curandStateMRG32k3a_t;

/* The next value, in 1 .. 4294967087. */
WW_HD double curand_MRG32k3a(curandStateMRG32k3a_t *s) {
  const unsigned long long m1 = 4294967087ull, m2 = 4294944443ull;
  unsigned p1 = (unsigned)((1403580ull * s->s1[1] + 810728ull * (m1 - s->s1[0])) % m1);
  unsigned p2 = (unsigned)((527612ull * s->s2[2] + 1370589ull * (m2 - s->s2[0])) % m2);
  s->s1[0] = s->s1[1], s->s1[1] = s->s1[2], s->s1[2] = p1;
  s->s2[0] = s->s2[1], s->s2[1] = s->s2[2], s->s2[2] = p2;
  return p1 <= p2 ? (double)(p1 - p2 + (unsigned)m1) : (double)(p1 - p2);
}
WW_HD unsigned curand(curandStateMRG32k3a_t *s) { return (unsigned)(curand_MRG32k3a(s) * 1.000000048662); }
WW_HD void skipahead_subsequence(unsigned long long n, curandStateMRG32k3a_t *s) {
  if (!n) return;
  unsigned long long z = n;
  for (int i = 0; i < 3; i++) {
    s->s1[i] = (unsigned)((s->s1[i] + (unsigned long long)__ww_mix(&z)) % 4294967087ull);
    s->s2[i] = (unsigned)((s->s2[i] + (unsigned long long)__ww_mix(&z)) % 4294944443ull);
  }
}
WW_HD void skipahead_sequence(unsigned long long n, curandStateMRG32k3a_t *s) { skipahead_subsequence(n * 0x9E3779B97F4A7C15ull, s); }
WW_HD void skipahead(unsigned long long n, curandStateMRG32k3a_t *s) {
  if (n > 1024) skipahead_subsequence(n >> 10 << 20, s), n &= 1023;
  for (unsigned long long i = 0; i < n; i++) (void)curand_MRG32k3a(s);
}
WW_HD void curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset, curandStateMRG32k3a_t *s) {
  for (int i = 0; i < 3; i++) s->s1[i] = s->s2[i] = 12345u;
  if (seed) {
    unsigned x1 = (unsigned)seed ^ 0x55555555u, x2 = (unsigned)(seed >> 32) ^ 0xAAAAAAAAu;
    s->s1[0] = (unsigned)((unsigned long long)x1 * s->s1[0] % 4294967087ull), s->s1[1] = (unsigned)((unsigned long long)x2 * s->s1[1] % 4294967087ull);
    s->s1[2] = (unsigned)((unsigned long long)x1 * s->s1[2] % 4294967087ull), s->s2[0] = (unsigned)((unsigned long long)x2 * s->s2[0] % 4294944443ull);
    s->s2[1] = (unsigned)((unsigned long long)x1 * s->s2[1] % 4294944443ull), s->s2[2] = (unsigned)((unsigned long long)x2 * s->s2[2] % 4294944443ull);
  }
  s->boxmuller_flag = s->boxmuller_flag_double = 0, s->boxmuller_extra = 0, s->boxmuller_extra_double = 0;
  skipahead_subsequence(subsequence, s);
  skipahead(offset, s);
}
#endif
