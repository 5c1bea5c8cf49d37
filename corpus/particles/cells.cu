// Particles in cells: sorting into a grid, short-range forces, fluids, bonds. Positions lie in [0,1)^3.

__device__ int cell_of(float x, float y, float z, int side) {
  int i = min((int)(x * side), side - 1), j = min((int)(y * side), side - 1), k = min((int)(z * side), side - 1);
  return (k * side + j) * side + i;
}

// warpwise: grid=(n+255)/256 block=256 n=1<<20 side=32 p=f32[n*4] cell=[n] count=[side*side*side]:zeros
extern "C" __global__ void cell_count(int n, int side, const float4 *__restrict__ p, int *__restrict__ cell, int *count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float4 q = p[i];
  int c = cell_of(q.x, q.y, q.z, side);
  cell[i] = c;
  atomicAdd(&count[c], 1);
}

// Puts particles in the order of their cells; `at` has where each cell's next one goes.
// warpwise: grid=(n+255)/256 block=256 n=1<<19 cells=32768 cell=[n]:uniform(0,cells) p=f32[n*4] at=[cells]:monotone(0,n-n/8) sorted=f32[n*4]
extern "C" __global__ void cell_scatter(int n, int cells, const int *__restrict__ cell, const float4 *__restrict__ p, int *at, float4 *__restrict__ sorted) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int slot = atomicAdd(&at[cell[i]], 1);
  if (slot < n) sorted[slot] = p[i];
}

// Soft spheres, a thread per particle over 27 cells; `start` are row pointers into the sorted particles.
// warpwise: grid=(n+127)/128 block=128 n=65536 side=16 cut=0.06 p=f32[n*4] start=[side*side*side+1]:monotone(0,n) force=f32[n*4]
extern "C" __global__ void cell_forces(int n, int side, float cut, const float4 *__restrict__ p, const int *__restrict__ start, float4 *__restrict__ force) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float4 me = p[i];
  int cx = min((int)(me.x * side), side - 1), cy = min((int)(me.y * side), side - 1), cz = min((int)(me.z * side), side - 1);
  float fx = 0.0f, fy = 0.0f, fz = 0.0f, cut2 = cut * cut;
  for (int dz = -1; dz <= 1; dz++)
    for (int dy = -1; dy <= 1; dy++)
      for (int dx = -1; dx <= 1; dx++) {
        int x = (cx + dx + side) % side, y = (cy + dy + side) % side, z = (cz + dz + side) % side, c = (z * side + y) * side + x;
        for (int j = start[c]; j < start[c + 1]; j++) {
          float4 q = p[j];
          float rx = me.x - q.x, ry = me.y - q.y, rz = me.z - q.z, r2 = rx * rx + ry * ry + rz * rz;
          if (r2 < cut2 && j != i) {
            float r = sqrtf(r2 + 1e-12f), s = q.w * (cut - r) / r;
            fx += s * rx, fy += s * ry, fz += s * rz;
          }
        }
      }
  force[i] = make_float4(fx, fy, fz, 0.0f);
}

