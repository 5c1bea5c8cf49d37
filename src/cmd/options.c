/* options.c - one table of options per command: parsing and --help come from it. */
#include "../base/units.h"
#include "cmd.h"

const ww_option ww_global_options[] = {
    WW_OPTION_OF(
        ww_cmd, json, "json", NULL, "data on stdout as JSON, one object a line"),
    WW_OPTION_OF(
        ww_cmd, gpu, "gpu", "NAME|FILE", "the GPU that the numbers are for, e.g. h200"),
    WW_OPTION_OF(ww_cmd,
                 device,
                 "device",
                 "NAME",
                 "for commands that measure: on which device, by a part of its name"),
    WW_OPTION_OF(ww_cmd, quiet, "quiet", NULL, "no progress, no warnings", 'q'),
    WW_OPTION_OF(
        ww_cmd, color, "color", "WHEN", "auto, always or never; NO_COLOR is obeyed"),
    WW_OPTION_OF(ww_cmd, help, "help", NULL, "this text", 'h'),
    WW_OPTION_OF(ww_cmd, version, "version", NULL, "the version"),
    {0},
};

/* ---- parsing ---- */

static const ww_option *
find(const ww_option *o, const char *name, size_t n, char letter) {
  for (; o && o->name; o++) {
    if (letter && o->letter == letter)
      return o;
    if (!letter && strlen(o->name) == n && memcmp(o->name, name, n) == 0)
      return o;
  }
  return NULL;
}

static ww_status unknown(const ww_command *cmd, const char *word, ww_cmd *c) {
  const char *names[64];
  size_t n = 0;
  for (const ww_option *o = cmd->options; o && o->name && n < 40; o++)
    names[n++] = o->name;
  for (const ww_option *o = ww_global_options; o->name && n < 60; o++)
    names[n++] = o->name;
  names[n] = NULL;
  const char *near = ww_nearest(word + strspn(word, "-"), names);
  if (near)
    return ww_usage(c, "unknown option '%.60s'; did you mean --%s?", word, near);
  if (strchr("IDUWO", word[1]))
    return ww_usage(c, "unknown option '%.60s'; clang's flags go behind --", word);
  return ww_usage(c, "unknown option '%.60s'; see `warpwise %s%s--help`", word,
                  cmd->name, *cmd->name ? " " : "");
}

static ww_status store(const ww_option *o, void *base, const char *value, ww_cmd *c) {
  void *p = (char *)base + o->at;
  if (o->kind == WW_OPT_FLAG)
    *(bool *)p = true;
  else if (o->kind == WW_OPT_STR)
    *(const char **)p = value;
  else if (o->kind == WW_OPT_LIST)
    ww_push(c->arena, (ww_strings *)p, value);
  else {
    const char *end = value;
    if (!ww_number_read(&end, p) || *end)
      return ww_usage(c, "--%s: expected a whole number, not '%.60s'", o->name, value);
  }
  return WW_OK;
}

/* One option at argv[*i]; moves *i over a value of its own word. */
static ww_status
option(const ww_command *cmd, int argc, char **argv, int *i, ww_cmd *c) {
  const char *word = argv[*i];
  bool is_long = word[1] == '-';
  const char *name = word + (is_long ? 2 : 1);
  const char *eq = is_long ? strchr(name, '=') : NULL;
  size_t n = eq ? (size_t)(eq - name) : strlen(name);
  char letter = is_long ? 0 : name[0];
  void *base = c->opt;
  const ww_option *o = !is_long && name[1] && strchr("IDUWO", letter)
                           ? NULL
                           : find(cmd->options, name, n, letter);
  if (!o) {
    base = c;
    o = is_long || !name[1] ? find(ww_global_options, name, n, letter) : NULL;
  }
  if (!o)
    return unknown(cmd, word, c);
  const char *value = eq ? eq + 1 : !is_long && name[1] ? name + 1 : NULL;
  if (o->kind == WW_OPT_FLAG && value)
    return ww_usage(c, "--%s takes no value", o->name);
  if (o->kind != WW_OPT_FLAG && !value) {
    if (*i + 1 >= argc)
      return ww_usage(c, "--%s needs a value: %s", o->name, o->arg);
    value = argv[++*i];
  }
  return store(o, base, value, c);
}

