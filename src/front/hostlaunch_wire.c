/* hostlaunch_wire.c - launches of the host code as bytes, for a child that finds them
 * and a parent that takes them over.
 *
 * Both are the same program: structs go as they are, and behind each one what its
 * pointers lead to. Only those are written that the finders of launches fill in; the
 * others are null. */
#include "hostlaunch_int.h"

static void put_text(ww_buf *b, const char *s) {
  if (s)
    ww_buf_add(b, s, strlen(s) + 1);
}

void ww_hostlaunch_put(const ww_host_launches *all, ww_buf *b) {
  for (uint32_t k = 0; k < all->n; k++) {
    const ww_host_launch *l = &all->v[k];
    ww_buf_add(b, l, sizeof *l);
    put_text(b, l->kernel);
    put_text(b, l->file);
    for (uint32_t i = 0; i < l->launch.nargs; i++) {
      const ww_arg *g = &l->launch.args[i];
      ww_buf_add(b, g, sizeof *g);
      if (g->hex)
        ww_buf_add(b, g->hex, g->hex_n);
      if (g->nptrs)
        ww_buf_add(b, g->ptrs, g->nptrs * sizeof *g->ptrs);
      for (uint32_t n = 0; n < g->nptrs; n++)
        put_text(b, g->ptrs[n].buffer.id);
      put_text(b, g->buffer.id);
    }
  }
}

typedef struct {
  const char *at, *end;
  bool bad;
  ww_arena *a;
} wire;

static void *take(wire *w, size_t n) {
  w->bad |= n > (size_t)(w->end - w->at);
  if (w->bad)
    return ww_alloc(w->a, 16);
  void *copy = memcpy(ww_alloc(w->a, n + 1), w->at, n);
  w->at += n;
  return copy;
}

static const char *take_text(wire *w, const char *was) {
  const char *nul = was ? memchr(w->at, 0, w->end - w->at) : NULL;
  w->bad |= was && !nul;
  return nul ? take(w, nul - w->at + 1) : NULL;
}

static void take_arg(wire *w, ww_arg *out) {
  const ww_arg *g = take(w, sizeof *g);
  if (w->bad)
    return;
  *out = *g;
  if (out->hex)
    out->hex = take(w, out->hex_n);
  if (out->nptrs)
    out->ptrs = take(w, out->nptrs * sizeof *out->ptrs);
  for (uint32_t n = 0; n < out->nptrs && !w->bad; n++)
    out->ptrs[n].buffer.id = take_text(w, out->ptrs[n].buffer.id);
  out->buffer.id = take_text(w, out->buffer.id);
}

void ww_hostlaunch_take(const ww_buf *b, ww_arena *a, ww_host_launches *all) {
  wire w = {.at = b->s, .end = b->s + b->n, .a = a};
  while (w.at < w.end && !w.bad) {
    const ww_host_launch *there = take(&w, sizeof *there);
    if (w.bad || there->launch.nargs > b->n / sizeof(ww_arg))
      return;
    ww_host_launch l = *there;
    l.launch.kernel = l.kernel = take_text(&w, l.kernel);
    l.file = take_text(&w, l.file);
    l.launch.args = WW_NEWN(a, ww_arg, l.launch.nargs + 1);
    for (uint32_t i = 0; i < l.launch.nargs && !w.bad; i++)
      take_arg(&w, &l.launch.args[i]);
    if (!w.bad)
      ww_push(a, all, l);
  }
}
