/* mbarrier.h - the 64 bits of an mbarrier object, and what each operation makes of
 * them.
 *
 * PTX leaves the layout open; here it is, from the lowest bit: arrivals that the phase
 * still awaits (20), arrivals of every phase (20), bytes of copies that it still awaits
 * (21, signed), the phase's parity (1). A phase ends when it awaits neither; a word
 * without arrivals of every phase is no mbarrier. Shared by the front end, which takes
 * states apart, and the interpreter. */
#ifndef WW_MBARRIER_H
#define WW_MBARRIER_H

#include <stdbool.h>
#include <stdint.h>

enum { WW_MBAR_COUNT_BITS = 20, WW_MBAR_BYTES_BITS = 21 };
#define WW_MBAR_MOST ((1u << WW_MBAR_COUNT_BITS) - 1)

typedef struct {
  uint32_t pending, expected; /* arrivals: of this phase still, of every phase */
  int32_t bytes;              /* of copies, still awaited; below 0: came early */
  bool parity;                /* of the phase */
} ww_mbarrier;

static inline ww_mbarrier ww_mbarrier_of(uint64_t word) {
  int32_t bytes = word >> 40 & ((1u << WW_MBAR_BYTES_BITS) - 1);
  int32_t sign = 1 << (WW_MBAR_BYTES_BITS - 1);
  return (ww_mbarrier){word & WW_MBAR_MOST, word >> 20 & WW_MBAR_MOST,
                       (bytes ^ sign) - sign, word >> 61 & 1};
}

static inline uint64_t ww_mbarrier_word(ww_mbarrier b) {
  uint64_t bytes = (uint32_t)b.bytes & ((1u << WW_MBAR_BYTES_BITS) - 1);
  return b.pending | (uint64_t)b.expected << 20 | bytes << 40 |
         (uint64_t)b.parity << 61;
}

/* Behind each change: the next phase begins where this one awaits nothing. */
static inline bool ww_mbarrier_turn(ww_mbarrier *b) {
  if (b->pending || b->bytes)
    return false;
  b->pending = b->expected;
  b->parity = !b->parity;
  return true;
}

#endif
