/* nvToolsExt.h: profiler annotations do nothing here. */
#ifndef WW_NVTX_H
#define WW_NVTX_H
#include <stdint.h>
#define NVTX_VERSION 3
#define NVTX_EVENT_ATTRIB_STRUCT_SIZE sizeof(nvtxEventAttributes_t)
typedef uint64_t nvtxRangeId_t;
typedef struct nvtxDomain_st *nvtxDomainHandle_t;
typedef struct nvtxString_st *nvtxStringHandle_t;
enum { NVTX_COLOR_UNKNOWN, NVTX_COLOR_ARGB, NVTX_MESSAGE_UNKNOWN = 0, NVTX_MESSAGE_TYPE_ASCII = 1, NVTX_MESSAGE_TYPE_UNICODE };
union nvtxMessageValue_t { const char *ascii; const wchar_t *unicode; };
struct nvtxEventAttributes_t {
  uint16_t version, size;
  uint32_t category;
  int32_t colorType;
  uint32_t color;
  int32_t payloadType;
  union payload_t { uint64_t ullValue; int64_t llValue; double dValue; } payload;
  int32_t messageType;
  nvtxMessageValue_t message;
};
extern "C" int nvtxRangePushA(...), nvtxRangePushEx(...), nvtxRangePop(...), nvtxDomainRangePushEx(...), nvtxDomainRangePop(...);
extern "C" nvtxRangeId_t nvtxRangeStartA(...), nvtxRangeStartEx(...);
extern "C" void nvtxRangeEnd(...), nvtxMarkA(...), nvtxMarkEx(...), nvtxNameOsThreadA(...), nvtxNameCudaStreamA(...), nvtxDomainDestroy(...), nvtxInitialize(...);
extern "C" nvtxDomainHandle_t nvtxDomainCreateA(...);
#define nvtxRangePush nvtxRangePushA
#define nvtxRangeStart nvtxRangeStartA
#define nvtxMark nvtxMarkA
#endif
