/* front.c - source files in, Warpwise IR out: reads, chooses the dialect, compiles with
 * recovery, lowers, tells what was lost.
 *
 * Which headers: our shim first, an installed SDK second. The shim is precompiled (a
 * file takes about 90 ms against one second with the toolkit's headers), the same on
 * every machine, and written to be interpreted: the toolkit's half and shuffle
 * functions are inline PTX. Only a file of which the shim loses device code or an
 * instance is tried with SDK headers (thrust inside kernels, say), and the attempt that
 * loses fewer kernels counts. */
#include "../base/confine.h"
#include "../cuda/nvcc.h"
#include "front_int.h"
#include "isolate.h"
#include "openmp.h"
#include "translate.h"

#include <stdlib.h>
#include <unistd.h>

#define LOWER_TIMEOUT_S 120

typedef struct {
  const char *file;
  ww_scan scan;
  int dialect; /* -1: host code or unknown */
  bool device; /* to be compiled for the device */
} input;

/* ---- reading ---- */

ww_status ww_front_scan(
    const ww_front_options *o, uint32_t which, ww_arena *a, ww_scan *out, ww_err *e) {
  const char *given = o->texts ? o->texts[which] : NULL;
  size_t n = given ? strlen(given) : 0;
  char *text = ww_strndup(a, given ? given : "", n);
  ww_status rc = given ? WW_OK : ww_front_read(o->files[which], a, &text, &n, e);
  if (n > WW_SOURCE_MAX)
    rc = ww_fail(e, WW_ELIMIT, "'%s' has %zu MB: a source file may have %u MB",
                 o->files[which], n >> 20, WW_SOURCE_MAX >> 20);
  if (!rc)
    ww_scan_source(text, n, a, out);
  return rc;
}

ww_clang_job ww_front_new_job(const ww_front_options *o,
                              const ww_clang *clang,
                              ww_dialect d,
                              const ww_flags *flags) {
  return (ww_clang_job){.clang = clang,
                        .dialect = d,
                        .flags = flags,
                        .no_cache = o->no_cache,
                        .cl_std = "CL2.0"};
}

void ww_front_job(const ww_front_options *o,
                  uint32_t which,
                  const ww_scan *scan,
                  ww_clang_job *j) {
  j->file = o->files[which];
  j->scan = scan;
  j->in_memory = o->texts && o->texts[which];
  j->visible = o->visible;
  j->nvisible = o->nvisible;
  j->deadline = o->deadline;
  j->headers_later = o->headers_later;
}

/* Whether a directive of the text has both words, such as "pragma omp" and "target". */
/* Whether the code has a name that begins so, as in hipMalloc, hipError_t ... */
static bool uses(const ww_scan *s, const char *begin) {
  for (const char *p = s->text; (p = strstr(p, begin)); p++) {
    bool inside = p > s->text && ww_is_word(p[-1]),
         upper = isupper((unsigned char)p[strlen(begin)]);
    if (!inside && upper && s->kind[p - s->text] == WW_BYTE_CODE)
      return true;
  }
  return false;
}

int ww_front_dialect(const char *file, const ww_scan *s) {
  static const char *const opencl[] = {".cl", ".clh", ".ocl", NULL};
  const char *dot = strrchr(ww_path_base(file), '.');
  bool hip = ww_scan_has_directive(s, "include", "hip/hip_runtime") ||
             ww_scan_has_directive(s, "include", "hip/hip_fp16.h") ||
             (uses(s, "hip") && !uses(s, "cuda")); /* by a header that includes HIP's */
  if (!dot)
    dot = "";
  if (ww_one_of(dot, opencl))
    return WW_OPENCL;
  if (!strcmp(dot, ".hip") || hip)
    return WW_HIP;
  if (!strcmp(dot, ".cu") || !strcmp(dot, ".cuh"))
    return WW_CUDA;
  if (ww_scan_has_directive(s, "omp", "target"))
    return WW_OPENMP;
  if (ww_scan_has_word(s, "__global__"))
    return WW_CUDA;
  if (ww_scan_has_word(s, "__kernel"))
    return WW_OPENCL;
  return -1;
}

