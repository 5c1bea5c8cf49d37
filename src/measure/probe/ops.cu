// ops.cu - latency and issue rate of single machine instructions, for `warpwise gpus probe`.
//
// Each op is one line: a type, its register class and the PTX of one step, x = f(x, a, b). lat_<op> runs one dependent chain,
// issue_<op> four independent ones. Steps are volatile, so the compiler keeps them; the operands a and b rotate over eight registers
// loaded at run time, so that the assembler cannot merge two steps of logic or addition into one. Every value is stored at the end.
// Needs no header: NVRTC compiles it as well.

template <typename T> __device__ T make(const unsigned *in) { return *(const T *)in; }

#define BODY(T, CHAINS, UNROLL, STEP)                                                          \
  T x[CHAINS], a[8];                                                                           \
  const unsigned lane = threadIdx.x % 32;                                                      \
  _Pragma("unroll") for (int c = 0; c < CHAINS; c++) x[c] = make<T>(in + 2 * (lane + c));      \
  _Pragma("unroll") for (int k = 0; k < 8; k++) a[k] = make<T>(in + 128 + 2 * (lane + k));     \
  __syncthreads();                                                                             \
  long long begin = clock64();                                                                 \
  _Pragma("unroll 1") for (int i = 0; i < loops; i++) {                                        \
    _Pragma("unroll") for (int u = 0; u < UNROLL; u++)                                         \
      _Pragma("unroll") for (int c = 0; c < CHAINS; c++) STEP(x[c], a[2 * u % 8], a[(2 * u + 1) % 8]); \
  }                                                                                            \
  long long end = clock64();                                                                   \
  T *o = (T *)out + threadIdx.x * CHAINS;                                                      \
  _Pragma("unroll") for (int c = 0; c < CHAINS; c++) o[c] = x[c];                              \
  if (lane == 0) t[threadIdx.x / 32 * 2] = begin, t[threadIdx.x / 32 * 2 + 1] = end;

#define ARGS const unsigned *in, unsigned *out, long long *t, int loops, int stride
#define KERNEL(name) extern "C" __global__ void __launch_bounds__(1024) name(ARGS)

