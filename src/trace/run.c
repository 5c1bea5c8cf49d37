/* run.c - the trace oracle from end to end: completes the launch, makes it real,
 * chooses blocks, runs them, and adds each with the number of blocks it stands for.
 *
 * Which blocks: a grid of coordinates: on each axis the first two blocks, some between,
 * the last two; every combination runs. Along an axis two neighbouring coordinates
 * whose blocks did the same stand for all between them; where they differ a coordinate
 * is put in the middle, and when that lies on the line between them, the line is the
 * answer (work that grows with the block index). Else the search goes on in both
 * halves, widest gap first, until it finds the boundary or has spent its budget; where
 * many gaps differ, contents decide, and coordinates are spread evenly until half of
 * them would have given the same totals. The weights are those of the piecewise linear
 * function through the coordinates, a product over the axes. */
#include "run.h"

#include "count_int.h"
#include "roles.h"

#include <errno.h>
#include <math.h>
#include <sys/stat.h>

#define DEFAULT_STEPS 400000000ull /* sampled: an endless loop ends within seconds */
#define ASSUMED_STEPS 4000000ull   /* the same where loops end by assumed contents */
#define DEFAULT_STEPS_FULL 40000000000ull

enum {
  MAX_COORDS = 256,
  MAX_BLOCKS = 512,
  LINE_VOTES = 3,
  MOST_BOUNDARIES = 4,
  MANY = 13,
  ENOUGH = 64,
  FEW = 25, /* blocks that say little of the others, where these differ */
  WIDER = 16,
  LISTED = 256, /* blocks of a full run that are handed over at a time */
  MOST_LISTED = 1 << 20,
  MOST_TOGETHER = 1024 /* blocks that are run to the last one, where each needs all */
};
#define DEFAULT_BUDGET 500000ull

/* What is known of the blocks between two coordinates: nothing yet; their ends did the
 * same; they differ; they lie on a line. */
enum { GAP_UNKNOWN, GAP_SAME, GAP_DIFFERENT, GAP_LINE };

typedef struct {
  uint64_t at[MAX_COORDS];
  uint8_t gap[MAX_COORDS]; /* from at[k] to at[k+1] */
  /* middles in a row that lay near the line, on the way down to this gap */
  uint8_t votes[MAX_COORDS];
  uint32_t n;
} axis;

typedef struct {
  uint64_t block;
  ww_counts counts;
  ww_snapshot *snap;
} trial;

typedef struct {
  ww_machine *m;
  const ww_run_spec *spec;
  const ww_sampling *s;
  ww_arena *a;
  ww_counter *counter;
  ww_footprints *prints;
  ww_observer obs;
  axis ax[3];
  /* What is sampled: blocks, or clusters where the launch has them. The grid in these;
   * those from its corner that do the work; blocks of one. */
  uint64_t grid[3], box[3], each;
  trial *trials;
  uint32_t ntrials;
  uint64_t steps, budget;
  double idle_instructions;
  bool extrapolated, out_of_budget, fault_assumed, stuck;
  const ww_region *passed;
  uint32_t passed_loc;
} sampler;

/* ---- trials ---- */

static trial *find_trial(sampler *s, uint64_t block) {
  for (uint32_t k = 0; k < s->ntrials; k++)
    if (s->trials[k].block == block)
      return &s->trials[k];
  return NULL;
}

/* The block by which the machine knows one. */
static uint64_t block_of(const sampler *s, uint64_t number) {
  uint64_t at[3];
  for (int d = 0; d < 3; d++)
    at[d] = ww_axis_of(s->grid, number, d) * (s->each > 1 ? s->spec->cluster[d] : 1);
  return ww_number_of(s->spec->grid, at);
}

static ww_status run_blocks(sampler *s, uint64_t *blocks, uint32_t n, ww_err *e) {
  ww_run_stats st;
  for (uint32_t k = 0; k < n; k++)
    blocks[k] = block_of(s, blocks[k]);
  ww_status rc = ww_machine_run(s->m, blocks, n, 1, &s->obs, &st, s->a, e);
  s->steps += st.warp_instructions;
  s->extrapolated |= st.extrapolated;
  s->fault_assumed |= st.fault_assumed;
  s->stuck |= st.stuck;
  if (!s->passed) {
    s->passed = st.passed;
    s->passed_loc = st.passed_loc;
  }
  return rc;
}

