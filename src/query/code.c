/* code.c - hashes a kernel's IR. Indices into the module shift when other functions
 * come and go, so functions and variables go in by name; lines shift when something
 * above is edited, so those of the kernel's own file go in as seen from its first one.
 */
#include "code.h"

#include <inttypes.h>
#include <stdlib.h>

typedef struct {
  const ww_module *m;
  const ww_fn *kernel;
  bool lines;
  bool *seen;
  ww_key key;
} hasher;

static void number(hasher *h, uint64_t v) {
  h->key = ww_key_with(h->key, &v, sizeof v);
}
static void text(hasher *h, const char *s) {
  h->key = ww_key_str(h->key, s);
}

static void hash_ins(hasher *h, const ww_ins *i) {
  uint8_t small[8] = {i->op,  i->type, i->type2, i->space,
                      i->sub, i->n,    i->nres,  i->flags};
  uint32_t operands[5] = {i->dst, i->a, i->b, i->c, i->ext};
  h->key = ww_key_with(h->key, small, sizeof small);
  h->key = ww_key_with(h->key, operands, sizeof operands);
  if (i->op == WW_OP_CALL && (uint64_t)i->imm < h->m->nfns)
    text(h, h->m->fns[i->imm].mangled);
  else
    number(h, (uint64_t)i->imm);
  if (!h->lines || i->loc >= h->m->nlocs)
    return;
  const ww_loc *at = &h->m->locs[i->loc];
  const char *file = at->file < h->m->nfiles ? h->m->files[at->file] : NULL;
  bool own = file && h->kernel->file && !strcmp(file, h->kernel->file);
  number(h, own && at->line ? (uint64_t)at->line - h->kernel->line : at->line);
  text(h, file);
}

static void hash_value(hasher *h, const ww_value *v) {
  number(h, (uint64_t)v->type << 8 | v->kind);
  number(h, v->bits);
  if (h->lines)
    text(h, v->name);
  if (v->kind == WW_VAL_SYMBOL && v->ref < h->m->nsymbols)
    text(h, h->m->symbols[v->ref].mangled);
  else if (v->kind == WW_VAL_FN && v->ref < h->m->nfns)
    text(h, h->m->fns[v->ref].mangled);
  else
    number(h, v->ref);
}

static void hash_block(hasher *h, const ww_block *b) {
  number(h, (uint64_t)b->nphis << 32 | b->nins);
  for (uint32_t k = 0; k < b->nphis; k++) {
    uint32_t phi[3] = {b->phis[k].dst, b->phis[k].ext, b->phis[k].n};
    h->key = ww_key_with(h->key, phi, sizeof phi);
  }
  for (uint32_t k = 0; k < b->nins; k++)
    hash_ins(h, &b->ins[k]);
}

static void hash_params(hasher *h, const ww_fn *fn) {
  for (uint32_t k = 0; k < fn->nparams; k++) {
    const ww_param *p = &fn->params[k];
    uint32_t how[8] = {p->type, p->space, p->pointer, p->byval << 1 | p->readonly,
                       p->elem, p->size,  p->align,   p->elem_size};
    text(h, p->name);
    text(h, p->ctype);
    h->key = ww_key_with(h->key, how, sizeof how);
  }
}

