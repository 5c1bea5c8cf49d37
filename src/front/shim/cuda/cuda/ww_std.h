/* cuda::std is the standard library seen from another namespace: what is constexpr there runs on the device too. */
#ifndef WW_CUDA_STD_H
#define WW_CUDA_STD_H
#include "../ww_cuda.h"
namespace cuda { namespace std { using namespace ::std; } }
#endif
