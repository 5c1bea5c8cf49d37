/* print.c - the text form of the IR, readable and complete: parse.c reads back exactly
 * this (docs/ir.md has the grammar).
 *
 * Values are %name.index, blocks @name.index, functions and symbols $mangled; literals
 * stand where they are used and carry a type only where it is not the instruction's. A
 * function that was refused prints its head alone. */
#include "ir_int.h"

#include <inttypes.h>
#include <stdlib.h>

typedef struct {
  const ww_module *m;
  const ww_fn *fn;
  ww_buf *out;
} printer;

static void put(printer *p, const char *text) {
  ww_buf_puts(p->out, text);
}

/* ---- names and strings ---- */

static void put_string(ww_buf *out, const char *s) {
  ww_buf_puts(out, "\"");
  for (const unsigned char *p = (const unsigned char *)s; *p; p++)
    if (*p == '"' || *p == '\\')
      ww_buf_fmt(out, "\\%c", *p);
    else if (*p < 0x20 || *p == 0x7f)
      ww_buf_fmt(out, "\\x%02x", *p);
    else
      ww_buf_add(out, p, 1);
  ww_buf_puts(out, "\"");
}

/* %name.index or @name.index; what a word cannot hold becomes '_'. */
static void put_ref(ww_buf *out, char sigil, const char *name, uint32_t index) {
  ww_buf_fmt(out, "%c", sigil);
  for (const char *p = name ? name : ""; *p; p++)
    ww_buf_fmt(out, "%c", ww_ir_word_char(*p) ? *p : '_');
  ww_buf_fmt(out, name && *name ? ".%" PRIu32 : "%" PRIu32, index);
}

static void put_global(ww_buf *out, const char *name) {
  bool plain = name && *name;
  for (const char *p = name ? name : ""; *p; p++)
    plain = plain && ww_ir_word_char(*p);
  ww_buf_puts(out, "$");
  if (plain)
    ww_buf_puts(out, name);
  else
    put_string(out, name ? name : "");
}

/* What a parameter or a function has: a word, and what belongs to it; nothing where it
 * has not. */
static void put_flag(ww_buf *out, const char *word, bool on) {
  if (on)
    ww_buf_fmt(out, " %s", word);
}

static void put_number(ww_buf *out, const char *word, uint32_t n) {
  if (n)
    ww_buf_fmt(out, " %s %" PRIu32, word, n);
}

static void put_three(ww_buf *out, const char *word, const uint32_t n[3]) {
  if (n[0])
    ww_buf_fmt(out, " %s %" PRIu32 " %" PRIu32 " %" PRIu32, word, n[0], n[1], n[2]);
}

static void put_type(ww_buf *out, const char *word, ww_type t) {
  if (t)
    ww_buf_fmt(out, " %s %s", word, ww_type_names[t]);
}

static void put_text(ww_buf *out, const char *word, const char *s) {
  if (!s)
    return;
  ww_buf_puts(out, word);
  put_string(out, s);
}

/* The source's name, where it is not what the function or symbol is known by. */
static void put_plain_name(ww_buf *out, const char *name, const char *mangled) {
  put_text(out, " ", name && mangled && strcmp(name, mangled) ? name : NULL);
}

static void put_value(printer *p, ww_val v) {
  put_ref(p->out, '%', v < p->fn->nvals ? p->fn->vals[v].name : NULL, v);
}

static void put_block(printer *p, const char *before, uint64_t b) {
  put(p, before);
  put_ref(p->out, '@', b < p->fn->nblocks ? p->fn->blocks[b].name : NULL, b);
}

/* ---- literals ---- */

/* The fewest digits that read back as the same bits; a decimal point or exponent marks
 * it as no integer. */
static void put_double(ww_buf *out, double v, bool single) {
  char s[40];
  for (int digits = 1; digits <= 17; digits++) {
    snprintf(s, sizeof s, "%.*g", digits, v);
    if (single ? strtof(s, NULL) == (float)v : strtod(s, NULL) == v)
      break;
  }
  ww_buf_puts(out, s);
  if (!strpbrk(s, ".e"))
    ww_buf_puts(out, ".0");
}

