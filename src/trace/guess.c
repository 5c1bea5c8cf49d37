/* guess.c - shape and numbers of a launch that were not given.
 *
 * Sizes come first: what ends the grid is about a million elements in all, what a block
 * works on together is a row of 1024, what a thread goes through by itself is shorter
 * where there are more threads. Names decide only where the code does not. A grid that
 * was given is the other way round: sizes follow from it. */
#include "guess.h"

#include "trace.h"

#include <ctype.h>
#include <math.h>

enum {
  ELEMENTS = 1 << 20,   /* that a grid covers */
  SIDE = 1024,          /* of a plane of so many */
  CUBE_SIDE = 128,      /* of a cube, two of its sides */
  CUBE_DEPTH = 64,      /* the third */
  ROWS = 4096,          /* a block for each, or a warp that goes along it */
  WARPS = 16384,        /* things that are no rows, a warp for each */
  LONG_THREADS = 32768, /* each of which goes along a row by itself */
  COLUMNS = 8192,       /* of a matrix, each a thread's */
  SMALL_SIDE = 256,     /* of a plane of which the grid has several */
  ALL_PAIRS = 16384,    /* that each go through all */
  USUAL_ROW = 1024,     /* elements that a block or a warp works on together */
  USUAL_DIVISOR = 32,   /* an extent or stride in a struct */
  OWN_ROW = 128,        /* elements that a thread goes through by itself */
  PRODUCT_SIDE = 32,    /* of two sizes of which a block works on the product */
  TABLE = 65536,        /* a size that ends nothing */
  PLANES = 16,          /* blocks along an axis that no thread has a part of */
  FILLING = 1 << 17,    /* threads that fill a GPU */
  MOST_THREADS = 1024,
  LANES = 32,
  NARROW = 5,        /* what is no larger by its name is so whatever it ends */
  OMP_THREADS = 128, /* of a team, by LLVM's runtime */
  OMP_TEAMS = 3200
};

/* ---- block ---- */

/* Shapes to try where nothing tells: the next one when shared memory does not fit the
 * last. */
static const uint16_t shapes[3][WW_GUESS_BLOCKS][3] = {
    {{256, 1, 1}, {128, 1, 1}, {64, 1, 1}, {32, 1, 1}, {512, 1, 1}, {1024, 1, 1}},
    {{16, 16, 1}, {32, 8, 1}, {32, 32, 1}, {8, 8, 1}, {32, 4, 1}, {256, 1, 1}},
    {{8, 8, 4}, {4, 4, 4}, {8, 8, 8}, {32, 4, 1}, {16, 16, 1}, {256, 1, 1}}};

bool ww_reads_sreg(const ww_fn *fn, uint32_t sreg) {
  ww_ins_walk w = {.fn = fn};
  for (const ww_ins *i; (i = ww_next_ins(&w));)
    if (i->op == WW_OP_SREG && i->sub == sreg)
      return true;
  return false;
}

static bool has_threads_along(const ww_fn *fn, int d) {
  return ww_reads_sreg(fn, WW_SREG_TID_X + d) || ww_reads_sreg(fn, WW_SREG_NTID_X + d);
}

static bool has_blocks_along(const ww_fn *fn, int d) {
  return ww_reads_sreg(fn, WW_SREG_CTAID_X + d) ||
         ww_reads_sreg(fn, WW_SREG_NCTAID_X + d);
}

/* Of a block of one axis `most` threads, of more as square as may be. */
static void bounded(uint64_t b[3], int axes, uint64_t most) {
  static const uint16_t by[][4] = {/* threads, x, y, z of a block with three axes */
                                   {1024, 16, 8, 8},
                                   {512, 8, 8, 8},
                                   {256, 8, 8, 4},
                                   {128, 8, 4, 4},
                                   {64, 4, 4, 4}};
  b[0] = most;
  b[1] = b[2] = 1;
  for (uint32_t k = 0; axes == 3 && k < WW_COUNT(by); k++)
    if (by[k][0] <= most) {
      for (int d = 0; d < 3; d++)
        b[d] = by[k][d + 1];
      return;
    }
  for (uint64_t x = 32; axes > 1 && x > 1; x /= 2)
    if (most % x == 0 && x * x <= most + x * x / 2) {
      b[0] = x;
      b[1] = most / x;
      return;
    }
}

