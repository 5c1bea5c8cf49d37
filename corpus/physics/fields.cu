// Fields on grids: waves, fluids, chemistry, with more than one array and more than one way.

// Electric field from the curl of the magnetic one in three dimensions, loss of the material per cell.
// warpwise: grid=(nx+31)/32,(ny+7)/8,nz block=32,8 nx=128 ny=128 nz=64 dt=0.5 loss=[nx*ny*nz] hx=[nx*ny*nz] hy=[nx*ny*nz] hz=[nx*ny*nz] ex=[nx*ny*nz] ey=[nx*ny*nz] ez=[nx*ny*nz]
extern "C" __global__ void maxwell_electric(int nx, int ny, int nz, float dt, const float *__restrict__ loss, const float *__restrict__ hx, const float *__restrict__ hy, const float *__restrict__ hz,
                                            float *__restrict__ ex, float *__restrict__ ey, float *__restrict__ ez) {
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y, z = blockIdx.z;
  if (x >= nx || y >= ny || z >= nz || x == 0 || y == 0 || z == 0) return;
  size_t i = ((size_t)z * ny + y) * nx + x, dy = nx, dz = (size_t)nx * ny;
  float c = 0.01f * loss[i], a = (1.0f - c) / (1.0f + c), b = dt / (1.0f + c), x0 = hx[i], y0 = hy[i], z0 = hz[i];
  ex[i] = a * ex[i] + b * (z0 - hz[i - dy] - y0 + hy[i - dz]);
  ey[i] = a * ey[i] + b * (x0 - hx[i - dz] - z0 + hz[i - 1]);
  ez[i] = a * ez[i] + b * (y0 - hy[i - 1] - x0 + hx[i - dy]);
}

// Magnetic field, a thread marches through z and keeps the plane before in registers.
// warpwise: grid=(nx+31)/32,(ny+3)/4 block=32,4 nx=256 ny=256 nz=32 dt=0.5 ex=[nx*ny*nz] ey=[nx*ny*nz] ez=[nx*ny*nz] hx=[nx*ny*nz] hy=[nx*ny*nz] hz=[nx*ny*nz]
extern "C" __global__ void maxwell_magnetic(int nx, int ny, int nz, float dt, const float *__restrict__ ex, const float *__restrict__ ey, const float *__restrict__ ez, float *__restrict__ hx,
                                            float *__restrict__ hy, float *__restrict__ hz) {
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y;
  if (x >= nx - 1 || y >= ny - 1) return;
  size_t i = (size_t)y * nx + x, plane = (size_t)nx * ny;
  float x0 = ex[i], y0 = ey[i];
  for (int z = 0; z < nz - 1; z++, i += plane) {
    float x1 = ex[i + plane], y1 = ey[i + plane], z0 = ez[i];
    hx[i] -= dt * (ez[i + nx] - z0 - y1 + y0);
    hy[i] -= dt * (x1 - x0 - ez[i + 1] + z0);
    hz[i] -= dt * (ey[i + 1] - y0 - ex[i + nx] + x0);
    x0 = x1, y0 = y1;
  }
}

// Dye carried backwards along the flow: four reads wherever the velocity points.
// warpwise: grid=(w+31)/32,(h+7)/8 block=32,8 w=1024 h=1024 dt=20.0 u=[w*h] v=[w*h] in=[w*h] out=[w*h]
extern "C" __global__ void advect_back(int w, int h, float dt, const float *__restrict__ u, const float *__restrict__ v, const float *__restrict__ in, float *__restrict__ out) {
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  if (x >= w || y >= h) return;
  size_t i = (size_t)y * w + x;
  float px = fminf(fmaxf(x - dt * (u[i] - 0.5f), 0.0f), w - 1.001f), py = fminf(fmaxf(y - dt * (v[i] - 0.5f), 0.0f), h - 1.001f);
  int a = min((int)px, w - 2), b = min((int)py, h - 2);
  float fx = px - a, fy = py - b;
  const float *p = in + (size_t)b * w + a;
  out[i] = (1.0f - fy) * ((1.0f - fx) * p[0] + fx * p[1]) + fy * ((1.0f - fx) * p[w] + fx * p[w + 1]);
}

