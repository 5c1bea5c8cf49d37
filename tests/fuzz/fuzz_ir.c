/* fuzz_ir.c - any text as IR: what the checker lets through must run, or end with a
 * message, in every way it can be run. */
#include "fuzz.h"

#include "../../src/predict/model/predict.h"
#include "../../src/trace/sample.h"
#include "../../src/trace/setup.h"

enum { STEPS = 20000, MAX_TEXT = 1 << 16 };

static void run(const ww_module *m,
                const ww_fn *fn,
                uint32_t lanes,
                bool extrapolate,
                ww_arena *a) {
  ww_launch l = {
      .nargs = fn->nparams, .args = WW_NEWN(a, ww_arg, fn->nparams + 1), .seed = 1};
  for (uint32_t p = 0; p < fn->nparams; p++) {
    static const uint8_t fills[] = {WW_FILL_ZEROS, WW_FILL_RANDOM, WW_FILL_INDEX,
                                    WW_FILL_NONE};
    ww_buffer b = {.bytes = p % 4 == 3 ? 0 : 64u + 64u * (p % 4),
                   .fill = {.kind = fills[p % 4]}};
    const ww_param *q = &fn->params[p];
    if (q->pointer)
      l.args[p] = (ww_arg){.kind = WW_ARG_BUFFER, .buffer = b};
    else if (q->byval && q->size < 65536)
      l.args[p] = (ww_arg){
          .kind = WW_ARG_HEX, .hex = ww_alloc(a, q->size + 1), .hex_n = q->size};
    else
      l.args[p] = (ww_arg){
          .kind = WW_ARG_VALUE, .is_int = true, .ivalue = 37 + p, .value = 37 + p};
  }
  ww_setup s;
  ww_err e = {0};
  if (ww_setup_make(m, fn, &l, a, &s, &e))
    return;
  ww_run_spec spec = {.module = m,
                      .fn = fn,
                      .grid = {2, 1, 1},
                      .block = {40, 1, 1},
                      .shared_static = s.shared_static,
                      .shared = s.shared_dynamic,
                      .params = s.params,
                      .params_n = s.params_n,
                      .memory = s.memory,
                      .symbol_addr = s.symbol_addr,
                      .lanes = lanes,
                      .max_steps = STEPS,
                      .extrapolate = extrapolate};
  ww_machine *mc = NULL;
  ww_sampled out;
  if (!ww_machine_new(&spec, &mc, &e))
    ww_sample(mc, &spec, &(ww_sampling){.full = !extrapolate}, a, &out, &e);
  ww_machine_free(mc);
  ww_setup_free(&s);
}

/* What the machine would make of it, calls or not. */
static void lower(const ww_module *m, const ww_fn *fn, ww_arena *a) {
  ww_gpu g = {.lanes = 32, .sms = 4};
  ww_occupancy o;
  double spill;
  ww_resources(ww_fn_code_of(ww_gpu_code_new(m, &g, a), fn), 40, 0, 0, &o, &spill);
}

int fuzz_ir(const uint8_t *data, size_t n) {
  if (n > MAX_TEXT)
    return 0;
  char *text = fuzz_text(data, n);
  ww_arena *a = ww_arena_new();
  ww_module m;
  ww_err e = {0};
  bool valid = !ww_ir_parse(text, a, &m, &e) && !ww_ir_check(&m, &e);
  if (valid) {
    for (uint32_t f = 0; f < m.nfns; f++)
      lower(&m, &m.fns[f], a);
    for (uint32_t f = 0; f < m.nfns; f++)
      for (uint32_t k = 0; k < 4 && m.fns[f].kernel && !m.fns[f].refusal; k++)
        run(&m, &m.fns[f], k & 1 ? 64 : 32, k & 2, a);
    ww_buf b = {0};
    ww_ir_print_module(&m, &b);
    ww_buf_free(&b);
  }
  ww_arena_free(a);
  free(text);
  return valid ? 0 : -1; /* libFuzzer goes on from valid texts only */
}

