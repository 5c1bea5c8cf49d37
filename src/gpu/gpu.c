/* gpu.c - reads a GPU description by the table gpu.def.
 *
 * A figure is a number, or {"value":..., "source":"..."}; a list or curve an array, or
 * {"values":[...], "source":"..."}. Every member is one the table knows: a misspelt
 * figure would else be a figure nobody notices is missing. */
#include "gpu.h"

#include <ctype.h>
#include <dirent.h>
#include <stdlib.h>
#include <strings.h>

#include "../base/jsonread.h"
#include "../base/nearest.h"

#define AT(field) offsetof(ww_gpu, field)
const ww_figure ww_gpu_figures[WW_NGPU_FIGURES] = {
#define FIGURE(field, path, unit, least, most, otherwise, meaning) \
  {path, unit, meaning, AT(field), least, most},
#include "gpu.def"
#define OP(name, meaning)                                 \
  {"ops." #name ".issue",                                 \
   "cycles",                                              \
   meaning ": cycles of a sub-core per warp instruction", \
   AT(issue[WW_GPU_OP_##name]),                           \
   0.1,                                                   \
   1e6},                                                  \
      {"ops." #name ".latency",                           \
       "cycles",                                          \
       meaning ": until a dependent instruction",         \
       AT(latency[WW_GPU_OP_##name]),                     \
       0.1,                                               \
       1e6},
#include "gpu.def"
#define MATH_ROW(name, what, unit, field, meaning) \
  { "math." #name "." #what, unit, meaning, AT(field[WW_GPU_MATH_##name]), 0, 1e6 }
#define MATH(name, meaning)                                                            \
  MATH_ROW(name, instructions, "1", math_instructions, meaning ": warp instructions"), \
      MATH_ROW(name, flops_fp32, "1", math_flops32,                                    \
               meaning ": FP32 operations counted"),                                   \
      MATH_ROW(name, flops_fp64, "1", math_flops64,                                    \
               meaning ": FP64 operations counted"),                                   \
      MATH_ROW(name, issue, "cycles", math_issue,                                      \
               meaning ": cycles of a sub-core per warp"),                             \
      MATH_ROW(name, latency, "cycles", math_latency,                                  \
               meaning ": until a dependent instruction"),
#include "gpu.def"
};

const ww_grade_info ww_grades[WW_NGRADES] = {
#define GRADE(name, text, begins, spread, meaning) \
  {#name, text, begins, spread, meaning},
#include "gpu.def"
};

ww_grade ww_gpu_grade(const ww_gpu *g) {
  for (int k = WW_NGRADES - 1; g->calibrated && k > WW_GRADE_paper; k--)
    if (ww_starts(g->calibrated, ww_grades[k].begins))
      return k;
  return WW_GRADE_paper;
}

int ww_grade_named(const char *name) {
  for (int k = 0; k < WW_NGRADES; k++)
    if (!strcmp(name, ww_grades[k].name) || !strcmp(name, ww_grades[k].text))
      return k;
  return -1;
}

const ww_gpu_defaults ww_gpu_default = {
#define FIGURE(field, path, unit, least, most, otherwise, meaning) otherwise,
#include "gpu.def"
};

const ww_curve_info ww_gpu_curves[] = {
#define LIST(field, path, unit, meaning) {path, unit, NULL, meaning, AT(field)},
#define CURVE(field, path, unit_x, unit_y, meaning) \
  {path, unit_x, unit_y, meaning, AT(field)},
#include "gpu.def"
};
const uint32_t ww_ngpu_curves = WW_COUNT(ww_gpu_curves);

const char *const ww_gpu_op_names[WW_NGPU_OPS] = {
#define OP(name, ...) #name,
#include "gpu.def"
};
const char *const ww_gpu_math_names[WW_NGPU_MATHS] = {
#define MATH(name, ...) #name,
#include "gpu.def"
};

/* Descriptions follow the table's order: the next one is found at once. */
static int named_from(uint32_t first, const char *path) {
  for (uint32_t k = 0; k < WW_NGPU_FIGURES; k++) {
    uint32_t i = (first + k) % WW_NGPU_FIGURES;
    if (!strcmp(ww_gpu_figures[i].path, path))
      return i;
  }
  return -1;
}

int ww_figure_named(const char *path) {
  return named_from(0, path);
}

static int curve_named(const char *path) {
  for (uint32_t i = 0; i < ww_ngpu_curves; i++)
    if (!strcmp(ww_gpu_curves[i].path, path))
      return i;
  return -1;
}

void ww_figure_set(ww_gpu *g, uint32_t i, double value, const char *source) {
  *ww_figure_at(g, i) = value;
  g->source[i] = source;
}

void ww_gpu_init(ww_gpu *g) {
  *g = (ww_gpu){0};
  for (uint32_t i = 0; i < WW_NGPU_FIGURES; i++)
    *ww_figure_at(g, i) = NAN;
}

double ww_curve_at_x(const ww_curve *c, double x) {
  if (!c->n)
    return NAN;
  if (!c->y || x <= c->x[0])
    return c->y ? c->y[0] : c->x[0];
  for (uint32_t i = 1; i < c->n; i++) {
    if (x > c->x[i])
      continue;
    double t = (log(x) - log(c->x[i - 1])) / (log(c->x[i]) - log(c->x[i - 1]));
    return c->y[i - 1] + t * (c->y[i] - c->y[i - 1]);
  }
  return c->y[c->n - 1];
}

/* ---- members ---- */

#define LEAST_X 1e-9 /* curves are read on a logarithmic axis */
#define MOST_COORDINATE 1e15

typedef struct {
  ww_arena *a;
  ww_gpu *g;
  ww_err *e;
  uint32_t next; /* figure that is expected */
} reader;

static ww_status number(const cJSON *node, const char *where, double *out, ww_err *e) {
  char kind[64];
  if (!cJSON_IsNumber(node))
    return ww_fail(e, WW_EPARSE, "%s: expected a number, not %s", where,
                   ww_json_kind(node, kind));
  *out = node->valuedouble;
  return WW_OK;
}

/* {"value"|"values": ..., "source": "..."} taken apart; anything else is the value
 * itself. */
static ww_status sourced(reader *r,
                         const cJSON **node,
                         const char *member,
                         const char *where,
                         const char **source) {
  if (!cJSON_IsObject(*node))
    return WW_OK;
  const char *const names[] = {member, "source", NULL};
  ww_status st = ww_json_want_members(*node, where, names, r->e);
  const cJSON *said = cJSON_GetObjectItemCaseSensitive(*node, "source");
  if (!st && said)
    st = ww_json_want_str(said, ww_fmt(r->a, "%s.source", where), source, r->a, r->e);
  *node = cJSON_GetObjectItemCaseSensitive(*node, member);
  if (!st && !*node)
    st = ww_fail(r->e, WW_EPARSE, "%s.%s is missing", where, member);
  return st;
}

static ww_status read_figure(reader *r, uint32_t i, const cJSON *node) {
  const ww_figure *f = &ww_gpu_figures[i];
  const char *source = NULL;
  double v = 0;
  ww_status st = sourced(r, &node, "value", f->path, &source);
  if (!st)
    st = number(node, f->path, &v, r->e);
  if (!st && !(v >= f->least && v <= f->most))
    st = ww_fail(r->e, WW_EPARSE, "%s: expected %g to %g %s, not %g", f->path, f->least,
                 f->most, f->unit, v);
  if (!st)
    ww_figure_set(r->g, i, v, source);
  return st;
}

static ww_status number_from(
    const cJSON *node, const char *where, double least, double *out, ww_err *e) {
  ww_status st = number(node, where, out, e);
  if (!st && !(*out >= least && *out <= MOST_COORDINATE))
    st = ww_fail(e, WW_EPARSE, "%s: expected %g to %g, not %g", where, least,
                 MOST_COORDINATE, *out);
  return st;
}

static ww_status read_point(
    reader *r, const ww_curve_info *info, const cJSON *node, ww_curve *c, uint32_t k) {
  const char *where = ww_fmt(r->a, "%s[%u]", info->path, k);
  if (!info->unit_y)
    return number_from(node, where, 0, &c->x[k], r->e);
  if (cJSON_GetArraySize(node) != 2 || !cJSON_IsArray(node))
    return ww_fail(r->e, WW_EPARSE, "%s: expected [%s, %s]", where, info->unit_x,
                   info->unit_y);
  ww_status st =
      number_from(cJSON_GetArrayItem(node, 0), where, LEAST_X, &c->x[k], r->e);
  return st ? st : number_from(cJSON_GetArrayItem(node, 1), where, 0, &c->y[k], r->e);
}

static ww_status read_curve(reader *r, uint32_t i, const cJSON *node) {
  const ww_curve_info *info = &ww_gpu_curves[i];
  ww_curve *c = ww_curve_at(r->g, i);
  char kind[64];
  ww_status st = sourced(r, &node, "values", info->path, &c->source);
  if (st)
    return st;
  if (!cJSON_IsArray(node))
    return ww_fail(r->e, WW_EPARSE, "%s: expected an array, not %s", info->path,
                   ww_json_kind(node, kind));
  uint32_t n = cJSON_GetArraySize(node);
  uint32_t k = 0;
  c->x = WW_NEWN(r->a, double, n);
  c->y = info->unit_y ? WW_NEWN(r->a, double, n) : NULL;
  for (const cJSON *p = node->child; p && !st; p = p->next, k++) {
    st = read_point(r, info, p, c, k);
    if (!st && k && c->x[k] <= c->x[k - 1])
      st = ww_fail(r->e, WW_EPARSE, "%s[%u]: expected more than %g: points ascend",
                   info->path, k, c->x[k - 1]);
  }
  if (!st)
    c->n = n;
  return st;
}

static bool is_group(const char *path) {
  size_t n = strlen(path);
  for (uint32_t i = 0; i < WW_NGPU_FIGURES + ww_ngpu_curves; i++) {
    const char *known = i < WW_NGPU_FIGURES ? ww_gpu_figures[i].path
                                            : ww_gpu_curves[i - WW_NGPU_FIGURES].path;
    if (!strncmp(known, path, n) && known[n] == '.')
      return true;
  }
  return false;
}

static ww_status read_group(reader *r, const char *prefix, const cJSON *obj) {
  ww_status st = WW_OK;
  char kind[64];
  if (!cJSON_IsObject(obj))
    return ww_fail(r->e, WW_EPARSE, "%s: expected an object, not %s", prefix,
                   ww_json_kind(obj, kind));
  for (const cJSON *m = obj->child; m && !st; m = m->next) {
    const char *path =
        *prefix ? ww_fmt(r->a, "%s.%.60s", prefix, m->string) : m->string;
    int figure = named_from(r->next, path);
    int curve = figure < 0 ? curve_named(path) : -1;
    static const char *const heads[] = {
        "schema_version", "name", "full_name",  "vendor", "architecture",
        "lanes",          "sms",  "calibrated", "notes",  NULL};
    bool head = false;
    for (int k = 0; !*prefix && heads[k]; k++)
      head = head || !strcmp(heads[k], path);
    if (head)
      continue;
    if (figure >= 0) {
      st = read_figure(r, figure, m);
      r->next = (uint32_t)figure + 1;
    } else if (curve >= 0)
      st = read_curve(r, curve, m);
    else if (is_group(path))
      st = read_group(r, path, m);
    else
      st = ww_fail(r->e, WW_EPARSE,
                   "%.80s: no figure is called so; docs/gpus.md lists them", path);
  }
  return st;
}

static ww_status read_texts(reader *r, const cJSON *root) {
  static const struct {
    const char *name;
    size_t at;
    bool optional;
  } texts[] = {{"name", AT(name), false},
               {"full_name", AT(full_name), false},
               {"vendor", AT(vendor), false},
               {"architecture", AT(architecture), false},
               {"calibrated", AT(calibrated), true},
               {"notes", AT(notes), true}};
  for (size_t k = 0; k < WW_COUNT(texts); k++) {
    const cJSON *node = cJSON_GetObjectItemCaseSensitive(root, texts[k].name);
    if (texts[k].optional && (!node || cJSON_IsNull(node)))
      continue;
    if (!node)
      return ww_fail(r->e, WW_EPARSE, "%s is missing", texts[k].name);
    ww_status st = ww_json_want_str(
        node, texts[k].name, (const char **)((char *)r->g + texts[k].at), r->a, r->e);
    if (st)
      return st;
  }
  return WW_OK;
}

/* lanes and sms: whole numbers that every user needs, so never absent. */
static ww_status read_counts(reader *r, const cJSON *root) {
  uint32_t *const to[] = {&r->g->lanes, &r->g->sms};
  static const char *const names[] = {"lanes", "sms"};
  for (int k = 0; k < 2; k++) {
    const cJSON *node = cJSON_GetObjectItemCaseSensitive(root, names[k]);
    const char *source;
    uint64_t v = 0;
    if (!node)
      return ww_fail(r->e, WW_EPARSE, "%s is missing", names[k]);
    ww_status st = sourced(r, &node, "value", names[k], &source);
    if (!st)
      st = ww_json_want_uint(node, names[k], &v, r->e);
    if (st)
      return st;
    *to[k] = v;
  }
  if (r->g->lanes != 32 && r->g->lanes != 64)
    return ww_fail(r->e, WW_EPARSE, "lanes: expected 32 or 64, not %u", r->g->lanes);
  if (!r->g->sms || r->g->sms > 100000)
    return ww_fail(r->e, WW_EPARSE, "sms: expected 1 to 100000");
  return WW_OK;
}

ww_status
ww_gpu_parse(const char *text, size_t n, ww_arena *a, ww_gpu *out, ww_err *e) {
  ww_gpu_init(out);
  reader r = {a, out, e, 0};
  cJSON *root = ww_json_read(text, n, e);
  if (!root)
    return WW_EPARSE;
  ww_status st = cJSON_IsObject(root)
                     ? WW_OK
                     : ww_fail(e, WW_EPARSE, "a GPU description is a JSON object");
  if (!st)
    st = read_texts(&r, root);
  if (!st)
    st = read_counts(&r, root);
  if (!st)
    st = read_group(&r, "", root);
  cJSON_Delete(root);
  return st;
}

/* ---- files ---- */

static int by_name(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

uint32_t ww_gpu_names(ww_arena *a, const char ***out) {
  WW_VEC(const char *) names = {0};
  DIR *d = opendir(ww_path_join(a, ww_data_dir(a), "gpus"));
  for (struct dirent *f; d && (f = readdir(d));) {
    if (ww_ends(f->d_name, ".json"))
      ww_push(a, &names, ww_strndup(a, f->d_name, strlen(f->d_name) - strlen(".json")));
  }
  if (d)
    closedir(d);
  if (names.n)
    qsort(names.v, names.n, sizeof *names.v, by_name);
  *out = names.v;
  return names.n;
}

static const char *known_names(ww_arena *a) {
  const char **names;
  uint32_t n = ww_gpu_names(a, &names);
  const char *list = n ? names[0] : "none";
  for (uint32_t k = 1; k < n; k++)
    list = ww_fmt(a, "%s, %s", list, names[k]);
  return list;
}

/* An "RTX 3080 Ti" is another GPU than an RTX 3080. */
static bool is_variant(const char *rest) {
  return !strncasecmp(rest, " Ti", 3) || !strncasecmp(rest, " Super", 6) ||
         !strncasecmp(rest, " Laptop", 7);
}

/* Whether `word` (h200, rtx3080) stands in a device's name ("NVIDIA GeForce RTX 3080")
 * as whole words, spaces aside. */
static bool names_device(const char *word, const char *device) {
  for (const char *p = device; *p; p++) {
    const char *d = p;
    const char *w = word;
    if (p != device && isalnum((unsigned char)p[-1]))
      continue;
    while (*w && *d) {
      if (*d == ' ' && w != word)
        d++;
      if (tolower((unsigned char)*d) != *w)
        break;
      d++;
      w++;
    }
    if (!*w && !isalnum((unsigned char)*d) && !is_variant(d))
      return true;
  }
  return false;
}

/* A name as descriptions are called: "RTX 4090" and rtx-4090 are rtx4090. */
static const char *plain_name(const char *name, ww_arena *a) {
  char *out = ww_strdup(a, name);
  char *to = out;
  for (const char *c = name; *c; c++)
    if (!strchr(" -_", *c))
      *to++ = tolower((unsigned char)*c);
  *to = 0;
  return out;
}

bool ww_gpu_called(const ww_gpu *g, const char *name, ww_arena *a) {
  return !strcmp(plain_name(g->name, a), plain_name(name, a));
}

/* Which of the names is meant: spelt otherwise, or the whole name of a device; NULL:
 * none. */
static const char *meant(const char *which, ww_arena *a) {
  const char **names;
  uint32_t n = ww_gpu_names(a, &names);
  const char *plain = plain_name(which, a);
  for (uint32_t k = 0; k < n; k++)
    if (!strcmp(plain_name(names[k], a), plain))
      return names[k];
  return ww_gpu_for_device(which, 0, a);
}

/* One that is spelt alike, or a part of whose name was given; NULL: none. */
static const char *alike(const char *which, ww_arena *a) {
  const char **names;
  WW_VEC(const char *) words = {0};
  uint32_t n = ww_gpu_names(a, &names);
  const char *plain = plain_name(which, a);
  for (uint32_t k = 0; k < n; k++)
    ww_push(a, &words, names[k]);
  ww_push(a, &words, NULL);
  const char *near = ww_nearest(plain, words.v);
  for (uint32_t k = 0; !near && strlen(plain) > 2 && k < n; k++)
    if (strstr(names[k], plain) || strstr(plain, names[k]))
      near = names[k];
  return near;
}

static ww_status unknown(const char *which, ww_arena *a, ww_err *e) {
  const char *near = alike(which, a);
  return ww_fail(
      e, WW_EUSAGE,
      "no GPU is called '%.40s'%s; known are %s, or give the file of a description",
      which, near ? ww_fmt(a, " (did you mean %s?)", near) : "", known_names(a));
}

ww_status ww_gpu_load(const char *which, ww_arena *a, ww_gpu *out, ww_err *e) {
  bool is_path = strchr(which, '/') || strstr(which, ".json");
  const char *name = is_path ? NULL : meant(which, a);
  char *text;
  size_t n;
  ww_gpu_init(out);
  if (!is_path && !name)
    return unknown(which, a, e);
  const char *path = is_path ? which
                             : ww_path_join(a, ww_path_join(a, ww_data_dir(a), "gpus"),
                                            ww_fmt(a, "%s.json", name));
  ww_status st = ww_read_file(a, path, 1u << 20, &text, &n, e);
  if (!st)
    st = ww_gpu_parse(text, n, a, out, e);
  if (st && e)
    e->file = path;
  return st;
}

const char *ww_gpu_for_device(const char *device, uint32_t sms, ww_arena *a) {
  const char **names;
  ww_gpu g;
  uint32_t n = ww_gpu_names(a, &names);
  /* an H100 PCIe has fewer than the H100 that is described */
  for (uint32_t k = 0; k < n; k++)
    if (names_device(names[k], device) &&
        (!sms || (!ww_gpu_load(names[k], a, &g, NULL) && g.sms == sms)))
      return names[k];
  return NULL;
}
