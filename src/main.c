/* main.c - the command table, and the only place that ends the program. */
#include <stdlib.h>

#include "cmd/cmd.h"

static const ww_command *const commands[] = {
    &ww_cmd_kernels,                   /* what is in a file */
    &ww_cmd_trace,                     /* what it does */
    &ww_cmd_predict,                   /* how long it takes */
    &ww_cmd_explain,                   /* why, and what to change */
    &ww_cmd_roofline, &ww_cmd_measure, /* what it really does */
    &ww_cmd_record,                    /* what a program launches */
    &ww_cmd_gpus,                      /* what it may run on */
    &ww_cmd_evaluate,                  /* how good the answers are */
    &ww_cmd_train,                     /* and how they become better */
};
#define NCOMMANDS (sizeof commands / sizeof *commands)

static void help(FILE *f) {
  fputs("warpwise - what a kernel will do to a GPU, line by line, from its source, on a machine without one\n\n"
        "usage: warpwise COMMAND ... [options]\n\ncommands:\n",
        f);
  for (size_t i = 0; i < NCOMMANDS; i++) fprintf(f, "  %-12s %s\n", commands[i]->name, commands[i]->summary);
  fputs("\noptions of every command:\n", f);
  ww_help_options(ww_global_options, f);
  fputs("\nexit codes: 0 ok, 1 a threshold was missed, 2 usage, 3 bad input, 4 model or device missing\n"
        "`warpwise COMMAND --help` has examples.\n",
        f);
}

static const ww_command *find(const char *name, ww_err *e) {
  const char *names[NCOMMANDS + 1] = {0};
  for (size_t i = 0; i < NCOMMANDS; i++) {
    if (strcmp(commands[i]->name, name) == 0) return commands[i];
    names[i] = commands[i]->name;
  }
  const char *near = ww_nearest(name, names);
  if (near)
    ww_fail(e, WW_EUSAGE, "there is no command '%.60s'; did you mean '%s'?", name, near);
  else
    ww_fail(e, WW_EUSAGE, "there is no command '%.60s'; `warpwise --help` lists them", name);
  return NULL;
}

/* Global options may stand before the command: the first word that is neither one nor its value. */
static int command_index(int argc, char **argv) {
  for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
    if (argv[i][0] != '-') return i;
    for (const ww_option *o = ww_global_options; o->name; o++)
      if (o->kind != WW_OPT_FLAG && strncmp(argv[i], "--", 2) == 0 && strcmp(argv[i] + 2, o->name) == 0) i++;
  }
  return 0;
}

static int finish(ww_cmd *c, ww_status rc) {
  if (rc != WW_OK && c->err.code != WW_OK) ww_cmd_complain(c);
  if ((fflush(stdout) != 0 || ferror(stdout)) && rc == WW_OK) {
    ww_fail(&c->err, WW_EIO, "cannot write to standard output");
    ww_print_error(&c->err, stderr);
    rc = WW_EIO;
  }
  int code = rc == WW_OK && c->missed ? 1 : ww_exit_code(rc);
  ww_arena_free(c->arena);
  return code;
}

static ww_status dispatch(int argc, char **argv, ww_cmd *c) {
  static const ww_command none = {.name = "", .usage = ""};
  int at = command_index(argc, argv);
  bool asks = at && strcmp(argv[at], "help") == 0; /* `warpwise help kernels` */
  const char *name = asks ? (at + 1 < argc ? argv[at + 1] : NULL) : at ? argv[at] : NULL;
  const ww_command *cmd = &none;
  for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) /* so that a usage error is already JSON */
    if (strcmp(argv[i], "--json") == 0) c->global.json = true;
  if (name && !(cmd = find(name, &c->err))) return c->err.code;
  if (asks) {
    name ? ww_help_command(cmd, stdout) : help(stdout);
    return WW_OK;
  }
  if (at) memmove(&argv[at], &argv[at + 1], (size_t)(argc - at) * sizeof *argv); /* the name goes, options stay */
  ww_status rc = ww_options_parse(cmd, at ? argc - 1 : argc, argv, c);
  if (rc != WW_OK) return rc;
  if (c->global.version) return printf("warpwise %s\n", WW_VERSION), WW_OK;
  if (c->global.help) {
    name ? ww_help_command(cmd, stdout) : help(stdout);
    return WW_OK;
  }
  if (!name) {
    help(stderr);
    return WW_EUSAGE;
  }
  return cmd->run(c);
}

int main(int argc, char **argv) {
  ww_cmd c = {.arena = ww_arena_new()};
  exit(finish(&c, dispatch(argc, argv, &c)));
}
