/* completion.c - `warpwise completion bash|zsh|fish`: what a shell offers behind TAB,
 * from the tables that parse the options. */
#include "cmd.h"

/* ---- what every shell needs: words ---- */

static void long_options(const ww_option *o, const char *before, FILE *f) {
  for (; o && o->name; o++)
    if (o->help)
      fprintf(f, "%s--%s", before, o->name);
}

static void options_of(const ww_command *cmd, FILE *f) {
  long_options(cmd->options, " ", f);
  long_options(ww_global_options, " ", f);
}

static void names_of(ww_command_list v, FILE *f) {
  for (; *v; v++)
    fprintf(f, " %s", (*v)->name);
}

/* Whether the value of an option is a file, as its name in --help says. */
static bool takes_file(const ww_option *o) {
  static const char *const kinds[] = {"FILE", "DIR", "DATA", "OUT", "STORE", "SPECS"};
  for (size_t i = 0; o->arg && i < WW_COUNT(kinds); i++)
    if (strstr(o->arg, kinds[i]))
      return true;
  return false;
}

/* Commands of a command before it, as dataset-collect. */
static void
each_command(void (*print)(const char *name, const ww_command *cmd, FILE *f), FILE *f) {
  for (ww_command_list c = ww_commands; *c; c++) {
    for (ww_command_list s = (*c)->subs; s && *s; s++) {
      char name[64];
      snprintf(name, sizeof name, "%s-%s", (*c)->name, (*s)->name);
      print(name, *s, f);
    }
    print((*c)->name, *c, f);
  }
}

/* ---- bash ---- */

static void bash_case(const char *pattern, const ww_command *cmd, FILE *f) {
  fprintf(f, "    %s) words=\"", pattern);
  if (cmd->subs)
    names_of(cmd->subs, f);
  options_of(cmd, f);
  fputs("\" ;;\n", f);
}

/* Commands of commands, as bash matches them: @(dataset|lm) */
static void bash_groups(FILE *f) {
  const char *between = "@(";
  for (ww_command_list c = ww_commands; *c; c++) {
    if (!(*c)->subs)
      continue;
    fprintf(f, "%s%s", between, (*c)->name);
    between = "|";
  }
  fputc(')', f);
}

static void bash(FILE *f) {
  fputs("# bash completion of warpwise: `source <(warpwise completion bash)`\n"
        "_warpwise() {\n"
        "  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} cmd= "
        "words= w\n"
        "  for w in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do\n"
        "    case $w in -*) ;; *) cmd=${cmd:+$cmd-}$w; [[ $cmd == ",
        f);
  bash_groups(f);
  fputs(" ]] || break ;; esac\n"
        "  done\n"
        "  if [[ $prev == --gpu ]]; then\n"
        "    COMPREPLY=($(compgen -W \"$(warpwise gpus --json 2>/dev/null | sed "
        "'s/.*\"name\":\"\\([^\"]*\\)\".*/\\1/')\" -- \"$cur\"))\n"
        "    return\n  fi\n"
        "  case $cmd in\n    '') words=\"",
        f);
  names_of(ww_commands, f);
  long_options(ww_global_options, " ", f);
  fputs("\" ;;\n", f);
  each_command(bash_case, f);
  fputs("  esac\n"
        "  if [[ $cur == -* || -z $cmd || $cmd == ",
        f);
  bash_groups(f);
  fputs(" ]]; then COMPREPLY=($(compgen -W \"$words\" -- \"$cur\")); fi\n"
        "  if [[ $cur != -* && -n $cmd ]]; then COMPREPLY+=($(compgen -f -- "
        "\"$cur\")); fi\n"
        "}\ncomplete -o filenames -F _warpwise warpwise\n",
        f);
}

/* ---- zsh ---- */

/* Text inside '...' of an _arguments specification: no quotes, brackets or colons. */
static void zsh_text(const char *s, FILE *f) {
  for (; *s; s++) {
    if (strchr("[]:\\", *s))
      fputc('\\', f);
    if (*s == '\'')
      fputs("'\\'", f);
    fputc(*s, f);
  }
}

static void zsh_options(const ww_option *o, FILE *f) {
  for (; o && o->name; o++) {
    if (!o->help)
      continue;
    fprintf(f, " \\\n        '%s--%s[", o->kind == WW_OPT_LIST ? "*" : "", o->name);
    zsh_text(o->help, f);
    fputc(']', f);
    if (o->kind != WW_OPT_FLAG) {
      fputc(':', f);
      zsh_text(o->arg ? o->arg : "value", f);
      fputs(!strcmp(o->name, "gpu") ? ":_warpwise_gpus"
            : takes_file(o)         ? ":_files"
                                    : ":",
            f);
    }
    fputc('\'', f);
  }
}

static void zsh_case(const char *pattern, const ww_command *cmd, FILE *f) {
  if (cmd->subs)
    return;
  fprintf(f, "    %s) _arguments", pattern);
  zsh_options(cmd->options, f);
  zsh_options(ww_global_options, f);
  fputs(" \\\n        '*:file:_files' ;;\n", f);
}