static void put_literal(ww_buf *out, ww_type type, uint64_t bits) {
  float f;
  double d;
  uint32_t low = bits;
  memcpy(&f, &low, 4);
  memcpy(&d, &bits, 8);
  if (type == WW_F32 && f - f == 0)
    put_double(out, f, true);
  else if (type == WW_F64 && d - d == 0)
    put_double(out, d, false);
  else if (type == WW_I32)
    ww_buf_fmt(out, "%" PRId32, (int32_t)bits);
  else if (type == WW_I64)
    ww_buf_fmt(out, "%" PRId64, (int64_t)bits);
  else if (ww_is_float(type))
    ww_buf_fmt(out, "0x%" PRIx64, bits);
  else
    ww_buf_fmt(out, "%" PRIu64, bits);
}

static void put_offset(ww_buf *out, uint64_t add) {
  if (add)
    ww_buf_fmt(out, "%+" PRId64, add);
}

static void put_fn(const ww_module *m, uint64_t fn, ww_buf *out) {
  put_global(out, fn < m->nfns ? ww_fn_symbol(&m->fns[fn]) : NULL);
}

static void
put_address(const ww_module *m, bool fn, uint32_t ref, uint64_t add, ww_buf *out) {
  if (fn)
    put_fn(m, ref, out);
  else
    put_global(out, ref < m->nsymbols ? ww_sym_symbol(&m->symbols[ref]) : NULL);
  put_offset(out, add);
}

static void put_val(printer *p, ww_val id, ww_type literal) {
  if (id >= p->fn->nvals) {
    put(p, "%none");
    return;
  }
  const ww_value *v = &p->fn->vals[id];
  switch (v->kind) {
  case WW_VAL_CONST:
    put_literal(p->out, v->type, v->bits);
    break;
  case WW_VAL_SYMBOL:
    put_address(p->m, false, v->ref, v->bits, p->out);
    break;
  case WW_VAL_FN:
    put_fn(p->m, v->ref, p->out);
    break;
  default:
    put_value(p, id);
    return;
  }
  if (v->type != literal)
    ww_buf_fmt(p->out, ":%s", ww_type_names[v->type]);
}

/* ---- instructions ---- */

static void put_results(printer *p, const ww_ins *i) {
  if (i->dst == WW_NOVAL)
    return;
  for (uint32_t k = 0; k < i->nres; k++) {
    ww_val v = i->dst + k;
    if (k)
      put(p, ", ");
    put_value(p, v);
    if (v < p->fn->nvals && p->fn->vals[v].type != ww_ins_result_type(i, k))
      ww_buf_fmt(p->out, ":%s", ww_type_names[p->fn->vals[v].type]);
  }
  if (i->nres)
    put(p, " = ");
}

/* op.sub.space.flags, vector type, source type */
static void put_op(printer *p, const ww_ins *i) {
  ww_sub_names sub = ww_op_sub(i->op);
  put(p, ww_ops[i->op].name);
  if (i->sub != sub.dflt && i->op != WW_OP_SREG) {
    if (sub.names && i->sub < sub.n)
      ww_buf_fmt(p->out, ".%s", sub.names[i->sub]);
    else
      ww_buf_fmt(p->out, ".%u", i->sub);
  }
  if (i->space)
    ww_buf_fmt(p->out, ".%s", ww_space_names[i->space]);
  for (int k = 0; k < 8; k++)
    if (i->flags >> k & 1)
      ww_buf_fmt(p->out, ".%s",
                 1 << k == WW_F_PART && ww_is_part(i) ? "part" : ww_flag_names[k]);
  if (i->type)
    ww_buf_fmt(p->out, " %s", ww_type_names[i->type]);
  if ((i->op == WW_OP_LD || i->op == WW_OP_ST) && i->n != 1)
    ww_buf_fmt(p->out, "x%u", i->n);
  if (i->type2)
    ww_buf_fmt(p->out, " from %s", ww_type_names[i->type2]);
}

/* Operands from number `from` on. */
static void put_list(printer *p, const ww_ins *i, uint32_t from, const char *before) {
  ww_val v[3 + 255];
  uint32_t n = ww_ins_uses(p->fn, i, v, 3 + 255);
  for (uint32_t k = from; k < n; k++) {
    put(p, k > from ? ", " : before);
    put_val(p, v[k], ww_ins_literal_type(i));
  }
}

