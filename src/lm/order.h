/* order.h - numbers in their order: what qsort asks, and a heap with the least on top.
 */
#ifndef WW_LM_ORDER_H
#define WW_LM_ORDER_H

#include <stdint.h>

static inline int ww_order(uint64_t a, uint64_t b) {
  return (a > b) - (a < b);
}

typedef struct {
  uint64_t *v; /* with room for all of them */
  uint32_t n;
} ww_heap;

static inline void ww_heap_push(ww_heap *h, uint64_t x) {
  uint32_t k = h->n++;
  for (; k && x < h->v[(k - 1) / 2]; k = (k - 1) / 2)
    h->v[k] = h->v[(k - 1) / 2];
  h->v[k] = x;
}

static inline uint64_t ww_heap_pop(ww_heap *h) {
  uint64_t top = h->v[0], last = h->v[--h->n];
  uint32_t k = 0;
  for (uint32_t child; (child = 2 * k + 1) < h->n; k = child) {
    if (child + 1 < h->n && h->v[child + 1] < h->v[child])
      child++;
    if (h->v[child] >= last)
      break;
    h->v[k] = h->v[child];
  }
  h->v[k] = last;
  return top;
}

#endif