static ww_status try_block(sampler *s, uint64_t block, ww_err *e) {
  if (find_trial(s, block))
    return WW_OK;
  if ((s->ntrials == MAX_BLOCKS && s->budget != UINT64_MAX) ||
      (s->ntrials && s->steps > s->budget)) {
    s->out_of_budget = true;
    return WW_OK;
  }
  uint64_t one = block;
  ww_status rc = run_blocks(s, &one, 1, e);
  if (rc)
    return rc;
  trial *t = &s->trials[s->ntrials++];
  t->block = block;
  ww_counter_vector(s->counter, &t->counts);
  t->snap = ww_counter_save(s->counter);
  return WW_OK;
}

/* Runs every combination of the coordinates. */
static ww_status run_grid(sampler *s, ww_err *e) {
  for (uint32_t z = 0; z < s->ax[2].n; z++)
    for (uint32_t y = 0; y < s->ax[1].n; y++)
      for (uint32_t x = 0; x < s->ax[0].n; x++) {
        uint64_t c[3] = {s->ax[0].at[x], s->ax[1].at[y], s->ax[2].at[z]};
        ww_status st = try_block(s, ww_number_of(s->grid, c), e);
        if (st || s->out_of_budget)
          return st;
      }
  return WW_OK;
}

/* ---- coordinates ---- */

/* Moves the coordinates from `from` on by one place, up or down. */
static void shift(axis *a, uint32_t from, int by) {
  uint32_t n = a->n - from;
  memmove(a->at + from + by, a->at + from, n * sizeof *a->at);
  memmove(a->gap + from + by, a->gap + from, n * sizeof *a->gap);
  memmove(a->votes + from + by, a->votes + from, n * sizeof *a->votes);
  a->n += by;
}

static void insert(axis *a, uint32_t behind, uint64_t at) {
  shift(a, behind + 1, 1);
  a->at[behind + 1] = at;
  a->gap[behind] = a->gap[behind + 1] = GAP_UNKNOWN;
  a->votes[behind + 1] = a->votes[behind];
}

/* Coordinates to begin with: the ends with their neighbours and the middle; with room
 * for MANY also eight between, unevenly (golden section), so that neither a region of
 * an eighth of the blocks nor a pattern with a period goes unseen. */
static void start_axis(axis *a, uint64_t g, uint32_t most) {
  static const double part[MANY] = {0,     0,     0.090, 0.236, 0.326, 0.472, 0.5,
                                    0.618, 0.708, 0.854, 0.944, 1,     1};
  static const uint8_t five[5] = {0, 1, 6, 11, 12};
  static const uint8_t three[3] = {0, 6, 12};
  uint32_t n = most >= MANY ? MANY : most >= 5 ? 5 : most >= 3 ? 3 : 1;
  a->n = 0;
  for (uint32_t k = 0; k < n; k++) {
    uint32_t w = n == MANY ? k : n == 5 ? five[k] : n == 3 ? three[k] : 6;
    uint64_t at = w == 1 ? 1 : w > 10 ? g - (13 - w) : (uint64_t)(part[w] * g);
    if (at < g && (!a->n || at > a->at[a->n - 1]))
      a->at[a->n++] = at;
  }
  memset(a->gap, GAP_UNKNOWN, sizeof a->gap);
  memset(a->votes, 0, sizeof a->votes);
}

static bool near(double a, double b, double tolerance) {
  return fabs(a - b) <= tolerance * (fabs(a) + fabs(b)) + 1e-9;
}

static bool same_counts(const ww_counts *a, const ww_counts *b, double tolerance) {
  const double *x = (const double *)a;
  const double *y = (const double *)b;
  for (uint32_t k = 0; k < sizeof *a / sizeof(double); k++)
    if (!near(x[k], y[k], tolerance))
      return false;
  return true;
}

static ww_counts between(const ww_counts *a, const ww_counts *b, double t) {
  ww_counts o;
  const double *x = (const double *)a;
  const double *y = (const double *)b;
  double *z = (double *)&o;
  for (uint32_t k = 0; k < sizeof o / sizeof(double); k++)
    z[k] = x[k] + t * (y[k] - x[k]);
  return o;
}

/* The trial with coordinate `at` on axis d and the i-th and k-th of the other two. */
static const trial *trial_at(sampler *s, int d, uint64_t at, uint32_t i, uint32_t k) {
  int u = (d + 1) % 3;
  int v = (d + 2) % 3;
  uint64_t c[3];
  c[d] = at;
  c[u] = s->ax[u].at[i];
  c[v] = s->ax[v].at[k];
  return find_trial(s, ww_number_of(s->grid, c));
}

