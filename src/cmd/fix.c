/* fix.c - the edits of findings, gathered over kernels: one diff a file, and the file
 * itself with
 * --write.
 *
 * A diff holds what --write would write. Of a finding's fixes the first is taken that
 * assumes nothing, with --assume the first; one that meets another's edits has to wait
 * for the next run. */
#include "fix.h"

#include <stdlib.h>
#include <sys/stat.h>

typedef struct {
  const char *path, *text;
  size_t n;
  ww_fix all; /* the edits to be made */
} file;

struct ww_fixing {
  ww_cmd *c;
  const ww_fix_options *o;
  ww_arena *a;
  WW_VEC(file) files;
  ww_strings notes; /* what each edit is for, as a line */
  ww_strings seen;  /* findings that were looked at */
  uint32_t taken;
  /* a file that is there and could not be read: its findings have no edits */
  ww_err unread;
};

ww_status ww_fixing_new(ww_cmd *c, const ww_fix_options *o, ww_fixing **out) {
  *out = NULL;
  if (!o->fix && (o->write || o->assume))
    return ww_usage(c, "--%s goes with --fix", o->write ? "write" : "assume");
  if (!o->fix)
    return WW_OK;
  *out = WW_NEW(c->arena, ww_fixing);
  **out = (ww_fixing){.c = c, .o = o, .a = c->arena};
  return WW_OK;
}

static file *file_of(ww_fixing *f, const char *path) {
  for (uint32_t k = 0; k < f->files.n; k++)
    if (!strcmp(f->files.v[k].path, path))
      return &f->files.v[k];
  file new = {.path = ww_strdup(f->a, path)};
  char *text;
  if (!ww_read_file(f->a, path, 64u << 20, &text, &new.n,
                    ww_file_exists(path) ? &f->unread : NULL))
    new.text = text;
  ww_push(f->a, &f->files, new);
  return &f->files.v[f->files.n - 1];
}

/* As the user calls it, where that is the same file. */
static const char *shown_path(ww_fixing *f, const char *path, const char *given) {
  char *p = realpath(path, NULL);
  char *q = given ? realpath(given, NULL) : NULL;
  const char *out = p && q && !strcmp(p, q) ? given : path;
  free(p);
  free(q);
  return ww_strdup(f->a, out);
}

/* The fixes of one finding, in the arena; none where it lies in another file than its
 * kernel. */
static uint32_t find(ww_fixing *f,
                     const ww_module *m,
                     const ww_fn *fn,
                     const ww_report *r,
                     const ww_finding *g,
                     ww_arena *a,
                     file **in,
                     ww_fix **out) {
  const char *path = fn->file ? fn->file : r->file;
  *in = NULL;
  if (!path || (g->file && strcmp(g->file, path)))
    return 0;
  *in = file_of(f, shown_path(f, path, r->file));
  if (!(*in)->text)
    return 0;
  ww_fix_source s = {.text = (*in)->text,
                     .n = (*in)->n,
                     .dialect = m->dialect,
                     .kernel = r->kernel,
                     .line = fn->line,
                     .launch = r->launch};
  return ww_fixes_find(&s, g, a, out);
}

/* Has another launch, or GPU, of the same kernel had this finding? A batch may have
 * thousands. */
static bool seen(ww_fixing *f, const ww_report *r, const ww_finding *g) {
  const char *key = ww_fmt(f->a, "%s:%s:%u:%s", r->file ? r->file : "",
                           r->kernel ? r->kernel : "", g->line, g->rule);
  for (uint32_t k = 0; k < f->seen.n; k++)
    if (!strcmp(f->seen.v[k], key))
      return true;
  ww_push(f->a, &f->seen, key);
  return false;
}

