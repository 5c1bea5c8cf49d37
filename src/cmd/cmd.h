/* cmd.h - what a command is: a name, a table of options that also makes its --help, and
 * a function.
 *
 * A new command is a file src/cmd/<name>.c with one `const ww_command ww_cmd_<name>`
 * and one line in main.c's table. Commands never exit: they fill cmd->err and return a
 * status; main prints it and maps it to the exit code. */
#ifndef WW_CMD_H
#define WW_CMD_H

#include "../base/json_put.h"
#include "../base/nearest.h"
#include "../base/words.h"
#include "../front/compile_commands.h"
#include "../query/input.h"
#include "../report/report.h"

typedef enum {
  WW_OPT_FLAG, /* bool */
  WW_OPT_STR,  /* const char *, the last one wins */
  WW_OPT_LIST, /* ww_strings */
  WW_OPT_UINT  /* uint64_t */
} ww_opt_kind;

typedef struct {
  size_t at;        /* offset of the value in the command's options struct */
  uint8_t kind;     /* ww_opt_kind */
  const char *name; /* long form without --; NULL ends the table */
  /* what the value is called in --help: "FILE"; NULL: a flag has none */
  const char *arg;
  const char *help; /* NULL: for the program's own use */
  char letter;      /* short form or 0 */
} ww_option;

/* WW_OPTION(jobs, "N", "what it does", 'j'): a row for a member of the command's struct
 * `options`, whose type says what kind of value it takes; --jobs, as the member is
 * called. */
/* clang-format off */
#define WW_OPTION(member, ...) WW_OPTION_OF(options, member, #member, __VA_ARGS__)
#define WW_OPTION_AS(member, ...) WW_OPTION_OF(options, member, __VA_ARGS__)
#define WW_OPTION_OF(T, member, ...) \
  {.at = offsetof(T, member), \
   .kind = _Generic(((T *)0)->member, bool: WW_OPT_FLAG, const char *: WW_OPT_STR, \
                    ww_strings: WW_OPT_LIST, uint64_t: WW_OPT_UINT), \
   .name = __VA_ARGS__}
/* clang-format on */

/* Of what a command does at a time: reading a file, running a kernel. */
typedef struct {
  double seconds; /* 0: no limit */
  double grace;   /* seconds behind them in which it may end by itself */
  uint64_t bytes; /* of memory; 0: no limit */
  bool silent;    /* past a limit nothing is printed: who waits for it tells */
} ww_limits;

typedef struct {
  bool json, quiet, help, version; /* options of every command */
  const char *gpu, *device;        /* NULL when not given */
  const char *color;               /* auto, always, never */
  ww_limits limits;                /* none until a command sets them: limits.h */
  void *opt;                       /* the command's options struct */
  const char **operands;           /* what is no option */
  uint32_t noperands;
  const char *const *rest; /* behind `--`: clang's flags */
  uint32_t nrest;
  /* what the command is about just now, for an error's report line */
  const char *file, *kernel;
  /* the build's flags of the file that was asked for last: its database is read once */
  struct {
    const char *file, *database;
    ww_strings flags;
  } build;
  ww_arena *arena; /* lifetime: this call of the program */
  bool missed;     /* a threshold asked for was missed: exit code 1 */
  ww_err err;
} ww_cmd;

typedef struct ww_command ww_command;
typedef const ww_command *const *ww_command_list; /* ended by NULL */
/* The usual names: rows in `table`, values in an `options`. */
#define WW_OPTIONS .options = table, .options_size = sizeof(options)
struct ww_command {
  const char *name, *summary; /* summary: one line for the list of commands */
  /* what follows the name: "FILE... [options] [-- clang flags]" */
  const char *usage;
  const char *details;  /* a paragraph, or NULL */
  const char *examples; /* lines of "  warpwise ..." */
  const ww_option *options;
  size_t options_size; /* bytes of the options struct */
  /* words like -DN=4 -Iinclude -std=c++17 -O2 -lm before `--` are operands */
  bool compiler_flags;
  ww_status (*run)(ww_cmd *c);
  /* a command of commands: `warpwise dataset collect`; run is NULL then */
  ww_command_list subs;
};

/* options.c */
extern const ww_option ww_global_options[];
/* Splits argv behind the command's name into c's options, c->opt,
 * c->operands and c->rest. */
