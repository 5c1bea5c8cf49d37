/* gather.c - reads the sources of a folder, each in a process of its own, and brings
 * their kernels and launches together.
 *
 * A child writes lines, members separated by tabs: K key structure... (a kernel), L
 * note spec (a launch of the kernel before), E kernel message (a failure), C counts.
 * The parent puts them in the order of the files, so that the result does not depend on
 * who was done first. */
#include "gather.h"

#include <dirent.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>

#include "../base/process_pool.h"
#include "../measure/backend.h"

#define LIMIT_S 600
#define LINES_VERSION 2 /* of what a child writes, and of how launches are sampled */

typedef struct {
  ww_cmd *c;
  const ww_gather_options *o;
  ww_gathered *out;
  WW_VEC(ww_launch) listed;
  char **text; /* per file: what its child sent */
} gather;

/* One file in its child. */
typedef struct {
  const gather *g;
  const ww_source_file *file;
  ww_cmd c;
  ww_source_cache cache;
  uint64_t hash; /* of its text */
  const char **flags;
  uint32_t nflags;
  ww_worker *to;
  ww_buf text; /* all lines so far */
  size_t sent; /* of them */
  uint32_t failures;
  ww_variants_count count;
} reading;

/* ---- what is known before: listed launches ---- */

static ww_status read_listed(gather *g, const char *path) {
  ww_launch *l;
  uint32_t n;
  ww_status st = ww_launch_read(path, g->c->arena, &l, &n, &g->c->err);
  if (st)
    return st;
  for (uint32_t k = 0; k < n; k++)
    ww_push(g->c->arena, &g->listed, l[k]);
  return WW_OK;
}

