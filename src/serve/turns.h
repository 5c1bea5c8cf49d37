/* turns.h - whose request is computed next, and whose waits although there is room.
 *
 * Workers: each client gets the same time of them, however long its requests take.
 * Start-time fair queueing: a client's next request may begin when the others have had
 * as much time as it has used. Who was quiet does not save time up. Who has never had
 * an answer starts a little behind those who have. With nobody else waiting, anyone may
 * use everything but the last worker; a full queue refuses who is furthest behind.
 *
 * The thread that moves bytes: what is answered without a worker costs its time all the
 * same. Below a number of requests a second in all nobody notices anything; above it, a
 * client that asks more often than a person does has its requests held back. */
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

/* Times are ww_now's. */
ww_share *ww_share_new(double now);
ww_share *ww_share_hold(ww_share *s);
void ww_share_drop(ww_share *s); /* accepts NULL */

/* One of `work` and `refuse` is called, once: `refuse` before this returns, or on the
 * thread of somebody who submits later. */
void ww_turns_submit(ww_turns *t,
                     ww_share *client,
                     void (*work)(void *ctx),
                     void (*refuse)(void *ctx),
                     void *ctx);

/* A request has come: how long to hold it back, s; 0: not at all. At most WW_HELD_S,
 * whatever anybody else does. */
#define WW_HELD_S 0.5
double ww_turns_pause(ww_turns *t, ww_share *client, double now);

/* A meter lets `burst` events through at once and `rate` a second in the long run (the
 * generic cell rate algorithm). `next`, 0 at first, is when it will have forgotten all
 * that was counted. How long the next event has to wait, s: */
double ww_meter_wait(double next, double now, double rate, double burst);
void ww_meter_count(double *next, double now, double rate);

#endif
