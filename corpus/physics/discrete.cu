// Spins, automata, neurons, qubits: many small parts and simple rules.

// Chains of classical spins that turn around their neighbours' field (Heun), a thread per spin.
// warpwise: grid=(n+255)/256 block=256 n=1<<19 dt=0.01 damp=0.1 in=f32[n*4] out=f32[n*4]
extern "C" __global__ void spin_chain(int n, float dt, float damp, const float4 *__restrict__ in, float4 *__restrict__ out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float4 s = in[i], l = in[i ? i - 1 : n - 1], r = in[i + 1 < n ? i + 1 : 0];
  float hx = l.x + r.x, hy = l.y + r.y, hz = l.z + r.z + 0.2f, vx = s.x, vy = s.y, vz = s.z, kx = 0.0f, ky = 0.0f, kz = 0.0f;
#pragma unroll
  for (int stage = 0; stage < 2; stage++) {
    float cx = vy * hz - vz * hy, cy = vz * hx - vx * hz, cz = vx * hy - vy * hx;
    float tx = -cx - damp * (vy * cz - vz * cy), ty = -cy - damp * (vz * cx - vx * cz), tz = -cz - damp * (vx * cy - vy * cx);
    kx += 0.5f * tx, ky += 0.5f * ty, kz += 0.5f * tz;
    vx = s.x + dt * tx, vy = s.y + dt * ty, vz = s.z + dt * tz;
  }
  s.x += dt * kx, s.y += dt * ky, s.z += dt * kz;
  float inv = rsqrtf(s.x * s.x + s.y * s.y + s.z * s.z + 1e-12f);
  out[i] = make_float4(s.x * inv, s.y * inv, s.z * inv, s.w);
}

// Sixteen states in a ring: a cell goes on when one of four neighbours is a step ahead; most look at all four.
// warpwise: grid=(w+31)/32,(h+7)/8 block=32,8 w=2048 h=1024 in=[w*h]:uniform(0,16) out=[w*h] moved=[1]:zeros
extern "C" __global__ void cyclic_states(int w, int h, const unsigned char *__restrict__ in, unsigned char *__restrict__ out, int *moved) {
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y, go = 0;
  if (x < w && y < h) {
    size_t i = (size_t)y * w + x;
    int s = in[i], next = (s + 1) & 15;
    go = (x && in[i - 1] == next) || (x + 1 < w && in[i + 1] == next) || (y && in[i - w] == next) || (y + 1 < h && in[i + w] == next);
    out[i] = (unsigned char)(go ? next : s);
  }
  int all = __syncthreads_count(go);
  if (threadIdx.x == 0 && threadIdx.y == 0 && all) atomicAdd(moved, all);
}

// Clusters of open cells inside a tile of 32x32: labels spread in shared memory until nothing changes any more.
// warpwise: grid=(w+31)/32,(h+31)/32 block=32,32 w=1024 h=1024 open=[w*h]:uniform(0,3) label=[w*h]
extern "C" __global__ void tile_clusters(int w, int h, const unsigned char *__restrict__ open, int *__restrict__ label) {
  __shared__ int s[34][34];
  int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * 32 + tx, y = blockIdx.y * 32 + ty, t = ty * 32 + tx;
  for (int k = t; k < 34 * 34; k += 1024) s[k / 34][k % 34] = -1;
  __syncthreads();
  bool on = x < w && y < h && open[(size_t)y * w + x];
  if (on) s[ty + 1][tx + 1] = t;
  int again = 1;
  for (int round = 0; again && round < 1024; round++) {
    __syncthreads();
    int best = -1;
    if (on) best = max(max(s[ty][tx + 1], s[ty + 2][tx + 1]), max(s[ty + 1][tx], s[ty + 1][tx + 2]));
    int grow = on && best > s[ty + 1][tx + 1];
    again = __syncthreads_or(grow);
    if (grow) s[ty + 1][tx + 1] = best;
  }
  if (x < w && y < h) label[(size_t)y * w + x] = s[ty + 1][tx + 1];
}

