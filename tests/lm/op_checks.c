/* op_checks.c - each function of ops.h by itself: the backward ones against finite
 * differences of the forward ones, the rest against a formula. Of a forward function's
 * output y the scalar f = sum(y * r) with a random r is taken, so that r is the
 * gradient that comes in. */
#include <math.h>

#include "net_checks.h"

typedef struct {
  ww_ops *o;
  ww_arena *a;
  uint32_t seed;
  int failed;
} bench;

static float *host(bench *b, uint64_t n, float by) {
  float *x = WW_NEWN(b->a, float, n);
  for (uint64_t i = 0; i < n; i++)
    x[i] = by * random_value(&b->seed);
  return x;
}

static float *device(bench *b, const void *x, uint64_t n) {
  float *p = b->o->alloc(b->o, n * 4);
  if (x)
    b->o->upload(b->o, p, x, n * 4);
  return p;
}

static float *random_device(bench *b, uint64_t n, float by) {
  return device(b, host(b, n, by), n);
}
static int32_t *ints(bench *b, const int32_t *x, uint64_t n) {
  return (int32_t *)device(b, x, n);
}

static float *fetch(bench *b, const float *p, uint64_t n) {
  float *x = WW_NEWN(b->a, float, n);
  b->o->download(b->o, x, p, n * 4);
  return x;
}

static void drop(bench *b, int n, void *const *p) {
  for (int i = 0; i < n; i++)
    b->o->release(b->o, p[i]);
}
#define DROP(b, ...) \
  drop(b, sizeof((void *[]){__VA_ARGS__}) / sizeof(void *), (void *[]){__VA_ARGS__})

static void result(bench *b, bool ok, const char *what, double far) {
  if (!tell(ok, "op %s: %.1e", what, far))
    b->failed++;
}

static double dot(const float *a, const float *b, uint64_t n) {
  double sum = 0;
  for (uint64_t i = 0; i < n; i++)
    sum += (double)a[i] * (double)b[i];
  return sum;
}

typedef double scalar(bench *b, const void *ctx);

/* dx (device) is the gradient of f by x (device): along it, and along it where a mask
 * lets through.
 */
static void slope(bench *b,
                  const char *what,
                  float *x,
                  const float *dx,
                  uint64_t n,
                  scalar *f,
                  const void *ctx) {
  const float *x0 = fetch(b, x, n), *g = fetch(b, dx, n);
  float *moved = WW_NEWN(b->a, float, n);
  double worst = 0;
  for (uint32_t mask = 0; mask < 3; mask++) {
    double size = 0, value[2];
    for (uint64_t i = 0; i < n; i++)
      if (!mask || hash32((uint32_t)i + mask * 1000) & 1)
        size += (double)g[i] * (double)g[i];
    size = sqrt(size);
    const double step =
        0.02 *
        sqrt(dot(x0, x0, n) /
             (double)n); /* small beside the values, large beside their rounding */
    for (int side = 0; side < 2; side++) {
      for (uint64_t i = 0; i < n; i++)
        moved[i] = x0[i] + (!mask || hash32((uint32_t)i + mask * 1000) & 1
                                ? (float)((side ? step : -step) * (double)g[i] / size)
                                : 0);
      b->o->upload(b->o, x, moved, n * 4);
      value[side] = f(b, ctx);
    }
    const double far = fabs((value[1] - value[0]) / (2 * step) / size - 1);
    if (!(far <= worst))
      worst = far;
  }
  b->o->upload(b->o, x, x0, n * 4);
  result(b, worst <= 5e-3, what, worst);
}

/* ---- the products ---- */

typedef struct {
  float *out, *inp, *w, *bias;
  const float *r;
  uint32_t N, C, OC, ldo, ldi;
} linear;

static ww_linear matrix(const linear *l) {
  return (ww_linear){l->w, l->N, l->C, l->OC, l->ldi, l->ldo};
}