/* Axes that nothing tells about get what is left of 256 threads. */
static void fill_block(const ww_guess *g, uint64_t b[3]) {
  uint64_t known = 1;
  uint64_t most = g->fn->max_threads ? g->fn->max_threads : MOST_THREADS;
  for (int d = 0; d < 3; d++)
    known *= b[d] ? b[d] : 1;
  uint64_t left = (most < 256 ? most : 256) / known;
  for (int d = 2; d >= 0; d--) {
    if (b[d])
      continue;
    bool more = has_threads_along(g->fn, d);
    bool open = d && !b[d - 1] && has_threads_along(g->fn, d - 1);
    uint64_t n = !more || !left ? 1 : open ? (uint64_t)sqrt((double)left) : left;
    b[d] = n ? n : 1;
    left /= b[d];
  }
}

/* Nothing tells one thread from another and none waits for one: several would all write
 * the same. */
static bool is_for_one_thread(const ww_fn *fn) {
  ww_ins_walk w = {.fn = fn};
  for (const ww_ins *i; (i = ww_next_ins(&w));) {
    uint8_t c = ww_ops[i->op].cls;
    if (i->op == WW_OP_SREG || c == WW_CLASS_ATOMIC || c == WW_CLASS_WARP ||
        c == WW_CLASS_SYNC)
      return false;
  }
  return true;
}

static int thread_axes(const ww_fn *fn) {
  return has_threads_along(fn, 2) ? 3 : has_threads_along(fn, 1) ? 2 : 1;
}

static bool is_told(const ww_guess *g) {
  const uint64_t *t = g->hint.threads;
  uint64_t n = 1;
  uint64_t most = g->fn->max_threads ? g->fn->max_threads : MOST_THREADS;
  for (int d = 0; d < 3; d++)
    n *= t[d] ? t[d] : 1;
  return !g->attempt && (t[0] || t[1] || t[2]) && n <= most;
}

static void assume_shape(ww_guess *g, ww_assumption_kind kind, const uint64_t d[3]) {
  ww_push(g->a, g->said, (ww_assumption){kind, NULL, {d[0], d[1], d[2]}});
}

static void complete_block(ww_guess *g) {
  const ww_fn *fn = g->fn;
  uint64_t *b = g->l->block;
  int axes = thread_axes(fn);
  bool had = b[0];
  bool told = is_told(g);
  bool single = !g->attempt && !fn->max_threads && is_for_one_thread(fn);
  for (int d = 0; had && d < 3; d++)
    if (!b[d])
      b[d] = 1;
  if (had)
    return;
  if (fn->req_block[0])
    for (int d = 0; d < 3; d++)
      b[d] = fn->req_block[d];
  else if (g->m->dialect == WW_OPENMP && !g->attempt)
    bounded(b, 1, OMP_THREADS);
  else if (g->l->threads) {
    bounded(b, axes, g->l->threads);
  } else if (told) {
    memcpy(b, g->hint.threads, sizeof g->hint.threads);
    fill_block(g, b);
  } else if (!g->attempt && fn->max_threads && fn->max_threads <= MOST_THREADS)
    bounded(b, axes, fn->max_threads);
  else if (single)
    bounded(b, 1, 1);
  else
    for (int d = 0; d < 3; d++)
      b[d] = shapes[axes - 1][g->attempt][d];
  bool code =
      fn->req_block[0] || (g->m->dialect != WW_OPENMP &&
                           (told || single || (!g->attempt && fn->max_threads)));
  assume_shape(g, code ? WW_ASSUME_CODE_BLOCK : WW_ASSUME_BLOCK, b);
}

void ww_block_reshape(const uint64_t was[3], uint64_t threads, uint64_t out[3]) {
  uint64_t left = threads;
  for (int d = 0; d < 3; d++) {
    bool last = d == 2 || (d == 1 ? was[2] : was[1] * was[2]) <= 1;
    uint64_t n = was[d] ? was[d] : 1;
    while (!last && n > 1 && (n > left || left % n))
      n /= 2;
    out[d] = last ? left : n;
    left /= out[d];
  }
}

