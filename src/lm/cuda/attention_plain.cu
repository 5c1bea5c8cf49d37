/* attention_plain.cu - causal attention within documents as it is defined: the readable reference on the GPU, for fp32 and for any head size to 256.
 *
 * A warp has one row: a query and one after another all keys that it sees, or a key and all queries that see it; its lanes share the head's columns
 * (lane, lane + 32, ...). No block needs another one, so the same inputs give the same bits. */

typedef unsigned short half_float; /* bf16's bits */
#define PART 8                     /* columns of a lane: head sizes to 256 */
#define EACH(i, c) for (int i = 0, c = threadIdx.x & 31; i < PART; i++, c += 32) if (c < D)
#define INLINE static __device__ __forceinline__

INLINE float value(float x) { return x; }
INLINE float value(half_float x) { return __uint_as_float((unsigned)x << 16); }
INLINE void put(float *to, float x) { *to = x; }
INLINE void put(half_float *to, float x) {
  const unsigned u = __float_as_uint(x);
  *to = x != x ? 0x7fff : (u + 0x7fff + (u >> 16 & 1)) >> 16;
}
INLINE float warp_sum(float x) {
  for (int i = 16; i; i /= 2) x += __shfl_xor_sync(~0u, x, i);
  return x;
}
template <typename real> INLINE void read_row(float (&x)[PART], const real *from, int D) {
  for (int i = 0; i < PART; i++) x[i] = 0;
  EACH(i, c) x[i] = value(from[c]);
}
INLINE float dot(const float (&x)[PART], const float (&y)[PART]) {
  float s = 0;
  for (int i = 0; i < PART; i++) s += x[i] * y[i];
  return warp_sum(s);
}

/* Row `at` of B * T * heads: its place, or no row */
struct place {
  int b, t, h;
  bool there;
};
INLINE place place_of(int B, int T, int heads) {
  const long long at = (long long)blockIdx.x * 8 + (threadIdx.x >> 5);
  place p = {(int)(at / heads / T), (int)(at / heads % T), (int)(at % heads), at < (long long)B * T * heads};
  return p;
}

template <typename real>
INLINE void forward(real *out, float *lse, const real *qkv, const int *first, int B, int T, int H, int K, int D, float scale) {
  const place p = place_of(B, T, H);
  if (!p.there) return;
  const size_t ld = (size_t)(H + 2 * K) * D, row = (size_t)p.b * T;
  const real *k = qkv + (H + p.h / (H / K)) * D, *v = k + K * D;
  float q[PART], x[PART], acc[PART] = {0}, top = 0, sum = 0;
  read_row(q, qkv + (row + p.t) * ld + p.h * D, D);
  for (int j = p.t, begin = first[row + p.t]; j >= begin || j == p.t; j--) {
    read_row(x, k + (row + j) * ld, D);
    const float s = dot(q, x) * scale, old = top;
    top = j == p.t ? s : fmaxf(top, s);
    const float keep = j == p.t ? 0 : expf(old - top), weight = expf(s - top);
    read_row(x, v + (row + j) * ld, D);
    sum = sum * keep + weight;
    for (int i = 0; i < PART; i++) acc[i] = acc[i] * keep + weight * x[i];
  }
  EACH(i, c) put(out + ((row + p.t) * H + p.h) * D + c, acc[i] / sum);
  if ((threadIdx.x & 31) == 0) lse[((size_t)p.b * H + p.h) * T + p.t] = top + logf(sum);
}

/* delta [B, H, T] = rowsum(dout * out) */
template <typename real> INLINE void delta_of(float *delta, const real *dout, const real *out, int B, int T, int H, int D) {
  const place p = place_of(B, T, H);
  if (!p.there) return;
  float x[PART], y[PART];
  const size_t at = (((size_t)p.b * T + p.t) * H + p.h) * D;
  read_row(x, dout + at, D);
  read_row(y, out + at, D);
  const float s = dot(x, y);
  if ((threadIdx.x & 31) == 0) delta[((size_t)p.b * H + p.h) * T + p.t] = s;
}