/* Compares coordinate p with q (and, when given, m against the line between them) over
 * all combinations of the other axes. */
static bool
agree(sampler *s, int d, uint64_t p, uint64_t q, const uint64_t *m, double tolerance) {
  for (uint32_t i = 0; i < s->ax[(d + 1) % 3].n; i++)
    for (uint32_t k = 0; k < s->ax[(d + 2) % 3].n; k++) {
      const trial *tp = trial_at(s, d, p, i, k);
      const trial *tq = trial_at(s, d, q, i, k);
      const trial *tm = m ? trial_at(s, d, *m, i, k) : tp;
      if (!tp || !tq || !tm)
        continue;
      ww_counts want = tq->counts;
      if (m)
        want = between(&tp->counts, &tq->counts, (double)(*m - p) / (q - p));
      if (!same_counts(&tm->counts, &want, tolerance))
        return false;
    }
  return true;
}

/* Gaps whose ends differ. A boundary between regions of blocks makes one; many mean
 * that contents decide. */
static uint32_t look_at_gaps(sampler *s, int d) {
  axis *a = &s->ax[d];
  uint32_t different = 0;
  for (uint32_t k = 0; k + 1 < a->n; k++) {
    if (a->at[k + 1] - a->at[k] < 2)
      continue;
    if (a->gap[k] == GAP_UNKNOWN)
      a->gap[k] =
          agree(s, d, a->at[k], a->at[k + 1], NULL, 1e-9) ? GAP_SAME : GAP_DIFFERENT;
    different += a->gap[k] == GAP_DIFFERENT;
  }
  return different;
}

/* How many coordinates each one stands for on its axis. */
static void axis_weights(const axis *a, uint64_t g, double *w) {
  for (uint32_t k = 0; k < a->n; k++)
    w[k] = 1;
  for (uint32_t k = 0; k + 1 < a->n; k++) {
    double inner = a->at[k + 1] - a->at[k] - 1;
    w[k] += inner / 2;
    w[k + 1] += inner / 2;
  }
  w[0] += a->at[0];
  w[a->n - 1] += g - 1 - a->at[a->n - 1];
}

/* What all blocks of one coordinate did. */
static ww_counts slice_counts(sampler *s, int d, uint64_t at) {
  ww_counts sum = {0};
  for (uint32_t i = 0; i < s->ax[(d + 1) % 3].n; i++)
    for (uint32_t k = 0; k < s->ax[(d + 2) % 3].n; k++) {
      const trial *t = trial_at(s, d, at, i, k);
      if (t)
        ww_add_doubles(&sum, &t->counts, sizeof sum, 1);
    }
  return sum;
}

static ww_counts axis_total(sampler *s, int d, const axis *a) {
  double w[MAX_COORDS];
  ww_counts sum = {0};
  axis_weights(a, s->box[d], w);
  for (uint32_t k = 0; k < a->n; k++) {
    ww_counts c = slice_counts(s, d, a->at[k]);
    ww_add_doubles(&sum, &c, sizeof sum, w[k]);
  }
  return sum;
}

/* Half of the coordinates give the same totals as all of them: more would not change
 * much. */
static bool settled(sampler *s, int d) {
  const axis *a = &s->ax[d];
  axis half = {.n = 0};
  for (uint32_t k = 0; k < a->n; k += 2)
    half.at[half.n++] = a->at[k];
  ww_counts all = axis_total(s, d, a);
  ww_counts some = axis_total(s, d, &half);
  return same_counts(&all, &some, 0.002);
}

/* The widest gap still to be looked into, so that blocks without any order are seen
 * evenly; -1: none. Where contents decide, two blocks that did the same say nothing of
 * those between. */
static int widest_gap(sampler *s, uint32_t *at) {
  uint64_t width = 1;
  int axis_of = -1;
  for (int d = 0; d < 3; d++) {
    const axis *a = &s->ax[d];
    bool chance = look_at_gaps(s, d) > MOST_BOUNDARIES;
    if (chance && a->n >= ENOUGH && settled(s, d))
      continue;
    for (uint32_t k = 0; k + 1 < a->n && a->n < MAX_COORDS; k++) {
      if (a->at[k + 1] - a->at[k] <= width ||
          !(a->gap[k] == GAP_DIFFERENT || (chance && a->gap[k] == GAP_SAME)))
        continue;
      axis_of = d;
      *at = k;
      width = a->at[k + 1] - a->at[k];
    }
  }
  return axis_of;
}

