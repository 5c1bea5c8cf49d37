/* space_tuner.c - Kernel Tuner's files: T1 (a space and its kernel, with lists as
 * Python writes them) and caches (a space and its measurements). */
#include <math.h>

#include "../base/jsonread.h"
#include "../base/words.h"
#include "space.h"

#define LARGEST (1u << 30)
#define MOST_VALUES 4096

static const cJSON *get(const cJSON *o, const char *key) {
  return cJSON_GetObjectItemCaseSensitive(o, key);
}

/* ---- lists as Python writes them: [1, 2] + list(range(32, 1025, 32)), [2**i for i in
 * range(6)] ---- */

typedef struct {
  double v[MOST_VALUES];
  uint32_t n;
  ww_arena *a;
  const char *variable; /* of a comprehension */
  double value;
} values;

static bool variable_of(void *ctx, const char *name, size_t n, double *value) {
  const values *x = ctx;
  *value = x->value;
  return x->variable && strlen(x->variable) == n && !strncmp(name, x->variable, n);
}

static bool add(values *x, const char *text, size_t n) {
  ww_number out;
  ww_err ignored;
  const char *expr = ww_strndup(x->a, text, n);
  if (x->n == MOST_VALUES || ww_expr_number(expr, variable_of, x, &out, &ignored))
    return false;
  x->v[x->n++] = out.f;
  return true;
}

/* One past the bracket that closes the one at p. */
static const char *closing(const char *p) {
  int depth = 0;
  for (; *p; p++) {
    depth += strchr("([", *p) ? 1 : strchr(")]", *p) ? -1 : 0;
    if (!depth)
      return p + 1;
  }
  return NULL;
}

/* Splits at commas that stand in no bracket. */
static bool add_each(values *x, const char *p, const char *end) {
  while (p < end) {
    const char *q = p;
    while (q < end && *q != ',')
      q = strchr("([", *q) ? closing(q) : q + 1;
    if (!q || !add(x, p, q - p))
      return false;
    p = q + 1;
  }
  return true;
}

/* range(a, b, step), from its bracket on: each value as *value, `each` of them. */
static bool range(values *x, const char *open, const char *each, size_t n) {
  values of = {.a = x->a};
  const char *end = closing(open);
  if (!end || !add_each(&of, open + 1, end - 1) || !of.n || of.n > 3)
    return false;
  double from = of.n > 1 ? of.v[0] : 0;
  double to = of.n > 1 ? of.v[1] : of.v[0];
  double step = of.n > 2 ? of.v[2] : 1;
  bool ok = step != 0;
  for (double k = from; ok && (step > 0 ? k < to : k > to); k += step) {
    x->value = k;
    ok = each ? add(x, each, n) : x->n < MOST_VALUES;
    if (ok && !each)
      x->v[x->n++] = k;
  }
  return ok;
}

static bool bracket(values *x, const char *p, const char *end) {
  const char *loop = ww_find_word(p, "for");
  if (!loop || loop > end)
    return add_each(x, p + 1, end - 1);
  const char *name = loop + 3 + strspn(loop + 3, " ");
  const char *in = ww_find_word(name, "range");
  if (!in || in > end)
    return false;
  x->variable = ww_strndup(x->a, name, ww_word_length(name));
  bool ok = range(x, strchr(in, '('), p + 1, loop - p - 1);
  x->variable = NULL;
  return ok;
}

static bool python_list(values *x, const char *p) {
  for (;;) {
    p += strspn(p, " ");
    bool listed = ww_starts(p, "list(");
    const char *open = listed ? p + 4 : p;
    if (listed)
      p += 5;
    bool ranged = ww_starts(p, "range(");
    const char *end = closing(ranged ? p + 5 : p);
    if (!end || (!ranged && *p != '['))
      return false;
    if (!(ranged ? range(x, p + 5, NULL, 0) : bracket(x, p, end)))
      return false;
    p = listed ? closing(open) : end;
    p += strspn(p, " ");
    if (!*p)
      return true;
    if (*p++ != '+')
      return false;
  }
}

static bool list_of(const cJSON *o, values *x) {
  if (cJSON_IsString(o))
    return python_list(x, o->valuestring);
  for (const cJSON *v = cJSON_IsArray(o) ? o->child : NULL; v; v = v->next) {
    if (!(cJSON_IsNumber(v) || cJSON_IsBool(v)) || x->n == MOST_VALUES)
      return false;
    x->v[x->n++] = cJSON_IsNumber(v) ? v->valuedouble : cJSON_IsTrue(v);
  }
  return x->n > 0;
}

