/* cupti_api.h - own declarations of the parts of CUPTI (12.6 and newer) that cupti.c
 * calls; the library is opened at run time.
 *
 * NVIDIA's headers for these are C++. Each parameter struct begins with its size up to
 * its last member: SIZED fills it. */
#ifndef WW_MEASURE_CUPTI_API_H
#define WW_MEASURE_CUPTI_API_H

#include <stddef.h>
#include <stdint.h>

#define CUPTI_HEAD \
  size_t size;     \
  void *priv

typedef struct {
  CUPTI_HEAD;
} cupti_initialize;
typedef struct {
  CUPTI_HEAD;
  size_t device;
  const char *name;
} cupti_chip_name;
typedef struct {
  CUPTI_HEAD;
  void *context;
  size_t image_size;
  uint8_t *image;
} cupti_availability;

/* host side: names to configurations, images to values */
typedef struct {
  CUPTI_HEAD;
  int kind;
  const char *chip;
  const uint8_t *availability;
  void *host;
} cupti_host_initialize;
typedef struct {
  CUPTI_HEAD;
  void *host;
} cupti_host_deinitialize;
typedef struct {
  CUPTI_HEAD;
  void *host;
  const char **names;
  size_t n;
} cupti_add_metrics;
typedef struct {
  CUPTI_HEAD;
  void *host;
  size_t image_size;
} cupti_config_size;
typedef struct {
  CUPTI_HEAD;
  void *host;
  size_t image_size;
  uint8_t *image;
} cupti_config_image;
typedef struct {
  CUPTI_HEAD;
  size_t image_size;
  uint8_t *image;
  size_t passes;
} cupti_passes;
typedef struct {
  CUPTI_HEAD;
  void *host;
  const uint8_t *image;
  size_t image_size, range;
  const char **names;
  size_t n;
  double *values;
} cupti_evaluate;

/* device side: the range profiler */
typedef struct {
  CUPTI_HEAD;
  void *context, *profiler;
} cupti_enable;
typedef struct {
  CUPTI_HEAD;
  void *profiler;
} cupti_profiler; /* disable, start, pop_range */
typedef struct {
  CUPTI_HEAD;
  void *profiler;
  const char *name;
} cupti_push_range;
typedef struct {
  CUPTI_HEAD;
  void *profiler;
  const char **names;
  size_t n, ranges;
  uint32_t nodes;
  size_t image_size;
} cupti_data_size;
typedef struct {
  CUPTI_HEAD;
  void *profiler;
  size_t image_size;
  uint8_t *image;
} cupti_data_initialize;
typedef struct {
  CUPTI_HEAD;
  void *profiler;
  size_t config_size;
  const uint8_t *config;
  size_t image_size;
  uint8_t *image;
  int range, replay;
  size_t ranges;
  uint16_t levels, least_level;
  size_t pass;
  uint16_t target_level;
} cupti_set_config;
typedef struct {
  CUPTI_HEAD;
  void *profiler;
  size_t pass, level;
  uint8_t all_passes;
} cupti_stop;
typedef struct {
  CUPTI_HEAD;
  void *profiler;
  size_t dropped;
} cupti_decode;
typedef struct {
  CUPTI_HEAD;
  const uint8_t *image;
  size_t image_size, ranges;
} cupti_data_info;

enum {
  CUPTI_AUTO_RANGE = 1,
  CUPTI_USER_RANGE = 2,
  CUPTI_USER_REPLAY = 3,
  CUPTI_RANGE_PROFILER = 0
};
enum { CUPTI_INSUFFICIENT_PRIVILEGES = 35, CUPTI_VIRTUALIZED_PRIVILEGES = 40 };

/* Up to and including the last member, as CUPTI's own macro counts. */
#define SIZED(T, last, ...) \
  ((T){.size = offsetof(T, last) + sizeof(((T *)0)->last), __VA_ARGS__})

/* name in the library, member of the table of functions, parameter struct */
#define CUPTI_FUNCTIONS(X)                                                     \
  X(cuptiProfilerInitialize, initialize, cupti_initialize)                     \
  X(cuptiDeviceGetChipName, chip_name, cupti_chip_name)                        \
  X(cuptiProfilerGetCounterAvailability, availability, cupti_availability)     \
  X(cuptiProfilerHostInitialize, host_initialize, cupti_host_initialize)       \
  X(cuptiProfilerHostDeinitialize, host_deinitialize, cupti_host_deinitialize) \
  X(cuptiProfilerHostConfigAddMetrics, add_metrics, cupti_add_metrics)         \
  X(cuptiProfilerHostGetConfigImageSize, config_size, cupti_config_size)       \
  X(cuptiProfilerHostGetConfigImage, config_image, cupti_config_image)         \
  X(cuptiProfilerHostGetNumOfPasses, passes, cupti_passes)                     \
  X(cuptiProfilerHostEvaluateToGpuValues, evaluate, cupti_evaluate)            \
  X(cuptiRangeProfilerEnable, enable, cupti_enable)                            \
  X(cuptiRangeProfilerDisable, disable, cupti_profiler)                        \
  X(cuptiRangeProfilerGetCounterDataSize, data_size, cupti_data_size)          \
  X(cuptiRangeProfilerCounterDataImageInitialize, data_initialize,             \
    cupti_data_initialize)                                                     \
  X(cuptiRangeProfilerSetConfig, set_config, cupti_set_config)                 \
  X(cuptiRangeProfilerStart, start, cupti_profiler)                            \
  X(cuptiRangeProfilerPushRange, push_range, cupti_push_range)                 \
  X(cuptiRangeProfilerPopRange, pop_range, cupti_profiler)                     \
  X(cuptiRangeProfilerStop, stop, cupti_stop)                                  \
  X(cuptiRangeProfilerDecodeData, decode, cupti_decode)                        \
  X(cuptiRangeProfilerGetCounterDataInfo, data_info, cupti_data_info)

typedef struct {
#define X(symbol, member, T) int (*member)(T *);
  CUPTI_FUNCTIONS(X)
#undef X
  int (*result_string)(int, const char **);
} cupti_api;

#endif
