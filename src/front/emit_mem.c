/* emit_mem.c - loads, stores, copies and atomics of component lists.
 *
 * An access is split into pieces no wider than 16 bytes and no wider than the known
 * alignment, as the hardware demands; neighbours of one type travel together (a vector
 * access). Copies of known size up to 1 KiB are expanded. */
#include "emit.h"

ww_val low_addr_value(low_fn *F, low_addr p) {
  return low_add_imm(F, p.base, WW_I64, p.off);
}

static uint32_t align_at(uint32_t align, uint64_t off) {
  uint32_t low_bit = off & (~off + 1);
  return low_bit && low_bit < align ? low_bit : align;
}

/* How many components from c travel in one access. */
static uint32_t run_length(const low_comp *c, uint32_t n, uint32_t align) {
  uint32_t size = ww_type_bytes[c->type];
  uint32_t limit = align_at(align, c->off);
  uint32_t best = 1;
  if (c->mem != size || size > limit)
    return 0;
  if (limit > 16)
    limit = 16;
  for (uint32_t m = 1; m < n && (m + 1) * size <= limit; m++) {
    if (c[m].type != c->type || c[m].mem != c->mem || c[m].off != c->off + m * size)
      break;
    if (((m + 1) & m) == 0)
      best = m + 1;
  }
  return best;
}

/* The integer that covers what of c begins at byte `at`, as far as alignment allows. */
static low_comp piece_at(const low_comp *c, uint32_t at, uint32_t align) {
  uint32_t n = align_at(align, c->off + at);
  if (n > 8)
    n = 8;
  while (n > c->mem - at)
    n /= 2;
  return (low_comp){.type = low_int_type(n * 8), .mem = n, .off = c->off + at};
}

static ww_ins *
access(low_fn *F, ww_op op, low_addr p, ww_type t, uint32_t n, int64_t off) {
  ww_ins *i = low_ins(F, op, t);
  i->a = p.base;
  i->imm = p.off + off;
  i->space = p.space;
  i->flags = p.flags;
  i->n = n;
  return i;
}

static void
load_run(low_fn *F, low_addr p, const low_comp *c, uint32_t n, ww_val *out) {
  for (uint32_t i = 0; i < n; i++)
    out[i] = low_new_val(F, c->type);
  ww_ins *i = access(F, WW_OP_LD, p, c->type, n, c->off);
  i->dst = out[0];
  i->nres = n;
}

/* A component whose alignment or size is odd: integer pieces, put together. */
static ww_val load_pieces(low_fn *F, low_addr p, const low_comp *c) {
  ww_type t = low_int_type(ww_type_bits(c->type));
  ww_val acc = WW_NOVAL;
  for (uint32_t at = 0; at < c->mem;) {
    low_comp piece = piece_at(c, at, p.align);
    ww_val v;
    load_run(F, p, &piece, 1, &v);
    v = low_int_to(F, v, piece.type, t, false);
    if (at)
      v = low_binaryk(F, WW_OP_SHL, t, v, at * 8);
    acc = acc == WW_NOVAL ? v : low_binary(F, WW_OP_OR, t, acc, v);
    at += piece.mem;
  }
  return low_bits(F, acc == WW_NOVAL ? low_const(F, t, 0) : acc, t, c->type);
}

void low_load(low_fn *F, low_addr p, const low_comp *c, uint32_t n, ww_val *out) {
  for (uint32_t i = 0; i < n;) {
    uint32_t m = run_length(c + i, n - i, p.align);
    if (m)
      load_run(F, p, c + i, m, out + i);
    else
      out[i] = load_pieces(F, p, c + i);
    i += m ? m : 1;
  }
}

static void
store_run(low_fn *F, low_addr p, const low_comp *c, uint32_t n, const ww_val *in) {
  uint32_t pool = low_pool(F, in, n);
  access(F, WW_OP_ST, p, c->type, n, c->off)->ext = pool;
}

static void store_pieces(low_fn *F, low_addr p, const low_comp *c, ww_val in) {
  ww_type t = low_int_type(ww_type_bits(c->type));
  in = low_bits(F, in, c->type, t);
  for (uint32_t at = 0; at < c->mem;) {
    low_comp piece = piece_at(c, at, p.align);
    ww_val v = at ? low_binaryk(F, WW_OP_LSHR, t, in, at * 8) : in;
    v = low_int_to(F, v, t, piece.type, false);
    store_run(F, p, &piece, 1, &v);
    at += piece.mem;
  }
}

