// Points against shapes: polygons, triangles, nearest neighbours, clusters, distance fields.

// Crossings of a ray with the edges, a thread per point, edges from global memory by all lanes at once.
// warpwise: grid=(n+255)/256 block=256 n=262144 corners=64 x=[n] y=[n] px=[corners] py=[corners] inside=[n]
extern "C" __global__ void polygon_plain(int n, int corners, const float *x, const float *y, const float *px, const float *py, unsigned char *inside) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float u = x[i], v = y[i];
  bool in = false;
  for (int a = 0, b = corners - 1; a < corners; b = a++)
    if ((py[a] > v) != (py[b] > v) && u < (px[b] - px[a]) * (v - py[a]) / (py[b] - py[a]) + px[a]) in = !in;
  inside[i] = in;
}

// Edges prepared in shared memory (slope and start), the division gone from the loop, two points a thread. corners at most 512.
// warpwise: grid=(n+511)/512 block=256 n=1<<20 corners=128 x=[n] y=[n] px=[corners] py=[corners] inside=[n]
extern "C" __global__ void polygon_edges(int n, int corners, const float *__restrict__ x, const float *__restrict__ y, const float *__restrict__ px, const float *__restrict__ py, unsigned char *__restrict__ inside) {
  __shared__ float4 edge[512];
  corners = min(corners, 512);
  for (int a = threadIdx.x; a < corners; a += blockDim.x) {
    int b = a ? a - 1 : corners - 1;
    float rise = py[b] - py[a], slope = rise != 0.0f ? (px[b] - px[a]) / rise : 0.0f;
    edge[a] = make_float4(fminf(py[a], py[b]), fmaxf(py[a], py[b]), slope, px[a] - slope * py[a]);
  }
  __syncthreads();
  int i = blockIdx.x * 512 + threadIdx.x, j = min(i + 256, n - 1);
  if (i >= n || threadIdx.x >= 256) return;
  float u0 = x[i], v0 = y[i], u1 = x[j], v1 = y[j];
  int in0 = 0, in1 = 0;
  for (int a = 0; a < corners; a++) {
    float4 e = edge[a];
    in0 ^= v0 >= e.x && v0 < e.y && u0 < e.z * v0 + e.w;
    in1 ^= v1 >= e.x && v1 < e.y && u1 < e.z * v1 + e.w;
  }
  inside[i] = (unsigned char)in0;
  if (i + 256 < n) inside[i + 256] = (unsigned char)in1;
}

// First triangle a ray meets, all triangles tried from shared memory, nine numbers each.
// warpwise: grid=(rays+127)/128 block=128 rays=65536 triangles=256 ray=f32[rays*8] tri=[triangles*9] hit=[rays] at=[rays]
extern "C" __global__ void ray_triangles(int rays, int triangles, const float4 *__restrict__ ray, const float *__restrict__ tri, int *__restrict__ hit, float *__restrict__ at) {
  __shared__ float s[64 * 9];
  int i = blockIdx.x * blockDim.x + threadIdx.x, who = -1;
  float4 o = ray[2 * min(i, rays - 1)], d = ray[2 * min(i, rays - 1) + 1];
  d.x -= 0.5f, d.y -= 0.5f, d.z -= 0.5f;
  float best = 1e30f;
  for (int base = 0; base < triangles; base += 64) {
    int here = min(64, triangles - base);
    __syncthreads();
    for (int k = threadIdx.x; k < here * 9; k += blockDim.x) s[k] = tri[base * 9 + k];
    __syncthreads();
    for (int k = 0; k < here; k++) {
      const float *t = s + k * 9;
      float ax = t[3] - t[0], ay = t[4] - t[1], az = t[5] - t[2], bx = t[6] - t[0], by = t[7] - t[1], bz = t[8] - t[2];
      float px = d.y * bz - d.z * by, py = d.z * bx - d.x * bz, pz = d.x * by - d.y * bx, det = ax * px + ay * py + az * pz;
      if (fabsf(det) < 1e-8f) continue;
      float inv = 1.0f / det, sx = o.x - t[0], sy = o.y - t[1], sz = o.z - t[2], u = (sx * px + sy * py + sz * pz) * inv;
      if (u < 0.0f || u > 1.0f) continue;
      float qx = sy * az - sz * ay, qy = sz * ax - sx * az, qz = sx * ay - sy * ax, v = (d.x * qx + d.y * qy + d.z * qz) * inv;
      if (v < 0.0f || u + v > 1.0f) continue;
      float far = (bx * qx + by * qy + bz * qz) * inv;
      if (far > 1e-5f && far < best) best = far, who = base + k;
    }
  }
  if (i < rays) hit[i] = who, at[i] = best;
}