static double linear_scalar(bench *b, const void *ctx) {
  const linear *l = ctx;
  const ww_linear m = matrix(l);
  ww_linear_forward(b->o, &m, l->out, l->inp, l->bias, false);
  const float *y = fetch(b, l->out, (uint64_t)l->N * l->ldo);
  double sum = 0;
  for (uint32_t n = 0; n < l->N; n++)
    sum += dot(y + n * l->ldo, l->r + n * l->ldo, l->OC);
  return sum;
}

/* Against the formula in double, too: sizes that are no multiple of anything. */
static void check_product(bench *b, const linear *l) {
  const ww_linear m = matrix(l);
  linear_scalar(b, l);
  ww_linear_forward(b->o, &m, l->out, l->inp, l->bias, true);
  const float *y = fetch(b, l->out, (uint64_t)l->N * l->ldo),
              *x = fetch(b, l->inp, (uint64_t)l->N * l->ldi),
              *w = fetch(b, l->w, l->OC * l->C), *bias = fetch(b, l->bias, l->OC);
  double worst = 0;
  for (uint32_t n = 0; n < l->N; n++)
    for (uint32_t o = 0; o < l->OC; o++) {
      const double want =
          2 * (dot(x + n * l->ldi, w + o * l->C, l->C) + (double)bias[o]);
      worst = fmax(worst, fabs((double)y[n * l->ldo + o] - want));
    }
  result(b, worst < 1e-4, "matmul_forward, and added to itself", worst);
}

static void check_linear(bench *b, uint32_t N, uint32_t C, uint32_t OC) {
  const uint32_t ldo = OC + 8, ldi = C + 8;
  linear l = {.N = N,
              .C = C,
              .OC = OC,
              .ldo = ldo,
              .ldi = ldi,
              .out = device(b, NULL, N * ldo),
              .inp = random_device(b, N * ldi, 1),
              .w = random_device(b, OC * C, 1),
              .bias = random_device(b, OC, 1),
              .r = host(b, N * ldo, 1)};
  float *r = device(b, l.r, N * ldo), *dw = device(b, NULL, OC * C),
        *db = device(b, NULL, OC), *dinp = device(b, NULL, N * ldi);
  const ww_linear m = matrix(&l);
  check_product(b, &l);
  ww_linear_dinp(b->o, &m, dinp, r, false);
  slope(b, "matmul_dinp", l.inp, dinp, N * ldi, linear_scalar, &l);
  ww_linear_dweight(b->o, &m, dw, db, r, l.inp);
  slope(b, "matmul_dweight", l.w, dw, OC * C, linear_scalar, &l);
  slope(b, "matmul_dweight, bias", l.bias, db, OC, linear_scalar, &l);
  DROP(b, l.out, l.inp, l.w, l.bias, r, dw, db, dinp);
}

/* ---- norm, rotation, activation ---- */

enum { N = 12, C = 64 };
typedef struct {
  float *out, *rstd, *sum, *inp, *branch, *w;
  const float *r, *rs; /* of out; of sum */
} norms;

static double norm_scalar(bench *b, const void *ctx) {
  const norms *n = ctx;
  b->o->rmsnorm_forward(b->o, n->out, n->rstd, n->sum, n->inp, n->branch, n->w, 1e-5f,
                        N, C);
  return dot(fetch(b, n->out, N * C), n->r, N * C) +
         dot(fetch(b, n->sum, N * C), n->rs, N * C);
}

