/* build.c - an emulated program from its sources: host objects by clang, our runtime
 * from libwarpwise.a, and the table of its kernels. What the front end cannot read
 * costs the table its entries, not the program its build: arguments are then recorded
 * as bytes. */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "emulate_int.h"

#define LINK_S 120.0
#define MOST_THREADS 8
#define REMEDIES 2 /* of a failed link */

/* ---- the library ---- */

static const char *library(ww_arena *a, ww_err *e) {
  const char *own = ww_path_dir(a, ww_self_path(a));
  const char *env = getenv("WARPWISE_LIBRARY");
  const char *const places[] = {
      env && *env ? env : ww_path_join(a, own, "libwarpwise.a"),
      ww_path_join(a, own, "../libwarpwise.a"),
      ww_path_join(a, own, "../../libwarpwise.a"),
      ww_path_join(a, own, "../lib/warpwise/libwarpwise.a"),
      ww_path_join(a, ww_data_dir(a), "libwarpwise.a"),
      ww_path_join(a, ww_data_dir(a), "../../lib/warpwise/libwarpwise.a")};
  for (size_t i = 0; i < WW_COUNT(places); i++)
    if (ww_file_exists(places[i]))
      return places[i];
  ww_fail(e, WW_EDEVICE,
          "libwarpwise.a, which holds the runtime's stand-in, is not beside the "
          "program: install it or "
          "set WARPWISE_LIBRARY to its path");
  return NULL;
}

/* ---- linking ---- */

/* Ours, or nothing that host code calls. */
static bool stood_in_for(const char *name) {
  static const char *const known[] = {
      "cudart", "cudart_static", "cuda",       "curand",       "cudadevrt",
      "cublas", "cufft",         "nvToolsExt", "nvtx3interop", "omp",
      "gomp",   "iomp5",         "rt",         "omptarget",    NULL};
  for (const char *const *k = known; *k; k++)
    if (!strcmp(*k, name))
      return true;
  return false;
}

/* The value of an option of two letters at *i, joined or the next word, which is then
 * passed; NULL: it is another option, or has none. */
static const char *
value_of(const char *option, const ww_front_options *f, uint32_t *i) {
  const char *w = f->flags[*i];
  if (!ww_starts(w, option))
    return NULL;
  return w[2] ? w + 2 : *i + 1 < f->nflags ? f->flags[++*i] : NULL;
}

static bool library_exists(const ww_front_options *f,
                           const char *clang,
                           const char *name,
                           ww_arena *a) {
  bool found = false;
  for (int s = 0; s < 2 && !found; s++) {
    ww_run_result r;
    const char *file =
        name[0] == ':' ? name + 1 : ww_fmt(a, "lib%s.%s", name, s ? "a" : "so");
    /* clang says nothing about the user's own folders */
    for (uint32_t i = 0; i < f->nflags && !found; i++) {
      const char *dir = value_of("-L", f, &i);
      found = dir && ww_file_exists(ww_path_join(a, dir, file));
    }
    if (found)
      break;
    ww_strings argv = {0};
    ww_push(a, &argv, clang);
    ww_push(a, &argv, "--no-default-config");
    ww_front_link_words(clang, a, &argv);
    ww_push(a, &argv, ww_fmt(a, "-print-file-name=%s", file));
    ww_push(a, &argv, NULL);
    if (!ww_front_run_clang(argv.v, NULL, 10, &r, NULL) && r.exit_code == 0)
      found = strchr(r.out.s, '/');
    ww_run_free(&r);
  }
  return found;
}

static void user_libraries(const ww_front_options *f,
                           const char *clang,
                           ww_arena *a,
                           ww_strings *v) {
  for (uint32_t i = 0; i < f->nflags; i++) {
    const char *dir = value_of("-L", f, &i);
    const char *name;
    if (dir)
      ww_push(a, v, ww_fmt(a, "-L%s", dir));
    if (dir || ww_starts(f->flags[i], "-lineinfo") || !(name = value_of("-l", f, &i)))
      continue;
    if (*name && !stood_in_for(name) && library_exists(f, clang, name, a))
      ww_push(a, v, ww_fmt(a, "-l%s", name));
  }
}

