/* curand.h: names for host code to type-check; `f(...)` accepts every call and nothing is run. */
#ifndef WW_CURAND_H
#define WW_CURAND_H
#include "ww_cuda.h"

typedef struct curandGenerator_st *curandGenerator_t;
enum curandStatus_t {
  CURAND_STATUS_SUCCESS = 0, CURAND_STATUS_VERSION_MISMATCH = 100, CURAND_STATUS_NOT_INITIALIZED = 101,
  CURAND_STATUS_ALLOCATION_FAILED = 102, CURAND_STATUS_TYPE_ERROR = 103, CURAND_STATUS_OUT_OF_RANGE = 104,
  CURAND_STATUS_LENGTH_NOT_MULTIPLE = 105, CURAND_STATUS_DOUBLE_PRECISION_REQUIRED = 106,
  CURAND_STATUS_LAUNCH_FAILURE = 201, CURAND_STATUS_PREEXISTING_FAILURE = 202,
  CURAND_STATUS_INITIALIZATION_FAILED = 203, CURAND_STATUS_ARCH_MISMATCH = 204, CURAND_STATUS_INTERNAL_ERROR = 999
};
enum curandRngType_t {
  CURAND_RNG_TEST = 0, CURAND_RNG_PSEUDO_DEFAULT = 100, CURAND_RNG_PSEUDO_XORWOW = 101,
  CURAND_RNG_PSEUDO_MRG32K3A = 121, CURAND_RNG_PSEUDO_MTGP32 = 141, CURAND_RNG_PSEUDO_MT19937 = 142,
  CURAND_RNG_PSEUDO_PHILOX4_32_10 = 161, CURAND_RNG_QUASI_DEFAULT = 200, CURAND_RNG_QUASI_SOBOL32 = 201,
  CURAND_RNG_QUASI_SCRAMBLED_SOBOL32 = 202, CURAND_RNG_QUASI_SOBOL64 = 203, CURAND_RNG_QUASI_SCRAMBLED_SOBOL64 = 204
};
enum curandOrdering_t {
  CURAND_ORDERING_PSEUDO_BEST = 100, CURAND_ORDERING_PSEUDO_DEFAULT = 101, CURAND_ORDERING_PSEUDO_SEEDED = 102,
  CURAND_ORDERING_PSEUDO_LEGACY = 103, CURAND_ORDERING_PSEUDO_DYNAMIC = 104, CURAND_ORDERING_QUASI_DEFAULT = 201
};
enum curandDirectionVectorSet_t {
  CURAND_DIRECTION_VECTORS_32_JOEKUO6 = 101, CURAND_SCRAMBLED_DIRECTION_VECTORS_32_JOEKUO6 = 102,
  CURAND_DIRECTION_VECTORS_64_JOEKUO6 = 103, CURAND_SCRAMBLED_DIRECTION_VECTORS_64_JOEKUO6 = 104
};
enum curandMethod_t {
  CURAND_CHOOSE_BEST = 0, CURAND_ITR = 1, CURAND_KNUTH = 2, CURAND_HITR = 3, CURAND_M1 = 4, CURAND_M2 = 5,
  CURAND_BINARY_SEARCH = 6, CURAND_DISCRETE_GAUSS = 7, CURAND_REJECTION = 8, CURAND_DEVICE_API = 9,
  CURAND_FAST_REJECTION = 10, CURAND_3RD = 11, CURAND_DEFINITION = 12, CURAND_POISSON = 13
};
#ifdef WW_EMULATE /* host code that will run: the generators that programs use */
extern "C" {
curandStatus_t curandCreateGenerator(curandGenerator_t *, curandRngType_t), curandCreateGeneratorHost(curandGenerator_t *, curandRngType_t);
curandStatus_t curandDestroyGenerator(curandGenerator_t), curandGetVersion(int *), curandSetStream(curandGenerator_t, cudaStream_t);
curandStatus_t curandSetPseudoRandomGeneratorSeed(curandGenerator_t, unsigned long long), curandSetGeneratorOffset(curandGenerator_t, unsigned long long);
curandStatus_t curandSetGeneratorOrdering(curandGenerator_t, curandOrdering_t), curandSetQuasiRandomGeneratorDimensions(curandGenerator_t, unsigned int);
curandStatus_t curandGenerateSeeds(curandGenerator_t), curandGenerate(curandGenerator_t, unsigned int *, size_t);
curandStatus_t curandGenerateLongLong(curandGenerator_t, unsigned long long *, size_t);
curandStatus_t curandGenerateUniform(curandGenerator_t, float *, size_t), curandGenerateUniformDouble(curandGenerator_t, double *, size_t);
curandStatus_t curandGenerateNormal(curandGenerator_t, float *, size_t, float, float), curandGenerateNormalDouble(curandGenerator_t, double *, size_t, double, double);
curandStatus_t curandGenerateLogNormal(curandGenerator_t, float *, size_t, float, float), curandGenerateLogNormalDouble(curandGenerator_t, double *, size_t, double, double);
curandStatus_t curandGeneratePoisson(curandGenerator_t, unsigned int *, size_t, double);
}
#else
extern "C" curandStatus_t
    curandCreateGenerator(...), curandCreateGeneratorHost(...), curandCreatePoissonDistribution(...),
    curandDestroyDistribution(...), curandDestroyGenerator(...), curandGenerate(...), curandGenerateBinomial(...),
    curandGenerateBinomialMethod(...), curandGenerateLogNormal(...), curandGenerateLogNormalDouble(...),
    curandGenerateLongLong(...), curandGenerateNormal(...), curandGenerateNormalDouble(...),
    curandGeneratePoisson(...), curandGeneratePoissonMethod(...), curandGenerateSeeds(...),
    curandGenerateUniform(...), curandGenerateUniformDouble(...), curandGetDirectionVectors32(...),
    curandGetDirectionVectors64(...), curandGetProperty(...), curandGetScrambleConstants32(...),
    curandGetScrambleConstants64(...), curandGetVersion(...), curandSetGeneratorOffset(...),
    curandSetGeneratorOrdering(...), curandSetPseudoRandomGeneratorSeed(...),
    curandSetQuasiRandomGeneratorDimensions(...), curandSetStream(...);
#endif
#endif