template <typename real>
INLINE void queries(real *dqkv, const real *dout, const real *qkv, const float *lse, const float *delta, const int *first, int B, int T, int H, int K,
                    int D, float scale) {
  const place p = place_of(B, T, H);
  if (!p.there) return;
  const size_t ld = (size_t)(H + 2 * K) * D, row = (size_t)p.b * T, stat = ((size_t)p.b * H + p.h) * T + p.t;
  const real *k = qkv + (H + p.h / (H / K)) * D, *v = k + K * D;
  float q[PART], dO[PART], x[PART], y[PART], acc[PART] = {0};
  read_row(q, qkv + (row + p.t) * ld + p.h * D, D);
  read_row(dO, dout + ((row + p.t) * H + p.h) * D, D);
  for (int j = p.t, begin = first[row + p.t]; j >= begin || j == p.t; j--) {
    read_row(x, k + (row + j) * ld, D);
    read_row(y, v + (row + j) * ld, D);
    const float ds = expf(dot(q, x) * scale - lse[stat]) * (dot(dO, y) - delta[stat]);
    for (int i = 0; i < PART; i++) acc[i] += ds * x[i];
  }
  EACH(i, c) put(dqkv + (row + p.t) * ld + p.h * D + c, acc[i] * scale);
}

template <typename real>
INLINE void keys(real *dqkv, const real *dout, const real *qkv, const float *lse, const float *delta, const int *first, int B, int T, int H, int K, int D,
                 float scale) {
  const place p = place_of(B, T, K);
  if (!p.there) return;
  const size_t ld = (size_t)(H + 2 * K) * D, row = (size_t)p.b * T;
  float k[PART], v[PART], q[PART], dO[PART], dk[PART] = {0}, dv[PART] = {0};
  read_row(k, qkv + (row + p.t) * ld + (H + p.h) * D, D);
  read_row(v, qkv + (row + p.t) * ld + (H + K + p.h) * D, D);
  for (int h = p.h * (H / K); h < (p.h + 1) * (H / K); h++)
    for (int t = p.t; t < T && (first[row + t] <= p.t || t == p.t); t++) {
      const size_t stat = ((size_t)p.b * H + h) * T + t;
      read_row(q, qkv + (row + t) * ld + h * D, D);
      read_row(dO, dout + ((row + t) * H + h) * D, D);
      const float weight = expf(dot(q, k) * scale - lse[stat]), ds = weight * (dot(dO, v) - delta[stat]);
      for (int i = 0; i < PART; i++) dv[i] += weight * dO[i], dk[i] += ds * q[i];
    }
  EACH(i, c) put(dqkv + (row + p.t) * ld + (H + p.h) * D + c, dk[i] * scale);
  EACH(i, c) put(dqkv + (row + p.t) * ld + (H + K + p.h) * D + c, dv[i]);
}

#define PLAIN(real, name)                                                                                                                     \
  extern "C" __global__ void __launch_bounds__(256)                                                                                            \
      attention_plain_forward_##name(real *out, float *lse, const real *qkv, const int *first, int B, int T, int H, int K, int D, float scale) { \
    forward(out, lse, qkv, first, B, T, H, K, D, scale);                                                                                       \
  }                                                                                                                                            \
  extern "C" __global__ void __launch_bounds__(256)                                                                                            \
      attention_plain_delta_##name(float *delta, const real *dout, const real *out, int B, int T, int H, int D) {                              \
    delta_of(delta, dout, out, B, T, H, D);                                                                                                    \
  }                                                                                                                                            \
  extern "C" __global__ void __launch_bounds__(256)                                                                                            \
      attention_plain_queries_##name(real *dqkv, const real *dout, const real *qkv, const float *lse, const float *delta, const int *first, int B,   \
                                     int T, int H, int K, int D, float scale) {                                                                \
    queries(dqkv, dout, qkv, lse, delta, first, B, T, H, K, D, scale);                                                                         \
  }                                                                                                                                            \
  extern "C" __global__ void __launch_bounds__(256)                                                                                            \
      attention_plain_keys_##name(real *dqkv, const real *dout, const real *qkv, const float *lse, const float *delta, const int *first, int B, int T, \
                                  int H, int K, int D, float scale) {                                                                          \
    keys(dqkv, dout, qkv, lse, delta, first, B, T, H, K, D, scale);                                                                            \
  }
PLAIN(half_float, bf16)
PLAIN(float, f32)
