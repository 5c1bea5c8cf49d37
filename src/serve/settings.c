/* settings.c - the table of settings: names, kinds, what they mean; reading, checking
 * and documentation go by it.
 *
 * A project's file comes with code of others: it can name no flag that runs or writes
 * anything. */
#include "settings.h"

#include "../report/launch_int.h"
#include "schema.h"

typedef enum { TEXT, TEXTS, FLAGS, LAUNCHES, COUNT, NUMBER, BOOL } kind;

typedef struct {
  const char *name;
  kind kind;
  size_t at;          /* in ww_settings */
  const char *one_of; /* "warm|cold"; NULL: any */
  double least, most; /* of COUNT and NUMBER */
  const char *unset;  /* the default, in words */
  const char *help;
} member;

#define AT(m) offsetof(ww_settings, m)
#define ANY NULL, 0, 0
static const member members[] = {
    {"gpu", TEXT, AT(gpu), ANY, "`h200`",
     "GPU that predictions are for: a name of `warpwise gpus`"},
    {"gpus", TEXTS, AT(gpus), ANY, "all", "GPUs that *compare GPUs* shows"},
    {"flags", FLAGS, AT(flags), ANY, "none",
     "compiler flags besides those of compile_commands.json: `-DN=4`, `-UN`, "
     "`-Iinclude`, "
     "`-isystem`, `-include`, "
     "`-std=`, `-cl-std=`"},
    {"instantiate", TEXTS, AT(instantiate), ANY, "none",
     "templates to instantiate: `kern<float,256>`"},
    {"launches", LAUNCHES, AT(launches), ANY, "none",
     "launches by kernel, where no comment in the source gives one: `{\"saxpy\": "
     "\"grid=n/256 "
     "block=256 n=1<<20\"}`, or "
     "a launch spec (docs/launch.md)"},
    {"cache", TEXT, AT(cache), "warm|cold", 0, 0, "as the launch says",
     "state of the caches at the launch: `warm` or `cold`"},
    {"by", TEXT, AT(by), "machine|grounded", 0, 0, "`grounded`",
     "`machine`: the machine model alone; `grounded`: with what measurements taught"},
    {"budget", COUNT, AT(budget), NULL, 1000, 1e10, "500000",
     "warp instructions to spend on sampling a kernel"},
    {"debounce", COUNT, AT(debounce), NULL, 0, 10000, "15",
     "milliseconds of rest after a change before its analysis"},
    {"codeLens", BOOL, AT(code_lens), ANY, "`true`", "the line above each kernel"},
    {"inlayHints", BOOL, AT(inlay_hints), ANY, "`true`",
     "what hot lines cost, behind them"},
    {"diagnostics", BOOL, AT(diagnostics), ANY, "`true`", "findings at their lines"},
    {"hover", BOOL, AT(hover), ANY, "`true`",
     "the table of a kernel under the pointer"},
    {"hotPercent", NUMBER, AT(hint_percent), NULL, 0, 100, "5",
     "percent of a kernel's time that make a line hot"},
    {"minGain", NUMBER, AT(gain), NULL, 1, 1000, "1.1",
     "factor that a finding has to promise to be an information; below it is a hint"},
    {0},
};

const ww_settings ww_settings_default = {.debounce = 15,
                                         .code_lens = true,
                                         .inlay_hints = true,
                                         .diagnostics = true,
                                         .hover = true,
                                         .hint_percent = 5,
                                         .gain = 1.1};

typedef struct {
  ww_settings *s;
  const char *where, *dir;
  ww_arena *a;
  ww_problems *problems;
} reading;