/* The first name that nobody defines says more than the linker's last line. */
static ww_status link_error(const char *text, ww_err *e) {
  const char *at = strstr(text, "undefined reference to `");
  if (at) {
    at += strlen("undefined reference to `");
    return ww_fail(e, WW_EUNSUPPORTED,
                   "the program needs `%.*s`, which neither its sources nor the "
                   "stand-in runtime define: "
                   "give all its source files, and -l for its libraries",
                   (int)strcspn(at, "'\n"), at);
  }
  at = strstr(text, "multiple definition of `");
  if (!at)
    at = text;
  return ww_fail(e, WW_EUNSUPPORTED, "the program cannot be linked: %.*s",
                 (int)strcspn(at, "\n"), at);
}

/* Not to be taken for an option, or by a leading @ for a file of options. */
static const char *safe(const char *path, ww_arena *a) {
  return path[0] == '-' || path[0] == '@' ? ww_fmt(a, "./%s", path) : path;
}

/* C of ours for the program, as `object`, which is a path that ends in .o. */
static ww_status
own_object(const char *text, const char *object, ww_arena *a, ww_err *e) {
  const char *source = ww_fmt(a, "%.*s.c", (int)(strlen(object) - 2), object);
  const char *clang = ww_front_clang(a, NULL, e);
  if (!clang)
    return WW_EUNSUPPORTED;
  ww_status rc = ww_write_file_atomic(source, text, strlen(text), e);
  ww_run_result r = {0};
  const char *const argv[] = {clang, "--no-default-config", "-c", source, "-o", object,
                              NULL};
  if (!rc)
    rc = ww_front_run_clang(argv, ww_path_dir(a, object), LINK_S, &r, e);
  if (!rc && r.exit_code)
    rc = ww_fail(e, WW_EDATA, "'%s' does not compile: %.200s", source, r.err.s);
  ww_run_free(&r);
  return rc;
}

/* What else to give the linker after this error, in *word; NULL: nothing helps. */
static ww_status
remedy(const char *error, const char *to, ww_arena *a, const char **word, ww_err *e) {
  *word = "-no-pie"; /* the user's objects are for a program at a fixed address */
  if (strstr(error, "-fPI"))
    return WW_OK;
  const char *absent = ww_emulate_absent(error, a);
  *word = absent ? ww_path_join(a, to, "absent.o") : NULL;
  return absent ? own_object(absent, *word, a, e) : WW_OK;
}

static ww_status link_program(const ww_emulate_options *o,
                              const ww_strings *objects,
                              const char *program,
                              ww_arena *a,
                              ww_err *e) {
  const char *clang = ww_front_clang(a, NULL, e);
  const char *lib = clang ? library(a, e) : NULL;
  ww_strings v = {0};
  if (!clang)
    return WW_EUNSUPPORTED;
  if (!lib)
    return WW_EDEVICE;
  ww_push(a, &v, clang);
  ww_push(a, &v, "--no-default-config");
  ww_front_link_words(clang, a, &v);
  for (uint32_t i = 0; i < objects->n; i++)
    ww_push(a, &v, objects->v[i]);
  for (uint32_t i = 0; i < o->nobjects; i++)
    ww_push(a, &v, safe(o->objects[i], a));
  user_libraries(&o->front, clang, a, &v);
  /* By the names that running programs use: what these libraries' -dev packages hold is
   * not needed here. */
  const char *const rest[] = {lib,
                              "-o",
                              program,
                              "-pthread",
                              "-lstdc++",
                              "-l:libcjson.so.1",
                              "-l:libzstd.so.1",
                              "-lm",
                              "-ldl"};
  for (size_t i = 0; i < WW_COUNT(rest); i++)
    ww_push(a, &v, rest[i]);
  ww_push(a, &v, NULL);
  ww_run_result r;
  const char *to = ww_path_dir(a, program);
  ww_status rc = ww_front_run_clang(v.v, to, LINK_S, &r, e);
  for (int i = 0; i < REMEDIES && !rc && r.exit_code; i++) {
    const char *word;
    rc = remedy(r.err.s, to, a, &word, e);
    if (rc || !word)
      break;
    v.v[v.n - 1] = word;
    ww_push(a, &v, NULL);
    ww_run_free(&r);
    rc = ww_front_run_clang(v.v, to, LINK_S, &r, e);
  }
  if (!rc && r.timed_out)
    rc = ww_fail(e, WW_ELIMIT, "the linker did not finish in %.0f seconds", LINK_S);
  if (!rc && r.exit_code)
    rc = link_error(r.err.s, e);
  if (!rc && chmod(program, 0755)) /* the linker, confined, changes no modes */
    rc = ww_fail(e, WW_EIO, "cannot make '%s' a program: %s", program, strerror(errno));
  ww_run_free(&r);
  return rc;
}