static int by_text(const void *a, const void *b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* launches.jsonl and launches*.jsonl of the folder. */
static ww_status find_listed(gather *g) {
  DIR *d = opendir(g->o->dir);
  ww_strings names = {0};
  ww_status st = WW_OK;
  for (struct dirent *f; d && (f = readdir(d));) {
    if (ww_starts(f->d_name, "launches") && ww_ends(f->d_name, ".jsonl"))
      ww_push(g->c->arena, &names, ww_path_join(g->c->arena, g->o->dir, f->d_name));
  }
  if (d)
    closedir(d);
  if (names.n)
    qsort(names.v, names.n, sizeof *names.v, by_text);
  for (uint32_t k = 0; !st && k < names.n; k++)
    st = read_listed(g, names.v[k]);
  return st;
}

static bool same_flags(const ww_launch *l, const char **flags, uint32_t n) {
  uint32_t k = 0;
  while (l->nflags == n && k < n && !strcmp(l->flags[k], flags[k]))
    k++;
  return l->nflags == n && k == n;
}

static bool of_file(const reading *r, const ww_launch *l) {
  return l->file && !strcmp(l->file, r->file->path);
}

/* ---- a kernel in the child ---- */

/* What is told so far is not lost when the child dies of what comes next. */
static void end_line(reading *r) {
  ww_buf_puts(&r->text, "\n");
  ww_worker_send(r->to, r->text.s + r->sent, r->text.n - r->sent);
  r->sent = r->text.n;
}

static void fail_line(reading *r, const char *kernel, const char *message) {
  char clean[sizeof((ww_err *)0)->msg];
  snprintf(clean, sizeof clean, "%s", message);
  for (char *s = clean; *s; s++)
    if (*s == '\n' || *s == '\t')
      *s = ' ';
  ww_buf_fmt(&r->text, "E\t%s\t%s", kernel ? kernel : "", clean);
  end_line(r);
  r->c.err = (ww_err){0};
  r->failures++;
}

static const char *key_of(const reading *r, const ww_fn *fn) {
  ww_arena *a = r->c.arena;
  const char *key = r->g->o->corpus
                        ? ww_fmt(a, "corpus/%s:%s", r->file->relative, fn->name)
                        : ww_fmt(a, "import/%016" PRIx64 "/%s:%s", r->hash,
                                 r->file->relative, fn->name);
  for (uint32_t k = 0; k < r->nflags; k++)
    key = ww_fmt(a, "%s %s", key, r->flags[k]);
  return key;
}

/* A launch with its file, flags and note, as a line. */
static void
launch_line(reading *r, const ww_store_kernel *k, const ww_sample_variant *v) {
  ww_arena *a = ww_arena_new();
  ww_launch l;
  ww_err e = {0};
  ww_source f;
  ww_note note = {
      .kernel = *k,
      .number = v->identity | 1,
      .us = v->us,
  };
  ww_buf text = {0};
  ww_buf json = {0};
  if (!ww_launch_parse(v->json, NULL, a, &l, &e)) {
    l.file = r->file->path;
    l.flags = r->flags;
    l.nflags = r->nflags;
    if (ww_backend_of(&l) == &ww_backend_opencl &&
        !ww_source_of(&r->c, &ww_source_plain, &l.file, 1, NULL, &f)) {
      l.flags = f.flags;
      l.nflags = f.nflags;
    } /* built when it is loaded: the project's flags too */
    ww_note_write(&note, &text);
    l.note = text.s;
    ww_launch_write(&l, &(ww_json){.out = &json});
    ww_buf_fmt(&r->text, "L\t%s\t%s", text.s, json.s);
    end_line(r);
  }
  ww_buf_free(&text);
  ww_buf_free(&json);
  ww_arena_free(a);
}

static void kernel_line(reading *r, const ww_store_kernel *k, const ww_structure *s) {
  ww_buf b = {0};
  ww_note_write(&(ww_note){.kernel = *k, .us = NAN}, &b);
  ww_buf_fmt(&r->text, "K\t%s\t", b.s);
  for (uint32_t i = 0; r->g->o->structures && i < s->n; i++)
    ww_buf_fmt(&r->text, "%s%" PRIx64, i ? " " : "", s->v[i]);
  end_line(r);
  ww_buf_free(&b);
}

static bool is_known(const uint64_t *v, uint32_t n, uint64_t x) {
  while (n && v[n - 1] != x)
    n--;
  return n;
}

/* Variants change what expressions are over. */
static const ww_source_options as_written = {.as_written = true};

/* The listed launches of the kernel and the base itself; their identities into known.
 */
static uint32_t own_launches(reading *r,
                             const ww_store_kernel *k,
                             const ww_fn *fn,
                             const ww_launch *base,
                             uint64_t *known) {
  const gather *g = r->g;
  uint32_t n = 0;
  for (uint32_t i = 0; i <= g->listed.n; i++) {
    const ww_launch *from = i < g->listed.n ? &g->listed.v[i] : base;
    ww_launch l = *from;
    const ww_fn *same = fn;
    ww_sample_variant v;
    if (i < g->listed.n) {
      if (!of_file(r, from) || !same_flags(from, r->flags, r->nflags))
        continue;
      if (from->kernel && strcmp(from->kernel, fn->name) &&
          strcmp(from->kernel, fn->mangled))
        continue;
      l.flags = NULL;
      l.nflags = 0;
      if (ww_source_kernel(&r->c, &as_written, &r->cache, &l)) {
        fail_line(r, fn->name, r->c.err.msg);
        continue;
      }
      same = r->cache.fn;
    }
    if (ww_variant_make(r->cache.read.unit, same, &l, &g->o->variants, r->c.arena, &v,
                        &r->c.err))
      fail_line(r, fn->name, r->c.err.msg);
    else if (!is_known(known, n, v.identity)) {
      launch_line(r, k, &v);
      known[n++] = v.identity;
    }
  }
  return n;
}

static void add_count(ww_variants_count *to, const ww_variants_count *c) {
  to->tried += c->tried;
  to->kept += c->kept;
  to->fault += c->fault;
  to->slow += c->slow;
  to->large += c->large;
  to->same += c->same;
}

static void all_launches(reading *r,
                         const ww_store_kernel *k,
                         const ww_fn *fn,
                         const ww_launch *base) {
  const ww_module *m = r->cache.module;
  uint64_t *known = WW_NEWN(r->c.arena, uint64_t, r->g->listed.n + 1);
  const char *runs = r->g->o->dialect;
  const char *is = ww_dialect_names[m->dialect];
  if (m->dialect == WW_HIP)
    return fail_line(r, fn->name, "HIP code cannot be measured");
  if (m->dialect == WW_OPENMP)
    return fail_line(r, fn->name, "OpenMP regions cannot be measured");
  if (runs && strcmp(runs, is))
    return fail_line(r, fn->name,
                     ww_fmt(r->c.arena, "the device runs %s, not %s", runs, is));
  ww_variants_options o = r->g->o->variants;
  ww_variants_found found;
  o.known = known;
  o.nknown = own_launches(r, k, fn, base, known);
  if (!o.launches || !o.nknown)
    return;
  if (ww_variants(r->cache.read.unit, fn, base, &o, r->c.arena, &found, &r->c.err))
    fail_line(r, fn->name, r->c.err.msg);
  for (uint32_t i = 0; i < found.n; i++)
    launch_line(r, k, &found.v[i]);
  add_count(&r->count, &found.count);
}

static void read_kernel(reading *r, const ww_launch *which) {
  ww_launch base = *which;
  ww_structure s;
  ww_status st = ww_source_kernel(&r->c, &as_written, &r->cache, &base);
  if (st && !which->kernel && r->c.err.reason == WW_REASON_NO_KERNEL) {
    r->c.err = (ww_err){0}; /* a file of device functions or host code is no failure */
    return;
  }
  if (st)
    return fail_line(r, which->kernel, r->c.err.msg);
  const ww_module *m = r->cache.module;
  const ww_fn *fn = r->cache.fn;
  ww_structure_of(m, fn, r->c.arena, &s);
  ww_store_kernel k = {.key = key_of(r, fn),
                       .dialect = ww_dialect_names[m->dialect],
                       .source_hash = r->hash,
                       .structure = ww_structure_hash(&s)};
  kernel_line(r, &k, &s);
  if (fn->refusal && !r->g->o->launches)
    fail_line(r, fn->name, fn->refusal);
  if (r->g->o->launches)
    all_launches(r, &k, fn, &base);
}

/* ---- a file in the child ---- */

static void read_with_flags(reading *r, const char **flags, uint32_t n) {
  ww_source_options o = {.database = r->g->o->database};
  ww_launch *each;
  uint32_t count;
  ww_strings rest = {0};
  ww_strings_add(r->c.arena, &rest, flags, n);
  ww_strings_add(r->c.arena, &rest, r->g->c->rest, r->g->c->nrest);
  r->c.rest = rest.v;
  r->c.nrest = rest.n;
  r->flags = flags;
  r->nflags = n;
  if (ww_source_each(&r->c, &o, &r->cache, &each, &count))
    return fail_line(r, NULL, r->c.err.msg);
  for (uint32_t k = 0; k < count; k++)
    read_kernel(r, &each[k]);
}

static bool flags_done(const gather *g, const reading *r, uint32_t before) {
  for (uint32_t k = 0; k < before; k++)
    if (of_file(r, &g->listed.v[k]) &&
        same_flags(&g->listed.v[k], g->listed.v[before].flags,
                   g->listed.v[before].nflags))
      return true;
  return false;
}

/* ---- what was read before ---- */

/* A file of the corpus stands for itself (it includes nothing of its own), so its lines
 * depend on its text, the launches listed for it and the options. Of other files the
 * user says that what they include stays the same, by naming a folder to keep lines in.
 */
static const char *
kept_at(const gather *g, const reading *r, const char *text, size_t n) {
  const ww_variants_options *v = &g->o->variants;
  const char *cache = g->o->keep                       ? g->o->keep
                      : g->o->corpus && g->o->launches ? ww_cache_dir(r->c.arena)
                                                       : NULL;
  if (!cache)
    return NULL;
  ww_buf b = {0};
  ww_buf_fmt(&b, "%d %s %s %u %" PRIu64 " %" PRIu64 " %g %g %d\n", LINES_VERSION,
             r->file->relative, v->gpu ? v->gpu->name : "", v->launches, v->seed,
             v->budget, v->most_bytes, v->most_us, g->o->structures);
  for (uint32_t k = 0; k < g->listed.n; k++) {
    ww_launch l = g->listed.v[k];
    if (!of_file(r, &l))
      continue;
    l.file = NULL;
    ww_launch_write(&l, &(ww_json){.out = &b});
  }
  ww_buf_add(&b, text, n);
  const char *path = ww_fmt(r->c.arena, "%s/plan-%016" PRIx64 "%016" PRIx64, cache,
                            ww_hash(b.s, b.n, 1), ww_hash(b.s, b.n, 2));
  ww_buf_free(&b);
  return path;
}

static bool send_kept(const char *path, ww_arena *a, ww_worker *to) {
  char *text;
  size_t n;
  if (!path || !ww_file_exists(path) || ww_read_file(a, path, 1 << 30, &text, &n, NULL))
    return false;
  ww_worker_send(to, text, n);
  return true;
}

static void read_file(gather *g, uint32_t index, ww_worker *to) {
  reading r = {
      .g = g,
      .file = &g->out->files.v[index],
      .c = *g->c,
      .to = to,
  };
  char *text;
  size_t n;
  bool plain = false, any = false;
  const char *kept = NULL;
  r.c.arena = ww_arena_new();
  r.c.operands = (const char **)&r.file->path;
  r.c.noperands = 1;
  if (!ww_read_file(r.c.arena, r.file->path, 64 << 20, &text, &n, NULL)) {
    r.hash = ww_hash(text, n, 0);
    kept = kept_at(g, &r, text, n);
  }
  if (send_kept(kept, r.c.arena, to))
    return;
  for (uint32_t k = 0; k < g->listed.n; k++) {
    if (!of_file(&r, &g->listed.v[k]))
      continue;
    any = true;
    plain |= !g->listed.v[k].nflags;
  }
  if (plain || !any) /* a file that is only listed with flags is only read with them */
    read_with_flags(&r, NULL, 0);
  for (uint32_t k = 0; k < g->listed.n; k++)
    if (of_file(&r, &g->listed.v[k]) && g->listed.v[k].nflags && !flags_done(g, &r, k))
      read_with_flags(&r, g->listed.v[k].flags, g->listed.v[k].nflags);
  const ww_variants_count *c = &r.count;
  ww_buf_fmt(&r.text, "C\t%u %u %u %u %u %u", c->tried, c->kept, c->fault, c->slow,
             c->large, c->same);
  end_line(&r);
  if (kept && (g->o->keep || !r.failures)) /* another time it may go well */
    ww_write_file_atomic(kept, r.text.s, r.text.n, NULL);
}

static void work(void *ctx, uint32_t index, ww_worker *w) {
  ww_worker_begin(w, index);
  read_file(ctx, index, w);
  ww_worker_end(w);
}

/* ---- the parent ---- */

void ww_gather_failed(ww_gathered *g,
                      const char *file,
                      const char *kernel,
                      const char *message,
                      ww_arena *a) {
  ww_push(a, &g->failures, (ww_gathered_failure){file, kernel, ww_strdup(a, message)});
}

/* What a child told before it died is all that a further run would get from it. */
static void keep_rest(const gather *g, uint32_t index, const char *text, size_t n) {
  reading r = {.file = &g->out->files.v[index], .c = {.arena = ww_arena_new()}};
  char *source;
  size_t size;
  if (!ww_read_file(r.c.arena, r.file->path, 64 << 20, &source, &size, NULL))
    ww_write_file_atomic(kept_at(g, &r, source, size), text, n, NULL);
  ww_arena_free(r.c.arena);
}

static void file_done(
    void *ctx, uint32_t index, char *text, size_t n, const ww_worker_death *death) {
  gather *g = ctx;
  g->text[index] = ww_strdup(g->c->arena, text);
  bool stopped = death && (death->signal == SIGINT || death->signal == SIGTERM);
  if (death && g->o->keep && !stopped)
    keep_rest(g, index, text, n);
  if (death)
    ww_gather_failed(g->out, g->out->files.v[index].relative, NULL, death->why,
                     g->c->arena);
}

static void take_structure(const char *text, ww_arena *a, ww_structure *s) {
  size_t n = 0;
  for (const char *at = text; *at; at++)
    n += *at == ' ';
  s->v = WW_NEWN(a, uint64_t, n + 2);
  for (char *at = (char *)text; *at;)
    s->v[s->n++] = strtoull(at, &at, 16);
}

static void
take_kernel(gather *g, uint32_t file, const char *note, const char *structure) {
  ww_arena *a = g->c->arena;
  ww_gathered_kernel k = {.file = g->out->files.v[file].relative};
  ww_note n;
  if (ww_note_parse(note, a, &n, NULL))
    return;
  k.key = n.kernel.key;
  k.family = n.kernel.family;
  k.name = n.kernel.name;
  take_structure(structure, a, &k.structure);
  ww_push(a, &g->out->kernels, k);
}

static void take_launch(gather *g, uint32_t file, const char *note, const char *json) {
  ww_arena *a = g->c->arena;
  ww_gathered_launch l = {.kernel = g->out->kernels.n - 1};
  if (ww_note_parse(note, a, &l.note, NULL) ||
      ww_launch_parse(json, NULL, a, &l.item.l, &l.item.bad))
    return;
  /* what was kept may come from another place */
  l.item.l.file = g->out->files.v[file].path;
  l.item.kernel = l.note.kernel.name;
  ww_push(a, &g->out->launches, l);
}

static void take_line(gather *g, uint32_t file, char *line) {
  char *b = line;
  char *kind = strsep(&b, "\t");
  char *a = strsep(&b, "\t");
  ww_variants_count c;
  if (!a)
    return;
  if (*kind == 'C' && sscanf(a, "%u %u %u %u %u %u", &c.tried, &c.kept, &c.fault,
                             &c.slow, &c.large, &c.same) == 6)
    add_count(&g->out->count, &c);
  if (!b)
    return;
  if (*kind == 'K')
    take_kernel(g, file, a, b);
  if (*kind == 'L' && g->out->kernels.n)
    take_launch(g, file, a, b);
  if (*kind == 'E')
    ww_gather_failed(g->out, g->out->files.v[file].relative, *a ? a : NULL, b,
                     g->c->arena);
}

static void take_text(gather *g, uint32_t file) {
  for (char *rest = g->text[file], *line; (line = strsep(&rest, "\n"));)
    if (rest) /* else the child died in the middle of it */
      take_line(g, file, line);
}

ww_status ww_gather(ww_cmd *c, const ww_gather_options *o, ww_gathered *out) {
  gather g = {
      .c = c,
      .o = o,
      .out = out,
  };
  *out = (ww_gathered){0};
  ww_status st = ww_sources_find(o->dir, c->arena, &out->files, &c->err);
  if (!st && !out->files.n)
    st = ww_fail(&c->err, WW_EDATA,
                 "no kernels in '%s': files .cu, .cl, .hip and C files with OpenMP "
                 "target are looked for",
                 o->dir);
  if (!st && o->corpus)
    st = find_listed(&g);
  if (st)
    return st;
  g.text = WW_NEWN(c->arena, char *, out->files.n + 1);
  ww_process_pool pool = {.ctx = &g,
                          .work = work,
                          .done = file_done,
                          .processes = o->jobs,
                          .limit_s = o->limit_s ? o->limit_s : LIMIT_S,
                          .items = out->files.n,
                          .what = "reading sources"};
  st = ww_process_pool_run(&pool, out->files.n, &c->err);
  for (uint32_t k = 0; !st && k < out->files.n; k++)
    take_text(&g, k);
  return st;
}

/* ---- near-duplicates ---- */

static bool nearly(const ww_structure *a, const ww_structure *b, double alike) {
  uint32_t less = a->n < b->n ? a->n : b->n;
  uint32_t more = a->n < b->n ? b->n : a->n;
  return less >= alike * more && ww_structure_alike(a, b) >= alike;
}

/* Launches of kernels that are not to be dropped. */
static void keep_others(ww_gathered *g, const bool *drop) {
  uint32_t n = 0;
  for (uint32_t k = 0; k < g->launches.n; k++)
    if (!drop[g->launches.v[k].kernel])
      g->launches.v[n++] = g->launches.v[k];
  g->launches.n = n;
}

void ww_gather_distinct(ww_gathered *g, double alike) {
  bool *drop = ww_xcalloc(g->kernels.n + 1, sizeof *drop);
  for (uint32_t k = 0; k < g->kernels.n; k++) {
    for (uint32_t i = 0; i < k && !drop[k]; i++)
      drop[k] = !drop[i] &&
                nearly(&g->kernels.v[i].structure, &g->kernels.v[k].structure, alike);
    g->duplicates += drop[k];
  }
  keep_others(g, drop);
  free(drop);
}

void ww_gather_without(ww_gathered *g, const ww_gathered *other) {
  bool *drop = ww_xcalloc(g->kernels.n + 1, sizeof *drop);
  for (uint32_t k = 0; k < g->kernels.n; k++) {
    const ww_structure *s = &g->kernels.v[k].structure;
    for (uint32_t i = 0; s->n >= WW_GATHER_LEAST && i < other->kernels.n && !drop[k];
         i++)
      drop[k] = other->kernels.v[i].structure.n >= WW_GATHER_LEAST &&
                nearly(&other->kernels.v[i].structure, s, WW_GATHER_ALIKE);
    g->evaluated += drop[k];
  }
  keep_others(g, drop);
  free(drop);
}

/* ---- failures by cause ---- */

void ww_gather_print_failures(const ww_gathered *g, ww_arena *a, FILE *f) {
  ww_reasons all = {0};
  for (uint32_t k = 0; k < g->failures.n; k++)
    ww_reason_add(&all, ww_without_names(g->failures.v[k].message, 90, ";", a),
                  &g->failures.v[k], a);
  ww_reasons_sort(&all);
  for (uint32_t k = 0; k < all.n; k++) {
    const ww_gathered_failure *x = all.v[k].example;
    fprintf(f, "  %5u  %-60s  %s%s%s\n", all.v[k].n, all.v[k].text, x->file,
            x->kernel ? ":" : "", x->kernel ? x->kernel : "");
  }
}

ww_status ww_share_option(ww_cmd *c, const char *name, const char *text, double *out) {
  if (!text || (ww_real(text, "", 0, 1, out) && *out > 0))
    return WW_OK;
  return ww_usage(c, "--%s: expected a number above 0, at most 1, not '%.40s'", name,
                  text);
}
