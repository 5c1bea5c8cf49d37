/* recorded.c - a recording after its program has ended: the files of all its processes
 * become one.
 *
 * Paths inside the specs are kept as written: all files lie in one folder. */
#include "recorder.h"

#include <ctype.h>
#include <dirent.h>
#include <unistd.h>

#include "../../base/map.h"

typedef struct {
  ww_arena *a;
  bool several; /* processes: the order of one says nothing of the others */
  bool damaged; /* some line cannot be read: the file is written anew without it */
  WW_VEC(ww_launch) launches;
  ww_dict by_text; /* a spec without its count -> index into launches */
  ww_dict kernels; /* names */
  ww_strings notes;
} collection;

/* The files of other processes: launches.jsonl -> launches.1234.jsonl */
static ww_strings others(const char *path, ww_arena *a) {
  const char *dir = ww_path_dir(a, path);
  const char *base = ww_path_base(path);
  const char *dot = strrchr(base, '.');
  size_t stem = dot && dot != base ? (size_t)(dot - base) : strlen(base);
  ww_strings names = {0};
  DIR *d = opendir(dir);
  for (struct dirent *f; d && (f = readdir(d));) {
    const char *s = f->d_name + stem + 1;
    if (strncmp(f->d_name, base, stem) || f->d_name[stem] != '.' ||
        !isdigit((unsigned char)*s))
      continue;
    while (isdigit((unsigned char)*s))
      s++;
    if (!strcmp(s, base + stem))
      ww_push(a, &names, ww_path_join(a, dir, f->d_name));
  }
  if (d)
    closedir(d);
  return names;
}

void ww_recorded_clear_parts(const char *path) {
  ww_arena *a = ww_arena_new();
  ww_strings parts = others(path, a);
  for (uint32_t i = 0; i < parts.n; i++)
    unlink(parts.v[i]);
  ww_arena_free(a);
}

void ww_recorded_clear(const char *path) {
  ww_recorded_clear_parts(path);
  unlink(path);
}

static const char *text_of(const ww_launch *l, ww_arena *a) {
  ww_buf b = {0};
  ww_json j = {.out = &b};
  ww_launch_write(l, &j);
  return ww_buf_text(&b, a);
}

static void add_line(collection *c, ww_launch l) {
  uint64_t count = l.count ? l.count : 1;
  bool fresh;
  ww_launch key = l;
  key.count = key.nat = 0;
  l.count = 0;
  if (c->several)
    l.nat = 0;
  const char *text = text_of(&key, c->a);
  ww_dict_at(&c->kernels, c->a, l.kernel, strlen(l.kernel), &fresh);
  uint32_t *at = ww_dict_at(&c->by_text, c->a, text, strlen(text), &fresh);
  if (fresh) {
    *at = c->launches.n;
    ww_push(c->a, &c->launches, l);
  }
  c->launches.v[*at].count += count;
}

static void add_note(collection *c, const char *text) {
  if (!ww_strings_have(&c->notes, text))
    ww_push(c->a, &c->notes, text);
}

static ww_status add_file(collection *c, const char *path, ww_err *e) {
  char *text;
  char *next;
  ww_status rc = ww_read_file(c->a, path, 1 << 30, &text, NULL, e);
  for (; !rc && *text; text = next) {
    char *end = strchr(text, '\n');
    if (!end) { /* the program was killed while it wrote this one */
      c->damaged = true;
      break;
    }
    *end = 0;
    next = end + 1;
    ww_launch l;
    if (ww_starts(text, "# "))
      add_note(c, text + 2);
    else if (!ww_launch_parse(text, "", c->a, &l, NULL) && l.kernel)
      add_line(c, l);
    else if (*text) {
      c->damaged = true;
      add_note(
          c, "a line of the recording is damaged and was left out: was the disk full?");
    }
  }
  return rc;
}

static ww_status write_all(const collection *c, const char *path, ww_err *e) {
  ww_buf b = {0};
  ww_buf_puts(&b, "");
  for (uint32_t i = 0; i < c->notes.n; i++)
    ww_buf_fmt(&b, "# %s\n", c->notes.v[i]);
  for (uint32_t i = 0; i < c->launches.n; i++)
    ww_buf_fmt(&b, "%s\n", text_of(&c->launches.v[i], c->a));
  ww_status rc = ww_write_file_atomic(path, b.s, b.n, e);
  ww_buf_free(&b);
  return rc;
}

ww_status
ww_recorded_collect(const char *path, ww_arena *a, ww_recorded_run *out, ww_err *e) {
  collection c = {.a = a};
  ww_strings parts = others(path, a);
  *out = (ww_recorded_run){0};
  c.several = parts.n > 0;
  ww_status rc = ww_file_exists(path) ? add_file(&c, path, e) : WW_OK;
  for (uint32_t i = 0; i < parts.n && !rc; i++)
    rc = add_file(&c, parts.v[i], e);
  if (!rc && (parts.n || c.damaged))
    rc = write_all(&c, path, e);
  if (rc)
    return rc;
  for (uint32_t i = 0; i < parts.n; i++)
    unlink(parts.v[i]);
  for (uint32_t i = 0; i < c.launches.n; i++)
    out->launches += c.launches.v[i].count;
  out->kernels = c.kernels.n;
  out->notes = c.notes.v;
  out->nnotes = c.notes.n;
  return c.launches.n ? ww_launch_read(path, a, &out->lines, &out->nlines, e) : WW_OK;
}