/* Through conversions. */
static bool is_sreg(const ww_ins *const *defs, ww_val v, uint32_t sreg) {
  const ww_ins *i = defs[v];
  while (i && (i->op == WW_OP_ZEXT || i->op == WW_OP_SEXT || i->op == WW_OP_TRUNC ||
               i->op == WW_OP_MOV || i->op == WW_OP_FREEZE))
    i = defs[i->a];
  return i && i->op == WW_OP_SREG && i->sub == sreg;
}

bool ww_counts_threads(const ww_fn *fn, int axis, ww_arena *a) {
  const ww_ins **defs = ww_ir_defs(fn, a);
  ww_ins_walk w = {.fn = fn};
  for (const ww_ins *i; (i = ww_next_ins(&w));) {
    if (i->op != WW_OP_MUL)
      continue;
    for (int k = 0; k < 2; k++)
      if (is_sreg(defs, k ? i->b : i->a, WW_SREG_NTID_X + axis) &&
          (is_sreg(defs, k ? i->a : i->b, WW_SREG_CTAID_X + axis) ||
           is_sreg(defs, k ? i->a : i->b, WW_SREG_NCTAID_X + axis)))
        return true;
  }
  return false;
}

/* ---- numbers ---- */

/* The name is one of these words, or has one of more than two letters in it. */
static bool named(const char *name, const char *words) {
  char low[64];
  char word[16];
  size_t n = 0;
  for (; name[n] && n + 1 < sizeof low; n++)
    low[n] = tolower((unsigned char)name[n]);
  low[n] = 0;
  for (; sscanf(words, "%15s", word) == 1; words = strstr(words, word) + strlen(word))
    if (strlen(word) > 2 ? strstr(low, word) != NULL : !strcmp(low, word))
      return true;
  return false;
}

typedef enum { ANY, LOOP, NO_LOOP } when;

static const struct {
  uint32_t value;
  when when;
  const char *names;
} priors[] = {
#define PRIOR(value, when, names) {value, when, names},
#include "priors.def"
};

static uint64_t prior(const char *name, const ww_size_use *u) {
  for (uint32_t k = 0; k < WW_COUNT(priors); k++)
    if ((priors[k].when == ANY || (priors[k].when == LOOP) == u->loop) &&
        named(name, priors[k].names))
      return priors[k].value;
  return 0;
}

static const char widths[] = "width cols ncol pitch nx w ld lda ldb ldc x dx";
static const char heights[] = "height rows nrow ny h y dy";
static const char depths[] = "depth nz d z dz";
static const char blocks[] = "blocks groups teams";
static const char threads[] = "threads workers";

static bool is_number(const ww_guess *g, uint32_t p) {
  return !g->fn->params[p].pointer && !g->fn->params[p].byval;
}

/* The launch has one axis, and sizes by their names are those of a plane: the threads
 * cover it in one row, each thread an element of it. */
static bool flat_plane(const ww_guess *g) {
  bool high = false, wide = false;
  if (has_blocks_along(g->fn, 1))
    return false;
  for (uint32_t p = 0; p < g->fn->nparams; p++) {
    if (!is_number(g, p) || g->use[p].ends == WW_ENDS_BLOCK)
      continue;
    /* a height that a thread goes down by itself is no part of what threads cover */
    bool down = g->use[p].loop && !(g->use[p].ends & WW_ENDS_GRID);
    high |= named(g->fn->params[p].name, heights) && !g->use[p].whole && !down;
    wide |= named(g->fn->params[p].name, widths) && !g->use[p].loop;
  }
  return high && wide;
}

/* Some other number is the length of a row that each thread goes along. */
static bool has_own_rows(const ww_guess *g) {
  for (uint32_t p = 0; p < g->fn->nparams; p++)
    if (is_number(g, p) && g->use[p].loop && !g->use[p].ends &&
        !prior(g->fn->params[p].name, &g->use[p]))
      return true;
  return false;
}

