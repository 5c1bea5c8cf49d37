/* lsp.c - `warpwise lsp`: the language server that editors start. */
#include "../serve/lsp.h"

#include <fcntl.h>
#include <unistd.h>

#include "../front/isolate.h"
#include "../serve/settings.h"
#include "limits.h"

#define SECONDS 60
#define MEMORY 2048 /* MB */

typedef struct {
  bool stdio, schema, settings;
  ww_limit_options limits;
} options;

static const ww_option table[] = {
    WW_OPTION(stdio, NULL, "speak over standard input and output; what it does anyway"),
    WW_OPTION(
        settings, NULL, "print the settings that editors and .warpwise.json may give"),
    WW_OPTION(schema, NULL, "print the JSON Schema of .warpwise.json"),
    WW_OPTION_AS(limits.seconds,
                 "seconds",
                 "N",
                 "time that a file or a kernel may take (default 60; 0: no limit)"),
    WW_OPTION_AS(limits.memory,
                 "memory",
                 "MB",
                 "memory that a kernel may take (default 2048; 0: no limit)"),
    {0},
};

/* Nobody but the server may write to what the editor reads: standard output becomes
 * standard error.
 */
static ww_status serve(ww_cmd *c) {
  const options *o = c->opt;
  if (ww_limits_read(&o->limits, SECONDS, MEMORY, c))
    return c->err.code;
  ww_isolate_fork(c->limits.bytes);
  int out = fcntl(1, F_DUPFD_CLOEXEC, 3);
  if (out < 0 || dup2(2, 1) < 0)
    return ww_fail(&c->err, WW_EIO,
                   "standard output is closed; an editor has to start the server");
  bool orderly;
  ww_lsp_options lo = {
      .gpu = c->gpu, .seconds = c->limits.seconds, .bytes = c->limits.bytes};
  ww_status st = ww_lsp_run(&lo, 0, out, &orderly, &c->err);
  close(out);
  c->missed = !orderly;
  return st;
}

static ww_status run(ww_cmd *c) {
  const options *o = c->opt;
  ww_buf b = {0};
  if (c->noperands)
    return ww_usage(c, "lsp takes no files: the editor names them");
  if (!o->settings && !o->schema)
    return serve(c);
  if (o->settings)
    ww_settings_table(&b);
  if (o->schema)
    ww_settings_schema(&b);
  ww_print_buf(&b);
  return WW_OK;
}

const ww_command ww_cmd_lsp = {
    "lsp",
    "predictions in the editor while kernels are written: a language server",
    "[options]",
    .details =
        "Editors start it and speak LSP 3.17 with it over standard input and output: a "
        "line "
        "above each kernel, its report under\n"
        "the pointer, what hot lines cost, findings with fixes, commands. --gpu is the "
        "GPU "
        "for projects that name none. Runs\n"
        "beside clangd. docs/editors.md has the configuration of common editors.",
    .examples = "  warpwise lsp                    # what an editor runs\n"
                "  warpwise lsp --settings         # what .warpwise.json may say\n",
    WW_OPTIONS,
    .run = run,
};
