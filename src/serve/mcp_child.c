/* mcp_child.c - tools that run our own program as a child: measuring, because a kernel
 * may fault or hang, and evaluating (and mcp_optimize.c's), because it takes minutes
 * and all cores. The
 * child's command line is made from the tool's arguments, which are the command's
 * options.
 *
 * Nothing outside the root is named to a child: a table of measured launches is read
 * here first, and refused where it does. */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>

#include "mcp_int.h"

#define TABLE_MAX ((size_t)256 << 20)
#define WORST 5 /* cases that are shown */

void ww_mcp_child_word(ww_mcp_child *k, const char *w) {
  ww_push(k->t->a, &k->argv, w);
}

void ww_mcp_child_option(ww_mcp_child *k, const char *name, const char *value) {
  if (value)
    ww_mcp_child_word(k, ww_fmt(k->t->a, "--%s=%s", name, value));
}

ww_status ww_mcp_child_start(ww_mcp_child *k, ww_mcp_call *t, const char *command) {
  *k = (ww_mcp_child){.t = t};
  ww_mcp_child_word(k, ww_self_path(t->a));
  ww_mcp_child_word(k, command);
  ww_mcp_child_word(k, "--json");
  return ww_query_path(t->m->o.w, ".", true, t->a, &k->dir, &t->err);
}

void ww_mcp_child_options(ww_mcp_child *k, const char *const *names) {
  for (; *names; names++) {
    const cJSON *v = cJSON_GetObjectItemCaseSensitive(k->t->args, *names);
    if (cJSON_IsString(v))
      ww_mcp_child_option(k, *names, v->valuestring);
    const cJSON *list = cJSON_IsArray(v) ? v : NULL;
    const cJSON *one;
    cJSON_ArrayForEach(one, list) {
      if (cJSON_IsString(one))
        ww_mcp_child_option(k, *names, one->valuestring);
    }
    uint64_t n;
    ww_err e;
    if (cJSON_IsNumber(v) && !ww_json_want_uint(v, *names, &n, &e))
      ww_mcp_child_option(k, *names, ww_fmt(k->t->a, "%" PRIu64, n));
  }
}

/* Counts of several phases, one behind the other: a client's only ever grows. */
static void on_line(void *ctx, const char *line) {
  ww_mcp_child *k = ctx;
  char what[64];
  uint64_t done;
  uint64_t total;
  if (sscanf(line, "progress: %63s %" SCNu64 "/%" SCNu64, what, &done, &total) != 3)
    return;
  if (done <= k->done) {
    k->before += k->done;
    k->done = 0;
  }
  if (done > k->done)
    ww_mcp_progress(k->t, k->before + done, k->before + total, what);
  k->done = done;
}

static bool is_cancelled(void *ctx) {
  return ww_mcp_cancelled(((ww_mcp_child *)ctx)->t);
}

/* What a child has to say when it gives no result. */
static ww_status complain(ww_mcp_child *k) {
  const char *s = k->r.err.s;
  const char *end = s + k->r.err.n;
  while (end > s && end[-1] == '\n')
    end--;
  const char *last = end;
  while (last > s && last[-1] != '\n')
    last--;
  if (ww_starts(last, "warpwise: "))
    last += strlen("warpwise: ");
  if (last < end)
    return ww_fail(&k->t->err, WW_EDATA, "%.*s", (int)(end - last), last);
  return ww_fail(&k->t->err, WW_EDATA,
                 "the command ended with code %d and said nothing", k->r.exit_code);
}

ww_status ww_mcp_child_run(ww_mcp_child *k, const char *input) {
  ww_mcp_call *t = k->t;
  ww_mcp_child_word(k, NULL);
  ww_run_watch watch = {.dir = k->dir,
                        .env = "WARPWISE_PROGRESS=lines",
                        .own_memory = true, /* drivers reserve more than they use */
                        .line = on_line,
                        .cancelled = is_cancelled,
                        .ctx = k};
  ww_status st = ww_run_watched(k->argv.v, input, input ? strlen(input) : 0,
                                t->m->o.slow_s, &watch, &k->r, &t->err);
  if (st)
    return st;
  if (k->r.timed_out)
    return ww_fail(&t->err, WW_ELIMIT,
                   "it took longer than %.0f s and was ended; ask for less",
                   t->m->o.slow_s);
  return k->r.out.n ? WW_OK : complain(k);
}

/* ---- measure ---- */