static ww_status
read_inputs(const ww_front_options *o, ww_arena *a, input *in, ww_err *e) {
  for (uint32_t i = 0; i < o->nfiles; i++) {
    ww_status rc = ww_front_scan(o, i, a, &in[i].scan, e);
    if (rc)
      return rc;
    in[i].file = o->files[i];
    in[i].dialect = ww_front_dialect(o->files[i], &in[i].scan);
  }
  return WW_OK;
}

/* Host sources beside device sources stay out of the device compile. */
static ww_status choose_dialect(const ww_front_options *o,
                                const ww_flags *f,
                                input *in,
                                ww_dialect *out,
                                ww_err *e) {
  int given = o->dialect >= 0 ? o->dialect : f->dialect;
  int d = given;
  for (uint32_t i = 0; i < o->nfiles && d < 0; i++)
    d = in[i].dialect;
  if (d < 0)
    return ww_fail(
        e, WW_EUSAGE,
        "cannot tell the dialect of '%s': name it .cu, .hip or .cl, or give --lang "
        "cuda|hip|opencl|openmp",
        o->files[0]);
  uint32_t device = 0;
  for (uint32_t i = 0; i < o->nfiles; i++) {
    in[i].device = in[i].dialect == d || o->nfiles == 1;
    if (in[i].dialect >= 0 && in[i].dialect != d && given < 0)
      return ww_fail(
          e, WW_EUSAGE,
          "'%s' and '%s' are of different dialects: give one dialect at a time",
          o->files[0], in[i].file);
    device += in[i].device;
  }
  for (uint32_t i = 0; i < o->nfiles && !device; i++)
    in[i].device = true;
  *out = d;
  return WW_OK;
}

/* What every run over the files needs. */
typedef struct {
  ww_clang clang;
  ww_flags flags;
  ww_dialect dialect;
  input *in; /* one for each file */
} setup;

static ww_status set_up(const ww_front_options *o, ww_arena *a, setup *s, ww_err *e) {
  s->in = WW_NEWN(a, input, o->nfiles);
  ww_flags_sort(o->flags, o->nflags, a, &s->flags);
  ww_status rc = read_inputs(o, a, s->in, e);
  if (!rc)
    rc = choose_dialect(o, &s->flags, s->in, &s->dialect, e);
  return rc ? rc : ww_clang_find(a, &s->clang, e);
}

/* ---- compiling ---- */

typedef struct {
  ww_compiled c;
  ww_losses losses;
  ww_diags diags;
} attempt;

ww_status ww_front_compile(const ww_clang_job *j,
                           ww_arena *a,
                           ww_compiled *out,
                           ww_losses *losses,
                           ww_diags *diags,
                           ww_err *e) {
  ww_status rc = ww_clang_compile(j, a, out, e);
  return rc || out->ok ? rc : ww_recover(j, a, out, losses, diags, e);
}

static ww_status try_job(
    const ww_clang_job *j, uint32_t first_loss, ww_arena *a, attempt *t, ww_err *e) {
  *t = (attempt){0};
  for (uint32_t i = 0; i < first_loss; i++)
    ww_push(a, &t->losses, (ww_loss){0}); /* ids are unique in a unit */
  return ww_front_compile(j, a, &t->c, &t->losses, &t->diags, e);
}

static uint64_t cost(const attempt *t, uint32_t first) {
  uint64_t kernels = 0;
  if (!t->c.ok)
    return UINT64_MAX;
  for (uint32_t i = first; i < t->losses.n; i++)
    kernels += t->losses.v[i].kernel;
  return kernels << 32 | (t->losses.n - first) << 16 |
         (t->diags.n < 0xffff ? t->diags.n : 0xffff);
}

/* Whether a kernel may have suffered, not only host code around it. */
static bool lost_device_code(const attempt *t, uint32_t first) {
  return !t->c.ok || t->losses.n > first;
}