/* One more coordinate where it is needed; false when nothing is left to look at. */
static bool refine(sampler *s, ww_err *e, ww_status *rc) {
  uint32_t k = 0;
  int d = widest_gap(s, &k);
  if (d < 0)
    return false;
  axis *a = &s->ax[d];
  uint64_t p = a->at[k];
  uint64_t q = a->at[k + 1];
  uint64_t m = p + (q - p) / 2;
  insert(a, k, m);
  *rc = run_grid(s, e);
  if (s->out_of_budget)
    shift(a, k + 2, -1); /* its blocks were not reached */
  if (*rc || s->out_of_budget)
    return false;
  bool on = agree(s, d, p, q, &m, 1e-9), near_it = on || agree(s, d, p, q, &m, 0.005);
  a->votes[k] = a->votes[k + 1] = near_it ? a->votes[k] + 1 : 0;
  /* the same at both ends and in the middle may be chance, and so may one middle near
   * the line */
  if ((on && !agree(s, d, p, q, NULL, 1e-9)) || a->votes[k] == LINE_VOTES)
    a->gap[k] = a->gap[k + 1] = GAP_LINE;
  return true;
}

static void add_up(sampler *s) {
  double w[3][MAX_COORDS];
  double total = 0;
  double seen = 0;
  for (int d = 0; d < 3; d++)
    axis_weights(&s->ax[d], s->box[d], w[d]);
  for (int pass = 0; pass < 2; pass++)
    for (uint32_t z = 0; z < s->ax[2].n; z++)
      for (uint32_t y = 0; y < s->ax[1].n; y++)
        for (uint32_t x = 0; x < s->ax[0].n; x++) {
          uint64_t c[3] = {s->ax[0].at[x], s->ax[1].at[y], s->ax[2].at[z]};
          const trial *t = find_trial(s, ww_number_of(s->grid, c));
          double weight = w[0][x] * w[1][y] * w[2][z];
          if (!pass) {
            total += weight;
            seen += t ? weight : 0;
          } else if (t)
            ww_counter_add(s->counter, t->snap,
                           weight * total / seen); /* blocks the budget did not reach */
        }
}

/* As many coordinates as the cost of the first block leaves room for; many only where
 * they leave most of the budget. The last axes are thinned out first: x is where
 * neighbours share most. */
static void start_axes(sampler *s, uint64_t cost) {
  static const uint32_t fewer[MANY + 1] = {[MANY] = 5, [5] = 3, [3] = 1};
  uint64_t room = cost ? s->budget / cost : MAX_BLOCKS;
  uint32_t most[3] = {MANY, MANY, MANY};
  for (uint32_t level = MANY; level > 1; level = fewer[level])
    for (int thin = 2; thin >= -1; thin--) { /* at thin == -1 the next level's turn */
      uint64_t n = 1;
      for (int d = 0; d < 3; d++) {
        start_axis(&s->ax[d], s->box[d], most[d]);
        n *= s->ax[d].n;
      }
      if (n <= (level == MANY ? room / 4 : room) && n <= MAX_BLOCKS / 2)
        return;
      if (thin >= 0)
        most[thin] = fewer[level];
    }
  for (int d = 0; d < 3; d++)
    start_axis(&s->ax[d], s->box[d], most[d]);
}

/* One of the blocks that end at once stands for all of them. */
static ww_status add_idle(sampler *s, ww_err *e) {
  uint64_t all = ww_volume(s->grid);
  uint64_t n = all - ww_volume(s->box);
  if (!n)
    return WW_OK;
  uint64_t before = s->budget;
  s->budget = UINT64_MAX;
  ww_status st = try_block(s, all - 1, e);
  s->budget = before;
  const trial *t = find_trial(s, all - 1);
  if (st || !t)
    return st;
  ww_counter_add(s->counter, t->snap, n);
  s->idle_instructions = t->counts.warp_instructions / s->each;
  return WW_OK;
}

/* Blocks that need what those before them leave: the first ones, in order, as many as
 * the budget allows. Those behind are like the later half of them. */
static ww_status run_first(sampler *s, ww_err *e) {
  uint64_t working = ww_volume(s->box);
  const ww_sampled all = {.box = {s->box[0], s->box[1], s->box[2]}};
  ww_status st = WW_OK;
  while (!st && s->ntrials < working && !s->out_of_budget)
    st = try_block(s, ww_sampled_block(&all, s->grid, s->ntrials), e);
  uint32_t n = s->ntrials;
  uint32_t like = n - n / 2;
  for (uint32_t k = 0; !st && k < n; k++)
    ww_counter_add(s->counter, s->trials[k].snap,
                   k < n / 2 ? 1 : 1 + (working - n) / (double)like);
  return st;
}

