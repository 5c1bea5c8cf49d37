/* main.c - the command table, and the only place that ends the program. */
#include <cjson/cJSON.h>
#include <stdlib.h>

#include "cmd/cmd.h"
#include "front/front.h"
#include "front/isolate.h"

const ww_command *const ww_commands[] = {
    &ww_cmd_kernels,                     /* what is in a file */
    &ww_cmd_trace,                       /* what it does */
    &ww_cmd_verify,                      /* are two the same? */
    &ww_cmd_predict,                     /* how long it takes */
    &ww_cmd_tune,                        /* and with which parameters the least */
    &ww_cmd_explain,                     /* why, and what to change */
    &ww_cmd_optimize,                    /* changed, faster */
    &ww_cmd_roofline,   &ww_cmd_measure, /* what it really does */
    &ww_cmd_record,                      /* what a program launches */
    &ww_cmd_gpus,                        /* what it may run on */
    &ww_cmd_evaluate,                    /* how good the answers are */
    &ww_cmd_train,                       /* and how they become better */
    &ww_cmd_dataset,                     /* from many of them, measured */
    &ww_cmd_lm,                          /* language models, on their own */
#ifndef WW_NO_FRONT
    &ww_cmd_lsp, /* in the editor */
#endif
#ifndef WW_NO_CURL
    &ww_cmd_agent, /* by a language model */
#endif
#ifndef WW_NO_HTTP
    &ww_cmd_serve, /* all of it over HTTP */
    &ww_cmd_mcp,   /* and for agents */
#endif
    &ww_cmd_doctor, /* what is missing here */
    &ww_cmd_completion, &ww_cmd_manual,  NULL,
};

static void list(ww_command_list v, FILE *f) {
  for (; *v; v++)
    fprintf(f, "  %-12s %s\n", (*v)->name, (*v)->summary);
}

static void help(FILE *f) {
  fputs("warpwise - what a kernel will do to a GPU, line by line, from its source, on "
        "a machine "
        "without one\n\n"
        "usage: warpwise COMMAND ... [options]\n\ncommands:\n",
        f);
  list(ww_commands, f);
  fputs("\noptions of every command:\n", f);
  ww_help_options(ww_global_options, f);
  fputs("\nexit codes: 0 ok, 1 a threshold was missed, 2 usage, 3 bad input, 4 model "
        "or device "
        "missing\n"
        "`warpwise COMMAND --help` has examples.\n",
        f);
}

static void help_of(const ww_command *cmd, const char *words, FILE *f) {
  if (!*cmd->name)
    return help(f);
  if (!cmd->subs)
    return ww_help_command(cmd, words, f);
  fprintf(f,
          "warpwise %s - %s\n\nusage: warpwise %s COMMAND ... [options]\n\ncommands:\n",
          cmd->name, cmd->summary, cmd->name);
  list(cmd->subs, f);
  if (cmd->examples)
    fprintf(f, "\nexamples:\n%s", cmd->examples);
  fprintf(f, "\n`warpwise %s COMMAND --help` has the options.\n", cmd->name);
}

static const ww_command *find(ww_command_list v, const char *name, ww_err *e) {
  const char *names[64] = {0};
  for (size_t i = 0; i < 63 && v[i]; i++) {
    if (!strcmp(v[i]->name, name))
      return v[i];
    names[i] = v[i]->name;
  }
  const char *near = ww_nearest(name, names);
  if (near)
    ww_fail(e, WW_EUSAGE, "there is no command '%.60s'; did you mean '%s'?", name,
            near);
  else
    ww_fail(e, WW_EUSAGE, "there is no command '%.60s'; --help lists them", name);
  return NULL;
}

/* Global options may stand before the command: the first word from `i` on that is
 * neither one nor its value. */
static int command_index(int i, int argc, char **argv) {
  for (; i < argc && strcmp(argv[i], "--"); i++) {
    if (argv[i][0] != '-')
      return i;
    for (const ww_option *o = ww_global_options; o->name; o++)
      if (o->kind != WW_OPT_FLAG && !strncmp(argv[i], "--", 2) &&
          !strcmp(argv[i] + 2, o->name))
        i++;
  }
  return 0;
}

static const ww_command top = {.name = "", .usage = "", .subs = ww_commands};

/* Takes the command's name, or its names, out of argv; options stay. None there is the
 * command without a name. */
static ww_status take_command(int *argc,
                              char **argv,
                              const ww_command **cmd,
                              char words[64],
                              bool *asks,
                              ww_err *e) {
  int at = 1;
  for (ww_command_list v = ww_commands; v && (at = command_index(at, *argc, argv));
       v = (*cmd)->subs) {
    const char *name = argv[at];
    memmove(&argv[at], &argv[at + 1], (size_t)(*argc - at) * sizeof *argv);
    --*argc;
    /* `warpwise help kernels` */
    if (v == ww_commands && !*asks && !strcmp(name, "help")) {
      *asks = true;
      *cmd = &top;
      continue;
    }
    if (!(*cmd = find(v, name, e)))
      return e->code;
    snprintf(words + strlen(words), 64 - strlen(words), "%s%s", *words ? " " : "",
             (*cmd)->name);
  }
  return WW_OK;
}

static int finish(ww_cmd *c, ww_status rc) {
  if (rc && c->err.code)
    ww_cmd_complain(c);
  if ((fflush(stdout) != 0 || ferror(stdout)) && !rc) {
    ww_fail(&c->err, WW_EIO, "cannot write to standard output");
    ww_print_error(&c->err, stderr);
    rc = WW_EIO;
  }
  int code = !rc && c->missed ? 1 : ww_exit_code(rc);
  ww_arena_free(c->arena);
  ww_cleanup_now(); /* what an error has left */
  return code;
}

static ww_status dispatch(int argc, char **argv, ww_cmd *c) {
  const ww_command *cmd = &top;
  bool asks = false;
  char words[64] = "";
  for (int i = 1; i < argc && strcmp(argv[i], "--");
       i++) /* so that a usage error is already JSON */
    if (!strcmp(argv[i], "--json"))
      c->json = true;
  ww_status rc = take_command(&argc, argv, &cmd, words, &asks, &c->err);
  if (!rc)
    rc = ww_options_parse(cmd, argc, argv, c);
  if (rc)
    return rc;
  if (c->version)
    return printf("warpwise %s\n", WW_VERSION), WW_OK;
  if (asks || c->help)
    return help_of(cmd, words, stdout), WW_OK;
  if (!cmd->run)
    return help_of(cmd, words, stderr), WW_EUSAGE;
  rc = ww_stdin_take(cmd, c);
  return rc ? rc : cmd->run(c);
}

/* A program of its own may end where a library must not: by a signal or for want of
 * memory, after cleaning up. */
static void take_charge(void) {
  ww_end_on_signals();
  /* else it calls good JSON bad */
  cJSON_InitHooks(&(cJSON_Hooks){.malloc_fn = ww_xmalloc, .free_fn = free});
#ifndef WW_NO_FRONT
  ww_front_out_of_memory();
#endif
}

int main(int argc, char **argv) {
  take_charge();
  ww_cmd c = {.arena = ww_arena_new()};
#ifndef WW_NO_FRONT
  if (argc == 4 && !strcmp(argv[1], "--lower")) /* a server's own child */
    exit(finish(&c, ww_front_lower_child(argv[2], argv[3], c.arena, &c.err)));
#endif
  exit(finish(&c, dispatch(argc, argv, &c)));
}