/* [address + imm], then the other operands */
static void put_memory(printer *p, const ww_ins *i) {
  put(p, " [");
  put_val(p, i->a, WW_I64);
  if (i->imm > 0)
    ww_buf_fmt(p->out, " + %" PRId64, i->imm);
  if (i->imm < 0)
    ww_buf_fmt(p->out, " - %" PRIu64, -(uint64_t)i->imm);
  put(p, "]");
  put_list(p, i, 1, ", ");
}

static void put_call(printer *p, const ww_ins *i) {
  bool indirect = i->op == WW_OP_CALLI;
  put(p, " ");
  if (indirect)
    put_val(p, i->a, WW_I64);
  else
    put_fn(p->m, i->imm, p->out);
  put(p, "(");
  put_list(p, i, indirect, "");
  put(p, ")");
}

static void put_switch(printer *p, const ww_ins *i) {
  const uint32_t *pair = p->fn->pool + i->ext;
  put(p, " ");
  put_val(p, i->a, ww_ins_literal_type(i));
  put_block(p, ", ", i->imm);
  for (uint32_t k = 0; k < i->n; k++, pair += 2) {
    put(p, ", ");
    put_val(p, pair[0], ww_ins_literal_type(i));
    put_block(p, " ", pair[1]);
  }
}

static void put_branch(printer *p, const ww_ins *i) {
  put(p, " ");
  if (i->op == WW_OP_CBR)
    put_val(p, i->a, WW_I1);
  put_block(p, i->op == WW_OP_CBR ? ", " : "", i->imm);
  if (i->op == WW_OP_CBR)
    put_block(p, ", ", i->ext);
  if (i->n)
    ww_buf_fmt(p->out, " #%u", i->n);
}

static void put_operands(printer *p, const ww_ins *i) {
  switch (i->op) {
  case WW_OP_LD:
  case WW_OP_ST:
  case WW_OP_ATOM:
  case WW_OP_CAS:
  case WW_OP_MBAR:
  case WW_OP_MWAIT:
    put_memory(p, i);
    return;
  case WW_OP_CALL:
  case WW_OP_CALLI:
    put_call(p, i);
    return;
  case WW_OP_SWITCH:
    put_switch(p, i);
    return;
  case WW_OP_BR:
  case WW_OP_CBR:
    put_branch(p, i);
    return;
  case WW_OP_SREG:
    ww_buf_fmt(p->out, " %s", i->sub < WW_NSREGS ? ww_sreg_names[i->sub] : "?");
    break;
  default:
    put_list(p, i, 0, " ");
    break;
  }
  if (i->imm)
    ww_buf_fmt(p->out, " #%" PRId64, i->imm);
}

void ww_ir_print_ins(const ww_module *m,
                     const ww_fn *fn,
                     const ww_ins *i,
                     ww_buf *out) {
  printer p = {m, fn, out};
  put_results(&p, i);
  put_op(&p, i);
  put_operands(&p, i);
}

static void put_ins(printer *p, const ww_ins *i) {
  put(p, "  ");
  ww_ir_print_ins(p->m, p->fn, i, p->out);
  uint32_t at = i->loc;
  for (int n = 0; at && at < p->m->nlocs && n < WW_MOST_CALLERS; n++) {
    ww_loc l = p->m->locs[at];
    put(p, n ? "" : "  ");
    if (l.file)
      ww_buf_fmt(p->out, "!%" PRIu32 ":%" PRIu32, l.file, l.line);
    else
      ww_buf_fmt(p->out, "!%" PRIu32, l.line);
    at = l.caller;
  }
  put(p, "\n");
}

static void put_phi(printer *p, const ww_phi *phi) {
  ww_type type = phi->dst < p->fn->nvals ? p->fn->vals[phi->dst].type : WW_VOID;
  put(p, "  ");
  put_value(p, phi->dst);
  ww_buf_fmt(p->out, " = phi %s", ww_type_names[type]);
  for (uint32_t k = 0; k < phi->n; k++) {
    put_block(p, " [", ww_phi_from(p->fn, phi, k));
    put(p, " ");
    put_val(p, ww_phi_value(p->fn, phi, k), type);
    put(p, "]");
  }
  put(p, "\n");
}

/* ---- functions ---- */

