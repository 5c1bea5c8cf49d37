/* test_plan.c - a planned launch, written and read back, gives a device that has no IR
 * the bytes a trace sees. */
#include "unit.h"

#include <stdlib.h>
#include <unistd.h>

#include "../../src/front/front.h"
#include "../../src/measure/plan.h"

static ww_module load(const char *file, ww_arena *a) {
  ww_front_options o = {.files = &file, .nfiles = 1, .dialect = -1, .no_sdk = true};
  ww_unit u;
  ww_err e = {0};
  if (ww_front_load(&o, a, &u, &e))
    fail_msg("%s: %s", file, e.msg);
  return u.module;
}

static ww_launch through_text(const ww_launch *l, ww_arena *a) {
  ww_buf b = {0};
  ww_json j = {0};
  ww_launch out;
  ww_err e = {0};
  ww_json_begin(&j, &b);
  ww_launch_write(l, &j);
  if (ww_launch_parse(b.s, NULL, a, &out, &e))
    fail_msg("%s: %s", b.s, e.msg);
  ww_buf_free(&b);
  return out;
}

/* ---- a device that knows the spec alone ---- */

static uint8_t *contents(const ww_buffer *b, uint64_t seed, ww_arena *a) {
  uint8_t *p = ww_alloc(a, b->bytes + 64);
  if (!b->type || b->fill.kind == WW_FILL_NONE)
    fail_msg("a planned buffer has no type or no fill");
  if (b->fill.kind == WW_FILL_FILE) {
    char *data;
    size_t n;
    assert_int_equal(ww_read_packed(a, b->fill.path, 1u << 30, &data, &n, NULL), WW_OK);
    memcpy(p, data, n < b->bytes ? n : b->bytes);
    return p;
  }
  uint32_t size = ww_elem_size(b->type);
  if (b->fill.kind != WW_FILL_ZEROS)
    ww_fill_bytes(&b->fill, b->type, b->bytes / size, seed, 0, b->bytes / size, p);
  return p;
}

static void check_memory(const char *what,
                         const ww_setup *s,
                         ww_region *r,
                         uint64_t bytes,
                         const uint8_t *want) {
  if (r->size != bytes)
    fail_msg("%s: %llu bytes, the trace has %llu", what, (unsigned long long)bytes,
             (unsigned long long)r->size);
  const uint8_t *got = ww_memory_at(s->memory, r->base, bytes);
  for (uint64_t i = 0; i < bytes; i++)
    if (got[i] != want[i])
      fail_msg("%s: byte %llu is %02x, in the trace %02x", what, (unsigned long long)i,
               want[i], got[i]);
}

static uint64_t pointer_at(const uint8_t *p) {
  uint64_t v;
  memcpy(&v, p, 8);
  return v;
}

static uint32_t first_of_id(const ww_launch *l, uint32_t p) {
  for (uint32_t k = 0; k < p; k++)
    if (l->args[k].kind == WW_ARG_BUFFER && l->args[k].buffer.id &&
        l->args[p].buffer.id && !strcmp(l->args[k].buffer.id, l->args[p].buffer.id))
      return k;
  return p;
}

static void check_arg(const ww_fn *fn,
                      const ww_launch *l,
                      uint32_t p,
                      const uint8_t *param,
                      const ww_setup *s,
                      ww_arena *a) {
  const ww_arg *g = &l->args[p];
  const ww_param *q = &fn->params[p];
  const char *what = ww_fmt(a, "%s, argument %u", fn->name, p);
  if (g->kind == WW_ARG_BUFFER && q->space == WW_SHARED) {
    assert_true(g->buffer.local);
    assert_int_equal(s->local_at[p] == UINT64_MAX, 0);
    return;
  }
  if (g->kind == WW_ARG_BUFFER) {
    uint32_t first = first_of_id(l, p);
    assert_false(g->buffer.local);
    check_memory(what, s, s->arg[p], l->args[first].buffer.bytes,
                 contents(&l->args[first].buffer, ww_fill_seed(l->seed, first), a));
    assert_int_equal(pointer_at(param), s->arg[p]->base + g->buffer.offset);
    return;
  }
  assert_int_equal(g->kind, WW_ARG_HEX);
  assert_int_equal(g->hex_n, q->size);
  uint8_t *bytes = ww_alloc(a, q->size + 8);
  memcpy(bytes, g->hex, q->size);
  for (uint32_t n = 0; n < g->nptrs; n++) {
    const ww_buffer *b = &g->ptrs[n].buffer;
    uint64_t v = pointer_at(param + g->ptrs[n].at);
    check_memory(what, s, ww_memory_find(s->memory, v), b->bytes,
                 contents(b, ww_fill_seed(l->seed, WW_ALLOCATION_PTR(p, n)), a));
    memcpy(bytes + g->ptrs[n].at, &v, 8);
  }
  assert_memory_equal(bytes, param, q->size);
}