// Diffusion with a coefficient per cell, harmonic means at the faces, double precision.
// warpwise: grid=(w+31)/32,(h+7)/8 block=32,8 w=1024 h=1024 dt=0.1 k=[w*h] in=[w*h] out=[w*h]
extern "C" __global__ void diffuse_faces(int w, int h, double dt, const double *__restrict__ k, const double *__restrict__ in, double *__restrict__ out) {
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  if (x >= w || y >= h) return;
  size_t i = (size_t)y * w + x;
  double here = in[i], mine = k[i] + 0.01, flux = 0.0;
  size_t around[4] = {x ? i - 1 : i, x + 1 < w ? i + 1 : i, y ? i - w : i, y + 1 < h ? i + w : i};
#pragma unroll
  for (int d = 0; d < 4; d++) {
    double other = k[around[d]] + 0.01;
    flux += 2.0 * mine * other / (mine + other) * (in[around[d]] - here);
  }
  out[i] = here + dt * flux;
}

// Wave equation, leap-frog in time, fourth order in space from a tile with margins of two.
// warpwise: grid=(w+31)/32,(h+15)/16 block=32,16 w=2048 h=1024 c=0.2 now=[w*h] old=[w*h]
extern "C" __global__ void wave_order4(int w, int h, float c, const float *__restrict__ now, float *__restrict__ old) {
  __shared__ float s[20][36];
  int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * 32 + tx, y = blockIdx.y * 16 + ty;
  for (int j = ty; j < 20; j += 16)
    for (int i = tx; i < 36; i += 32) {
      int u = blockIdx.x * 32 + i - 2, v = blockIdx.y * 16 + j - 2;
      s[j][i] = u >= 0 && v >= 0 && u < w && v < h ? now[(size_t)v * w + u] : 0.0f;
    }
  __syncthreads();
  if (x >= w || y >= h) return;
  int i = tx + 2, j = ty + 2;
  float near = s[j][i - 1] + s[j][i + 1] + s[j - 1][i] + s[j + 1][i], far = s[j][i - 2] + s[j][i + 2] + s[j - 2][i] + s[j + 2][i];
  size_t at = (size_t)y * w + x;
  old[at] = 2.0f * s[j][i] - old[at] + c * (1.3333333f * near - 0.0833333f * far - 5.0f * s[j][i]);
}

// Two chemicals that feed on each other.
// warpwise: grid=(w+63)/64,(h+3)/4 block=64,4 w=1024 h=1024 feed=0.035 kill=0.06 u=[w*h] v=[w*h] nu=[w*h] nv=[w*h]
extern "C" __global__ void reaction_diffusion(int w, int h, float feed, float kill, const float *__restrict__ u, const float *__restrict__ v, float *__restrict__ nu, float *__restrict__ nv) {
  int x = blockIdx.x * 64 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y;
  if (x >= w || y >= h) return;
  int l = y * w + (x ? x - 1 : w - 1), r = y * w + (x + 1 < w ? x + 1 : 0), t = (y ? y - 1 : h - 1) * w + x, b = (y + 1 < h ? y + 1 : 0) * w + x, i = y * w + x;
  float a = u[i], c = v[i], meet = a * c * c;
  nu[i] = a + 0.16f * (u[l] + u[r] + u[t] + u[b] - 4.0f * a) - meet + feed * (1.0f - a);
  nv[i] = c + 0.08f * (v[l] + v[r] + v[t] + v[b] - 4.0f * c) + meet - (feed + kill) * c;
}

__device__ float3 rusanov(float3 a, float3 b) {
  float ua = a.y / a.x, ub = b.y / b.x, speed = fmaxf(fabsf(ua) + sqrtf(9.81f * a.x), fabsf(ub) + sqrtf(9.81f * b.x));
  return make_float3(0.5f * (a.y + b.y - speed * (b.x - a.x)), 0.5f * (a.y * ua + 4.905f * a.x * a.x + b.y * ub + 4.905f * b.x * b.x - speed * (b.y - a.y)),
                     0.5f * (a.z * ua + b.z * ub - speed * (b.z - a.z)));
}

// Shallow water: fluxes through the four sides of a cell, height and two momenta.
// warpwise: grid=(w+31)/32,(h+7)/8 block=32,8 w=1024 h=512 dt=0.01 depth=[w*h]:uniform(1,3) mx=[w*h] my=[w*h] nd=[w*h] nx=[w*h] ny=[w*h]
extern "C" __global__ void shallow_water(int w, int h, float dt, const float *__restrict__ depth, const float *__restrict__ mx, const float *__restrict__ my, float *__restrict__ nd, float *__restrict__ nx, float *__restrict__ ny) {
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  if (x < 1 || y < 1 || x >= w - 1 || y >= h - 1) return;
  int i = y * w + x;
  float3 c = make_float3(depth[i], mx[i], my[i]), l = make_float3(depth[i - 1], mx[i - 1], my[i - 1]), r = make_float3(depth[i + 1], mx[i + 1], my[i + 1]);
  float3 e = rusanov(c, r), v = rusanov(l, c);
  float3 ct = make_float3(c.x, c.z, c.y), n = rusanov(ct, make_float3(depth[i + w], my[i + w], mx[i + w])), s = rusanov(make_float3(depth[i - w], my[i - w], mx[i - w]), ct);
  nd[i] = c.x - dt * (e.x - v.x + n.x - s.x);
  nx[i] = c.y - dt * (e.y - v.y + n.z - s.z);
  ny[i] = c.z - dt * (e.z - v.z + n.y - s.y);
}

