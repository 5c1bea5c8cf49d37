/* peers.h - the connections of a server: how long each may take for what it does, and
 * who has to go where there are too many.
 *
 * A client that sends or reads slowly costs a place in the table, never a place that
 * somebody else needs: a full table closes the connection with the worst record. It
 * closes a few hundred a second and no more, so that a client that opens each of them
 * again costs little; newcomers wait to be accepted meanwhile, in their order. Every
 * function may be called from any thread. */
#ifndef WW_SERVE_PEERS_H
#define WW_SERVE_PEERS_H

#include <sys/socket.h>

#include "../base/base.h"
#include "turns.h"

typedef enum {
  WW_PEER_HEAD,   /* the server waits for the head of a request */
  WW_PEER_BODY,   /* for the rest of the request */
  WW_PEER_HELD,   /* it asked too often: its request waits, ww_peer_hold */
  WW_PEER_BUSY,   /* the client waits: nothing is asked of it */
  WW_PEER_ANSWER, /* the server waits for the client to take its answer */
} ww_peer_stage;

typedef struct {
  uint32_t most;           /* connections in all */
  uint32_t of_address;     /* of one address that is not the loopback's */
  double head_s;           /* from the connection to the end of the first head */
  double idle_s;           /* from an answer to the end of the next head */
  double body_s, answer_s; /* for a body, an answer; and */
  double bytes_per_s;      /* what they have to flow with beyond it */
} ww_peer_limits;

typedef struct ww_peers ww_peers;
typedef struct ww_peer ww_peer;
ww_peers *ww_peers_new(const ww_peer_limits *l); /* NULL: no thread */
void ww_peers_free(ww_peers *s);                 /* all have left; accepts NULL */

/* A connection begins. Where there are too many, one of them is shut down (its socket
 * tells its owner), the newcomer if all are busy. */
ww_peer *ww_peer_join(ww_peers *s, int fd, const struct sockaddr *address);
/* before the descriptor is closed; accepts NULL */
void ww_peer_leave(ww_peers *s, ww_peer *p);
/* What it does from now on; BODY: bytes that have come in all, which moves its
 * deadline; ANSWER: bytes that it has to take, SIZE_MAX: as long as the stream lasts.
 */
void ww_peer_at(ww_peers *s, ww_peer *p, ww_peer_stage stage, size_t bytes);
/* Its request waits for about `seconds`: then, or where it is shut down before, `go`
 * is called, once, under the lock of the peers. */
void ww_peer_hold(ww_peers *s,
                  ww_peer *p,
                  double seconds,
                  void (*go)(void *ctx, bool shut),
                  void *ctx);
/* All that are held go on, and nobody is held any more. */
void ww_peers_release(ww_peers *s);
/* Whose turns its requests take: the address's, or on the loopback, where all have the
 * same, its own. Valid until it leaves. */
ww_share *ww_peer_share(ww_peer *p);

#endif
