/* modules.c - a unit of kernels onto the device: the compiled code in the program where
 * it fits, else NVRTC, whose work is kept for next time.
 *
 * NVRTC gets the sources that are in the program and needs no other file. What it made
 * lies in the cache folder under a name that says everything it depends on, so nothing
 * there is ever out of date; a file that does not load is made anew.
 * WARPWISE_LM_KERNELS=nvrtc passes over the code in the program. */
#include <inttypes.h>

#include <stdlib.h>
#include <sys/stat.h>

#include "../../cuda/nvrtc_api.h"
#include "kernel_text.h"
#include "modules.h"

#define MOST_CODE (64u << 20) /* bytes of a unit */
#define MOST_HEADERS 16

/* ---- NVRTC ---- */

static const ww_nvrtc_api *rtc; /* once opened */

static ww_status take_result(void *program,
                             int rc,
                             const char *name,
                             ww_arena *a,
                             char **code,
                             size_t *n,
                             ww_err *e) {
  size_t size = 0;
  if (rc) {
    rtc->log_size(program, &size);
    char *log = ww_alloc(a, size + 1);
    if (size)
      rtc->log(program, log);
    return ww_fail(e, WW_EDATA, "NVRTC does not compile %s: %.300s", name,
                   size > 1 ? log : "no reason given");
  }
  if (rtc->cubin_size(program, n) || !*n)
    return ww_fail(e, WW_EDATA, "NVRTC made no code of %s", name);
  *code = ww_alloc(a, *n);
  return rtc->cubin(program, *code)
             ? ww_fail(e, WW_EDATA, "NVRTC gave no code of %s", name)
             : WW_OK;
}

ww_status ww_accel_compile(ww_accel_unit unit,
                           const char *architecture,
                           ww_arena *a,
                           char **code,
                           size_t *n,
                           ww_err *e) {
  const ww_kernel_text *u = ww_kernel_units + unit;
  const char *names[MOST_HEADERS], *texts[MOST_HEADERS];
  const char *options[] = {ww_fmt(a, "--gpu-architecture=%s", architecture),
                           "--std=c++17"};
  int headers = 0;
  void *program = NULL;
  ww_status st = ww_nvrtc_open(&rtc, e);
  if (st)
    return st;
  for (; headers < MOST_HEADERS && ww_kernel_headers[headers].name; headers++) {
    names[headers] = ww_kernel_headers[headers].name;
    texts[headers] = ww_kernel_headers[headers].text;
  }
  if (rtc->create(&program, u->text, u->name, headers, texts, names))
    return ww_fail(e, WW_EDATA, "NVRTC does not take %s", u->name);
  st = take_result(program, rtc->compile(program, 2, options), u->name, a, code, n, e);
  rtc->destroy(&program);
  return st;
}

/* ---- the cache ---- */

static const char *
cache_path(ww_accel_unit unit, const char *architecture, ww_arena *a) {
  const char *dir = ww_cache_dir(a);
  const ww_kernel_text *u = ww_kernel_units + unit;
  int version[2] = {0, 0};
  if (!dir || rtc->version(version, version + 1))
    return NULL;
  uint64_t h = ww_hash(u->text, strlen(u->text), ww_hash(version, sizeof version, 1));
  for (int i = 0; ww_kernel_headers[i].name; i++)
    h = ww_hash(ww_kernel_headers[i].text, strlen(ww_kernel_headers[i].text), h);
  dir = ww_path_join(a, dir, "kernels");
  mkdir(dir, 0777); /* there already, or the write fails and nothing is kept */
  return ww_fmt(a, "%s/%s-%s-%016" PRIx64 ".cubin", dir, u->name, architecture, h);
}

static ww_status
load_compiled(ww_accel *g, ww_accel_unit unit, ww_arena *a, ww_err *e) {
  /* Hopper's own instructions are there for sm_90a alone. */
  const char *architecture =
      ww_fmt(a, "sm_%d%s", g->capability, g->capability == 90 ? "a" : "");
  char *code;
  size_t n;
  ww_status st = ww_nvrtc_open(&rtc, e);
  if (st)
    return st;
  const char *path = cache_path(unit, architecture, a);
  if (path && ww_file_exists(path) &&
      !ww_read_file(a, path, MOST_CODE, &code, &n, NULL) &&
      !g->api->cuModuleLoadData(g->module + unit, code))
    return WW_OK;
  st = ww_accel_compile(unit, architecture, a, &code, &n, e);
  if (st)
    return st;
  if (path)
    ww_write_file_atomic(path, code, n, NULL);
  ww_cuda_status s = g->api->cuModuleLoadData(g->module + unit, code);
  return s ? ww_cuda_fail(
                 g->api, s,
                 ww_fmt(a, "loading the kernels of %s", ww_kernel_units[unit].name), e)
           : WW_OK;
}

ww_status ww_accel_load(ww_accel *g, ww_accel_unit unit, ww_err *e) {
  const char *asked = getenv("WARPWISE_LM_KERNELS");
  bool pass_over = asked && !strcmp(asked, "nvrtc");
  if (g->module[unit])
    return WW_OK;
  if (ww_kernel_units[unit].code && !pass_over) {
    ww_cuda_status s =
        g->api->cuModuleLoadData(g->module + unit, ww_kernel_units[unit].code);
    if (!s)
      return WW_OK;
    g->module[unit] = NULL;
    if (s == 2 || s >= 700)
      return ww_cuda_fail(g->api, s, "loading the kernels", e);
  }
  ww_arena *a = ww_arena_new();
  ww_status st = load_compiled(g, unit, a, e);
  ww_arena_free(a);
  return st;
}
