/* sass.c - nvdisasm's text to instructions, blocks and loops.
 *
 * The text is line by line: `//## File "x.cu", line 7` before the instructions of a
 * line, `.L_x_3:` before what a branch leads to, one instruction a line behind its
 * address. A kernel ends with its section; functions that it calls stand behind it in
 * the same one. */
#include "sass.h"

#include <ctype.h>

const char *const sass_kind_names[SASS_KINDS] = {
#define KIND(name, text) text,
#include "sass.def"
};

static const struct {
  const char *begin;
  sass_kind kind;
} ops[] = {
#define OP(begin, kind) {begin, SASS_##kind},
#include "sass.def"
};

static uint8_t kind_of(const char *op) {
  uint32_t k = 0;
  while (strncmp(op, ops[k].begin, strlen(ops[k].begin)))
    k++;
  return ops[k].kind;
}

/* A lane's bytes of a load or store: its modifiers say, four otherwise. */
static uint32_t bytes_of(const sass_ins *i) {
  if ((i->kind < SASS_LDG || i->kind > SASS_LOCAL) || !strncmp(i->op, "LDSM", 4))
    return 0;
  const char *m = i->op;
  if (strstr(m, ".128"))
    return 16;
  if (strstr(m, ".64"))
    return 8;
  if (strstr(m, ".U8") || strstr(m, ".S8"))
    return 1;
  return strstr(m, ".U16") || strstr(m, ".S16") ? 2 : 4;
}

typedef struct {
  const char *name;
  uint32_t at;
} label;

typedef struct {
  ww_arena *a;
  const char *file;
  uint32_t line;
  WW_VEC(sass_ins) ins;
  WW_VEC(label) labels;
  WW_VEC(const char *) targets; /* per instruction: the name it branches to */
} reader;

static void read_line(reader *r, const char *s) {
  const char *path = strchr(s, '"');
  const char *end = path ? strchr(path + 1, '"') : NULL;
  const char *number = end ? strstr(end, "line ") : NULL;
  if (!number)
    return;
  r->file = ww_strndup(r->a, path + 1, end - path - 1);
  r->line = atoi(number + 5);
}

/* The first name in `(...)`; NULL: none. */
static const char *target_in(reader *r, const char *text) {
  const char *p = strstr(text, "`(");
  return p ? ww_strndup(r->a, p + 2, strcspn(p + 2, ")")) : NULL;
}

static void read_ins(reader *r, const char *s) {
  sass_ins i = {.file = r->file, .line = r->line, .target = SASS_NONE};
  const char *end = strchr(s, ';');
  i.text = ww_strndup(r->a, s, end ? (size_t)(end - s) : strlen(s));
  const char *op = i.text;
  if (*op == '@') {
    i.guarded = strncmp(op, "@!PT", 4) && strncmp(op, "@PT", 3);
    op += strcspn(op, " ");
    op += strspn(op, " ");
  }
  i.op = ww_strndup(r->a, op, strcspn(op, " ;"));
  i.kind = kind_of(i.op);
  i.bytes = bytes_of(&i);
  const char *to = target_in(r, i.text);
  if (!strncmp(i.op, "CALL", 4)) {
    i.callee = to ? to : "";
    to = NULL;
  } else if (!strncmp(i.op, "BSSY", 4) || !strncmp(i.op, "MOV", 3))
    to = NULL;
  ww_push(r->a, &r->targets, to);
  ww_push(r->a, &r->ins, i);
}

static void read_text(reader *r, const char *text) {
  for (const char *s = text; *s;) {
    size_t n = strcspn(s, "\n");
    const char *line = ww_strndup(r->a, s, n);
    const char *p = line + strspn(line, " \t");
    s += n + (s[n] == '\n');
    if (ww_starts(p, "//-----"))
      return;
    if (ww_starts(p, "//##"))
      read_line(r, p);
    else if (ww_starts(p, "/*")) {
      p = strstr(p, "*/");
      if (p)
        read_ins(r, p + 2 + strspn(p + 2, " \t{"));
    } else if (*p && p[strlen(p) - 1] == ':')
      ww_push(r->a, &r->labels,
              (label){ww_strndup(r->a, p, strlen(p) - 1), r->ins.n});
  }
}

static uint32_t find_label(const reader *r, const char *name) {
  for (uint32_t k = 0; name && k < r->labels.n; k++)
    if (!strcmp(r->labels.v[k].name, name))
      return r->labels.v[k].at;
  return SASS_NONE;
}

/* ---- blocks ---- */

static bool ends(const sass_ins *i) {
  return i->target != SASS_NONE || ww_starts(i->op, "EXIT") ||
         ww_starts(i->op, "RET") || ww_starts(i->op, "BRX") || ww_starts(i->op, "BRA");
}

static bool goes_on(const sass_ins *i) {
  return i->guarded || !ends(i);
}

static void make_blocks(const reader *r, sass_fn *f) {
  bool *first = WW_NEWN(r->a, bool, f->nins + 1);
  WW_VEC(sass_block) blocks = {0};
  first[0] = true;
  for (uint32_t k = 0; k < r->labels.n; k++)
    first[r->labels.v[k].at] = true;
  for (uint32_t k = 0; k < f->nins; k++)
    if (ends(&f->ins[k]))
      first[k + 1] = true;
  for (uint32_t k = 0; k < f->nins; k++) {
    if (first[k])
      ww_push(r->a, &blocks, (sass_block){.first = k});
    f->ins[k].block = blocks.n - 1;
    blocks.v[blocks.n - 1].end = k + 1;
  }
  f->blocks = blocks.v;
  f->nblocks = blocks.n;
}

static void add_succ(sass_fn *f, sass_block *b, uint32_t ins) {
  if (ins < f->nins)
    b->succ[b->nsucc++] = f->ins[ins].block;
}

