/* Prelude of every HIP unit: `-include ww_hip.h` stands in for the ROCm headers.
 *
 * Device functions here execute correctly: each one is C++, an llvm.amdgcn/llvm intrinsic, an __ocml_*
 * call, or one of the few __ww_* externals listed in ../README-dialects.md. Host functions are only
 * declared: host code is parsed and checked but never compiled or run.
 *
 * The file is PCH-able: it depends on no -D flag of the unit. Wavefronts have 64 lanes (gfx90a). */
#ifndef WW_HIP_H
#define WW_HIP_H

#define __HIP_PLATFORM_AMD__ 1
#define __HIP_PLATFORM_HCC__ 1
#define __HIPCC__ 1
#ifndef __HIP_DEVICE_COMPILE__
#define __HIP_DEVICE_COMPILE__ 1
#endif

#include <__clang_hip_runtime_wrapper.h> /* keywords, math on top of __ocml_*, operator new */

#include <assert.h>
#include <float.h>
#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <chrono> /* ROCm's headers bring it, and host code relies on that */
#include <limits>
#include <type_traits>

#include "ww_hip_keywords.h"
#include "ww_hip_vector.h"
#include "ww_hip_ids.h"
#include "ww_hip_system.h"
#include "ww_hip_intrin.h"
#include "ww_hip_math.h"
#include "ww_hip_warp.h"
#include "ww_hip_atomic.h"
#include "ww_hip_api.h"
#include "ww_hip_texture.h"

#endif
