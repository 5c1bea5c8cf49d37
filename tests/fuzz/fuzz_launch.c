/* fuzz_launch.c - any text as a launch of a small kernel: JSON, or the short form of a
 * comment. It is completed and run, or refused with a message; either within seconds
 * and without asking for absurd amounts of memory. */
#include "fuzz.h"

#include "../../src/trace/run.h"

/* A struct, a CSR row loop, dynamic shared memory and a symbol: something for every
 * kind of argument. */
static const char kernels[] = "module cuda warp 32\n"
                              "symbol $tile shared dynamic size 0 align 16\n"
                              "symbol $scale const size 4 align 4\n"
                              "fn $saxpy \"saxpy\" kernel {\n"
                              "  param %n i32 \"n\" \"int\" size 4 align 4\n"
                              "  param %a f32 \"a\" \"float\" size 4 align 4\n"
                              "  param %x i64 \"x\" \"const float *\" pointer global "
                              "readonly elem f32 elem_size 4 size 8 "
                              "align 8\n"
                              "  param %y i64 \"y\" \"float *\" pointer global elem "
                              "f32 elem_size 4 size 8 align 8\n"
                              "  param %s i64 \"s\" \"pair\" byval size 16 align 8\n"
                              "@entry:\n"
                              "  %b = sreg i32 ctaid.x\n"
                              "  %d = sreg i32 ntid.x\n"
                              "  %t = sreg i32 tid.x\n"
                              "  %m = mul i32 %b, %d\n"
                              "  %i = add i32 %m, %t\n"
                              "  %c = icmp.slt i32 %i, %n\n"
                              "  cbr %c, @then, @end\n"
                              "@then:\n"
                              "  %j = sext i64 from i32 %i\n"
                              "  %p = lea i64 %x, %j #4\n"
                              "  %q = lea i64 %y, %j #4\n"
                              "  %u = ld.global f32 [%p]\n"
                              "  %v = ld.global f32 [%q]\n"
                              "  %k = ld.const f32 [$scale]\n"
                              "  %o = ld.param f32 [%s + 8]\n"
                              "  %w = fma f32 %a, %u, %v\n"
                              "  %z = fma f32 %w, %k, %o\n"
                              "  st.shared f32 [$tile + 4], %z\n"
                              "  st.global f32 [%q], %z\n"
                              "  br @end\n"
                              "@end:\n"
                              "  ret\n"
                              "}\n"
                              "fn $spmv \"spmv\" kernel {\n"
                              "  param %rows i32 \"rows\" \"int\" size 4 align 4\n"
                              "  param %start i64 \"start\" \"const int *\" pointer "
                              "global readonly elem i32 elem_size 4 "
                              "size 8 align 8\n"
                              "  param %col i64 \"col\" \"const int *\" pointer global "
                              "readonly elem i32 elem_size 4 size 8 "
                              "align 8\n"
                              "  param %x i64 \"x\" \"const float *\" pointer global "
                              "readonly elem f32 elem_size 4 size 8 "
                              "align 8\n"
                              "  param %y i64 \"y\" \"float *\" pointer global elem "
                              "f32 elem_size 4 size 8 align 8\n"
                              "@entry:\n"
                              "  %b = sreg i32 ctaid.x\n"
                              "  %d = sreg i32 ntid.x\n"
                              "  %t = sreg i32 tid.x\n"
                              "  %m = mul i32 %b, %d\n"
                              "  %i = add i32 %m, %t\n"
                              "  %c = icmp.slt i32 %i, %rows\n"
                              "  cbr %c, @row, @end\n"
                              "@row:\n"
                              "  %j = sext i64 from i32 %i\n"
                              "  %p = lea i64 %start, %j #4\n"
                              "  %from = ld.global i32 [%p]\n"
                              "  %to = ld.global i32 [%p + 4]\n"
                              "  %some = icmp.slt i32 %from, %to\n"
                              "  cbr %some, @body, @done\n"
                              "@body:\n"
                              "  %k = phi i32 [@row %from] [@body %next]\n"
                              "  %sum = phi f32 [@row 0.0] [@body %more]\n"
                              "  %k64 = sext i64 from i32 %k\n"
                              "  %cp = lea i64 %col, %k64 #4\n"
                              "  %ci = ld.global i32 [%cp]\n"
                              "  %c64 = sext i64 from i32 %ci\n"
                              "  %xp = lea i64 %x, %c64 #4\n"
                              "  %xv = ld.global f32 [%xp]\n"
                              "  %more = fadd f32 %sum, %xv\n"
                              "  %next = add.nsw i32 %k, 1\n"
                              "  %on = icmp.slt i32 %next, %to\n"
                              "  cbr %on, @body, @done\n"
                              "@done:\n"
                              "  %total = phi f32 [@row 0.0] [@body %more]\n"
                              "  %yp = lea i64 %y, %j #4\n"
                              "  st.global f32 [%yp], %total\n"
                              "  br @end\n"
                              "@end:\n"
                              "  ret\n"
                              "}\n";

