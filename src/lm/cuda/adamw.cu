/* adamw.cu - one step of AdamW: 16 bytes of gradient, master and both moments for each thread, read and written once. */
#include "common.cuh"

struct step_values {
  float lr, beta1, beta2, eps, decay, clip;
  float fix1, fix2; /* 1 / (1 - beta1^step), 1 / (1 - beta2^step) */
};

/* What gradients are multiplied with; negative: change nothing. */
__device__ __forceinline__ float gradient_scale(const float *squares, float clip) {
  float s = *squares;
  if (!(s <= 3.4028235e38f)) return -1.f;
  float norm = sqrtf(s);
  return clip > 0.f && norm > clip ? clip / norm : 1.f;
}

__device__ __forceinline__ float update(float p, float &m, float &v, float g, const step_values &k) {
  m = k.beta1 * m + (1.f - k.beta1) * g;
  v = k.beta2 * v + (1.f - k.beta2) * g * g;
  return p - k.lr * (m * k.fix1 / (sqrtf(v * k.fix2) + k.eps) + k.decay * p);
}

__device__ __forceinline__ void put4(float *to, const float (&x)[4]) { *(float4 *)to = make_float4(x[0], x[1], x[2], x[3]); }
__device__ __forceinline__ void put4(bf16 *to, const float (&x)[4]) {
  *(uint2 *)to = make_uint2(pack_bf16(x[0], x[1]), pack_bf16(x[2], x[3]));
}

template <typename real>
__device__ __forceinline__ void adamw(real *param, float *master, float *m, float *v, const float *grad, const float *squares, u64 n,
                                      step_values k, unsigned wide) {
  float scale = gradient_scale(squares, k.clip);
  if (scale < 0.f) return;
  u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x;
  if (wide) {
    i *= 4;
    if (i + 4 <= n) {
      float fp[4], fm[4], fv[4], fg[4];
      load_floats<4>(fg, grad + i);
      load_floats<4>(fp, master + i);
      load_floats<4>(fm, m + i);
      load_floats<4>(fv, v + i);
#pragma unroll
      for (int j = 0; j < 4; j++) fp[j] = update(fp[j], fm[j], fv[j], fg[j] * scale, k);
      store_floats<4>(master + i, fp);
      store_floats<4>(m + i, fm);
      store_floats<4>(v + i, fv);
      put4(param + i, fp);
      return;
    }
  }
  for (u64 j = i, end = wide ? n : i + 1; j < end && j < n; j++) {
    float p = update(master[j], m[j], v[j], grad[j] * scale, k);
    master[j] = p;
    param[j] = of_float<real>(p);
  }
}
BOTH(adamw, __launch_bounds__(256),
     (real * param, float *master, float *m, float *v, const float *grad, const float *squares, u64 n, step_values k, unsigned wide),
     (param, master, m, v, grad, squares, n, k, wide))