// Boxes in a heap-shaped tree walked with a stack in local memory: every ray goes its own way.
// warpwise: grid=(rays+127)/128 block=128 rays=65536 depth=12 box=f32[(2<<depth)*8] ray=f32[rays*8] visits=[rays]
extern "C" __global__ void tree_boxes(int rays, int depth, const float4 *__restrict__ box, const float4 *__restrict__ ray, int *__restrict__ visits) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, stack[32], top = 0, seen = 0;
  if (i >= rays) return;
  float4 o = ray[2 * i], d = ray[2 * i + 1];
  float ix = 1.0f / (d.x - 0.5f + 1e-6f), iy = 1.0f / (d.y - 0.5f + 1e-6f), iz = 1.0f / (d.z - 0.5f + 1e-6f);
  stack[top++] = 1;
  while (top && seen < 400) {
    int node = stack[--top];
    float4 lo = box[2 * node], size = box[2 * node + 1];
    float ax = (lo.x * 0.7f - o.x) * ix, bx = (lo.x * 0.7f + size.x * 0.5f - o.x) * ix, ay = (lo.y * 0.7f - o.y) * iy, by = (lo.y * 0.7f + size.y * 0.5f - o.y) * iy;
    float az = (lo.z * 0.7f - o.z) * iz, bz = (lo.z * 0.7f + size.z * 0.5f - o.z) * iz;
    float enter = fmaxf(fmaxf(fminf(ax, bx), fminf(ay, by)), fminf(az, bz)), leave = fminf(fminf(fmaxf(ax, bx), fmaxf(ay, by)), fmaxf(az, bz));
    seen++;
    if (((enter <= leave && leave >= 0.0f) || node < 16) && node < 1 << depth && top < 30) stack[top++] = 2 * node, stack[top++] = 2 * node + 1;
  }
  visits[i] = seen;
}

// Four nearest of all points, kept sorted in registers.
// warpwise: grid=(queries+127)/128 block=128 queries=16384 points=4096 q=f32[queries*4] p=f32[points*4] near=i32[queries*4]
extern "C" __global__ void nearest4(int queries, int points, const float4 *__restrict__ q, const float4 *__restrict__ p, int4 *__restrict__ near) {
  __shared__ float4 tile[128];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float4 me = q[min(i, queries - 1)];
  float d0 = 1e30f, d1 = 1e30f, d2 = 1e30f, d3 = 1e30f;
  int n0 = -1, n1 = -1, n2 = -1, n3 = -1;
  for (int base = 0; base < points; base += 128) {
    __syncthreads();
    for (int k = threadIdx.x; k < 128; k += blockDim.x)
      if (base + k < points) tile[k] = p[base + k];
    __syncthreads();
    for (int k = 0; k < min(128, points - base); k++) {
      float x = tile[k].x - me.x, y = tile[k].y - me.y, z = tile[k].z - me.z, d = x * x + y * y + z * z;
      if (d >= d3) continue;
      if (d < d2) {
        d3 = d2, n3 = n2;
        if (d < d1) {
          d2 = d1, n2 = n1;
          if (d < d0)
            d1 = d0, n1 = n0, d0 = d, n0 = base + k;
          else
            d1 = d, n1 = base + k;
        } else
          d2 = d, n2 = base + k;
      } else
        d3 = d, n3 = base + k;
    }
  }
  if (i < queries) near[i] = make_int4(n0, n1, n2, n3);
}

// Nearest centre of points with `dims` features stored feature by feature; centres of 32 in shared memory.
// warpwise: grid=(n+255)/256 block=256 n=262144 dims=16 k=64 x=[n*dims] centre=[k*dims] label=[n] shared=k*dims*4
extern "C" __global__ void cluster_nearest(int n, int dims, int k, const float *__restrict__ x, const float *__restrict__ centre, int *__restrict__ label) {
  extern __shared__ float c[];
  for (int i = threadIdx.x; i < k * dims; i += blockDim.x) c[i] = centre[i];
  __syncthreads();
  int p = blockIdx.x * blockDim.x + threadIdx.x, best = 0;
  if (p >= n) return;
  float least = 3e38f, v[16];
#pragma unroll
  for (int d = 0; d < 16; d++) v[d] = d < dims ? x[(size_t)d * n + p] : 0.0f;
  for (int j = 0; j < k; j++) {
    float s = 0.0f;
    for (int d = 0; d < min(dims, 16); d++) {
      float t = v[d] - c[j * dims + d];
      s += t * t;
    }
    if (s < least) least = s, best = j;
  }
  label[p] = best;
}

