/* fuzz_ptx.c - any text as PTX: what is read passes the checker of the IR, whatever is
 * refused has a reason, and all of it is printed. How such IR runs is fuzz_ir.c's. */
#include "fuzz.h"

#include "../../src/front/ptx.h"

int fuzz_ptx(const uint8_t *data, size_t n) {
  char *text = fuzz_text(data, n);
  ww_arena *a = ww_arena_new();
  ww_module m;
  ww_err e = {0};
  bool valid = !ww_ptx_read(text, n, "input.ptx", a, &m, &e);
  fuzz_must(valid || e.msg[0]);
  if (valid) {
    if (ww_ir_check(&m, &e)) {
      fprintf(stderr, "the checker says: %s\n", e.msg);
      abort();
    }
    for (uint32_t f = 0; f < m.nfns; f++)
      fuzz_must(m.fns[f].name && (!m.fns[f].refusal || *m.fns[f].refusal));
    ww_buf b = {0};
    ww_ir_print_module(&m, &b);
    ww_buf_free(&b);
  }
  ww_arena_free(a);
  free(text);
  return valid ? 0 : -1;
}

/* What may stand in each other's place. */
/* clang-format off */
static const char *const words[] = {
    "add", "sub", "mul", "mad", "fma", "div", "rem", "min", "max", "and", "or", "xor", "shl", "shr", "addc", "subc",
    "mul24", "mad24", "sad", "copysign", "set", "setp", "selp", "slct", "lop3", "shf", "prmt", "bfe", "bfi", "bmsk",
    "szext", "dp4a", "dp2a", "neg", "abs", "not", "cnot", "popc", "clz", "brev", "bfind", "rcp", "sqrt", "rsqrt",
    "sin", "cos", "lg2", "ex2", "tanh", "testp", "mov", "cvt", "cvta", "isspacep", "mapa", "ld", "ldu", "st",
    "atom", "red", "prefetch", "membar", "fence", "bar", "barrier", "vote", "match", "activemask", "redux", "shfl",
    "elect", "mbarrier", "cp", "ldmatrix", "stmatrix", "movmatrix", "mma", "wmma", "wgmma", "setmaxnreg",
    "griddepcontrol", "nanosleep", "bra", "brx", "call", "ret", "exit", "trap", "brkpt", "discard", "applypriority", "createpolicy",
    "getctarank", "fns", "tex", "tld4", "vadd", "vset4", "vmad", "vabsdiff4", "vavrg2", "vshr", "suld", "sust", "txq", "suq",
    "tensormap", "alloca", "stacksave", "stackrestore", NULL,
    "u8", "u16", "u32", "u64", "s8", "s16", "s32", "s64", "b8", "b16", "b32", "b64", "b128", "f16", "f16x2", "bf16",
    "bf16x2", "tf32", "e4m3", "e5m2", "e4m3x2", "f32", "f64", "pred", "s4", "u4", "b1",
    "b1024", NULL,
    "global", "shared", "local", "const", "param", "generic", NULL,
    "v2", "v4", "x1", "x2", "x4", "m8n8", "m8n8k4", "m16n8k4", "m16n8k8", "m16n8k16", "m16n8k32", "m16n16k16", "m32n8k16",
    "m8n8k32", "m8n8k128", "m16n8k64", "m16n8k256", "m64n8k16", "m64n128k16", "m64n256k32", NULL,
    "rn", "rz", "rm", "rp", "rni", "rzi", "rmi", "rpi", "rna", "approx", "full", "sat", "ftz", "relu", "wide", "hi", "lo",
    "cc", "noftz", NULL,
    "eq", "ne", "lt", "le", "gt", "ge", "lo", "ls", "hs", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan", NULL,
    "sync", "arrive", "red", "aligned", "warp", "cta", "cluster", "gpu", "sys", "async", "bulk", "commit", "wait", "init", "inval",
    "try_wait", "test_wait", "expect_tx", "complete_tx", "arrive_drop", "commit_group", "wait_group", "tensor", "1d", "2d", "3d",
    "5d", "tile", "im2col", "ca", "cg", "multicast", "bytes", "mbarrier", "noComplete", NULL,
    "replace", "cp_fenceproxy", "global_address", "global_dim", "global_stride", "box_dim", "rank", "elemtype", "swizzle_mode",
    "fill_mode", "interleave_layout", "satfinite", "popc", "xorsign", "normal", "subnormal", NULL,
    "a1d", "a2d", "cube", "level", "grad", "p", "trap", "width", "height", "depth", NULL,
    "up", "down", "bfly", "idx", "all", "any", "uni", "ballot", "exch", "cas", "inc", "dec", "relaxed", "acquire", "release",
    "acq_rel", "sc", "volatile", "weak", "nc", "row", "col", "trans", "a", "b", "c", "d", "to", "l", "r", "clamp", "wrap", NULL,
    "entry", "func", "extern", "visible", "weak", "reg", "loc", "file", "align", "maxntid", "reqntid", "minnctapersm",
    "maxnreg", "reqnctapercluster", "explicitcluster", "noreturn", "branchtargets", "callprototype", "pragma", "section", "alias",
    "target", "version", "address_size", "ptr", NULL,
    "tid", "ntid", "ctaid", "nctaid", "laneid", "warpid", "smid", "clock", "clock64", "globaltimer", "lanemask_lt",
    "cluster_ctaid", "cluster_nctarank", "dynamic_smem_size", "envreg0", "envreg1", "envreg2", NULL,
    "0", "1", "-1", "2", "3", "4", "8", "16", "31", "32", "33", "63", "64", "255", "4095", "65535", "65536", "0x7fffffff",
    "0x80000000", "-2147483648", "0xffffffffffffffff", "-9223372036854775808", "9223372036854775807", "4294967295",
    "4294967296", "1099511627776", "0f3F800000", "0f7F800000", "0f7FC00000", "0d3FF0000000000000", "0dFFF0000000000000",
    "1.5", "1e30", "077", "0b101", "5U", NULL};
/* clang-format on */

size_t fuzz_ptx_mutate(uint8_t *data, size_t n, size_t max, unsigned seed) {
  uint32_t s = seed;
  if (fuzz_random(&s, 4) == 0) /* lines and words that move, vanish, come twice */
    return fuzz_source_change(data, n, max, &s);
  return fuzz_swap(data, n, max, seed, words, sizeof words / sizeof *words);
}
