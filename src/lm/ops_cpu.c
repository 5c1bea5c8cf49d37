/* ops_cpu.c - ops.h in plain C: the reference that every kernel of the GPU is checked
 * against, and the trainer of tiny models.
 *
 * "Real" is float here, memory is the host's, every function is done when it returns.
 * Loops are written so that a compiler can use vectors; the three products and
 * attention lie in ops_cpu_gemm.c and ops_cpu_attention.c. Sums that decide something
 * (losses, norms) run in double.
 */

#include "ops_cpu_int.h"

/* ---- memory: a block knows its size, in the 256 bytes before it ---- */

enum { HEAD = 256 };

static void *cpu_alloc(ww_ops *o, size_t bytes) {
  if (bytes > SIZE_MAX / 2)
    return NULL;
  size_t all = ww_round_up(bytes + HEAD, HEAD);
  char *p = aligned_alloc(HEAD, all);
  if (!p)
    return NULL;
  memset(p, 0, all);
  memcpy(p, &all, sizeof all);
  ((ww_ops_cpu_state *)o)->bytes += all;
  return p + HEAD;
}

static void cpu_release(ww_ops *o, void *p) {
  if (!p)
    return;
  size_t all;
  memcpy(&all, p - HEAD, sizeof all);
  ((ww_ops_cpu_state *)o)->bytes -= all;
  free(p - HEAD);
}

static void cpu_copy(ww_ops *o, void *to, const void *from, size_t bytes) {
  (void)o;
  if (bytes)
    memcpy(to, from, bytes);
}

static void cpu_zero(ww_ops *o, void *p, size_t bytes) {
  (void)o;
  if (bytes)
    memset(p, 0, bytes);
}

static void cpu_to_real(ww_ops *o, void *to, const float *from, uint64_t n) {
  cpu_copy(o, to, from, n * sizeof(float));
}
static void cpu_to_f32(ww_ops *o, float *to, const void *from, uint64_t n) {
  cpu_copy(o, to, from, n * sizeof(float));
}

static ww_status cpu_finish(ww_ops *o, ww_err *e) {
  (void)o;
  (void)e;
  return WW_OK;
}

static uint64_t cpu_memory(ww_ops *o) {
  return ((ww_ops_cpu_state *)o)->bytes;
}

/* ---- embedding ---- */

static void embed_backward(ww_ops *o,
                           float *dweight,
                           const void *dout,
                           const int32_t *order,
                           const int32_t *first,
                           const int32_t *id,
                           uint32_t U,
                           uint32_t N,
                           uint32_t C) {
  (void)o;
  (void)N;
  for (uint32_t u = 0; u < U; u++)
    for (int32_t i = first[u]; i < first[u + 1]; i++)
      ww_axpy(dweight + (size_t)id[u] * C, (const float *)dout + (size_t)order[i] * C,
              1, C);
}

/* ---- products ---- */

static void multiply(ww_ops *o, const ww_matmul *p) {
  ww_cpu_gemm(o, &(ww_gemm){.out = p->d,
                            .ldo = p->ldd,
                            .a = p->a,
                            .a_row = p->a_turned ? 1 : p->lda,
                            .a_col = p->a_turned ? p->lda : 1,
                            .b = p->b,
                            .b_row = p->b_turned ? 1 : p->ldb,
                            .b_col = p->b_turned ? p->ldb : 1,
                            .M = p->rows,
                            .N = p->cols,
                            .K = p->depth,
                            .add = p->add});
  for (size_t n = 0; p->bias && n < p->rows; n++)
    ww_axpy((float *)p->d + n * p->ldd, p->bias, 1, p->cols);
}

static void
add_columns(ww_ops *o, float *to, const void *x, uint32_t ld, uint32_t N, uint32_t C) {
  (void)o;
  for (size_t n = 0; n < N; n++)
    ww_axpy(to, (const float *)x + n * ld, 1, C);
}

/* ---- norm, rotation, activation ---- */

