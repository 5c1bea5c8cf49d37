/* hipCUB: warp and block primitives that execute, device-wide functions declared. Also reached as cub::. */
#ifndef WW_HIPCUB_H
#define WW_HIPCUB_H
#include <hipcub/ww_cub_block.h>
#include <hipcub/ww_cub_device.h>
namespace cub = hipcub;
#endif
