/* test_amdgcn.c - assembly of clang's AMD backend: the kernel's resources, its spills
 * and its floating-point work, in loops and outside; and what spills become. */
#include "unit.h"

#include <math.h>

#include "../../src/front/amdgcn.h"
#include "../../src/predict/model/predict.h"

/* Cut down from what clang 19 writes for gfx90a and gfx1100. */
static const char text[] =
    "\t.text\n"
    "_Z5otherPf:\n"
    "\tv_fma_f32 v0, v1, v2, v3\n"
    ".Lfunc_end0:\n"
    "_Z1kPf:                                 ; @_Z1kPf\n"
    "; %bb.0:                                ; %entry\n"
    "\ts_load_dwordx2 s[0:1], s[4:5], 0x0\n"
    "\tv_fmac_f32_e32 v0, v1, v2\n"
    "\tv_pk_mul_f32 v[0:1], v[2:3], v[4:5]\n"
    "\tv_add_u32_e32 v0, 1, v0\n"
    "\tbuffer_store_dword v0, off, s[0:3], 0 offset:4 ; 4-byte Folded Spill\n"
    "\tbuffer_store_dword v9, off, s[0:3], 0 offset:8\n"
    ".LBB1_1:                                ; %for.body\n"
    "                                        ; =>This Inner Loop Header: Depth=1\n"
    "\tscratch_load_dwordx2 v[2:3], off, off ; 8-byte Folded Reload\n"
    "\tv_dual_fmac_f32 v0, v1, v2 :: v_dual_add_f32 v3, v4, v5\n"
    "\tv_fma_f64 v[0:1], v[2:3], v[4:5], v[6:7]\n"
    "\tv_writelane_b32 v127, s4, 3           ; 4-byte Folded Spill\n"
    "; %bb.2:                                ;   in Loop: Header=BB1_1 Depth=1\n"
    "\tv_sub_f32_e32 v1, v2, v3\n"
    "; %bb.3:                                ; %exit\n"
    "\ts_clause 0x1\n"
    "\tbuffer_load_dword v3, off, s[100:103], 0 offset:2232\n"
    "\tscratch_load_b64 v[4:5], off, off offset:2236\n"
    "\tbuffer_load_dword v0, off, s[0:3], 0 offset:4 ; 4-byte Folded Reload\n"
    "\ts_endpgm\n"
    ".Lfunc_end1:\n"
    "\tv_fma_f32 v0, v1, v2, v3\n"
    "\t.amdhsa_kernel _Z1kPf\n"
    "\t\t.amdhsa_group_segment_fixed_size 0\n"
    "\t\t.amdhsa_private_segment_fixed_size 244\n"
    "\t\t.amdhsa_next_free_vgpr 128\n"
    "\t.end_amdhsa_kernel\n";

static void reads_assembly(void **state) {
  ww_built b;
  assert_true(ww_amdgcn_read(text, "_Z1kPf", *state, &b));
  assert_true(b.registers == 128 && b.scratch_bytes == 244);
  assert_true(b.once.spilled == 1 && b.once.reloaded == 1 && b.once.flops == 4);
  assert_true(b.once.unnamed == 3 && b.looped.unnamed == 0);
  assert_true(b.looped.spilled == 0 && b.looped.reloaded == 2 && b.looped.flops == 6);
  assert_false(ww_amdgcn_read(text, "_Z5otherPf", *state, &b)); /* no kernel */
  assert_false(ww_amdgcn_read(text, "_Z1k", *state, &b));
}

static void calls_say_nothing(void **state) {
  static const char with[] =
      "\n_Z1kPf:\n\ts_swappc_b64 s[30:31], s[6:7]\n.Lfunc_end0:\n"
      "\t.amdhsa_kernel _Z1kPf\n"
      "\t\t.amdhsa_next_free_vgpr 47\n\t.end_amdhsa_kernel\n";
  ww_built b;
  assert_true(ww_amdgcn_read(with, "_Z1kPf", *state, &b));
  assert_true(b.registers == 0 && b.scratch_bytes == 0);
}

/* 64 words stored outside loops, 32 loaded in one that runs three times. */
static ww_work spills(const ww_gpu *g, double scratch, uint64_t blocks) {
  ww_work w = {.blocks = blocks, .block_threads = 256};
  ww_built b = {.registers = 128,
                .scratch_bytes = scratch,
                .once = {.spilled = 64, .flops = 10},
                .looped = {.reloaded = 32, .flops = 20}};
  w.warps_per_block = 256 / g->lanes;
  w.lowered.flops32 = 256.0 * blocks * (10 + 3 * 20);
  ww_occupancy_of(g, 256, b.registers, 0, &w.occupancy);
  ww_spill_traffic(&b, g, &w);
  return w;
}

static ww_gpu load(ww_arena *a, const char *name) {
  ww_gpu g;
  ww_err e = {0};
  if (ww_gpu_load(name, a, &g, &e))
    fail_msg("%s", e.msg);
  return g;
}

static void spills_go_as_far_as_they_must(void **state) {
  ww_gpu g = load(*state, "mi250");
  double each = 256 * 4.0;              /* bytes of a word of all threads of a block */
  ww_work w = spills(&g, 4096, 100000); /* far beyond L2 */
  assert_true(w.traffic.dram_write == 64 * each * 100000);
  assert_true(w.traffic.dram_read == 3 * 32 * each * 100000);
  assert_true(w.traffic.spill_dram == w.traffic.dram_read + w.traffic.dram_write);
  assert_true(w.traffic.l2_writes == w.traffic.dram_write / 32);
  w = spills(&g, 4, 100000); /* all resident threads' fits L2 */
  assert_true(w.traffic.spill_dram == 0 && w.traffic.spill_l3 == 0);
  assert_true(w.traffic.l2_reads > 0 && w.traffic.spill_bytes > 0);
  w = spills(&g, 4096, 4); /* so does that of few */
  assert_true(w.traffic.spill_dram == 0);
  g = load(*state, "w6600");
  w = spills(&g, 1024, 100000); /* between L2 and the cache behind it */
  assert_true(w.traffic.spill_l3 > 0 && w.traffic.spill_dram == 0);
  w = spills(&g, 4096, 100000);
  assert_true(w.traffic.spill_l3 == 0 && w.traffic.spill_dram > 0);
}

static void spills_take_time(void **state) {
  ww_gpu g = load(*state, "mi250");
  ww_work w = spills(&g, 4096, 100000);
  ww_timing t;
  w.chain.spread = 1;
  ww_time(&w, &g, &ww_params_default, &t);
  double dram = w.traffic.spill_dram / (1e3 * g.dram_spill);
  assert_true(t.us > dram && t.us < 1.2 * dram && t.bottleneck == WW_TERM_DRAM);
}

int main(void) {
  const struct CMUnitTest tests[] = {TEST(reads_assembly), TEST(calls_say_nothing),
                                     TEST(spills_go_as_far_as_they_must),
                                     TEST(spills_take_time)};
  return RUN(tests);
}
