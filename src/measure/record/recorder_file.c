/* recorder_file.c - the recorder's files: lines, contents and code beside them, and the
 * environment variable.
 *
 * A new line is appended at once; the whole file is written anew, through a temporary
 * one, when counts have changed. One process owns a file: whoever creates it. Another
 * one (a forked child, a second program of a script) takes the same name with its
 * process id before the extension; `warpwise record` puts them together again. */
#include "recorder_int.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../base/json_put.h"
#include "../../base/jsonread.h"

#define VARIABLE "WARPWISE_RECORD"

/* ---- names ---- */

static const char *with_pid(ww_arena *a, const char *path) {
  const char *base = ww_path_base(path);
  const char *dot = strrchr(base, '.');
  size_t n = dot && dot != base ? (size_t)(dot - path) : strlen(path);
  return ww_fmt(a, "%.*s.%ld%s", (int)n, path, (long)getpid(), path + n);
}

ww_status ww_recorder_claim(ww_recorder *r, ww_err *e) {
  const char *path = r->o.path;
  int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (fd < 0 && errno == EEXIST) {
    path = with_pid(r->arena, path);
    fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  }
  if (fd < 0)
    return ww_fail(e, WW_EIO, "cannot write '%s': %s", path, strerror(errno));
  close(fd);
  r->path = ww_strdup(r->arena, path);
  r->dir = ww_fmt(r->arena, "%s.d", r->o.path);
  r->dir_name = ww_fmt(r->arena, "%s.d", ww_path_base(r->o.path));
  return WW_OK;
}

const char *ww_recorder_path_of(ww_recorder *r, const char *file) {
  char real[PATH_MAX];
  char folder[PATH_MAX];
  if (!realpath(file, real))
    return ww_strdup(r->arena, file);
  const char *dir = ww_path_dir(r->arena, r->path);
  size_t n = realpath(dir, folder) ? strlen(folder) : 0;
  bool below = n > 1 && !strncmp(real, folder, n) && real[n] == '/';
  return ww_strdup(r->arena, below ? real + n + 1 : real);
}

/* ---- contents and code ---- */

static const char *
stored_name(ww_recorder *r, const char *dir, uint64_t hash, const char *suffix) {
  return ww_fmt(r->arena, "%s/%016lx.%s", dir, hash, suffix);
}

bool ww_recorder_has(ww_recorder *r, uint64_t hash) {
  return ww_file_exists(stored_name(r, r->dir, hash, "zst"));
}

const char *ww_recorder_store(
    ww_recorder *r, const void *data, size_t n, uint64_t hash, const char *suffix) {
  const char *path = stored_name(r, r->dir, hash, suffix);
  if (!ww_file_exists(path)) {
    if (mkdir(r->dir, 0777) && errno != EEXIST)
      return NULL;
    ww_status rc = !strcmp(suffix, "zst") ? ww_write_packed(path, data, n, 1, NULL)
                                          : ww_write_file_atomic(path, data, n, NULL);
    if (rc)
      return NULL;
  }
  return stored_name(r, r->dir_name, hash, suffix);
}

/* ---- lines ---- */

static void write_line(const ww_line *x, ww_buf *out) {
  ww_launch l = x->spec;
  ww_buf note = {0};
  l.count = x->count;
  l.at = x->at.v;
  l.nat = x->at.n;
  if (x->others) {
    ww_buf_fmt(&note, "%s%scount includes %lu launches with other arguments",
               l.note ? l.note : "", l.note ? "; " : "", x->others);
    l.note = note.s;
  }
  ww_json j = {.out = out};
  ww_launch_write(&l, &j);
  ww_buf_puts(out, "\n");
  ww_buf_free(&note);
}

void ww_recorder_append(ww_recorder *r, const ww_line *line) {
  ww_buf b = {0};
  write_line(line, &b);
  int fd = open(r->path, O_WRONLY | O_APPEND | O_CLOEXEC);
  /* one write: a line is there whole or, when the disk is full, not to be read */
  if (fd < 0 || write(fd, b.s, b.n) != (ssize_t)b.n)
    r->dirty = true;
  if (fd >= 0)
    close(fd);
  ww_buf_free(&b);
}

