/* helper_cuda.h of NVIDIA's samples: the error-check macros and device queries programs use from it. */
#ifndef WW_HELPER_CUDA_H
#define WW_HELPER_CUDA_H
#include "ww_cuda.h"
#include "helper_string.h"
#define checkCudaErrors(x) ((void)(x))
#define getLastCudaError(msg) ((void)(msg))
#define printLastCudaError(msg) ((void)(msg))
template <class T> inline const char *_cudaGetErrorEnum(T) { return ""; }
template <class T> inline void check(T, const char *, const char *, int) {}
inline int ftoi(float v) { return (int)(v >= 0 ? v + 0.5f : v - 0.5f); }
inline int _ConvertSMVer2Cores(int, int) { return 128; }
inline const char *_ConvertSMVer2ArchName(int, int) { return ""; }
inline int gpuDeviceInit(int) { return 0; }
inline int gpuGetMaxGflopsDeviceId(void) { return 0; }
inline int findCudaDevice(int, const char **) { return 0; }
inline int findIntegratedGPU(void) { return 0; }
inline bool checkCudaCapabilities(int, int) { return true; }
#ifndef MAX
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#endif
#ifndef EXIT_WAIVED
#define EXIT_WAIVED 2
#endif
#endif
