/* helper_math.h of NVIDIA's samples: see common/ww_vec_math.h. */
#include "ww_cuda.h"
#include "ww_vec_math.h"