static void hash_fn(hasher *h, const ww_fn *fn) {
  if (h->seen[fn - h->m->fns])
    return;
  h->seen[fn - h->m->fns] = true;
  uint32_t shape[10] = {fn->nparams,     fn->nvals,        fn->nblocks,
                        fn->local_bytes, fn->shared_bytes, fn->max_threads,
                        fn->min_blocks,  fn->req_block[0], fn->req_block[1],
                        fn->req_block[2]};
  text(h, fn->name);
  text(h, fn->mangled);
  text(h, fn->refusal);
  text(h, fn->file);
  h->key = ww_key_with(h->key, shape, sizeof shape);
  hash_params(h, fn);
  for (uint32_t k = 0; k < fn->nvals; k++)
    hash_value(h, &fn->vals[k]);
  for (uint32_t k = 0; k < fn->nblocks; k++)
    hash_block(h, &fn->blocks[k]);
  h->key = ww_key_with(h->key, fn->pool, fn->npool * sizeof *fn->pool);
  for (uint32_t b = 0; b < fn->nblocks; b++)
    for (uint32_t k = 0; k < fn->blocks[b].nins; k++) {
      const ww_ins *i = &fn->blocks[b].ins[k];
      if (i->op == WW_OP_CALL && (uint64_t)i->imm < h->m->nfns)
        hash_fn(h, &h->m->fns[i->imm]);
    }
  for (uint32_t k = 0; k < fn->nvals; k++)
    if (fn->vals[k].kind == WW_VAL_FN && fn->vals[k].ref < h->m->nfns)
      hash_fn(h, &h->m->fns[fn->vals[k].ref]);
}

/* Tables of functions lead to further code. */
static void hash_symbol(hasher *h, const ww_symbol *s) {
  text(h, s->mangled);
  number(h, (uint64_t)s->space << 1 | s->dynamic);
  number(h, s->size);
  number(h, s->align);
  if (s->init)
    h->key = ww_key_with(h->key, s->init, s->size);
  for (uint32_t k = 0; k < s->nrelocs; k++) {
    const struct ww_reloc *r = &s->relocs[k];
    number(h, r->at);
    number(h, r->add);
    if (r->fn && r->ref < h->m->nfns)
      hash_fn(h, &h->m->fns[r->ref]);
    else if (!r->fn && r->ref < h->m->nsymbols)
      text(h, h->m->symbols[r->ref].mangled);
  }
}

ww_key ww_code_key(const ww_module *m, const ww_fn *fn, bool lines) {
  hasher h = {
      .m = m, .kernel = fn, .lines = lines, .seen = ww_xcalloc(m->nfns, sizeof(bool))};
  number(&h, (uint64_t)m->dialect << 32 | m->warp);
  hash_fn(&h, fn);
  for (uint32_t k = 0; k < m->nsymbols; k++)
    hash_symbol(&h, &m->symbols[k]);
  free(h.seen);
  return h.key;
}

/* Adds to the numbers "9, 12, 14" at p; returns what is behind them. */
static const char *move_numbers(const char *p, int64_t by, ww_buf *out) {
  for (;;) {
    char *end;
    uint64_t line = strtoull(p, &end, 10);
    if (end == p)
      return p;
    ww_buf_fmt(out, "%" PRIu64, line ? line + by : 0);
    p = end;
    if (p[0] != ',' || p[1] != ' ' || p[2] < '0' || p[2] > '9')
      return p;
    ww_buf_puts(out, ", ");
    p += 2;
  }
}

/* Further lines stand in the finding's words, behind WW_FINDING_ALSO. */
static const char *move_words(const char *message, int64_t by, ww_arena *a) {
  const char *also = strstr(message, WW_FINDING_ALSO);
  if (!also)
    return message;
  ww_buf b = {0};
  also += strlen(WW_FINDING_ALSO);
  ww_buf_add(&b, message, also - message);
  ww_buf_puts(&b, move_numbers(also, by, &b));
  return ww_buf_text(&b, a);
}

static uint32_t moved(const char *at, const char *file, uint32_t line, int64_t by) {
  return line && at && !strcmp(at, file) ? (uint32_t)(line + by) : line;
}

void ww_code_move(const char *file, int64_t by, ww_arena *a, ww_report *r) {
  if (!file || !by)
    return;
  for (uint32_t k = 0; k < r->nlines; k++)
    r->lines[k].line = moved(r->lines[k].file, file, r->lines[k].line, by);
  for (uint32_t k = 0; k < r->nfindings; k++) {
    ww_finding *f = &r->findings[k];
    f->line = moved(f->file, file, f->line, by);
    f->message = move_words(f->message, by, a);
  }
}
