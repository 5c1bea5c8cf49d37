/* compile_commands.c - the flags a project's own build gives a file.
 *
 * Kept are those that change what the source means: -I -D -U -std -isystem -iquote
 * -idirafter -include; paths are made absolute against the entry's "directory".
 * Everything else (nvcc's, warnings, outputs) is passed over. CMake hides nvcc's
 * include paths in a response file
 * (--options-file): that is read too. */
#include <limits.h>
#include <stdlib.h>

#include "../base/jsonread.h"
#include "../base/words.h"
#include "compile_commands.h"

#define DATABASE_MAX (256 << 20)
#define RESPONSE_FILES 16 /* of one file's command */

typedef struct {
  ww_arena *a;
  const char *dir; /* the entry's "directory" */
  ww_strings *flags;
  int depth; /* of response files */
  int files; /* of them read so far: each may name others, and itself */
} collector;

/* Words as a POSIX shell splits them: quotes and backslashes, no expansion. */
static void split(ww_arena *a, const char *s, ww_strings *out) {
  while (*s) {
    while (ww_is_space(*s))
      s++;
    if (!*s)
      break;
    char *word = ww_alloc(a, strlen(s) + 1);
    char *w = word;
    char quote = 0;
    for (; *s && (quote || !ww_is_space(*s)); s++)
      if (quote ? *s == quote : *s == '"' || *s == '\'')
        quote = quote ? 0 : *s;
      else if (*s == '\\' && quote != '\'' && s[1] &&
               (!quote || strchr("\"\\$`", s[1])))
        *w++ = *++s;
      else
        *w++ = *s;
    ww_push(a, out, word);
  }
}

/* Flags with a value, joined (-Idir, -isystem=dir) or in the next word; `path`: made
 * absolute. */
static const struct {
  const char *name;
  bool path, equals;
} kept[] = {
    {"-isystem", true, true}, {"-idirafter", true, true}, {"-iquote", true, true},
    {"-include", true, true}, {"-I", true, false},        {"-D", false, false},
    {"-U", false, false},
};

static const char *absolute(collector *c, const char *flag, const char *value) {
  const char *full = ww_path_join(c->a, c->dir, value);
  /* -include also searches the include path: leave a name that is not there as it is */
  return !strcmp(flag, "-include") && !ww_file_exists(full) ? value : full;
}

static void collect(collector *c, const ww_strings *words);

static void response_file(collector *c, const char *name) {
  char *text;
  if (c->depth >= 4 || ++c->files > RESPONSE_FILES)
    return;
  if (ww_read_file(c->a, ww_path_join(c->a, c->dir, name), 16 << 20, &text, NULL, NULL))
    return;
  ww_strings words = {0};
  split(c->a, text, &words);
  c->depth++;
  collect(c, &words);
  c->depth--;
}

/* Takes words[i] if it is a kept flag; returns how many words it used. */
static uint32_t take(collector *c, const ww_strings *words, uint32_t i) {
  const char *w = words->v[i];
  for (size_t k = 0; k < sizeof kept / sizeof *kept; k++) {
    size_t n = strlen(kept[k].name);
    if (strncmp(w, kept[k].name, n))
      continue;
    const char *value = w + n + (kept[k].equals && w[n] == '=');
    uint32_t used = 1;
    if (!*value) {
      if (i + 1 >= words->n)
        return 1;
      value = words->v[i + 1];
      used = 2;
    }
    if (kept[k].path)
      value = absolute(c, kept[k].name, value);
    ww_push(c->a, c->flags, kept[k].name);
    ww_push(c->a, c->flags, value);
    return used;
  }
  return 1;
}

