/* interpret.c - a kernel's full run in the interpreter, in two orders of its threads; see diff.h.
 *
 * The first run is the one of `warpwise trace --full`. The second takes blocks and warps from the
 * last to the first, several blocks at a time, and changes between warps every few instructions:
 * what differs between the two depends on an order that no GPU promises. */
#include "diff.h"

#include "../../src/query/query.h"
#include "../../src/trace/run.h"

#define MOST_STEPS 400000000ull /* warp instructions */
#define SLICE 37                /* of the second run */
#define RESIDENT 6

ww_status diff_load(
    const char *text, ww_gen_dialect d, diff_variant v, ww_arena *a, ww_module *out, ww_err *e) {
  static const char *const cuda_flags[] = {"-fmad=false", "-fwrapv"}, *const wrap[] = {"-fwrapv"};
  bool cuda = d == WW_GEN_CUDA;
  const char *file = cuda ? "generated.cu" : "generated.cl";
  ww_front_options o = {.files = &file,
                        .nfiles = 1,
                        .dialect = cuda ? WW_CUDA : WW_OPENCL,
                        .texts = &text,
                        .flags = (const char **)(cuda ? cuda_flags : wrap),
                        .nflags = (cuda && v != DIFF_PLAIN) + (v == DIFF_WRAPPED),
                        .deadline = ww_now() + 1800}; /* a busy machine is no failure */
  ww_unit u;
  ww_status st = ww_query_load(&o, a, &u, e);
  if (!st && u.partial)
    return ww_fail(e, WW_EDATA, "the front end left something out: %.300s",
                   u.ndiags ? u.diags[0].message : "?");
  if (!st)
    *out = u.module;
  return st;
}

static void copy_out(const diff_kernel *k, ww_memory *m, uint8_t *image) {
  const ww_region *r;
  memcpy(image, k->initial, k->bytes);
  for (uint32_t i = 0; (r = ww_memory_region(m, i)); i++)
    for (uint32_t b = 0; b < k->nbuffers; b++)
      if (r->arg == (int32_t)k->buffers[b].arg)
        memcpy(image + k->buffers[b].at, ww_memory_at(m, r->base, k->buffers[b].bytes),
               k->buffers[b].bytes);
}

static ww_status run_backwards(const ww_run_spec *spec, ww_err *e) {
  uint64_t n = spec->grid[0] * spec->grid[1] * spec->grid[2];
  ww_arena *a = ww_arena_new();
  uint64_t *blocks = WW_NEWN(a, uint64_t, n);
  ww_run_spec s = *spec;
  ww_machine *machine = NULL;
  ww_run_stats stats = {0};
  const ww_observer nobody = {0};
  for (uint64_t i = 0; i < n; i++)
    blocks[i] = n - 1 - i;
  s.slice = SLICE;
  s.backwards = true;
  ww_memory_reset(s.memory);
  ww_status st = ww_machine_new(&s, &machine, e);
  if (!st)
    st = ww_machine_run(machine, blocks, (uint32_t)n, RESIDENT, &nobody, &stats, a, e);
  ww_machine_free(machine);
  ww_arena_free(a);
  return st;
}

/* As `warpwise trace --full` does it, but for completing the launch: its contents are taken as
 * given, for the device's are. */
static ww_status run_forwards(const ww_run_spec *spec, uint64_t *steps, ww_err *e) {
  const ww_sampling all = {.full = true};
  ww_arena *a = ww_arena_new();
  ww_machine *machine = NULL;
  ww_sampled sampled = {0};
  ww_status st = ww_machine_new(spec, &machine, e);
  if (!st)
    st = ww_sample(machine, spec, &all, a, &sampled, e);
  *steps = sampled.warp_instructions;
  ww_machine_free(machine);
  ww_arena_free(a);
  return st;
}

ww_status diff_interpret(const ww_module *m,
                         const diff_kernel *k,
                         uint8_t *image,
                         uint8_t *other,
                         uint64_t *steps,
                         ww_err *e) {
  const ww_fn *fn = ww_ir_find(m, k->gen.name);
  if (!fn)
    return ww_fail(e, WW_EDATA, "no kernel %s in the IR", k->gen.name);
  if (fn->refusal)
    return ww_fail(e, WW_EUNSUPPORTED, "%s", fn->refusal);
  ww_arena *a = ww_arena_new();
  ww_setup s;
  ww_status st = ww_setup_make(m, fn, &k->launch, a, &s, e);
  if (!st) {
    ww_run_spec spec = ww_setup_spec(m, fn, &k->launch, &s);
    spec.max_steps = MOST_STEPS;
    st = run_forwards(&spec, steps, e);
    if (!st)
      copy_out(k, spec.memory, image);
    if (!st && other)
      st = run_backwards(&spec, e);
    if (!st && other)
      copy_out(k, spec.memory, other);
    ww_setup_free(&s);
  }
  ww_arena_free(a);
  return st;
}
