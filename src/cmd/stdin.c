/* stdin.c - `-` in place of a source file: what comes on standard input is kept in a
 * file of its own while the program runs, so that compilers, children and messages can
 * name it. */
#include <errno.h>
#include <stdlib.h>

#include "cmd.h"

#define MOST ((size_t)64 << 20)

/* What --lang says, where the command has it: such commands read sources. */
static bool reads_sources(const ww_command *cmd, const ww_cmd *c, const char **lang) {
  for (const ww_option *o = cmd->options; o && o->name; o++)
    if (!strcmp(o->name, "lang")) {
      *lang = *(const char *const *)((const char *)c->opt + o->at);
      return true;
    }
  return false;
}

/* A name that makes the file what the user says it is, or what most are. */
static const char *name_for(const char *lang) {
  static const char *const names[][2] = {
      {"opencl", "stdin.cl"},
      {"hip", "stdin.hip"},
      {"openmp", "stdin.cpp"},
      {"ptx", "stdin.ptx"}}; /* no --lang: its text */
  for (size_t k = 0; lang && k < WW_COUNT(names); k++)
    if (!strcmp(lang, names[k][0]))
      return names[k][1];
  return "stdin.cu";
}

static ww_status keep(ww_cmd *c, const char *lang, const char **path) {
  char *text;
  size_t n;
  const char *tmp = getenv("TMPDIR");
  char *folder = ww_fmt(c->arena, "%s/warpwise-XXXXXX", tmp && *tmp ? tmp : "/tmp");
  int slot;
  ww_status st = ww_read_input(c->arena, "/dev/stdin", MOST, &text, &n, &c->err);
  if (st)
    return st;
  if (!lang && (ww_starts(text, ".version ") || strstr(text, "\n.version ")))
    lang = "ptx"; /* behind the comments that it may begin with */
  if (!ww_temp_folder(folder, &slot))
    return ww_fail(&c->err, WW_EIO, "cannot make the folder '%s': %s: set TMPDIR",
                   folder, strerror(errno));
  *path = ww_path_join(c->arena, folder, name_for(lang));
  return ww_write_file_atomic(*path, text, n, &c->err);
}

ww_status ww_stdin_take(const ww_command *cmd, ww_cmd *c) {
  const char *lang = NULL;
  const char *path = NULL;
  if (!reads_sources(cmd, c, &lang))
    return WW_OK;
  for (uint32_t k = 0; k < c->noperands; k++) {
    if (strcmp(c->operands[k], "-"))
      continue;
    if (path)
      return ww_usage(c, "-: standard input is one source file; name the other");
    ww_status st = keep(c, lang, &path);
    if (st)
      return st;
    c->operands[k] = path;
  }
  if (!path)
    return WW_OK;
  ww_strings flags = {0};
  ww_push(c->arena, &flags, "-I."); /* its own folder has no headers */
  ww_strings_add(c->arena, &flags, c->rest, c->nrest);
  c->rest = flags.v;
  c->nrest = flags.n;
  return WW_OK;
}
