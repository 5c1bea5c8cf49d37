/* Device random numbers under HIP's names, over the generators of ../../common (see there for what is exact). */
#ifndef WW_HIPRAND_KERNEL_H
#define WW_HIPRAND_KERNEL_H
#include <ww_hip.h>
#include <hiprand/hiprand.h>
#define WW_VEC_NO_TYPES
#include "ww_rng_dist.h"

typedef curandState_t hiprandState_t, hiprandState, hiprandStateXORWOW_t, hiprandStateXORWOW;
typedef curandStatePhilox4_32_10_t hiprandStatePhilox4_32_10_t, hiprandStatePhilox4_32_10;
typedef curandStateMRG32k3a_t hiprandStateMRG32k3a_t, hiprandStateMRG32k3a;
typedef curandStateSobol32_t hiprandStateSobol32_t;

#define WW_RAND(name)                                                                                        \
  template <class S, class... A> WW_DEVICE auto hiprand##name(S *s, A... a) { return curand##name(s, a...); } \
  template <class S, class... A> WW_DEVICE auto rocrand##name(S *s, A... a) { return curand##name(s, a...); }
WW_RAND() WW_RAND(4) WW_RAND(_uniform) WW_RAND(_uniform_double) WW_RAND(_uniform4) WW_RAND(_normal) WW_RAND(_normal_double) WW_RAND(_normal2)
WW_RAND(_normal4) WW_RAND(_log_normal) WW_RAND(_log_normal_double) WW_RAND(_poisson)
#undef WW_RAND
template <class S> WW_DEVICE void hiprand_init(unsigned long long seed, unsigned long long sequence, unsigned long long offset, S *s) { curand_init(seed, sequence, offset, s); }
template <class S> WW_DEVICE void rocrand_init(unsigned long long seed, unsigned long long sequence, unsigned long long offset, S *s) { curand_init(seed, sequence, offset, s); }
#endif
