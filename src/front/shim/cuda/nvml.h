/* nvml.h: the management library's common calls, type-checked only. */
#ifndef WW_NVML_H
#define WW_NVML_H
#include <stddef.h>
typedef struct nvmlDevice_st *nvmlDevice_t;
enum nvmlReturn_t { NVML_SUCCESS, NVML_ERROR_UNINITIALIZED, NVML_ERROR_INVALID_ARGUMENT, NVML_ERROR_NOT_SUPPORTED, NVML_ERROR_UNKNOWN = 999 };
enum nvmlClockType_t { NVML_CLOCK_GRAPHICS, NVML_CLOCK_SM, NVML_CLOCK_MEM, NVML_CLOCK_VIDEO };
enum nvmlTemperatureSensors_t { NVML_TEMPERATURE_GPU };
struct nvmlUtilization_t { unsigned int gpu, memory; };
struct nvmlMemory_t { unsigned long long total, free, used; };
#define NVML_DEVICE_NAME_BUFFER_SIZE 64
extern "C" const char *nvmlErrorString(...);
extern "C" nvmlReturn_t
    nvmlInit(...), nvmlInit_v2(...), nvmlShutdown(...), nvmlDeviceGetCount(...), nvmlDeviceGetHandleByIndex(...), nvmlDeviceGetHandleByPciBusId(...),
    nvmlDeviceGetHandleByUUID(...), nvmlDeviceGetName(...), nvmlDeviceGetPowerUsage(...), nvmlDeviceGetTotalEnergyConsumption(...),
    nvmlDeviceGetTemperature(...), nvmlDeviceGetClockInfo(...), nvmlDeviceGetMaxClockInfo(...), nvmlDeviceGetUtilizationRates(...),
    nvmlDeviceGetMemoryInfo(...), nvmlDeviceSetApplicationsClocks(...), nvmlDeviceResetApplicationsClocks(...), nvmlSystemGetDriverVersion(...);
#endif
