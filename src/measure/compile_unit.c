/* compile_unit.c - one run of a compiler: from a unit to a .cubin in the cache and what
 * is known of it.
 *
 * Beside CODE.cubin lies CODE.cubin.json, written after it: where it is, the code is
 * whole. */
#include "../base/json_put.h"
#include "../base/jsonread.h"
#include "compile_int.h"

#define SOURCE_MAX (64 << 20)

ww_status ww_unit_text(const ww_unit_job *u, const char **text, ww_err *e) {
  char *data;
  if (u->text)
    return *text = u->text, WW_OK;
  ww_status st = ww_read_file(u->a, u->file, SOURCE_MAX, &data, NULL, e);
  *text = st ? NULL : data;
  return st;
}

static const char *sidecar(const ww_unit_job *u) {
  return ww_fmt(u->a, "%s.json", u->out);
}

/* ---- which entry is meant ---- */

/* entries[i] NULL: not there. Returns how many are missing. */
static uint32_t find_entries(ww_unit_job *u, const ww_strings *kernels) {
  uint32_t missing = 0;
  u->entries = WW_NEWN(u->a, const char *, u->kernels.n + 1);
  for (uint32_t i = 0; i < u->kernels.n; i++) {
    u->entries[i] = ww_kernel_match(kernels, u->kernels.v[i], u->a);
    missing += !u->entries[i];
  }
  return missing;
}

static ww_status read_kernels(const ww_unit_job *u, ww_strings *kernels, ww_err *e) {
  char *data;
  size_t n;
  ww_status st = ww_read_file(u->a, u->out, 1 << 30, &data, &n, e);
  return st ? st : ww_kernels_of_code(data, n, u->a, kernels, e);
}

/* ---- the cache ---- */

static ww_status
write_sidecar(const ww_unit_job *u, const ww_strings *kernels, ww_err *e) {
  ww_buf b = {0};
  ww_json j = {.out = &b};
  ww_json_put(&j, "{compiler:%s,architecture:%s,file?:%s,entries:[", u->compiler,
              u->architecture, u->file);
  for (uint32_t i = 0; i < kernels->n; i++)
    ww_json_str(&j, kernels->v[i]);
  ww_json_put(&j, "]}");
  ww_buf_puts(&b, "\n");
  ww_status st = ww_write_file_atomic(sidecar(u), b.s, b.n, e);
  ww_buf_free(&b);
  return st;
}

bool ww_unit_cached(ww_unit_job *u) {
  char *text;
  size_t n;
  if (!ww_file_exists(u->out) ||
      ww_read_file(u->a, sidecar(u), 16u << 20, &text, &n, NULL))
    return false;
  cJSON *tree = ww_json_read(text, n, NULL);
  const cJSON *compiler = cJSON_GetObjectItemCaseSensitive(tree, "compiler");
  const cJSON *m;
  ww_strings kernels = {0};
  cJSON_ArrayForEach(m, cJSON_GetObjectItemCaseSensitive(tree, "entries")) {
    if (cJSON_IsString(m))
      ww_push(u->a, &kernels, ww_strdup(u->a, m->valuestring));
  }
  bool ok = cJSON_IsString(compiler);
  if (ok)
    u->compiler = ww_strdup(u->a, compiler->valuestring);
  cJSON_Delete(tree);
  return ok && !find_entries(u, &kernels);
}

/* ---- compiling ---- */

/* Names to instantiate: written as expressions; with `missing`, also what is not in the
 * code yet.
 */
static void collect_instances(const ww_unit_job *u, bool missing, ww_strings *out) {
  for (uint32_t i = 0; i < u->kernels.n; i++) {
    const char *asked = u->kernels.v[i];
    const char *x = ww_kernel_expression(asked, u->a);
    bool templated = strchr(x, '<');
    /* NVRTC keeps no template that nobody names; nvcc's host code may instantiate it by
     * itself */
    if ((templated && (!u->nvcc || x == asked)) || (missing && !u->entries[i]))
      ww_push(u->a, out, x);
  }
}

static ww_status run_compiler(const ww_unit_job *u,
                              const char *nvcc,
                              const ww_strings *instances,
                              ww_err *e) {
  return u->nvcc ? ww_nvcc_compile(u, nvcc, instances, e)
                 : ww_nvrtc_compile(u, instances, e);
}

static ww_status
compile(ww_unit_job *u, const char *nvcc, ww_strings *kernels, ww_err *e) {
  ww_strings instances = {0};
  ww_strings more = {0};
  collect_instances(u, false, &instances);
  ww_status st = run_compiler(u, nvcc, &instances, e);
  if (!st)
    st = read_kernels(u, kernels, e);
  if (st || !find_entries(u, kernels))
    return st;
  collect_instances(u, true, &more);
  if (more.n == instances.n)
    return WW_OK;
  ww_err ignored;
  if (run_compiler(u, nvcc, &more, &ignored))
    return WW_OK; /* the first code stays: the name was no name */
  kernels->n = 0;
  st = read_kernels(u, kernels, e);
  if (!st)
    find_entries(u, kernels);
  return st;
}

ww_status ww_unit_compile(ww_unit_job *u, ww_err *e) {
  ww_strings kernels = {0};
  const char *nvcc = u->nvcc ? ww_nvcc_find(u->a) : NULL;
  if (u->nvcc && !nvcc)
    return ww_fail(
        e, WW_EDEVICE,
        "no nvcc: install the CUDA toolkit, or set PATH or CUDA_HOME to where it is");
  if (!u->compiler)
    u->compiler = u->nvcc ? ww_nvcc_version(nvcc, u->a) : ww_nvrtc_version(u->a, e);
  if (!u->compiler)
    return WW_EDEVICE;
  ww_status st = compile(u, nvcc, &kernels, e);
  return st ? st : write_sidecar(u, &kernels, e);
}

void ww_unit_no_entry(const ww_unit_job *u, const char *asked, ww_err *e) {
  ww_strings kernels = {0};
  ww_buf names = {0};
  if (read_kernels(u, &kernels, e))
    return;
  for (uint32_t i = 0; i < kernels.n && names.n < 300; i++)
    ww_buf_fmt(&names, "%s%s", i ? ", " : "", kernels.v[i]);
  ww_fail(e, WW_EDATA,
          "the compiled code has no kernel `%s` (or several of that name); it has %s",
          asked, names.n ? names.s : "none");
  ww_buf_free(&names);
}
