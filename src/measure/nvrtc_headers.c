/* nvrtc_headers.c - stand-ins for the standard headers that NVRTC has no files of.
 *
 * nvcc's device code sees the C and C++ headers of the host; NVRTC sees none. Most are
 * about the host alone and are taken out with its code (device_code.c); what device
 * code uses of the rest is small and stands in one prelude (nvrtc/prelude.cuh), which
 * every program gets. Of CUB there is what runs inside a kernel; the rest of it
 * launches kernels. 64-bit integers are long long, as NVIDIA's own headers have them
 * under NVRTC. */
#include "compile_int.h"

#define FROM_CUDA_STD(name)                                     \
  {                                                             \
    name, "#pragma once\n#include <cuda/std/" name              \
          ">\nnamespace std { using namespace ::cuda::std; }\n" \
  }
#define NOTHING(name) \
  { name, "#pragma once\n" }

const char *const ww_nvrtc_headers[][2] = {
    {"ww_nvrtc.h", ww_nvrtc_prelude},
    {"math.h", ww_nvrtc_math},
    {"cmath", ww_nvrtc_math},
    {"algorithm", ww_nvrtc_algorithm},
    {"cub/cub.cuh", ww_nvrtc_cub},
    FROM_CUDA_STD("limits"),
    FROM_CUDA_STD("type_traits"),
    FROM_CUDA_STD("utility"),
    FROM_CUDA_STD("tuple"),
    FROM_CUDA_STD("array"),
    FROM_CUDA_STD("complex"),
    FROM_CUDA_STD("initializer_list"),
    NOTHING("stdint.h"),
    NOTHING("cstdint"),
    NOTHING("inttypes.h"),
    NOTHING("cinttypes"),
    NOTHING("stddef.h"),
    NOTHING("cstddef"),
    NOTHING("stdbool.h"),
    NOTHING("float.h"),
    NOTHING("cfloat"),
    NOTHING("limits.h"),
    NOTHING("climits"),
    NOTHING("assert.h"),
    NOTHING("cassert"),
    NOTHING("values.h"),
    {NULL, NULL},
};