// A block per cell: neighbours come through shared memory in batches of 64 for all particles of the cell (at most 64 handled).
// warpwise: grid=side*side*side block=64 n=131072 side=16 cut=0.06 p=f32[n*4] start=[side*side*side+1]:monotone(0,n) force=f32[n*4]
extern "C" __global__ void cell_forces_block(int n, int side, float cut, const float4 *__restrict__ p, const int *__restrict__ start, float4 *__restrict__ force) {
  __shared__ float4 tile[64];
  int c = blockIdx.x, cx = c % side, cy = c / side % side, cz = c / (side * side), first = start[c], mine = start[c + 1] - first, t = threadIdx.x;
  float4 me = t < mine ? p[first + t] : make_float4(9.0f, 9.0f, 9.0f, 0.0f);
  float fx = 0.0f, fy = 0.0f, fz = 0.0f, cut2 = cut * cut;
  for (int k = 0; k < 27; k++) {
    int x = (cx + k % 3 - 1 + side) % side, y = (cy + k / 3 % 3 - 1 + side) % side, z = (cz + k / 9 - 1 + side) % side;
    int from = start[(z * side + y) * side + x], to = start[(z * side + y) * side + x + 1];
    for (int base = from; base < to; base += 64) {
      __syncthreads();
      if (base + t < to) tile[t] = p[base + t];
      __syncthreads();
      int here = min(64, to - base);
      for (int j = 0; j < here; j++) {
        float4 q = tile[j];
        float rx = me.x - q.x, ry = me.y - q.y, rz = me.z - q.z, r2 = rx * rx + ry * ry + rz * rz;
        if (r2 < cut2) {
          float s = q.w * (cut * rsqrtf(r2 + 1e-9f) - 1.0f);
          fx += s * rx, fy += s * ry, fz += s * rz;
        }
      }
    }
  }
  if (t < mine) force[first + t] = make_float4(fx, fy, fz, 0.0f);
}

// Neighbours within reach written to a list of at most 32, column by column.
// warpwise: grid=(n+127)/128 block=128 n=32768 side=12 reach=0.05 p=f32[n*4] start=[side*side*side+1]:monotone(0,n) list=[n*32] found=[n]
extern "C" __global__ void neighbours_build(int n, int side, float reach, const float4 *__restrict__ p, const int *__restrict__ start, int *__restrict__ list, int *__restrict__ found) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, count = 0;
  if (i >= n) return;
  float4 me = p[i];
  int cx = min((int)(me.x * side), side - 1), cy = min((int)(me.y * side), side - 1), cz = min((int)(me.z * side), side - 1);
  for (int z = max(cz - 1, 0); z <= min(cz + 1, side - 1); z++)
    for (int y = max(cy - 1, 0); y <= min(cy + 1, side - 1); y++) {
      int row = (z * side + y) * side;
      for (int j = start[row + max(cx - 1, 0)]; j < start[row + min(cx + 1, side - 1) + 1]; j++) {
        float4 q = p[j];
        float rx = me.x - q.x, ry = me.y - q.y, rz = me.z - q.z;
        if (j != i && rx * rx + ry * ry + rz * rz < reach * reach && count < 32) list[(size_t)count++ * n + i] = j;
      }
    }
  found[i] = count;
}

// Springs between pairs: each bond adds to both ends.
// warpwise: grid=(bonds+255)/256 block=256 bonds=1<<19 n=262144 pair=i32[bonds*2]:uniform(0,n) rest=[bonds] stiff=30.0 p=f32[n*4] force=[n*3]:zeros
extern "C" __global__ void bonds_harmonic(int bonds, int n, const int2 *__restrict__ pair, const float *__restrict__ rest, float stiff, const float4 *__restrict__ p, float *force) {
  int b = blockIdx.x * blockDim.x + threadIdx.x;
  if (b >= bonds) return;
  int2 e = pair[b];
  float4 u = p[e.x], v = p[e.y];
  float dx = v.x - u.x, dy = v.y - u.y, dz = v.z - u.z, r = sqrtf(dx * dx + dy * dy + dz * dz) + 1e-6f, s = stiff * (r - rest[b]) / r;
  atomicAdd(&force[3 * e.x], s * dx), atomicAdd(&force[3 * e.x + 1], s * dy), atomicAdd(&force[3 * e.x + 2], s * dz);
  atomicAdd(&force[3 * e.y], -s * dx), atomicAdd(&force[3 * e.y + 1], -s * dy), atomicAdd(&force[3 * e.y + 2], -s * dz);
}

