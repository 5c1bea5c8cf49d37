/* manual.c - `warpwise manual [COMMAND]`: manual pages in scdoc's form, from the tables
 * that make
 * --help. `make man` sets them. */
#include <ctype.h>

#include "cmd.h"

/* scdoc sets *, _, \, ` , # and a leading [ | ] - apart; words of ours are meant as
 * they are. */
static void text(const char *s, FILE *f) {
  for (; *s; s++) {
    if (*s == '\n') { /* a line of its own */
      fputs("++\n", f);
      while (s[1] == ' ')
        s++;
      continue;
    }
    if (strchr("\\*_`#<[]|~.", *s))
      fputc('\\', f);
    fputc(*s, f);
  }
}

static void option_list(const ww_option *o, FILE *f) {
  for (; o && o->name; o++) {
    if (!o->help)
      continue;
    fputc('*', f);
    if (o->letter)
      fprintf(f, "-%c*, *", o->letter);
    fprintf(f, "--%s*", o->name);
    if (o->arg) {
      fputs(" ", f);
      text(o->arg, f);
    }
    fputs("\n\t", f);
    text(o->help, f);
    fputs("\n\n", f);
  }
}

/* Lines as they are. */
static void literal(const char *s, FILE *f) {
  fputs("```\n", f);
  fputs(s, f);
  if (*s && s[strlen(s) - 1] != '\n')
    fputc('\n', f);
  fputs("```\n\n", f);
}

/* Words that fill their lines; those that begin with a blank stay as they are. */
static void prose(const char *s, FILE *f) {
  while (*s) {
    size_t n = strcspn(s, "\n");
    char line[1024];
    bool kept = *s == ' ';
    if (kept)
      fputs("\n```\n", f);
    do {
      snprintf(line, sizeof line, "%.*s", (int)n, s);
      if (!kept && *line == '-')
        fputc('\\', f); /* no list */
      if (kept)
        fputs(line, f);
      else
        text(line, f);
      fputc('\n', f);
      s += n + (s[n] == '\n');
      n = strcspn(s, "\n");
    } while (kept && *s == ' ');
    if (kept)
      fputs("```\n\n", f);
  }
  fputc('\n', f);
}

static void upper(const char *s, FILE *f) {
  for (; *s; s++)
    fputc(toupper((unsigned char)*s), f);
}

static void listed(const char *before, ww_command_list v, FILE *f) {
  for (; *v; v++) {
    fprintf(f, "*warpwise%s-%s*(1)\n\t", before, (*v)->name);
    text((*v)->summary, f);
    fputs("\n\n", f);
  }
}

static void see_also(const char *first, FILE *f) {
  fprintf(f,
          "# SEE ALSO\n\n%s*warpwise-launch*(5), *warpwise-report*(5), "
          "*warpwise-metrics*(5), "
          "*warpwise-gpu*(5), "
          "*libwarpwise*(3)\n",
          first);
}

static void page(const char *name, const ww_command *cmd, FILE *f) {
  fputs("WARPWISE-", f);
  upper(name, f);
  fprintf(f, "(1)\n\n# NAME\n\nwarpwise-%s - ", name);
  text(cmd->summary, f);
  fputs("\n\n# SYNOPSIS\n\n", f);
  char words[64];
  snprintf(words, sizeof words, "%s", name);
  for (char *p = words; *p; p++)
    if (*p == '-')
      *p = ' ';
  fprintf(f, "*warpwise %s* ", words);
  text(cmd->usage, f);
  fputs("\n\n", f);
  if (cmd->details) {
    fputs("# DESCRIPTION\n\n", f);
    prose(cmd->details, f);
  }
  if (cmd->subs) {
    char before[64];
    snprintf(before, sizeof before, "-%s", name);
    fputs("# COMMANDS\n\n", f);
    listed(before, cmd->subs, f);
  }
  if (cmd->options && cmd->options->name) {
    fputs("# OPTIONS\n\n", f);
    option_list(cmd->options, f);
  }
  fputs("# OPTIONS OF EVERY COMMAND\n\n", f);
  option_list(ww_global_options, f);
  if (cmd->examples) {
    fputs("# EXAMPLES\n\n", f);
    literal(cmd->examples, f);
  }
  see_also("*warpwise*(1), ", f);
}

