/* nvcc.c - a whole .cu file through nvcc: its host code decides which templates are
 * instantiated. Those that it does not instantiate are asked for by name. */
#include "../cuda/nvcc.h"
#include "compile_int.h"

#define NVCC_LIMIT 600.0 /* seconds for one file */

ww_status ww_nvcc_compile(const ww_unit_job *u,
                          const char *nvcc,
                          const ww_strings *instances,
                          ww_err *e) {
  char *code;
  size_t n;
  ww_nvcc_job j = {.nvcc = nvcc,
                   .form = "-cubin",
                   .architecture = u->architecture,
                   .file = u->file,
                   .text = u->text,
                   .flags = &u->flags,
                   .instances = instances,
                   .timeout_s = NVCC_LIMIT};
  ww_status st = ww_nvcc_run(&j, u->a, &code, &n, e);
  return st ? st : ww_write_file_atomic(u->out, code, n, e);
}
