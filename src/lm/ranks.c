/* ranks.c - exchange and sums over the ranks of a training, and what happens when one
 * of them fails.
 *
 * Every exchange goes the same way: all others send to rank 0, which answers all of
 * them. So rank 0 watches everybody, everybody watches rank 0, and who is lost is told
 * by rank 0 in its last message. Each message carries the number of its exchange and
 * its size: ranks that do different things are found out at once. */
#include "ranks.h"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "ranks_int.h"

#define MAGIC 0x4b525757u       /* "WWRK" where bytes go as they do here */
#define CHUNK ((size_t)1 << 20) /* floats of a sum that are sent at a time */
#define LOOK_MS 200             /* between looks at who is still there */

enum { NUMBERS, FAILURE };
typedef struct {
  uint32_t magic, kind;
  uint64_t turn, bytes;
} header;

uint32_t ww_ranks_rank(const ww_ranks *r) {
  return r ? r->plan.rank : 0;
}
uint32_t ww_ranks_size(const ww_ranks *r) {
  return r ? r->plan.size : 1;
}
const char *ww_ranks_by(const ww_ranks *r) {
  return r ? r->by : "";
}

/* ---- who is there ---- */

/* Of the others this one is connected to: rank 0 to all, the rest to rank 0. */
static bool connected(const ww_ranks *r, uint32_t k) {
  return r->peer[k].fd >= 0;
}

static ww_status late(const ww_ranks *r, uint32_t k, ww_err *e) {
  return ww_fail(
      e, WW_EIO,
      "%s has been silent for %g s: it hangs, or is busy with something that "
      "takes longer (--wait SECONDS waits for that)",
      r->peer[k].who, r->plan.wait_s);
}

/* The other side's own words of why it ended, which follow the header; without any it
 * has ended all the same. */
static ww_status
stopped(const ww_rank_peer *p, const header *h, double end, ww_err *e) {
  char text[sizeof e->msg / 2];
  if (h->magic != MAGIC || h->kind != FAILURE || h->bytes >= sizeof text ||
      !ww_ranks_take_bytes(p->fd, text, h->bytes, end))
    return ww_fail(e, WW_EIO, "%s has ended before the training did", p->who);
  text[h->bytes] = 0;
  return ww_fail(e, WW_EIO, "%s has stopped: %s", p->who, text);
}

static ww_status gone(ww_ranks *r, uint32_t k, ww_err *e) {
  header h = {0};
  double end = ww_now() + 1;
  ww_ranks_take_bytes(r->peer[k].fd, &h, sizeof h, end);
  return stopped(&r->peer[k], &h, end, e);
}

/* Until rank k has sent something; WW_EIO where it, or another one, has gone. */
static ww_status wait_for(ww_ranks *r, uint32_t k, ww_err *e) {
  struct pollfd *p = ww_xcalloc(r->plan.size, sizeof *p);
  double end = ww_now() + r->plan.wait_s;
  ww_status st = WW_OK;
  for (bool come = false; !st && !come;) {
    for (uint32_t i = 0; i < r->plan.size; i++)
      p[i] =
          (struct pollfd){.fd = r->peer[i].fd, .events = i == k ? POLLIN : POLLRDHUP};
    int n = poll(p, r->plan.size, 1000);
    come = n > 0 && p[k].revents;
    for (uint32_t i = 0; n > 0 && !come && !st && i < r->plan.size; i++)
      if (p[i].revents)
        st = gone(r, i, e);
    if (!st && !come && ww_now() > end)
      st = late(r, k, e);
  }
  free(p);
  return st;
}

/* ---- messages ---- */

static ww_status lost(ww_ranks *r, uint32_t k, ww_err *e) {
  if (errno == ETIMEDOUT)
    return late(r, k, e);
  if (errno && errno != EPIPE && errno != ECONNRESET)
    return ww_fail(e, WW_EIO, "the connection to %s is lost: %s", r->peer[k].who,
                   strerror(errno));
  return gone(r, k, e);
}

static ww_status
send_to(ww_ranks *r, uint32_t k, const void *bytes, size_t n, ww_err *e) {
  const header h = {MAGIC, NUMBERS, r->turn, n};
  double end = ww_now() + r->plan.wait_s;
  return ww_ranks_send_bytes(r->peer[k].fd, &h, sizeof h, end) &&
                 ww_ranks_send_bytes(r->peer[k].fd, bytes, n, end)
             ? WW_OK
             : lost(r, k, e);
}