static void check_norm(bench *b) {
  norms n = {.out = device(b, NULL, N * C),
             .rstd = device(b, NULL, N),
             .sum = device(b, NULL, N * C),
             .inp = random_device(b, N * C, 1),
             .branch = random_device(b, N * C, 1),
             .w = random_device(b, C, 1),
             .r = host(b, N * C, 1),
             .rs = host(b, N * C, 1)};
  float *r = device(b, n.r, N * C), *dinp = device(b, n.rs, N * C),
        *dw = device(b, NULL, C);
  norm_scalar(b, &n);
  b->o->rmsnorm_backward(b->o, dinp, dw, r, n.sum, n.w, n.rstd, N, C);
  slope(b, "rmsnorm_backward", n.inp, dinp, N * C, norm_scalar, &n);
  slope(b, "rmsnorm_backward, branch", n.branch, dinp, N * C, norm_scalar, &n);
  slope(b, "rmsnorm_backward, weight", n.w, dw, C, norm_scalar, &n);
  const float *with = fetch(b, dinp, N * C);
  b->o->upload(b->o, dinp, n.rs, N * C * 4);
  b->o->rmsnorm_backward(b->o, dinp, NULL, r, n.sum, n.w, n.rstd, N, C);
  result(b, memcmp(with, fetch(b, dinp, N * C), N * C * 4) == 0,
         "rmsnorm_backward of a frozen weight", 0);
  DROP(b, n.out, n.rstd, n.sum, n.inp, n.branch, n.w, r, dinp, dw);
}

static void check_rope(bench *b) {
  enum { D = 16, HEADS = 3, LD = 80 };
  const ww_lm_config c = {.head_size = D, .rope_theta = 10000};
  float table[N * D];
  int32_t position[N];
  ww_lm_rope_table(&c, N, table);
  for (int i = 0; i < N; i++)
    position[i] = (i * 5) % N;
  const float *x = host(b, N * LD, 1);
  float *p = device(b, x, N * LD), *t = device(b, table, N * D);
  int32_t *at = ints(b, position, N);
  b->o->rope(b->o, p, LD, at, t, N, HEADS, D, false);
  const float *y = fetch(b, p, N * LD);
  double worst = 0;
  for (int n = 0; n < N; n++)
    for (int i = 0; i < LD; i++) {
      const int h = i / D, pair = i % (D / 2);
      const double angle = position[n] * pow(10000, -2.0 * pair / D),
                   self = (double)x[n * LD + i];
      const double other = h < HEADS ? (double)x[n * LD + h * D + (i + D / 2) % D] : 0;
      const double want =
          h >= HEADS
              ? self
              : self * cos(angle) + (i % D < D / 2 ? -other : other) * sin(angle);
      worst = fmax(worst, fabs((double)y[n * LD + i] - want));
    }
  result(b, worst < 1e-5, "rope", worst);
  b->o->rope(b->o, p, LD, at, t, N, HEADS, D, true);
  const float *back = fetch(b, p, N * LD);
  worst = 0;
  for (int i = 0; i < N * LD; i++)
    worst = fmax(worst, fabs((double)back[i] - (double)x[i]));
  result(b, worst < 1e-5, "rope, back", worst);
  DROP(b, p, t, at);
}

typedef struct {
  float *out, *gu;
  const float *r;
} swiglus;

static double swiglu_scalar(bench *b, const void *ctx) {
  const swiglus *s = ctx;
  b->o->swiglu_forward(b->o, s->out, s->gu, N, C);
  return dot(fetch(b, s->out, N * C), s->r, N * C);
}

static void check_swiglu(bench *b) {
  swiglus s = {device(b, NULL, N * C), random_device(b, 2 * N * C, 3),
               host(b, N * C, 1)};
  float *r = device(b, s.r, N * C), *dgu = device(b, NULL, 2 * N * C);
  b->o->swiglu_backward(b->o, dgu, r, s.gu, N, C);
  slope(b, "swiglu_backward", s.gu, dgu, 2 * N * C, swiglu_scalar, &s);
  DROP(b, s.out, s.gu, r, dgu);
}

/* ---- attention ---- */

typedef struct {
  float *out, *lse, *qkv;
  const float *r;
  int32_t *first;
  uint32_t B, T, H, K, D;
} attention;

