/* hipRAND's host API. */
#ifndef WW_HIPRAND_H
#define WW_HIPRAND_H
#include <ww_hip.h>

typedef enum hiprandStatus_t { HIPRAND_STATUS_SUCCESS = 0, HIPRAND_STATUS_ALLOCATION_FAILED = 102 } hiprandStatus_t, hiprandStatus;
typedef enum hiprandRngType_t {
  HIPRAND_RNG_PSEUDO_DEFAULT = 400, HIPRAND_RNG_PSEUDO_XORWOW, HIPRAND_RNG_PSEUDO_MRG32K3A, HIPRAND_RNG_PSEUDO_MTGP32, HIPRAND_RNG_PSEUDO_MT19937,
  HIPRAND_RNG_PSEUDO_PHILOX4_32_10, HIPRAND_RNG_QUASI_DEFAULT = 500, HIPRAND_RNG_QUASI_SOBOL32
} hiprandRngType_t;
typedef enum hiprandOrdering_t { HIPRAND_ORDERING_PSEUDO_BEST = 100, HIPRAND_ORDERING_PSEUDO_DEFAULT, HIPRAND_ORDERING_PSEUDO_SEEDED, HIPRAND_ORDERING_PSEUDO_LEGACY, HIPRAND_ORDERING_PSEUDO_DYNAMIC, HIPRAND_ORDERING_QUASI_DEFAULT = 201 } hiprandOrdering_t;
WW_HOST_HANDLE(hiprandGenerator_t)
#define WW_HIPRAND(name) WW_HOST_CALL(hiprandStatus_t, name)
WW_HIPRAND(hiprandCreateGenerator) WW_HIPRAND(hiprandCreateGeneratorHost) WW_HIPRAND(hiprandDestroyGenerator) WW_HIPRAND(hiprandSetPseudoRandomGeneratorSeed)
WW_HIPRAND(hiprandSetGeneratorOffset) WW_HIPRAND(hiprandSetStream) WW_HIPRAND(hiprandSetGeneratorOrdering) WW_HIPRAND(hiprandGenerateLong) WW_HIPRAND(hiprandSetQuasiRandomGeneratorDimensions) WW_HIPRAND(hiprandGenerate) WW_HIPRAND(hiprandGenerateUniform)
WW_HIPRAND(hiprandGenerateUniformDouble) WW_HIPRAND(hiprandGenerateNormal) WW_HIPRAND(hiprandGenerateNormalDouble) WW_HIPRAND(hiprandGenerateLogNormal)
WW_HIPRAND(hiprandGeneratePoisson) WW_HIPRAND(hiprandGenerateSeeds)
#undef WW_HIPRAND
#endif