void ww_fixing_add(ww_fixing *f,
                   const ww_module *m,
                   const ww_fn *fn,
                   const ww_report *r) {
  for (uint32_t k = 0; k < r->nfindings; k++) {
    const ww_finding *g = &r->findings[k];
    file *in;
    ww_fix *v;
    uint32_t n = seen(f, r, g) ? 0 : find(f, m, fn, r, g, f->a, &in, &v);
    if (!n)
      continue;
    const ww_fix *x = ww_fix_choose(v, n, f->o->assume);
    bool take = f->o->assume || !x->assumes;
    const char *what =
        ww_fmt(f->a, "%s:%u: %s: %s", in->path, g->line, g->rule, x->title);
    const char *why = "";
    if (!take)
      why =
          ww_fmt(f->a, "\n  not in the diff, as it assumes that %s; --assume takes it",
                 x->assumes);
    if (take && ww_fix_holds(&in->all, x))
      continue;
    if (take && !ww_fix_join(&in->all, x, f->a)) {
      why = "\n  not in the diff, as it meets another edit; run it again afterwards";
      take = false;
    }
    ww_push(f->a, &f->notes, ww_fmt(f->a, "%s%s", what, why));
    f->taken += take;
  }
}

const char *
ww_fixing_hint(ww_cmd *c, const ww_module *m, const ww_fn *fn, const ww_report *r) {
  ww_arena *own = ww_arena_new();
  ww_fixing f = {
      .c = c,
      .a = own,
  };
  const char *rules = "";
  for (uint32_t k = 0; k < r->nfindings; k++) {
    file *in;
    ww_fix *v;
    if (find(&f, m, fn, r, &r->findings[k], own, &in, &v))
      rules = ww_fmt(own, "%s%s%s", rules, *rules ? ", " : "", r->findings[k].rule);
  }
  const char *out = *rules ? ww_fmt(c->arena, "--fix shows edits for %s", rules) : "";
  ww_arena_free(own);
  return out;
}

static void write_fix(const ww_fix *x, const ww_finding *g, ww_json *j) {
  ww_json_put(j, "{rule:%s,line:%u,title:%s,assumes?:%s,preferred:%i,launch:%i,edits:[",
              g->rule, g->line, x->title, x->assumes, x->preferred, x->launch);
  for (uint32_t k = 0; k < x->n; k++) {
    const ww_edit *e = &x->edits[k];
    ww_json_put(j, "{begin:%u,end:%u,text:%s}", e->begin, e->end, e->text);
  }
  ww_json_put(j, "]}");
}

void ww_fixing_json(
    ww_fixing *f, const ww_module *m, const ww_fn *fn, const ww_report *r, ww_json *j) {
  ww_json_put(j, "fixes:[");
  for (uint32_t k = 0; k < r->nfindings; k++) {
    file *in;
    ww_fix *v;
    ww_arena *own = ww_arena_new();
    uint32_t n = find(f, m, fn, r, &r->findings[k], own, &in, &v);
    for (uint32_t i = 0; i < n; i++)
      write_fix(&v[i], &r->findings[k], j);
    ww_arena_free(own);
  }
  ww_json_end_arr(j);
}

/* In place of the file that a link leads to, with its permissions. */
static ww_status write_file(ww_fixing *f, const file *in) {
  size_t n;
  char *text = ww_fix_apply(in->text, in->n, &in->all, f->a, &n);
  char *real = realpath(in->path, NULL);
  struct stat before;
  bool known = real && stat(real, &before) == 0;
  ww_status st = ww_write_file_atomic(real ? real : in->path, text, n, &f->c->err);
  if (!st && known && chmod(real, before.st_mode & 07777) != 0)
    st =
        ww_fail(&f->c->err, WW_EIO,
                "wrote '%s', but could not set its permissions; see to them", in->path);
  free(real);
  return st;
}

ww_status ww_fixing_end(ww_fixing *f) {
  ww_buf b = {0};
  ww_status st = f->unread.code;
  if (st)
    f->c->err = f->unread;
  for (uint32_t k = 0; k < f->notes.n; k++)
    ww_buf_fmt(&b, "%s\n", f->notes.v[k]);
  if (!f->notes.n && !st)
    ww_buf_puts(
        &b,
        "No finding has a fix that is an edit of a few words; see docs/explain.md for "
        "those that do.\n");
  for (uint32_t k = 0; k < f->files.n && !st; k++) {
    const file *in = &f->files.v[k];
    if (in->all.n)
      ww_fix_diff(in->path, in->text, in->n, &in->all, &b);
    if (in->all.n && f->o->write)
      st = write_file(f, in);
  }
  if (f->o->write && f->taken && !st)
    ww_buf_fmt(
        &b, "%u of these written; predict --diff compares with the version before.\n",
        f->taken);
  if (f->c->json)
    ww_buf_free(&b);
  else
    ww_print_buf(&b);
  return st;
}