static void put_param(printer *p, uint32_t k) {
  const ww_param *q = &p->fn->params[k];
  ww_buf *out = p->out;
  ww_buf_puts(out, "  param ");
  put_value(p, k);
  ww_buf_fmt(out, " %s ", ww_type_names[q->type]);
  put_string(out, q->name ? q->name : "");
  put_text(out, " ", q->ctype);
  put_flag(out, "pointer", q->pointer);
  if (q->space)
    ww_buf_fmt(out, " %s", ww_space_names[q->space]);
  put_flag(out, "byval", q->byval);
  put_flag(out, "readonly", q->readonly);
  put_type(out, "elem", q->elem);
  put_number(out, "elem_size", q->elem_size);
  put_number(out, "size", q->size);
  put_number(out, "align", q->align);
  ww_buf_puts(out, "\n");
}

static void put_head(const ww_fn *fn, ww_buf *out) {
  ww_buf_puts(out, "fn ");
  put_global(out, ww_fn_symbol(fn));
  put_plain_name(out, fn->name, fn->mangled);
  put_flag(out, "kernel", fn->kernel);
  put_type(out, "ret", fn->ret);
  put_text(out, " file ", fn->file);
  put_number(out, "line", fn->line);
  put_number(out, "local", fn->local_bytes);
  put_number(out, "shared", fn->shared_bytes);
  if (fn->max_threads || fn->min_blocks)
    ww_buf_fmt(out, " bounds %" PRIu32 " %" PRIu32, fn->max_threads, fn->min_blocks);
  put_three(out, "reqd", fn->req_block);
  put_three(out, "cluster", fn->cluster);
  put_text(out, " refusal ", fn->refusal);
  ww_buf_puts(out, " {\n");
}

void ww_ir_print_fn(const ww_module *m, const ww_fn *fn, ww_buf *out) {
  printer p = {m, fn, out};
  put_head(fn, out);
  for (uint32_t k = 0; k < fn->nparams; k++)
    put_param(&p, k);
  for (uint32_t b = 0; b < fn->nblocks && !fn->refusal; b++) {
    put_block(&p, "", b);
    ww_buf_puts(out, ":\n");
    for (uint32_t k = 0; k < fn->blocks[b].nphis; k++)
      put_phi(&p, &fn->blocks[b].phis[k]);
    for (uint32_t k = 0; k < fn->blocks[b].nins; k++)
      put_ins(&p, &fn->blocks[b].ins[k]);
  }
  ww_buf_puts(out, "}\n");
}

/* ---- modules ---- */

static void put_symbol(const ww_module *m, const ww_symbol *s, ww_buf *out) {
  ww_buf_puts(out, "symbol ");
  put_global(out, ww_sym_symbol(s));
  put_plain_name(out, s->name, s->mangled);
  ww_buf_fmt(out, " %s", ww_space_names[s->space]);
  put_flag(out, "dynamic", s->dynamic);
  ww_buf_fmt(out, " size %" PRIu64 " align %" PRIu32, s->size, s->align);
  if (s->init) {
    uint64_t n = s->size;
    while (n && !s->init[n - 1])
      n--; /* the rest is zeros */
    ww_buf_puts(out, " init \"");
    for (uint64_t k = 0; k < n; k++)
      ww_buf_fmt(out, "%02x", s->init[k]);
    ww_buf_puts(out, "\"");
  }
  for (uint32_t k = 0; k < s->nrelocs; k++) {
    const struct ww_reloc *r = &s->relocs[k];
    ww_buf_fmt(out, " reloc %" PRIu64 " ", r->at);
    put_address(m, r->fn, r->ref, r->add, out);
  }
  ww_buf_puts(out, "\n");
}

void ww_ir_print_module(const ww_module *m, ww_buf *out) {
  ww_buf_fmt(out, "module %s warp %" PRIu32 "%s\n", ww_dialect_names[m->dialect],
             m->warp, m->compiled ? " compiled" : "");
  for (uint32_t k = 0; k < m->nfiles; k++) {
    put_text(out, "file ", m->files[k]);
    ww_buf_puts(out, "\n");
  }
  for (uint32_t k = 0; k < m->nsymbols; k++)
    put_symbol(m, &m->symbols[k], out);
  for (uint32_t k = 0; k < m->nfns; k++) {
    ww_buf_puts(out, "\n");
    ww_ir_print_fn(m, &m->fns[k], out);
  }
}
