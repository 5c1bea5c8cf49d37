/* kernels.c - `warpwise kernels`: what is in a source file, and what of it can be
 * interpreted. */
#include "source.h"

#include <math.h>

typedef struct {
  ww_source_options source;
  ww_limit_options limits;
  bool ir, separate;
} options;

static const ww_option table[] = {
    WW_OPTION(ir, NULL, "also print the Warpwise IR of each kernel"),
    WW_OPTION(
        separate,
        NULL,
        "each file on its own; else several are one program, device functions linked"),
    WW_FRONT_OPTIONS(options),
    WW_LIMIT_OPTIONS(options, "60"),
    {0},
};

/* ---- JSON ---- */

static void write_arg(const ww_param *p, ww_json *j) {
  ww_json_put(j, "{name:%s,type:%s,space:%s,pointer:%i,bytes:%u}", p->name,
              p->ctype ? p->ctype : ww_type_names[p->type],
              p->pointer ? ww_space_names[p->space] : NULL, p->pointer, p->size);
}

static void write_bounds(const ww_fn *fn, ww_json *j) {
  const uint32_t *block = fn->req_block;
  if (!fn->max_threads && !fn->min_blocks && !block[0])
    return ww_json_put(j, "launch_bounds:null");
  ww_json_put(j, "launch_bounds:{max_threads?:%u,min_blocks?:%u", fn->max_threads,
              fn->min_blocks);
  if (block[0])
    ww_json_put(j, "block:[%u,%u,%u]", block[0], block[1], block[2]);
  ww_json_end_obj(j);
}

static void write_kernel(const ww_unit *u, const ww_fn *fn, bool ir, ww_json *j) {
  const ww_module *m = &u->module;
  ww_json_put(j, "{name:%s,mangled:%s,file:%s,line:%u,dialect:%s,args:[", fn->name,
              fn->mangled, fn->file, fn->line, ww_dialect_names[m->dialect]);
  for (uint32_t i = 0; i < fn->nparams; i++)
    write_arg(&fn->params[i], j);
  ww_json_put(j, "],shared_bytes:%u,local_bytes:%u", fn->shared_bytes, fn->local_bytes);
  write_bounds(fn, j);
  ww_refusal_write(u, fn, j);
  if (ir && !fn->refusal) {
    ww_buf text = {0};
    ww_buf_puts(&text, "");
    ww_ir_print_fn(m, fn, &text);
    ww_json_kstr(j, "ir", text.s);
    ww_buf_free(&text);
  }
  ww_json_end_obj(j);
}

/* Which of the files it is; headers count as the first's. */
static uint32_t file_of(const char *path, const char **files, uint32_t n, ww_arena *a) {
  const char *real = ww_path_real(a, path);
  for (uint32_t k = 0; real && k < n; k++)
    if (!strcmp(real, ww_path_real(a, files[k])))
      return k;
  return 0;
}

static void
print_file(const char **files, uint32_t n, uint32_t k, const ww_unit *u, ww_cmd *c) {
  const options *o = c->opt;
  ww_json *j = ww_line_begin();
  ww_json_kstr(j, "file", files[k]);
  if (n > 1)
    ww_json_strings(j, "files", files, n);
  ww_json_put(j, "kernels:[");
  for (uint32_t i = 0; i < u->module.nfns; i++) {
    const ww_fn *fn = &u->module.fns[i];
    if (fn->kernel && file_of(fn->file, files, n, c->arena) == k)
      write_kernel(u, fn, o->ir, j);
  }
  ww_json_put(j, "],partial:%i", u->partial);
  ww_diags_write(u, j); /* all: kernels name theirs by its number */
  ww_line_end(j);
}

/* ---- the table ---- */

static void argument_list(const ww_fn *fn, ww_buf *b) {
  for (uint32_t i = 0; i < fn->nparams; i++) {
    const ww_param *p = &fn->params[i];
    const char *type = p->ctype ? p->ctype : ww_type_names[p->type];
    bool starred = type[strlen(type) - 1] == '*';
    ww_buf_fmt(b, "%s%s%s%s", i ? ", " : "", type, starred ? "" : " ", p->name);
    if (p->pointer && p->space != WW_GLOBAL && p->space != WW_GENERIC)
      ww_buf_fmt(b, " (%s)", ww_space_names[p->space]);
    if (p->byval)
      ww_buf_fmt(b, " (%u bytes)", p->size);
  }
  if (!fn->nparams)
    ww_buf_puts(b, "none");
}

/* How wide the columns are; the files are named where there are several. */
typedef struct {
  int name, place;
  const char *file; /* of all kernels; NULL: there are several */
} columns;

static void place_of(const ww_fn *fn, const columns *c, ww_buf *out) {
  const char *slash = fn->file ? strrchr(fn->file, '/') : NULL;
  if (!c->file && fn->file)
    ww_buf_fmt(out, "%s:", slash ? slash + 1 : fn->file);
  ww_buf_fmt(out, "%u", fn->line);
}

static columns columns_of(const ww_module *m) {
  columns c = {
      .name = 6,
      .place = 6,
  };
  bool several = false;
  for (uint32_t i = 0; i < m->nfns; i++) {
    const ww_fn *fn = &m->fns[i];
    if (!fn->kernel || !fn->file)
      continue;
    several |= c.file && strcmp(c.file, fn->file);
    c.file = fn->file;
  }
  if (several)
    c.file = NULL;
  for (uint32_t i = 0; i < m->nfns; i++) {
    ww_buf place = {0};
    if (!m->fns[i].kernel)
      continue;
    place_of(&m->fns[i], &c, &place);
    c.place = fmax(c.place, place.n);
    c.name = fmax(c.name, fmin(strlen(m->fns[i].name), 40));
    ww_buf_free(&place);
  }
  return c;
}