/* All of them together, for blocks that need what those behind them do as well. */
static ww_status run_all(sampler *s, ww_err *e) {
  uint64_t n = ww_volume(s->grid);
  uint64_t *blocks = WW_NEWN(s->a, uint64_t, n);
  for (uint64_t k = 0; k < n; k++)
    blocks[k] = k;
  s->ntrials = n;
  s->stuck = false;
  ww_memory_reset(s->spec->memory);
  ww_counter_clear(s->counter);
  ww_status st = run_blocks(s, blocks, n, e);
  if (!st)
    ww_counter_commit(s->counter, 1);
  return st;
}

/* The block at these parts of the axes, in 1024ths. */
static ww_status try_part(sampler *s, const uint16_t part[3], ww_err *e) {
  uint64_t at[3];
  for (int d = 0; d < 3; d++)
    at[d] = s->box[d] / 1024 * part[d] + s->box[d] % 1024 * part[d] / 1024;
  return try_block(s, ww_number_of(s->grid, at), e);
}

/* Where the budget is for few blocks like the first, and others do far more or less
 * than it: a wider budget, because each would stand for too many. The blocks so far
 * come for free. Returns what one takes. */
static uint64_t look_around(sampler *s, ww_err *e, ww_status *st) {
  uint64_t given = s->budget;
  uint64_t cost = s->steps;
  if (cost * FEW > given && cost < given * WIDER) {
    bool differ = false;
    /* Apart from the middle on one axis after the other, then the corner: so few blocks
     * tell how footprints move with each axis. */
    static const uint16_t parts[3][3] = {{256, 512, 512}, {512, 256, 512}, {0, 0, 0}};
    for (int k = 0; k < 3 && !*st; k++) {
      if (k == 1 && (s->box[1] == 1 || s->box[2] == 1))
        continue; /* two axes at most */
      s->budget = given + s->steps;
      *st = try_part(s, parts[k], e);
      const trial *other = &s->trials[s->ntrials - 1];
      differ |= !near(s->trials[0].counts.warp_instructions,
                      other->counts.warp_instructions, 0.2);
    }
    if (differ) {
      given *= WIDER;
      cost = s->steps / s->ntrials;
    }
  }
  s->budget = given;
  return cost;
}

static ww_status run_sampled(sampler *s, ww_err *e) {
  if (s->spec->in_order) {
    ww_status st = run_first(s, e);
    if (st && s->stuck && ww_volume(s->grid) <= MOST_TOGETHER)
      return run_all(s, e);
    return st ? st : add_idle(s, e);
  }
  static const uint16_t middle[3] = {512, 512, 512};
  ww_status st = try_part(s, middle, e);
  if (st)
    return st;
  uint64_t cost = look_around(s, e, &st);
  if (st)
    return st;
  start_axes(s, cost);
  s->budget += s->steps;
  st = run_grid(s, e);
  for (bool more = !st && !s->out_of_budget; more;)
    more = refine(s, e, &st);
  if (!st)
    add_up(s);
  return st ? st : add_idle(s, e);
}

static ww_status run_full(sampler *s, uint64_t total, ww_err *e) {
  ww_status st = WW_OK;
  /* blocks that may wait for each other come in one list */
  uint32_t most = ww_machine_waits(s->m) ? MOST_LISTED : LISTED;
  uint32_t batch = total < most ? total : most;
  uint64_t *blocks = WW_NEWN(s->a, uint64_t, batch);
  for (uint64_t at = 0; at < total && !st; at += batch) {
    uint32_t n = total - at < batch ? total - at : batch;
    for (uint32_t k = 0; k < n; k++)
      blocks[k] = block_of(s, at + k);
    ww_run_stats stats;
    st = ww_machine_run(s->m, blocks, n, 1, &s->obs, &stats, s->a, e);
    s->steps += stats.warp_instructions;
    s->fault_assumed |= stats.fault_assumed;
    ww_counter_commit(s->counter, 1);
    ww_progress("blocks", at + n, total);
  }
  return st;
}

