/* curand.c - cuRAND's host interface for an emulated program: numbers of the right
 * distribution, seeded, not the same numbers. A call is recorded as what it makes. */
#include "library.h"

#include <math.h>
#include <stdlib.h>

#include "../../../base/random.h"

typedef struct {
  uint64_t seed, at;
} generator;

/* A mixing function over a counter: element i from (seed, i) alone. */
static uint64_t next(generator *g) {
  return ww_mix64(g->seed + WW_GOLDEN * ++g->at);
}
static double uniform(generator *g) {
  return ((next(g) >> 11) + 0.5) * 0x1p-53;
} /* (0, 1) */
static double normal(generator *g) {
  return sqrt(-2 * log(uniform(g))) * cos(6.283185307179586 * uniform(g));
}

int curandCreateGenerator(generator **g) {
  *g = ww_xcalloc(1, sizeof **g);
  ww_emu_note("cuRAND gives other numbers of the same distribution here");
  return 0;
}
WW_EMU_SAME(curandCreateGenerator) curandCreateGeneratorHost;
int curandDestroyGenerator(generator *g) {
  free(g);
  return EMU_OK;
}
WW_EMU_ANSWER(curandGetVersion, int, 10309)
int curandSetPseudoRandomGeneratorSeed(generator *g, unsigned long long s) {
  *g = (generator){.seed = s};
  return EMU_OK;
}
int curandSetGeneratorOffset(generator *g, unsigned long long o) {
  g->at = o;
  return EMU_OK;
}

WW_EMU_ZERO curandSetStream, curandSetGeneratorOrdering,
    curandSetQuasiRandomGeneratorDimensions, curandGenerateSeeds;

/* mean and deviation are passed, and used, for normal distributions alone */
#define GENERATE(name, type, expression)                                   \
  int name(generator *g, type *out, size_t n, type mean, type deviation) { \
    for (size_t i = 0; i < n; i++)                                         \
      out[i] = (type)(expression);                                         \
    return told(#name, strstr(#name, "Normal") ? "normal" : "uniform", n,  \
                sizeof(type));                                             \
  }
static int told(const char *function, const char *call, size_t n, size_t bytes) {
  return ww_emu_library(
      function, &(ww_library_call){"curand", call, bytes == 8 ? "f64" : "f32", {n}});
}
GENERATE(curandGenerate, unsigned, next(g) >> 32)
GENERATE(curandGenerateLongLong, unsigned long long, next(g))
GENERATE(curandGenerateUniform, float, uniform(g))
GENERATE(curandGenerateUniformDouble, double, uniform(g))
GENERATE(curandGenerateNormal, float, mean + deviation * normal(g))
GENERATE(curandGenerateNormalDouble, double, mean + deviation * normal(g))
GENERATE(curandGenerateLogNormal, float, exp(mean + deviation * normal(g)))
GENERATE(curandGenerateLogNormalDouble, double, exp(mean + deviation * normal(g)))

int curandGeneratePoisson(generator *g, unsigned *out, size_t n, double lambda) {
  for (size_t i = 0; i < n; i++) {
    double v = floor(lambda + sqrt(lambda) * normal(g) + 0.5); /* large means */
    if (lambda < 64) {
      double p = 1;
      for (v = -1; p > exp(-lambda); v++)
        p *= uniform(g);
    }
    out[i] = v > 0 ? v : 0;
  }
  return told("curandGeneratePoisson", "normal", n, sizeof *out);
}