static void rmsnorm_forward(ww_ops *o,
                            void *out,
                            float *rstd,
                            void *sum,
                            const void *inp,
                            const void *branch,
                            const void *weight,
                            float eps,
                            uint32_t N,
                            uint32_t C) {
  (void)o;
  const float *w = weight;
  for (size_t n = 0; n < N; n++) {
    const float *x = (const float *)inp + n * C;
    if (branch) {
      const float *add = (const float *)branch + n * C;
      float *s = (float *)sum + n * C;
      for (uint32_t c = 0; c < C; c++)
        s[c] = x[c] + add[c];
      x = s;
    }
    float r = 1 / sqrtf(ww_dot(x, x, C) / C + eps);
    float *y = (float *)out + n * C;
    for (uint32_t c = 0; c < C; c++)
      y[c] = x[c] * r * w[c];
    rstd[n] = r;
  }
}

/* y = x r w, r = (mean x^2 + eps)^-1/2: dx = r (dy w) - x r^3 / C sum(dy w x) */
static void rmsnorm_backward(ww_ops *o,
                             void *dinp,
                             float *dweight,
                             const void *dout,
                             const void *inp,
                             const void *weight,
                             const float *rstd,
                             uint32_t N,
                             uint32_t C) {
  (void)o;
  const float *w = weight;
  for (size_t n = 0; n < N; n++) {
    const float *x = (const float *)inp + n * C;
    const float *dy = (const float *)dout + n * C;
    const float r = rstd[n];
    float *dx = (float *)dinp + n * C;
    double along = 0;
    for (uint32_t c = 0; c < C; c++)
      along += dy[c] * w[c] * x[c];
    float back = (float)along * r * r * r / C;
    for (uint32_t c = 0; c < C; c++)
      dx[c] += r * dy[c] * w[c] - back * x[c];
    if (dweight)
      for (uint32_t c = 0; c < C; c++)
        dweight[c] += dy[c] * x[c] * r;
  }
}

static void rope(ww_ops *o,
                 void *qk,
                 uint32_t ld,
                 const int32_t *position,
                 const float *table,
                 uint32_t N,
                 uint32_t heads,
                 uint32_t head_size,
                 bool back) {
  (void)o;
  uint32_t half = head_size / 2;
  float sign = back ? -1 : 1;
  for (size_t n = 0; n < N; n++) {
    const float *angle = table + (size_t)position[n] * head_size;
    for (size_t h = 0; h < heads; h++) {
      float *x = (float *)qk + n * ld + h * head_size;
      for (uint32_t i = 0; i < half; i++) {
        float cos = angle[2 * i];
        float sin = sign * angle[2 * i + 1];
        float a = x[i];
        float b = x[half + i];
        x[i] = a * cos - b * sin;
        x[half + i] = b * cos + a * sin;
      }
    }
  }
}

typedef struct {
  float *out, *dgu;
  const float *dout, *gu;
  uint32_t F;
} swiglu;

static void swiglu_some(const void *ctx, ww_cpu_part p) {
  const swiglu *s = ctx;
  for (uint64_t n = p.from; n < p.to; n++) {
    const float *gate = s->gu + n * 2 * s->F;
    const float *up = gate + s->F;
    float *out = s->out + n * s->F;
    for (uint32_t f = 0; f < s->F; f++)
      out[f] = gate[f] / (1 + expf(-gate[f])) * up[f];
  }
}

static void swiglu_back_some(const void *ctx, ww_cpu_part p) {
  const swiglu *s = ctx;
  for (uint64_t n = p.from; n < p.to; n++) {
    const float *gate = s->gu + n * 2 * s->F;
    const float *up = gate + s->F;
    const float *dout = s->dout + n * s->F;
    float *dgate = s->dgu + n * 2 * s->F;
    float *dup = dgate + s->F;
    for (uint32_t f = 0; f < s->F; f++) {
      float sigmoid = 1 / (1 + expf(-gate[f]));
      float silu = gate[f] * sigmoid;
      dup[f] = dout[f] * silu;
      dgate[f] = dout[f] * up[f] * (sigmoid + silu * (1 - sigmoid));
    }
  }
}

static void
swiglu_forward(ww_ops *o, void *out, const void *gu, uint32_t N, uint32_t F) {
  swiglu s = {.out = out, .gu = gu, .F = F};
  ww_cpu_split(o, swiglu_some, &s, N, 1, 20.0 * N * F);
}

static void swiglu_backward(
    ww_ops *o, void *dgu, const void *dout, const void *gu, uint32_t N, uint32_t F) {
  swiglu s = {.dgu = dgu, .dout = dout, .gu = gu, .F = F};
  ww_cpu_split(o, swiglu_back_some, &s, N, 1, 30.0 * N * F);
}

/* ---- losses ---- */

