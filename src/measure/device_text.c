/* device_text.c - device code as text inside the program: the probe's, which is
 * compiled for the device that is there, NVRTC's stand-in headers, and the PTX of the
 * CUDA backend's own kernels.
 *
 * The assembler includes the files as they are; paths are from the repository's root,
 * where make runs. */
#define TEXT(name, path)                                                          \
  __asm__(".pushsection .rodata\n"                                                \
          ".globl " #name "\n.hidden " #name "\n.type " #name ", %object\n" #name \
          ":\n.incbin \"" path "\"\n.byte 0\n"                                    \
          ".size " #name ", . - " #name "\n.popsection\n")

TEXT(ww_probe_text_ops, "src/measure/probe/ops.cu");
TEXT(ww_probe_text_memory, "src/measure/probe/memory.cu");
TEXT(ww_probe_text_math, "src/measure/probe/math.cu");
TEXT(ww_probe_text_async, "src/measure/probe/async.cu");
TEXT(ww_nvrtc_prelude, "src/measure/nvrtc/prelude.cuh");
TEXT(ww_nvrtc_math, "src/measure/nvrtc/math.cuh");
TEXT(ww_nvrtc_algorithm, "src/measure/nvrtc/algorithm.cuh");
TEXT(ww_nvrtc_cub, "src/measure/nvrtc/cub.cuh");
TEXT(ww_cuda_helpers, "src/measure/cuda/helpers.ptx");
