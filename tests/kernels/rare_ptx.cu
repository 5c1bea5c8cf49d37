// Instructions that no intrinsic of CUDA stands for: libraries write them as assembly. Each has its 64 words of the output.
#define INT3(n, what, a, b, c) asm(what " %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c)); out[n * 64 + i] = r
#define FLOAT2(n, what) asm(what " %0, %1, %2;" : "=f"(f) : "f"(x), "f"(y)); out[n * 64 + i] = __float_as_uint(f)
#define TEST(n, what) asm("{.reg .pred p; " what " p, %1; selp.u32 %0, 1, 0, p;}" : "=r"(r) : "f"(x)); out[n * 64 + i] = r
__global__ void rare_ptx(const unsigned *__restrict__ in, unsigned *__restrict__ out) {
  __shared__ __align__(16) unsigned tile[64 * 4];
  unsigned i = threadIdx.x, a = in[i] * 2654435761u, b = ~a * 40503u, c = in[i], r, q;
  // every kind of float: zero, least, below normal, normal, infinite, not a number
  float f, x = __uint_as_float((i & 1) << 31 | (i % 6 == 0 ? 0 : i % 6 == 1 ? 1 : i % 6 == 2 ? 0x7fffff : i % 6 == 3 ? a >> 4 | 0x800000 : i % 6 == 4 ? 0x7f800000 : 0x7fc00000));
  float y = __uint_as_float(0x3f800000 | (b & 0x80000000));
  asm("cnot.b32 %0, %1;" : "=r"(r) : "r"(a & (c & 1 ? ~0u : 0)));
  out[i] = r;
  asm("mul24.hi.s32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
  out[64 + i] = r;
  asm("mul24.hi.u32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
  out[128 + i] = r;
  INT3(3, "mad24.hi.sat.s32", a, b, 0x7fffff00 ^ (a & 0x80000000));
  INT3(4, "mad.hi.sat.s32", a, b, 0x7fffff00 ^ (a & 0x80000000));
  asm("{.reg .pred p, q; setp.ne.u32 q, %4, 0; lop3.or.b32 %0|p, %2, %3, %2, 0x3c, q; selp.u32 %1, 1, 0, p;}"
      : "=r"(r), "=r"(q) : "r"(c), "r"(c & 1 ? c : b), "r"(c & 4));
  out[320 + i] = r;
  out[384 + i] = q;
  asm("{.reg .pred p, q; setp.ne.u32 q, %2, 0; lop3.and.b32 _|p, %1, %1, %1, 0x80, q; selp.u32 %0, 1, 0, p;}" : "=r"(r) : "r"(c), "r"(c & 4));
  out[448 + i] = r;
  FLOAT2(8, "min.xorsign.abs.f32");
  FLOAT2(9, "max.xorsign.abs.f32");
  TEST(10, "testp.normal.f32");
  TEST(11, "testp.subnormal.f32");
  asm("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(r) : "r"((2 * i + 1) << 16 | 2 * i));
  out[768 + i] = r;
  asm("{.reg .pred p, q, s; setp.ne.u32 s, %3, 0; setp.lt.or.f16x2 p|q, %1, %2, s; selp.u32 %0, 1, 0, p; @q add.u32 %0, %0, 2;}"
      : "=r"(r) : "r"(a & 0x3fff3fff), "r"(b & 0x3fff3fff), "r"(c & 4));
  out[832 + i] = r;
  asm volatile("{.reg .b128 t, u; .reg .b64 l, h; mov.b64 l, {%1, %2}; mov.b64 h, {%2, %1}; mov.b128 t, {h, l}; mov.b128 u, t; st.shared.b128 [%0], u;}"
               : : "r"((unsigned)__cvta_generic_to_shared(tile + 4 * i)), "r"(a), "r"(b) : "memory");
  __syncthreads();
  asm volatile("{.reg .b128 t<4>; .reg .b64 l, h; .reg .b32 k; ld.shared.b128 t3, [%1]; mov.b128 {l, h}, t3; mov.b64 {%0, k}, h; add.u32 %0, %0, k;}"
               : "=r"(r) : "r"((unsigned)__cvta_generic_to_shared(tile + 4 * (63 - i))));
  out[896 + i] = r - tile[4 * (63 - i) + 1];
  __syncthreads();
  // nothing of the source, 8 bytes of it, all of it
  asm volatile("{.reg .pred p; .reg .b64 way; setp.eq.u32 p, %2, 0; createpolicy.fractional.L2::evict_last.b64 way, 1.0;\n"
               "@p cp.async.cg.shared.global [%0], [%1], 16, p; @!p cp.async.cg.shared.global.L2::cache_hint [%0], [%1], 16, %3, way;}\n"
               "cp.async.wait_all;"
               : : "r"((unsigned)__cvta_generic_to_shared(tile + 4 * i)), "l"(in + i / 4 * 4), "r"(i % 3), "r"(i % 3 * 8) : "memory");
  float big[8] = {65503, 65520, -70000, 1e38f, -3.4e38f, __uint_as_float(0x7f800000), 0x1.003p0f, 0x1.001p0f}, w = big[i % 8] * (i & 8 ? 1 : 0x1p-3f);
  asm("cvt.rn.satfinite.f16x2.f32 %0, %1, %2;" : "=r"(r) : "f"(w), "f"(x));
  out[1024 + i] = r & (c % 6 == 5 ? 0xffff0000 : ~0u); // of what is not a number it is not said which
  asm("cvt.rn.satfinite.relu.bf16x2.f32 %0, %1, %1;" : "=r"(r) : "f"(w));
  out[1088 + i] = r;
  asm("cvt.rn.tf32.f32 %0, %1;" : "=r"(r) : "f"(w));
  asm("cvt.rz.relu.tf32.f32 %0, %1;" : "=r"(q) : "f"(w));
  out[1152 + i] = r;
  out[1216 + i] = q;
  asm("cvt.rna.satfinite.tf32.f32 %0, %1;" : "=r"(r) : "f"(w));
  out[1280 + i] = r;
  out[960 + i] = tile[4 * i] + tile[4 * i + 1] * 100 + tile[4 * i + 2] * 10000 + tile[4 * i + 3] * 1000000;
}
