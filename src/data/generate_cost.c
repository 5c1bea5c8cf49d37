/* generate_cost.c - how long a launch of a tree will take, from the tree alone: good to
 * a factor of two or three.
 *
 * Each line becomes a row once: instructions, dependent cycles, accesses. A launch
 * walks the rows with the loops' trip counts and takes the largest of: dependent cycles
 * of a thread times rounds of blocks, instruction slots, load/store slots, L2 and DRAM
 * bytes, atomics, starting blocks. The figures are an H200's. Only + - * / on doubles:
 * the same everywhere. */
#include "generate_int.h"

#ifdef __clang__ /* others do not contract in standard C */
#pragma STDC FP_CONTRACT OFF
#endif

#include <ctype.h>
#include <stdlib.h>

#include "../base/words.h"

#define CYCLES_PER_US 1980.0
#define FLOOR_US 1.6
#define TABLE_IN_L1 131072.0
#define LOCAL (-2) /* as a buffer: an array of the thread's own */

typedef struct {
  int8_t param; /* buffer; -1: shared array; LOCAL */
  char how;     /* c b h r t s p q k */
  bool waits, atomic, store;
  uint8_t by; /* 'p': the parameter that is the stride */
  double stride;
} access_info;

typedef struct {
  const gen_line *line;
  double issue, latency;
  access_info access[6];
  uint8_t naccess;
  bool loop;
} row;

struct gen_cost {
  const gen *g;
  row *rows;
  uint32_t n;
};

/* ---- sizes as texts ---- */

typedef struct {
  const gen *g;
  const gen_sizes *z;
  const char *s;
} reader;

static int param_at(const gen *g, const char *s, size_t n) {
  for (uint32_t i = 0; i < g->nparams; i++)
    if (!strncmp(g->params[i].name, s, n) && !g->params[i].name[n])
      return i;
  return -1;
}

static double name_value(reader *r, const char *s, size_t n) {
  const gen_sizes *z = r->z;
  if (n == 2 && s[1] >= 'X' && s[1] <= 'Z')
    return (s[0] == 'T' ? z->block : z->grid)[s[1] - 'X'];
  if (n == 1 && *s == 'T')
    return ww_gen_volume(z->block);
  if (n == 1 && *s == 'G')
    return ww_gen_volume(z->grid);
  if (n == 1 && *s == 'S')
    return z->block[0] * z->grid[0];
  int at = param_at(r->g, s, n);
  return at < 0 ? 1 : z->value[at];
}

static double sum(reader *r);

static double number(reader *r) {
  double v = 0;
  double unit = 1;
  while (ww_is_digit(*r->s))
    v = v * 10 + (*r->s++ - '0');
  if (*r->s == '.')
    for (r->s++; ww_is_digit(*r->s); r->s++)
      v += (unit /= 10) * (*r->s - '0');
  return v;
}

static double atom(reader *r) {
  if (*r->s == '(') {
    r->s++;
    double v = sum(r);
    r->s += *r->s == ')';
    return v;
  }
  if (ww_is_digit(*r->s))
    return number(r);
  const char *from = r->s;
  r->s += ww_word_length(r->s);
  return name_value(r, from, r->s - from);
}

static double product(reader *r) {
  double v = atom(r);
  while (*r->s == '*' || *r->s == '/') {
    bool times = *r->s++ == '*';
    double b = atom(r);
    v = times ? v * b : v / (b > 0 ? b : 1);
  }
  return v;
}

static double sum(reader *r) {
  double v = product(r);
  while (*r->s == '+' || *r->s == '-') {
    bool plus = *r->s++ == '+';
    double b = product(r);
    v = plus ? v + b : v - b;
  }
  return v;
}

double ww_gen_eval(const gen *g, const char *expr, const gen_sizes *z) {
  reader r = {g, z, expr};
  return sum(&r);
}

static void evaluate(const gen *g, gen_role role, gen_sizes *z) {
  for (uint32_t i = 0; i < g->nparams; i++)
    if (g->params[i].role == role)
      z->value[i] = ww_gen_eval(g, g->params[i].expr, z);
}

void ww_gen_counts(const gen *g, gen_sizes *z) {
  evaluate(g, GEN_EXPR, z);
  evaluate(g, GEN_BUFFER, z);
}

