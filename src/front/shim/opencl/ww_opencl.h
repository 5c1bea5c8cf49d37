/* Prelude of every OpenCL unit: the OpenCL C built-in functions, written in OpenCL C.
 *
 * The unit is compiled for `nvptx64--nvidiacl` with `-include ww_opencl.h`; clang's own opencl-c-base.h (types, constants,
 * as_type) is included before it. Every function here ends in plain IR, an llvm.nvvm.* / llvm.* intrinsic or a libdevice call
 * __nv_*, exactly as the CUDA shim's do, so the lowering needs no table of OpenCL names. A built-in that is not defined
 * here is still declared by clang on the fly and stays an external call with a mangled name: see ../README-dialects.md.
 *
 * Once a name is defined here clang no longer supplies its other overloads, so each file covers all overloads of its names.
 * Everything is always_inline: what a kernel does not use costs nothing in its IR. PCH-able; needs CL1.2 or later. */
#ifndef WW_OPENCL_H
#define WW_OPENCL_H

#include "ww_cl_macros.h"
#include "ww_cl_work.h"
#include "ww_cl_relational.h"
#include "ww_cl_integer.h"
#include "ww_cl_math.h"
#include "ww_cl_common.h"
#include "ww_cl_geometric.h"
#include "ww_cl_memory.h"
#include "ww_cl_convert.h"
#include "ww_cl_atomic.h"
#include "ww_cl_group.h"
#include "ww_cl_image.h"

#endif