/* The code's own initial contents, then what the spec says. */
static void check_symbol(const ww_module *m,
                         const ww_launch *l,
                         uint32_t i,
                         const ww_setup *s,
                         ww_arena *a) {
  const ww_symbol_arg *x = &l->symbols[i];
  for (uint32_t y = 0; y < m->nsymbols; y++) {
    if (strcmp(m->symbols[y].mangled ? m->symbols[y].mangled : m->symbols[y].name,
               x->name) != 0)
      continue;
    if (s->symbol_addr[y] == UINT64_MAX)
      return;
    uint64_t size = m->symbols[y].size;
    uint8_t *bytes = ww_alloc(a, size + 8);
    if (m->symbols[y].init)
      memcpy(bytes, m->symbols[y].init, size);
    if (x->arg.kind == WW_ARG_HEX)
      memcpy(bytes, x->arg.hex, x->arg.hex_n);
    if (x->arg.kind == WW_ARG_BUFFER) {
      assert_int_equal(x->arg.buffer.bytes, size);
      bytes = contents(&x->arg.buffer, ww_fill_seed(l->seed, 1000 + i), a);
    }
    check_memory(x->name, s, ww_memory_find(s->memory, s->symbol_addr[y]), size, bytes);
    return;
  }
  fail_msg("a planned symbol `%s` is not in the code", x->name);
}

static void
check_plan(const ww_module *m, const ww_fn *fn, const ww_launch *given, ww_arena *a) {
  ww_err e = {0};
  ww_launch traced = *given, planned = *given;
  ww_assumed said = {0}, again = {0};
  ww_setup s;
  if (ww_plan(m, fn, &planned, &said, a, &e))
    fail_msg("%s: %s", fn->name, e.msg);
  ww_launch_params params = ww_kernel_params(m, fn, a);
  if (ww_launch_resolve(&traced, &params, a, &e) ||
      ww_inputs_complete(m, fn, &traced, NULL, &again, a, &e) ||
      ww_setup_make(m, fn, &traced, a, &s, &e))
    fail_msg("%s: %s", fn->name, e.msg);
  assert_int_equal(said.list.n, again.list.n);
  ww_launch l = through_text(&planned, a);
  assert_string_equal(l.kernel, fn->mangled);
  assert_memory_equal(l.grid, traced.grid, sizeof l.grid);
  assert_memory_equal(l.block, traced.block, sizeof l.block);
  assert_int_equal(l.shared, traced.shared);
  assert_int_equal(l.nargs, fn->nparams);
  uint32_t *off = WW_NEWN(a, uint32_t, fn->nparams + 1), total;
  ww_param_offsets(fn, off, &total);
  for (uint32_t p = 0; p < l.nargs; p++)
    check_arg(fn, &l, p, s.params + off[p], &s, a);
  for (uint32_t i = 0; i < l.nsymbols; i++)
    check_symbol(m, &l, i, &s, a);
  ww_setup_free(&s);
}

/* ---- */

static void kernels_of_the_suite(void **state) {
  static const char *const names[] = {
      "saxpy",         "symbols",     "stencil1d",    "struct_param", "struct_out",
      "alias_halves",  "spmv_csr",    "cl_local_arg", "cl_reduce",    "gather_perm",
      "template_axpy", "half_scalar", "char_short",   "omp_saxpy",    "hip_saxpy",
      "copy_offset",   "virtual_call"};
  ww_arena *a = *state;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    ww_launch *l;
    uint32_t n;
    ww_err e = {0};
    if (ww_launch_read(ww_fmt(a, "tests/kernels/%s.launch", names[i]), a, &l, &n, &e))
      fail_msg("%s: %s", names[i], e.msg);
    ww_module m = load(l->file, a);
    const ww_fn *fn = ww_ir_find(&m, l->kernel);
    if (!fn)
      fail_msg("%s: no kernel %s", names[i], l->kernel);
    check_plan(&m, fn, l, a);
  }
}

static const char scalars[] =
    "#include <cuda_fp16.h>\n"
    "#include <stdint.h>\n"
    "struct pair { int a; float b; };\n"
    "__global__ void every(char c, short s, unsigned u, uint64_t w, float f, double d, "
    "__half h, "
    "bool b, pair p,\n"
    "                      const float3 *v, const int *at, float *y, int n) {\n"
    "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  if (i < n) y[i] = v[at[i]].x * f + c + s + u + w + d + __half2float(h) + b + "
    "p.a + p.b;\n"
    "}\n";