ww_status ww_options_parse(const ww_command *cmd, int argc, char **argv, ww_cmd *c);
/* The command's options as they were given, without those of the list (ended by NULL),
 * as words that ww_options_parse takes; files by their whole path. */
void ww_options_words(const ww_command *cmd,
                      const ww_cmd *c,
                      const char *const *without,
                      ww_strings *out);
void ww_help_command(const ww_command *cmd,
                     const char *words,
                     FILE *f); /* words: "dataset collect" */
void ww_help_options(const ww_option *o, FILE *f);

/* stdin.c: operands `-` of a command that reads sources become a file. */
ww_status ww_stdin_take(const ww_command *cmd, ww_cmd *c);

/* output.c */
/* The command line is wrong: fills c->err and returns WW_EUSAGE. */
ww_status ww_usage(ww_cmd *c, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
void ww_print_error(const ww_err *e, FILE *f); /* warpwise: file:line: message */
/* The line of a file and a caret under its column; nothing where they are not known. */
void ww_print_caret(const char *file, uint32_t line, uint32_t col, FILE *f);
/* Reports c->err and clears it, for commands that go on with the next file. */
void ww_cmd_complain(ww_cmd *c);
void ww_print_buf(ww_buf *b); /* to stdout, then frees it */
/* An object as a line on stdout: begun with its schema_version, printed by ww_line_end.
 */
ww_json *ww_line_begin(void);
void ww_line_end(ww_json *j);
/* The same of these members (json_put.h). */
void ww_line_print(const char *pattern, ...) __attribute__((format(printf, 1, 2)));
/* A report as such a line; `extra` as in ww_report_write. */
typedef void ww_report_extra(void *ctx, ww_json *j);
void ww_report_text(const ww_report *r, ww_report_extra *extra, void *ctx, ww_buf *out);
void ww_print_report(const ww_report *r, ww_report_extra *extra, void *ctx);
/* The text, a backslash in front of those of its characters that are in the set. */
void ww_print_escaped(const char *text, const char *set, FILE *f);
/* Writes the text to a file and frees it. */
ww_status ww_write_buf(const char *path, ww_buf *b, ww_err *e);
/* The same where "-" is stdout. */
ww_status ww_write_text(const char *path, ww_buf *b, ww_err *e);
/* The same packed at this level where its name ends in .zst. */
ww_status ww_write_packable(const char *path, ww_buf *b, int level, ww_err *e);
ww_status ww_worse(ww_status a, ww_status b); /* the one with the higher exit code */
/* The whole text is a number from least to most, with that unit behind it or none. */
bool ww_real(
    const char *text, const char *unit, double least, double most, double *out);
/* Which of the words, separated by blanks, an option was given; 0: none. -1: it is no
 * such word, and c->err says which there are. */
int ww_word_option(ww_cmd *c, const char *option, const char *given, const char *words);

/* The next line that is neither blank nor a # comment, without its leading blanks;
 * counts lines. */
char *ww_next_line(char **text, uint32_t *number);

/* Why things failed, by cause, the most frequent first. */
typedef struct {
  const char *text;
  uint32_t n;
  const void *example; /* the first */
} ww_reason;
typedef WW_VEC(ww_reason) ww_reasons;
void ww_reason_add(ww_reasons *all, const char *text, const void *example, ww_arena *a);
void ww_reasons_sort(ww_reasons *all);
/* A message as a cause: without names and numbers, at most so long, up to one of
 * `ends`. */
const char *
ww_without_names(const char *message, size_t most, const char *ends, ww_arena *a);

static inline bool ww_is(const char *given, const char *word) {
  return given && !strcmp(given, word);
}

/* record.c: libwarpwise-record.so, beside the program or in an installed tree; NULL: it
 * is nowhere
 */
const char *ww_recorder_library(ww_arena *a);

/* the commands; main.c's table of them ends with NULL */
extern const ww_command *const ww_commands[];
extern const ww_command ww_cmd_completion, ww_cmd_dataset, ww_cmd_doctor,
    ww_cmd_evaluate, ww_cmd_explain, ww_cmd_gpus, ww_cmd_kernels, ww_cmd_lm, ww_cmd_lsp,
    ww_cmd_agent, ww_cmd_manual, ww_cmd_mcp, ww_cmd_measure, ww_cmd_optimize,
    ww_cmd_predict, ww_cmd_record, ww_cmd_roofline, ww_cmd_serve, ww_cmd_trace,
    ww_cmd_train, ww_cmd_tune, ww_cmd_verify;

#endif
