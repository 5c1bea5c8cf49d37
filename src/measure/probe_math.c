/* probe_math.c - what an operation of the language costs: cycles by the clock,
 * instructions and FLOPs by the hardware counters.
 *
 * The kernels math4_<op> and math8_<op> (probe/math.cu) differ by four operations a
 * loop, each with one logic instruction that keeps values in range; that one is taken
 * off again. */
#include "probe_int.h"

#include "measure.h"

#define LOOPS 64 /* of a counted launch */
#define BLOCKS 2 /* of a counted launch, 256 threads each */
#define THREADS 256

typedef struct {
  ww_probe_module module;
  uint32_t mask, one; /* x = (x & mask) | one, on the high word of 8-byte types */
} kind;

static bool ends(const char *s, const char *with) {
  size_t n = strlen(s);
  size_t k = strlen(with);
  return n >= k && !strcmp(s + n - k, with);
}

/* By the end of the operation's name, the first that fits. */
static kind kind_of(const char *op) {
  static const struct {
    const char *end;
    kind is;
  } kinds[] = {{"cvt_f32_f64", {WW_PROBE_MATH_INT, 0x000fffff, 0x3ff00000}},
               {"cvt_s32_f32", {WW_PROBE_MATH_INT, 0xffff, 0x10001}},
               {"cvt_s64_f64", {WW_PROBE_MATH_INT, 0xffffff, 0x123456}},
               {"small_u64", {WW_PROBE_MATH_INT, 0, 0}},
               {"_f32", {WW_PROBE_MATH_F32, 0x007fffff, 0x3f800000}},
               {"_f64", {WW_PROBE_MATH_F64, 0x000fffff, 0x3ff00000}},
               {"64", {WW_PROBE_MATH_INT, 0xffffff, 0x123456}},
               {"", {WW_PROBE_MATH_INT, 0xffff, 0x10001}}};
  size_t i = 0;
  while (!ends(op, kinds[i].end))
    i++;
  return kinds[i].is;
}

/* ---- cycles ---- */

/* Cycles of one block per operation and its logic instruction. */
static double per_operation(ww_rig *r, const char *op, uint32_t warps) {
  kind k = kind_of(op);
  int loops = 64;
  double cycles[2];
  void *params[] = {&r->result, &r->clocks, &loops, &k.mask, &k.one};
  for (int i = 0; i < 2; i++) {
    const char *name = ww_fmt(r->a, "math%d_%s", 4 + 4 * i, op);
    cycles[i] = ww_rig_cycles(r, k.module, name, 1, warps * 32, params);
  }
  return (cycles[1] - cycles[0]) / (4 * loops);
}

static void fill_operands(ww_rig *r) {
  uint64_t words[8192];
  for (size_t k = 0; k < 8192; k++)
    words[k] = ww_hash(&k, sizeof k, 7);
  if (r->broken)
    ww_fail(&r->e, WW_EDEVICE, "an earlier probe broke the device's context");
  else
    ww_rig_try(r, r->api->cuMemcpyHtoD(r->result, words, sizeof words),
               "filling operands");
}

/* fmax would make a number of what was not measured */
static double at_least_zero(double v) {
  return v < 0 ? 0 : v;
}

void ww_probe_math(ww_rig *r) {
  double lop3 = ww_rig_figure(r, "ops.lop3.latency", 4.5);
  for (int i = 0; i < WW_NGPU_MATHS; i++) {
    const char *op = ww_gpu_math_names[i];
    ww_progress("operations", i + 1, WW_NGPU_MATHS);
    fill_operands(r);
    ww_rig_add(r, ww_fmt(r->a, "math.%s.latency", op),
               at_least_zero(per_operation(r, op, 1) - lop3));
    ww_rig_add(r, ww_fmt(r->a, "math.%s.issue", op), /* less its issue slot */
               at_least_zero(per_operation(r, op, 32) * 4 / 32 - 1));
    ww_rig_gap(r, ww_fmt(r->a, "math.%s", op));
  }
}

/* ---- counts ---- */

typedef struct {
  ww_rig *r;
  ww_quantity (*m)[WW_NMETRICS]; /* per launch */
  const char **errors;
} counted;

static void keep(void *ctx, uint32_t index, const ww_measure_row *row) {
  counted *c = ctx;
  memcpy(c->m[index], row->report.m, sizeof row->report.m);
  if (row->report.error.code)
    c->errors[index] = ww_strdup(c->r->a, row->report.error.msg);
}

static ww_arg hex(ww_rig *r, uint32_t v) {
  return (ww_arg){
      .kind = WW_ARG_HEX, .hex = memcpy(ww_alloc(r->a, 4), &v, 4), .hex_n = 4};
}

