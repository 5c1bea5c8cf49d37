/* attention_ptx.cuh - the machine's instructions that attention uses, one small function each.
 *
 * Shared memory is addressed by 32-bit addresses from shared_base(), never by pointers: ldmatrix and cp.async want them so, and a test can run the
 * kernels on a processor by replacing this file alone. A bf16 value is its 16 bits. Compute capability 8.0 and up. */
#pragma once

typedef unsigned short bf16;
#define INLINE static __device__ __forceinline__

extern __shared__ __align__(1024) unsigned char attention_shared[];
INLINE unsigned shared_base() { return (unsigned)__cvta_generic_to_shared(attention_shared); }

/* 16 bytes from device to shared memory in the background; zeros where there is nothing to read. */
INLINE void copy16(unsigned to, const void *from, bool there) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(there ? 16 : 0) : "memory");
}
INLINE void copy4(unsigned to, const void *from, bool there) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(to), "l"(from), "r"(there ? 4 : 0) : "memory");
}
INLINE void copies_done() { asm volatile("cp.async.wait_all;" ::: "memory"); } /* this thread's; then a barrier for the others' */

/* Four 8x8 matrices of 16-bit values; lanes 8 i .. 8 i + 7 give the rows' addresses of matrix i. Lane l gets row l / 4, values 2 (l % 4) and the next; the
 * second one does so of the transposed matrices. */
INLINE void ldmatrix(unsigned (&r)[4], unsigned at) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(at));
}
INLINE void ldmatrix_t(unsigned (&r)[4], unsigned at) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(at));
}

/* c[16, 8] += a[16, 16] . b[16, 8]. Lane l holds of c: row l / 4, columns 2 (l % 4) and the next, then the same of row l / 4 + 8. */
INLINE void mma(float (&c)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

INLINE unsigned pack(float low, float high) { /* two bf16, rounded to nearest */
  unsigned r;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(r) : "f"(high), "f"(low));
  return r;
}
INLINE float low_of(unsigned two) { return __uint_as_float(two << 16); }
INLINE float high_of(unsigned two) { return __uint_as_float(two & 0xffff0000u); }
INLINE float power2(float x) { /* 2^x, 2 units in the last place; 2^-inf is 0 */
  float r;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(x));
  return r;
}

INLINE void store4(unsigned at, unsigned v) { asm volatile("st.shared.u32 [%0], %1;" ::"r"(at), "r"(v) : "memory"); }
INLINE uint4 load16(unsigned at) {
  uint4 r;
  asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(r.x), "=r"(r.y), "=r"(r.z), "=r"(r.w) : "r"(at) : "memory");
  return r;
}
INLINE float2 load_floats(unsigned at) {
  float2 r;
  asm volatile("ld.shared.v2.f32 {%0, %1}, [%2];" : "=f"(r.x), "=f"(r.y) : "r"(at) : "memory");
  return r;
}
INLINE int2 load_ints(unsigned at) {
  int2 r;
  asm volatile("ld.shared.v2.s32 {%0, %1}, [%2];" : "=r"(r.x), "=r"(r.y) : "r"(at) : "memory");
  return r;
}

/* Four neighbouring sums in device memory; nothing comes back. */
INLINE void add4(float *to, const float (&v)[4]) {
#if __CUDA_ARCH__ >= 900
  asm volatile("red.global.add.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(to), "f"(v[0]), "f"(v[1]), "f"(v[2]), "f"(v[3]) : "memory");
#else
  for (int i = 0; i < 4; i++) atomicAdd(to + i, v[i]);
#endif
}