// Angles of three: the middle's owner gathers, no atomics; 4 angles a particle.
// warpwise: grid=(n+127)/128 block=128 n=131072 ends=i32[n*8]:uniform(0,n) p=f32[n*4] force=f32[n*4]
extern "C" __global__ void angles_gather(int n, const int2 *__restrict__ ends, const float4 *__restrict__ p, float4 *__restrict__ force) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float4 me = p[i];
  float fx = 0.0f, fy = 0.0f, fz = 0.0f;
#pragma unroll
  for (int k = 0; k < 4; k++) {
    int2 e = ends[(size_t)k * n + i];
    float4 a = p[e.x], b = p[e.y];
    float ax = a.x - me.x, ay = a.y - me.y, az = a.z - me.z, bx = b.x - me.x, by = b.y - me.y, bz = b.z - me.z;
    float ia = rsqrtf(ax * ax + ay * ay + az * az + 1e-9f), ib = rsqrtf(bx * bx + by * by + bz * bz + 1e-9f);
    float c = fminf(fmaxf((ax * bx + ay * by + az * bz) * ia * ib, -1.0f), 1.0f), g = 2.0f * (acosf(c) - 1.9106f) * rsqrtf(1.0f - c * c + 1e-4f);
    fx += g * (ia * (bx * ib - c * ax * ia) + ib * (ax * ia - c * bx * ib));
    fy += g * (ia * (by * ib - c * ay * ia) + ib * (ay * ia - c * by * ib));
    fz += g * (ia * (bz * ib - c * az * ia) + ib * (az * ia - c * bz * ib));
  }
  force[i] = make_float4(-fx, -fy, -fz, 0.0f);
}

// Fluid density from lists of neighbours (row pointers), poly6 weight.
// warpwise: grid=(n+255)/256 block=256 n=262144 h=0.3 row=[n+1]:monotone(0,n*24) nb=[n*24]:uniform(0,n) p=f32[n*4] rho=[n]
extern "C" __global__ void sph_density(int n, float h, const int *__restrict__ row, const int *__restrict__ nb, const float4 *__restrict__ p, float *__restrict__ rho) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float4 me = p[i];
  float s = 0.0f, h2 = h * h;
  for (int k = row[i]; k < row[i + 1]; k++) {
    float4 q = p[nb[k]];
    float dx = me.x - q.x, dy = me.y - q.y, dz = me.z - q.z, left = h2 - dx * dx - dy * dy - dz * dz;
    if (left > 0.0f) s += q.w * left * left * left;
  }
  rho[i] = s * 1.566681f / (h2 * h2 * h2 * h2 * h);
}

// Pressure and viscosity, a warp per particle.
// warpwise: grid=(n+7)/8 block=256 n=65536 h=0.3 stiff=3.0 row=[n+1]:monotone(0,n*40) nb=[n*40]:uniform(0,n) p=f32[n*4] v=f32[n*4] rho=[n]:uniform(1,2) acc=f32[n*4]
extern "C" __global__ void sph_forces_warp(int n, float h, float stiff, const int *__restrict__ row, const int *__restrict__ nb, const float4 *__restrict__ p, const float4 *__restrict__ v,
                                           const float *__restrict__ rho, float4 *__restrict__ acc) {
  int i = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (i >= n) return;
  float4 me = p[i], mv = v[i];
  float mine = rho[i], ax = 0.0f, ay = 0.0f, az = 0.0f;
  for (int k = row[i] + lane; k < row[i + 1]; k += 32) {
    int j = nb[k];
    float4 q = p[j], w = v[j];
    float dx = me.x - q.x, dy = me.y - q.y, dz = me.z - q.z, r2 = dx * dx + dy * dy + dz * dz;
    if (r2 >= h * h || r2 < 1e-12f) continue;
    float r = sqrtf(r2), left = h - r, other = rho[j];
    float push = q.w * stiff * (mine + other - 2.0f) * left * left / (2.0f * other * r), drag = 0.2f * q.w * left / other;
    ax += push * dx + drag * (w.x - mv.x), ay += push * dy + drag * (w.y - mv.y), az += push * dz + drag * (w.z - mv.z);
  }
  for (int d = 16; d > 0; d >>= 1) {
    ax += __shfl_down_sync(0xffffffffu, ax, d), ay += __shfl_down_sync(0xffffffffu, ay, d), az += __shfl_down_sync(0xffffffffu, az, d);
  }
  if (lane == 0) acc[i] = make_float4(ax, ay, az - 9.81f, 0.0f);
}