ww_status ww_sample(ww_machine *m,
                    const ww_run_spec *spec,
                    const ww_sampling *how,
                    ww_arena *a,
                    ww_sampled *out,
                    ww_err *e) {
  sampler s = {.m = m,
               .spec = spec,
               .s = how,
               .a = a,
               .budget = how->budget ? how->budget : DEFAULT_BUDGET};
  s.each = ww_cluster_size(spec);
  s.counter = ww_counter_new(spec->module, spec->memory, spec->lanes);
  s.prints = ww_footprints_new(spec->memory, spec->grid);
  s.obs = ww_counter_observer(s.counter);
  s.trials = WW_NEWN(a, trial, MAX_BLOCKS + 1); /* and one that ends at once */
  ww_work_box(spec, s.box, a);
  for (int d = 0; d < 3; d++) {
    uint64_t side = s.each > 1 ? spec->cluster[d] : 1;
    s.grid[d] = spec->grid[d] / side;
    s.box[d] = (s.box[d] + side - 1) / side;
    out->box[d] = s.box[d] * side;
  }
  uint64_t total = ww_volume(s.grid);
  if (!how->full)
    ww_counter_tell(s.counter, s.prints);
  ww_status st = how->full ? run_full(&s, total, e) : run_sampled(&s, e);
  *out = (ww_sampled){.box = {out->box[0], out->box[1], out->box[2]},
                      .blocks = (how->full ? total : s.ntrials) * s.each,
                      .of = ww_volume(spec->grid),
                      .warp_instructions = s.steps,
                      .extrapolated = s.extrapolated,
                      .fault_assumed = s.fault_assumed,
                      .stuck = s.stuck,
                      .passed = s.passed,
                      .passed_loc = s.passed_loc,
                      .complete = !s.out_of_budget,
                      .idle_instructions = s.idle_instructions};
  if (!st) {
    ww_counter_result(s.counter, a, &out->tally);
    out->shared_end = ww_footprints_shared(s.prints);
    ww_footprints_fit(s.prints, a, &out->footprints, &out->nfootprints);
  }
  ww_footprints_free(s.prints);
  ww_counter_free(s.counter);
  return st;
}

/* ---- the launch ---- */

static ww_status dump_region(const char *dir,
                             const char *name,
                             ww_memory *m,
                             const ww_region *r,
                             ww_arena *a,
                             ww_err *e) {
  void *bytes = ww_memory_at(m, r->base, r->size);
  if (mkdir(dir, 0777) && errno != EEXIST)
    return ww_fail(e, WW_EIO, "cannot make the folder '%s': %s", dir, strerror(errno));
  return ww_write_file_atomic(ww_path_join(a, dir, name), bytes, r->size, e);
}

/* Each buffer as arg<i>.bin, each symbol under its name, pointers inside structs as
 * arg<i>.<at>.bin. */
static ww_status
dump(const ww_module *mod, const ww_setup *s, const char *dir, ww_arena *a, ww_err *e) {
  const ww_region *r;
  ww_status st = WW_OK;
  for (uint32_t k = 0; !st && (r = ww_memory_region(s->memory, k)); k++) {
    if (r->unbounded)
      continue;
    const char *plus = r->name ? strrchr(r->name, '+') : NULL;
    const char *name = NULL;
    if (r->symbol >= 0)
      name = ww_fmt(a, "%s.bin", mod->symbols[r->symbol].name);
    else if (r->arg >= 0)
      name = plus ? ww_fmt(a, "arg%d.%s.bin", r->arg, plus + 1)
                  : ww_fmt(a, "arg%d.bin", r->arg);
    if (name)
      st = dump_region(dir, name, s->memory, r, a, e);
  }
  return st;
}

static ww_status sample(const ww_trace_options *o,
                        ww_arena *a,
                        ww_trace_result *out,
                        ww_traced *r,
                        ww_err *e) {
  ww_status st = ww_machine_new(&r->spec, &r->machine, e);
  return st ? st : ww_sample(r->machine, &r->spec, &o->sampling, a, &out->sampled, e);
}

/* A wait that was taken to be over has to end some day: some thread must write what it
 * is for. */
static ww_status check_waits(
    const ww_module *m, const ww_fn *fn, const ww_sampled *s, ww_arena *a, ww_err *e) {
  if (!s->passed || ww_may_write(fn, s->passed->arg, a))
    return WW_OK;
  ww_status st = ww_fail(e, WW_ELIMIT,
                         "spins for ever: waits for `%s` to change, which this kernel "
                         "does not write",
                         s->passed->name ? s->passed->name : "?");
  ww_module_place(m, s->passed_loc, e);
  return st;
}

