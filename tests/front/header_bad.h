#pragma once
#include "header_missing_too.h"
__device__ inline float header_sound(float x) { return x * 0.5f; }
__device__ inline float header_lost(float x) { return x * not_declared; }
struct Header {
  not_a_type member;
};