typedef struct {
  float *loss, *logits;
  const int32_t *target;
  const float *weight; /* NULL: 1 */
  float scale;
  uint32_t V;
} token;

static void token_some(const void *ctx, ww_cpu_part p) {
  const token *t = ctx;
  for (uint64_t n = p.from; n < p.to; n++) {
    float *x = t->logits + n * t->V;
    float top = x[0];
    int32_t target = t->target[n];
    t->loss[n] = 0;
    if (target < 0) {
      memset(x, 0, t->V * sizeof *x);
      continue;
    }
    for (uint32_t v = 1; v < t->V; v++)
      top = x[v] > top ? x[v] : top;
    float asked = x[target] - top;
    double sum = 0;
    for (uint32_t v = 0; v < t->V; v++)
      sum += (x[v] = expf(x[v] - top));
    float weight = t->weight ? t->weight[n] : 1;
    float by = weight * t->scale / (float)sum;
    for (uint32_t v = 0; v < t->V; v++)
      x[v] *= by;
    x[target] -= weight * t->scale;
    t->loss[n] = weight * (log(sum) - asked);
  }
}

static void token_loss(ww_ops *o,
                       float *loss,
                       void *logits,
                       const int32_t *target,
                       const float *weight,
                       float scale,
                       uint32_t N,
                       uint32_t V) {
  token t = {loss, logits, target, weight, scale, V};
  ww_cpu_split(o, token_some, &t, N, 1, 20.0 * N * V);
}

static void number_loss(ww_ops *o,
                        float *loss,
                        void *dout,
                        const void *out,
                        const float *target,
                        float scale,
                        uint32_t n,
                        uint32_t K) {
  (void)o;
  for (size_t i = 0; i < n; i++) {
    const float *mean = (const float *)out + i * 2 * K;
    const float *spread = mean + K;
    const float *y = target + i * K;
    float *dmean = (float *)dout + i * 2 * K;
    float *dspread = dmean + K;
    double sum = 0;
    for (uint32_t k = 0; k < K; k++) {
      dmean[k] = dspread[k] = 0;
      if (isnan(y[k]))
        continue;
      float s = fminf(fmaxf(spread[k], -5), 5);
      float sharp = expf(-s);
      float miss = y[k] - mean[k];
      sum += fabsf(miss) + WW_SPREAD_WEIGHT * (fabsf(miss) * sharp + s);
      dmean[k] = (miss > 0   ? -1.0f
                  : miss < 0 ? 1.0f
                             : 0.0f) *
                 (1 + WW_SPREAD_WEIGHT * sharp) * scale;
      if (spread[k] >= -5 && spread[k] <= 5)
        dspread[k] = WW_SPREAD_WEIGHT * (1 - fabsf(miss) * sharp) * scale;
      if (isnan(miss) || isnan(spread[k])) {
        dmean[k] = dspread[k] = NAN;
        sum = NAN;
      }
    }
    loss[i] = sum;
  }
}

/* ---- rows ---- */

static void gather_rows(
    ww_ops *o, void *out, const void *inp, const int32_t *row, uint32_t n, uint32_t C) {
  (void)o;
  for (size_t i = 0; i < n; i++)
    memcpy((float *)out + i * C, (const float *)inp + (size_t)row[i] * C,
           C * sizeof(float));
}

static void scatter_add_rows(
    ww_ops *o, void *out, const void *inp, const int32_t *row, uint32_t n, uint32_t C) {
  (void)o;
  for (size_t i = 0; i < n; i++)
    ww_axpy((float *)out + (size_t)row[i] * C, (const float *)inp + i * C, 1, C);
}

static void
dropout(ww_ops *o, void *out, const void *inp, float share, uint64_t seed, uint64_t n) {
  (void)o;
  const float by = 1 / (1 - share);
  const float *x = inp;
  float *y = out;
  for (uint64_t i = 0; i < n; i++)
    y[i] = ww_dropped(seed, i, share) ? 0 : x[i] * by;
}

static void column_scale(ww_ops *o, void *x, float by, uint64_t n) {
  (void)o;
  for (uint64_t i = 0; i < n; i++)
    ((float *)x)[i] *= by;
}

/* ---- the optimiser ---- */

static void sum_all(ww_ops *o, float *out, const float *x, uint64_t n, bool add) {
  (void)o;
  double sum = add ? *out : 0;
  for (uint64_t i = 0; i < n; i++)
    sum += x[i];
  *out = sum;
}