static ww_arg buffer(uint64_t bytes, ww_fill_kind fill) {
  return (ww_arg){.kind = WW_ARG_BUFFER,
                  .buffer = {.bytes = bytes, .type = "u32", .fill.kind = fill}};
}

/* A ready spec: `op` NULL is the empty kernel. */
static ww_status
make_spec(ww_rig *r, const char *op, int per_loop, ww_launch *out, ww_err *e) {
  kind k = op ? kind_of(op) : (kind){.module = WW_PROBE_MEMORY};
  ww_arg *args = WW_NEWN(r->a, ww_arg, 5);
  if (!r->binaries[k.module])
    return ww_fail(e, WW_EUNSUPPORTED, "its code did not compile");
  args[0] = buffer(BLOCKS * THREADS * 16, op ? WW_FILL_RANDOM : WW_FILL_ZEROS);
  args[1] = buffer(32 * 16, WW_FILL_ZEROS);
  args[2] = hex(r, LOOPS);
  args[3] = hex(r, k.mask);
  args[4] = hex(r, k.one);
  *out = (ww_launch){.binary = r->binaries[k.module],
                     .kernel = op ? ww_fmt(r->a, "math%d_%s", per_loop, op) : "empty",
                     .grid = {op ? BLOCKS : 1, 1, 1},
                     .block = {op ? THREADS : 32, 1, 1},
                     .args = args,
                     .nargs = op ? 5 : 1,
                     .seed = 1,
                     .count = 1};
  return WW_OK;
}

/* The difference of two launches per operation and warp (or lane), NaN where the device
 * did not count it. */
static double difference(const ww_quantity *four,
                         const ww_quantity *eight,
                         ww_metric m,
                         double units) {
  if (!four[m].known || !eight[m].known)
    return NAN;
  return (eight[m].value - four[m].value) / (4.0 * LOOPS * units);
}

static void add_counts(ww_rig *r,
                       const char *op,
                       const ww_quantity *four,
                       const ww_quantity *eight) {
  const double lanes = BLOCKS * THREADS;
  const struct {
    const char *name;
    ww_metric metric;
    double units, logic; /* logic: of the instruction beside each operation */
  } counts[] = {{"instructions", WW_M_warp_instructions, lanes / 32, 1},
                {"flops_fp32", WW_M_flops_fp32, lanes, 0},
                {"flops_fp64", WW_M_flops_fp64, lanes, 0},
                {"int_ops", WW_M_int_ops, lanes, 1}};
  for (size_t i = 0; i < 4; i++)
    ww_rig_add(r, ww_fmt(r->a, "math.%s.%s", op, counts[i].name),
               difference(four, eight, counts[i].metric, counts[i].units) -
                   counts[i].logic);
}

void ww_probe_counts(ww_rig *r) {
  uint32_t n = 2 * WW_NGPU_MATHS + 1;
  ww_launch *l = WW_NEWN(r->a, ww_launch, n);
  counted c = {r, ww_alloc(r->a, n * sizeof *c.m), WW_NEWN(r->a, const char *, n)};
  ww_err e = {0};
  ww_status st = make_spec(r, NULL, 0, &l[0], &e);
  for (int i = 0; i < WW_NGPU_MATHS && !st; i++)
    for (int k = 0; k < 2 && !st; k++)
      st = make_spec(r, ww_gpu_math_names[i], 4 + 4 * k, &l[1 + 2 * i + k], &e);
  ww_measure_options o = {
      .device = r->o->device,
      .repeats = 3,
  };
  const ww_measure_sink sink = {
      .ctx = &c,
      .row = keep,
  };
  if (!st)
    st = r->o->self ? ww_measure(l, n, &o, r->o->self, &sink, &e)
                    : ww_measure_here(l, n, &o, &sink, &e);
  if (st) {
    r->e = e;
    ww_rig_gap(r, "math.*.instructions");
    return;
  }
  if (c.m[0][WW_M_time_us].known)
    ww_rig_add(r, "launch.floor_us", c.m[0][WW_M_time_us].value);
  for (int i = 0; i < WW_NGPU_MATHS; i++) {
    const uint32_t at = 1 + 2 * i;
    const char *why = c.errors[at] ? c.errors[at] : c.errors[at + 1];
    if (why)
      ww_push(r->a, &r->out->gaps,
              ((ww_probe_gap){
                  ww_fmt(r->a, "math.%s.instructions", ww_gpu_math_names[i]), why}));
    else
      add_counts(r, ww_gpu_math_names[i], c.m[at], c.m[at + 1]);
  }
}