static ww_status apply_globals(ww_cmd *c) {
  const char *when = c->color;
  if (when && strcmp(when, "auto") && strcmp(when, "always") && strcmp(when, "never"))
    return ww_usage(c, "--color: expected auto, always or never, not '%.60s'", when);
  if (when)
    ww_set_color(!strcmp(when, "always") ? 1 : !strcmp(when, "never") ? 0 : -1);
  ww_set_quiet(c->quiet);
  return WW_OK;
}

static bool is_compiler_flag(const char *word) {
  static const char *const begins[] = {"-D", "-I",   "-U",       "-O",
                                       "-l", "-L",   "-W",       "-f",
                                       "-m", "-std", "-include", "-isystem"};
  for (size_t i = 0; i < WW_COUNT(begins); i++)
    if (ww_starts(word, begins[i]) && word[strlen(begins[i])])
      return true;
  return false;
}

ww_status ww_options_parse(const ww_command *cmd, int argc, char **argv, ww_cmd *c) {
  ww_strings operands = {0};
  c->opt = ww_alloc(c->arena, cmd->options_size);
  for (int i = 1; i < argc; i++) {
    if (!strcmp(argv[i], "--")) {
      c->rest = (const char *const *)argv + i + 1;
      c->nrest = argc - i - 1;
      break;
    }
    if (argv[i][0] != '-' || !argv[i][1] ||
        (cmd->compiler_flags && is_compiler_flag(argv[i]))) {
      ww_push(c->arena, &operands, argv[i]);
      continue;
    }
    ww_status rc = option(cmd, argc, argv, &i, c);
    if (rc)
      return rc;
  }
  c->operands = operands.v;
  c->noperands = operands.n;
  return apply_globals(c);
}

/* ---- and back ---- */

static void
add_word(const ww_option *o, const char *value, ww_arena *a, ww_strings *out) {
  bool file = !strcmp(o->arg, "FILE") && value[0] != '/';
  const char *whole = file ? ww_path_real(a, value) : NULL;
  ww_push(a, out, ww_fmt(a, "--%s=%s", o->name, whole ? whole : value));
}

void ww_options_words(const ww_command *cmd,
                      const ww_cmd *c,
                      const char *const *without,
                      ww_strings *out) {
  for (const ww_option *o = cmd->options; o->name; o++) {
    const void *p = (const char *)c->opt + o->at;
    const ww_strings *list = p;
    bool left_out = false;
    for (const char *const *w = without; *w; w++)
      left_out |= !strcmp(*w, o->name);
    if (left_out)
      continue;
    if (o->kind == WW_OPT_FLAG && *(const bool *)p)
      ww_push(c->arena, out, ww_fmt(c->arena, "--%s", o->name));
    if (o->kind == WW_OPT_STR && *(const char *const *)p)
      add_word(o, *(const char *const *)p, c->arena, out);
    if (o->kind == WW_OPT_UINT && *(const uint64_t *)p)
      ww_push(c->arena, out,
              ww_fmt(c->arena, "--%s=%lu", o->name, *(const uint64_t *)p));
    for (uint32_t k = 0; o->kind == WW_OPT_LIST && k < list->n; k++)
      add_word(o, list->v[k], c->arena, out);
  }
}

/* ---- help ---- */

void ww_help_options(const ww_option *o, FILE *f) {
  for (; o && o->name; o++) {
    if (!o->help)
      continue; /* for the program's own use */
    char left[64];
    char letter[8] = "";
    if (o->letter)
      snprintf(letter, sizeof letter, "-%c, ", o->letter);
    snprintf(left, sizeof left, "%s--%s%s%s", letter, o->name, o->arg ? " " : "",
             o->arg ? o->arg : "");
    fprintf(f, "  %-28s %s\n", left, o->help);
  }
}

void ww_help_command(const ww_command *cmd, const char *words, FILE *f) {
  fprintf(f, "warpwise %s - %s\n\nusage: warpwise %s %s\n", words, cmd->summary, words,
          cmd->usage);
  if (cmd->details)
    fprintf(f, "\n%s\n", cmd->details);
  if (cmd->options && cmd->options->name) {
    fputs("\noptions:\n", f);
    ww_help_options(cmd->options, f);
  }
  fputs("\noptions of every command:\n", f);
  ww_help_options(ww_global_options, f);
  if (cmd->examples)
    fprintf(f, "\nexamples:\n%s", cmd->examples);
}
