/* hostlaunch.c - the launches that a program's own host code shows.
 *
 * The host half of the sources is compiled without optimisation passes, then optimised
 * here: with everything but main made internal LLVM propagates constants through the
 * whole file, and kernel stubs can be kept from being inlined. What is not a constant
 * after that is not given. Nothing in this file fails a caller: no launch found is an
 * answer. */
#include "hostlaunch_int.h"
#include "isolate.h"

#include <llvm-c/BitReader.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <stdlib.h>

static void hide(LLVMValueRef global) {
  if (LLVMIsDeclaration(global))
    return;
  LLVMSetComdat(global, NULL);
  LLVMSetLinkage(global, LLVMInternalLinkage);
  LLVMSetVisibility(global, LLVMDefaultVisibility);
}

/* A whole program: nobody else calls its functions or writes its variables. */
static void close_world(LLVMModuleRef m) {
  LLVMValueRef entry = LLVMGetNamedFunction(m, "main");
  if (!entry || LLVMIsDeclaration(entry))
    return;
  for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f))
    if (f != entry)
      hide(f);
  for (LLVMValueRef g = LLVMGetFirstGlobal(m); g; g = LLVMGetNextGlobal(g)) {
    const char *name = low_name(g);
    if (LLVMGetLinkage(g) != LLVMAppendingLinkage && !ww_starts(name, "llvm.") &&
        name[0] != '.')
      hide(g);
  }
}

/* main's number of arguments becomes 1, as of a program that is run without any: what
 * it then takes for its sizes are its defaults. False: main does not look at it. Code
 * that was not optimised stores a parameter first, and loads it where it is used. */
static bool take_no_arguments(LLVMModuleRef m) {
  LLVMValueRef entry = LLVMGetNamedFunction(m, "main");
  if (!entry || LLVMIsDeclaration(entry) || LLVMCountParams(entry) < 1)
    return false;
  LLVMValueRef count = LLVMGetParam(entry, 0);
  bool used = false;
  for (LLVMUseRef u = LLVMGetFirstUse(count); u; u = LLVMGetNextUse(u)) {
    LLVMValueRef user = LLVMGetUser(u);
    LLVMValueRef place = LLVMIsAStoreInst(user) ? LLVMGetOperand(user, 1) : NULL;
    LLVMUseRef first = place ? LLVMGetFirstUse(place) : NULL;
    used |= !place || (first && LLVMGetNextUse(first));
  }
  if (used)
    LLVMReplaceAllUsesWith(count, LLVMConstInt(LLVMTypeOf(count), 1, 0));
  return used;
}

static bool optimise(LLVMModuleRef m) {
  LLVMPassBuilderOptionsRef o = LLVMCreatePassBuilderOptions();
  LLVMPassBuilderOptionsSetLoopUnrolling(o, 0); /* one launch in the source stays one */
  LLVMPassBuilderOptionsSetLoopVectorization(o, 0);
  LLVMPassBuilderOptionsSetSLPVectorization(o, 0);
  LLVMErrorRef err = LLVMRunPasses(m, "default<O2>", NULL, o);
  LLVMDisposePassBuilderOptions(o);
  if (!err)
    return true;
  LLVMConsumeError(err);
  return false;
}

/* What was left out of the file is nobody's business here. */
static bool compiles(const ww_clang_job *j, ww_arena *a, ww_compiled *c) {
  ww_losses losses = {0};
  ww_diags diags = {0};
  return !ww_front_compile(j, a, c, &losses, &diags, NULL) && c->ok;
}

/* Shapes of OpenMP launches depend on what the device compile decided about each
 * kernel. */
static void environments(const ww_clang_job *host, ww_arena *a, ww_omp_envs *out) {
  ww_clang_job device = *host;
  ww_compiled c;
  device.host = false;
  if (compiles(&device, a, &c))
    ww_openmp_environments(&c, a, out);
}

static void
find_launches(const ww_host_ir *h, const ww_clang_job *j, const ww_omp_envs *envs) {
  ww_dialect d = j->dialect;
  bool stubs = d == WW_CUDA || d == WW_HIP;
  if (stubs)
    ww_hostlaunch_prepare_cuda(h);
  close_world(h->m);
  if (!optimise(h->m))
    return;
  if (stubs)
    ww_hostlaunch_cuda(h);
  if (d == WW_OPENMP)
    ww_hostlaunch_openmp(h, envs);
  if (d == WW_OPENCL)
    ww_hostlaunch_opencl(h);
}

typedef struct {
  const ww_compiled *c;
  const ww_clang_job *j;
  ww_omp_envs envs;
  ww_arena *a;
} reading;

/* What LLVM could not do with the host's loops is no concern of who asks for launches.
 */
static void say_nothing(LLVMDiagnosticInfoRef what, void *ctx) {
  (void)what;
  (void)ctx;
}