// Velocities on the faces of cells made free of divergence by the pressure; the worst that is left, by block and then by atomics.
// warpwise: grid=(w+31)/32,(h+7)/8 block=32,8 w=2048 h=1024 dt=0.1 p=[w*h] u=[(w+1)*h] v=[w*(h+1)] worst=[1]:zeros
extern "C" __global__ void project_faces(int w, int h, float dt, const float *__restrict__ p, float *__restrict__ u, float *__restrict__ v, unsigned *worst) {
  __shared__ unsigned top;
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  if (threadIdx.x == 0 && threadIdx.y == 0) top = 0;
  __syncthreads();
  float change = 0.0f;
  if (x < w && y < h) {
    float here = p[(size_t)y * w + x];
    if (x) {
      float a = dt * (here - p[(size_t)y * w + x - 1]);
      u[(size_t)y * (w + 1) + x] -= a, change = fabsf(a);
    }
    if (y) {
      float b = dt * (here - p[(size_t)(y - 1) * w + x]);
      v[(size_t)y * w + x] -= b, change = fmaxf(change, fabsf(b));
    }
  }
  for (int d = 16; d > 0; d >>= 1) change = fmaxf(change, __shfl_xor_sync(0xffffffffu, change, d));
  if (threadIdx.x == 0) atomicMax(&top, __float_as_uint(change));
  __syncthreads();
  if (threadIdx.x == 0 && threadIdx.y == 0) atomicMax(worst, top);
}

// Implicit diffusion of a line of 256 cells in a block: parallel cyclic reduction, eight steps with doubling distance.
// warpwise: grid=lines block=256 lines=4096 k=[lines*256] x=[lines*256]
extern "C" __global__ void implicit_reduce(int lines, const float *__restrict__ k, float *x) {
  __shared__ float4 row[2][256];
  int t = threadIdx.x;
  if (blockIdx.x >= lines || t >= 256) return;
  float mine = 0.5f * k[(size_t)blockIdx.x * 256 + t], lo = t ? -mine : 0.0f, up = t < 255 ? -mine : 0.0f;
  float4 e = make_float4(lo, 1.0f - lo - up, up, x[(size_t)blockIdx.x * 256 + t]);
  for (int step = 0, far = 1; far < 256; step ^= 1, far <<= 1) {
    row[step][t] = e;
    __syncthreads();
    float4 a = t >= far ? row[step][t - far] : make_float4(0.0f, 1.0f, 0.0f, 0.0f), b = t + far < 256 ? row[step][t + far] : make_float4(0.0f, 1.0f, 0.0f, 0.0f);
    float p = -e.x / a.y, q = -e.z / b.y;
    e = make_float4(p * a.x, e.y + p * a.z + q * b.x, q * b.z, e.w + p * a.w + q * b.w);
  }
  x[(size_t)blockIdx.x * 256 + t] = e.w / e.y;
}

// Burgers' equation, a block keeps a whole line of 1024 and does many steps in shared memory.
// warpwise: grid=lines block=256 lines=264 steps=50 dt=0.2 u=[lines*1024]
extern "C" __global__ void burgers_steps(int lines, int steps, float dt, float *u) {
  __shared__ float s[2][1024];
  if (blockIdx.x >= lines) return;
  for (int i = threadIdx.x; i < 1024; i += blockDim.x) s[0][i] = u[(size_t)blockIdx.x * 1024 + i];
  __syncthreads();
  for (int k = 0; k < steps; k++) {
    const float *a = s[k & 1];
    float *b = s[~k & 1];
    for (int i = threadIdx.x; i < 1024; i += blockDim.x) {
      float l = a[(i + 1023) & 1023], c = a[i], r = a[(i + 1) & 1023];
      b[i] = c - dt * (c > 0.0f ? c * (c - l) : c * (r - c)) + 0.05f * (l - 2.0f * c + r);
    }
    __syncthreads();
  }
  for (int i = threadIdx.x; i < 1024; i += blockDim.x) u[(size_t)blockIdx.x * 1024 + i] = s[steps & 1][i];
}