static bool mentions(const attempt *t, const char *word) {
  for (uint32_t i = 0; i < t->diags.n; i++)
    if (strstr(t->diags.v[i].message, word))
      return true;
  return false;
}

/* Other ways to compile what the first way could not compile whole, in this order. */
typedef enum {
  OPENCL_12,
  OPENCL_30,
  OPENCL_OWN_NAMES,
  OWN_TEXTURES,
  SDK_HEADERS,
  NWAYS
} other_way;

static bool chooses_opencl(const ww_flags *f) {
  for (uint32_t i = 0; i < f->driver.n; i++)
    if (ww_starts(f->driver.v[i], "-cl-std"))
      return true;
  return false;
}

static bool prepare_way(other_way w,
                        const ww_clang_job *j,
                        const ww_front_options *o,
                        const attempt *t,
                        ww_arena *a,
                        ww_clang_job *out) {
  *out = *j;
  switch (w) {
  case OPENCL_12: /* names that became keywords */
  case OPENCL_30:
    out->cl_std = w == OPENCL_12 ? "CL1.2" : "CL3.0";
    return j->dialect == WW_OPENCL && !chooses_opencl(j->flags);
  case OPENCL_OWN_NAMES: /* the program defines functions under names of built-ins */
    out->no_prelude = true;
    return j->dialect == WW_OPENCL;
  case OWN_TEXTURES: { /* the program has names of its own that the prelude uses for
                          texture references */
    if (j->dialect != WW_CUDA ||
        (!mentions(t, "'texture'") && !mentions(t, "'surface'")))
      return false;
    out->flags = ww_flags_own_textures(j->flags, a);
    return true;
  }
  default:
    out->sdk = j->dialect == WW_CUDA && !o->no_sdk ? ww_sdk_cuda(a) : NULL;
    return out->sdk && ww_file_exists(ww_clang_prelude(out, a));
  }
}

static ww_status compile(const ww_clang_job *j,
                         const ww_front_options *o,
                         ww_arena *a,
                         ww_compiled *out,
                         ww_losses *losses,
                         ww_diags *diags,
                         ww_err *e) {
  uint32_t first = losses->n;
  attempt best = {0};
  attempt other;
  ww_clang_job way;
  ww_status rc = try_job(j, first, a, &best, e);
  if (rc)
    return rc;
  for (other_way w = 0;
       w < NWAYS && lost_device_code(&best, first) && !best.c.append_failed; w++)
    if (prepare_way(w, j, o, &best, a, &way) &&
        try_job(&way, first, a, &other, NULL) == WW_OK &&
        cost(&other, first) < cost(&best, first))
      best = other;
  *out = best.c;
  for (uint32_t i = first; i < best.losses.n; i++) {
    ww_loss l = best.losses.v[i];
    l.told += l.told ? diags->n : 0; /* those of other files stand before */
    ww_push(a, losses, l);
  }
  for (uint32_t i = 0; i < best.diags.n; i++)
    ww_push(a, diags, best.diags.v[i]);
  return WW_OK;
}

ww_status ww_front_first_error(const ww_compiled *c, const char *file, ww_err *e) {
  const ww_msg *m = NULL;
  for (uint32_t i = 0; i < c->nmsgs && !m; i++)
    if (c->msgs[i].severity >= WW_MSG_ERROR)
      m = &c->msgs[i];
  static const ww_msg none = {.text = "clang failed without a message"};
  if (!m)
    m = &none;
  ww_status rc = ww_fail(e, WW_EPARSE, "%s", m->text);
  if (e) {
    e->file = m->file ? m->file : file;
    e->line = m->line;
    e->col = m->col;
  }
  return rc;
}

/* ---- instantiation ---- */

/* A pointer to the instance makes clang emit it; nothing of the signature has to be
 * known. Each instance is put behind the file that declares it, or the first file. */