/* Each thread goes down a column of a matrix whose columns the grid covers. */
static bool goes_down(const ww_guess *g) {
  for (uint32_t p = 0; p < g->fn->nparams; p++)
    if (is_number(g, p) && g->use[p].ends & WW_ENDS_GRID && !g->use[p].loop &&
        g->use[p].pitch == WW_OF_TURNS)
      return true;
  return false;
}

/* A block works on rows of a matrix together, several of them: threads along the grid
 * are those rows, or its columns. */
static bool has_shared_rows(const ww_guess *g, const ww_size_use *u) {
  for (uint32_t p = 0; p < g->fn->nparams; p++)
    if (is_number(g, p) && g->use[p].ends == WW_ENDS_BLOCK &&
        (u->pitch == WW_OF_TURNS || g->use[p].pitch & WW_OF_INDICES))
      return true;
  return false;
}

/* Each load tells where the next one is, for a number of turns: few threads wait long.
 */
static bool follows_links(const ww_guess *g) {
  bool linked = false, turns = false;
  for (uint32_t p = 0; p < g->fn->nparams; p++) {
    linked |= g->roles[p].linked && !g->roles[p].rows && !g->roles[p].stored;
    turns |= is_number(g, p) && g->use[p].loop && !g->use[p].ends;
  }
  return linked && turns;
}

/* Blocks that do not know their index take their work from a counter in global memory:
 * one block alone would need none there. */
static bool takes_work(const ww_guess *g) {
  ww_ins_walk w = {.fn = g->fn};
  for (int d = 0; d < 3; d++)
    if (has_blocks_along(g->fn, d))
      return false;
  for (const ww_ins *i; (i = ww_next_ins(&w));)
    if (i->op == WW_OP_ATOM && ww_is_global(i) && i->dst != WW_NOVAL)
      return true;
  return false;
}

/* Threads wait for what others of the grid write: all blocks have to be there at once.
 */
static bool waits(const ww_guess *g) {
  for (uint32_t p = 0; p < g->fn->nparams; p++)
    if (g->roles[p].flag)
      return true;
  return false;
}

/* The number of blocks or threads of a grid that stays as it is for any amount of work.
 */
static bool is_grid_size(const ww_guess *g, uint32_t p, const char *names) {
  const ww_size_use *u = &g->use[p];
  bool whole = names == threads || u->whole || !(u->ends & WW_ENDS_GRID);
  return is_number(g, p) && whole && !u->loop && named(g->fn->params[p].name, names);
}

static int grid_axes(const ww_fn *fn) {
  return has_blocks_along(fn, 2) ? 3 : has_blocks_along(fn, 1) ? 2 : 1;
}

/* A block or a warp works on a row whose length is a number. */
static bool has_rows(const ww_guess *g) {
  for (uint32_t p = 0; p < g->fn->nparams; p++)
    if (is_number(g, p) && g->use[p].ends == WW_ENDS_BLOCK)
      return true;
  return false;
}

/* Each warp has a thing of its own, of which a size says how many there are. */
static bool has_warps_of(const ww_guess *g) {
  for (uint32_t p = 0; p < g->fn->nparams; p++)
    if (is_number(g, p) && g->use[p].whole & WW_BY_WARPS)
      return true;
  return false;
}

/* The grid has planes one behind the other (channels, images of a batch), and x covers
 * one as a whole. */
static bool has_planes(const ww_guess *g) {
  bool planes = false;
  uint32_t sides = 0;
  for (uint32_t p = 0; p < g->fn->nparams; p++) {
    const ww_size_use *u = &g->use[p];
    bool ends = is_number(g, p) && u->ends & WW_ENDS_GRID;
    planes |= ends && u->whole && !(u->axes & 1);
    sides += ends && !u->whole && u->axes == 1 ? (u->power > 1 ? 2 : 1) : 0;
  }
  return planes && sides > 1;
}

