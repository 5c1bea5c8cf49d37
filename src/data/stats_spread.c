/* stats_spread.c - distributions: which quantities, their bins, and how far the
 * launches of one set cover those of another.
 *
 * A launch is covered in a quantity when it falls into a bin where the set has at least
 * WW_COVERED_FROM launches: a bin that one odd launch reached is no coverage. What lies
 * outside the bins has places of its own, so that nothing is covered by being cut off.
 */
#include <math.h>

#include "stats.h"

const ww_spread_info ww_spreads[WW_NSPREADS] = {
    [WW_SPREAD_time] = {"time", "Time of a launch", "duration of the kernel alone", 1,
                        1e5, true, NULL, 20},
    [WW_SPREAD_blocks_per_sm] = {"blocks_per_sm", "Blocks per SM", "blocks / SMs", 1e-3,
                                 1e4, true, NULL, 21},
    [WW_SPREAD_occupancy] = {"occupancy", "Achieved occupancy",
                             "% of the warps an SM holds", 0, 100, false, NULL, 20},
    [WW_SPREAD_ai] = {"ai", "Arithmetic intensity", "flop per byte of DRAM traffic",
                      1e-3, 1e4, true, "no flops", 21},
    [WW_SPREAD_l1_hit] = {"l1_hit", "L1 hit rate", "% of sectors", 0, 100, false, NULL,
                          20},
    [WW_SPREAD_l2_hit] = {"l2_hit", "L2 hit rate", "% of sectors", 0, 100, false, NULL,
                          20},
    [WW_SPREAD_dram_bytes] = {"dram_bytes", "DRAM traffic", "bytes read and written",
                              1e3, 1e11, true, "none", 16},
    [WW_SPREAD_active_lanes] = {"active_lanes", "Active lanes of a warp instruction",
                                "lanes of 32", 0, 32, false, NULL, 16},
    [WW_SPREAD_load_sectors] = {"load_sectors", "Sectors of a load request",
                                "32-byte sectors", 0, 32, false, "no loads", 16},
    [WW_SPREAD_int_share] = {"int_share", "Integer operations",
                             "per thread instruction", 0, 1, false, "none", 20},
    [WW_SPREAD_fp32_share] = {"fp32_share", "FP32 operations", "per thread instruction",
                              1e-4, 10, true, "none", 20},
    [WW_SPREAD_fp64_share] = {"fp64_share", "FP64 operations", "per thread instruction",
                              1e-4, 10, true, "none", 20},
    [WW_SPREAD_fp16_share] = {"fp16_share", "FP16 and bf16 operations",
                              "per thread instruction", 1e-4, 10, true, "none", 20},
    [WW_SPREAD_tensor_share] = {"tensor_share", "Operations of the matrix units",
                                "per thread instruction", 1e-2, 1e4, true, "none", 18},
};

/* ---- one launch ---- */

static double flops(const ww_store_row *r) {
  return r->m[WW_M_flops_fp64] + r->m[WW_M_flops_fp32] + r->m[WW_M_flops_fp16] +
         r->m[WW_M_flops_tensor];
}

static double share(const ww_store_row *r, ww_metric m) {
  double threads = r->m[WW_M_warp_instructions] * r->m[WW_M_active_lanes];
  return threads > 0 ? r->m[m] / threads : NAN;
}

static double blocks_per_sm(const ww_store_row *r, uint32_t sms) {
  double blocks = r->grid[0] * (double)r->grid[1] * r->grid[2];
  return sms && blocks > 0 ? blocks / sms : NAN;
}

/* No bytes: infinitely intense. */
static double intensity(const ww_store_row *r) {
  double f = flops(r);
  double bytes = r->m[WW_M_dram_read_bytes] + r->m[WW_M_dram_write_bytes];
  return f == 0 && isfinite(bytes) ? 0 : f / bytes;
}

/* Hits and lookups are counted in different passes, so a rate may come out above 100 %.
 */
static double capped(double pct) {
  return pct > 100 ? 100 : pct;
}

double ww_spread_value(const ww_store_row *r, uint32_t sms, ww_spread_id q) {
  const double *m = r->m;
  switch (q) {
  case WW_SPREAD_time:
    return m[WW_M_time_us];
  case WW_SPREAD_blocks_per_sm:
    return blocks_per_sm(r, sms);
  case WW_SPREAD_occupancy:
    return m[WW_M_occupancy_pct];
  case WW_SPREAD_ai:
    return intensity(r);
  case WW_SPREAD_l1_hit:
    return capped(m[WW_M_l1_hit_pct]);
  case WW_SPREAD_l2_hit:
    return capped(m[WW_M_l2_hit_pct]);
  case WW_SPREAD_dram_bytes:
    return m[WW_M_dram_read_bytes] + m[WW_M_dram_write_bytes];
  case WW_SPREAD_active_lanes:
    return m[WW_M_active_lanes];
  case WW_SPREAD_load_sectors: /* a launch with counters but without this one loads
                                  nothing */
    return isnan(m[WW_M_ld_sectors_per_request]) && m[WW_M_warp_instructions] > 0
               ? 0
               : m[WW_M_ld_sectors_per_request];
  case WW_SPREAD_int_share:
    return share(r, WW_M_int_ops);
  case WW_SPREAD_fp32_share:
    return share(r, WW_M_flops_fp32);
  case WW_SPREAD_fp64_share:
    return share(r, WW_M_flops_fp64);
  case WW_SPREAD_fp16_share:
    return share(r, WW_M_flops_fp16);
  default:
    return share(r, WW_M_flops_tensor);
  }
}

/* ---- bins ---- */

double ww_spread_edge(const ww_spread_info *i, uint32_t bin) {
  double at = (double)bin / i->bins;
  return i->log ? i->lo * pow(i->hi / i->lo, at) : i->lo + (i->hi - i->lo) * at;
}

uint32_t ww_spread_place(const ww_spread_info *i, double v) {
  double at =
      i->log ? log(v / i->lo) / log(i->hi / i->lo) : (v - i->lo) / (i->hi - i->lo);
  if (i->zero && v == 0)
    return WW_ZERO;
  if (v < i->lo)
    return WW_BELOW;
  if (v > i->hi)
    return WW_ABOVE;
  /* an edge belongs to the bin above it, the last one to the last bin */
  uint32_t bin = at * i->bins + 1e-9;
  return bin < i->bins ? bin : i->bins - 1;
}

double ww_spread_cover(const ww_spread *ours, const ww_spread *other) {
  uint64_t in = 0;
  if (!other->n)
    return NAN;
  for (int k = 0; k < WW_NPLACES; k++)
    if (ours->at[k] >= WW_COVERED_FROM)
      in += other->at[k];
  return in / (double)other->n;
}

double ww_stats_cover(const ww_stats *ours, const ww_stats *other) {
  uint32_t n = other->places.n / WW_NSPREADS;
  uint32_t in = 0;
  for (uint32_t k = 0; k < n; k++) {
    bool covered = true;
    for (int q = 0; q < WW_NSPREADS && covered; q++) {
      uint8_t place = other->places.v[k * WW_NSPREADS + q];
      covered = place == WW_UNKNOWN || ours->spread[q].at[place] >= WW_COVERED_FROM;
    }
    in += covered;
  }
  return n ? (double)in / n : NAN;
}