/* Names, expressions, big and negative numbers, and buffers of which nothing is said.
 */
static const char *const specs[] = {
    "{\"grid\":4,\"block\":256}",
    "{\"grid\":\"n/"
    "128\",\"block\":128,\"args\":[{\"name\":\"n\",\"value\":1024},{\"name\":\"f\","
    "\"value\":0.1},"
    "{\"name\":\"h\",\"value\":1.5},{\"name\":\"b\",\"value\":true},{\"name\":\"c\","
    "\"value\":-3},{"
    "\"name\":\"s\",\"value\":65535},"
    "{\"name\":\"u\",\"value\":4294967295},{\"name\":\"w\",\"value\":"
    "18446744073709551615},{"
    "\"name\":\"d\",\"value\":\"n/3.0\"}]}",
    "{\"grid\":2,\"block\":64,\"seed\":9,\"args\":[{\"name\":\"p\",\"hex\":"
    "\"0100000000000040\"},"
    "{\"name\":\"v\",\"buffer\":{\"count\":4096,\"type\":\"float3\",\"fill\":"
    "\"random\"}},"
    "{\"name\":\"at\",\"buffer\":{\"count\":128,\"fill\":{\"uniform\":[0,\"n\"]}}},{"
    "\"name\":\"n\","
    "\"value\":128}]}",
};

static void scalars_of_every_kind(void **state) {
  ww_arena *a = *state;
  char path[] = "/tmp/ww_plan_XXXXXX.cu";
  int fd = mkstemps(path, 3);
  assert_true(fd >= 0 && write(fd, scalars, sizeof scalars - 1) == sizeof scalars - 1);
  close(fd);
  ww_module m = load(path, a);
  unlink(path);
  for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
    ww_launch l;
    ww_err e = {0};
    if (ww_launch_parse(specs[i], NULL, a, &l, &e))
      fail_msg("%s", e.msg);
    check_plan(&m, ww_ir_find(&m, "every"), &l, a);
  }
}

/* What a trace refuses, a plan refuses. */
static void wrong_arguments(void **state) {
  static const char *const bad[][2] = {
      {"{\"grid\":1,\"block\":32,\"args\":[{\"name\":\"n\",\"value\":1.5}]}",
       "whole number"},
      {"{\"grid\":1,\"block\":32,\"args\":[{\"name\":\"n\",\"hex\":\"01\"}]}",
       "takes 4 bytes"},
      {"{\"grid\":1,\"block\":32,\"args\":[{\"name\":\"x\",\"value\":4}]}",
       "is a pointer"},
      {"{\"grid\":1,\"block\":32,\"args\":[{\"name\":\"n\",\"buffer\":{\"bytes\":64}}]"
       "}",
       "not a pointer"},
  };
  ww_arena *a = *state;
  ww_module m = load("tests/kernels/saxpy.cu", a);
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    ww_launch l;
    ww_err e = {0};
    ww_assumed said = {0};
    assert_int_equal(ww_launch_parse(bad[i][0], NULL, a, &l, &e), WW_OK);
    if (!ww_plan(&m, ww_ir_find(&m, "saxpy"), &l, &said, a, &e))
      fail_msg("row %d: planned", (int)i);
    if (!strstr(e.msg, bad[i][1]))
      fail_msg("row %d: \"%s\"", (int)i, e.msg);
  }
}

/* A recording names every variable of the program; the source's own copy may have lost
 * the unused ones. */
static void symbols_nobody_uses(void **state) {
  ww_arena *a = *state;
  ww_module m = load("tests/kernels/symbols.cu", a);
  ww_launch *l;
  uint32_t n;
  ww_err e = {0};
  ww_assumed said = {0};
  assert_int_equal(ww_launch_read("tests/kernels/symbols.launch", a, &l, &n, &e),
                   WW_OK);
  l->symbols[1].name = "nobody";
  if (ww_plan(&m, ww_ir_find(&m, "symbols"), l, &said, a, &e))
    fail_msg("%s", e.msg);
  assert_int_equal(l->nsymbols, 3);
  assert_string_equal(l->symbols[1].name, "table");
  assert_int_equal(said.list.n, 1);
  assert_string_equal(ww_assumption_text(&said.list.v[0], a),
                      "symbol `nobody` is not used by the source: left out");
}

int main(void) {
  const struct CMUnitTest tests[] = {TEST(kernels_of_the_suite),
                                     TEST(scalars_of_every_kind), TEST(wrong_arguments),
                                     TEST(symbols_nobody_uses)};
  return RUN(tests);
}