static double attention_scalar(bench *b, const void *ctx) {
  const attention *a = ctx;
  const ww_attention_layer l = {.out = a->out,
                                .lse = a->lse,
                                .qkv = a->qkv,
                                .first = a->first,
                                .B = a->B,
                                .T = a->T,
                                .H = a->H,
                                .K = a->K,
                                .D = a->D};
  b->o->attention_forward(b->o, &l);
  const uint64_t n = (uint64_t)a->B * a->T * a->H * a->D;
  return dot(fetch(b, a->out, n), a->r, n);
}

/* out by the formula in double */
static double attention_error(bench *b, const attention *a, const int32_t *first) {
  const uint32_t ld = (a->H + 2 * a->K) * a->D, D = a->D;
  const float *x = fetch(b, a->qkv, (uint64_t)a->B * a->T * ld),
              *out = fetch(b, a->out, (uint64_t)a->B * a->T * a->H * D);
  double worst = 0;
  for (uint32_t i = 0; i < a->B * a->T * a->H; i++) {
    const uint32_t n = i / a->H, h = i % a->H, row = n - n % a->T,
                   kv = h / (a->H / a->K);
    double sum = 0, y[128] = {0};
    for (uint32_t s = row + (uint32_t)first[n]; s <= n; s++) {
      const double p = exp(
          dot(x + (uint64_t)n * ld + h * D, x + (uint64_t)s * ld + (a->H + kv) * D, D) /
          sqrt(D));
      sum += p;
      for (uint32_t d = 0; d < D; d++)
        y[d] += p * (double)x[(uint64_t)s * ld + (a->H + a->K + kv) * D + d];
    }
    for (uint32_t d = 0; d < D; d++)
      worst = fmax(worst, fabs(y[d] / sum - (double)out[(uint64_t)i * D + d]));
  }
  return worst;
}

static void check_attention(bench *b, uint32_t T, uint32_t H, uint32_t K, uint32_t D) {
  const uint32_t B = 2, ld = (H + 2 * K) * D;
  int32_t *first = WW_NEWN(b->a, int32_t, B * T);
  for (uint32_t i = 0; i < B * T; i++)
    first[i] = i < T ? (int32_t)(i / 11 * 11) : 0; /* documents of 11; one document */
  attention a = {.out = device(b, NULL, B * T * H * D),
                 .lse = device(b, NULL, B * H * T),
                 .qkv = random_device(b, B * T * ld, 1),
                 .r = host(b, B * T * H * D, 1),
                 .first = ints(b, first, B * T),
                 .B = B,
                 .T = T,
                 .H = H,
                 .K = K,
                 .D = D};
  float *r = device(b, a.r, B * T * H * D), *dqkv = random_device(b, B * T * ld, 1);
  attention_scalar(b, &a);
  const double far = attention_error(b, &a, first);
  result(b, far < 1e-5, "attention_forward", far);
  const ww_attention_layer l = {.out = a.out,
                                .lse = a.lse,
                                .qkv = a.qkv,
                                .first = a.first,
                                .dout = r,
                                .dqkv = dqkv,
                                .B = B,
                                .T = T,
                                .H = H,
                                .K = K,
                                .D = D};
  b->o->attention_backward(b->o, &l);
  slope(b, "attention_backward", a.qkv, dqkv, B * T * ld, attention_scalar, &a);
  DROP(b, a.out, a.lse, a.qkv, a.first, r, dqkv);
}

/* ---- losses ---- */

typedef struct {
  float *loss, *logits, *work, *target;
  int32_t *token;
  uint32_t V;
  float *weight; /* of tokens; NULL: 1 */
} losses;

static double token_scalar(bench *b, const void *ctx) {
  const losses *l = ctx;
  b->o->copy(b->o, l->work, l->logits, N * l->V * 4);
  b->o->token_loss(b->o, l->loss, l->work, l->token, l->weight, 0.5f, N, l->V);
  const float *each = fetch(b, l->loss, N);
  double sum = 0;
  for (int i = 0; i < N; i++)
    sum += 0.5 * (double)each[i];
  return sum;
}