/* Accesses that assumed contents lead out of memory are taken inside it, and all of a
 * launch that a device has run, but where it is run in full: then it is as it stands.
 * Sizes that came from the grid's
 * corners may be too small for threads that go another way, so what follows from ways
 * alone counts only where `ways`. */
static void take_inside(const ww_trace_options *o,
                        const ww_assumed *assumed,
                        bool ways,
                        ww_run_spec *spec) {
  if (o->sampling.full)
    return;
  spec->assumed_addresses = o->ran ? UINT64_MAX : assumed->addresses;
  spec->assumed_paths = o->ran ? UINT64_MAX : ways ? assumed->paths : 0;
}

static bool any_sized(const ww_fn *fn, const ww_trace_result *t) {
  for (uint32_t p = 0; p < fn->nparams; p++)
    if (t->assumed.sized[p] && t->launch.args[p].buffer.bytes)
      return true;
  return false;
}

/* What was taken inside, by buffer. */
static void say_inside(const ww_traced *r, ww_arena *a, ww_assumed *said) {
  const ww_region *x;
  uint64_t shared = ww_machine_moved_shared(r->machine);
  for (uint32_t k = 0; (x = ww_memory_region(r->setup.memory, k)); k++)
    if (x->moved)
      ww_push(a, &said->list,
              (ww_assumption){WW_ASSUME_TAKEN_INSIDE,
                              ww_strdup(a, x->name ? x->name : "?"),
                              {x->moved}});
  if (shared)
    ww_push(a, &said->list,
            (ww_assumption){WW_ASSUME_TAKEN_INSIDE, "shared memory", {shared}});
}

/* The completed launch made real and run; `ways`: see take_inside. */
static ww_status run(const ww_module *m,
                     const ww_fn *fn,
                     const ww_trace_options *o,
                     bool ways,
                     ww_arena *a,
                     ww_trace_result *out,
                     ww_traced *r,
                     ww_err *e) {
  *r = (ww_traced){0};
  ww_status st = ww_setup_make(m, fn, &out->launch, a, &r->setup, e);
  if (st)
    return st;
  ww_memory_limit(r->setup.memory, o->max_bytes);
  ww_region *x;
  for (uint32_t k = 0; (x = ww_memory_region(r->setup.memory, k)); k++)
    x->assumed = x->arg >= 0 && out->assumed.args[x->arg];
  r->spec = ww_setup_spec(m, fn, &out->launch, &r->setup);
  r->spec.lanes = o->lanes;
  r->spec.sms = o->sms;
  r->spec.extrapolate = r->spec.counts_only = !o->sampling.full;
  r->spec.print = o->print;
  r->spec.cancelled = o->cancelled;
  r->spec.cancelled_ctx = o->cancelled_ctx;
  r->spec.max_steps = o->max_steps         ? o->max_steps
                      : o->sampling.full   ? DEFAULT_STEPS_FULL
                      : out->assumed.loops ? ASSUMED_STEPS
                                           : DEFAULT_STEPS;
  r->max_bytes = o->max_bytes;
  r->spec.pass_waits = !o->sampling.full;
  r->spec.share = o->sampling.full ? 0 : ww_volume(r->spec.grid);
  take_inside(o, &out->assumed, ways, &r->spec);
  st = sample(o, a, out, r, e);
  if (st && out->sampled.stuck && !o->sampling.full) {
    r->spec.in_order = true;
    ww_machine_free(r->machine);
    ww_memory_reset(r->setup.memory);
    st = sample(o, a, out, r, e);
  }
  if (!st)
    st = check_waits(m, fn, &out->sampled, a, e);
  if (!st && !ww_memory_exhausted(r->setup.memory)) {
    say_inside(r, a, &out->assumed);
    take_inside(o, &out->assumed, true, &r->spec); /* for the blocks that run later */
    ww_machine_take_inside(r->machine, &r->spec);
    return WW_OK;
  }
  ww_status limit = ww_trace_close(r, e);
  return limit ? limit : st;
}

static void forget_size(ww_assumptions *list, const char *name) {
  uint32_t n = 0;
  for (uint32_t k = 0; k < list->n; k++)
    if (list->v[k].kind != WW_ASSUME_BUFFER_BYTES || strcmp(list->v[k].argument, name))
      list->v[n++] = list->v[k];
  list->n = n;
}