// New centres: sums of a block's points by label in shared memory, then global atomics. dims of 8, k at most 64.
// warpwise: grid=blocks block=256 blocks=132 n=262144 k=32 label=[n]:uniform(0,k) x=[n*8] sum=[k*8]:zeros count=[k]:zeros
extern "C" __global__ void cluster_sums(int blocks, int n, int k, const int *__restrict__ label, const float *__restrict__ x, float *sum, int *count) {
  __shared__ float s[64 * 8];
  __shared__ int c[64];
  for (int i = threadIdx.x; i < 512; i += blockDim.x) s[i] = 0.0f;
  if (threadIdx.x < 64) c[threadIdx.x] = 0;
  __syncthreads();
  for (int p = blockIdx.x * blockDim.x + threadIdx.x; p < n; p += gridDim.x * blockDim.x) {
    int j = label[p] & 63;
    atomicAdd(&c[j], 1);
#pragma unroll
    for (int d = 0; d < 8; d++) atomicAdd(&s[j * 8 + d], x[(size_t)d * n + p]);
  }
  __syncthreads();
  for (int i = threadIdx.x; i < min(k, 64) * 8; i += blockDim.x) atomicAdd(&sum[i], s[i]);
  for (int i = threadIdx.x; i < min(k, 64); i += blockDim.x) atomicAdd(&count[i], c[i]);
}

// Jump flooding, one pass: nearest seed among nine places `jump` apart; seeds packed as y << 16 | x. Integers alone.
// warpwise: grid=(w+31)/32,(h+7)/8 block=32,8 w=2048 h=2048 jump=16 in=[w*h]:uniform(0,100000000) out=[w*h]
extern "C" __global__ void jump_flood(int w, int h, int jump, const unsigned *__restrict__ in, unsigned *__restrict__ out) {
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  if (x >= w || y >= h) return;
  unsigned best = 0xffffffffu, seed = 0;
  for (int j = -1; j <= 1; j++)
    for (int i = -1; i <= 1; i++) {
      int u = x + i * jump, v = y + j * jump;
      if (u < 0 || v < 0 || u >= w || v >= h) continue;
      unsigned s = in[(size_t)v * w + u];
      int dx = (int)(s & 0xffffu) - x, dy = (int)(s >> 16) - y;
      unsigned d = dx * dx + dy * dy;
      if (d < best) best = d, seed = s;
    }
  out[(size_t)y * w + x] = seed;
}

// Which way a contour crosses each cell, and how many cells it crosses in a block. Integers alone.
// warpwise: grid=(w+31)/32,(h+7)/8 block=32,8 w=2049 h=2049 level=500 field=[w*h]:uniform(0,1000) kind=[w*h] count=[1]:zeros
extern "C" __global__ void contour_cells(int w, int h, int level, const short *__restrict__ field, unsigned char *__restrict__ kind, int *count) {
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y, code = 0;
  if (x < w - 1 && y < h - 1) {
    const short *p = field + (size_t)y * w + x;
    code = (p[0] > level) | (p[1] > level) << 1 | (p[w + 1] > level) << 2 | (p[w] > level) << 3;
    kind[(size_t)y * w + x] = (unsigned char)code;
  }
  int crossed = __syncthreads_count(code != 0 && code != 15);
  if (threadIdx.x == 0 && threadIdx.y == 0 && crossed) atomicAdd(count, crossed);
}

// Bits of three coordinates woven into one key. Integers alone.
// warpwise: grid=(n+255)/256 block=256 n=1<<21 x=[n] y=[n] z=[n] key=[n]
extern "C" __global__ void morton_keys(int n, const unsigned short *__restrict__ x, const unsigned short *__restrict__ y, const unsigned short *__restrict__ z, unsigned long long *__restrict__ key) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned long long v[3] = {x[i], y[i], z[i]}, k = 0;
#pragma unroll
  for (int d = 0; d < 3; d++) {
    unsigned long long s = v[d];
    s = (s | s << 16) & 0x0000ff0000ffull, s = (s | s << 8) & 0x00f00f00f00full, s = (s | s << 4) & 0x0c30c30c30c3ull, s = (s | s << 2) & 0x249249249249ull;
    k |= s << d;
  }
  key[i] = k;
}