void low_store(low_fn *F, low_addr p, const low_comp *c, uint32_t n, const ww_val *in) {
  for (uint32_t i = 0; i < n;) {
    uint32_t m = run_length(c + i, n - i, p.align);
    if (m)
      store_run(F, p, c + i, m, in + i);
    else
      store_pieces(F, p, c + i, in[i]);
    i += m ? m : 1;
  }
}

/* ---- copies ---- */

void low_sized(
    low_fn *F, ww_op op, low_addr to, ww_val b, ww_space from, ww_val bytes) {
  ww_val a = low_addr_value(F, to);
  ww_ins *i = low_ins(F, op, WW_I8);
  i->a = a;
  i->b = b;
  i->c = bytes;
  i->space = to.space;
  i->sub = from;
}

/* The widest piece at `at`, as 32-bit words when it is more than one. */
static uint32_t chunk(uint64_t left, uint32_t align, low_comp c[4], uint64_t at) {
  uint32_t bytes = 16;
  while (bytes > left || bytes > align_at(align, at))
    bytes /= 2;
  uint32_t n = bytes > 4 ? bytes / 4 : 1;
  uint32_t size = bytes / n;
  for (uint32_t i = 0; i < n; i++)
    c[i] = (low_comp){low_int_type(size * 8), size, size * 8, at + i * size};
  return n;
}

void low_copy(low_fn *F, low_addr to, low_addr from, uint64_t bytes) {
  uint32_t align = to.align < from.align ? to.align : from.align;
  if (bytes > 1024) {
    low_sized(F, WW_OP_MEMCPY, to, low_addr_value(F, from), from.space,
              low_const(F, WW_I64, bytes));
    return;
  }
  /* all loads before the stores: overlapping moves stay right */
  low_comp c[1024][4];
  ww_val v[1024][4];
  uint32_t n[1024];
  uint32_t k = 0;
  to.align = from.align = align;
  for (uint64_t at = 0; at < bytes; k++) {
    n[k] = chunk(bytes - at, align, c[k], at);
    low_load(F, from, c[k], n[k], v[k]);
    at += n[k] * c[k][0].mem;
  }
  for (uint32_t i = 0; i < k; i++)
    low_store(F, to, c[i], n[i], v[i]);
}

void low_copy_async(low_fn *F, low_addr to, low_addr from, uint32_t bytes) {
  uint32_t here = low_here(F);
  low_copy(F, to, from, bytes);
  low_parts(F, here, WW_OP_LD);
}

static ww_val splat(low_fn *F, ww_val byte, ww_type t) {
  uint64_t k;
  if (low_is_const(F, byte, &k))
    return low_const(F, t, (k & 255) * 0x0101010101010101ull);
  ww_val v = low_int_to(F, byte, WW_I8, t, false);
  return t == WW_I8 ? v : low_binaryk(F, WW_OP_MUL, t, v, 0x0101010101010101ull);
}

void low_fill(low_fn *F, low_addr to, ww_val byte, uint64_t bytes) {
  if (bytes > 1024) {
    low_sized(F, WW_OP_MEMSET, to, byte, WW_GENERIC, low_const(F, WW_I64, bytes));
    return;
  }
  for (uint64_t at = 0; at < bytes;) {
    low_comp c[4];
    uint32_t n = chunk(bytes - at, to.align, c, at);
    ww_val s = splat(F, byte, c[0].type);
    ww_val v[4] = {s, s, s, s};
    low_store(F, to, c, n, v);
    at += n * c[0].mem;
  }
}

/* ---- atomics ---- */

ww_val low_atom(low_fn *F, ww_rmw op, ww_type t, low_addr p, ww_val b, bool used) {
  ww_val dst = used ? low_new_val(F, t) : WW_NOVAL;
  ww_ins *i = access(F, WW_OP_ATOM, p, t, 1, 0);
  i->b = b;
  i->sub = op;
  i->dst = dst;
  i->nres = used;
  return dst;
}

ww_val low_cas(low_fn *F, ww_type t, low_addr p, ww_val cmp, ww_val with) {
  ww_val dst = low_new_val(F, t);
  ww_ins *i = access(F, WW_OP_CAS, p, t, 1, 0);
  i->b = cmp;
  i->c = with;
  i->dst = dst;
  i->nres = 1;
  return dst;
}