static const char *
instances_of(const ww_front_options *o, const input *in, uint32_t which, ww_arena *a) {
  ww_buf b = {0};
  for (uint32_t k = 0; k < o->ninstantiate; k++) {
    const char *name = o->instantiate[k];
    size_t n = strcspn(name, "< ");
    const char *plain = name;
    for (size_t i = 0; i + 1 < n; i++)
      if (name[i] == ':' && name[i + 1] == ':')
        plain = name + i + 2;
    uint32_t home = UINT32_MAX;
    bool found = false;
    for (uint32_t i = 0; i < o->nfiles && !found; i++) {
      found = in[i].device && ww_scan_kernel(&in[i].scan, plain, name + n - plain);
      if (found || (in[i].device && home == UINT32_MAX))
        home = i;
    }
    if (home == which)
      ww_buf_fmt(&b,
                 "\nstatic void *ww_instance_%u __attribute__((used)) = (void *)&%s;",
                 k, name);
  }
  const char *out = b.n ? ww_fmt(a, "%s\n", b.s) : NULL;
  ww_buf_free(&b);
  return out;
}

static ww_status instance_error(const ww_compiled *c,
                                const ww_front_options *o,
                                const input *in,
                                ww_err *e) {
  for (uint32_t i = 0; i < c->nmsgs; i++) {
    const ww_msg *m = &c->msgs[i];
    if (m->severity < WW_MSG_ERROR || m->line <= in->scan.nlines)
      continue;
    uint32_t k = m->line - in->scan.nlines - 1;
    return ww_fail(e, WW_EUSAGE, "cannot instantiate '%s': %s",
                   k < o->ninstantiate ? o->instantiate[k] : o->instantiate[0],
                   m->text);
  }
  return ww_fail(e, WW_EUSAGE, "cannot instantiate '%s'", o->instantiate[0]);
}

/* ---- what was lost ---- */

/* Returns 1 + the diagnostic that is the reason; 0: none is. */
static uint32_t explain_refusal(ww_fn *fn, const ww_losses *losses, ww_arena *a) {
  const char *at = fn->refusal ? strstr(fn->refusal, "__ww_lost_") : NULL;
  uint32_t id = at ? strtoul(at + strlen("__ww_lost_"), NULL, 10) : UINT32_MAX;
  if (id >= losses->n)
    return 0;
  const ww_loss *l = &losses->v[id];
  bool itself = l->kernel && l->name && !strncmp(fn->name, l->name, strlen(l->name));
  fn->refusal = itself ? l->message
                       : ww_fmt(a, "it calls '%s', which does not compile: %s",
                                l->name ? l->name : "a function", l->message);
  return l->told;
}

static bool listed(const ww_module *m, const char *name) {
  size_t n = strlen(name);
  for (uint32_t i = 0; i < m->nfns; i++) {
    const char *p = m->fns[i].kernel ? m->fns[i].name : "";
    for (const char *q; (q = strstr(p, "::")) && q < p + strcspn(p, "<("); p = q + 2) {}
    if (!strncmp(p, name, n) && !ww_is_word(p[n]))
      return true;
  }
  return false;
}

/* Those that clang does not list: gone as a whole, or templates without an instance. */
static void list_lost_kernels(const ww_losses *losses, ww_unit *u, ww_arena *a) {
  ww_module *m = &u->module;
  for (uint32_t i = 0; i < losses->n; i++) {
    const ww_loss *l = &losses->v[i];
    if (!l->kernel || !l->name || (!l->whole && listed(m, l->name)))
      continue;
    m->fns =
        ww_grow(a, m->fns, m->nfns * sizeof *m->fns, (m->nfns + 1) * sizeof *m->fns);
    ww_fn *fn = &m->fns[m->nfns++];
    *fn = (ww_fn){.name = l->name,
                  .mangled = l->name,
                  .file = l->file,
                  .line = l->line,
                  .kernel = true,
                  .refusal = l->message};
    u->refused_by[m->nfns - 1] = l->told;
    ww_front_params(l->params, a, fn);
  }
}

/* Kernel templates that nobody instantiates are no kernels yet; say so instead of
 * leaving them out in silence. */