static const char *const environment[][2] = {
    {"WARPWISE_IR", "folder where the IR of sources that were read is kept and found "
                    "again; see docs/model.md"},
    {"WARPWISE_DATA", "folder of shim/, gpus/, models/ and tables/; else "
                      "../share/warpwise seen from the program"},
    {"WARPWISE_CLANG", "the clang that reads sources; else the one of the version that "
                       "the program was built for"},
    {"WARPWISE_TOKEN",
     "what clients of serve and of mcp --http must know; see warpwise-serve(1)"},
    {"WARPWISE_LIBRARY", "the archive that record --emulate links programs with"},
    {"XDG_CACHE_HOME", "compiled code is kept in its folder warpwise"},
    {"CUDA_HOME", "the CUDA toolkit, for measuring; CUDA_PATH is looked at too"},
    {"TMPDIR", "for files that live as long as a command"},
    {"NO_COLOR", "no colours"},
};

static void overview(FILE *f) {
  fputs("WARPWISE(1)\n\n# NAME\n\nwarpwise - how fast a GPU kernel will run and why, "
        "from its "
        "source\n\n"
        "# SYNOPSIS\n\n*warpwise* COMMAND ... \\[options\\]\n\n# DESCRIPTION\n\n",
        f);
  prose("Warpwise reads CUDA, OpenCL, HIP and OpenMP target code with clang, runs "
        "sampled warps of "
        "it in an interpreter that\n"
        "counts what the hardware would do, and predicts time, bandwidth, hit rates "
        "and occupancy "
        "on a named GPU, line by\n"
        "line. No GPU is needed. Where there is one, it measures the same launches and "
        "gives the "
        "same report.\n",
        f);
  fputs("# COMMANDS\n\n", f);
  listed("", ww_commands, f);
  for (ww_command_list c = ww_commands; *c; c++) {
    char before[64];
    snprintf(before, sizeof before, "-%s", (*c)->name);
    if ((*c)->subs)
      listed(before, (*c)->subs, f);
  }
  fputs("# OPTIONS OF EVERY COMMAND\n\n", f);
  option_list(ww_global_options, f);
  fputs("# EXIT STATUS\n\n*0* ok, *1* a threshold was missed, *2* usage, *3* bad "
        "input, *4* model "
        "or device missing\n\n"
        "# ENVIRONMENT\n\n",
        f);
  for (size_t i = 0; i < WW_COUNT(environment); i++) {
    fputc('*', f);
    text(environment[i][0], f);
    fputs("*\n\t", f);
    text(environment[i][1], f);
    fputs("\n\n", f);
  }
  fputs("# EXAMPLES\n\n", f);
  literal("  warpwise explain matmul.cu --gpu h200\n"
          "  warpwise predict saxpy.cu --grid n/256 --block 256 --arg 'n=1<<20' --gpu "
          "h200,a100\n"
          "  warpwise doctor\n",
          f);
  see_also("", f);
}

/* The names of all pages, for those who set them. */
static void names(FILE *f) {
  fputs("warpwise\n", f);
  for (ww_command_list c = ww_commands; *c; c++) {
    fprintf(f, "warpwise-%s\n", (*c)->name);
    for (ww_command_list s = (*c)->subs; s && *s; s++)
      fprintf(f, "warpwise-%s-%s\n", (*c)->name, (*s)->name);
  }
}

typedef struct {
  bool list;
} options;

static const ww_option table[] = {
    WW_OPTION(list, NULL, "the names of all pages"),
    {0},
};

static ww_status run(ww_cmd *c) {
  const char *name = c->noperands ? c->operands[0] : "warpwise";
  if (((const options *)c->opt)->list)
    return names(stdout), WW_OK;
  if (ww_starts(name, "warpwise-"))
    name += strlen("warpwise-");
  if (!strcmp(name, "warpwise"))
    return overview(stdout), WW_OK;
  for (ww_command_list v = ww_commands; *v; v++) {
    size_t n = strlen((*v)->name);
    if (!strcmp(name, (*v)->name))
      return page(name, *v, stdout), WW_OK;
    for (ww_command_list s = (*v)->subs; s && *s; s++)
      if (!strncmp(name, (*v)->name, n) && name[n] == '-' &&
          !strcmp(name + n + 1, (*s)->name))
        return page(name, *s, stdout), WW_OK;
  }
  return ww_usage(c, "there is no page '%.60s'; `warpwise manual --list` has the names",
                  name);
}

const ww_command ww_cmd_manual = {
    "manual",
    "a manual page in scdoc's form",
    "[COMMAND] [--list]",
    .examples = "  warpwise manual predict | scdoc | man -l -\n",
    WW_OPTIONS,
    .run = run,
};