static ww_status add_axis(ww_axes *s, const char *name, const cJSON *list, ww_err *e) {
  values *x = WW_NEW(s->a, values);
  x->a = s->a;
  if (!name || !list_of(list, x))
    return ww_fail(e, WW_EUNSUPPORTED,
                   "%.60s: its values are no list of numbers that can be read",
                   name ? name : "a parameter");
  if (ww_space_find(s, name) >= 0)
    return WW_OK; /* the command line's */
  return ww_space_add(s, name, x->v, x->n, e);
}

/* ---- T1 ---- */

static const char *quotient(const char *size, const cJSON *by, ww_arena *a) {
  ww_buf b = {0};
  ww_buf_puts(&b, "1");
  for (const cJSON *d = by ? by->child : NULL; d; d = d->next)
    if (cJSON_IsString(d))
      ww_buf_fmt(&b, "*(%s)", d->valuestring);
  const char *all = ww_buf_text(&b, a);
  return ww_fmt(a, "((%s)+(%s)-1)/(%s)", size, all, all);
}

static const char *text_or_number(const cJSON *o, ww_arena *a) {
  return cJSON_IsString(o)   ? ww_strdup(a, o->valuestring)
         : cJSON_IsNumber(o) ? ww_fmt(a, "%.15g", o->valuedouble)
                             : NULL;
}

static const char *argument(const cJSON *o, ww_arena *a) {
  const char *name = ww_json_text(o, "Name", a);
  const char *type = ww_json_text(o, "Type", a);
  const char *fill = ww_json_text(o, "FillType", a);
  const char *kind = ww_json_text(o, "MemoryType", a);
  const char *value = text_or_number(get(o, "FillValue"), a);
  if (!name || !type)
    return NULL;
  if (!kind || strcmp(kind, "Vector"))
    return value ? ww_fmt(a, "%s=%s", name, value) : NULL;
  bool zero = fill && !strcmp(fill, "Constant");
  return ww_fmt(a, "%s=%s[%lu]:%s", name, type, ww_json_whole(o, "Size"),
                zero ? "zeros" : "random");
}

static void read_kernel(const cJSON *k, ww_axes *s, ww_tuner_file *out) {
  static const char *const dims[] = {"X", "Y", "Z"};
  static const char *const divs[] = {"GridDivX", "GridDivY", "GridDivZ"};
  ww_arena *a = s->a;
  out->kernel = ww_json_text(k, "KernelName", a);
  out->file = ww_json_text(k, "KernelFile", a);
  const cJSON *sizes = get(k, "ProblemSize");
  const cJSON *global = get(k, "GlobalSize");
  const cJSON *local = get(k, "LocalSize");
  for (int d = 0; d < 3; d++) {
    out->block[d] = text_or_number(get(local, dims[d]), a);
    const char *size = text_or_number(cJSON_GetArrayItem(sizes, d), a);
    if (!size)
      size = text_or_number(get(global, dims[d]), a);
    if (size)
      out->grid[d] = quotient(size, get(k, divs[d]), a);
  }
  const cJSON *list = get(k, "Arguments");
  for (const cJSON *g = list ? list->child : NULL; g; g = g->next) {
    const char *one = argument(g, a);
    if (one)
      ww_push(a, &out->args, one);
  }
  list = get(k, "CompilerOptions");
  for (const cJSON *f = list ? list->child : NULL; f; f = f->next)
    if (cJSON_IsString(f))
      ww_push(a, &out->flags, ww_strdup(a, f->valuestring));
}

static ww_status
read_t1(const cJSON *o, const cJSON *space, ww_axes *s, ww_tuner_file *out, ww_err *e) {
  ww_status st = WW_OK;
  const cJSON *list = get(space, "TuningParameters");
  for (const cJSON *p = list ? list->child : NULL; p && !st; p = p->next)
    st = add_axis(s, ww_json_text(p, "Name", s->a), get(p, "Values"), e);
  list = get(space, "Conditions");
  for (const cJSON *c = list ? list->child : NULL; c && !st; c = c->next) {
    const char *text = ww_json_text(c, "Expression", s->a);
    if (text)
      st = ww_space_where(s, text, e);
  }
  if (!st)
    read_kernel(get(o, "KernelSpecification"), s, out);
  return st;
}

/* ---- caches ---- */