static ww_status take_from(ww_ranks *r, uint32_t k, void *bytes, size_t n, ww_err *e) {
  header h;
  int fd = r->peer[k].fd;
  double end = ww_now() + r->plan.wait_s;
  ww_status st = wait_for(r, k, e);
  if (st)
    return st;
  if (!ww_ranks_take_bytes(fd, &h, sizeof h, end))
    return lost(r, k, e);
  if (h.magic == MAGIC && h.kind == FAILURE)
    return stopped(&r->peer[k], &h, end, e);
  if (h.magic != MAGIC || h.kind != NUMBERS || h.turn != r->turn || h.bytes != n)
    return ww_fail(
        e, WW_EIO,
        "%s is somewhere else than rank %u: do all ranks run the same program "
        "with the same options?",
        r->peer[k].who, r->plan.rank);
  return ww_ranks_take_bytes(fd, bytes, n, end) ? WW_OK : lost(r, k, e);
}

/* ---- exchange ---- */

ww_status
ww_ranks_gather(ww_ranks *r, const void *mine, size_t n, void *all, ww_err *e) {
  uint32_t size = ww_ranks_size(r);
  uint32_t rank = ww_ranks_rank(r);
  ww_status st = WW_OK;
  memmove((char *)all + rank * n, mine, n);
  if (r)
    atomic_store(&r->since, 0);
  if (size < 2)
    return WW_OK;
  r->turn++;
  if (rank) {
    st = send_to(r, 0, mine, n, e);
    return st ? st : take_from(r, 0, all, size * n, e);
  }
  for (uint32_t k = 1; !st && k < size; k++)
    st = take_from(r, k, (char *)all + k * n, n, e);
  for (uint32_t k = 1; !st && k < size; k++)
    st = send_to(r, k, all, size * n, e);
  return st;
}

/* The first n of r->mine become their sum. */
static ww_status sum_chunk(ww_ranks *r, size_t n, ww_err *e) {
  uint32_t size = r->plan.size;
  ww_status st = WW_OK;
  r->turn++;
  if (r->plan.rank) {
    st = send_to(r, 0, r->mine, n * sizeof(float), e);
    return st ? st : take_from(r, 0, r->mine, n * sizeof(float), e);
  }
  for (uint32_t k = 1; !st && k < size; k++) {
    st = take_from(r, k, r->other, n * sizeof(float), e);
    for (size_t i = 0; !st && i < n; i++)
      r->mine[i] += r->other[i];
  }
  for (uint32_t k = 1; !st && k < size; k++)
    st = send_to(r, k, r->mine, n * sizeof(float), e);
  return st;
}

ww_status ww_ranks_sum(ww_ranks *r, ww_ops *o, float *x, uint64_t n, ww_err *e) {
  ww_status st = WW_OK;
  if (r && r->joined) {
    atomic_store(&r->since, ww_now());
    o->sum_ranks(o, x, n);
    return WW_OK; /* a failure shows in finish */
  }
  if (ww_ranks_size(r) < 2)
    return WW_OK;
  if (!r->mine) {
    r->mine = ww_xmalloc(CHUNK * sizeof *r->mine);
    r->other = ww_xmalloc(CHUNK * sizeof *r->other);
  }
  for (uint64_t at = 0; !st && at < n; at += CHUNK) {
    size_t k = ww_least(n - at, CHUNK);
    o->download(o, r->mine, x + at, k * sizeof *x);
    st = sum_chunk(r, k, e);
    if (!st)
      o->upload(o, x + at, r->mine, k * sizeof *x);
  }
  return st;
}

ww_status ww_ranks_end(ww_ranks *r, ww_err *e) {
  char none = 0;
  if (ww_ranks_size(r) < 2)
    return WW_OK;
  char *all = ww_xcalloc(r->plan.size, 1);
  ww_status st = ww_ranks_gather(r, &none, 1, all, e);
  free(all);
  return st;
}

/* ---- watching while a device waits ---- */

static bool somebody_gone(const ww_ranks *r, struct pollfd *p) {
  for (uint32_t i = 0; i < r->plan.size; i++)
    p[i] = (struct pollfd){.fd = r->peer[i].fd, .events = POLLRDHUP};
  return poll(p, r->plan.size, 0) > 0;
}