/* A jump through a table names all its targets in a comment. */
static void add_table(const reader *r, sass_fn *f, sass_block *b, const char *text) {
  for (const char *p = text; (p = strstr(p, ".L_x_"));) {
    size_t n = strcspn(p, ", \"*)");
    add_succ(f, b, find_label(r, ww_strndup(r->a, p, n)));
    p += n;
  }
}

static void connect(const reader *r, sass_fn *f) {
  for (uint32_t k = 0; k < f->nblocks; k++) {
    sass_block *b = &f->blocks[k];
    const sass_ins *i = &f->ins[b->end - 1];
    b->succ = WW_NEWN(r->a, uint32_t, 2 + strlen(i->text) / 5);
    if (ww_starts(i->op, "BRX"))
      add_table(r, f, b, i->text);
    else if (i->target != SASS_NONE)
      add_succ(f, b, i->target);
    if (goes_on(i))
      add_succ(f, b, b->end);
  }
}

/* ---- dominators, loops ---- */

static bool dominates(const sass_fn *f, uint32_t a, uint32_t b) {
  while (b != a && f->blocks[b].idom != b)
    b = f->blocks[b].idom;
  return a == b;
}

/* Blocks of `set` are those that the entry reaches without passing `without`. */
static void reach(const sass_fn *f, uint32_t from, uint32_t without, bool *set) {
  if (from == without || set[from])
    return;
  set[from] = true;
  for (uint32_t k = 0; k < f->blocks[from].nsucc; k++)
    reach(f, f->blocks[from].succ[k], without, set);
}

static void find_dominators(sass_fn *f, ww_arena *a) {
  bool *all = WW_NEWN(a, bool, f->nblocks);
  bool *set = WW_NEWN(a, bool, f->nblocks);
  uint32_t *depth = WW_NEWN(a, uint32_t, f->nblocks);
  reach(f, 0, SASS_NONE, all);
  for (uint32_t b = 0; b < f->nblocks; b++)
    f->blocks[b].idom = b;
  /* Of all that dominate a block, the one that most others dominate is the nearest. */
  for (int round = 0; round < 2; round++)
    for (uint32_t d = 0; d < f->nblocks; d++) {
      memset(set, 0, f->nblocks * sizeof *set);
      reach(f, 0, d, set);
      for (uint32_t b = 0; all[d] && b < f->nblocks; b++) {
        if (!all[b] || set[b] || b == d)
          continue;
        if (!round)
          depth[b]++;
        else if (f->blocks[b].idom == b || depth[d] > depth[f->blocks[b].idom])
          f->blocks[b].idom = d;
      }
    }
}

static void mark_loop(sass_fn *f, uint32_t loop, uint32_t b, const uint32_t *header) {
  if (f->blocks[b].loop == loop)
    return;
  f->blocks[b].loop = loop;
  if (b == header[loop])
    return;
  for (uint32_t p = 0; p < f->nblocks; p++)
    for (uint32_t k = 0; k < f->blocks[p].nsucc; k++)
      if (f->blocks[p].succ[k] == b && dominates(f, header[loop], p))
        mark_loop(f, loop, p, header);
}

/* Outer loops first, so that the innermost has the last word. */
static void find_loops(sass_fn *f, ww_arena *a) {
  uint32_t *header = WW_NEWN(a, uint32_t, f->nblocks + 1);
  for (uint32_t b = 0; b < f->nblocks; b++)
    f->blocks[b].loop = SASS_NONE;
  f->loops = WW_NEWN(a, sass_loop, f->nblocks + 1);
  for (uint32_t h = 0; h < f->nblocks; h++) {
    bool is = false;
    for (uint32_t p = 0; p < f->nblocks; p++)
      for (uint32_t k = 0; k < f->blocks[p].nsucc; k++)
        is |= f->blocks[p].succ[k] == h && dominates(f, h, p);
    if (is)
      header[f->nloops++] = h;
  }
  for (uint32_t i = 0; i < f->nloops; i++)
    for (uint32_t k = i + 1; k < f->nloops; k++)
      if (dominates(f, header[k], header[i])) {
        uint32_t s = header[i];
        header[i] = header[k];
        header[k] = s;
      }
  for (uint32_t l = 0; l < f->nloops; l++) {
    f->loops[l] = (sass_loop){header[l], f->blocks[header[l]].loop};
    for (uint32_t p = 0; p < f->nblocks; p++)
      for (uint32_t k = 0; k < f->blocks[p].nsucc; k++)
        if (f->blocks[p].succ[k] == header[l] && dominates(f, header[l], p)) {
          f->blocks[header[l]].loop = l;
          mark_loop(f, l, p, header);
        }
  }
}

bool sass_in_loop(const sass_fn *f, uint32_t block, uint32_t loop) {
  for (uint32_t l = f->blocks[block].loop; l != SASS_NONE; l = f->loops[l].parent)
    if (l == loop)
      return true;
  return false;
}

bool sass_read(const char *text, const char *kernel, ww_arena *a, sass_fn *out) {
  reader r = {.a = a};
  const char *begin = strstr(text, ww_fmt(a, "\n.text.%s:\n", kernel));
  *out = (sass_fn){0};
  if (!begin)
    return false;
  read_text(&r, begin + strlen(kernel) + 8);
  out->ins = r.ins.v;
  out->nins = r.ins.n;
  if (!out->nins)
    return false;
  for (uint32_t k = 0; k < out->nins; k++)
    out->ins[k].target = find_label(&r, r.targets.v[k]);
  make_blocks(&r, out);
  connect(&r, out);
  find_dominators(out, a);
  find_loops(out, a);
  return true;
}