static void
note_templates(const input *in, const ww_module *m, ww_diags *diags, ww_arena *a) {
  for (uint32_t i = 0; i < in->scan.ndecls; i++) {
    const ww_decl *d = &in->scan.decls[i];
    if (!d->kernel || !d->tmpl || !d->name || !d->body || listed(m, d->name))
      continue;
    ww_push(a, diags,
            (ww_diag){.file = in->file,
                      .line = d->line,
                      .message = ww_fmt(
                          a,
                          "kernel template '%s' is not instantiated here: name an "
                          "instance with --instantiate '%s<...>'",
                          d->name, d->name)});
  }
}

static uint32_t count_kernels(const ww_module *m) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < m->nfns; i++)
    n += m->fns[i].kernel;
  return n;
}

/* ---- objects ---- */

typedef struct {
  const void **bitcode;
  size_t *sizes;
  uint32_t n;
  ww_losses losses;
  ww_diags diags;
  ww_omp_envs regions;
  ww_strings headers;
} objects;

static void read_headers(int fd, const char *path, ww_arena *a, ww_strings *out) {
  char *text;
  if (fd >= 0 && !ww_read_file(a, path, 16 << 20, &text, NULL, NULL))
    ww_rule_files(text, a, out);
  if (fd >= 0)
    ww_memfd_close(fd);
}

static ww_status compile_all(const ww_front_options *o,
                             ww_clang_job *j,
                             const input *in,
                             ww_arena *a,
                             objects *out,
                             ww_err *e) {
  ww_err why = {0};
  for (uint32_t i = 0; i < o->nfiles; i++) {
    if (!in[i].device)
      continue;
    ww_compiled c = {0};
    ww_front_job(o, i, &in[i].scan, j);
    j->append = instances_of(o, in, i, a);
    int fd = o->list_headers ? ww_memfd("", 0, a, &j->headers) : -1;
    ww_status rc = compile(j, o, a, &c, &out->losses, &out->diags, e);
    read_headers(fd, j->headers, a, &out->headers);
    if (rc)
      return rc;
    if (c.append_failed)
      return instance_error(&c, o, &in[i], e);
    if (c.ok) {
      out->bitcode[out->n] = c.bitcode;
      out->sizes[out->n++] = c.n;
      if (j->dialect == WW_OPENMP)
        ww_openmp_environments(&c, a, &out->regions);
    } else {
      ww_front_first_error(&c, in[i].file, &why);
      ww_push(a, &out->diags,
              (ww_diag){why.file, why.line, why.col, true, false, ww_strdup(a, why.msg),
                        NULL});
    }
  }
  if (out->n)
    return WW_OK;
  if (e)
    *e = why;
  return why.code;
}

static void note_flags(const ww_flags *f, ww_diags *diags, ww_arena *a) {
  for (uint32_t i = 0; i < f->ignored.n; i++)
    ww_push(
        a, diags,
        (ww_diag){.message = ww_fmt(a, "flag '%s' is not known here and was ignored",
                                    f->ignored.v[i])});
}

/* Where nothing was left out it is a file without kernels, or of templates alone: no
 * error. */
static ww_status no_kernel(const objects *ob, ww_err *e) {
  for (uint32_t i = 0; i < ob->diags.n; i++)
    if (ob->diags.v[i].file && ob->diags.v[i].error) {
      ww_status rc = ww_fail(e, WW_EPARSE, "no kernel could be listed: %s",
                             ob->diags.v[i].message);
      if (e) {
        e->file = ob->diags.v[i].file;
        e->line = ob->diags.v[i].line;
        e->col = ob->diags.v[i].col;
      }
      return rc;
    }
  return WW_OK;
}

/* ---- lowering, here or in a process of its own ---- */

typedef struct {
  const void *bitcode;
  size_t n;
  ww_dialect dialect;
  bool raw;
  ww_arena *a;
} lowering;

/* A byte that says whether it went well, then the IR, whose text form carries
 * everything, or the message. */
static void lower_in_child(void *ctx, ww_buf *out) {
  const lowering *l = ctx;
  ww_module m = {0};
  ww_err e = {0};
  const void *bitcode[] = {l->bitcode};
  size_t n[] = {l->n};
  ww_status st = ww_lower_bitcode(bitcode, n, 1, l->dialect, l->raw, l->a, &m, &e);
  uint8_t code = st;
  ww_buf_add(out, &code, 1);
  if (st)
    ww_buf_puts(out, e.msg);
  else
    ww_ir_print_module(&m, out);
}