static void sum_squares(ww_ops *o, float *out, const float *x, uint64_t n, bool add) {
  (void)o;
  double sum = add ? *out : 0;
  for (uint64_t at = 0; at < n; at += 4096) /* lanes within a block, blocks in double */
    sum += ww_dot(x + at, x + at, ww_least(n - at, 4096));
  *out = sum;
}

typedef struct {
  ww_adamw a;
  /* by: of the clip; lr: with the first bias correction; root2: of the second */
  float by, lr, keep, root2;
} adam;

static void adam_some(const void *ctx, ww_cpu_part p) {
  adam s = *(const adam *)ctx;
  ww_adamw a = s.a;
  for (uint64_t i = p.from; i < p.to; i++) {
    float g = a.grad[i] * s.by;
    float m = a.beta1 * a.m[i] + (1 - a.beta1) * g;
    float v = a.beta2 * a.v[i] + (1 - a.beta2) * g * g;
    a.m[i] = m;
    a.v[i] = v;
    a.master[i] = a.master[i] * s.keep - s.lr * m / (sqrtf(v) * s.root2 + a.eps);
  }
  if (a.param != a.master)
    memcpy((float *)a.param + p.from, a.master + p.from,
           (p.to - p.from) * sizeof(float));
}

static void adamw(ww_ops *o, const ww_adamw *a) {
  if (!isfinite(*a->squares))
    return;
  float norm = sqrtf(*a->squares);
  double fix1 = 1 - pow(a->beta1, a->step);
  double fix2 = 1 - pow(a->beta2, a->step);
  adam s = {.a = *a,
            .by = a->clip > 0 && norm > a->clip ? a->clip / norm : 1,
            .lr = a->lr / fix1,
            .keep = 1 - a->lr * a->decay,
            .root2 = (1 / sqrt(fix2))};
  ww_cpu_split(o, adam_some, &s, a->n, 64, 20.0 * a->n);
}

/* ---- the table ---- */

static void cpu_close(ww_ops *o) {
  if (!o)
    return;
  ww_ops_cpu_state *s = (ww_ops_cpu_state *)o;
  ww_team_free(s->team);
  for (uint32_t i = 0; i < WW_CPU_THREADS; i++)
    free(s->scratch[i]);
  free(s);
}

ww_status ww_ops_cpu(ww_ops **out, ww_err *e) {
  ww_ops_cpu_state *s = ww_xcalloc(1, sizeof *s);
  s->ops = (ww_ops){.name = "cpu",
                    .real = WW_DTYPE_F32,
                    .deterministic = true,
                    .close = cpu_close,
                    .alloc = cpu_alloc,
                    .release = cpu_release,
                    .upload = cpu_copy,
                    .download = cpu_copy,
                    .zero = cpu_zero,
                    .copy = cpu_copy,
                    .to_real = cpu_to_real,
                    .to_f32 = cpu_to_f32,
                    .finish = cpu_finish,
                    .memory = cpu_memory,
                    .embed_backward = embed_backward,
                    .multiply = multiply,
                    .add_columns = add_columns,
                    .rmsnorm_forward = rmsnorm_forward,
                    .rmsnorm_backward = rmsnorm_backward,
                    .rope = rope,
                    .attention_forward = ww_cpu_attention_forward,
                    .attention_backward = ww_cpu_attention_backward,
                    .swiglu_forward = swiglu_forward,
                    .swiglu_backward = swiglu_backward,
                    .token_loss = token_loss,
                    .number_loss = number_loss,
                    .gather_rows = gather_rows,
                    .scatter_add_rows = scatter_add_rows,
                    .column_scale = column_scale,
                    .dropout = dropout,
                    .sum = sum_all,
                    .sum_squares = sum_squares,
                    .adamw = adamw};
  uint32_t threads = ww_least(ww_team_cores(), WW_CPU_THREADS);
  s->team = ww_team_new(threads);
  *out = NULL;
  for (uint32_t i = 0; i < threads; i++)
    if (!(s->scratch[i] = aligned_alloc(64, WW_CPU_SCRATCH * sizeof(float)))) {
      cpu_close(&s->ops);
      return ww_fail(e, WW_ELIMIT, "no memory for the working space of %u threads",
                     threads);
    }
  *out = &s->ops;
  return WW_OK;
}