// lat_: 64 dependent steps a loop; issue_: 256 steps of four chains a loop.
#define OP(name, T)                                                                                 \
  KERNEL(lat_##name) { BODY(T, 1, 64, name##_step) }                                                \
  KERNEL(issue_##name) { BODY(T, 4, 64, name##_step) }
#define STEP2(C, PTX, x, a, b) asm volatile(PTX : "+" C(x) : C(a), C(b))

#define fadd_step(x, a, b) STEP2("f", "add.rn.f32 %0, %0, %1;", x, a, b)
#define fmul_step(x, a, b) STEP2("f", "mul.rn.f32 %0, %0, %1;", x, a, b)
// Two different registers: a third would share a bank with one of them now and then, and the pipe would look slower.
#define ffma_step(x, a, b) STEP2("f", "fma.rn.f32 %0, %0, %1, %1;", x, a, b)
#define dadd_step(x, a, b) STEP2("d", "add.rn.f64 %0, %0, %1;", x, a, b)
#define dmul_step(x, a, b) STEP2("d", "mul.rn.f64 %0, %0, %1;", x, a, b)
#define dfma_step(x, a, b) STEP2("d", "fma.rn.f64 %0, %0, %1, %1;", x, a, b)
#define hadd2_step(x, a, b) STEP2("r", "add.rn.f16x2 %0, %0, %1;", x, a, b)
#define hfma2_step(x, a, b) STEP2("r", "fma.rn.f16x2 %0, %0, %1, %1;", x, a, b)
#define bfma2_step(x, a, b) STEP2("r", "fma.rn.bf16x2 %0, %0, %1, %1;", x, a, b)
// Two PTX additions: the assembler makes one three-input addition of them.
#define iadd3_step(x, a, b) STEP2("r", "{.reg .u32 s; add.u32 s, %0, %1; add.u32 %0, s, %2;}", x, a, b)
#define imad_step(x, a, b) STEP2("r", "mad.lo.u32 %0, %0, %1, %2;", x, a, b)
#define imad_hi_step(x, a, b) STEP2("r", "mul.hi.u32 %0, %0, %1;", x, a, b)
// Both halves of the product are used, else the assembler would compute one of them only.
#define imad_wide_step(x, a, b) STEP2("l", "{.reg .u32 l, h; mov.b64 {l, h}, %0; mul.wide.u32 %0, l, h;}", x, a, b)
#define lop3_step(x, a, b) STEP2("r", "lop3.b32 %0, %0, %1, %2, 0xb4;", x, a, b)
#define shf_step(x, a, b) STEP2("r", "shf.l.wrap.b32 %0, %0, %1, %2;", x, a, b)
#define prmt_step(x, a, b) STEP2("r", "prmt.b32 %0, %0, %1, %2;", x, a, b)
#define select_step(x, a, b) STEP2("r", "{.reg .pred p; setp.lt.s32 p, %0, %1; selp.b32 %0, %1, %2, p;}", x, a, b)
// Minimum and maximum by turns, two instructions: a row of minima may be merged.
#define fmnmx_step(x, a, b) STEP2("f", "{.reg .f32 m; min.f32 m, %0, %1; max.f32 %0, m, %2;}", x, a, b)
#define imnmx_step(x, a, b) STEP2("r", "{.reg .s32 m; min.s32 m, %0, %1; max.s32 %0, m, %2;}", x, a, b)
#define popc_step(x, a, b) STEP2("r", "popc.b32 %0, %0;", x, a, b)
#define rcp_step(x, a, b) STEP2("f", "{.reg .f32 p; abs.f32 p, %0; rcp.approx.ftz.f32 %0, p;}", x, a, b) // a reciprocal twice would vanish
#define rsq_step(x, a, b) STEP2("f", "rsqrt.approx.ftz.f32 %0, %0;", x, a, b)
#define ex2_step(x, a, b) STEP2("f", "ex2.approx.ftz.f32 %0, %0;", x, a, b)
#define lg2_step(x, a, b) STEP2("f", "lg2.approx.ftz.f32 %0, %0;", x, a, b)
#define sin_step(x, a, b) STEP2("f", "sin.approx.ftz.f32 %0, %0;", x, a, b)
// Conversions: the bits of the result are the next argument.
#define i2f_step(x, a, b) STEP2("r", "{.reg .f32 f; cvt.rn.f32.s32 f, %0; mov.b32 %0, f;}", x, a, b)
#define f2i_step(x, a, b) STEP2("r", "{.reg .f32 f; mov.b32 f, %0; cvt.rzi.s32.f32 %0, f;}", x, a, b)
#define f32_f64_step(x, a, b) \
  STEP2("r", "{.reg .f32 f; .reg .f64 d; .reg .b32 l; mov.b32 f, %0; cvt.f64.f32 d, f; mov.b64 {l, %0}, d;}", x, a, b)
#define f64_f32_step(x, a, b) \
  STEP2("d", "{.reg .f32 f; .reg .b32 l, h, g; cvt.rn.f32.f64 f, %0; mov.b64 {l, h}, %0; mov.b32 g, f; mov.b64 %0, {l, g};}", x, a, b)
#define f2h_step(x, a, b) \
  STEP2("r", "{.reg .f32 f, g; mov.b32 f, %0; mov.b32 g, %1; cvt.rn.f16x2.f32 %0, f, g;}", x, a, b)
#define shfl_step(x, a, b) STEP2("r", "shfl.sync.bfly.b32 %0, %0, 1, 0x1f, 0xffffffff;", x, a, b)
#define vote_step(x, a, b) \
  STEP2("r", "{.reg .pred p; setp.lt.u32 p, %0, %1; vote.sync.ballot.b32 %0, p, 0xffffffff;}", x, a, b)
#define redux_step(x, a, b) STEP2("r", "redux.sync.add.u32 %0, %0, 0xffffffff;", x, a, b)

OP(fadd, float)
OP(fmul, float)
OP(ffma, float)
OP(dadd, double)
OP(dmul, double)
OP(dfma, double)
OP(hadd2, unsigned)
OP(hfma2, unsigned)
OP(iadd3, unsigned)
OP(imad, unsigned)
OP(imad_hi, unsigned)
OP(imad_wide, unsigned long long)
OP(lop3, unsigned)
OP(shf, unsigned)
OP(prmt, unsigned)
OP(select, unsigned)
OP(fmnmx, float)
OP(imnmx, unsigned)
OP(popc, unsigned)
OP(rcp, float)
OP(rsq, float)
OP(ex2, float)
OP(lg2, float)
OP(sin, float)
OP(i2f, unsigned)
OP(f2i, unsigned)
OP(f32_f64, unsigned)
OP(f64_f32, double)
OP(shfl, unsigned)
OP(vote, unsigned)
#if __CUDA_ARCH__ >= 800
OP(bfma2, unsigned)
OP(f2h, unsigned)
OP(redux, unsigned)
#endif

// ---- two kinds of instruction by turns: do they share a pipe? 128 of each a loop ----

#define PAIR(name, T, STEP_T, U, STEP_U)                                                       \
  KERNEL(pair_##name) {                                                                        \
    T x[4], a[8];                                                                              \
    U y[4], b[8];                                                                              \
    const unsigned lane = threadIdx.x % 32;                                                    \
    _Pragma("unroll") for (int c = 0; c < 4; c++) x[c] = make<T>(in + 2 * (lane + c)), y[c] = make<U>(in + 2 * (lane + c + 4)); \
    _Pragma("unroll") for (int k = 0; k < 8; k++) a[k] = make<T>(in + 128 + 2 * (lane + k)), b[k] = make<U>(in + 136 + 2 * (lane + k)); \
    __syncthreads();                                                                           \
    long long begin = clock64();                                                               \
    _Pragma("unroll 1") for (int i = 0; i < loops; i++) {                                      \
      _Pragma("unroll") for (int u = 0; u < 32; u++) {                                         \
        _Pragma("unroll") for (int c = 0; c < 4; c++) {                                        \
          STEP_T(x[c], a[2 * u % 8], a[(2 * u + 1) % 8]);                                      \
          STEP_U(y[c], b[2 * u % 8], b[(2 * u + 1) % 8]);                                      \
        }                                                                                      \
      }                                                                                        \
    }                                                                                          \
    long long end = clock64();                                                                 \
    T *o = (T *)out + threadIdx.x * 4;                                                         \
    U *q = (U *)(out + 65536) + threadIdx.x * 4;                                               \
    _Pragma("unroll") for (int c = 0; c < 4; c++) o[c] = x[c], q[c] = y[c];                    \
    if (lane == 0) t[threadIdx.x / 32 * 2] = begin, t[threadIdx.x / 32 * 2 + 1] = end;         \
  }
PAIR(ffma_imad, float, ffma_step, unsigned, imad_step)
PAIR(ffma_iadd3, float, ffma_step, unsigned, iadd3_step)
PAIR(ffma_lop3, float, ffma_step, unsigned, lop3_step)
PAIR(imad_iadd3, unsigned, imad_step, unsigned, iadd3_step)
PAIR(iadd3_lop3, unsigned, iadd3_step, unsigned, lop3_step)
PAIR(ffma_dfma, float, ffma_step, double, dfma_step)
PAIR(ffma_hfma2, float, ffma_step, unsigned, hfma2_step)
PAIR(ffma_rcp, float, ffma_step, float, rcp_step)
PAIR(iadd3_rcp, unsigned, iadd3_step, float, rcp_step)

// ---- shared memory: each word holds its own address, so a load's result is the next load's address; `stride` sets the bank conflicts ----

__device__ unsigned shared_address(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }

#define SHARED_BODY(CHAINS, UNROLL, STEP)                                                      \
  __shared__ __align__(16) unsigned words[1024 + 4];                                           \
  const unsigned lane = threadIdx.x % 32, at = shared_address(words) + lane * stride;          \
  if (threadIdx.x < 32) asm volatile("st.volatile.shared.u32 [%0], %0;" ::"r"(at));            \
  unsigned x[CHAINS], zero = in[256 + lane];                                                   \
  asm volatile("" ::"r"(zero));                                                                \
  _Pragma("unroll") for (int c = 0; c < CHAINS; c++) x[c] = at;                                \
  __syncthreads();                                                                             \
  long long begin = clock64();                                                                 \
  _Pragma("unroll 1") for (int i = 0; i < loops; i++) {                                        \
    _Pragma("unroll") for (int u = 0; u < UNROLL; u++)                                         \
      _Pragma("unroll") for (int c = 0; c < CHAINS; c++) STEP(x[c], zero);                     \
  }                                                                                            \
  long long end = clock64();                                                                   \
  unsigned sum = 0;                                                                            \
  _Pragma("unroll") for (int c = 0; c < CHAINS; c++) sum ^= x[c];                              \
  out[threadIdx.x] = sum;                                                                      \
  if (lane == 0) t[threadIdx.x / 32 * 2] = begin, t[threadIdx.x / 32 * 2 + 1] = end;

#define SHARED_OP(name)                                    \
  KERNEL(lat_##name) { SHARED_BODY(1, 64, name##_step) }   \
  KERNEL(issue_##name) { SHARED_BODY(4, 64, name##_step) }
#define lds32_step(x, z) asm volatile("ld.volatile.shared.u32 %0, [%0];" : "+r"(x)::"memory")
#define lds64_step(x, z) asm volatile("{.reg .u32 w; ld.volatile.shared.v2.u32 {%0, w}, [%0];}" : "+r"(x)::"memory")
#define lds128_step(x, z) \
  asm volatile("{.reg .u32 u, v, w; ld.volatile.shared.v4.u32 {%0, u, v, w}, [%0];}" : "+r"(x)::"memory")
#define sts32_step(x, z) asm volatile("st.volatile.shared.u32 [%0], %0;" ::"r"(x) : "memory")
#define sts128_step(x, z) asm volatile("st.volatile.shared.v4.u32 [%0], {%0, %0, %0, %0};" ::"r"(x) : "memory")
#define atoms_step(x, z) asm volatile("atom.shared.add.u32 %0, [%0], %1;" : "+r"(x) : "r"(z) : "memory")
SHARED_OP(lds32)
SHARED_OP(lds64)
SHARED_OP(lds128)
SHARED_OP(sts32)
SHARED_OP(sts128)
SHARED_OP(atoms)

// ---- matrix instructions ----

#define MMA_BODY(T, C, N, CHAINS, UNROLL, STEP)                                                \
  T d[CHAINS][N];                                                                              \
  unsigned a[4], b[4];                                                                         \
  const unsigned lane = threadIdx.x % 32;                                                      \
  _Pragma("unroll") for (int k = 0; k < 4; k++) a[k] = in[lane + k], b[k] = in[lane + k + 8];  \
  _Pragma("unroll") for (int c = 0; c < CHAINS; c++)                                           \
    _Pragma("unroll") for (int k = 0; k < N; k++) d[c][k] = make<T>(in + 2 * (lane + c + k));  \
  __syncthreads();                                                                             \
  long long begin = clock64();                                                                 \
  _Pragma("unroll 1") for (int i = 0; i < loops; i++) {                                        \
    _Pragma("unroll") for (int u = 0; u < UNROLL; u++)                                         \
      _Pragma("unroll") for (int c = 0; c < CHAINS; c++) STEP(d[c]);                           \
  }                                                                                            \
  long long end = clock64();                                                                   \
  T *o = (T *)out + threadIdx.x * CHAINS * N;                                                  \
  _Pragma("unroll") for (int c = 0; c < CHAINS; c++)                                           \
    _Pragma("unroll") for (int k = 0; k < N; k++) o[c * N + k] = d[c][k];                      \
  if (lane == 0) t[threadIdx.x / 32 * 2] = begin, t[threadIdx.x / 32 * 2 + 1] = end;

#define MMA_OP(name, T, N)                                                 \
  KERNEL(lat_##name) { MMA_BODY(T, C, N, 1, 64, name##_step) }             \
  KERNEL(issue_##name) { MMA_BODY(T, C, N, 4, 64, name##_step) }
#define MMA4(C, SHAPE, d)                                                                                      \
  asm volatile("mma.sync.aligned." SHAPE " {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"              \
               : "+" C((d)[0]), "+" C((d)[1]), "+" C((d)[2]), "+" C((d)[3])                                    \
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]))
#define mma_f16_step(d) MMA4("f", "m16n8k16.row.col.f32.f16.f16.f32", d)
#define mma_bf16_step(d) MMA4("f", "m16n8k16.row.col.f32.bf16.bf16.f32", d)
#define mma_tf32_step(d) MMA4("f", "m16n8k8.row.col.f32.tf32.tf32.f32", d)
#define mma_s8_step(d) MMA4("r", "m16n8k32.row.col.s32.s8.s8.s32", d)
#define mma_f64_step(d)                                                                                       \
  asm volatile("{.reg .f64 p, q; mov.b64 p, {%2,%3}; mov.b64 q, {%4,%5};"                                     \
               " mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {p}, {q}, {%0,%1};}"                \
               : "+d"((d)[0]), "+d"((d)[1])                                                                   \
               : "r"(a[0]), "r"(a[1]), "r"(b[0]), "r"(b[1]))
#if __CUDA_ARCH__ >= 800
MMA_OP(mma_f16, float, 4)
MMA_OP(mma_bf16, float, 4)
MMA_OP(mma_tf32, float, 4)
MMA_OP(mma_s8, unsigned, 4)
MMA_OP(mma_f64, double, 2)
#endif

// ---- control ----

// One iteration of a loop around a single addition: add, count, compare, branch.
#define BRANCH_BODY                                                                            \
  const unsigned lane = threadIdx.x % 32;                                                      \
  float x = __uint_as_float(in[lane]), a = __uint_as_float(in[lane + 32]);                     \
  __syncthreads();                                                                             \
  long long begin = clock64();                                                                 \
  _Pragma("unroll 1") for (int i = 0; i < loops * 64; i++) asm volatile("add.rn.f32 %0, %0, %1;" : "+f"(x) : "f"(a)); \
  long long end = clock64();                                                                   \
  out[threadIdx.x] = __float_as_uint(x);                                                       \
  if (lane == 0) t[threadIdx.x / 32 * 2] = begin, t[threadIdx.x / 32 * 2 + 1] = end;
KERNEL(lat_branch) { BRANCH_BODY }

KERNEL(barrier) {
  const unsigned lane = threadIdx.x % 32;
  __syncthreads();
  long long begin = clock64();
#pragma unroll 1
  for (int i = 0; i < loops; i++) {
#pragma unroll
    for (int u = 0; u < 64; u++) asm volatile("bar.sync 0;" ::: "memory");
  }
  long long end = clock64();
  if (lane == 0) t[threadIdx.x / 32 * 2] = begin, t[threadIdx.x / 32 * 2 + 1] = end;
  out[threadIdx.x] = in[lane];
}

// ---- straight-line code: each pass runs the same instructions once; the first pass after loading fetches them ----

#define FOUR "fma.rn.f32 %0, %0, %4, %5; fma.rn.f32 %1, %1, %4, %5; fma.rn.f32 %2, %2, %4, %5; fma.rn.f32 %3, %3, %4, %5;\n"
#define SIXTEEN FOUR FOUR FOUR FOUR
#define SIXTYFOUR SIXTEEN SIXTEEN SIXTEEN SIXTEEN
#define STRAIGHT(name, N)                                                                      \
  KERNEL(name) {                                                                               \
    float x[4], a = __uint_as_float(in[0]), b = __uint_as_float(in[1]);                        \
    for (int k = 0; k < 4; k++) x[k] = __uint_as_float(in[threadIdx.x % 32 + k]);              \
    _Pragma("unroll 1") for (int i = 0; i < loops; i++) {                                      \
      long long begin = clock64();                                                             \
      _Pragma("unroll") for (int u = 0; u < N / 64; u++) asm volatile(                         \
          SIXTYFOUR : "+f"(x[0]), "+f"(x[1]), "+f"(x[2]), "+f"(x[3]) : "f"(a), "f"(b));        \
      long long end = clock64();                                                               \
      if (threadIdx.x == 0) t[2 * i] = begin, t[2 * i + 1] = end;                              \
    }                                                                                          \
    for (int k = 0; k < 4; k++) out[threadIdx.x * 4 + k] = __float_as_uint(x[k]);              \
  }
STRAIGHT(straight_small, 512)
STRAIGHT(straight_big, 16384)
__device__ void end_of_ops(); // shows what looks for device code in this text that the lines above are some
