/* net_checks.h - checks of learning that run on any ww_ops: against what PyTorch found
 * (tests/lm/fixtures), and against finite differences.
 *
 * Each prints one line with the figure it found, `ok - ...` or `not ok - ...`, and
 * tells whether it passed. */
#ifndef WW_NET_CHECKS_H
#define WW_NET_CHECKS_H

#include "../../src/lm/net.h"

typedef struct {
  ww_ops *o;
  const char *fixtures; /* the folder */
  double
      logits; /* most that logits may differ: absolute in fp32, of their norm in bf16 */
  double gradient; /* most that a tensor's gradient may differ, of its norm */
  double curve;    /* most that a loss may differ, of itself */
  uint32_t steps;  /* of the curve, up to 200 */
  float dropout;   /* of the nets that the checks make */
} net_checks;

/* Logits, loss and every gradient of tests/lm/fixtures/NAME. */
bool check_fixture(const net_checks *k, const char *name);
bool check_packed_fixture(
    const net_checks *k); /* three documents in a row: the logits of each alone */
bool check_curve(
    const net_checks *k); /* AdamW steps from the same weights on the same data */
bool check_packing(const net_checks *k); /* gradients of packed documents = of the same
                                            in rows of their own */
bool check_accumulation(const net_checks *k); /* two halves of a batch = the whole */
bool check_lora(
    const net_checks *k); /* B = 0: the base's logits; merged = with adapters */
bool check_lora_files(
    const net_checks *k,
    const char *dir); /* written, read again: the same; bad ones are refused */
bool check_not_finite(const net_checks *k); /* a gradient that is not finite changes
                                               nothing, and is told */
bool check_repeat(const net_checks *k);     /* deterministic, and resumed exactly */
/* By finite differences, in fp32 alone: all parameters with both heads and features;
 * adapters. */
bool check_slopes(const net_checks *k);
bool check_dropout(const net_checks *k); /* and that the seed decides what is left out,
                                            in learning alone */
bool check_lora_slopes(const net_checks *k);
/* Each function of ops.h by itself, in fp32 alone; how many failed. */
int check_ops(ww_ops *o);

/* ops.h in bf16, emulated on the CPU (half_ops.c). */
ww_status half_ops_new(ww_ops **out, ww_err *e);

/* What Warpwise writes of each fixture, for `fixtures.py --check`: DIR/NAME. */
bool write_fixtures(const net_checks *k, const char *dir);

/* ---- shared by the checks ---- */
bool tell(bool passed, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
uint32_t hash32(uint32_t x);
float random_value(uint32_t *seed); /* -1 .. 1 */

#endif