/* Of an argument; 0 where it is no buffer. */
static double bytes_of(const gen *g, const gen_sizes *z, uint32_t i) {
  const gen_param *p = &g->params[i];
  return p->role == GEN_BUFFER ? z->value[i] * ww_gen_types[p->type].bytes : 0;
}

double ww_gen_bytes(const gen *g, const gen_sizes *z) {
  double bytes = 0;
  for (uint32_t i = 0; i < g->nparams; i++)
    bytes += bytes_of(g, z, i);
  return bytes;
}

/* ---- lines to rows ---- */

static void read_access(const gen *g, row *r, const char *s, size_t n, int param) {
  access_info *a = &r->access[r->naccess < 6 ? r->naccess++ : 5];
  *a = (access_info){.param = param, .how = 'c', .stride = 1};
  if (n > 2) {
    const char *p = s + 2;
    a->waits = *p == 'd';
    p += a->waits;
    a->atomic = *p == 'a';
    p += a->atomic;
    a->how = *p;
    if (*p == 's' || *p == 'k')
      a->stride = atoi(p + 1) > 0 ? atoi(p + 1) : 1;
    if (*p == 'p') {
      int by = param_at(g, p + 1, ww_word_length(p + 1));
      a->by = by < 0 ? 0 : by;
      if (by < 0)
        a->how = 'c';
    }
  }
  r->issue += param < 0 ? 1.3 : 2.2;
}

/* Instructions of a division: by a literal, of floats, of integers, for 64 bits. */
static double division(const gen *g, const char *after, const char *line, char op) {
  const char *before = after - 2;
  while (*after == ' ')
    after++;
  while (before > line && *before == ' ')
    before--;
  if (ww_is_digit(*after) && (*before == 'f' || ww_is_digit(*before)))
    return 0; /* folded */
  bool integer = op == '%' || !ww_gen_is_float(g->type) || !strncmp(line, "int ", 4) ||
                 !strncmp(line, "for", 3);
  if (integer && ww_is_digit(*after))
    return 4;
  if (integer)
    return g->type == GEN_U64 || g->type == GEN_I64 ? 80 : 22;
  return g->type == GEN_F64 ? 30 : 10;
}

static row make_row(const gen *g, const gen_line *l) {
  row r = {.line = l};
  const char *s = l->text;
  double wide = g->type == GEN_F64                         ? 2
                : g->type == GEN_U64 || g->type == GEN_I64 ? 2.2
                                                           : 1;
  bool is_float = ww_gen_is_float(g->type), local = false, first = true;
  int last = -1;
  r.loop = l->kind == GEN_OPEN && (!strncmp(s, "for", 3) || !strncmp(s, "while", 5));
  if (*s == '#' || !strncmp(s, "//", 2))
    return r;
  if (l->kind == GEN_OPEN)
    r.issue = 2;
  for (size_t n; (n = ww_gen_token(s)); s += n) {
    if (*s == ' ')
      continue;
    double issue = 0;
    double latency = 0;
    if (*s == '[' && n > 2 && s[2] == 'v')
      continue; /* in registers */
    if (*s == '[') {
      read_access(g, &r, s, n, last >= 0 ? last : local ? LOCAL : -1);
      access_info *a = &r.access[r.naccess - 1];
      a->store = first && l->kind == GEN_LINE && s > l->text && !a->atomic &&
                 isalpha((unsigned char)l->text[0]) && s - l->text < 20 &&
                 !memchr(l->text, ' ', s - l->text);
      first = false;
    } else if (*s == '$')
      ww_gen_function_cost(s + 1, n - 1, &issue, &latency);
    else if (*s == '/' || *s == '%') {
      issue = division(g, s + 1, l->text, *s);
      latency = issue * 4;
    } else if (strchr("+-*&|^<>?", *s) && s[1] != '=' && s[1] != *s) {
      issue = *s == '*' && is_float ? 0.5 * wide : wide;
      latency = 3 * wide;
    } /* half of them become part of an FMA */
    last = isalpha((unsigned char)*s) ? param_at(g, s, n) : -1;
    local = n == 3 && !memcmp(s, "buf", 3);
    r.issue += issue;
    r.latency += latency;
  }
  if (l->kind == GEN_LINE && r.issue < 0.5)
    r.issue = 0.5;
  if (r.loop) {
    r.issue = ww_is_digit(l->weight[0]) ? 0.7 : 3;
    r.latency = 0;
  }
  return r;
}

