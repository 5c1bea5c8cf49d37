/* openmp.c - what OpenMP needs beside its two compiles: our device runtime as bitcode,
 * and the kernel environments.
 *
 * The runtime (shim/openmp/ww_devicertl.c) is linked into every device unit before
 * optimisation, so that LLVM's OpenMP pass can specialise it. It comes in a flat and a
 * nested build; clang says in a kernel's environment whether parallel regions may nest.
 * Both are compiled once and kept in the cache. */
#include "isolate.h"
#include "llvm_read.h"
#include "openmp.h"

#include <llvm-c/BitReader.h>

static uint64_t
runtime_key(const ww_clang *clang, const char *source, bool nested, ww_arena *a) {
  uint64_t id[2] = {ww_pch_tree(ww_path_dir(a, source), a), nested};
  return ww_hash(id, sizeof id, ww_hash(clang->id, strlen(clang->id), 0));
}

static ww_status build_runtime(const ww_clang *clang,
                               const char *source,
                               bool nested,
                               ww_run_result *r,
                               ww_err *e) {
  const char *argv[] = {clang->path,
                        "--no-default-config",
                        "-x",
                        "c",
                        "--target=nvptx64-nvidia-cuda",
                        "-march=sm_90",
                        "-ffreestanding",
                        "-nogpulib",
                        "--cuda-path=/nonexistent",
                        "-std=c17",
                        "-O2",
                        "-w",
                        "-fno-crash-diagnostics",
                        "-Xclang",
                        "-target-feature",
                        "-Xclang",
                        "+ptx85",
                        "-Xclang",
                        "-disable-llvm-passes",
                        "-emit-llvm",
                        "-c",
                        source,
                        "-o",
                        "-",
                        nested ? "-DWW_NESTED" : NULL,
                        NULL};
  ww_status rc =
      ww_clang_run(argv, &(ww_clang_may){.starts = WW_STARTS_ITSELF}, 60, r, e);
  if (!rc && (r->exit_code || r->out.n < 8))
    rc = ww_fail(e, WW_EDATA,
                 "clang cannot compile OpenMP's device runtime '%s': %.200s", source,
                 r->err.s);
  return rc;
}

ww_status ww_openmp_runtime(const ww_clang_job *j,
                            bool nested,
                            ww_arena *a,
                            const char **path,
                            int *fd,
                            ww_err *e) {
  const char *source = ww_path_join(a, ww_shim_dir(a), "openmp/ww_devicertl.c");
  const char *cache = j->no_cache ? NULL : ww_front_cache(a);
  const char *file =
      cache ? ww_fmt(a, "%s/omp-%016llx.bc", cache,
                     (unsigned long long)runtime_key(j->clang, source, nested, a))
            : NULL;
  *fd = -1;
  *path = file;
  if (file && ww_file_exists(file))
    return WW_OK;
  ww_run_result r;
  ww_status rc = build_runtime(j->clang, source, nested, &r, e);
  if (!rc && !(file && !ww_write_file_atomic(file, r.out.s, r.out.n, NULL))) {
    *fd = ww_memfd(r.out.s, r.out.n, a, path);
    if (*fd < 0)
      rc = ww_fail(e, WW_EIO, "cannot make an anonymous file");
  }
  ww_run_free(&r);
  return rc;
}

/* ---- environments ---- */

static int64_t field(LLVMValueRef config, unsigned i) {
  LLVMValueRef v = LLVMGetAggregateElement(config, i);
  return v && LLVMIsAConstantInt(v) ? LLVMConstIntGetSExtValue(v) : 0;
}

static void add_environment(LLVMValueRef g, ww_arena *a, ww_omp_envs *out) {
  static const char ending[] = "_kernel_environment";
  const char *name = low_name(g);
  LLVMValueRef init = ww_ends(name, ending) ? LLVMGetInitializer(g) : NULL;
  LLVMValueRef config = init ? LLVMGetAggregateElement(init, 0) : NULL;
  if (!config)
    return;
  ww_push(a, out,
          (ww_omp_env){.kernel = ww_strndup(a, name, strlen(name) - strlen(ending)),
                       .may_nest = field(config, 1) != 0,
                       .bounds = {.mode = field(config, 2),
                                  .min_threads = field(config, 3),
                                  .max_threads = field(config, 4)}});
}

void ww_openmp_environments(const ww_compiled *c, ww_arena *a, ww_omp_envs *out) {
  ww_isolate_enter();
  LLVMContextRef ctx = LLVMContextCreate();
  LLVMMemoryBufferRef b =
      LLVMCreateMemoryBufferWithMemoryRange(c->bitcode, c->n, "device", 0);
  LLVMModuleRef m;
  if (!LLVMParseBitcodeInContext2(ctx, b, &m)) {
    for (LLVMValueRef g = LLVMGetFirstGlobal(m); g; g = LLVMGetNextGlobal(g))
      add_environment(g, a, out);
    LLVMDisposeModule(m);
  }
  LLVMDisposeMemoryBuffer(b);
  LLVMContextDispose(ctx);
  ww_isolate_leave();
}
