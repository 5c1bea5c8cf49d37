/* counters.c - from NVIDIA's counters to the metrics of a report.
 *
 * Invariant: a metric is known only where every counter it needs is. Zero requests give
 * no ratio, not zero. */
#include "counters.h"

#include <math.h>

const ww_counter_info ww_counters[WW_NCOUNTERS] = {
#define COUNTER(id, group, name) {#id, name, WW_GROUP_##group},
#include "counters.def"
};

static double ratio(double a, double b) {
  return b > 0 ? a / b : NAN;
}

/* Of the matrix units: counters that are there add up; none asked for is zero where the
 * units saw no instruction. */
static double tensor(const double c[WW_NCOUNTERS]) {
  double sum = 0;
  bool any = false;
  for (int k = 0; k < WW_NCOUNTERS; k++) {
    if (ww_counters[k].group != WW_GROUP_TENSOR || isnan(c[k]))
      continue;
    sum += c[k];
    any = true;
  }
  double matrix =
      c[WW_C_tensor_inst] - (isnan(c[WW_C_tensor_hfma2]) ? 0 : c[WW_C_tensor_hfma2]);
  return any ? sum : matrix == 0 ? 0 : NAN;
}

void ww_metrics_derive(double m[WW_NMETRICS]) {
  double bytes = m[WW_M_dram_read_bytes] + m[WW_M_dram_write_bytes];
  double us = m[WW_M_time_us];
  double flops = m[WW_M_flops_fp64] + m[WW_M_flops_fp32] + m[WW_M_flops_fp16] +
                 m[WW_M_flops_tensor];
  m[WW_M_dram_gbps] = us > 0 ? bytes / us * 1e-3 : NAN;
  m[WW_M_gflops] = us > 0 ? flops / us * 1e-3 : NAN;
  m[WW_M_ai] = ratio(flops, bytes);
}

void ww_counters_to_metrics(const double c[WW_NCOUNTERS], double m[WW_NMETRICS]) {
  for (int k = 0; k < WW_NMETRICS; k++)
    m[k] = NAN;
  m[WW_M_time_us] = c[WW_C_time_ns] * 1e-3;
  m[WW_M_sm_clock_mhz] = c[WW_C_clock_hz] * 1e-6;
  m[WW_M_dram_read_bytes] = c[WW_C_dram_read];
  m[WW_M_dram_write_bytes] = c[WW_C_dram_write];
  m[WW_M_l1_hit_pct] = c[WW_C_l1_hit];
  m[WW_M_l2_hit_pct] = c[WW_C_l2_hit];
  m[WW_M_l2_bytes] = 32 * c[WW_C_l2_sectors];
  m[WW_M_occupancy_pct] = c[WW_C_warps_active];
  m[WW_M_warp_instructions] = c[WW_C_inst];
  m[WW_M_active_lanes] = ratio(c[WW_C_thread_inst], c[WW_C_inst]);
  m[WW_M_flops_fp64] = c[WW_C_dadd] + c[WW_C_dmul] + 2 * c[WW_C_dfma];
  m[WW_M_flops_fp32] = c[WW_C_fadd] + c[WW_C_fmul] + 2 * c[WW_C_ffma];
  m[WW_M_flops_fp16] = c[WW_C_hadd] + c[WW_C_hmul] + 2 * c[WW_C_hfma];
  m[WW_M_flops_tensor] = tensor(c);
  m[WW_M_int_ops] = c[WW_C_integer];
  double ld = isnan(c[WW_C_ld_requests]) ? c[WW_C_global_ld] : c[WW_C_ld_requests];
  double st = isnan(c[WW_C_st_requests]) ? c[WW_C_global_st] : c[WW_C_st_requests];
  m[WW_M_ld_sectors_per_request] = ratio(c[WW_C_ld_sectors], ld);
  m[WW_M_st_sectors_per_request] = ratio(c[WW_C_st_sectors], st);
  m[WW_M_shared_conflict_ways] = ratio(c[WW_C_shared_ld_wave] + c[WW_C_shared_st_wave],
                                       c[WW_C_shared_ld] + c[WW_C_shared_st]);
  ww_metrics_derive(m);
}
