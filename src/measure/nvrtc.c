/* nvrtc.c - one program after another through NVIDIA's runtime compiler, opened at run
 * time.
 *
 * It takes device code alone, so the host's is taken out first (device_code.c), of the
 * file and of its local headers. That works on the text, and some of what is kept
 * cannot be compiled without the host's headers: as long as there are errors, what
 * stands on their lines is taken out and the rest tried again. When the kernel asked
 * for is not in the result, the first error is the answer.
 */

#include "compile_int.h"
#include "../cuda/cuda_toolkit.h"
#include "../cuda/nvrtc_api.h"

#define MOST_ROUNDS 12 /* of taking out what was rejected */

static const ww_nvrtc_api *rtc; /* once opened */

const char *ww_nvrtc_version(ww_arena *a, ww_err *e) {
  int major = 0;
  int minor = 0;
  if (ww_nvrtc_open(&rtc, e))
    return NULL;
  rtc->version(&major, &minor);
  return ww_fmt(a, "NVRTC %d.%d", major, minor);
}

/* ---- one program ---- */

typedef struct {
  const ww_unit_job *u;
  const ww_strings *instances;
  const char *name; /* of the program, in messages and line tables */
  char *text;       /* device code, less by what was rejected */
  /* local ones, then the stand-ins; the text of local ones may be changed */
  ww_headers headers;
  char **header_text; /* per header */
  uint32_t nlocal;
  ww_strings options;
  ww_arena *a;
  uint8_t *code;
  size_t code_n;
  const char *log;
} program;

static void collect_headers(program *p, const char *text) {
  ww_compile_includes(p->u->file, text, &p->u->flags, p->a, &p->headers);
  p->nlocal = p->headers.n;
  ww_headers local = p->headers;
  p->text = ww_device_code(text, &local, p->a);
  for (int i = 0; ww_nvrtc_headers[i][0]; i++)
    ww_push(
        p->a, &p->headers,
        (ww_header){.name = ww_nvrtc_headers[i][0], .text = ww_nvrtc_headers[i][1]});
  p->header_text = WW_NEWN(p->a, char *, p->headers.n);
  for (uint32_t i = 0; i < p->headers.n; i++)
    p->header_text[i] = i < p->nlocal
                            ? ww_device_code(p->headers.v[i].text, &local, p->a)
                            : (char *)p->headers.v[i].text;
}

static void collect_options(program *p) {
  ww_arena *a = p->a;
  const char *const fixed[] = {ww_fmt(a, "--gpu-architecture=%s", p->u->architecture),
                               "--device-as-default-execution-space",
                               "--generate-line-info",
                               "--pre-include=ww_nvrtc.h",
                               "--disable-warnings",
                               "-D__CUDACC__"};
  for (int i = 0; i < 6; i++)
    ww_push(a, &p->options, fixed[i]);
  ww_nvcc_words(&p->u->flags, false, a, &p->options);
  if (p->u->file)
    ww_push(a, &p->options, ww_fmt(a, "-I%s", ww_path_dir(a, p->u->file)));
  const char *root = ww_cuda_root(a, "include/cuda_fp16.h");
  if (root)
    ww_push(a, &p->options, ww_fmt(a, "-I%s/include", root));
  if (root && ww_file_exists(ww_path_join(a, root, "include/cccl")))
    ww_push(a, &p->options, ww_fmt(a, "-I%s/include/cccl", root));
}

/* A host's headers bring others along that the source then uses without naming them. */
static void include_used(program *p, const char *text) {
  static const char *const uses[][2] = {{"std::", "cmath"},
                                        {"std::", "algorithm"},
                                        {"std::numeric_limits", "limits"},
                                        {"std::is_", "type_traits"},
                                        {"std::enable_if", "type_traits"},
                                        {"std::decay", "type_traits"},
                                        {"std::conditional", "type_traits"},
                                        {"std::common_type", "type_traits"},
                                        {"std::integral_constant", "type_traits"},
                                        {"std::make_", "type_traits"},
                                        {"std::remove_", "type_traits"},
                                        {"std::pair", "utility"},
                                        {"std::array", "array"},
                                        {"std::tuple", "tuple"}};
  for (size_t i = 0; i < WW_COUNT(uses); i++)
    if (strstr(text, uses[i][0]))
      ww_push(p->a, &p->options, ww_fmt(p->a, "--pre-include=%s", uses[i][1]));
}