/* What takes the same operands, mostly. */
static const char *const words[] = {"add",
                                    "sub",
                                    "mul",
                                    "mulhs",
                                    "mulhu",
                                    "sdiv",
                                    "udiv",
                                    "srem",
                                    "urem",
                                    "and",
                                    "or",
                                    "xor",
                                    "shl",
                                    "lshr",
                                    "ashr",
                                    "smin",
                                    "smax",
                                    "umin",
                                    "umax",
                                    "lea",
                                    NULL,
                                    "iabs",
                                    "ctpop",
                                    "ctlz",
                                    "cttz",
                                    "brev",
                                    "bswap",
                                    "mov",
                                    "freeze",
                                    "fneg",
                                    "fabs",
                                    "readfirst",
                                    NULL,
                                    "fshl",
                                    "fshr",
                                    "prmt",
                                    "bfeu",
                                    "bfes",
                                    "dp4a",
                                    "dp2a",
                                    "sad",
                                    "fma",
                                    "select",
                                    "shfl",
                                    NULL,
                                    "fadd",
                                    "fsub",
                                    "fmul",
                                    "fdiv",
                                    "fmin",
                                    "fmax",
                                    "permute",
                                    "bpermute",
                                    "readlane",
                                    "redux",
                                    "mbcnt",
                                    "texdim",
                                    NULL,
                                    "trunc",
                                    "zext",
                                    "sext",
                                    "sitof",
                                    "uitof",
                                    "ftosi",
                                    "ftoui",
                                    "fcvt",
                                    NULL,
                                    "ld",
                                    "malloc",
                                    "vote",
                                    "match",
                                    NULL,
                                    "bar",
                                    "fence",
                                    "syncwarp",
                                    "gridsync",
                                    "memcpy",
                                    "memset",
                                    NULL,
                                    "ret",
                                    "exit",
                                    "trap",
                                    NULL,
                                    "sreg",
                                    "activemask",
                                    "clock",
                                    "localaddr",
                                    NULL,
                                    "tid",
                                    "ntid",
                                    "ctaid",
                                    "nctaid",
                                    NULL,
                                    "x",
                                    "y",
                                    "z",
                                    NULL,
                                    "laneid",
                                    "warpid",
                                    "dynshared",
                                    "smid",
                                    NULL,
                                    "i1",
                                    "i8",
                                    "i16",
                                    "i32",
                                    "i64",
                                    "f16",
                                    "bf16",
                                    "f32",
                                    "f64",
                                    NULL,
                                    "global",
                                    "shared",
                                    "local",
                                    "const",
                                    "param",
                                    "generic",
                                    NULL,
                                    "eq",
                                    "ne",
                                    "slt",
                                    "sle",
                                    "sgt",
                                    "sge",
                                    "ult",
                                    "ule",
                                    "ugt",
                                    "uge",
                                    NULL,
                                    "foeq",
                                    "fone",
                                    "folt",
                                    "fole",
                                    "fogt",
                                    "foge",
                                    "ford",
                                    "fueq",
                                    "fune",
                                    "fult",
                                    "fule",
                                    "fugt",
                                    "fuge",
                                    "funo",
                                    NULL,
                                    "xchg",
                                    "inc",
                                    "dec",
                                    "nand",
                                    "rn",
                                    "rz",
                                    "rd",
                                    "ru",
                                    "rna",
                                    "idx",
                                    "up",
                                    "down",
                                    "bfly",
                                    "all",
                                    "any",
                                    "uni",
                                    "ballot",
                                    NULL,
                                    "0",
                                    "1",
                                    "-1",
                                    "2",
                                    "4",
                                    "16",
                                    "31",
                                    "32",
                                    "33",
                                    "63",
                                    "64",
                                    "255",
                                    "4095",
                                    "65536",
                                    "0x7fffffff",
                                    "0x80000000",
                                    "-2147483648",
                                    "0xffffffffffffffff",
                                    "-9223372036854775808",
                                    "9223372036854775807",
                                    "4294967295",
                                    "4294967296",
                                    "1099511627776",
                                    "1.5",
                                    "1e30",
                                    NULL};

size_t fuzz_ir_mutate(uint8_t *data, size_t n, size_t max, unsigned seed) {
  return fuzz_swap(data, n, max, seed, words, sizeof words / sizeof *words);
}
