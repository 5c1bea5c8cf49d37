/* cub/cub.cuh: thread, warp and block collectives run for real; device-wide algorithms are accepted (ww_cub_device.cuh). */
#ifndef WW_CUB_CUH
#define WW_CUB_CUH
#include <chrono> /* the real library brings these in, and programs rely on it */
#include <iostream>
#include <vector>
#include <cub/ww_cub_util.cuh>
#include <cub/ww_cub_warp.cuh>
#include <cub/ww_cub_block_scan.cuh>
#include <cub/ww_cub_block_io.cuh>
#include <cub/ww_cub_block_sort.cuh>
#include <cub/ww_cub_device.cuh>
#endif