static void collect(collector *c, const ww_strings *words) {
  static const char *const passed_over[] = {"-o", "-Xcompiler", "-MF", "-MT", NULL};
  for (uint32_t i = 0; i < words->n;) {
    const char *w = words->v[i];
    uint32_t used = 1;
    if (ww_starts(w, "-std=") || ww_starts(w, "--std=")) {
      ww_push(c->a, c->flags, w + (w[1] == '-'));
    } else if (ww_starts(w, "-include-pch")) {
      used = 2; /* another compiler's */
    } else if (w[0] == '@' && w[1]) {
      response_file(c, w + 1);
    } else if ((!strcmp(w, "--options-file") || !strcmp(w, "-optf")) &&
               i + 1 < words->n) {
      response_file(c, words->v[i + 1]);
      used = 2;
    } else if (ww_one_of(w, passed_over)) {
      used = 2;
    } else {
      used = take(c, words, i);
    }
    i += used;
  }
}

static const char *member(const cJSON *entry, const char *name) {
  const cJSON *m = cJSON_GetObjectItemCaseSensitive(entry, name);
  return cJSON_IsString(m) ? m->valuestring : NULL;
}

static bool is_entry_of(const cJSON *entry, const char *wanted, ww_arena *a) {
  char real[PATH_MAX];
  const char *dir = member(entry, "directory");
  const char *file = member(entry, "file");
  if (!file || strcmp(ww_path_base(file), ww_path_base(wanted)))
    return false;
  return realpath(ww_path_join(a, dir ? dir : "", file), real) && !strcmp(real, wanted);
}

static void
entry_flags(const cJSON *entry, const char *database, ww_arena *a, ww_strings *flags) {
  const char *dir = member(entry, "directory");
  const char *command = member(entry, "command");
  collector c = {.a = a, .flags = flags};
  c.dir = ww_path_join(a, ww_path_dir(a, database), dir ? ww_strdup(a, dir) : "");
  ww_strings words = {0};
  if (command)
    split(a, command, &words);
  const cJSON *arguments = cJSON_GetObjectItemCaseSensitive(entry, "arguments");
  for (const cJSON *w = arguments ? arguments->child : NULL; w; w = w->next)
    if (cJSON_IsString(w))
      ww_push(a, &words, ww_strdup(a, w->valuestring));
  collect(&c, &words);
}

static const char *find_upward(const char *real, ww_arena *a) {
  for (const char *dir = ww_path_dir(a, real);; dir = ww_path_dir(a, dir)) {
    const char *here = ww_path_join(a, dir, "compile_commands.json");
    const char *below = ww_path_join(a, dir, "build/compile_commands.json");
    if (ww_file_regular(here))
      return here;
    if (ww_file_regular(below))
      return below;
    if (!strcmp(dir, "/") || !strcmp(dir, "."))
      return NULL;
  }
}

static ww_status read_database(const char *database,
                               const char *wanted,
                               ww_arena *a,
                               ww_strings *flags,
                               ww_err *e) {
  char *text;
  size_t n;
  ww_status rc = ww_read_file(a, database, DATABASE_MAX, &text, &n, e);
  if (rc)
    return rc;
  cJSON *tree = ww_json_read(text, n, e);
  if (!cJSON_IsArray(tree)) {
    rc = tree ? ww_fail(e, WW_EPARSE, "expected an array of compile commands")
              : WW_EPARSE;
    if (e)
      e->file = database;
  }
  for (const cJSON *entry = !rc ? tree->child : NULL; entry; entry = entry->next)
    if (is_entry_of(entry, wanted, a)) {
      entry_flags(entry, database, a, flags);
      break;
    }
  cJSON_Delete(tree);
  return rc;
}

ww_status ww_compile_flags(
    const char *file, const char *given, ww_arena *a, ww_strings *flags, ww_err *e) {
  char real[PATH_MAX];
  if (!realpath(file, real))
    return WW_OK; /* a missing file is complained about elsewhere */
  if (!given) {
    const char *database = find_upward(real, a);
    return database ? read_database(database, real, a, flags, e) : WW_OK;
  }
  const char *inside = ww_path_join(a, given, "compile_commands.json");
  return read_database(ww_file_exists(inside) ? inside : ww_strdup(a, given), real, a,
                       flags, e);
}
