/* rocRAND names are defined next to hipRAND's. */
#pragma once
#include "../hiprand/hiprand_kernel.h"
typedef curandState_t rocrand_state_xorwow;
typedef curandStatePhilox4_32_10_t rocrand_state_philox4x32_10;
typedef curandStateMRG32k3a_t rocrand_state_mrg32k3a;
