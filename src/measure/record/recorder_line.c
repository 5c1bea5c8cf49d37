/* recorder_line.c - a launch seen for the first time, as a launch spec.
 *
 * Pointers become buffers with their allocation's id, size and offset, the 64 bytes
 * they point to and, when contents are asked for, the name of a file with the whole
 * allocation. What the spec cannot say is said in its note. */
#include "recorder_int.h"

#include <math.h>
#include <stdlib.h>

#define SYMBOL_HEX 1024 /* symbols up to this size are written whole, bytes */

typedef struct {
  ww_recorder *r;
  const ww_raw_launch *l;
  ww_buf note;
  uint64_t left_out; /* bytes of contents beyond the limit */
} describer;

static void add_note(describer *d, const char *text) {
  if (!d->note.n || !strstr(d->note.s, text))
    ww_buf_fmt(&d->note, "%s%s", d->note.n ? "; " : "", text);
}

/* ---- contents ---- */

static bool read_device(const ww_recorder *r, uint64_t address, void *out, size_t n) {
  return r->memory.read && r->memory.read(r->memory.ctx, address, out, n);
}

/* The whole allocation into a file of its own; none when it is beyond the limit or
 * cannot be read.
 */
static ww_fill store_contents(describer *d, uint64_t base, uint64_t bytes) {
  ww_recorder *r = d->r;
  ww_fill fill = {0};
  uint64_t limit = r->o.contents_limit;
  /* what is stored already costs nothing but the reading: that has a bound of its own
   */
  if (bytes > limit || r->stored >= limit || bytes > limit * 16 - r->read) {
    d->left_out += r->o.contents_each ? 0 : bytes;
    return fill;
  }
  void *data = malloc(bytes ? bytes : 1);
  r->read += bytes;
  if (!data || !read_device(r, base, data, bytes)) {
    add_note(d, "the contents of a buffer could not be read");
  } else {
    uint64_t hash = ww_hash(data, bytes, 0);
    bool known = ww_recorder_has(r, hash);
    if (!known && bytes > limit - r->stored) {
      d->left_out += r->o.contents_each ? 0 : bytes;
    } else {
      fill.path = ww_recorder_store(r, data, bytes, hash, "zst");
      fill.kind = fill.path ? WW_FILL_FILE : WW_FILL_NONE;
      r->stored += known ? 0 : bytes;
    }
  }
  free(data);
  return fill;
}

static void read_head(describer *d, uint64_t address, uint64_t bytes, ww_buffer *out) {
  uint32_t n = bytes < sizeof out->head ? (uint32_t)bytes : sizeof out->head;
  if (n && read_device(d->r, address, out->head, n))
    out->head_n = n;
}

static ww_buffer buffer_of(describer *d, const ww_found *f, const ww_buffer *earlier) {
  ww_recorder *r = d->r;
  ww_buffer b = {
      .bytes = f->bytes,
      .offset = f->address - f->base,
  };
  b.id = ww_fmt(r->arena, "%lu", f->id);
  read_head(d, f->address, f->bytes - b.offset, &b);
  bool wanted = !r->o.contents_each || (f->bytes <= r->o.contents_each && b.head_n);
  if (earlier)
    b.fill = earlier->fill;
  else if (r->o.contents && r->memory.read && wanted)
    b.fill = store_contents(d, f->base, f->bytes);
  return b;
}

/* ---- arguments ---- */

static bool float_value(const ww_raw_arg *g, double *out) {
  float f = 0;
  if (!strcmp(g->type, "f32") && g->size == 4) {
    memcpy(&f, g->bytes, 4);
    *out = f;
  } else if (!strcmp(g->type, "f64") && g->size == 8)
    memcpy(out, g->bytes, 8);
  else
    return false;
  /* the others are exact as bytes only */
  return isfinite(*out) && !(*out == 0 && signbit(*out));
}

static bool int_value(const ww_raw_arg *g, ww_arg *out) {
  bool sign = g->type[0] == 'i';
  if ((!sign && g->type[0] != 'u' && strcmp(g->type, "bool")) || g->size > 8)
    return false;
  uint64_t v = 0;
  memcpy(&v, g->bytes, g->size);
  uint32_t shift = 64 - 8 * g->size;
  out->is_int = true;
  out->ivalue = sign ? (int64_t)(v << shift) >> shift : (int64_t)v;
  out->value = sign ? out->ivalue : (double)v;
  return true;
}

static ww_arg hex_arg(describer *d, const ww_raw_arg *g) {
  return (ww_arg){.kind = WW_ARG_HEX,
                  .hex = memcpy(ww_alloc(d->r->arena, g->size + 1), g->bytes, g->size),
                  .hex_n = g->size};
}

static void plain_arg(describer *d, const ww_raw_arg *g, uint32_t index, ww_arg *out) {
  static const uint8_t none[8];
  bool typed = g->type && !g->struct_ && g->size && g->pointer != 1;
  if (typed && (float_value(g, &out->value) || int_value(g, out))) {
    out->kind = WW_ARG_VALUE;
    return;
  }
  *out = hex_arg(d, g);
  if (g->pointer == 1 && g->size == 8 && memcmp(g->bytes, none, 8))
    add_note(d,
             ww_fmt(d->r->arena, "argument %u points to no known allocation", index));
}

/* The buffers of this launch so far, by their index in found: an allocation is read
 * once. */