static double number_scalar(bench *b, const void *ctx) {
  const losses *l = ctx;
  b->o->number_loss(b->o, l->loss, l->work, l->logits, l->target, 0.5f, N, 4);
  const float *each = fetch(b, l->loss, N);
  double sum = 0;
  for (int i = 0; i < N; i++)
    sum += 0.5 * (double)each[i];
  return sum;
}

static void check_losses(bench *b) {
  int32_t token[N];
  const uint32_t V = 77;
  for (int i = 0; i < N; i++)
    token[i] = i % 3 ? (int32_t)(hash32((uint32_t)i) % V) : -1;
  losses l = {device(b, NULL, N),
              random_device(b, N * V, 3),
              device(b, NULL, N * V),
              NULL,
              ints(b, token, N),
              V,
              NULL};
  token_scalar(b, &l);
  float *dlogits = device(b, fetch(b, l.work, N * V), N * V);
  slope(b, "token_loss", l.logits, dlogits, N * V, token_scalar, &l);

  float weight[N]; /* above and below 0 */
  for (int i = 0; i < N; i++)
    weight[i] = i % 2 ? 1.5f : -0.75f;
  l.weight = device(b, weight, N);
  token_scalar(b, &l);
  float *dweighted = device(b, fetch(b, l.work, N * V), N * V);
  slope(b, "token_loss, weighted", l.logits, dweighted, N * V, token_scalar, &l);
  for (int i = 0; i < N; i++)
    weight[i] = 1;
  DROP(b, l.weight);
  l.weight = device(b, weight, N);
  token_scalar(b, &l);
  const float *plain = fetch(b, dlogits, N * V), *ones = fetch(b, l.work, N * V);
  float most = 0;
  for (uint32_t i = 0; i < N * V; i++)
    most = fmaxf(most, fabsf(plain[i] - ones[i]));
  result(b, most == 0, "token_loss: weights of 1 change nothing", most);
  DROP(b, l.loss, l.logits, l.work, l.token, l.weight, dlogits, dweighted);

  float *target = host(b, N * 4, 1), *out = host(b, N * 8, 1);
  for (int i = 0; i < N * 4; i++)
    target[i] += target[i] > 0 ? 3 : -3;
  target[5] = NAN;
  out[4] = 7; /* a spread beyond what is kept */
  out[12] = -7;
  losses m = {.loss = device(b, NULL, N),
              .logits = device(b, out, N * 8),
              .work = device(b, NULL, N * 8),
              .target = device(b, target, N * 4)};
  number_scalar(b, &m);
  float *dout = device(b, fetch(b, m.work, N * 8), N * 8);
  const float *g = fetch(b, dout, N * 8);
  result(b, g[4] == 0 && g[8 + 4] == 0 && g[8 + 1] == 0 && g[8 + 5] == 0,
         "number_loss: none beyond the spreads kept, none without a target", 0);
  slope(b, "number_loss", m.logits, dout, N * 8, number_scalar, &m);
  DROP(b, m.loss, m.logits, m.work, m.target, dout);
}

/* ---- rows ---- */