/* What the grid covers along the axis of this size; nobody gave the grid. */
static uint64_t covered(const ww_guess *g, uint32_t p) {
  const ww_size_use *u = &g->use[p];
  int axes = grid_axes(g->fn);
  bool flat = axes == 1 && u->power > 1;
  bool high = axes == 2 && named(g->fn->params[p].name, heights);
  uint8_t shift = u->shift < 8 ? u->shift : 8;
  if (u->whole && !flat &&
      g->m->dialect != WW_OPENMP) /* whose teams share out a loop */
    return !(u->axes & 1)                            ? (high ? SIDE : PLANES)
           : u->whole == WW_BY_WARPS && !has_rows(g) ? (uint64_t)WARPS << shift
                                                     : ROWS;
  if (u->axes == 7)
    return SMALL_SIDE; /* of a cube, all three */
  if (axes == 3 || u->power == 3)
    return u->axes & 4 ? CUBE_DEPTH : CUBE_SIDE;
  if (axes == 2 || u->power == 2 || flat_plane(g))
    return has_planes(g) ? SMALL_SIDE : SIDE;
  if (u->loop)
    return ALL_PAIRS;
  if (u->pitch & WW_OF_INDICES)
    return COLUMNS / 2; /* also the length of rows that threads begin at */
  if ((u->pitch && has_own_rows(g)) || has_shared_rows(g, u))
    return (uint64_t)COLUMNS << shift;
  return has_own_rows(g) || follows_links(g) ? LONG_THREADS
                                             : (uint64_t)ELEMENTS << shift;
}

/* The same of a grid that was given. */
static uint64_t covered_by(const ww_guess *g, uint32_t p) {
  const ww_size_use *u = &g->use[p];
  const ww_launch *l = g->l;
  const char *name = g->fn->params[p].name;
  uint64_t all = ww_volume(l->grid) * ww_volume(l->block);
  uint64_t along[3];
  for (int d = 0; d < 3; d++)
    along[d] = l->grid[d] * l->block[d];
  bool high = named(name, heights), wide = named(name, widths);
  if (u->whole)
    return u->whole & WW_BY_WARPS ? along[0] / LANES : l->grid[0];
  if (u->power > 1)
    return (uint64_t)(u->power == 2 ? sqrt((double)all) : cbrt((double)all));
  if (along[1] < 2 && (high || wide) && flat_plane(g))
    return (uint64_t)sqrt((double)all);
  for (int d = 2; d > 0; d--)
    if (u->axes == 1 << d)
      return along[d];
  if (high)
    return along[1] > 1 ? along[1] : along[0];
  if (named(name, depths))
    return along[2];
  return along[1] > 1 || wide ? along[0] : all;
}

static bool has_width(const ww_guess *g) {
  for (uint32_t p = 0; p < g->fn->nparams; p++)
    if (is_number(g, p) && named(g->fn->params[p].name, widths))
      return true;
  return false;
}

/* Heads and images of a batch have a plane of blocks each; filters are shared out along
 * another axis than x. */
static bool is_plane(const ww_guess *g, const ww_size_use *u, uint64_t usual) {
  bool behind = u->axes && !(u->axes & 1) && !u->whole;
  return grid_axes(g->fn) > 1 && usual <= (behind ? CUBE_DEPTH : u->whole ? PLANES : 0);
}

/* The only number, and each thread of a line goes round so often in steps of the
 * block: all go through all. */
static bool is_lone(const ww_guess *g, uint32_t p) {
  for (uint32_t q = 0; q < g->fn->nparams; q++)
    if (q != p && is_number(g, q) && !ww_is_float(g->fn->params[q].type))
      return false;
  return g->use[p].loop && !g->use[p].ends && grid_axes(g->fn) == 1 &&
         g->hint.items[0] > 1 && !prior(g->fn->params[p].name, &g->use[p]);
}

