/* nvcc.c - runs nvcc, confined: no other file starts it.
 *
 * nvcc hands its words to a shell in double quotes, so a macro's value could name
 * commands. Invariant: nothing of the user's stands on its command line but paths
 * without the characters that the shell knows there; macros are defined in a header
 * that is included first, and the source is a copy in a folder of our own, which begins
 * with the line that gives it back its name. */
#include "nvcc.h"

#include "../base/confine.h"
#include "../base/words.h"
#include "cuda_toolkit.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#define SOURCE_MAX (64u << 20)
#define CODE_MAX (1u << 30)
#define MEMORY ((uint64_t)16 << 30) /* of address space, each of its programs */

/* ---- running it ---- */

/* What it may do besides reading. All may be NULL. */
typedef struct {
  const char *folder; /* to write to */
  const char *host;   /* the compiler that it starts */
  const char *const *visible;
  uint32_t nvisible;
} rights;

static ww_status confined(const char *const *argv,
                          const rights *may,
                          double timeout_s,
                          ww_run_result *r,
                          ww_err *e) {
  ww_arena *a = ww_arena_new();
  const char *root = ww_path_dir(a, ww_path_dir(a, ww_path_real(a, argv[0])));
  const char *write[] = {may->folder, NULL};
  const char *run[] = {argv[0], root, "/bin/sh", may->host, NULL, NULL, NULL, NULL};
  if (may->host) {
    run[4] = ww_path_real(a, may->host);
    run[5] = "/usr/lib/gcc";
    run[6] = "/usr/libexec/gcc";
  } else
    run[3] = NULL;
  ww_strings read = {0};
  if (!may->nvisible)
    ww_all_folders(a, &read);
  for (uint32_t i = 0; i < may->nvisible; i++)
    ww_push(a, &read, may->visible[i]);
  ww_push(a, &read, root);
  ww_push(a, &read, NULL);
  ww_confine c = {.read = read.v, .write = write, .run = run, .processes = true};
  ww_run_watch w = {.confine = &c, .memory = MEMORY};
  w.env = may->folder ? ww_fmt(a, "TMPDIR=%s", may->folder) : "TMPDIR=/nonexistent";
  const char *missing = ww_confine_missing();
  ww_status st =
      missing && may->nvisible
          ? ww_fail(e, WW_EUNSUPPORTED,
                    "this kernel cannot confine %s: nvcc is not run", missing)
          : ww_run_watched(argv, NULL, 0, timeout_s, &w, r, e);
  ww_arena_free(a);
  return st;
}

/* What it says of itself; NULL: it does not run. */
static const char *ask(const char *nvcc, const char *word, ww_arena *a) {
  const char *argv[] = {nvcc, word, NULL};
  ww_run_result r = {0};
  bool ok = !confined(argv, &(rights){0}, 30, &r, NULL) && r.exit_code == 0;
  const char *out = ok ? ww_strdup(a, r.out.s ? r.out.s : "") : NULL;
  ww_run_free(&r);
  return out;
}

/* ---- finding it ---- */

/* There, and no wrapper around a toolkit that is gone. */
static bool runs(const char *path, ww_arena *a) {
  return !access(path, X_OK) && ask(path, "--version", a);
}

const char *ww_nvcc_find(ww_arena *a) {
  const char *path = getenv("PATH");
  for (const char *p = path; p && *p;) {
    size_t n = strcspn(p, ":");
    const char *full = ww_fmt(a, "%.*s/nvcc", (int)n, p);
    if (*full == '/' && n && runs(full, a))
      return full;
    p += n + (p[n] == ':');
  }
  const char *root = ww_cuda_root(a, "bin/nvcc");
  const char *full = root ? ww_path_join(a, root, "bin/nvcc") : NULL;
  return full && *full == '/' && runs(full, a) ? full : NULL;
}

const char *ww_nvcc_version(const char *nvcc, ww_arena *a) {
  const char *said = ask(nvcc, "--version", a);
  const char *v = said ? strstr(said, ", V") : NULL; /* "release 13.0, V13.0.88" */
  return v ? ww_fmt(a, "nvcc %.*s", (int)strspn(v + 3, "0123456789."), v + 3) : "nvcc";
}

