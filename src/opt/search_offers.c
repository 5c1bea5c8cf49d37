/* search_offers.c - all rewrites of a candidate as offers: text and launch of what each
 * would make of it. Nothing is predicted here. */
#include "search_int.h"

/* Wherever the file lies. */
uint64_t ww_candidate_key(const ww_candidate *c) {
  ww_json j = {0};
  ww_launch l = c->launch;
  l.file = l.dir = l.binary = NULL;
  ww_launch_write(&l, &j);
  uint64_t h = ww_hash(c->text, strlen(c->text), ww_hash(j.own.s, j.own.n, 1));
  ww_buf_free(&j.own);
  return h;
}

static bool is_known(const ww_search *s, const ww_offers *all, uint64_t key) {
  for (uint32_t k = 0; k < s->out->v.n; k++)
    if (s->out->v.v[k].key == key)
      return true;
  for (uint32_t k = 0; k < all->v.n; k++)
    if (all->v.v[k].c.key == key)
      return true;
  return false;
}

/* The same rewrite of the same places, with other numbers. */
static bool is_alike(const ww_rewritten *p, const ww_rewritten *q) {
  if (p->kind != q->kind || p->n != q->n)
    return false;
  for (int k = 0; k < 3; k++)
    if (!p->shape.was[k] != !q->shape.was[k] ||
        !p->shape.block[k] != !q->shape.block[k])
      return false;
  for (uint32_t k = 0; k < p->n; k++)
    if (p->edits[k].begin != q->edits[k].begin || p->edits[k].end != q->edits[k].end)
      return false;
  return true;
}

/* Was this kind tried on what the parent was made from, and gained nothing? */
static bool gained_nothing(const ww_search *s, uint32_t parent, ww_rewrite_kind kind) {
  const ww_optimized *o = s->out;
  uint32_t before = o->v.v[parent].parent;
  bool tried = false;
  if (!parent || o->v.v[parent].kind == kind)
    return false;
  for (uint32_t k = 1; k < o->v.n; k++) {
    const ww_candidate *c = &o->v.v[k];
    if (c->parent != before || c->kind != kind)
      continue;
    tried = true;
    if (c->state != WW_CANDIDATE_FAILED && c->us < WW_SEARCH_GAIN * o->v.v[before].us)
      return false;
  }
  return tried;
}

static void add_offer(ww_search *s,
                      uint32_t parent,
                      const ww_rewrite_input *in,
                      const ww_rewritten *r,
                      uint32_t family,
                      ww_offers *all) {
  const ww_candidate *p = &s->out->v.v[parent];
  ww_offer x = {.c = {.parent = parent,
                      .depth = p->depth + 1,
                      .kind = r->kind,
                      .title = r->title,
                      .apart = p->apart || r->apart},
                .family = family,
                .late = gained_nothing(s, parent, r->kind)};
  ww_launch_copy(&p->launch, s->a, &x.c.launch);
  ww_reshape_launch(&r->shape, &p->ready, s->a, &x.c.launch);
  x.c.text = ww_rewrite_apply(in, r, &x.c.launch, s->a);
  if (!x.c.text)
    return;
  x.c.key = ww_candidate_key(&x.c);
  if (is_known(s, all, x.c.key))
    return;
  x.nth = all->sizes.v[family]++;
  ww_push(s->a, &all->v, x);
}

void ww_search_offers(ww_search *s, uint32_t parent, ww_offers *all, ww_err *e) {
  ww_candidate *p = &s->out->v.v[parent];
  ww_source source = s->q->source;
  ww_front_options o;
  ww_syntax syntax;
  ww_rewritten *v;
  p->expanded = true;
  if (ww_search_load(s, p, e) || ww_query_front(&source, s->a, &o, NULL))
    return;
  o.texts = WW_NEWN(s->a, const char *, o.nfiles);
  o.texts[0] = p->text;
  o.deadline = s->q->deadline;
  if (ww_syntax_read(&o, s->a, &syntax, e))
    return;
  ww_rewrite_input in = {.syntax = &syntax,
                         .kernel = p->fn->name,
                         .line = p->fn->line,
                         .dialect = p->unit.unit->module.dialect,
                         .launch = &p->ready,
                         .report = &p->report,
                         .overlap = s->q->overlap,
                         .approximate = s->q->approximate};
  o.texts[0] = ww_rewrite_inlined(&in, s->a);
  if (o.texts[0] && ww_syntax_read(&o, s->a, &syntax, e))
    return;
  uint32_t n = ww_rewrite_all(&in, s->a, &v, e);
  for (uint32_t k = 0; k < n; k++) {
    if (!k || !is_alike(&v[k - 1], &v[k]))
      ww_push(s->a, &all->sizes, 0);
    add_offer(s, parent, &in, &v[k], all->sizes.n - 1, all);
  }
  if (parent)
    ww_search_unload(p);
}