// A line automaton of 256 words for many generations inside a block, rule given by eight bits.
// warpwise: grid=lines block=256 lines=264 steps=200 rule=110 state=[lines*256]
extern "C" __global__ void line_rule(int lines, int steps, unsigned rule, unsigned *state) {
  __shared__ unsigned s[2][256];
  int t = threadIdx.x;
  if (blockIdx.x >= lines || t >= 256) return;
  unsigned c = state[(size_t)blockIdx.x * 256 + t];
  for (int k = 0; k < steps; k++) {
    s[k & 1][t] = c;
    __syncthreads();
    unsigned l = c << 1 | s[k & 1][(t + 255) & 255] >> 31, r = c >> 1 | s[k & 1][(t + 1) & 255] << 31, next = 0;
#pragma unroll
    for (int b = 0; b < 8; b++)
      if (rule >> b & 1u) next |= (b & 4 ? l : ~l) & (b & 2 ? c : ~c) & (b & 1 ? r : ~r);
    c = next;
  }
  state[(size_t)blockIdx.x * 256 + t] = c;
}

// Sand that topples: four grains go to the sides, counts of unstable cells by warp.
// warpwise: grid=(w+31)/32,(h+7)/8 block=32,8 w=2048 h=1024 in=[w*h]:uniform(0,7) out=[w*h] moving=[1]:zeros
extern "C" __global__ void sand_topple(int w, int h, const int *__restrict__ in, int *__restrict__ out, int *moving) {
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y, left = 0;
  if (x < w && y < h) {
    size_t i = (size_t)y * w + x;
    int v = in[i] & 3;
    v += (x ? in[i - 1] >> 2 : 0) + (x + 1 < w ? in[i + 1] >> 2 : 0) + (y ? in[i - w] >> 2 : 0) + (y + 1 < h ? in[i + w] >> 2 : 0);
    out[i] = v, left = v > 3;
  }
  unsigned who = __ballot_sync(0xffffffffu, left);
  if (threadIdx.x == 0 && who) atomicAdd(moving, __popc(who));
}

// Spiking neurons: two equations each, those that fire add to their 16 targets.
// warpwise: grid=(n+255)/256 block=256 n=262144 target=[n*16]:uniform(0,n) weight=[n*16] input=[n] v=[n]:uniform(-70,31) u=[n] next=[n]:zeros
extern "C" __global__ void neurons_fire(int n, const int *__restrict__ target, const float *__restrict__ weight, const float *__restrict__ input, float *__restrict__ v, float *__restrict__ u, float *next) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float a = v[i], b = u[i], current = input[i];
#pragma unroll
  for (int half = 0; half < 2; half++) a += 0.5f * (0.04f * a * a + 5.0f * a + 140.0f - b + current);
  b += 0.02f * (0.2f * a - b);
  if (a >= 30.0f) {
    a = -65.0f, b += 8.0f;
    for (int k = 0; k < 16; k++) atomicAdd(&next[target[(size_t)i * 16 + k]], weight[(size_t)i * 16 + k]);
  }
  v[i] = a, u[i] = b;
}

// A gate on one qubit of a state vector: pairs of amplitudes 2^bit apart. n is a power of two.
// warpwise: grid=(n/2+255)/256 block=256 n=1<<22 bit=5 c=0.8 s=0.6 state=f32[n*2]
extern "C" __global__ void qubit_rotate(int n, int bit, float c, float s, float2 *state) {
  int k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k >= n / 2) return;
  int low = k & ((1 << bit) - 1), i = (k - low) * 2 + low, j = i + (1 << bit);
  float2 a = state[i], b = state[j];
  state[i] = make_float2(c * a.x + s * b.y, c * a.y - s * b.x);
  state[j] = make_float2(c * b.x + s * a.y, c * b.y - s * a.x);
}

// All gates on the lowest ten qubits at once: a block keeps 1024 amplitudes in shared memory.
// warpwise: grid=n/1024 block=512 n=1<<21 c=0.6 s=0.8 state=f32[n*2]
extern "C" __global__ void qubits_low(int n, float c, float s, float2 *state) {
  __shared__ float2 q[1024];
  float2 *mine = state + (size_t)blockIdx.x * 1024;
  int t = threadIdx.x;
  q[t] = mine[t], q[t + 512] = mine[t + 512];
  for (int bit = 0; bit < 10; bit++) {
    __syncthreads();
    int low = t & ((1 << bit) - 1), i = (t - low) * 2 + low, j = i + (1 << bit);
    float2 a = q[i], b = q[j];
    q[i] = make_float2(c * a.x + s * b.x, c * a.y + s * b.y);
    q[j] = make_float2(s * a.x - c * b.x, s * a.y - c * b.y);
  }
  __syncthreads();
  mine[t] = q[t], mine[t + 512] = q[t + 512];
}