const char *ww_nvcc_architecture(const char *nvcc, ww_arena *a) {
  const char *version = ww_nvcc_version(nvcc, a) + strlen("nvcc");
  double release = strtod(version, NULL); /* "13.0.88" */
  /* with what only Hopper has, which CUDA 11 does not know */
  return release >= 12 ? "sm_90a" : release >= 11 ? "sm_80" : "sm_70";
}

/* ---- its words ---- */

/* Between double quotes a shell leaves it as it is. */
static bool is_plain(const char *word) {
  return !strpbrk(word, "\"$`\\\n");
}

/* -DNAME=value, -UNAME: a line of the header; a value cannot hold a second one. */
static void add_macro(const char *word, ww_buf *header) {
  size_t n = strcspn(word + 2, "=\n");
  const char *value = word[2 + n] == '=' ? word + 3 + n : "1";
  if (strchr(word, '\n') || ww_is_digit(word[2]) || !ww_is_word(word[2]))
    return;
  if (word[1] == 'U')
    ww_buf_fmt(header, "#undef %s\n", word + 2);
  else
    ww_buf_fmt(header, "#define %.*s %s\n", (int)n, word + 2, value);
}

static void
add_flags(const ww_nvcc_job *j, ww_arena *a, ww_buf *header, ww_strings *argv) {
  ww_strings words = {0};
  if (j->flags)
    ww_nvcc_words(j->flags, true, a, &words);
  for (uint32_t i = 0; i < words.n; i++) {
    const char *w = words.v[i];
    if (ww_starts(w, "-D") || ww_starts(w, "-U"))
      add_macro(w, header);
    else if (is_plain(w))
      ww_push(a, argv, w);
  }
}

static const char *host_compiler(ww_arena *a) {
  const char *given = getenv("NVCC_CCBIN");
  const char *usual[] = {given && *given == '/' ? given : "/usr/bin/g++",
                         "/usr/local/bin/g++", "/usr/bin/c++", "/usr/bin/clang++"};
  for (size_t i = 0; i < WW_COUNT(usual); i++)
    if (access(usual[i], X_OK) == 0)
      return ww_strdup(a, usual[i]);
  return NULL;
}

/* ---- its files ---- */

typedef struct {
  const char *folder, *source, *header, *code;
} files;

static ww_status source_text(const ww_nvcc_job *j, ww_arena *a, ww_buf *b, ww_err *e) {
  char *text = (char *)j->text;
  ww_status st = text ? WW_OK : ww_read_file(a, j->file, SOURCE_MAX, &text, NULL, e);
  if (st)
    return st;
  ww_buf_puts(b, "#line 1 \"");
  for (const char *c = j->file ? ww_path_real(a, j->file) : "source.cu"; *c; c++)
    ww_buf_fmt(b, "%s%c", *c == '"' || *c == '\\' ? "\\" : "", *c == '\n' ? ' ' : *c);
  ww_buf_puts(b, "\"\n");
  ww_buf_puts(b, text + (ww_starts(text, "\xef\xbb\xbf") ? 3 : 0)); /* UTF-8's mark */
  if (j->instances && j->instances->n)
    ww_buf_fmt(b, "\n#line 1 \"%s\"", WW_NVCC_INSTANCES);
  for (uint32_t i = 0; j->instances && i < j->instances->n; i++)
    ww_buf_fmt(b, "\n__attribute__((used)) static auto ww_keep_%u = &%s;", i,
               j->instances->v[i]);
  ww_buf_puts(b, "\n");
  return WW_OK;
}

static ww_status write_files(const ww_nvcc_job *j,
                             const files *f,
                             const ww_buf *header,
                             ww_arena *a,
                             ww_err *e) {
  ww_buf text = {0};
  ww_status st = source_text(j, a, &text, e);
  if (!st)
    st = ww_write_file_atomic(f->source, text.s, text.n, e);
  if (!st)
    st = ww_write_file_atomic(f->header, header->s ? header->s : "", header->n, e);
  ww_buf_free(&text);
  return st;
}

