/* threads.h - threads that work off a queue of bounded length; waiting by ww_now's
 * clock. */
#ifndef WW_BASE_THREADS_H
#define WW_BASE_THREADS_H

#include <pthread.h>

#include "base.h"

typedef struct ww_pool ww_pool;
/* NULL: no thread could be started */
ww_pool *ww_pool_new(uint32_t threads, uint32_t queue);
bool ww_pool_submit(ww_pool *p,
                    void (*work)(void *ctx),
                    void *ctx); /* false: the queue is full, or the pool ends */
void ww_pool_free(ww_pool *p);  /* works off what is queued, then joins; accepts NULL */

void ww_cond_init(pthread_cond_t *c);
/* Until somebody signals; false: it is later than `until`. */
bool ww_cond_wait(pthread_cond_t *c, pthread_mutex_t *lock, double until);

#endif
