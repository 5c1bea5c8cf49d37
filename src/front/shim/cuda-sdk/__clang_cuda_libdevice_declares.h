/* Found before clang's header of this name: libdevice as the shim declares it (ww_libdevice.h says why), which comes back
 * here for clang's own. */
#ifndef WW_SDK_LIBDEVICE
#define WW_SDK_LIBDEVICE
#include "../cuda/ww_libdevice.h"
#else
#include_next <__clang_cuda_libdevice_declares.h>
#endif
