/* fuzz_weights.h - reads all that opened weights say is there. */
#ifndef WW_FUZZ_WEIGHTS_H
#define WW_FUZZ_WEIGHTS_H

#include "fuzz.h"

#include "../../src/lm/weights.h"

static inline uint64_t fuzz_meta_sum(const ww_meta *m) {
  uint64_t sum = m->u;
  if (m->kind == WW_META_TEXT)
    sum += ww_hash(m->text, m->text_n + 1, 0); /* a NUL behind it */
  for (uint64_t i = 0; m->kind == WW_META_ARRAY && i < m->n; i++)
    sum += fuzz_meta_sum(&m->items[i]);
  return sum;
}

/* A sum of all bytes; two tensors may not share any. Those that were copied to an even
 * place have places of their own. */
static inline void fuzz_touch(const ww_weights *w, const uint8_t *data, size_t n) {
  uint8_t *owned = ww_xcalloc(n + 1, 1);
  volatile uint64_t sum = 0;
  for (uint32_t i = 0; i < ww_weights_count(w); i++) {
    const ww_tensor *t = ww_weights_at(w, i);
    const uint8_t *p = t->data;
    if (ww_weights_find(w, t->name) != t)
      abort();
    for (uint64_t k = 0; p && k < t->bytes; k++) {
      sum += p[k];
      if (p >= data && p < data + n && owned[p - data + (ptrdiff_t)k]++)
        abort();
    }
  }
  for (uint32_t i = 0; i < ww_weights_nmeta(w); i++)
    sum += fuzz_meta_sum(ww_weights_meta_at(w, i));
  free(owned);
}

#endif
