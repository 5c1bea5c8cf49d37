/* nvcc.c - a whole .cu file through nvcc: its host code decides which templates are
 * instantiated.
 *
 * Templates that the host code does not instantiate are named in a small file that
 * includes the source and takes their addresses, which makes nvcc emit them. */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "compile_int.h"
#include "../cuda/cuda_toolkit.h"

#define NVCC_LIMIT 600.0 /* seconds for one file */

/* There, and no wrapper around a toolkit that is gone. */
static bool runs(const char *path) {
  const char *argv[] = {path, "--version", NULL};
  ww_run_result r = {0};
  if (access(path, X_OK))
    return false;
  bool ok = !ww_run(argv, NULL, 0, 30, &r, NULL) && r.exit_code == 0;
  ww_run_free(&r);
  return ok;
}

const char *ww_nvcc_find(ww_arena *a) {
  const char *path = getenv("PATH");
  for (const char *p = path; p && *p;) {
    size_t n = strcspn(p, ":");
    const char *full = ww_fmt(a, "%.*s/nvcc", (int)n, p);
    if (n && runs(full))
      return full;
    p += n + (p[n] == ':');
  }
  const char *root = ww_cuda_root(a, "bin/nvcc");
  const char *full = root ? ww_path_join(a, root, "bin/nvcc") : NULL;
  return full && runs(full) ? full : NULL;
}

const char *ww_nvcc_version(const char *nvcc, ww_arena *a) {
  const char *argv[] = {nvcc, "--version", NULL};
  ww_run_result r = {0};
  const char *out = "nvcc";
  if (!ww_run(argv, NULL, 0, 30, &r, NULL) && r.out.s) {
    const char *v = strstr(r.out.s, ", V"); /* "release 13.0, V13.0.88" */
    if (v)
      out = ww_fmt(a, "nvcc %.*s", (int)strspn(v + 3, "0123456789."), v + 3);
  }
  ww_run_free(&r);
  return out;
}

/* What nvcc compiles: the file itself, or a generated one beside the output. */
static ww_status input_of(const ww_unit_job *u,
                          const ww_strings *instances,
                          const char **input,
                          ww_err *e) {
  *input = u->file;
  if (!u->text && !instances->n)
    return WW_OK;
  ww_buf b = {0};
  if (u->text)
    ww_buf_fmt(&b, "#line 1 \"%s\"\n%s\n", u->file ? u->file : "source.cu", u->text);
  else
    ww_buf_fmt(&b, "#include \"%s\"\n", ww_path_real(u->a, u->file));
  for (uint32_t i = 0; i < instances->n; i++)
    ww_buf_fmt(&b, "__attribute__((used)) static auto ww_keep_%u = &%s;\n", i,
               instances->v[i]);
  *input = ww_fmt(u->a, "%s.%d.cu", u->out, getpid());
  ww_status st = ww_write_file_atomic(*input, b.s, b.n, e);
  ww_buf_free(&b);
  return st;
}

static void build_line(const ww_unit_job *u,
                       const char *nvcc,
                       const char *input,
                       const char *temp,
                       ww_strings *argv) {
  const char *fixed[] = {
      nvcc,        "-x", "cu", "-cubin", ww_fmt(u->a, "-arch=%s", u->architecture),
      "-lineinfo", "-w", "-o", temp};
  for (size_t i = 0; i < WW_COUNT(fixed); i++)
    ww_push(u->a, argv, fixed[i]);
  ww_compile_words(&u->flags, true, u->a, argv);
  if (u->file)
    ww_push(u->a, argv, ww_fmt(u->a, "-I%s", ww_path_dir(u->a, u->file)));
  ww_push(u->a, argv, input);
  ww_push(u->a, argv, NULL);
}

static ww_status
explain(const ww_run_result *r, const ww_unit_job *u, const char *input, ww_err *e) {
  ww_err m;
  if (r->timed_out)
    return ww_fail(e, WW_ELIMIT, "nvcc took longer than %.0f s and was ended",
                   NVCC_LIMIT);
  const char *logs[] = {r->err.s, r->out.s};
  for (int i = 0; i < 2; i++)
    if (ww_compile_next_error(logs[i], u->a, &m)) {
      if (m.file && input != u->file && !strcmp(m.file, input)) {
        m.file = u->file;
        m.line = m.col = 0;
      }
      *e = m;
      return m.code;
    }
  const char *line = r->err.n ? r->err.s : r->out.s;
  return ww_fail(e, WW_EDATA, "nvcc failed: %.*s", (int)strcspn(line, "\n"), line);
}

ww_status ww_nvcc_compile(const ww_unit_job *u,
                          const char *nvcc,
                          const ww_strings *instances,
                          ww_err *e) {
  const char *input;
  const char *temp = ww_fmt(u->a, "%s.%d.cubin", u->out, getpid());
  ww_strings argv = {0};
  ww_run_result r = {0};
  ww_status st = input_of(u, instances, &input, e);
  if (st)
    return st;
  bool made = input != u->file;
  int listed[] = {ww_cleanup_file(temp), made ? ww_cleanup_file(input) : -1};
  build_line(u, nvcc, input, temp, &argv);
  st = ww_run(argv.v, NULL, 0, NVCC_LIMIT, &r, e);
  if (!st && (r.exit_code || r.timed_out))
    st = explain(&r, u, input, e);
  if (!st && rename(temp, u->out))
    st = ww_fail(e, WW_EIO, "nvcc wrote no code to '%s': %s", temp, strerror(errno));
  if (st)
    unlink(temp);
  if (made)
    unlink(input);
  ww_cleanup_forget(listed[0]);
  ww_cleanup_forget(listed[1]);
  ww_run_free(&r);
  return st;
}