/* A text becomes a file in a folder of its own. */
static ww_status write_source(ww_mcp_child *k, ww_source *s, char dir[64], int *slot) {
  ww_mcp_call *t = k->t;
  if (!s->text)
    return WW_OK;
  if (!ww_rpc_folder(dir, slot))
    return ww_fail(&t->err, WW_EIO, "cannot make a folder for the source: %s",
                   strerror(errno));
  s->path = ww_path_join(t->a, dir, ww_path_base(s->path));
  k->dir = dir;
  return ww_write_file_atomic(s->path, s->text, strlen(s->text), &t->err);
}

static void write_rows(ww_mcp_child *k) {
  ww_mcp_call *t = k->t;
  ww_report r;
  uint32_t n = 0;
  char *rest = k->r.out.s;
  WW_VEC(const char *) rows = {0};
  ww_json_put(&t->j, "reports:[");
  for (char *line; (line = strsep(&rest, "\n"));) {
    if (!*line || ww_report_parse(line, t->a, &r, &t->err))
      continue;
    ww_mcp_short(&r, 0, false, &t->j);
    ww_push(t->a, &rows, line);
    if (r.error.code)
      t->err = r.error;
    n += !r.error.code;
  }
  ww_json_end_arr(&t->j);
  if (n)
    t->err = (ww_err){0};
  if (!n && !t->err.code)
    complain(k);
  if (!t->full)
    return;
  ww_json_put(&t->j, "full:[");
  for (uint32_t i = 0; i < rows.n; i++)
    ww_json_raw(&t->j, rows.v[i]);
  ww_json_end_arr(&t->j);
}

cJSON *ww_mcp_child_line(const ww_mcp_child *k, ww_err *e) {
  size_t n = strcspn(k->r.out.s, "\n");
  return ww_json_read(ww_strndup(k->t->a, k->r.out.s, n), n, e);
}

static void write_device(const ww_mcp_child *k, ww_json *j) {
  ww_err e;
  cJSON *row = ww_mcp_child_line(k, &e);
  ww_json_put(
      j, "device?:%s",
      ww_member_text(cJSON_GetObjectItemCaseSensitive(row, "measured"), "device"));
  cJSON_Delete(row);
}

static void source_words(ww_mcp_child *k, const call *c, const char *const *names) {
  const ww_source *s = &c->ask.source;
  size_t n = strlen(k->dir);
  bool inside =
      !strncmp(s->path, k->dir, n) && s->path[n] == '/' && s->path[n + 1] != '-';
  ww_mcp_child_word(k, inside ? s->path + n + 1 : s->path);
  ww_mcp_child_option(k, "lang", s->lang);
  ww_mcp_child_option(k, "kernel", c->ask.kernel);
  ww_mcp_child_options(k, names);
  for (uint32_t i = 0; i < s->ninstantiate; i++)
    ww_mcp_child_option(k, "instantiate", s->instantiate[i]);
  if (c->ask.launch)
    ww_mcp_child_option(k, "launch", "/dev/stdin");
  ww_mcp_child_word(k, "--");
  for (uint32_t i = 0; i < s->nflags; i++)
    ww_mcp_child_word(k, s->flags[i]);
}

ww_status ww_mcp_child_source(ww_mcp_child *k, call *c, const char *const *names) {
  char dir[64] = "";
  int slot = -1;
  ww_buf launch = {0};
  if (c->ask.launch)
    ww_launch_write(c->ask.launch, &(ww_json){.out = &launch});
  ww_status st = write_source(k, &c->ask.source, dir, &slot);
  if (!st) {
    source_words(k, c, names);
    st = ww_mcp_child_run(k, launch.s);
  }
  if (dir[0])
    ww_remove_tree(dir);
  ww_cleanup_forget(slot);
  ww_buf_free(&launch);
  return st;
}

ww_status ww_mcp_measure(ww_mcp_call *t) {
  static const char *const names[] = {"repeats", "limit", NULL};
  call c;
  ww_mcp_child k;
  if (ww_mcp_ask(t, t->args, &c) || ww_mcp_child_start(&k, t, "measure"))
    return t->err.code;
  const char *device = ww_mcp_text(t, "device");
  ww_mcp_child_option(&k, "device", device ? device : t->m->o.device);
  ww_status st = ww_mcp_child_source(&k, &c, names);
  if (!st) {
    write_device(&k, &t->j);
    write_rows(&k);
    st = t->err.code;
  }
  ww_run_free(&k.r);
  return st;
}

/* ---- evaluate ---- */

