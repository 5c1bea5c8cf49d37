/* ir.c - reading the IR: operands of an instruction, a kernel by its name. */
#include "ir_int.h"

ww_operands ww_ins_operands(const ww_ins *i) {
  int nsrc = ww_ops[i->op].nsrc;
  switch (i->op) {
  case WW_OP_MATH:
    return (ww_operands){ww_math_args[i->sub], 0, 0, 1};
  case WW_OP_BAR:
    return (ww_operands){(i->a != WW_NOVAL) + (i->b != WW_NOVAL), 0, 0, 1};
  case WW_OP_ST:
  case WW_OP_CALLI:
  case WW_OP_PRINTF:
    return (ww_operands){1, i->ext, i->n, 1};
  case WW_OP_SWITCH:
    return (ww_operands){1, i->ext, i->n, 2};
  case WW_OP_CALL:
  case WW_OP_RET:
  case WW_OP_MMA:
  case WW_OP_WGMMA:
  case WW_OP_BULK:
  case WW_OP_TMA:
    return (ww_operands){0, i->ext, i->n, 1};
  default:
    return (ww_operands){nsrc > 0 ? nsrc : 0, 0, 0, 1};
  }
}

uint32_t ww_ins_uses(const ww_fn *fn, const ww_ins *i, ww_val *out, uint32_t max) {
  ww_operands o = ww_ins_operands(i);
  const ww_val fixed[3] = {i->a, i->b, i->c};
  uint32_t n = 0;
  for (uint32_t k = 0; k < o.fixed && n < max; k++)
    out[n++] = fixed[k];
  for (uint32_t k = 0; k < o.n && n < max; k++)
    out[n++] = fn->pool[o.ext + k * o.stride];
  return n;
}

ww_val ww_phi_of(const ww_fn *fn, const ww_phi *p, uint32_t block) {
  for (uint32_t n = 0; n < p->n; n++)
    if (ww_phi_from(fn, p, n) == block)
      return ww_phi_value(fn, p, n);
  return WW_NOVAL;
}

const ww_ins *ww_next_ins(ww_ins_walk *w) {
  for (; w->block < w->fn->nblocks; w->block++, w->at = 0)
    if (w->at < w->fn->blocks[w->block].nins)
      return &w->fn->blocks[w->block].ins[w->at++];
  return NULL;
}

bool ww_fn_has(const ww_fn *fn, ww_op op) {
  ww_ins_walk w = {.fn = fn};
  for (const ww_ins *i; (i = ww_next_ins(&w));)
    if (i->op == op)
      return true;
  return false;
}

const ww_ins **ww_ir_defs(const ww_fn *fn, ww_arena *a) {
  const ww_ins **def = WW_NEWN(a, const ww_ins *, fn->nvals + 1);
  ww_ins_walk w = {.fn = fn};
  for (const ww_ins *i; (i = ww_next_ins(&w));)
    for (uint32_t r = 0; r < i->nres; r++)
      def[i->dst + r] = i;
  return def;
}

/* ---- kernels by name ---- */

/* Same text but for blanks: "kern<float,256>" is "kern<float, 256>". */
static bool same_name(const char *a, const char *b) {
  for (;; a++, b++) {
    while (isspace((unsigned char)*a))
      a++;
    while (isspace((unsigned char)*b))
      b++;
    if (*a != *b)
      return false;
    if (!*a)
      return true;
  }
}

/* `full` without its template arguments and, when `bare`, without its namespaces, is
 * `name`. */
static bool base_name(const char *full, const char *name, bool bare) {
  size_t end = strcspn(full, "<(");
  size_t start = 0;
  for (size_t k = 0; bare && k + 1 < end; k++)
    if (full[k] == ':' && full[k + 1] == ':')
      start = k + 2;
  return end - start == strlen(name) && !memcmp(full + start, name, end - start);
}

/* Function and line of an OpenMP region: "main_l12" of
 * "__omp_offloading_<device>_<inode>_main_l12". The two numbers are the source file's
 * on the machine that compiled it and say nothing elsewhere. NULL: no region. */
static const char *region_place(const char *mangled) {
  static const char begin[] = "__omp_offloading_";
  if (strncmp(mangled, begin, sizeof begin - 1))
    return NULL;
  const char *inode = strchr(mangled + sizeof begin - 1, '_');
  const char *place = inode ? strchr(inode + 1, '_') : NULL;
  return place ? place + 1 : NULL;
}

static bool same_region(const char *a, const char *b) {
  const char *x = region_place(a);
  const char *y = region_place(b);
  return x && y && !strcmp(x, y);
}

static bool matches(const ww_fn *f, const char *kernel, int how) {
  if (how == 0)
    return f->mangled && !strcmp(f->mangled, kernel);
  if (how == 1)
    return f->mangled &&
           (same_region(f->mangled, kernel) || ww_ir_same_internal(f->mangled, kernel));
  if (!f->name)
    return false;
  if (how == 2)
    return same_name(f->name, kernel);
  return base_name(f->name, kernel, how == 4);
}

/* From the most exact reading to the loosest: mangled, the same but for where an OpenMP
 * region's file lay or how a static kernel is marked, plain, without template
 * arguments, without namespaces. The first reading that any kernel answers to decides;
 * two answers are none. */
const ww_fn *ww_ir_find(const ww_module *m, const char *kernel) {
  for (int how = 0; how < 5; how++) {
    const ww_fn *found = NULL;
    uint32_t n = 0;
    for (uint32_t k = 0; k < m->nfns; k++)
      if (m->fns[k].kernel && matches(&m->fns[k], kernel, how)) {
        found = &m->fns[k];
        n++;
      }
    if (n)
      return n == 1 ? found : NULL;
  }
  return NULL;
}