/* Sizes from the corners of the grid were too small: the accesses are not regular. The
 * buffers become unbounded, but for row pointers, whose contents depend on how many
 * there are. */
static bool unbound(const ww_fn *fn, ww_trace_result *t) {
  bool any = false;
  for (uint32_t p = 0; p < fn->nparams; p++) {
    ww_buffer *b = &t->launch.args[p].buffer;
    if (!t->assumed.sized[p] || !b->bytes || ww_fill_is_rows(b->fill.kind))
      continue;
    forget_size(&t->assumed.list, fn->params[p].name);
    b->bytes = b->offset = 0;
    any = true;
  }
  return any;
}

/* After a run with unbounded buffers: what it touched is their size. */
static void bound(const ww_fn *fn, ww_trace_result *t, ww_arena *a) {
  for (uint32_t p = 0; p < fn->nparams; p++) {
    ww_buffer *b = &t->launch.args[p].buffer;
    if (!t->assumed.sized[p] || b->bytes)
      continue;
    int64_t lo = 0;
    int64_t hi = 0;
    for (uint32_t k = 0; k < t->sampled.tally.nargs; k++)
      if (t->sampled.tally.args[k].arg == (int32_t)p) {
        lo = t->sampled.tally.args[k].lo;
        hi = t->sampled.tally.args[k].hi;
      }
    if (lo > 0)
      lo = 0;
    if (hi < 0)
      hi = 0; /* the pointer itself counts as inside */
    b->bytes = hi > lo ? hi - lo : 8;
    b->offset = -lo;
    ww_push(a, &t->assumed.list,
            (ww_assumption){
                WW_ASSUME_BUFFER_BYTES, ww_strdup(a, fn->params[p].name), {b->bytes}});
  }
}

ww_status ww_trace_open(const ww_module *m,
                        const ww_fn *fn,
                        const ww_launch *given,
                        const ww_trace_options *o,
                        ww_arena *a,
                        ww_trace_result *out,
                        ww_traced *r,
                        ww_err *e) {
  *out = (ww_trace_result){.launch = *given};
  if (fn->refusal)
    return ww_fail(e, WW_EUNSUPPORTED, "%s cannot be interpreted: %s", fn->name,
                   fn->refusal);
  double t0 = ww_now();
  const ww_until until = {o->cancelled, o->cancelled_ctx, o->max_bytes};
  ww_status st = WW_OK;
  if (o->completed)
    out->assumed = *o->completed;
  else
    st = ww_inputs_complete(m, fn, &out->launch, &until, &out->assumed, a, e);
  if (st)
    return st;
  double t1 = ww_now();
  double cpu = ww_cpu();
  bool sized = any_sized(fn, out);
  st = run(m, fn, o, !sized, a, out, r, e);
  if (st == WW_EDATA && out->sampled.fault_assumed && (unbound(fn, out) || sized)) {
    st = run(m, fn, o, true, a, out, r, e);
    if (!st)
      bound(fn, out, a);
  }
  if (st && out->sampled.fault_assumed && e) {
    const ww_assumed *as = &out->assumed;
    size_t n = strlen(e->msg);
    snprintf(
        e->msg + n, sizeof e->msg - n, "%s",
        as->addresses | as->paths
            ? "; contents of buffers were assumed here: describe them with --arg or "
              "a launch spec"
            : "; contents do not decide this: give larger buffers or a smaller "
              "grid (--arg, --grid), or put the index right");
  }
  out->inputs_ms = 1e3 * (t1 - t0);
  out->trace_ms = 1e3 * (ww_now() - t1);
  out->trace_cpu_ms = 1e3 * (ww_cpu() - cpu);
  return st;
}

ww_status ww_trace_close(ww_traced *r, ww_err *e) {
  bool exhausted = ww_memory_exhausted(r->setup.memory);
  ww_machine_free(r->machine);
  ww_setup_free(&r->setup);
  return exhausted ? ww_memory_too_small(r->max_bytes, e) : WW_OK;
}

ww_status ww_trace(const ww_module *m,
                   const ww_fn *fn,
                   const ww_launch *given,
                   const ww_trace_options *o,
                   ww_arena *a,
                   ww_trace_result *out,
                   ww_err *e) {
  ww_traced r;
  ww_status st = ww_trace_open(m, fn, given, o, a, out, &r, e);
  if (st)
    return st;
  if (o->dump)
    st = dump(m, &r.setup, o->dump, a, e);
  ww_status limit = ww_trace_close(&r, e);
  return limit ? limit : st;
}