/* A file of launches, one of which is put over another. */
static void read_file(const uint8_t *data, size_t n) {
  ww_arena *a = ww_arena_new();
  ww_launch *l, under = {0};
  uint32_t count = 0;
  ww_err e = {0};
  if (ww_launch_comment("grid=4 block=64 n=3 x=[n]:ones", a, &under, &e))
    abort();
  if (ww_launch_read(fuzz_file("l.jsonl", data, n), a, &l, &count, &e))
    fuzz_must(e.msg[0]);
  for (uint32_t k = 0; k < count; k++) {
    ww_buf b = {0};
    ww_json j = {0};
    ww_launch_merge(&under, &l[k], a);
    ww_json_begin(&j, &b);
    ww_launch_write(&under, &j);
    ww_buf_free(&b);
  }
  ww_arena_free(a);
}

int fuzz_launch(const uint8_t *data, size_t n) {
  char *text = fuzz_text(data, n);
  ww_arena *a = ww_arena_new();
  ww_module m;
  read_file(data, n);
  ww_err e = {0};
  if (ww_ir_parse(kernels, a, &m, &e) || ww_ir_check(&m, &e))
    abort();
  for (uint32_t k = 0; k < m.nfns; k++) {
    ww_launch l = {0};
    ww_trace_result r;
    ww_status st = text[0] == '{' ? ww_launch_parse(text, "/nowhere", a, &l, &e)
                                  : ww_launch_comment(text, a, &l, &e);
    /* every caller has a limit of memory; pages that are made take the time here */
    ww_trace_options o = {
        .max_steps = 20000, .max_bytes = 64 << 20, .sampling.budget = 5000};
    ww_launch_params params = ww_kernel_params(&m, &m.fns[k], a);
    if (!st)
      st = ww_launch_resolve(&l, &params, a, &e);
    if (!st)
      st = ww_trace(&m, &m.fns[k], &l, &o, a, &r, &e);
    if (st)
      continue;
    ww_buf b = {0};
    ww_json j = {0};
    ww_json_begin(&j, &b);
    ww_launch_write(&r.launch, &j);
    ww_launch again;
    if (ww_launch_parse(b.s, NULL, a, &again,
                        &e)) { /* what was completed can be run anywhere */
      fprintf(stderr, "%s\n%s\n", b.s, e.msg);
      abort();
    }
    ww_buf_free(&b);
  }
  ww_arena_free(a);
  free(text);
  return 0;
}

static const char *const words[] = {"n",
                                    "a",
                                    "x",
                                    "y",
                                    "s",
                                    "rows",
                                    "start",
                                    "col",
                                    "grid",
                                    "block",
                                    "shared",
                                    "seed",
                                    NULL,
                                    "uniform",
                                    "permutation",
                                    "zipf",
                                    "monotone",
                                    "index",
                                    "random",
                                    "zeros",
                                    "ones",
                                    "file",
                                    NULL,
                                    "f32",
                                    "f64",
                                    "i8",
                                    "u16",
                                    "i32",
                                    "i64",
                                    "float4",
                                    "bf16",
                                    "f16",
                                    "bool",
                                    "hex",
                                    NULL,
                                    "null",
                                    "true",
                                    NULL,
                                    "value",
                                    "buffer",
                                    "bytes",
                                    "count",
                                    "offset",
                                    "ptrs",
                                    "at",
                                    "id",
                                    "scale",
                                    "symbols",
                                    "fill",
                                    "head",
                                    "name",
                                    "args",
                                    NULL,
                                    "0",
                                    "1",
                                    "-1",
                                    "3",
                                    "40",
                                    "1023",
                                    "1024",
                                    "1025",
                                    "65536",
                                    "1048576",
                                    "2147483647",
                                    "2147483648",
                                    "4294967295",
                                    "4294967296",
                                    "1099511627776",
                                    "9223372036854775807",
                                    "18446744073709551615",
                                    "99999999999999999999",
                                    "1e400",
                                    "1e18",
                                    "-1e308",
                                    "0.5",
                                    "4194304",
                                    "2097152",
                                    NULL};

size_t fuzz_launch_mutate(uint8_t *data, size_t n, size_t max, unsigned seed) {
  return fuzz_swap(data, n, max, seed, words, sizeof words / sizeof *words);
}
