/* cuda_fp8.h: see common/ww_fp8.h. */
#ifndef WW_CUDA_FP8_H
#define WW_CUDA_FP8_H
#include "cuda_bf16.h"
#include "ww_fp8.h"
#endif
