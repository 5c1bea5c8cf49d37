/* fixes_atomic.c - two fixes that the launch has a say in: atomics that a warp does as
 * one, and a bound for registers.
 *
 * atomicAdd(p, v) of every thread at one address: the warp adds up by shuffles and its
 * first lane does the atomic. Right where all lanes come by (no branch around it, no
 * return before it) and warps are full. */
#include "fixes_int.h"

#include <ctype.h>

typedef struct {
  uint32_t begin, end;     /* tokens of the statement, `;` included */
  uint32_t cond, cond_end; /* of the `if` around it, 0 for none */
  uint32_t to, to_end, value, value_end;
} atomic;

/* atomicAdd ( to , value ) ; with nothing around it but, perhaps, one if. */
static bool read_atomic(const ww_ctext *x, uint32_t i, atomic *out) {
  uint32_t open = i + 1;
  uint32_t close;
  if (!ww_tok_is(x, i, "atomicAdd") || !ww_tok_is(x, open, "(") ||
      (close = x->t[open].pair) == WW_NOTOK || !ww_tok_is(x, close + 1, ";"))
    return false;
  uint32_t comma = ww_tok_comma(x, open);
  if (!comma || comma == open + 1 || comma + 1 == close)
    return false;
  *out = (atomic){.begin = i,
                  .end = close + 2,
                  .to = open + 1,
                  .to_end = comma,
                  .value = comma + 1,
                  .value_end = close};
  if (i >= 3 && ww_tok_opens(x, i - 1, ")") && x->t[i - 1].pair > 0 &&
      ww_tok_is(x, x->t[i - 1].pair - 1, "if")) {
    out->cond = x->t[i - 1].pair + 1;
    out->cond_end = i - 1;
    out->begin = x->t[i - 1].pair - 1;
  }
  return !ww_tok_is(x, out->end, "else") && out->begin &&
         ww_tok_in(x, out->begin - 1, " ; { } ");
}

/* CHECK_BOUNDS(i) may return */
static bool is_macro_call(const ww_ctext *c, uint32_t i) {
  if (!ww_tok_word(c, i) || !ww_tok_is(c, i + 1, "("))
    return false;
  for (uint32_t k = c->t[i].at; k < c->t[i].end; k++)
    if (islower((unsigned char)c->text[k]))
      return ww_ctext_directives(c, i);
  return true;
}

/* At the outermost level of the kernel, and nobody has left it before. */
static bool all_come_by(const ww_ctext *x, const atomic *m) {
  /* i < n holds for nearly all; another condition may hold for few, who have added up
   * or have something to say */
  if (m->cond && !(m->cond_end == m->cond + 3 && ww_tok_is(x, m->cond + 1, "<") &&
                   ww_tok_word(x, m->cond) && ww_tok_word(x, m->cond + 2)))
    return false;
  for (uint32_t i = x->kernel.lo; i < m->begin; i++)
    if ((ww_tok_opens(x, i, "{") && x->t[i].pair > m->begin) ||
        ww_tok_in(x, i, " return goto asm __asm__ ") || is_macro_call(x, i))
      return false;
  /* an unbraced head before it: for (...) atomicAdd(...) was refused by read_atomic */
  return true;
}

/* The address is the same for all threads: parameters, constants and block indices
 * alone. */
static bool uniform(const ww_ctext *x, uint32_t i, uint32_t end) {
  for (; i < end; i++) {
    if (ww_tok_is(x, i, "(") || ww_is_assignment(x, i))
      return false;
    if (!ww_tok_word(x, i) || (ww_tok_in(x, i, " blockIdx blockDim gridDim x y z ") &&
                               (ww_tok_is(x, i + 1, ".") || ww_tok_is(x, i - 1, "."))))
      continue;
    const ww_name *v = ww_ctext_name(x, &x->kernel, i);
    if (!v || !v->parameter || ww_is_changed(x, i, x->kernel.lo, i))
      return false;
  }
  return true;
}