static bool config_of(const ww_axes *s, const cJSON *entry, ww_config c) {
  memset(c, 0, sizeof(ww_config));
  for (uint32_t k = 0; k < s->n; k++) {
    const cJSON *v = get(entry, s->axes[k].name);
    uint32_t i = 0;
    while (v && i < s->axes[k].n && s->axes[k].v[i] != v->valuedouble)
      i++;
    if (!v || i == s->axes[k].n)
      return false;
    c[k] = i;
  }
  return true;
}

static void read_entry(const ww_axes *s, const cJSON *entry, ww_tuner_file *out) {
  ww_recorded r = {.ms = NAN, .each = {NAN, NAN}};
  const cJSON *time = get(entry, "time");
  if (!config_of(s, entry, r.c))
    return;
  if (cJSON_IsNumber(time) && time->valuedouble > 0) {
    r.ms = r.each[0] = time->valuedouble;
    r.records = 1;
  } else
    r.error = cJSON_IsString(time) ? ww_strdup(s->a, time->valuestring) : "failed";
  ww_push(s->a, &out->v, r);
}

static ww_status read_cache(
    const cJSON *o, const cJSON *entries, ww_axes *s, ww_tuner_file *out, ww_err *e) {
  const cJSON *params = get(o, "tune_params");
  const cJSON *keys = get(o, "tune_params_keys");
  ww_status st = WW_OK;
  for (const cJSON *k = keys ? keys->child : NULL; k && !st; k = k->next)
    if (cJSON_IsString(k))
      st = add_axis(s, k->valuestring, get(params, k->valuestring), e);
  if (!out->kernel)
    out->kernel = ww_json_text(o, "kernel_name", s->a);
  out->device = ww_json_text(o, "device_name", s->a);
  out->recorded = true;
  static const char *const blocks[] = {"block_size_x", "block_size_y", "block_size_z"};
  for (int d = 0; d < 3; d++)
    if (!out->block[d] && ww_space_find(s, blocks[d]) >= 0)
      out->block[d] = blocks[d];
  for (const cJSON *entry = entries->child; entry && !st; entry = entry->next)
    read_entry(s, entry, out);
  return st;
}

/* The smallest time counts: a clock that has not risen yet only ever adds to it. */
static void add_record(ww_recorded *r, const ww_recorded *more) {
  if (!more->records)
    return;
  r->error = NULL;
  r->ms = fmin(r->ms, more->ms);
  for (uint32_t k = 0; k < more->records && r->records + k < 2; k++)
    r->each[r->records + k] = more->each[k];
  r->records += more->records;
}

/* A configuration that several files have counts once. */
static void join_repeats(ww_tuner_file *f) {
  uint32_t size = 64;
  uint32_t n = 0;
  while (size < 2 * f->v.n)
    size *= 2;
  uint32_t *table = ww_xcalloc(size, sizeof *table); /* index + 1; 0: free */
  for (uint32_t k = 0; k < f->v.n; k++) {
    uint32_t at = ww_hash(f->v.v[k].c, sizeof(ww_config), 0) & (size - 1);
    while (table[at] && memcmp(f->v.v[table[at] - 1].c, f->v.v[k].c, sizeof(ww_config)))
      at = (at + 1) & (size - 1);
    if (table[at]) {
      add_record(&f->v.v[table[at] - 1], &f->v.v[k]);
      continue;
    }
    f->v.v[n++] = f->v.v[k];
    table[at] = n;
  }
  f->v.n = n;
  free(table);
}

ww_status ww_tuner_read(const char *path, ww_axes *s, ww_tuner_file *out, ww_err *e) {
  char *text;
  size_t n;
  ww_status st = ww_read_packed(s->a, path, LARGEST, &text, &n, e);
  if (st)
    return st;
  /* a cache that is still written to lacks its end */
  while (n && (ww_is_space(text[n - 1]) || text[n - 1] == ','))
    text[--n] = 0;
  cJSON *o = ww_json_read(text, n, e);
  if (!o) {
    const char *closed = ww_fmt(s->a, "%s}}", text);
    o = ww_json_read(closed, strlen(closed), e);
  }
  const cJSON *space = o ? get(o, "ConfigurationSpace") : NULL;
  const cJSON *cache = o ? get(o, "cache") : NULL;
  if (!o)
    st = WW_EPARSE;
  else if (space)
    st = read_t1(o, space, s, out, e);
  else if (cJSON_IsObject(cache))
    st = read_cache(o, cache, s, out, e);
  else
    st =
        ww_fail(e, WW_EDATA,
                "neither a T1 file of Kernel Tuner (ConfigurationSpace) nor one of its "
                "caches (cache)");
  if (st && !e->file)
    e->file = path;
  join_repeats(out);
  cJSON_Delete(o);
  return st;
}
