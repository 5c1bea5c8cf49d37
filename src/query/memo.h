/* memo.h - things by the hash of what they were made from, kept while there is room,
 * made once when many ask at a time.
 *
 * A key that nobody has is the asker's to make: others who want it wait. What is pinned
 * stays; of the rest those used longest ago go first. Every function may be called from
 * any thread. */
#ifndef WW_QUERY_MEMO_H
#define WW_QUERY_MEMO_H

#include "../base/base.h"

typedef struct {
  uint64_t a, b;
} ww_key;
ww_key ww_key_of(const void *data, size_t n);
ww_key ww_key_with(ww_key k, const void *data, size_t n); /* order matters */
ww_key ww_key_str(ww_key k, const char *s);               /* NULL differs from "" */

typedef struct ww_memo ww_memo;
/* At most `most` things of `bytes` in all, those pinned apart; `drop` frees one. */
ww_memo *ww_memo_new(uint32_t most, size_t bytes, void (*drop)(void *thing));
void ww_memo_free(ww_memo *k); /* accepts NULL; nothing may be pinned */

typedef enum { WW_MEMO_HIT, WW_MEMO_MAKE, WW_MEMO_LATE } ww_memo_answer;
/* HIT: *thing is there and pinned, until ww_memo_release. MAKE: the caller makes it,
 * and ends with ww_memo_put or ww_memo_give_up. LATE: somebody else still makes it and
 * the deadline (ww_now's clock; 0: none) has passed. */
ww_memo_answer ww_memo_get(ww_memo *k, ww_key key, double deadline, void **thing);
void ww_memo_put(ww_memo *k, ww_key key, void *thing, size_t bytes); /* pinned once */
void ww_memo_give_up(ww_memo *k, ww_key key);
void ww_memo_release(ww_memo *k, ww_key key, const void *thing);
/* pinned by the caller, who has found it stale: nobody else gets it any more; releases
 */
void ww_memo_forget(ww_memo *k, ww_key key, const void *thing);

typedef struct {
  uint64_t hits, made;
  size_t bytes;
  uint32_t n;
} ww_memo_stats;
ww_memo_stats ww_memo_count(ww_memo *k);

#endif
