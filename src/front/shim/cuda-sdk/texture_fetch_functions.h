/* texture_fetch_functions.h: gone from CUDA 13; clang-19's runtime wrapper still includes it. */