/* An integer that was not given. */
static uint64_t likely(const ww_guess *g, uint32_t p) {
  const ww_size_use *u = &g->use[p];
  const char *name = g->fn->params[p].name;
  uint64_t usual = prior(name, u);
  bool many = g->had_grid && g->l->grid[0];
  if (usual && usual <= NARROW)
    return usual; /* an index with a radius added is compared with sizes too */
  if (is_grid_size(g, p, blocks))
    return many ? ww_volume(g->l->grid) : ww_guess_filling(g);
  if (is_grid_size(g, p, threads))
    return many ? ww_volume(g->l->grid) * ww_volume(g->l->block) : (uint64_t)FILLING;
  if (usual && !many && is_plane(g, u, usual))
    return usual;
  if (u->ends & WW_ENDS_GRID || (u->ends && takes_work(g)))
    return many ? covered_by(g, p) : covered(g, p);
  if (u->pitch && named(name, "stride") && grid_axes(g->fn) > 1 && !has_width(g))
    return SIDE;
  if (usual)
    return usual;
  if (u->total && !u->ends)
    return ELEMENTS;
  if (u->ends)
    return u->power > 1                     ? PRODUCT_SIDE
           : u->gathered && has_warps_of(g) ? OWN_ROW
                                            : USUAL_ROW;
  if (is_lone(g, p))
    return ALL_PAIRS;
  if (u->loop)
    return (grid_axes(g->fn) > 1 && u->pitch) || (named(name, heights) && goes_down(g))
               ? SIDE
               : OWN_ROW;
  if (many)
    return covered_by(g, p);
  if (u->pitch || grid_axes(g->fn) > 1 || named(name, widths))
    return SIDE;
  return named(name, "n m size len count total elements nnz") ? ELEMENTS : TABLE;
}

static ww_assumption_kind kind_of(const ww_guess *g, uint32_t p, uint64_t v) {
  const ww_size_use *u = &g->use[p];
  bool many = g->had_grid && g->l->grid[0];
  if (v <= NARROW)
    return WW_ASSUME_INTEGER;
  if (u->ends & WW_ENDS_GRID && !many)
    return u->whole ? WW_ASSUME_ROWS : WW_ASSUME_COVERED;
  if (u->ends == WW_ENDS_BLOCK && v == USUAL_ROW)
    return WW_ASSUME_ROW_LENGTH;
  if (many && v == ww_volume(g->l->grid) * ww_volume(g->l->block))
    return WW_ASSUME_ALL_THREADS;
  if (many &&
      (v == g->l->grid[0] * g->l->block[0] || v == g->l->grid[1] * g->l->block[1]))
    return WW_ASSUME_AXIS_THREADS;
  return u->loop ? WW_ASSUME_TURNS : WW_ASSUME_INTEGER;
}

/* Smaller, where a launch with the usual sizes had too much, or nothing, to do. */
static uint64_t scaled(const ww_guess *g, uint32_t p, uint64_t v) {
  bool grid = g->use[p].ends & WW_ENDS_GRID;
  uint64_t least = v < 8 ? v : 8;
  uint64_t less = v >> (grid ? 1 : 2) * g->smaller;
  if (!g->smaller || (grid && g->had_grid))
    return v;
  return less < least ? least : less;
}

static void complete_number(ww_guess *g, uint32_t p) {
  const ww_param *q = &g->fn->params[p];
  ww_arg *arg = &g->l->args[p];
  bool real = ww_is_float(q->type) || (q->type == WW_I64 && ww_is_float(q->elem));
  uint64_t v = real || ww_type_bytes[q->type] < 4 ? 1 : scaled(g, p, likely(g, p));
  if (!real && ww_type_bytes[q->type] == 4 && v > INT32_MAX)
    v = INT32_MAX;
  g->sized |= !real && v > NARROW;
  *arg = (ww_arg){.name = arg->name,
                  .kind = WW_ARG_VALUE,
                  .is_int = !real,
                  .ivalue = v,
                  .value = v};
  ww_push(g->a, g->said,
          (ww_assumption){real ? WW_ASSUME_FLOAT : kind_of(g, p, v),
                          ww_strdup(g->a, q->name),
                          {v}});
}

typedef struct {
  ww_guess *g;
  const ww_ins **defs;
  uint32_t p;
  uint8_t *bytes; /* of the struct */
} filled_struct;