static ww_status
check_path(ww_mcp_call *t, const char *dir, const char *path, ww_arena *a) {
  const char *whole = path[0] == '/' ? path : ww_path_join(a, dir, path);
  const char *ignored;
  char real[PATH_MAX];
  ww_err e;
  if (!realpath(whole, real))
    return WW_OK; /* one that is missing harms nobody */
  if (ww_query_path(t->m->o.w, real, true, a, &ignored, &e) != WW_EUSAGE)
    return WW_OK;
  return ww_fail(&t->err, WW_EUSAGE,
                 "a launch of the table names '%.200s', which is outside of the folder "
                 "that is served",
                 path);
}

static ww_status
check_fill(ww_mcp_call *t, const char *dir, const ww_fill *f, ww_arena *a) {
  return f->kind == WW_FILL_FILE ? check_path(t, dir, f->path, a) : WW_OK;
}

static ww_status
check_arg(ww_mcp_call *t, const char *dir, const ww_arg *x, ww_arena *a) {
  ww_status st = check_fill(t, dir, &x->buffer.fill, a);
  for (uint32_t k = 0; !st && k < x->nptrs; k++)
    st = check_fill(t, dir, &x->ptrs[k].buffer.fill, a);
  return st;
}

ww_status ww_mcp_check_launch(ww_mcp_call *t,
                              const char *sources,
                              const char *dir,
                              const ww_launch *l,
                              ww_arena *a) {
  ww_status st = l->file ? check_path(t, sources, l->file, a) : WW_OK;
  for (uint32_t k = 0; !st && k < l->nflags; k++)
    if (ww_starts(l->flags[k], "-I") && l->flags[k][2])
      st = check_path(t, sources, l->flags[k] + 2, a);
    else if (!ww_call_harmless(l->flags[k]) &&
             !(ww_starts(l->flags[k], "-O") && strlen(l->flags[k]) <= 3))
      st = ww_fail(&t->err, WW_EUSAGE,
                   "a launch of the table has the compiler flag '%.60s', which is not "
                   "accepted here",
                   l->flags[k]);
  for (uint32_t k = 0; !st && k < l->nargs; k++)
    st = check_arg(t, dir, &l->args[k], a);
  for (uint32_t k = 0; !st && k < l->nsymbols; k++)
    st = check_arg(t, dir, &l->symbols[k].arg, a);
  return st;
}

static ww_status
check_table(ww_mcp_call *t, const char *path, const char *sources, const char *dir) {
  ww_arena *a = ww_arena_new();
  ww_arena *one = NULL;
  char *text;
  char *rest;
  size_t n;
  ww_status st = ww_read_packed_below(a, ww_query_root(t->m->o.w), path, TABLE_MAX,
                                      &text, &n, &t->err);
  rest = text;
  for (char *line; !st && (line = strsep(&rest, "\n"));) {
    ww_report r = {0};
    ww_err e;
    ww_arena_free(one);
    one = ww_arena_new();
    if (ww_report_parse(line, one, &r, &e))
      continue;
    if (r.file)
      st = check_path(t, sources, r.file, one);
    if (!st && r.launch)
      st = ww_mcp_check_launch(t, sources, dir, r.launch, one);
  }
  t->err.file = NULL;
  ww_arena_free(one);
  ww_arena_free(a);
  return st;
}

/* A few numbers of each score. */
static void write_score(const cJSON *s, ww_json *j) {
  static const char *const names[] = {"n",   "answered", "median", "mean",
                                      "p90", "within10", "rank",   NULL};
  ww_json_put(j, "%s:{", s->string);
  for (const char *const *n = names; *n; n++) {
    const cJSON *v = cJSON_GetObjectItemCaseSensitive(s, *n);
    if (cJSON_IsNumber(v))
      ww_json_knum(j, *n, ww_mcp_digits(v->valuedouble));
  }
  ww_json_put(j, "errors_in?:%s}", ww_member_text(s, "errors_in"));
}

static void write_scores(const ww_mcp_call *t, const cJSON *all, ww_json *j) {
  static const char headline[] =
      "time_us|dram_bytes|dram_gbps|gflops|occupancy_pct|l1_hit_pct|l2_hit_pct";
  const cJSON *metrics = cJSON_GetObjectItemCaseSensitive(all, "metrics");
  const cJSON *s;
  ww_json_put(j, "metrics:{");
  cJSON_ArrayForEach(s, metrics) {
    if (t->full || ww_is_one_of(headline, s->string))
      write_score(s, j);
  }
  ww_json_end_obj(j);
}

