/* fatbin.h - PTX inside compiled CUDA code: fat binaries, and ELF files that hold them.
 */
#ifndef WW_CUDA_FATBIN_H
#define WW_CUDA_FATBIN_H

#include "../base/base.h"

#define WW_FATBIN_MAGIC 0xba55ed50u
#define WW_FATBIN_WRAPPER 0x466243b1u /* a struct of the runtime that points to one */
#define WW_FATBIN_HEAD 16             /* bytes that ww_fatbin_bytes looks at */

/* It begins as a fat binary or an ELF file does. */
bool ww_fatbin_given(const void *image, size_t n);
/* All of the fat binary whose head this is; 0: it is none. */
size_t ww_fatbin_bytes(const void *head);
/* The PTX in it, of the newest architecture where there are several; in the arena,
 * ended by a NUL. WW_EDATA: there is none (machine code alone), or it is damaged. */
ww_status ww_fatbin_ptx(
    const void *image, size_t n, ww_arena *a, char **ptx, size_t *ptx_n, ww_err *e);

#endif
