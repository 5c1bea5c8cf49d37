/* nvcc.c - a .cu file through nvcc, to code that a device loads.
 *
 * The whole file first: its host code decides which templates are instantiated. Where
 * that does not compile, host functions go, and then what was rejected: a file whose
 * host code needs a library that is not there has kernels that need none. An instance
 * that is no name goes alone. */
#include "../cuda/nvcc.h"
#include "compile_int.h"

#define NVCC_LIMIT 600 /* seconds for one file, unless the job says it */
#define MOST_ROUNDS 8  /* of taking out what was rejected */

typedef struct {
  const ww_unit_job *u;
  ww_nvcc_job job;
  ww_strings instances; /* the job's */
  char *text;           /* less by what was rejected; NULL: the whole file */
  double deadline;
} run;

/* What the messages of the source are about goes; false: nothing can. */
static bool without_rejected(run *r) {
  ww_arena *a = r->u->a;
  const char *file = ww_path_real(a, r->job.file);
  bool any = false;
  uint32_t last = 0;
  ww_err m;
  for (const char *log = r->job.log; (log = ww_nvcc_next_error(log, a, &m));) {
    if (!m.file || m.line == last || strcmp(m.file, file ? file : "source.cu"))
      continue;
    last = m.line;
    any |= r->text && ww_device_code_without(r->text, m.line, a);
  }
  return any;
}

/* Instances that are no names go, where nothing else was rejected. */
static bool without_instances(run *r) {
  ww_arena *a = r->u->a;
  ww_err m;
  bool *drop = WW_NEWN(a, bool, r->instances.n + 1);
  uint32_t n = 0;
  for (const char *log = r->job.log; (log = ww_nvcc_next_error(log, a, &m));) {
    if (!m.file || strcmp(m.file, WW_NVCC_INSTANCES) || m.line > r->instances.n)
      return false;
    drop[m.line ? m.line - 1 : 0] = true;
  }
  for (uint32_t i = 0; i < r->instances.n; i++)
    if (!drop[i])
      r->instances.v[n++] = r->instances.v[i];
  bool any = n < r->instances.n;
  r->instances.n = n;
  return any;
}

static ww_status compile_rounds(run *r, char **code, size_t *n, ww_err *e) {
  for (int round = 0;; round++) {
    r->job.text = r->text ? r->text : r->u->text;
    r->job.timeout_s = r->deadline - ww_now();
    if (r->job.timeout_s < 1)
      return ww_fail(e, WW_ELIMIT, "nvcc took too long and was ended");
    ww_status st = ww_nvcc_run(&r->job, r->u->a, code, n, e);
    if (st != WW_EDATA || round == MOST_ROUNDS ||
        (!without_rejected(r) && !without_instances(r)))
      return st;
  }
}

/* Host functions instantiate templates no longer: all that is asked for is named. */
static void begin(const ww_unit_job *u,
                  const char *nvcc,
                  const ww_strings *instances,
                  double deadline,
                  run *r) {
  *r = (run){.u = u,
             .job = {.nvcc = nvcc,
                     .form = "-cubin",
                     .architecture = u->architecture,
                     .file = u->file,
                     .flags = &u->flags},
             .deadline = deadline};
  for (uint32_t i = 0; instances && i < instances->n; i++)
    ww_push(u->a, &r->instances, instances->v[i]);
  for (uint32_t i = 0; !instances && i < u->kernels.n; i++) {
    const char *x = ww_kernel_expression(u->kernels.v[i], u->a);
    if (strchr(x, '<'))
      ww_push(u->a, &r->instances, x);
  }
  r->job.instances = &r->instances;
}

static ww_status device_code_alone(
    const ww_unit_job *u, const char *nvcc, double deadline, char **code, size_t *n) {
  run r;
  const char *whole;
  ww_err e = {0};
  ww_headers headers = {0};
  ww_strings there = {0};
  bool any = !u->kernels.n;
  begin(u, nvcc, NULL, deadline, &r);
  ww_status st = ww_unit_text(u, &whole, &e);
  if (st)
    return st;
  ww_compile_includes(u->file, whole, &u->flags, u->a, &headers);
  r.text = ww_device_code(whole, &headers, u->a);
  st = compile_rounds(&r, code, n, &e);
  if (!st)
    st = ww_kernels_of_code(*code, *n, u->a, &there, &e);
  for (uint32_t i = 0; !st && i < u->kernels.n && !any; i++)
    any = ww_kernel_match(&there, u->kernels.v[i], u->a);
  return st ? st : any ? WW_OK : WW_EDATA;
}

ww_status ww_nvcc_compile(const ww_unit_job *u,
                          const char *nvcc,
                          const ww_strings *instances,
                          ww_err *e) {
  char *code;
  size_t n;
  run r;
  double deadline = ww_now() + (u->limit_s ? u->limit_s : NVCC_LIMIT);
  begin(u, nvcc, instances, deadline, &r);
  ww_status st = compile_rounds(&r, &code, &n, e);
  if (st == WW_EDATA && !device_code_alone(u, nvcc, deadline, &code, &n))
    st = WW_OK;
  return st ? st : ww_write_file_atomic(u->out, code, n, e);
}
