/* Sobol' sequences in Gray-code order, 32 and 64 bits, plain and scrambled; direction vectors come from the caller. */
#ifndef WW_RNG_SOBOL_H
#define WW_RNG_SOBOL_H
#include "ww_vec.h"

#define WW_SOBOL(NAME, WORD, BITS, CTZ)                                                                      \
  struct curandState##NAME { WORD i, x, c, direction_vectors[BITS]; };                                       \
  typedef struct curandState##NAME curandState##NAME##_t;                                                    \
  WW_HD void skipahead(unsigned long long n, curandState##NAME##_t *s) {                                     \
    s->i += (WORD)n;                                                                                         \
    WORD gray = s->i ^ s->i >> 1;                                                                            \
    s->x = s->c;                                                                                             \
    for (int b = 0; b < BITS; b++) if (gray >> b & 1) s->x ^= s->direction_vectors[b];                       \
  }                                                                                                          \
  WW_HD WORD curand(curandState##NAME##_t *s) {                                                              \
    WORD r = s->x;                                                                                           \
    s->x ^= s->direction_vectors[s->i == (WORD)-1 ? BITS - 1 : CTZ(~s->i)];                                  \
    s->i++;                                                                                                  \
    return r;                                                                                                \
  }
WW_SOBOL(Sobol32, unsigned, 32, __builtin_ctz)
WW_SOBOL(ScrambledSobol32, unsigned, 32, __builtin_ctz)
WW_SOBOL(Sobol64, unsigned long long, 64, __builtin_ctzll)
WW_SOBOL(ScrambledSobol64, unsigned long long, 64, __builtin_ctzll)
#undef WW_SOBOL
typedef unsigned curandDirectionVectors32_t[32];
typedef unsigned long long curandDirectionVectors64_t[64];

template <class S, class W> WW_HD void __ww_sobol_init(const W *vectors, int bits, W scramble, unsigned long long offset, S *s) {
  for (int b = 0; b < bits; b++) s->direction_vectors[b] = vectors[b];
  s->i = 0, s->c = scramble;
  skipahead(offset, s);
}
WW_HD void curand_init(const unsigned *v, unsigned offset, curandStateSobol32_t *s) { __ww_sobol_init(v, 32, 0u, offset, s); }
WW_HD void curand_init(const unsigned *v, unsigned scramble, unsigned offset, curandStateScrambledSobol32_t *s) { __ww_sobol_init(v, 32, scramble, offset, s); }
WW_HD void curand_init(const unsigned long long *v, unsigned long long offset, curandStateSobol64_t *s) { __ww_sobol_init(v, 64, 0ull, offset, s); }
WW_HD void curand_init(const unsigned long long *v, unsigned long long scramble, unsigned long long offset, curandStateScrambledSobol64_t *s) { __ww_sobol_init(v, 64, scramble, offset, s); }
#endif