// One leap-frog step with walls.
// warpwise: grid=(n+255)/256 block=256 n=1<<21 dt=0.01 p=f32[n*4] v=f32[n*4] a=f32[n*4]
extern "C" __global__ void leapfrog(int n, float dt, float4 *__restrict__ p, float4 *__restrict__ v, const float4 *__restrict__ a) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float4 x = p[i], u = v[i], f = a[i];
  u.x += dt * f.x, u.y += dt * f.y, u.z += dt * f.z;
  x.x += dt * u.x, x.y += dt * u.y, x.z += dt * u.z;
  if (x.x < 0.0f || x.x > 1.0f) u.x = -0.8f * u.x, x.x = fminf(fmaxf(x.x, 0.0f), 1.0f);
  if (x.y < 0.0f || x.y > 1.0f) u.y = -0.8f * u.y, x.y = fminf(fmaxf(x.y, 0.0f), 1.0f);
  if (x.z < 0.0f || x.z > 1.0f) u.z = -0.8f * u.z, x.z = fminf(fmaxf(x.z, 0.0f), 1.0f);
  p[i] = x, v[i] = u;
}

// All pairs with four bodies a thread: a tile read once serves four.
// warpwise: grid=(n+511)/512 block=128 n=8192 p=f32[n*4] pot=[n]
extern "C" __global__ void potential_by4(int n, const float4 *__restrict__ p, float *__restrict__ pot) {
  __shared__ float4 tile[128];
  float4 me[4];
  float s[4] = {0.0f, 0.0f, 0.0f, 0.0f};
#pragma unroll
  for (int k = 0; k < 4; k++) me[k] = p[min((int)(blockIdx.x * 512 + k * 128 + threadIdx.x), n - 1)];
  for (int base = 0; base < n; base += 128) {
    tile[threadIdx.x] = base + threadIdx.x < n ? p[base + threadIdx.x] : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    __syncthreads();
#pragma unroll 4
    for (int j = 0; j < 128; j++) {
      float4 q = tile[j];
#pragma unroll
      for (int k = 0; k < 4; k++) {
        float dx = q.x - me[k].x, dy = q.y - me[k].y, dz = q.z - me[k].z;
        s[k] += q.w * rsqrtf(dx * dx + dy * dy + dz * dz + 1e-6f);
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (int k = 0; k < 4; k++) {
    int i = blockIdx.x * 512 + k * 128 + threadIdx.x;
    if (i < n) pot[i] = -s[k];
  }
}

// Charges spread onto a mesh with linear weights: eight atomics a particle.
// warpwise: grid=(n+255)/256 block=256 n=1<<19 side=64 p=f32[n*4] mesh=[side*side*side]:zeros
extern "C" __global__ void charge_spread(int n, int side, const float4 *__restrict__ p, float *mesh) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float4 q = p[i];
  float gx = q.x * (side - 1), gy = q.y * (side - 1), gz = q.z * (side - 1);
  int x = min((int)gx, side - 2), y = min((int)gy, side - 2), z = min((int)gz, side - 2);
  gx -= x, gy -= y, gz -= z;
#pragma unroll
  for (int k = 0; k < 8; k++) {
    float w = (k & 1 ? gx : 1.0f - gx) * (k & 2 ? gy : 1.0f - gy) * (k & 4 ? gz : 1.0f - gz);
    atomicAdd(&mesh[((size_t)(z + (k >> 2)) * side + y + (k >> 1 & 1)) * side + x + (k & 1)], w * q.w);
  }
}
