/* rpc_int.h - what the files of the JSON-RPC core share: rpc.c knows messages, rpc_io.c
 * pipes. */
#ifndef WW_SERVE_RPC_INT_H
#define WW_SERVE_RPC_INT_H

#include "../base/threads.h"
#include "rpc.h"

typedef struct ask {
  uint64_t id;
  void (*answered)(void *ctx, const cJSON *result);
  void *ctx;
  struct ask *next;
} ask;

struct ww_rpc {
  ww_rpc_options o;
  ww_rpc_send send;
  void *to;
  pthread_mutex_t sending; /* held while `send` runs */
  pthread_mutex_t lock;    /* of what follows */
  pthread_cond_t changed;  /* a call has ended */
  ww_rpc_call *calls;      /* those not ended */
  ask *asks;               /* of ours, not answered, that somebody waits for */
  uint64_t asked;
  ww_pool *pool; /* NULL: handlers run where the message is read */
  /* ww_rpc_end, or the peer reads no more: what runs counts as cancelled */
  atomic_bool over;
  int wake; /* the writing end of a pipe that ends poll; -1: nobody polls */
};

/* rpc.c: what the reader has got. */
void ww_rpc_message(ww_rpc *r, const char *text, size_t n);
/* an error that belongs to no id */
void ww_rpc_refuse(ww_rpc *r, int code, const char *message);
/* true: no call is left */
bool ww_rpc_wait(ww_rpc *r, double seconds);
void ww_rpc_forget_asks(ww_rpc *r); /* tells the askers that nobody will answer */

#endif