/* defaults: the program is run without arguments. False: it does not look at any. */
static bool read_module(const reading *r, bool defaults, ww_host_launches *out) {
  LLVMContextRef ctx = LLVMContextCreate();
  LLVMContextSetDiagnosticHandler(ctx, say_nothing, NULL);
  LLVMMemoryBufferRef b =
      LLVMCreateMemoryBufferWithMemoryRange(r->c->bitcode, r->c->n, "host", 0);
  LLVMModuleRef m;
  bool looks = true;
  if (!LLVMParseBitcodeInContext2(ctx, b, &m)) {
    ww_host_ir h = {.m = m,
                    .layout = LLVMGetModuleDataLayout(m),
                    .a = r->a,
                    .file = r->j->file,
                    .out = out};
    looks = defaults && take_no_arguments(m);
    find_launches(&h, r->j, &r->envs);
    LLVMDisposeModule(m);
  }
  LLVMDisposeMemoryBuffer(b);
  LLVMContextDispose(ctx);
  return looks;
}

/* A program that only says how it is used when it gets no arguments launches nothing
 * then: so it is read with any. */
static void read_bitcode(const reading *r, ww_host_launches *out) {
  bool looks = read_module(r, true, out);
  for (uint32_t k = 0; looks && k < out->n; k++)
    out->v[k].defaults = true;
  if (looks && !out->n)
    read_module(r, false, out);
}

static void read_in_child(void *ctx, ww_buf *out) {
  ww_host_launches found = {0};
  read_bitcode(ctx, &found);
  ww_hostlaunch_put(&found, out);
}

/* In a child where LLVM runs in those: what takes too long or fails there has no
 * launches. */
static void read_launches(const ww_compiled *c,
                          const ww_clang_job *j,
                          ww_arena *a,
                          ww_host_launches *out) {
  reading r = {.c = c, .j = j, .a = a};
  ww_buf b;
  if (j->dialect == WW_OPENMP)
    environments(j, a, &r.envs);
  if (!ww_isolated()) {
    read_bitcode(&r, out);
    return;
  }
  ww_child child = ww_isolate_child(j->deadline);
  child.work = read_in_child;
  child.ctx = &r;
  if (!ww_child_run(&child, &b, NULL))
    ww_hostlaunch_take(&b, a, out);
  ww_buf_free(&b);
}

static int by_line(const void *x, const void *y) {
  const ww_host_launch *a = x;
  const ww_host_launch *b = y;
  int c = strcmp(a->file ? a->file : "", b->file ? b->file : "");
  return c ? c : a->line < b->line ? -1 : a->line > b->line;
}

/* The device sources of OpenCL have no host half; the other dialects' files have both.
 */
static bool has_host_half(const ww_scan *s, const char *file, ww_dialect d) {
  const char *dot = strrchr(file, '.');
  if (d == WW_OPENCL)
    return dot && strcmp(dot, ".cl") && strcmp(dot, ".h") &&
           strstr(s->text, "clEnqueueNDRangeKernel");
  if (d == WW_OPENMP)
    return strstr(s->text, "omp");
  return strstr(s->text, "<<<") || strstr(s->text, "Launch");
}

ww_status ww_front_host_launches(const ww_front_options *o,
                                 ww_arena *a,
                                 ww_host_launch **out,
                                 uint32_t *n,
                                 ww_err *e) {
  ww_host_launches found = {0};
  ww_flags flags;
  ww_clang clang;
  *out = NULL;
  *n = 0;
  if (ww_ptx_given(o))
    return WW_OK;
  ww_flags_sort(o->flags, o->nflags, a, &flags);
  int d = o->dialect >= 0 ? o->dialect : flags.dialect;
  ww_scan *scans = WW_NEWN(a, ww_scan, o->nfiles);
  for (uint32_t i = 0; i < o->nfiles; i++) {
    ww_status rc = ww_front_scan(o, i, a, &scans[i], e);
    if (rc)
      return rc;
    if (d < 0)
      d = ww_front_dialect(o->files[i], &scans[i]);
  }
  if (d < 0)
    return WW_OK;
  ww_status rc = ww_clang_find(a, &clang, e);
  if (rc)
    return rc;
  ww_clang_job j = ww_front_new_job(o, &clang, d, &flags);
  j.host = true;
  for (uint32_t i = 0; i < o->nfiles; i++) {
    ww_compiled c;
    if (!has_host_half(&scans[i], o->files[i], d))
      continue;
    ww_front_job(o, i, &scans[i], &j);
    if (compiles(&j, a, &c))
      read_launches(&c, &j, a, &found);
  }
  if (found.n > 1)
    qsort(found.v, found.n, sizeof *found.v, by_line);
  *out = found.v;
  *n = found.n;
  return WW_OK;
}
