/* sources.c - which of a program's source files a kernel is made of: its own, and those
 * that define the device functions it calls. */
#include "emulate_int.h"

#define SOURCE_MAX (32u << 20)

/* The source that is this file, by its real path; NULL: it is a header. */
static const char *itself(const ww_front_options *f, const char *file, ww_arena *a) {
  const char *real = ww_path_real(a, file);
  for (uint32_t i = 0; i < f->nfiles; i++)
    if (!strcmp(ww_path_real(a, f->files[i]), real))
      return real;
  return NULL;
}

/* What to compile for a kernel: its file, or for one in a header the first source that
 * names the header. */
static const char *home_of(const ww_front_options *f, const char *file, ww_arena *a) {
  const char *own = itself(f, file, a);
  for (uint32_t i = 0; i < f->nfiles && !own; i++) {
    char *text;
    size_t n;
    if (!ww_read_file(a, f->files[i], SOURCE_MAX, &text, &n, NULL) &&
        strstr(text, ww_path_base(file)))
      own = ww_path_real(a, f->files[i]);
  }
  return own ? own : ww_path_real(a, f->files[0]);
}

/* Functions are inlined: what tells of them is where the instructions come from. */
static void mark(const ww_module *m, uint32_t fn, bool *seen, bool *files) {
  const ww_fn *f = &m->fns[fn];
  if (seen[fn])
    return;
  seen[fn] = true;
  for (uint32_t b = 0; b < f->nblocks; b++)
    for (uint32_t i = 0; i < f->blocks[b].nins; i++) {
      const ww_ins *x = &f->blocks[b].ins[i];
      if (x->loc)
        files[m->locs[x->loc].file] = true;
      if (x->op == WW_OP_CALL)
        mark(m, x->imm, seen, files);
    }
  for (uint32_t v = 0; v < f->nvals; v++)
    if (f->vals[v].kind == WW_VAL_FN)
      mark(m, f->vals[v].ref, seen, files);
}

void ww_emulate_sources(const ww_front_options *f,
                        const ww_module *m,
                        const ww_fn *fn,
                        ww_arena *a,
                        ww_strings *out) {
  if (!fn->file)
    return;
  ww_push(a, out, home_of(f, fn->file, a));
  if (f->nfiles < 2 || !m->nlocs)
    return;
  bool *files = WW_NEWN(a, bool, m->nfiles + 1);
  mark(m, fn - m->fns, WW_NEWN(a, bool, m->nfns), files);
  for (uint32_t i = 0; i < m->nfiles; i++) {
    const char *one = files[i] ? itself(f, m->files[i], a) : NULL;
    if (one && !ww_strings_have(out, one))
      ww_push(a, out, one);
  }
}