static void zsh_list(const char *name, ww_command_list v, FILE *f) {
  fprintf(f, "  %s=(", name);
  for (; *v; v++) {
    fprintf(f, "\n    '%s:", (*v)->name);
    zsh_text((*v)->summary, f);
    fputc('\'', f);
  }
  fputs(")\n", f);
}

static void zsh(FILE *f) {
  fputs("#compdef warpwise\n"
        "# zsh completion of warpwise: `warpwise completion zsh > ~/.zfunc/_warpwise`, "
        "with "
        "~/.zfunc in fpath\n"
        "_warpwise_gpus() { compadd -- ${(f)\"$(warpwise gpus --json 2>/dev/null | sed "
        "'s/.*\"name\":\"\\([^\"]*\\)\".*/\\1/')\"} }\n"
        "_warpwise() {\n  local -a commands subs\n  local cmd=$words[2]\n",
        f);
  zsh_list("commands", ww_commands, f);
  for (ww_command_list c = ww_commands; *c; c++) {
    if (!(*c)->subs)
      continue;
    zsh_list("subs", (*c)->subs, f);
    fprintf(f,
            "  if [[ $cmd == %s ]]; then\n    (( CURRENT == 3 )) && { _describe "
            "subcommand subs; "
            "return }\n    cmd=$cmd-$words[3]; (( CURRENT-- )); shift words\n  fi\n",
            (*c)->name);
  }
  fputs("  if (( CURRENT == 2 )); then _describe command commands; return; fi\n"
        "  (( CURRENT-- )); shift words\n  case $cmd in\n",
        f);
  each_command(zsh_case, f);
  fputs("  esac\n}\n[[ $funcstack[1] == _warpwise ]] && _warpwise \"$@\" || compdef "
        "_warpwise "
        "warpwise\n",
        f);
}

/* ---- fish ---- */

static void fish_text(const char *s, FILE *f) {
  fputs(" -d '", f);
  ww_print_escaped(s, "'\\", f);
  fputs("'\n", f);
}

static void fish_options(const char *condition, const ww_option *o, FILE *f) {
  for (; o && o->name; o++) {
    if (!o->help)
      continue;
    fprintf(f, "complete -c warpwise -n '%s' -l %s", condition, o->name);
    if (o->letter)
      fprintf(f, " -s %c", o->letter);
    if (o->kind != WW_OPT_FLAG)
      fputs(takes_file(o) ? " -r" : " -x", f);
    if (!strcmp(o->name, "gpu"))
      fputs(" -a '(__warpwise_gpus)'", f);
    fish_text(o->help, f);
  }
}

static void fish_command(const char *condition, const ww_command *cmd, FILE *f) {
  fprintf(f, "complete -c warpwise -n '%s' -f -a %s", condition, cmd->name);
  fish_text(cmd->summary, f);
}

static void fish(FILE *f) {
  fputs("# fish completion of warpwise: `warpwise completion fish > "
        "~/.config/fish/completions/warpwise.fish`\n"
        "function __warpwise_gpus\n"
        "  warpwise gpus --json 2>/dev/null | string replace -r "
        "'.*\"name\":\"([^\"]*)\".*' "
        "'$1'\nend\n",
        f);
  for (ww_command_list c = ww_commands; *c; c++) {
    char seen[96];
    char sub[160];
    fish_command("__fish_use_subcommand", *c, f);
    snprintf(seen, sizeof seen, "__fish_seen_subcommand_from %s", (*c)->name);
    fish_options(seen, (*c)->options, f);
    for (ww_command_list s = (*c)->subs; s && *s; s++) {
      fish_command(seen, *s, f);
      snprintf(sub, sizeof sub, "%s; and __fish_seen_subcommand_from %s", seen,
               (*s)->name);
      fish_options(sub, (*s)->options, f);
    }
  }
  fish_options("true", ww_global_options, f);
}

/* ---- the command ---- */

static ww_status run(ww_cmd *c) {
  static const struct {
    const char *name;
    void (*print)(FILE *f);
  } shells[] = {{"bash", bash}, {"zsh", zsh}, {"fish", fish}};
  for (size_t i = 0; c->noperands == 1 && i < WW_COUNT(shells); i++)
    if (!strcmp(c->operands[0], shells[i].name))
      return shells[i].print(stdout), WW_OK;
  return ww_usage(c, "which shell? bash, zsh or fish");
}

const ww_command ww_cmd_completion = {
    "completion",
    "completion of commands and options for a shell",
    "bash|zsh|fish",
    .examples =
        "  source <(warpwise completion bash)\n"
        "  warpwise completion zsh > ~/.zfunc/_warpwise\n"
        "  warpwise completion fish > ~/.config/fish/completions/warpwise.fish\n",
    .run = run,
};