static ww_status take_code(program *p, void *prog, ww_err *e) {
  if (rtc->cubin_size(prog, &p->code_n) != WW_NVRTC_OK || !p->code_n)
    return ww_fail(
        e, WW_EDATA,
        "NVRTC made no code for %s: is it an architecture of this CUDA version?",
        p->u->architecture);
  p->code = ww_alloc(p->a, p->code_n);
  int rc = rtc->cubin(prog, (char *)p->code);
  return rc == WW_NVRTC_OK
             ? WW_OK
             : ww_fail(e, WW_EDATA, "NVRTC gave no code: %s", rtc->error(rc));
}

/* WW_OK with code == NULL: the compiler rejected it, log says why. */
static ww_status compile_once(program *p, ww_err *e) {
  void *prog = NULL;
  const char **names = WW_NEWN(p->a, const char *, p->headers.n + 1);
  for (uint32_t i = 0; i < p->headers.n; i++)
    names[i] = p->headers.v[i].name;
  int rc = rtc->create(&prog, p->text, p->name, p->headers.n,
                       (const char *const *)p->header_text, names);
  if (rc != WW_NVRTC_OK)
    return ww_fail(e, WW_EDATA, "NVRTC takes no such program: %s", rtc->error(rc));
  for (uint32_t i = 0; i < p->instances->n; i++)
    rtc->add_name(prog, p->instances->v[i]);
  rc = rtc->compile(prog, p->options.n, p->options.v);
  size_t n = 0;
  rtc->log_size(prog, &n);
  char *log = ww_alloc(p->a, n + 1);
  if (n)
    rtc->log(prog, log);
  p->log = log;
  ww_status st = WW_OK;
  if (rc == WW_NVRTC_OK)
    st = take_code(p, prog, e);
  else if (rc != WW_NVRTC_COMPILATION && !n)
    st = ww_fail(e, WW_EDATA, "NVRTC: %s", rtc->error(rc));
  rtc->destroy(&prog);
  return st;
}

/* The text a message is about: the program's own, or a local header's. */
static char *text_of(program *p, const char *file) {
  if (!file)
    return NULL;
  if (!strcmp(file, p->name))
    return p->text;
  for (uint32_t i = 0; i < p->nlocal; i++)
    if (!strcmp(file, p->headers.v[i].name) || !strcmp(file, p->headers.v[i].path))
      return p->header_text[i];
  return NULL;
}

static bool take_out_rejected(program *p) {
  bool any = false;
  ww_err m;
  uint32_t last = 0;
  for (const char *log = p->log; (log = ww_nvcc_next_error(log, p->a, &m));) {
    char *text = text_of(p, m.file);
    if (!text || m.line == last)
      continue;
    last = m.line;
    any |= ww_device_code_without(text, m.line, p->a);
  }
  return any;
}

static void first_error(const program *p, ww_err *e) {
  if (!ww_nvcc_next_error(p->log, p->a, e))
    ww_fail(e, WW_EDATA, "NVRTC: %.*s", (int)strcspn(p->log, "\n"),
            *p->log ? p->log : "compilation failed");
  else if (e->file && !strcmp(e->file, "__nv_name_map")) { /* a name expression */
    e->file = NULL;
    e->line = 0;
  }
}

/* Until it compiles; `why` is the first error of all. Stops when a kernel that is asked
 * for was among what was rejected. */
static ww_status compile_rounds(program *p, ww_err *why, ww_err *e) {
  for (int round = 0;; round++) {
    ww_status st = compile_once(p, e);
    if (st || p->code)
      return st;
    if (!round)
      first_error(p, why);
    if (round == MOST_ROUNDS || !take_out_rejected(p)) {
      *e = *why;
      return why->code;
    }
  }
}

static ww_status check_kernels(program *p, const ww_err *why, ww_err *e) {
  ww_strings there = {0};
  ww_status st = ww_kernels_of_code(p->code, p->code_n, p->a, &there, e);
  for (uint32_t i = 0; !st && why->code && i < p->u->kernels.n; i++) {
    if (ww_kernel_match(&there, p->u->kernels.v[i], p->a))
      continue;
    *e = *why;
    return why->code;
  }
  return st;
}

ww_status
ww_nvrtc_compile(const ww_unit_job *u, const ww_strings *instances, ww_err *e) {
  ww_status st = ww_nvrtc_open(&rtc, e);
  const char *text;
  if (st || (st = ww_unit_text(u, &text, e)))
    return st;
  program p = {.u = u,
               .instances = instances,
               .a = u->a,
               .name = u->file ? u->file : "source.cu"};
  collect_headers(&p, text);
  collect_options(&p);
  include_used(&p, p.text);
  for (uint32_t i = 0; i < p.nlocal; i++)
    include_used(&p, p.header_text[i]);
  ww_err why = {0};
  st = compile_rounds(&p, &why, e);
  if (!st)
    st = check_kernels(&p, &why, e);
  return st ? st : ww_write_file_atomic(u->out, p.code, p.code_n, e);
}