static void pointer_args(describer *d,
                         uint32_t first,
                         uint32_t n,
                         const ww_raw_arg *g,
                         ww_arg *out,
                         ww_buffer *buffers) {
  const ww_found *f = &d->r->found.v[first];
  for (uint32_t i = 0; i < n; i++)
    buffers[first + i] =
        buffer_of(d, &f[i], f[i].alias < first + i ? &buffers[f[i].alias] : NULL);
  if (!g->struct_ && g->size == 8) {
    out->kind = WW_ARG_BUFFER;
    out->buffer = buffers[first];
    return;
  }
  *out = hex_arg(d, g);
  out->ptrs = WW_NEWN(d->r->arena, ww_ptr, n);
  for (uint32_t i = 0; i < n; i++) {
    memset((uint8_t *)out->hex + f[i].at, 0,
           8); /* the address says nothing and differs from run to run */
    out->ptrs[out->nptrs++] = (ww_ptr){.at = f[i].at, .buffer = buffers[first + i]};
  }
}

static void arguments(describer *d, ww_launch *out) {
  const ww_raw_launch *l = d->l;
  ww_buffer *buffers = ww_xcalloc(d->r->found.n + 1, sizeof *buffers);
  out->args = WW_NEWN(d->r->arena, ww_arg, l->nargs);
  out->nargs = l->nargs;
  for (uint32_t i = 0, at = 0; i < l->nargs; i++) {
    uint32_t n = 0;
    while (at + n < d->r->found.n && d->r->found.v[at + n].arg == i)
      n++;
    if (!l->args[i].bytes)
      out->args[i] = (ww_arg){.kind = WW_ARG_BUFFER,
                              .buffer = {.bytes = l->args[i].size, .local = true}};
    else if (n)
      pointer_args(d, at, n, &l->args[i], &out->args[i], buffers);
    else
      plain_arg(d, &l->args[i], i, &out->args[i]);
    at += n;
  }
  free(buffers);
}

/* ---- symbols ---- */

/* Bytes of a small symbol; pointers in it become buffers, so that `__device__ float
 * *table` can be replayed. */
static bool symbol_hex(describer *d, const ww_raw_symbol *s, ww_arg *out) {
  ww_recorder *r = d->r;
  uint8_t *bytes = ww_alloc(r->arena, s->bytes + 1);
  if (!read_device(r, s->address, bytes, s->bytes))
    return false;
  WW_VEC(ww_ptr) ptrs = {0};
  for (uint32_t at = 0; at + 8 <= s->bytes; at += 8) {
    ww_found f = {0};
    memcpy(&f.address, bytes + at, 8);
    if (f.address < 0x10000 || !ww_recorder_find(r, &f))
      continue;
    memset(bytes + at, 0, 8);
    ww_push(r->arena, &ptrs, (ww_ptr){.at = at, .buffer = buffer_of(d, &f, NULL)});
  }
  *out = (ww_arg){.kind = WW_ARG_HEX,
                  .hex = bytes,
                  .hex_n = s->bytes,
                  .ptrs = ptrs.v,
                  .nptrs = ptrs.n};
  return true;
}

static void symbols(describer *d, ww_launch *out) {
  const ww_raw_launch *l = d->l;
  ww_recorder *r = d->r;
  out->symbols = l->nsymbols ? WW_NEWN(r->arena, ww_symbol_arg, l->nsymbols) : NULL;
  for (uint32_t i = 0; i < l->nsymbols; i++) {
    const ww_raw_symbol *s = &l->symbols[i];
    ww_symbol_arg *x = &out->symbols[out->nsymbols];
    x->name = ww_strdup(r->arena, s->name);
    if (s->bytes && s->bytes <= SYMBOL_HEX) {
      out->nsymbols += symbol_hex(d, s, &x->arg);
      continue;
    }
    x->arg.kind = WW_ARG_BUFFER;
    x->arg.buffer.bytes = s->bytes;
    read_head(d, s->address, s->bytes, &x->arg.buffer);
    if (!x->arg.buffer.head_n)
      continue; /* cannot be read: it stays as the code has it */
    out->nsymbols++;
    if (r->o.contents && (!r->o.contents_each || s->bytes <= r->o.contents_each))
      x->arg.buffer.fill = store_contents(d, s->address, s->bytes);
  }
}

/* ---- the line ---- */

void ww_recorder_describe(ww_recorder *r,
                          const ww_raw_launch *l,
                          const ww_recorded_kernel *k,
                          ww_line *line) {
  describer d = {
      .r = r,
      .l = l,
  };
  ww_launch *s = &line->spec;
  *s = (ww_launch){.file = k->file,
                   .kernel = k->name,
                   .binary = k->binary,
                   .more = k->more,
                   .nmore = k->nmore,
                   .flags = k->flags,
                   .nflags = k->nflags,
                   .shared = l->shared,
                   .shared_given = true,
                   .cooperative = l->cooperative};
  memcpy(s->grid, l->grid, sizeof s->grid);
  memcpy(s->block, l->block, sizeof s->block);
  if (l->library) { /* it has no shape of its own */
    ww_library_call *c = WW_NEW(r->arena, ww_library_call);
    *c = *l->library;
    s->library = c;
    memset(s->grid, 0, sizeof s->grid);
    memset(s->block, 0, sizeof s->block);
    s->shared_given = false;
  }
  if (l->note)
    add_note(&d, l->note);
  arguments(&d, s);
  symbols(&d, s);
  if (d.left_out)
    add_note(&d, ww_fmt(r->arena, "%lu bytes of contents left out: beyond the limit",
                        d.left_out));
  if (d.note.n)
    s->note = ww_buf_text(&d.note, r->arena);
}