gen_cost *ww_gen_cost_new(const gen *g, ww_arena *a) {
  gen_cost *c = WW_NEW(a, gen_cost);
  c->g = g;
  c->rows = WW_NEWN(a, row, g->lines.n + 1);
  for (uint32_t i = 0; i < g->lines.n; i++)
    if (g->lines.v[i].only != 2)
      c->rows[c->n++] = make_row(g, &g->lines.v[i]);
  return c;
}

/* ---- a launch ---- */

typedef struct {
  double weight, trips; /* of the whole frame for issue; of this loop for latency */
  /* of one run: dependent cycles, and the longest load that can run ahead */
  double latency, load;
  bool loop, serial;
  bool rare; /* its latency counts by `trips` */
} frame;

typedef struct {
  const gen_cost *c;
  const gen_sizes *z;
  double sectors[GEN_MAX_PARAMS]; /* per warp, over all its accesses */
  double load_latency[GEN_MAX_PARAMS];
  double issue, slots, atomics; /* per warp */
  double local;                 /* bytes of local memory, per warp */
  double latency;
  double narrow; /* part of the blocks that has work */
  bool skewed;   /* indices from a Zipf distribution: atomics meet */
} tally;

static double sectors_of(const access_info *a, double bytes, const gen_sizes *z) {
  char how = a->how;
  double stride = how == 'p' ? z->value[a->by] : a->stride;
  double n = how == 'b' ? 1
             : how == 'r' || how == 't'
                 ? 32
                 : bytes * (how == 's' || how == 'p' ? stride : 1);
  double most = bytes > 32 ? bytes : 32;
  return n > most ? most : n < 1 ? 1 : n;
}

static void count_access(tally *t, const access_info *a, frame *f) {
  int8_t param = a->param;
  char how = a->how;
  if (param == LOCAL) {
    t->slots += f->weight;
    t->local += f->weight * 128;
    if (!a->store)
      f->latency += 40;
    return;
  }
  if (param < 0) {
    double ways = how == 'k' ? a->stride : 1;
    t->slots += f->weight * (a->atomic ? ways * 4 : ways);
    if (!a->store)
      f->latency += a->atomic ? 60 * ways : 14 + 2 * ways;
    return;
  }
  double bytes = ww_gen_types[t->c->g->params[param].type].bytes;
  double n = sectors_of(a, bytes, t->z);
  bool held = how == 't' && t->z->value[param] * bytes < TABLE_IN_L1;
  t->slots += f->weight * (how == 'q' ? 16 : n / 4 > 1 ? n / 4 : 1);
  if (a->atomic) {
    /* additions a cycle that so few addresses take; most go to a few of them */
    double few = t->z->value[param] * 0.05;
    if (a->waits)
      f->latency += 700;
    t->atomics +=
        f->weight *
        (how == 'b' ? 1.5 : (few < 40 ? 40 / (few + 0.7) : 1) * (t->skewed ? 8 : 1));
    return;
  }
  if (how != 'h' && !held)
    t->sectors[param] += f->weight * (how == 'q' ? 3 * n : n);
  double latency = how == 'h'   ? 36
                   : held       ? 60
                   : how == 'q' ? 36 + t->load_latency[param] * bytes / 32
                                : t->load_latency[param];
  if (a->store)
    return;
  if (a->waits)
    f->latency += latency;
  else if (latency > f->load)
    f->load = latency;
}

static double frame_latency(const frame *f) {
  if (!f->loop)
    return f->latency + f->load;
  double ahead = f->serial || f->trips < 2 ? 1 : 1.5;
  return f->trips * (f->latency + f->load / ahead + 6);
}

static void close_frame(frame *stack, uint32_t *depth) {
  double inner = frame_latency(&stack[*depth]);
  if (stack[*depth].rare)
    inner *= stack[*depth].trips;
  stack[--*depth].latency += inner;
}

/* A loop that deals elements out to the whole grid, thread by thread or block by block:
 * below one trip some blocks get none. */
static bool shares_out(const char *loop) {
  return strstr(loop, "+= $sx") || strstr(loop, "+= ($sx)") || strstr(loop, "+= $Gx");
}