static void problem(reading *r, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
static void problem(reading *r, const char *fmt, ...) {
  char text[600];
  va_list args;
  va_start(args, fmt);
  vsnprintf(text, sizeof text, fmt, args);
  va_end(args);
  ww_push(r->a, r->problems, ww_fmt(r->a, "%s: %s", r->where, text));
}

static void wrong_kind(reading *r, const char *name, const char *want, const cJSON *v) {
  char scratch[64];
  problem(r, "%s: expected %s, not %s", name, want, ww_json_kind(v, scratch));
}

static void read_text(reading *r, const member *m, const cJSON *v) {
  if (!cJSON_IsString(v))
    wrong_kind(r, m->name, "a string", v);
  else if (m->one_of && !ww_is_one_of(m->one_of, v->valuestring))
    problem(r, "%s: expected %s, not '%.40s'", m->name, m->one_of, v->valuestring);
  else
    *(const char **)((char *)r->s + m->at) = ww_strdup(r->a, v->valuestring);
}

/* Flags whose value is a path. */
static const char *path_flag(const char *flag) {
  static const char *const names[] = {"-isystem", "-include", "-I"};
  for (size_t k = 0; k < sizeof names / sizeof *names; k++)
    if (ww_starts(flag, names[k]))
      return names[k];
  return NULL;
}

/* `-Idir` and `-I`, `dir` both become two words; NULL: not accepted. *next: the value
 * follows. */
static bool take_flag(reading *r, const char *flag, ww_problems *out, bool *next) {
  const char *name = path_flag(flag);
  *next = false;
  if (name) {
    const char *value = flag + strlen(name);
    ww_push(r->a, out, name);
    *next = !*value;
    if (*value)
      ww_push(r->a, out, ww_path_join(r->a, r->dir, value));
    return true;
  }
  bool defines = flag[0] == '-' && (flag[1] == 'D' || flag[1] == 'U');
  if (!defines && !ww_starts(flag, "-std=") && !ww_starts(flag, "-cl-std="))
    return false;
  *next = defines && !flag[2];
  ww_push(r->a, out, ww_strdup(r->a, flag));
  return true;
}

static void read_texts(reading *r, const member *m, const cJSON *v) {
  const cJSON *item;
  ww_problems list = {0};
  bool value = false, path = false;
  if (!cJSON_IsArray(v))
    return wrong_kind(r, m->name, "an array of strings", v);
  cJSON_ArrayForEach(item, v) {
    if (!cJSON_IsString(item))
      return wrong_kind(r, m->name, "strings", item);
    const char *text = ww_strdup(r->a, item->valuestring);
    if (value) {
      ww_push(r->a, &list, path ? ww_path_join(r->a, r->dir, text) : text);
      value = false;
    } else if (m->kind == FLAGS) {
      path = path_flag(text) != NULL;
      if (!take_flag(r, text, &list, &value))
        problem(r,
                "%s: '%.60s' is left out; -D, -U, -I, -isystem, -include, -std= and "
                "-cl-std= are "
                "accepted",
                m->name, text);
    } else
      ww_push(r->a, &list, text);
  }
  if (value)
    list.n--; /* a flag without its value */
  *(const char ***)((char *)r->s + m->at) = list.v;
  *(uint32_t *)((char *)r->s + m->at + sizeof(const char **)) =
      list.n; /* the count follows the array */
}

_Static_assert(AT(ngpus) == AT(gpus) + sizeof(const char **) &&
                   AT(nflags) == AT(flags) + sizeof(const char **) &&
                   AT(ninstantiate) == AT(instantiate) + sizeof(const char **),
               "counts follow their arrays");

/* A project's launch may fill buffers from files beside it, and name nothing else. */
static void read_launches(reading *r, const member *m, const cJSON *v) {
  WW_VEC(ww_kernel_launch) list = {0};
  const cJSON *item;
  if (!cJSON_IsObject(v))
    return wrong_kind(r, m->name, "an object of launches by kernel", v);
  cJSON_ArrayForEach(item, v) {
    ww_kernel_launch k = {.kernel = ww_strdup(r->a, item->string)};
    ww_err e = {0};
    ww_status st = WW_OK;
    if (cJSON_IsString(item))
      st = ww_launch_comment(ww_strdup(r->a, item->valuestring), r->a, &k.launch, &e);
    else if (cJSON_IsObject(item))
      st = ww_launch_from_json(item, r->dir, r->a, &k.launch, &e);
    else {
      wrong_kind(r, m->name, "a text like \"grid=4096 block=256\" or a launch spec",
                 item);
      continue;
    }
    if (!st && (k.launch.binary || k.launch.nflags || k.launch.file))
      st = ww_fail(&e, WW_EUSAGE, "`file`, `binary` and `flags` have no place here");
    if (st)
      problem(r, "%s.%.60s: %s", m->name, k.kernel, e.msg);
    else
      ww_push(r->a, &list, k);
  }
  r->s->launches = list.v;
  r->s->nlaunches = list.n;
}

static void read_number(reading *r, const member *m, const cJSON *v) {
  void *to = (char *)r->s + m->at;
  bool ok =
      cJSON_IsNumber(v) && v->valuedouble >= m->least && v->valuedouble <= m->most;
  if (!ok) {
    char want[80];
    snprintf(want, sizeof want, "a number of %g to %g", m->least, m->most);
    wrong_kind(r, m->name, want, v);
  } else if (m->kind == COUNT)
    *(uint64_t *)to = v->valuedouble;
  else
    *(double *)to = v->valuedouble;
}

static void read_bool(reading *r, const member *m, const cJSON *v) {
  if (cJSON_IsBool(v))
    *(bool *)((char *)r->s + m->at) = cJSON_IsTrue(v);
  else
    wrong_kind(r, m->name, "true or false", v);
}

static void read_member(reading *r, const member *m, const cJSON *v) {
  static void (*const readers[])(reading * r, const member *m, const cJSON *v) = {
      [TEXT] = read_text,         [TEXTS] = read_texts,  [FLAGS] = read_texts,
      [LAUNCHES] = read_launches, [COUNT] = read_number, [NUMBER] = read_number,
      [BOOL] = read_bool,
  };
  /* else it is not given */
  if (!cJSON_IsNull(v) && !(cJSON_IsString(v) && !*v->valuestring))
    readers[m->kind](r, m, v);
}

void ww_settings_add(ww_settings *s,
                     const cJSON *object,
                     const char *where,
                     const char *dir,
                     bool strict,
                     ww_arena *a,
                     ww_problems *problems) {
  reading r = {s, where, dir, a, problems};
  const cJSON *v;
  char scratch[64];
  if (!object || cJSON_IsNull(object))
    return;
  if (!cJSON_IsObject(object))
    return problem(&r, "expected an object of settings, not %s",
                   ww_json_kind(object, scratch));
  cJSON_ArrayForEach(v, object) {
    const member *m = members;
    while (m->name && strcmp(m->name, v->string) != 0)
      m++;
    if (m->name)
      read_member(&r, m, v);
    else if (strict && v->string[0] != '$' &&
             v->string[0] != '_') { /* "$schema", "_comment" */
      ww_buf b = {0};
      for (m = members; m->name; m++)
        ww_buf_fmt(&b, "%s%s", m == members ? "" : ", ", m->name);
      problem(&r, "there is no setting '%.60s'; there are %s", v->string, b.s);
      ww_buf_free(&b);
    }
  }
}

/* ---- the project's file ---- */

static const char *find_upward(const char *file, ww_arena *a) {
  for (const char *dir = ww_path_dir(a, file);; dir = ww_path_dir(a, dir)) {
    const char *path = ww_path_join(a, dir, ".warpwise.json");
    if (ww_file_regular(path))
      return path;
    if (!strcmp(dir, "/") || !strcmp(dir, "."))
      return NULL;
  }
}

void ww_settings_project(ww_settings *s,
                         const char *file,
                         ww_arena *a,
                         ww_problems *problems) {
  const char *path = find_upward(file, a);
  char *text;
  size_t n;
  ww_err e = {0};
  s->project = path;
  if (!path)
    return;
  reading r = {s, path, ww_path_dir(a, path), a, problems};
  if (ww_read_file(a, path, 1 << 20, &text, &n, &e))
    return problem(&r, "%s", e.msg);
  cJSON *tree = ww_json_read(text, n, &e);
  if (tree)
    ww_settings_add(s, tree, path, r.dir, true, a, problems);
  else
    problem(&r, "line %u, column %u: %s", e.line, e.col, e.msg);
  cJSON_Delete(tree);
}

/* ---- documentation ---- */

static const char *const kind_words[] = {
    "text",   "array of texts", "array of texts", "object",
    "number", "number",         "true or false"};

void ww_settings_table(ww_buf *out) {
  ww_buf_puts(out, "| setting | value | default | meaning |\n|---|---|---|---|\n");
  for (const member *m = members; m->name; m++)
    ww_buf_fmt(out, "| `%s` | %s | %s | %s |\n", m->name, kind_words[m->kind], m->unset,
               m->help);
}

void ww_settings_schema(ww_buf *out) {
  static const char *const types[] = {"string",  "array",  "array",  "object",
                                      "integer", "number", "boolean"};
  ww_json j = {
      .out = out,
      .pretty = true,
  };
  ww_json_put(&j, "{title:'.warpwise.json',type:'object',properties:{");
  for (const member *m = members; m->name; m++) {
    ww_json_put(&j, "%s:{type:%s", m->name, types[m->kind]);
    if (m->kind == TEXTS || m->kind == FLAGS) {
      ww_json_key(&j, "items");
      ww_json_raw(&j, "{\"type\":\"string\"}");
    }
    if (m->kind == COUNT || m->kind == NUMBER)
      ww_json_put(&j, "minimum:%g,maximum:%g", m->least, m->most);
    if (m->one_of)
      ww_schema_one_of(&j, m->one_of);
    ww_json_put(&j, "description:%s}", m->help);
  }
  ww_json_put(&j, "}}");
  ww_buf_puts(out, "\n");
}
