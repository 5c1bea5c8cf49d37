/* parts.c - see parts.h. A part is a line that names it, then for each item a line with
 * its number, its size and how its process died, and its bytes; a last line says that
 * it is whole. */
#include "parts.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../data/collect.h"

#define PART_MAX ((uint64_t)1 << 32)

/* What tells one run of a parallel job from the next. */
static const char *const runs[] = {"PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid",
                                   "SLURM_JOB_ID",   "SLURM_STEP_ID",
                                   "PMI_JOBID",      "WARPWISE_JOB"};

ww_status
ww_parts_open(ww_cmd *c, const char *folder, const char *input, ww_parts *out) {
  ww_rank r;
  *out = (ww_parts){.size = 1};
  if (ww_rank_find(&r, &c->err))
    return c->err.code;
  out->rank = r.rank;
  out->size = r.size;
  out->folder = folder;
  if (r.size > 1 && !folder &&
      (!input || !strcmp(input, "-") || ww_starts(input, "/dev/")))
    return ww_usage(c, "%s=%u of %u: name a folder that all ranks see: --parts FOLDER",
                    r.from, r.rank, r.size);
  if (!folder && r.size > 1)
    out->folder = ww_fmt(c->arena, "%s.parts", input);
  for (size_t k = 0; k < sizeof runs / sizeof *runs; k++) {
    const char *v = getenv(runs[k]);
    if (v)
      ww_parts_key(out, v, strlen(v) + 1);
  }
  ww_parts_key(out, &r.size, sizeof r.size);
  return WW_OK;
}

void ww_parts_key(ww_parts *p, const void *bytes, size_t n) {
  p->key = ww_hash(bytes, n, p->key);
}

/* ---- this rank's jobs ---- */

typedef struct {
  const ww_parts *p;
  const ww_process_pool *pool;
  ww_buf part;
} mine_of;

static void work(void *ctx, uint32_t job, ww_worker *w) {
  const mine_of *m = ctx;
  m->pool->work(m->pool->ctx, m->p->rank + job * m->p->size, w);
}

static void
done(void *ctx, uint32_t item, char *bytes, size_t n, const ww_worker_death *death) {
  mine_of *m = ctx;
  ww_buf_fmt(&m->part, "%u %zu %d %d %s\n", item, n, death ? death->signal : 0,
             death ? 1 + death->late : 0, death ? death->why : "");
  ww_buf_add(&m->part, bytes, n);
  ww_buf_puts(&m->part, "\n");
  m->pool->done(m->pool->ctx, item, bytes, n, death);
}

/* ---- parts of others ---- */

static const char *name_of(const ww_parts *p, uint32_t rank, ww_arena *a) {
  return ww_fmt(a, "%s/%016llx.%u-of-%u", p->folder, (unsigned long long)p->key, rank,
                p->size);
}

static ww_status damaged(const char *name, ww_err *e) {
  return ww_fail(e, WW_EDATA,
                 "'%s' is no whole part: remove it and start its rank again", name);
}

static ww_status
take_part(const ww_parts *p, uint32_t rank, const ww_process_pool *pool, ww_err *e) {
  ww_arena *a = ww_arena_new();
  const char *name = name_of(p, rank, a);
  char *text;
  size_t n;
  ww_status st = ww_read_file(a, name, PART_MAX, &text, &n, e);
  char *end = st ? NULL : text + n;
  while (!st && !ww_starts(text, "end\n")) {
    uint32_t item;
    size_t size;
    int signal;
    int how;
    char *line = memchr(text, '\n', end - text);
    ww_worker_death death = {0};
    if (!line ||
        sscanf(text, "%u %zu %d %d %79[^\n]", &item, &size, &signal, &how, death.why) <
            4 ||
        size >= (size_t)(end - line) || item >= pool->items) {
      st = damaged(name, e);
      break;
    }
    death.signal = signal;
    death.late = how > 1;
    line[1 + size] = 0; /* the newline behind it */
    pool->done(pool->ctx, item, line + 1, size, how ? &death : NULL);
    text = line + 2 + size;
  }
  ww_arena_free(a);
  return st;
}

static bool all_there(const ww_parts *p) {
  ww_arena *a = ww_arena_new();
  bool all = true;
  for (uint32_t k = 0; all && k < p->size; k++)
    all = ww_file_exists(name_of(p, k, a));
  ww_arena_free(a);
  return all;
}

/* One of those that see all parts takes them: the one that can make the folder. */
static ww_status take_all(
    const ww_parts *p, bool own, const ww_process_pool *pool, bool *mine, ww_err *e) {
  ww_arena *a = ww_arena_new();
  const char *claim = ww_fmt(a, "%s.taken", name_of(p, p->size, a));
  ww_status st = WW_OK;
  *mine = all_there(p) && !mkdir(claim, 0777);
  for (uint32_t k = 0; *mine && !st && k < p->size; k++)
    if (k != p->rank || own)
      st = take_part(p, k, pool, e);
  for (uint32_t k = 0; *mine && !st && k < p->size; k++)
    unlink(name_of(p, k, a));
  if (*mine)
    rmdir(claim);
  if (*mine && !st)
    rmdir(p->folder); /* where nothing else is in it */
  ww_arena_free(a);
  return st;
}

static ww_status leave_part(mine_of *m, ww_err *e) {
  ww_arena *a = ww_arena_new();
  ww_buf_puts(&m->part, "end\n");
  ww_status st =
      ww_write_file_atomic(name_of(m->p, m->p->rank, a), m->part.s, m->part.n, e);
  ww_arena_free(a);
  return st;
}

ww_status ww_parts_run(const ww_parts *p,
                       const ww_process_pool *pool,
                       uint32_t jobs,
                       bool *mine,
                       ww_err *e) {
  *mine = true;
  if (!p || p->size < 2)
    return ww_process_pool_run(pool, jobs, e);
  ww_arena *a = ww_arena_new();
  mine_of m = {.p = p, .pool = pool};
  ww_process_pool own = *pool;
  own.ctx = &m;
  own.work = work;
  own.done = done;
  uint32_t n = jobs > p->rank ? (jobs - p->rank + p->size - 1) / p->size : 0;
  bool before = ww_file_exists(name_of(p, p->rank, a));
  ww_status st = WW_OK;
  if (mkdir(p->folder, 0777) && errno != EEXIST)
    st = ww_fail(e, WW_EIO, "cannot make the folder '%s': %s", p->folder,
                 strerror(errno));
  if (!st && !before)
    st = n ? ww_process_pool_run(&own, n, e) : WW_OK;
  if (!st && !before)
    st = leave_part(&m, e);
  if (!st)
    st = take_all(p, before, pool, mine, e);
  if (!st && !*mine && !ww_is_quiet())
    fprintf(stderr, "warpwise: rank %u of %u: its part is done, in %s\n", p->rank,
            p->size, p->folder);
  ww_buf_free(&m.part);
  ww_arena_free(a);
  return st;
}
