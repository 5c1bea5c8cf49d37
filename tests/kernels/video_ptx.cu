// Video instructions, each with another choice of types, parts, saturation and second operation.
#define DO(n, what, d, a, b)                                                      \
  r = 0;                                                                          \
  asm(what " %0" d ", %1" a ", %2" b ";" : "=r"(r) : "r"(x), "r"(y));             \
  out[n * 64 + i] = r
#define DO3(n, what, d, a, b, c)                                                  \
  asm(what " %0" d ", %1" a ", %2" b ", " c "%3;" : "=r"(r) : "r"(x), "r"(y), "r"(z)); \
  out[n * 64 + i] = r
__global__ void video_ptx(const unsigned *__restrict__ in, unsigned *__restrict__ out) {
  unsigned i = threadIdx.x, x = in[i] * 2654435761u, y = ~x * 40503u, z = x ^ y * 69069u, r;
  DO3(0, "vadd.s32.u32.s32.sat.max", "", ".b1", ".h1", "");
  DO3(1, "vsub.u32.s32.s32.sat", ".h1", "", "", "");
  DO3(2, "vabsdiff.u32.s32.u32.add", "", "", ".b3", "");
  DO(3, "vmin.s32.s32.u32", "", "", "");
  DO(4, "vmax.u32.u32.s32.sat", "", "", "");
  DO(5, "vshl.s32.s32.u32.sat.clamp", "", ".h1", ".b0");
  DO3(6, "vshr.s32.s32.u32.wrap.add", "", "", "", "");
  DO3(7, "vmad.s32.s32.u32.sat.shr7", "", "", ".h1", "-");
  DO3(8, "vmad.u32.u32.u32.po.shr15", "", "", "", "");
  DO3(9, "vset.s32.u32.lt.add", "", ".h0", ".b1", "");
  DO3(10, "vset.u32.u32.ge", ".b2", "", "", "");
  DO3(11, "vadd4.s32.s32.u32.sat", "", "", "", "");
  DO3(12, "vsub2.u32.u32.u32.sat", "", "", "", "");
  DO3(13, "vavrg4.s32.s32.s32", "", "", "", "");
  DO3(14, "vavrg2.u32.u32.u32.add", "", "", "", "");
  DO3(15, "vmax4.s32.u32.s32.add", "", "", "", "");
  DO3(16, "vmin2.s32.s32.s32", "", "", "", "");
  DO3(17, "vset4.s32.s32.le", "", "", "", "");
  DO3(18, "vadd2.u32.u32.u32", ".h1", ".h03", ".h21", "");
  DO3(19, "vabsdiff4.s32.s32.u32.sat", "", "", "", "");
}
