/* nvrtc.h: run-time compilation, type-checked only. */
#ifndef WW_NVRTC_H
#define WW_NVRTC_H
#include <stddef.h>
typedef struct _nvrtcProgram *nvrtcProgram;
enum nvrtcResult { NVRTC_SUCCESS, NVRTC_ERROR_OUT_OF_MEMORY, NVRTC_ERROR_PROGRAM_CREATION_FAILURE, NVRTC_ERROR_INVALID_INPUT, NVRTC_ERROR_INVALID_PROGRAM, NVRTC_ERROR_INVALID_OPTION, NVRTC_ERROR_COMPILATION };
extern "C" const char *nvrtcGetErrorString(...);
extern "C" nvrtcResult nvrtcVersion(...), nvrtcCreateProgram(...), nvrtcDestroyProgram(...), nvrtcCompileProgram(...), nvrtcGetPTXSize(...),
    nvrtcGetPTX(...), nvrtcGetCUBINSize(...), nvrtcGetCUBIN(...), nvrtcGetProgramLogSize(...), nvrtcGetProgramLog(...),
    nvrtcAddNameExpression(...), nvrtcGetLoweredName(...);
#endif