static void check_rows(bench *b) {
  const int32_t token[] = {4, 2, 4, 4, 0, 2}, order[] = {0, 2, 3, 1, 5, 4},
                first[] = {0, 3, 5, 6}, id[] = {4, 2, 0};
  const float *w = host(b, 5 * C, 1), *d = host(b, 6 * C, 1);
  float *pw = device(b, w, 5 * C), *out = device(b, NULL, 6 * C),
        *pd = device(b, d, 6 * C), *dw = device(b, w, 5 * C);
  int32_t *pt = ints(b, token, 6), *po = ints(b, order, 6), *pf = ints(b, first, 4),
          *pi = ints(b, id, 3);
  b->o->gather_rows(b->o, out, pw, pt, 6, C);
  b->o->embed_backward(b->o, dw, pd, po, pf, pi, 3, 6, C);
  const float *y = fetch(b, out, 6 * C), *g = fetch(b, dw, 5 * C);
  double worst = 0;
  for (int i = 0; i < 6 * C; i++)
    worst = fmax(worst, fabs((double)y[i] - (double)w[token[i / C] * C + i % C]));
  for (int i = 0; i < 5 * C; i++) {
    double want = (double)w[i];
    for (int n = 0; n < 6; n++)
      if (token[n] == i / C)
        want += (double)d[n * C + i % C];
    worst = fmax(worst, fabs((double)g[i] - want));
  }
  result(b, worst < 1e-6, "embed_forward, embed_backward", worst);
  b->o->scatter_add_rows(b->o, pw, pd, pi, 3, C);
  b->o->gather_rows(b->o, out, pw, pi, 3, C);
  b->o->column_scale(b->o, out, 2, 3 * C);
  y = fetch(b, out, 3 * C);
  worst = 0;
  for (int i = 0; i < 3 * C; i++)
    worst = fmax(worst, fabs((double)y[i] -
                             2 * ((double)w[id[i / C] * C + i % C] + (double)d[i])));
  result(b, worst < 1e-6, "scatter_add_rows, gather_rows, column_scale", worst);
  DROP(b, pw, out, pd, dw, pt, po, pf, pi);
}

/* ---- the optimiser ---- */

static void check_optimiser(bench *b) {
  enum { M = 5000 };
  const float *x = host(b, M, 1), *g = host(b, M, 1), *m = host(b, M, 0.1f);
  float *v = host(b, M, 0.1f), start[2] = {3, 4}, *px = device(b, x, M),
        *pm = device(b, m, M), *pg = device(b, g, M), *sums = device(b, start, 2);
  for (int i = 0; i < M; i++)
    v[i] = fabsf(v[i]);
  float *pv = device(b, v, M);
  b->o->sum(b->o, sums, pg, M, true);
  b->o->sum_squares(b->o, sums + 1, pg, M, false);
  const float *got = fetch(b, sums, 2);
  const double squares = dot(g, g, M);
  double total = 3, worst = 0;
  for (int i = 0; i < M; i++)
    total += (double)g[i];
  result(b,
         fabs((double)got[0] - total) < 1e-3 &&
             fabs((double)got[1] / squares - 1) < 1e-5,
         "sum, sum_squares", fabs((double)got[1] / squares - 1));
  ww_adamw step = {px,    px,   pm,    pv,    pg,   sums + 1, M,
                   0.01f, 0.9f, 0.95f, 1e-8f, 0.1f, 1,        3};
  b->o->adamw(b->o, &step);
  const float *now = fetch(b, px, M);
  for (int i = 0; i < M; i++) {
    const double gi = (double)g[i] / sqrt(squares), mi = 0.9 * (double)m[i] + 0.1 * gi,
                 vi = 0.95 * (double)v[i] + 0.05 * gi * gi;
    const double want =
        (double)x[i] * (1 - 0.001) -
        0.01 * (mi / (1 - pow(0.9, 3))) / (sqrt(vi / (1 - pow(0.95, 3))) + 1e-8);
    worst = fmax(worst, fabs((double)now[i] - want));
  }
  result(b, worst < 1e-5, "adamw", worst);
  b->o->upload(b->o, sums + 1, &(float){INFINITY}, 4);
  step.step = 4;
  b->o->adamw(b->o, &step);
  result(b, memcmp(now, fetch(b, px, M), M * 4) == 0,
         "adamw: nothing changes where the gradient is not finite", 0);
  DROP(b, px, pm, pv, pg, sums);
}

int check_ops(ww_ops *o) {
  bench b = {.o = o, .a = ww_arena_new(), .seed = 1234};
  check_linear(&b, 48, 64, 32);
  check_linear(&b, 51, 307, 77);
  check_norm(&b);
  check_rope(&b);
  check_swiglu(&b);
  check_attention(&b, 48, 4, 2, 32);
  check_attention(&b, 37, 2, 1, 64);
  check_losses(&b);
  check_rows(&b);
  check_optimiser(&b);
  ww_arena_free(b.a);
  return b.failed;
}