static void *watch(void *ctx) {
  ww_ranks *r = ctx;
  struct pollfd *p = ww_xcalloc(r->plan.size, sizeof *p);
  while (!atomic_load(&r->stop)) {
    double since = atomic_load(&r->since);
    if (since > 0 && (somebody_gone(r, p) || ww_now() - since > r->plan.wait_s)) {
      r->broken(r->ctx);
      break;
    }
    poll(NULL, 0, LOOK_MS);
  }
  free(p);
  return NULL;
}

void ww_ranks_watch(ww_ranks *r, const char *by, void (*broken)(void *ctx), void *ctx) {
  snprintf(r->by, sizeof r->by, "%s", by);
  r->broken = broken;
  r->ctx = ctx;
  r->watching = r->plan.size > 1 && !pthread_create(&r->thread, NULL, watch, r);
}

/* ---- begin and end ---- */

ww_status ww_ranks_open(const ww_ranks_plan *p, ww_ranks **out, ww_err *e) {
  ww_ranks *r = ww_xcalloc(1, sizeof *r);
  r->plan = *p;
  snprintf(r->by, sizeof r->by, "sockets");
  r->peer = ww_xcalloc(p->size, sizeof *r->peer);
  for (uint32_t k = 0; k < p->size; k++)
    r->peer[k].fd = -1;
  ww_status st = p->size > 1 ? ww_ranks_meet(r, e) : WW_OK;
  if (st)
    ww_ranks_close(r, e);
  *out = st ? NULL : r;
  return st;
}

static void tell(int fd, const char *text) {
  const header h = {MAGIC, FAILURE, 0, strlen(text)};
  double end = ww_now() + 1;
  if (ww_ranks_send_bytes(fd, &h, sizeof h, end))
    ww_ranks_send_bytes(fd, text, h.bytes, end);
}

void ww_ranks_close(ww_ranks *r, const ww_err *why) {
  if (!r)
    return;
  char text[256];
  bool failed = why && why->code;
  snprintf(text, sizeof text, "%.255s", failed ? why->msg : "");
  atomic_store(&r->stop, true);
  if (r->watching)
    pthread_join(r->thread, NULL);
  if (failed && r->broken)
    r->broken(r->ctx);
  for (uint32_t k = 0; k < r->plan.size; k++) {
    if (!connected(r, k))
      continue;
    if (failed)
      tell(r->peer[k].fd, text);
    shutdown(r->peer[k].fd, SHUT_WR);
    close(r->peer[k].fd);
  }
  free(r->peer);
  free(r->mine);
  free(r->other);
  free(r);
}

/* ---- how sums are made ---- */

typedef struct {
  char device[96];
  uint32_t way;
} member;

static ww_status same_kind(const ww_ranks *r, const member *all, ww_err *e) {
  for (uint32_t k = 1; k < r->plan.size; k++) {
    if (strncmp(all[k].device, all[0].device, sizeof all->device) != 0)
      return ww_fail(
          e, WW_EDEVICE,
          "rank %u trains on %.80s, rank 0 on %.80s: all ranks need the same "
          "kind of device",
          k, all[k].device, all[0].device);
    if (all[k].way != all[0].way)
      return ww_fail(
          e, WW_EUSAGE,
          "rank %u has another --ranks than rank 0: give all of them the same "
          "options",
          k);
  }
  return WW_OK;
}

ww_status ww_ranks_join(ww_ranks *r, ww_ops *o, ww_ranks_way way, ww_err *e) {
  member mine = {.way = way};
  if (!r)
    return WW_OK;
  member *all = ww_xcalloc(r->plan.size, sizeof *all);
  snprintf(mine.device, sizeof mine.device, "%s", o->name);
  ww_status st = ww_ranks_gather(r, &mine, sizeof mine, all, e);
  if (!st)
    st = same_kind(r, all, e);
  free(all);
  if (st || way == WW_RANKS_SOCKETS)
    return st;
  if (way == WW_RANKS_NCCL && !o->join_ranks)
    return ww_fail(e, WW_EUSAGE,
                   "--ranks nccl is for GPUs, and this is %.80s: ranks sum there by "
                   "--ranks sockets",
                   o->name);
  if (!o->join_ranks || (way == WW_RANKS_AUTO && r->plan.size < 2))
    return WW_OK;
  st = o->join_ranks(o, r, e);
  r->joined = !st;
  return st;
}