ww_status
ww_front_lower_child(const char *dialect, const char *raw, ww_arena *a, ww_err *e) {
  ww_buf in = {0};
  ww_buf text = {0};
  char piece[65536];
  for (ssize_t n; (n = read(STDIN_FILENO, piece, sizeof piece)) > 0;)
    ww_buf_add(&in, piece, n);
  ww_confine_wholly();
  lower_in_child(&(lowering){in.s, in.n, atoi(dialect), *raw == '1', a}, &text);
  bool written = fwrite(text.s, 1, text.n, stdout) == text.n;
  ww_buf_free(&in);
  ww_buf_free(&text);
  return written ? WW_OK : ww_fail(e, WW_EIO, "cannot write the code");
}

/* What such a child wrote. */
static ww_status read_lowered(const ww_buf *b, ww_arena *a, ww_module *out, ww_err *e) {
  if (!b->n)
    return ww_fail(
        e, WW_ELIMIT,
        "optimising the code took more memory than it may have, or failed; --memory "
        "raises the limit");
  if (b->s[0])
    return ww_fail(e, (ww_status)b->s[0], "%s", b->s + 1);
  return ww_ir_parse(b->s + 1, a, out, e);
}

static ww_status
lower_forked(lowering *l, double timeout_s, ww_module *out, ww_err *e) {
  ww_buf b;
  ww_child child = ww_isolate_child(ww_now() + timeout_s);
  child.work = lower_in_child;
  child.ctx = l;
  ww_status st = ww_child_run(&child, &b, e);
  if (st)
    ww_fail(e, st = WW_ELIMIT,
            "optimising the code took more time or memory than it may have, or failed; "
            "--seconds "
            "and --memory raise the limits");
  else
    st = read_lowered(&b, l->a, out, e);
  ww_buf_free(&b);
  return st;
}

static ww_status lower_apart(lowering *l, double timeout_s, ww_module *out, ww_err *e) {
  const char *program = ww_isolate_program();
  if (!program)
    return lower_forked(l, timeout_s, out, e);
  char dialect[16];
  snprintf(dialect, sizeof dialect, "%d", (int)l->dialect);
  const char *argv[] = {program, "--lower", dialect, l->raw ? "1" : "0", NULL};
  ww_run_result r;
  ww_status st = ww_run(argv, l->bitcode, l->n, timeout_s, &r, e);
  if (!st && r.timed_out)
    st = ww_fail(e, WW_ELIMIT,
                 "optimising the code took longer than this request may take");
  else if (!st) {
    ww_buf nothing = {0};
    st = read_lowered(r.exit_code ? &nothing : &r.out, l->a, out, e);
  }
  ww_run_free(&r);
  return st;
}

/* ---- the whole ---- */

double ww_front_left(double deadline, double otherwise) {
  double left = deadline - ww_now();
  /* 0 would be no limit */
  return deadline <= 0 ? otherwise : left > 0.001 ? left : 0.001;
}

/* Where clang has lost kernels over such headers, or finds no header at all, nvcc may
 * have them. */
static void try_nvcc(const ww_front_options *o,
                     const setup *s,
                     ww_arena *a,
                     ww_unit *out,
                     ww_status *rc) {
  ww_unit other;
  bool missing = false;
  uint32_t refused = 0;
  for (uint32_t i = 0; i < out->ndiags; i++)
    missing |= out->diags[i].missing_header;
  for (uint32_t k = 0; k < out->module.nfns; k++)
    refused += out->module.fns[k].kernel && out->module.fns[k].refusal;
  if (s->dialect != WW_CUDA || o->via || o->nfiles != 1 || o->no_sdk || o->nvisible ||
      (!*rc && !refused && !missing) ||
      !(missing || ww_includes_library(&s->in[0].scan)))
    return;
  if (!ww_nvcc_find(a) || ww_ptx_by_nvcc(o, a, &other, NULL) ||
      ww_kernels_that_run(&other.module) <=
          (*rc ? 0 : ww_kernels_that_run(&out->module)))
    return;
  *out = other;
  *rc = WW_OK;
}

