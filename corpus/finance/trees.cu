// Prices by trees, grids and iteration.

// Binomial tree of an American put, a block per option, levels in shared memory. steps at most 1024.
// warpwise: grid=options block=256 options=264 steps=512 spot=[options]:uniform(80,120) strike=[options]:uniform(80,120) price=[options]
extern "C" __global__ void binomial_block(int options, int steps, const float *__restrict__ spot, const float *__restrict__ strike, float *__restrict__ price) {
  __shared__ float v[2][1026];
  if (blockIdx.x >= options || steps > 1024) return;
  float s = spot[blockIdx.x], k = strike[blockIdx.x], dt = 1.0f / steps, up = __expf(0.3f * sqrtf(dt)), grow = __expf(0.05f * dt);
  float p = (grow - 1.0f / up) / (up - 1.0f / up), a = p / grow, b = (1.0f - p) / grow, lu = __logf(up);
  for (int i = threadIdx.x; i <= steps; i += blockDim.x) v[0][i] = fmaxf(k - s * __expf(lu * (2 * i - steps)), 0.0f);
  __syncthreads();
  for (int t = steps - 1; t >= 0; t--) {
    const float *in = v[(steps - 1 - t) & 1];
    float *out = v[(steps - t) & 1];
    for (int i = threadIdx.x; i <= t; i += blockDim.x) out[i] = fmaxf(a * in[i + 1] + b * in[i], k - s * __expf(lu * (2 * i - t)));
    __syncthreads();
  }
  if (threadIdx.x == 0) price[blockIdx.x] = v[steps & 1][0];
}

// European, a warp per option: 16 nodes a lane in registers, neighbours by shuffle (511 steps).
// warpwise: grid=(options+3)/4 block=128 options=4096 spot=[options]:uniform(80,120) strike=[options]:uniform(80,120) price=[options]
extern "C" __global__ void binomial_warp(int options, const float *__restrict__ spot, const float *__restrict__ strike, float *__restrict__ price) {
  int o = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (o >= options) return;
  const int steps = 511;
  float dt = 1.0f / steps, up = __expf(0.3f * sqrtf(dt)), grow = __expf(0.05f * dt), p = (grow - 1.0f / up) / (up - 1.0f / up), a = p / grow, b = (1.0f - p) / grow, lu = __logf(up);
  float s = spot[o], k = strike[o], v[16];
#pragma unroll
  for (int j = 0; j < 16; j++) v[j] = fmaxf(s * __expf(lu * (2 * (lane * 16 + j) - steps)) - k, 0.0f);
  for (int t = 0; t < steps; t++) {
    float next = __shfl_down_sync(0xffffffffu, v[0], 1);
#pragma unroll
    for (int j = 0; j < 15; j++) v[j] = a * v[j + 1] + b * v[j];
    v[15] = a * next + b * v[15];
  }
  if (lane == 0) price[o] = v[0];
}

// Volatility that explains a price: Newton, each option as many steps as it needs.
// warpwise: grid=(n+127)/128 block=128 n=1<<19 spot=[n]:uniform(80,120) strike=[n]:uniform(80,120) price=[n]:uniform(5,45) vol=[n] steps=[n]
extern "C" __global__ void implied_volatility(int n, const float *__restrict__ spot, const float *__restrict__ strike, const float *__restrict__ price, float *__restrict__ vol, unsigned char *__restrict__ steps) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, k = 0;
  if (i >= n) return;
  float s = spot[i], x = strike[i], want = price[i], v = 0.4f, moneyness = logf(s / x);
  for (; k < 24; k++) {
    float d1 = moneyness / v + 0.5f * v, d2 = d1 - v, miss = s * normcdff(d1) - x * normcdff(d2) - want, vega = s * 0.39894228f * __expf(-0.5f * d1 * d1);
    if (fabsf(miss) < 1e-4f || vega < 1e-6f) break;
    v = fminf(fmaxf(v - miss / vega, 0.01f), 4.0f);
  }
  vol[i] = v, steps[i] = (unsigned char)k;
}

