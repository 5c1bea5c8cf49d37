/* turns.h - whose request is computed next: each client gets the same time of the
 * workers, however long its requests take.
 *
 * Start-time fair queueing: a client's next request may begin when the others have had
 * as much time as it has used. Who was quiet does not save time up. With nobody else
 * waiting, anyone may use everything but the last worker. */
#ifndef WW_SERVE_TURNS_H
#define WW_SERVE_TURNS_H

#include "../base/base.h"

typedef struct ww_turns ww_turns;
/* a client; counted by who holds it */
typedef struct ww_share ww_share;
/* NULL: no thread could be started */
ww_turns *ww_turns_new(uint32_t workers, uint32_t queue);
/* takes no more, computes what waits; accepts NULL */
void ww_turns_finish(ww_turns *t);
void ww_turns_free(ww_turns *t); /* the same first; nobody submits any more */

ww_share *ww_share_new(void);
ww_share *ww_share_hold(ww_share *s);
void ww_share_drop(ww_share *s); /* accepts NULL */

/* False: as many wait as may. */
bool ww_turns_submit(ww_turns *t, ww_share *client, void (*work)(void *ctx), void *ctx);

#endif
