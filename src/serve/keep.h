/* keep.h - things by the hash of what they were made from, kept while there is room, made once when
 * many ask at a time.
 *
 * A key that nobody has is the asker's to make: others who want it wait. What is pinned stays; of
 * the rest those used longest ago go first. Every function may be called from any thread. */
#ifndef WW_SERVE_KEEP_H
#define WW_SERVE_KEEP_H

#include "../base/base.h"

typedef struct {
  uint64_t a, b;
} ww_key;
ww_key ww_key_of(const void *data, size_t n);
ww_key ww_key_with(ww_key k, const void *data, size_t n); /* order matters */
ww_key ww_key_str(ww_key k, const char *s);               /* NULL differs from "" */

typedef struct ww_keep ww_keep;
/* At most `most` things of `bytes` in all, those pinned apart; `drop` frees one. */
ww_keep *ww_keep_new(uint32_t most, size_t bytes, void (*drop)(void *thing));
void ww_keep_free(ww_keep *k); /* accepts NULL; nothing may be pinned */

typedef enum { WW_KEEP_HIT, WW_KEEP_MAKE, WW_KEEP_LATE } ww_keep_answer;
/* HIT: *thing is there and pinned, until ww_keep_release. MAKE: the caller makes it, and ends with
 * ww_keep_put or ww_keep_give_up. LATE: somebody else still makes it and the deadline (ww_now's
 * clock; 0: none) has passed. */
ww_keep_answer ww_keep_get(ww_keep *k, ww_key key, double deadline, void **thing);
void ww_keep_put(ww_keep *k, ww_key key, void *thing, size_t bytes); /* pinned once */
void ww_keep_give_up(ww_keep *k, ww_key key);
void ww_keep_release(ww_keep *k, ww_key key, const void *thing);
void ww_keep_forget(ww_keep *k, ww_key key,
                    const void *thing); /* pinned by the caller, who has found it stale: nobody else
                                           gets it any more; releases */

typedef struct {
  uint64_t hits, made;
  size_t bytes;
  uint32_t n;
} ww_keep_stats;
ww_keep_stats ww_keep_count(ww_keep *k);

#endif