// Explicit step of the pricing equation on a grid of prices, many options side by side: a warp's lanes are options.
// warpwise: grid=(options+63)/64 block=64 options=8192 points=64 steps=16 rate=0.03 sigma=[options] grid0=[options*points] grid1=[options*points]
extern "C" __global__ void explicit_grid(int options, int points, int steps, float rate, const float *__restrict__ sigma, float *grid0, float *grid1) {
  int o = blockIdx.x * blockDim.x + threadIdx.x;
  if (o >= options) return;
  float v = 0.1f + 0.3f * sigma[o], dt = 0.0002f;
  for (int s = 0; s < steps; s++) {
    const float *in = s & 1 ? grid1 : grid0;
    float *out = s & 1 ? grid0 : grid1, left = in[o], here = in[(size_t)options + o];
    for (int j = 1; j < points - 1; j++) {
      float right = in[(size_t)(j + 1) * options + o], d = 0.5f * v * v * j * j, c = 0.5f * rate * j;
      out[(size_t)j * options + o] = here + dt * ((d - c) * left - (2.0f * d + rate) * here + (d + c) * right);
      left = here, here = right;
    }
    out[o] = in[o], out[(size_t)(points - 1) * options + o] = in[(size_t)(points - 1) * options + o];
  }
}

// Value of portfolios of bonds under scenarios: a block per scenario, discount factors in shared memory. Double precision.
// warpwise: grid=scenarios block=256 scenarios=1024 bonds=4096 curve=[scenarios*64] coupon=[bonds] due=[bonds]:uniform(1,63) value=[scenarios]
extern "C" __global__ void bond_scenarios(int scenarios, int bonds, const double *__restrict__ curve, const double *__restrict__ coupon, const int *__restrict__ due, double *__restrict__ value) {
  __shared__ double factor[64], annuity[64], part[8];
  int t = threadIdx.x;
  if (blockIdx.x >= scenarios) return;
  if (t < 64) factor[t] = exp(-(t + 1) * (0.01 + 0.03 * curve[(size_t)blockIdx.x * 64 + t]));
  __syncthreads();
  if (t < 64) {
    double s = 0.0;
    for (int k = 0; k <= t; k++) s += factor[k];
    annuity[t] = s;
  }
  __syncthreads();
  double sum = 0.0;
  for (int b = t; b < bonds; b += blockDim.x) {
    int d = due[b] & 63;
    sum += coupon[b] * annuity[d] + factor[d];
  }
  for (int d = 16; d > 0; d >>= 1) sum += __shfl_down_sync(0xffffffffu, sum, d);
  if (t % 32 == 0) part[t / 32] = sum;
  __syncthreads();
  if (t) return;
  sum = 0.0;
  for (int k = 0; k < blockDim.x / 32; k++) sum += part[k];
  value[blockIdx.x] = sum;
}

// Moving averages and a trading rule over prices of many stocks, day by day.
// warpwise: grid=(stocks+127)/128 block=128 stocks=16384 days=250 price=[stocks*days]:uniform(90,110) gain=[stocks] trades=[stocks]
extern "C" __global__ void crossover_rule(int stocks, int days, const float *__restrict__ price, float *__restrict__ gain, int *__restrict__ trades) {
  int s = blockIdx.x * blockDim.x + threadIdx.x, deals = 0;
  if (s >= stocks) return;
  float fast = price[s], slow = fast, cash = 0.0f, bought = 0.0f;
  bool held = false;
  for (int d = 1; d < days; d++) {
    float p = price[(size_t)d * stocks + s];
    fast += 0.2f * (p - fast), slow += 0.05f * (p - slow);
    if (!held && fast > slow * 1.001f) held = true, bought = p, deals++;
    if (held && fast < slow * 0.999f) held = false, cash += p - bought, deals++;
  }
  gain[s] = cash, trades[s] = deals;
}

// Profit distribution: positions times scenarios with a fixed-point ladder lookup. Integers alone.
// warpwise: grid=(scenarios+127)/128 block=128 scenarios=65536 positions=64 size=[positions]:uniform(-100,100) shock=[scenarios*positions]:uniform(0,1024) ladder=[1024]:uniform(-5000,5000) total=[scenarios]
extern "C" __global__ void ladder_profit(int scenarios, int positions, const int *__restrict__ size, const short *__restrict__ shock, const int *__restrict__ ladder, long long *__restrict__ total) {
  __shared__ int rung[1024];
  for (int k = threadIdx.x; k < 1024; k += blockDim.x) rung[k] = ladder[k];
  __syncthreads();
  int s = blockIdx.x * blockDim.x + threadIdx.x;
  if (s >= scenarios) return;
  long long sum = 0;
  for (int p = 0; p < positions; p++) sum += (long long)size[p] * rung[shock[(size_t)p * scenarios + s] & 1023];
  total[s] = sum;
}