/* ---- objects: several at a time, clang is slow on C++ headers ---- */

typedef struct {
  const ww_emulate_options *o;
  const char **objects; /* one per file */
  atomic_uint next;
  pthread_mutex_t lock; /* of what follows */
  uint32_t failed;      /* lowest index of a file that does not compile */
  ww_err error;
  ww_arena *a;
} compiling;

static void *compile_some(void *ctx) {
  compiling *c = ctx;
  ww_arena *a = ww_arena_new();
  for (uint32_t i; (i = atomic_fetch_add(&c->next, 1)) < c->o->front.nfiles;) {
    ww_err e = {0};
    if (!ww_front_host_object(&c->o->front, i, c->objects[i], a, &e))
      continue;
    pthread_mutex_lock(&c->lock);
    if (i < c->failed) {
      c->failed = i;
      c->error = e;
      c->error.file = e.file ? ww_strdup(c->a, e.file) : NULL;
    }
    pthread_mutex_unlock(&c->lock);
    atomic_store(&c->next, c->o->front.nfiles);
  }
  ww_arena_free(a);
  return NULL;
}

static ww_status compile_all(const ww_emulate_options *o,
                             const char *to,
                             ww_arena *a,
                             ww_strings *objects,
                             ww_err *e) {
  compiling c = {
      .o = o, .failed = UINT32_MAX, .a = a, .lock = PTHREAD_MUTEX_INITIALIZER};
  for (uint32_t i = 0; i < o->front.nfiles; i++)
    ww_push(a, objects, ww_fmt(a, "%s/%u.o", to, i));
  c.objects = objects->v;
  pthread_t threads[MOST_THREADS];
  long cores = sysconf(_SC_NPROCESSORS_ONLN);
  uint32_t most = cores < 1 ? 1 : cores > MOST_THREADS ? MOST_THREADS : cores;
  uint32_t n = 0;
  for (uint32_t i = 1; i < most && i < o->front.nfiles; i++)
    n += !pthread_create(&threads[n], NULL, compile_some, &c);
  compile_some(&c);
  for (uint32_t i = 0; i < n; i++)
    pthread_join(threads[i], NULL);
  if (c.failed == UINT32_MAX)
    return WW_OK;
  if (e)
    *e = c.error;
  return c.error.code;
}

/* OpenMP's runtime takes its regions from a table in the program. */
static ww_status omp_table(
    const ww_unit *u, const char *object, ww_arena *a, ww_strings *objects, ww_err *e) {
  ww_push(a, objects, object);
  return own_object(ww_emulate_omp_table(u, a), object, a, e);
}

ww_status ww_emulate_build(const ww_emulate_options *o,
                           const char *to,
                           ww_arena *a,
                           ww_built *out,
                           ww_err *e) {
  ww_strings objects = {0};
  ww_unit unit = {0};
  *out = (ww_built){.program = ww_path_join(a, to, "program"),
                    .table = ww_path_join(a, to, "table.jsonl")};
  ww_status rc =
      o->front.nfiles ? WW_OK : ww_fail(e, WW_EUSAGE, "no source file given");
  if (rc || (rc = compile_all(o, to, a, &objects, e)))
    return rc;
  bool known = !ww_front_load(&o->front, a, &unit, NULL);
  const char *ir =
      o->execute != WW_EXECUTE_NONE && known ? ww_path_join(a, to, "kernels.ir") : NULL;
  if (ww_front_dialect_of(&o->front, a) == WW_OPENMP)
    rc = omp_table(&unit, ww_path_join(a, to, "regions.o"), a, &objects, e);
  if (!rc)
    rc = link_program(o, &objects, out->program, a, e);
  if (!rc && ir) {
    ww_buf b = {0};
    ww_ir_print_module(&unit.module, &b);
    rc = ww_write_file_atomic(ir, b.s, b.n, e);
    ww_buf_free(&b);
  }
  if (rc)
    return rc;
  const char *table = ww_emulate_table(o, known ? &unit : NULL, ir, a);
  return ww_write_file_atomic(out->table, table, strlen(table), e);
}
