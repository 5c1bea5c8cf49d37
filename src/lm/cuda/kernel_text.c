/* kernel_text.c - the kernels' sources as text inside the program, beside them what
 * nvcc made of them (WW_LM_FATBINS: the folder it is in).
 *
 * The assembler includes the files as they are; paths are from the repository's root,
 * where make runs. */
#include "kernel_text.h"

#define BYTES(name, path)                                                         \
  __asm__(".pushsection .rodata\n.balign 64\n"                                    \
          ".globl " #name "\n.hidden " #name "\n.type " #name ", %object\n" #name \
          ":\n.incbin \"" path "\"\n.byte 0\n"                                    \
          ".size " #name ", . - " #name "\n.popsection\n")

#define UNIT(name)                                      \
  BYTES(ww_lm_unit_##name, "src/lm/cuda/" #name ".cu"); \
  extern __attribute__((visibility("hidden"))) const char ww_lm_unit_##name[];
#define HEADER(name)                                       \
  BYTES(ww_lm_header_##name, "src/lm/cuda/" #name ".cuh"); \
  extern __attribute__((visibility("hidden"))) const char ww_lm_header_##name[];
#include "units.def"

#ifdef WW_LM_FATBINS
#define UNIT(name)                                             \
  BYTES(ww_lm_code_##name, WW_LM_FATBINS "/" #name ".fatbin"); \
  extern __attribute__((visibility("hidden"))) const uint8_t ww_lm_code_##name[];
#include "units.def"
#define CODE(name) ww_lm_code_##name
#else
#define CODE(name) NULL
#endif

const ww_kernel_text ww_kernel_units[WW_NUNITS] = {
#define UNIT(name) {#name ".cu", ww_lm_unit_##name, CODE(name)},
#include "units.def"
};

const ww_kernel_text ww_kernel_headers[] = {
#define HEADER(name) {#name ".cuh", ww_lm_header_##name, NULL},
#include "units.def"
    {NULL, NULL, NULL}};
