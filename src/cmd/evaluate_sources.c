/* evaluate_sources.c - kernels of somebody's table from the sources of their suite, one
 * folder per program: which file has the kernel, and its launch.
 *
 * The table tells the shape. Flags are the -D, -I and -std of the program's Makefile
 * that stand under no condition. Arguments are the host code's where it tells them, the
 * others are guessed, as `predict FILE -k KERNEL` does. */
#include <dirent.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "../query/text.h"
#include "evaluate.h"

enum { DEPTH_MOST = 3, FILES_MOST = 200 };

typedef struct {
  const char *path, *text; /* the text alone, without headers */
  const char *const *kernels;
  uint32_t nkernels;
} unit;

typedef struct {
  const char *name; /* of the program */
  WW_VEC(unit) units;
  ww_strings flags;
  bool there;
} program;

/* ---- files ---- */

static bool is_unit(const char *name) {
  return ww_ends(name, ".cu") || ww_ends(name, ".cpp") || ww_ends(name, ".cc") ||
         ww_ends(name, ".c");
}

static int by_name(const void *a, const void *b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* In the order of their names, a folder's own before those of the folders in it. */
static void find_units(const char *folder, int depth, ww_arena *a, ww_strings *out) {
  ww_strings names = {0};
  DIR *d = depth < DEPTH_MOST ? opendir(folder) : NULL;
  for (struct dirent *f; d && (f = readdir(d));)
    if (f->d_name[0] != '.')
      ww_push(a, &names, ww_path_join(a, folder, f->d_name));
  if (d)
    closedir(d);
  if (names.n)
    qsort(names.v, names.n, sizeof *names.v, by_name);
  for (uint32_t k = 0; k < names.n && out->n < FILES_MOST; k++)
    if (is_unit(names.v[k]) && ww_file_regular(names.v[k]))
      ww_push(a, out, names.v[k]);
  for (uint32_t k = 0; k < names.n && out->n < FILES_MOST; k++)
    find_units(names.v[k], depth + 1, a, out);
}

/* ---- the Makefile ---- */

/* A word that needs make or a shell to be understood is left out. */
static void add_flag(program *p, const char *folder, const char *word, ww_arena *a) {
  bool include = ww_starts(word, "-I") && word[2];
  if (strpbrk(word, "$\\\"'`"))
    return;
  if (include)
    word = ww_fmt(a, "-I%s", ww_path_join(a, folder, word + 2));
  if (include || (ww_starts(word, "-D") && word[2]) || ww_starts(word, "-std="))
    ww_push(a, &p->flags, word);
}

static bool is_condition(const char *line) {
  return ww_starts(line, "ifeq") || ww_starts(line, "ifneq") ||
         ww_starts(line, "ifdef") || ww_starts(line, "ifndef");
}

static void read_makefile(program *p, const char *folder, ww_arena *a) {
  char *text;
  char *line;
  char *word;
  size_t n;
  int conditions = 0;
  if (ww_read_file(a, ww_path_join(a, folder, "Makefile"), 1 << 20, &text, &n, NULL))
    return;
  while ((line = strsep(&text, "\n"))) {
    line[strcspn(line, "#\r")] = 0;
    line += strspn(line, " \t");
    conditions += is_condition(line) - ww_starts(line, "endif");
    while (!conditions && (word = strsep(&line, " \t")))
      add_flag(p, folder, word, a);
  }
}

/* ---- programs ---- */

static void read_program(program *p, const char *folder, ww_arena *a) {
  ww_strings paths = {0};
  p->there = ww_file_exists(folder);
  read_makefile(p, folder, a);
  find_units(folder, 0, a, &paths);
  for (uint32_t k = 0; k < paths.n; k++) {
    unit u = {.path = paths.v[k]};
    char *own;
    char *whole;
    size_t n;
    ww_text_file file = {.path = u.path, .flags = p->flags.v, .nflags = p->flags.n};
    if (ww_read_file(a, u.path, 8 << 20, &own, &n, NULL) ||
        ww_text_load(&file, a, &whole, &n, NULL))
      continue;
    u.text = own;
    u.nkernels = ww_question_kernels(whole, n, a, &u.kernels);
    ww_push(a, &p->units, u);
  }
}

/* How surely the kernel is this file's: no kernel of that name is seen but the file
 * launches one (1), it is defined in a header of it (2), in the file itself (3), which
 * also launches it (4). 0: not at all. */
static int
fit(const unit *u, const ww_eval_case *c, ww_arena *a, const char **function) {
  for (uint32_t k = 0; k < u->nkernels; k++) {
    *function = u->kernels[k];
    if (!ww_listed_function(c, *function, a))
      continue;
    bool own = strstr(u->text, *function);
    return 2 + own + (own && strstr(u->text, "<<<"));
  }
  *function = c->measured.kernel; /* made by a macro, or in a header that is not seen */
  return strstr(u->text, ww_fmt(a, "%s<<<", *function)) != NULL;
}

static const char *
find_file(const program *p, ww_eval_case *c, ww_arena *scratch, ww_arena *a) {
  const char *best = NULL;
  const char *function;
  int most = 0;
  for (uint32_t k = 0; k < p->units.n; k++) {
    int is = fit(&p->units.v[k], c, scratch, &function);
    if (is <= most)
      continue;
    most = is;
    best = p->units.v[k].path;
    c->function = ww_strdup(a, function);
  }
  return best;
}

static void
source(const char *suite, program *p, ww_eval_case *k, ww_arena *scratch, ww_arena *a) {
  if (!p->name || strcmp(p->name, k->run)) {
    *p = (program){.name = k->run};
    read_program(p, ww_path_join(scratch, suite, k->run), scratch);
  }
  const char *file = find_file(p, k, scratch, a);
  if (!file) {
    k->unready = p->there ? "no file of the program has the kernel"
                          : "the program is not in the suite";
    return;
  }
  k->launch.kernel = k->measured.kernel;
  k->launch.file = k->measured.file = ww_strdup(a, file);
  k->launch.nflags = p->flags.n;
  k->launch.flags = WW_NEWN(a, const char *, p->flags.n);
  for (uint32_t i = 0; i < p->flags.n; i++)
    k->launch.flags[i] = ww_strdup(a, p->flags.v[i]);
  k->measured.launch = &k->launch;
  k->sourced = true;
  k->unready = NULL;
}

void ww_evaluate_sources(const char *suite,
                         ww_eval_case *cases,
                         uint32_t n,
                         ww_arena *a) {
  ww_arena *scratch = ww_arena_new();
  program p = {0};
  for (uint32_t k = 0; k < n; k++) {
    if (p.name && strcmp(p.name, cases[k].run)) { /* rows of a program are neighbours */
      ww_arena_free(scratch);
      scratch = ww_arena_new();
      p = (program){0};
    }
    if (!cases[k].measured.launch)
      source(suite, &p, &cases[k], scratch, a);
    ww_progress("looking for sources", k + 1, n);
  }
  ww_arena_free(scratch);
}

/* ---- the launch ---- */

ww_status ww_evaluate_sourced(ww_cmd *c,
                              const ww_source_options *o,
                              ww_source_cache *cache,
                              const ww_eval_case *k,
                              ww_launch *l) {
  ww_source s;
  ww_status st = ww_source_of(c, o, &l->file, 1, l, &s);
  if (!st)
    st = ww_source_read(c, &s, cache);
  const ww_fn *fn = st ? NULL : ww_listed_kernel(k, cache->module, c->arena);
  if (!st && !fn)
    st = ww_fail(&c->err, WW_EDATA, "the source has no kernel that the table may mean");
  if (st)
    return st;
  l->kernel = ww_strdup(c->arena, fn->mangled);
  ww_launch host = *l; /* the shape left open, the host code is asked */
  memset(host.grid, 0, sizeof host.grid);
  memset(host.block, 0, sizeof host.block);
  if (ww_source_kernel(c, o, cache, &host)) {
    c->err = (ww_err){0};
    return ww_source_kernel(c, o, cache, l);
  }
  memcpy(host.grid, l->grid, sizeof host.grid);
  memcpy(host.block, l->block, sizeof host.block);
  memset(host.grid_expr, 0, sizeof host.grid_expr);
  memset(host.block_expr, 0, sizeof host.block_expr);
  *l = host;
  return WW_OK;
}