static void print_row(const ww_fn *fn, const columns *c) {
  ww_buf args = {0};
  ww_buf place = {0};
  argument_list(fn, &args);
  place_of(fn, c, &place);
  printf("  %-*s %*s %8u %8u  %-3s  %s\n", c->name, fn->name, c->place, place.s,
         fn->shared_bytes, fn->local_bytes, fn->refusal ? "no" : "yes", args.s);
  ww_buf_free(&place);
  if (fn->max_threads || fn->min_blocks)
    printf("    __launch_bounds__(%u, %u)\n", fn->max_threads, fn->min_blocks);
  if (fn->req_block[0])
    printf("    work-group size %u x %u x %u\n", fn->req_block[0], fn->req_block[1],
           fn->req_block[2]);
  if (fn->refusal)
    printf("    cannot be interpreted: %s\n", fn->refusal);
  ww_buf_free(&args);
}

static void print_table(const char *file, const ww_unit *u, bool ir) {
  const ww_module *m = &u->module;
  bool color = ww_color_on(stdout);
  columns c = columns_of(m);
  uint32_t n = 0;
  for (uint32_t i = 0; i < m->nfns; i++)
    n += m->fns[i].kernel;
  printf("%s%s%s  %s, %u kernel%s%s\n", color ? "\033[1m" : "", file,
         color ? "\033[0m" : "", ww_dialect_names[m->dialect], n, n == 1 ? "" : "s",
         u->partial ? ", parts of the file were left out" : "");
  if (n)
    printf("  %-*s %*s %8s %8s  %-3s  %s\n", c.name, "KERNEL", c.place, "LINE",
           "SHARED B", "LOCAL B", "RUN", "ARGUMENTS");
  for (uint32_t i = 0; i < m->nfns; i++)
    if (m->fns[i].kernel)
      print_row(&m->fns[i], &c);
  for (uint32_t i = 0; ir && i < m->nfns; i++) {
    ww_buf text = {0};
    if (m->fns[i].refusal)
      continue;
    ww_ir_print_fn(m, &m->fns[i], &text);
    printf("\n");
    ww_print_buf(&text);
  }
}

static void print_diagnostics(const ww_unit *u) {
  fflush(stdout);
  for (uint32_t i = 0; i < u->ndiags; i++) {
    const ww_diag *d = &u->diags[i];
    if (ww_is_quiet() && !d->error)
      continue;
    fprintf(stderr, "%s:%u:", d->file ? d->file : "?", d->line);
    if (d->col)
      fprintf(stderr, "%u:", d->col);
    fprintf(stderr, " %s: %s\n", d->error ? "error" : "warning", d->message);
    ww_print_caret(d->file, d->line, d->col, stderr);
  }
}

/* ---- running ---- */

/* What the table is headed with: the file, or all of them. */
static const char *title(const char **files, uint32_t n, ww_arena *a) {
  const char *t = files[0];
  for (uint32_t i = 1; i < n; i++)
    t = ww_fmt(a, "%s %s", t, files[i]);
  return t;
}

static ww_status list(ww_cmd *c, const char **files, uint32_t n, bool complain) {
  const options *o = c->opt;
  ww_source_cache cache = {0};
  ww_source s;
  c->file = files[0];
  ww_status rc = ww_source_of(c, &o->source, files, n, NULL, &s);
  if (!rc)
    rc = ww_source_read(c, &s, &cache);
  const ww_unit *unit = cache.read.unit;
  if (rc && complain)
    ww_cmd_complain(c);
  else if (rc)
    c->err = (ww_err){0};
  else if (c->json)
    for (uint32_t k = 0; k < n; k++)
      print_file(files, n, k, unit, c);
  else {
    print_table(title(files, n, c->arena), unit, o->ir);
    print_diagnostics(unit);
  }
  ww_source_free(&cache);
  return rc;
}

static ww_status run(ww_cmd *c) {
  const options *o = c->opt;
  const char **files = c->operands;
  if (!c->noperands)
    return ww_usage(c, "kernels: name a source file; see `warpwise kernels --help`");
  if (ww_limits_read(&o->limits, 60, 0, c))
    return c->err.code;
  if (c->noperands > 1 && !o->separate && !list(c, files, c->noperands, false))
    return WW_OK;
  /* one by one: what does not link (two programs, two dialects) can still be listed */
  ww_status worst = WW_OK;
  for (uint32_t i = 0; i < c->noperands; i++) {
    ww_status rc = list(c, &files[i], 1, true);
    worst = ww_worse(worst, rc);
  }
  return worst;
}

const ww_command ww_cmd_kernels = {
    "kernels",
    "list the kernels of source files and whether they can be interpreted",
    "FILE... [options] [-- clang flags]",
    .details =
        "Several files are one program: device functions are linked; files that do not "
        "go "
        "together are listed one by one.\n"
        "A table, or with --json a line for each file (`files` names all that are "
        "one program):\n"
        "{\"schema_version\":1,\"file\":...,\"kernels\":[...],\"diagnostics\":[...]}.",
    .examples = "  warpwise kernels saxpy.cu\n"
                "  warpwise kernels --json src/*.cu\n"
                "  warpwise kernels --instantiate 'reduce<float,256>' reduce.cu\n"
                "  warpwise kernels conv.cl -- -DTILE=16 -Iinclude\n"
                "  gunzip -c saxpy.cu.gz | warpwise kernels -\n",
    WW_OPTIONS,
    .run = run,
};