/* A number of the struct that is v, or a factor of it. */
static void fill_divisor(const filled_struct *s, ww_val v, uint32_t depth) {
  const ww_param *q = &s->g->fn->params[s->p];
  const ww_ins *d = s->defs[v];
  while (d && (d->op == WW_OP_ZEXT || d->op == WW_OP_SEXT || d->op == WW_OP_TRUNC ||
               d->op == WW_OP_MOV || d->op == WW_OP_FREEZE))
    d = s->defs[v = d->a];
  if (d && d->op == WW_OP_MUL && depth) {
    fill_divisor(s, d->a, depth - 1);
    fill_divisor(s, d->b, depth - 1);
  }
  if (!d || d->op != WW_OP_LD || d->space != WW_PARAM)
    return;
  const ww_value *of = &s->g->fn->vals[d->a];
  uint32_t size = ww_type_bytes[d->type];
  int64_t at = d->imm + (int64_t)(v - d->dst) * size; /* a load may be of several */
  if (of->kind != WW_VAL_PARAM || of->ref != s->p || size < 4 || size > 8 || at < 0 ||
      (uint64_t)at + size > q->size || s->bytes[at])
    return;
  const uint64_t usual = USUAL_DIVISOR;
  memcpy(s->bytes + at, &usual, size);
  ww_push(s->g->a, s->g->said,
          (ww_assumption){WW_ASSUME_INTEGER,
                          ww_fmt(s->g->a, "%s, byte %u", q->name, (uint32_t)at),
                          {usual}});
}

/* Of a struct by value nothing is known: zeros, but for the numbers that the kernel
 * divides by, which are extents and strides and never 0. */
static void complete_struct(ww_guess *g, uint32_t p) {
  enum { FACTORS = 4 }; /* products of products that are looked into */
  const ww_param *q = &g->fn->params[p];
  filled_struct s = {g, ww_ir_defs(g->fn, g->a), p, ww_alloc(g->a, q->size + 1)};
  ww_push(g->a, g->said,
          (ww_assumption){WW_ASSUME_ZERO_STRUCT, ww_strdup(g->a, q->name), {q->size}});
  ww_ins_walk w = {.fn = g->fn};
  for (const ww_ins *i; (i = ww_next_ins(&w));)
    if (i->op == WW_OP_SDIV || i->op == WW_OP_UDIV || i->op == WW_OP_SREM ||
        i->op == WW_OP_UREM)
      fill_divisor(&s, i->b, FACTORS);
  g->l->args[p] = (ww_arg){
      .name = g->l->args[p].name, .kind = WW_ARG_HEX, .hex = s.bytes, .hex_n = q->size};
}

static void complete_numbers(ww_guess *g) {
  const ww_fn *fn = g->fn;
  if (g->l->nargs < fn->nparams) {
    ww_arg *args = WW_NEWN(g->a, ww_arg, fn->nparams);
    if (g->l->nargs)
      memcpy(args, g->l->args, g->l->nargs * sizeof *args);
    g->l->args = args;
    g->l->nargs = fn->nparams;
  }
  for (uint32_t p = 0; p < fn->nparams; p++) {
    const ww_param *q = &fn->params[p];
    ww_arg *arg = &g->l->args[p];
    if (arg->kind != WW_ARG_NONE || q->pointer)
      continue;
    if (q->byval)
      complete_struct(g, p);
    else
      complete_number(g, p);
  }
}

/* ---- grid ---- */

bool ww_guess_is_guarded(const ww_guess *g) {
  for (uint32_t p = 0; p < g->fn->nparams; p++)
    if (g->use[p].ends & WW_ENDS_GRID)
      return true;
  return false;
}

bool ww_guess_goes_round(const ww_guess *g, int axis) {
  bool passed = false;
  for (uint32_t p = 0; p < g->fn->nparams && !axis; p++)
    passed |= is_grid_size(g, p, blocks) || is_grid_size(g, p, threads);
  return passed || ww_reads_sreg(g->fn, WW_SREG_NCTAID_X + axis);
}

uint64_t ww_guess_filling(const ww_guess *g) {
  uint64_t n = FILLING / ww_volume(g->l->block);
  return n ? n : 1;
}

uint64_t ww_guess_units(const ww_guess *g) {
  uint64_t all = ww_volume(g->l->grid) * ww_volume(g->l->block);
  return has_warps_of(g) ? all / LANES : all;
}