/* The type of what `to` points to, NULL where shuffles do not take it. */
static const char *element(const ww_ctext *x, const atomic *m) {
  for (uint32_t i = m->to; i < m->to_end; i++) {
    const ww_name *v = ww_ctext_name(x, &x->kernel, i);
    if (!v || !v->pointer || v->type == WW_NOTOK)
      continue;
    const char *word = ww_tok_name(x, v->type);
    bool next = v->type + 1 < v->tok && ww_tok_word(x, v->type + 1) &&
                !ww_tok_in(x, v->type + 1, " const __restrict__ ");
    if (!strcmp(word, "unsigned"))
      return next && !ww_tok_is(x, v->type + 1, "int") ? NULL : "unsigned";
    return !next && (!strcmp(word, "float") || !strcmp(word, "double") ||
                     !strcmp(word, "int"))
               ? word
               : NULL;
  }
  return NULL;
}

void ww_fix_atomic(ww_ctext *x) {
  const ww_launch *l = x->s->launch;
  atomic m;
  ww_edits e = {0};
  if (x->s->dialect != WW_CUDA || (l && l->block[0] && l->block[0] % 32))
    return;
  for (uint32_t i = x->kernel.lo; i < x->kernel.hi; i++) {
    const char *type =
        read_atomic(x, i, &m) && all_come_by(x, &m) && uniform(x, m.to, m.to_end)
            ? element(x, &m)
            : NULL;
    if (!type || (x->f->line && ww_ctext_line(x, i) != x->f->line))
      continue;
    const char *name = ww_ctext_fresh(x, "sum");
    const char *step = ww_ctext_fresh(x, "k");
    const char *to = ww_tok_text(x, m.to, m.to_end);
    const char *value = ww_tok_text(x, m.value, m.value_end);
    const char *zero = *type == 'f' ? "0.0f" : *type == 'd' ? "0.0" : "0";
    if (m.cond)
      value =
          ww_fmt(x->a, "%s ? %s : %s", ww_tok_text(x, m.cond, m.cond_end), value, zero);
    const char *nl = ww_fmt(x->a, "%s%s", x->eol, ww_ctext_indent(x, x->t[m.begin].at));
    ww_edit_tokens(x, &e, m.begin, m.end,
                   ww_fmt(x->a,
                          "%s %s = %s;%sfor (int %s = 16; %s > 0; %s >>= 1) %s += "
                          "__shfl_down_sync(0xffffffffu, "
                          "%s, %s);%sif (threadIdx.x %% 32 == 0) atomicAdd(%s, %s);",
                          type, name, value, nl, step, step, step, name, name, step, nl,
                          to, name));
    ww_fix_offer(
        x, &e,
        &(ww_fix){.title =
                      "Add up within the warp by shuffles, one atomic for each warp "
                      "(if blocks are multiples of 32 threads wide)",
                  .assumes = "blockDim.x is a multiple of 32 in every launch"});
    return;
  }
}

/* ---- registers ---- */

void ww_fix_bounds(ww_ctext *x) {
  static const char word[] = "__launch_bounds__";
  uint32_t threads = x->f->bounds[0];
  ww_edits e = {0};
  if (!threads || x->s->dialect != WW_CUDA)
    return;
  const char *bounds =
      ww_fmt(x->a, "__launch_bounds__(%u, %u)", threads, x->f->bounds[1]);
  uint32_t open = ww_tok_from(x, x->kernel.fn->params - 1);
  uint32_t name = open ? open - 1 : 0;
  if (!name || !ww_tok_is(x, open, "(") || !ww_tok_word(x, name) ||
      !x->kernel.fn->name || !ww_tok_is(x, name, x->kernel.fn->name))
    return;
  for (uint32_t i = ww_tok_from(x, x->kernel.fn->begin); i < name; i++) {
    if (!ww_tok_is(x, i, word))
      continue;
    uint32_t close = ww_tok_is(x, i + 1, "(") ? x->t[i + 1].pair : WW_NOTOK;
    if (close == WW_NOTOK)
      return;
    if (ww_tok_find(x, i + 2, close, " , ") < close)
      return; /* somebody has thought about it */
    ww_edit_tokens(x, &e, i, close + 1, bounds);
    break;
  }
  if (!e.n)
    ww_edit_insert(x, &e, x->t[name].at, ww_fmt(x->a, "%s ", bounds));
  ww_fix f = {
      .title = ww_fmt(
          x->a,
          "Limit registers by %s (launches of more than %u threads a block then fail)",
          bounds, threads),
      .assumes =
          ww_fmt(x->a, "no launch of it has more than %u threads a block", threads)};
  ww_fix_offer(x, &e, &f);
}
