/* Philox4x32-10, a counter-based generator: exact, also in how curand_init, skip-ahead and curand4 consume it.
 *
 * Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011. Workload: one state per thread, in registers. */
#ifndef WW_RNG_PHILOX_H
#define WW_RNG_PHILOX_H
#include "ww_vec.h"

struct curandStatePhilox4_32_10 {
  uint4 ctr, output; /* output = the block for ctr */
  uint2 key;
  unsigned STATE; /* which word of output comes next: 0..3 */
  int boxmuller_flag, boxmuller_flag_double;
  float boxmuller_extra;
  double boxmuller_extra_double;
};
typedef struct curandStatePhilox4_32_10 curandStatePhilox4_32_10_t;

WW_HD uint4 __ww_philox(uint4 c, uint2 k) {
#pragma unroll
  for (int round = 0; round < 10; round++) {
    unsigned long long a = (unsigned long long)0xD2511F53u * c.x, b = (unsigned long long)0xCD9E8D57u * c.z;
    c = uint4{(unsigned)(b >> 32) ^ c.y ^ k.x, (unsigned)b, (unsigned)(a >> 32) ^ c.w ^ k.y, (unsigned)a};
    k = uint2{k.x + 0x9E3779B9u, k.y + 0xBB67AE85u};
  }
  return c;
}
/* Adds n to the low (or, for sequences, the high) half of the 128-bit counter. */
WW_HD void __ww_philox_advance(curandStatePhilox4_32_10_t *s, unsigned long long n) {
  unsigned long long lo = ((unsigned long long)s->ctr.y << 32 | s->ctr.x) + n, hi = (unsigned long long)s->ctr.w << 32 | s->ctr.z;
  if (lo < n) hi++;
  s->ctr = uint4{(unsigned)lo, (unsigned)(lo >> 32), (unsigned)hi, (unsigned)(hi >> 32)};
}
WW_HD void skipahead(unsigned long long n, curandStatePhilox4_32_10_t *s) {
  s->STATE += (unsigned)(n & 3);
  n /= 4;
  if (s->STATE > 3) { n++; s->STATE -= 4; }
  __ww_philox_advance(s, n);
  s->output = __ww_philox(s->ctr, s->key);
}
WW_HD void skipahead_sequence(unsigned long long n, curandStatePhilox4_32_10_t *s) {
  unsigned long long hi = ((unsigned long long)s->ctr.w << 32 | s->ctr.z) + n;
  s->ctr.z = (unsigned)hi, s->ctr.w = (unsigned)(hi >> 32);
  s->output = __ww_philox(s->ctr, s->key);
}
WW_HD void curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset, curandStatePhilox4_32_10_t *s) {
  s->ctr = uint4{0, 0, 0, 0};
  s->key = uint2{(unsigned)seed, (unsigned)(seed >> 32)};
  s->STATE = 0, s->boxmuller_flag = s->boxmuller_flag_double = 0;
  s->boxmuller_extra = 0, s->boxmuller_extra_double = 0;
  skipahead_sequence(subsequence, s);
  skipahead(offset, s);
}
WW_HD unsigned curand(curandStatePhilox4_32_10_t *s) {
  unsigned r = s->STATE == 0 ? s->output.x : s->STATE == 1 ? s->output.y : s->STATE == 2 ? s->output.z : s->output.w;
  if (++s->STATE == 4) {
    __ww_philox_advance(s, 1);
    s->output = __ww_philox(s->ctr, s->key);
    s->STATE = 0;
  }
  return r;
}
WW_HD uint4 curand4(curandStatePhilox4_32_10_t *s) {
  uint4 old = s->output;
  __ww_philox_advance(s, 1);
  s->output = __ww_philox(s->ctr, s->key);
  switch (s->STATE) {
  case 0: return old;
  case 1: return uint4{old.y, old.z, old.w, s->output.x};
  case 2: return uint4{old.z, old.w, s->output.x, s->output.y};
  default: return uint4{old.w, s->output.x, s->output.y, s->output.z};
  }
}
#endif