static void walk(tally *t) {
  frame stack[16] = {{.weight = 1, .trips = 1}};
  uint32_t depth = 0;
  for (uint32_t i = 0; i < t->c->n; i++) {
    const row *r = &t->c->rows[i];
    uint8_t kind = r->line->kind;
    if (kind == GEN_CLOSE || kind == GEN_ELSE)
      close_frame(stack, &depth);
    if ((kind == GEN_OPEN || kind == GEN_ELSE) && depth < 15) {
      double w = r->line->weight ? ww_gen_eval(t->c->g, r->line->weight, t->z) : 1;
      frame *up = &stack[depth++];
      if (r->loop && up->weight >= 1 && w < t->narrow && shares_out(r->line->text))
        t->narrow = w;
      stack[depth] = (frame){.weight = up->weight * w,
                             .trips = r->loop && w < 1 ? 1 : w,
                             .loop = r->loop,
                             .serial = r->line->serial,
                             .rare = r->line->rare && !r->loop && w < 1};
    }
    frame *f = &stack[depth];
    t->issue += r->issue * f->weight;
    f->latency += r->latency;
    for (uint32_t k = 0; k < r->naccess; k++)
      count_access(t, &r->access[k], f);
  }
  while (depth)
    close_frame(stack, &depth);
  t->latency = frame_latency(&stack[0]);
}

/* DRAM and L2 bytes of all buffers from the sectors that warps ask for; caches start
 * cold. */
static void traffic(const tally *t, double warps, double *l2, double *dram) {
  const gen *g = t->c->g;
  double all = ww_gen_bytes(g, t->z);
  double cache = t->z->l2;
  *l2 = *dram = 0;
  for (uint32_t i = 0; i < g->nparams; i++) {
    double bytes = bytes_of(g, t->z, i);
    double asked = t->sectors[i] * warps * 32;
    if (g->params[i].role != GEN_BUFFER || !(t->sectors[i] > 0))
      continue;
    double once = asked < bytes ? asked : bytes;
    double again = asked > once && all > cache ? (asked - once) * (1 - cache / all) : 0;
    *l2 += asked;
    *dram += once + again * 1.2;
  }
}

static double resident_blocks(const gen *g, double warps) {
  double by_warps = 64 / warps;
  double by_shared = 230000.0 / (g->shared + 1024);
  double n = by_warps < 32 ? by_warps : 32;
  if (by_shared < n)
    n = by_shared;
  return n < 1 ? 1 : n;
}

static double whole_up(double v) {
  return v > 1e15 ? v : (uint64_t)(v + 0.999999);
}

double ww_gen_cost_us(const gen_cost *c, const gen_sizes *z) {
  const gen *g = c->g;
  tally t = {
      .c = c,
      .z = z,
      .narrow = 1,
  };
  double blocks = ww_gen_volume(z->grid);
  double warps = whole_up((double)ww_gen_volume(z->block) / 32);
  double all = ww_gen_bytes(g, z);
  for (uint32_t i = 0; i < g->nparams; i++) {
    t.skewed |= g->params[i].fill == WW_FILL_ZIPF;
    t.load_latency[i] = bytes_of(g, z, i) < 65536 ? 60 : all > z->l2 ? 800 : 500;
  }
  walk(&t);
  double l2;
  double dram;
  double per_sm = whole_up(blocks / z->sms);
  double resident = resident_blocks(g, warps);
  double busy = ww_gen_families[g->family].since > 1
                    ? whole_up(blocks * t.narrow / z->sms)
                    : per_sm; /* version 1 stays */
  double rounds = busy / resident < 4 ? whole_up(busy / resident) : busy / resident;
  traffic(&t, blocks * warps, &l2, &dram);
  l2 += t.local * blocks * warps * 1.5; /* the arrays of a full SM rarely fit L1 */
  double v[] = {rounds * (t.latency + 700),
                per_sm * warps * t.issue / 4 * 1.1,
                per_sm * warps * t.slots,
                l2 / 4000,
                dram / 1900,
                t.atomics * 32 * blocks * warps / 40,
                blocks * 1.2};
  double most = 0;
  for (size_t i = 0; i < sizeof v / sizeof *v; i++)
    most = v[i] > most ? v[i] : most;
  return FLOOR_US + most * ww_gen_families[g->family].factor / CYCLES_PER_US;
}