void ww_mcp_copy(const cJSON *from, const char *const *names, ww_json *j) {
  for (; *names; names++) {
    const cJSON *v = cJSON_GetObjectItemCaseSensitive(from, *names);
    if (!v)
      continue;
    if (cJSON_IsNumber(v) && v->valuedouble != (int64_t)v->valuedouble) {
      ww_json_knum(j, *names, ww_mcp_digits(v->valuedouble));
      continue;
    }
    ww_json_key(j, *names);
    ww_json_copy(v, j);
  }
}

static void write_evaluation(ww_mcp_call *t, const cJSON *all) {
  static const char *const heads[] = {"data",     "by",       "gpu",
                                      "launches", "answered", NULL};
  static const char *const cases[] = {"file", "kernel", "measured", "predicted", NULL};
  static const char *const classes[] = {"n", "accuracy", "balanced", "mcc", NULL};
  const cJSON *worst = cJSON_GetObjectItemCaseSensitive(all, "worst");
  const cJSON *v;
  uint64_t most = WORST;
  uint64_t n = 0;
  ww_json *j = &t->j;
  ww_err e;
  if ((v = cJSON_GetObjectItemCaseSensitive(t->args, "worst")))
    ww_json_want_uint(v, "worst", &most, &e);
  ww_mcp_copy(all, heads, j);
  write_scores(t, all, j);
  ww_json_put(j, "classes:{");
  ww_mcp_copy(cJSON_GetObjectItemCaseSensitive(all, "classes"), classes, j);
  ww_json_put(j, "},worst:[");
  cJSON_ArrayForEach(v, worst) {
    if (n++ == most)
      break;
    ww_json_obj(j);
    ww_mcp_copy(v, cases, j);
    ww_json_end_obj(j);
  }
  ww_json_end_arr(j);
  if ((v = cJSON_GetObjectItemCaseSensitive(all, "unanswered")) && v->child) {
    ww_json_key(j, "unanswered");
    ww_json_copy(v, j);
  }
  if (!t->full)
    return;
  ww_json_key(j, "full");
  ww_json_copy(all, j);
}

static ww_status read_evaluation(ww_mcp_child *k) {
  ww_mcp_call *t = k->t;
  cJSON *all = ww_mcp_child_line(k, &t->err);
  const cJSON *error = cJSON_GetObjectItemCaseSensitive(all, "error");
  const char *message = ww_member_text(error, "message");
  ww_status st = all ? WW_OK : t->err.code;
  if (error)
    st = ww_fail(&t->err, WW_EDATA, "%s", message ? message : "no answer");
  else if (all)
    write_evaluation(t, all);
  cJSON_Delete(all);
  return st;
}

ww_status ww_mcp_evaluate(ww_mcp_call *t) {
  static const char *const names[] = {"by", "metric", "limit", "worst", "budget", NULL};
  const char *measured;
  const char *sources = ww_mcp_text(t, "sources");
  ww_mcp_child k;
  ww_query *w = t->m->o.w;
  if (ww_query_path(w, ww_mcp_text(t, "measured"), true, t->a, &measured, &t->err) ||
      (sources && ww_query_path(w, sources, true, t->a, &sources, &t->err)))
    return t->err.code;
  const char *dir = ww_path_dir(t->a, measured);
  if (check_table(t, measured, sources ? sources : dir, dir) ||
      ww_mcp_child_start(&k, t, "evaluate"))
    return t->err.code;
  ww_mcp_child_word(&k, measured);
  ww_mcp_child_option(&k, "sources", sources);
  ww_mcp_child_options(&k, names);
  if (t->m->o.jobs)
    ww_mcp_child_option(&k, "jobs", ww_fmt(t->a, "%u", t->m->o.jobs));
  ww_status st = ww_mcp_child_run(&k, NULL);
  if (!st)
    st = read_evaluation(&k);
  ww_run_free(&k.r);
  return st;
}

/* ---- schema ---- */

void ww_mcp_schema_evaluate(ww_json *j) {
  ww_schema_properties(
      j, "data string\n"
         "by string what predicted\n"
         "gpu string\n"
         "launches integer\n"
         "answered integer\n"
         "metrics object per metric: n, median, mean and 90th percentile of the error "
         "(fractions, "
         "or points of a percentage), within10: share off by at most 10 %, rank "
         "correlation\n"
         "classes object roofline classes: accuracy, balanced accuracy, mcc");
  ww_mcp_list(j, "worst", "the cases that are furthest off",
              "file string\nkernel string\nmeasured number\npredicted number");
  ww_schema_properties(
      j, "unanswered array why launches have no prediction\n"
         "full object with detail: full, what `warpwise evaluate --json` says");
}
