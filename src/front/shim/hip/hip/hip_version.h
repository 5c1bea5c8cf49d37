/* The ROCm release whose API this shim follows; clang's own headers look at it. */
#pragma once
#define HIP_VERSION_MAJOR 6
#define HIP_VERSION_MINOR 2
#define HIP_VERSION_PATCH 0