static ww_status load_by_clang(
    const ww_front_options *o, setup *s, ww_arena *a, ww_unit *out, ww_err *e) {
  double spent = ww_clang_spent();
  objects ob = {.bitcode = WW_NEWN(a, const void *, o->nfiles),
                .sizes = WW_NEWN(a, size_t, o->nfiles)};
  ww_clang_job j = ww_front_new_job(o, &s->clang, s->dialect, &s->flags);
  ww_status rc = compile_all(o, &j, s->in, a, &ob, e);
  if (rc)
    return rc;
  bool raw = s->dialect == WW_CUDA; /* not optimised yet */
  rc = ob.n == 1 && ww_isolated()
           ? lower_apart(&(lowering){ob.bitcode[0], ob.sizes[0], s->dialect, raw, a},
                         ww_front_left(o->deadline, LOWER_TIMEOUT_S), &out->module, e)
           : ww_lower_bitcode(ob.bitcode, ob.sizes, ob.n, s->dialect, raw, a,
                              &out->module, e);
  if (rc)
    return rc;
  if (s->dialect == WW_OPENMP)
    ww_openmp_scalars(&out->module);
  out->refused_by = WW_NEWN(a, uint32_t, out->module.nfns + ob.losses.n + 1);
  for (uint32_t i = 0; i < out->module.nfns; i++)
    out->refused_by[i] = explain_refusal(&out->module.fns[i], &ob.losses, a);
  list_lost_kernels(&ob.losses, out, a);
  out->regions = ob.regions.v;
  out->nregions = ob.regions.n;
  out->clang_ms = 1e3 * (ww_clang_spent() - spent);
  out->headers = ob.headers.v;
  out->nheaders = ob.headers.n;
  out->partial = ob.diags.n > 0;
  for (uint32_t i = 0; i < o->nfiles; i++)
    note_templates(&s->in[i], &out->module, &ob.diags, a);
  note_flags(&s->flags, &ob.diags, a);
  out->diags = ob.diags.v;
  out->ndiags = ob.diags.n;
  return count_kernels(&out->module) ? WW_OK : no_kernel(&ob, e);
}

ww_status
ww_front_load(const ww_front_options *o, ww_arena *a, ww_unit *out, ww_err *e) {
  setup s;
  *out = (ww_unit){0};
  if (!o->nfiles)
    return ww_fail(e, WW_EUSAGE, "no source file given");
  if (ww_ptx_given(o))
    return ww_ptx_load(o, a, out, e);
  if (o->via == WW_VIA_NVCC)
    return ww_ptx_by_nvcc(o, a, out, e);
  ww_status rc = set_up(o, a, &s, e);
  if (rc)
    return rc;
  rc = load_by_clang(o, &s, a, out, e);
  if (rc == WW_OK || rc == WW_EPARSE)
    try_nvcc(o, &s, a, out, &rc);
  return rc;
}

void ww_front_precompile(const ww_front_options *o) {
  ww_arena *a = ww_arena_new();
  setup s;
  bool ok = !ww_ptx_given(o) && !set_up(o, a, &s, NULL);
  for (uint32_t i = 0; ok && i < 2 * o->nfiles; i++) {
    const ww_scan *scan = &s.in[i / 2].scan;
    ww_clang_job j = ww_front_new_job(o, &s.clang, s.dialect, &s.flags);
    ww_strings line = {0};
    ww_front_job(o, i / 2, scan, &j);
    j.host = i % 2;
    if (j.host && !strstr(scan->text, "<<<"))
      continue; /* nobody will look for launches there */
    j.headers_later = false;
    j.headers_now = true;
    if (!ww_clang_line(&j, false, a, &line, NULL))
      ww_pch_get(&j, &line, false, a);
  }
  ww_arena_free(a);
}
