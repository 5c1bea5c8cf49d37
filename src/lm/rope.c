/* rope.c - the angles of rotary position embedding.
 *
 * Single precision in the same steps as transformers, so that late positions turn by
 * the same angle: at position 100,000 a last bit of the frequency is worth a hundredth
 * of a radian. */
#include "model.h"

#include <math.h>

/* llama3: long waves are slowed by the factor, short ones kept, those between blended.
 */
static float slowed(const ww_lm_config *c, float freq) {
  float turn = 6.28318530717958647692f;
  float old = c->rope_original;
  float wave = turn / freq;
  if (wave > old / c->rope_low)
    return freq / c->rope_factor;
  if (wave < old / c->rope_high)
    return freq;
  float keep = (old / wave - c->rope_low) / (c->rope_high - c->rope_low);
  return (1 - keep) * freq / c->rope_factor + keep * freq;
}

void ww_lm_rope_freqs(const ww_lm_config *c, float *freq) {
  uint32_t half = c->head_size / 2;
  for (uint32_t i = 0; i < half; i++) {
    float f = 1 / powf(c->rope_theta, (float)(2 * i) / c->head_size);
    freq[i] = c->rope == WW_ROPE_LLAMA3   ? slowed(c, f)
              : c->rope == WW_ROPE_LINEAR ? f / c->rope_factor
                                          : f;
  }
}

void ww_lm_rope_table(const ww_lm_config *c, uint32_t n, float *table) {
  uint32_t half = c->head_size / 2;
  float freq[WW_LM_MAX_HEAD / 2];
  ww_lm_rope_freqs(c, freq);
  for (uint32_t p = 0; p < n; p++)
    for (uint32_t i = 0; i < half; i++, table += 2) {
      double s;
      double k;
      double angle = p * freq[i];
      sincos(angle, &s, &k);
      table[0] = k;
      table[1] = s;
    }
}