uint64_t ww_guess_blocks(const ww_guess *g, int axis) {
  uint64_t most = 0;
  for (uint32_t p = 0; p < g->fn->nparams; p++) {
    const ww_size_use *u = &g->use[p];
    const ww_arg *arg = &g->l->args[p];
    if (u->axes != 1 << axis || u->power > 1 || arg->kind != WW_ARG_VALUE ||
        !arg->is_int || arg->ivalue < 1)
      continue;
    uint64_t each = g->hint.items[axis] ? g->hint.items[axis] : g->l->block[axis];
    if (u->whole)
      each = u->whole & WW_BY_WARPS && !axis && each > LANES ? each / LANES : 1;
    uint64_t n = (((uint64_t)arg->ivalue >> u->shift) + each - 1) / each;
    most = n > most ? n : most;
  }
  return most;
}

/* A million threads in all; along axes that no thread has a part of, a few blocks. */
static void usual_grid(ww_guess *g) {
  static const uint64_t extent[3][3] = {
      {ELEMENTS, 1, 1}, {SIDE, SIDE, 1}, {CUBE_SIDE, CUBE_SIDE, CUBE_DEPTH}};
  const ww_fn *fn = g->fn;
  int axes = thread_axes(fn);
  uint64_t *grid = g->l->grid;
  uint64_t planes = 1;
  bool queue = takes_work(g);
  bool links = axes == 1 && follows_links(g);
  bool lone = false;
  for (uint32_t p = 0; p < fn->nparams; p++)
    lone |= is_number(g, p) && is_lone(g, p);
  for (int d = 0; d < 3; d++) {
    bool any = has_blocks_along(fn, d) || (queue && !d);
    bool apart = any && !has_threads_along(fn, d) && d > 0;
    uint64_t each = g->hint.items[d] ? g->hint.items[d] : g->l->block[d];
    uint64_t all = extent[axes - 1][d];
    if (!d && (lone || links))
      all = lone ? ALL_PAIRS : LONG_THREADS;
    grid[d] = !any ? 1 : apart ? PLANES : all / each;
    grid[d] = grid[d] ? grid[d] : 1;
    planes *= apart ? PLANES : 1;
  }
  if (grid[0] >= 4 * planes)
    grid[0] /= planes;
  bool round = ww_guess_goes_round(g, 0) || queue || waits(g);
  if (g->m->dialect == WW_OPENMP)
    grid[0] = OMP_TEAMS;
  else if (round && grid[0] > ww_guess_filling(g))
    grid[0] = ww_guess_filling(g);
}

static bool all_given(const ww_guess *g, const ww_arg *args, uint32_t n) {
  for (uint32_t p = 0; p < g->fn->nparams; p++) {
    bool given = p < n && args[p].kind != WW_ARG_NONE;
    uint64_t usual = prior(g->fn->params[p].name, &g->use[p]);
    if (g->use[p].ends & WW_ENDS_GRID && !given && (!usual || usual > NARROW))
      return false;
  }
  return true;
}

void ww_guess_launch(ww_guess *g, bool fitted) {
  const ww_launch given = *g->l;
  g->sized = false;
  g->use = WW_NEWN(g->a, ww_size_use, g->fn->nparams + 1);
  ww_sizes_find(g->fn, g->a, g->use);
  ww_block_find(g->m, g->fn, g->a, &g->hint);
  g->had_grid = given.grid[0] && !fitted;
  g->given = all_given(g, given.args, given.nargs);
  for (int d = 1; given.grid[0] && d < 3; d++)
    if (!g->l->grid[d])
      g->l->grid[d] = 1;
  complete_block(g);
  uint32_t at = g->said->n;
  if (!g->had_grid) /* worded once it is known */
    assume_shape(g, WW_ASSUME_GRID, g->l->grid);
  complete_numbers(g);
  if (!given.grid[0])
    usual_grid(g);
  ww_assumption *grid = g->had_grid ? NULL : &g->said->v[at];
  if (grid && fitted)
    grid->kind = g->given ? WW_ASSUME_FITTED_GRID : WW_ASSUME_SIZED_GRID;
  if (grid)
    memcpy(grid->value, g->l->grid, sizeof grid->value);
}