/* Of what it said without a place: the line that says an error, else the first. */
static const char *complaint(const char *log) {
  for (const char *line = log; line; line = strchr(line, '\n')) {
    line += *line == '\n';
    size_t n = strcspn(line, "\n");
    if (memmem(line, n, "error", 5) || memmem(line, n, "fatal", 5))
      return line;
  }
  return log;
}

/* The first error of what it said, in the name of the file. */
static ww_status
explain(const ww_nvcc_job *j, const ww_run_result *r, ww_arena *a, ww_err *e) {
  ww_err m;
  if (r->timed_out)
    return ww_fail(e, WW_ELIMIT, "nvcc took longer than %.0f s and was ended",
                   j->timeout_s);
  const char *logs[] = {r->err.s, r->out.s};
  for (int i = 0; i < 2; i++)
    if (ww_nvcc_next_error(logs[i], a, &m)) {
      if (m.file && !strcmp(m.file, WW_NVCC_INSTANCES)) {
        m.file = j->file;
        m.line = m.col = 0;
      }
      if (e)
        *e = m;
      return m.code;
    }
  const char *line = complaint(r->err.n ? r->err.s : r->out.n ? r->out.s : "");
  return ww_fail(e, WW_EDATA, "nvcc failed: %.*s", (int)strcspn(line, "\n"), line);
}

static void build_line(const ww_nvcc_job *j,
                       const files *f,
                       const char *host,
                       ww_arena *a,
                       ww_strings *argv) {
  const char *fixed[] = {
      j->nvcc,     "-x",   "cu",     j->form, ww_fmt(a, "-arch=%s", j->architecture),
      "-lineinfo", "-w",   "-ccbin", host,    ww_fmt(a, "--pre-include=%s", f->header),
      "-o",        f->code};
  for (size_t i = 0; i < WW_COUNT(fixed); i++)
    ww_push(a, argv, fixed[i]);
}

ww_status ww_nvcc_run(ww_nvcc_job *j, ww_arena *a, char **code, size_t *n, ww_err *e) {
  const char *tmp = getenv("TMPDIR");
  char *folder = ww_fmt(a, "%s/warpwise-XXXXXX", tmp && *tmp == '/' ? tmp : "/tmp");
  const char *host = host_compiler(a);
  ww_strings argv = {0};
  ww_buf header = {0};
  ww_run_result r = {0};
  if (!host)
    return ww_fail(e, WW_EDEVICE, "nvcc needs a host compiler: install g++");
  const char *dir = j->file ? ww_path_dir(a, ww_path_real(a, j->file)) : NULL;
  if ((dir && !is_plain(dir)) || !is_plain(folder))
    return ww_fail(e, WW_EUSAGE, "nvcc is not given a folder named '%.200s'",
                   dir ? dir : folder);
  int listed;
  if (!ww_temp_folder(folder, &listed))
    return ww_fail(e, WW_EIO, "cannot make the folder '%s': %s: set TMPDIR", folder,
                   strerror(errno));
  files f = {folder, ww_path_join(a, folder, "source.cu"),
             ww_path_join(a, folder, "flags.h"), ww_path_join(a, folder, "code")};
  build_line(j, &f, host, a, &argv);
  add_flags(j, a, &header, &argv);
  if (dir)
    ww_push(a, &argv, ww_fmt(a, "-I%s", dir));
  ww_push(a, &argv, f.source);
  ww_push(a, &argv, NULL);
  ww_status st = write_files(j, &f, &header, a, e);
  if (!st)
    st = confined(argv.v, &(rights){folder, host, j->visible, j->nvisible},
                  j->timeout_s, &r, e);
  j->log = NULL;
  if (!st && (r.exit_code || r.timed_out)) {
    j->log = ww_strdup(a, r.err.n ? r.err.s : r.out.n ? r.out.s : "");
    st = explain(j, &r, a, e);
  }
  if (!st)
    st = ww_read_file(a, f.code, CODE_MAX, code, n, e);
  ww_remove_tree(folder);
  ww_cleanup_forget(listed);
  ww_buf_free(&header);
  ww_run_free(&r);
  return st;
}