void ww_recorder_rewrite(ww_recorder *r) {
  double begin = ww_now();
  ww_buf b = {0};
  ww_buf_puts(&b, "");
  for (uint32_t i = 0; i < r->notes.n; i++)
    ww_buf_fmt(&b, "# %s\n", r->notes.v[i]);
  for (uint32_t i = 0; i < r->lines.n; i++)
    write_line(&r->lines.v[i], &b);
  /* what was there stays when this fails */
  ww_write_file_atomic(r->path, b.s, b.n, NULL);
  ww_buf_free(&b);
  r->written = ww_now();
  r->cost = r->written - begin;
  r->dirty = false;
}

/* ---- the environment variable ---- */

static const char *absolute(const char *path, ww_arena *a) {
  char cwd[PATH_MAX];
  return path[0] == '/' || !getcwd(cwd, sizeof cwd) ? ww_strdup(a, path)
                                                    : ww_path_join(a, cwd, path);
}

char *ww_recorder_env(const ww_recorder_options *o, ww_arena *a) {
  ww_buf b = {0};
  ww_json j = {.out = &b};
  ww_json_put(&j,
              "{path:%s,source?:%s,contents:%i,binaries:%i,contents_limit:%lu,contents_"
              "each:%lu,per_kernel:%u,"
              "most:%u}",
              absolute(o->path, a), o->source ? absolute(o->source, a) : NULL,
              o->contents, o->binaries, o->contents_limit, o->contents_each,
              o->per_kernel, o->most);
  return ww_buf_text(&b, a);
}

static ww_status
read_options(const cJSON *t, ww_arena *a, ww_recorder_options *o, ww_err *e) {
  static const char *const members[] = {"path",     "source",         "contents",
                                        "binaries", "contents_limit", "per_kernel",
                                        "most",     "contents_each",  NULL};
  uint64_t per_kernel = 0;
  uint64_t most = 0;
  const struct {
    const char *name;
    uint64_t *to;
  } numbers[] = {{"contents_limit", &o->contents_limit},
                 {"contents_each", &o->contents_each},
                 {"per_kernel", &per_kernel},
                 {"most", &most}};
  const cJSON *m;
  ww_status rc = ww_json_want_members(t, VARIABLE, members, e);
  if (!rc)
    rc = ww_json_want_str(cJSON_GetObjectItemCaseSensitive(t, "path"), "path", &o->path,
                          a, e);
  if (!rc && (m = cJSON_GetObjectItemCaseSensitive(t, "source")))
    rc = ww_json_want_str(m, "source", &o->source, a, e);
  for (size_t i = 0; i < WW_COUNT(numbers) && !rc; i++)
    if ((m = cJSON_GetObjectItemCaseSensitive(t, numbers[i].name)))
      rc = ww_json_want_uint(m, numbers[i].name, numbers[i].to, e);
  o->per_kernel = per_kernel > UINT32_MAX ? UINT32_MAX : per_kernel;
  o->most = most > UINT32_MAX ? UINT32_MAX : most;
  o->contents = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(t, "contents"));
  o->binaries = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(t, "binaries"));
  return rc;
}

ww_recorder *ww_recorder_from_env(const ww_recorder_memory *m) {
  const char *text = getenv(VARIABLE);
  if (!text)
    return NULL;
  ww_err e = {0};
  ww_recorder_options o = {0};
  ww_recorder *r = NULL;
  ww_arena *a = ww_arena_new();
  cJSON *tree = ww_json_read(text, strlen(text), &e);
  if (tree && !read_options(tree, a, &o, &e))
    r = ww_recorder_open(&o, m, &e);
  cJSON_Delete(tree);
  ww_arena_free(a);
  return r;
}
