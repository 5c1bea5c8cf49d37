/* ranks_meet.c - how the ranks of a training find one another.
 *
 * Rank 0 listens and writes into the common folder where, with a secret of this start;
 * the others look for the file and try its addresses. Each side shows its half of the
 * secret before anything else is said, so neither a file that an earlier run left
 * behind nor a stranger at the port is taken for one of the ranks: a file whose
 * addresses do not answer is read again until rank 0 has written its own. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ranks_int.h"

#define FIRST_LINE "warpwise ranks 1"
#define HELLO_S 2   /* longest silence of one who has just connected */
#define ANSWER_S 10 /* of rank 0: it may be listening to a stranger */
#define CONNECT_S 3 /* for one address */
#define LOOK_AGAIN_MS 50

enum { SECRET = 16, ADDRESSES = 32, FILE_MOST = 1 << 14 };

/* What is said first; the answer to it is the other half of the secret alone, and a
 * byte behind that says that it has come: who gave up waiting is no rank yet. */
typedef struct {
  uint8_t secret[SECRET];
  uint32_t rank, size;
  char node[56];
} hello;

typedef struct {
  uint8_t ask[SECRET], answer[SECRET];
  char port[8];
  char address[ADDRESSES][INET6_ADDRSTRLEN];
  uint32_t n;
} place;

/* ---- bytes ---- */

static bool ready(int fd, short what, double end) {
  for (;;) {
    struct pollfd p = {.fd = fd, .events = what};
    double left = end - ww_now();
    int n = poll(&p, 1, left > 0 ? (int)ww_least(1e3 * left + 1, 1000) : 0);
    if (n > 0)
      return true;
    if ((n < 0 && errno != EINTR) || (n == 0 && left <= 0)) {
      errno = n ? errno : ETIMEDOUT;
      return false;
    }
  }
}

bool ww_ranks_send_bytes(int fd, const void *bytes, size_t n, double end) {
  for (const char *at = bytes; n;) {
    ssize_t k = send(fd, at, n, MSG_NOSIGNAL);
    if (k < 0 && (errno == EAGAIN || errno == EINTR)) {
      if (!ready(fd, POLLOUT, end))
        return false;
      continue;
    }
    if (k < 0)
      return false;
    at += k;
    n -= k;
  }
  return true;
}

bool ww_ranks_take_bytes(int fd, void *bytes, size_t n, double end) {
  for (char *at = bytes; n;) {
    ssize_t k = recv(fd, at, n, 0);
    if (k < 0 && (errno == EAGAIN || errno == EINTR)) {
      if (!ready(fd, POLLIN, end))
        return false;
      continue;
    }
    if (k <= 0) {
      errno = k ? errno : 0;
      return false;
    }
    at += k;
    n -= k;
  }
  return true;
}

/* A machine that is lost without a word is noticed within two minutes. */
static void prepare(int fd) {
  const struct {
    int level, name, value;
  } options[] = {
      {SOL_SOCKET, SO_KEEPALIVE, 1},   {IPPROTO_TCP, TCP_NODELAY, 1},
      {IPPROTO_TCP, TCP_KEEPIDLE, 30}, {IPPROTO_TCP, TCP_KEEPINTVL, 15},
      {IPPROTO_TCP, TCP_KEEPCNT, 6},   {IPPROTO_TCP, TCP_USER_TIMEOUT, 120000}};
  for (size_t k = 0; k < WW_COUNT(options); k++)
    setsockopt(fd, options[k].level, options[k].name, &options[k].value,
               sizeof options[k].value);
  fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
}

/* ---- the file ---- */

static const char *file_of(const ww_ranks *r, ww_arena *a) {
  return ww_fmt(a, "%s/%016llx.ranks", r->plan.folder, (unsigned long long)r->plan.key);
}

static void put_hex(ww_buf *b, const uint8_t *v) {
  for (int k = 0; k < SECRET; k++)
    ww_buf_fmt(b, "%02x", v[k]);
  ww_buf_puts(b, "\n");
}

static bool read_hex(const char *text, uint8_t *v) {
  unsigned byte;
  if (strspn(text, "0123456789abcdef") != 2 * SECRET || text[2 * SECRET])
    return false;
  for (int k = 0; k < SECRET && sscanf(text + 2 * k, "%2x", &byte) == 1; k++)
    v[k] = byte;
  return true;
}

/* Addresses of this machine that another one may reach. */
static void put_addresses(ww_buf *b) {
  struct ifaddrs *list;
  char text[INET6_ADDRSTRLEN];
  if (getifaddrs(&list))
    return;
  for (const struct ifaddrs *i = list; i; i = i->ifa_next) {
    const struct sockaddr *s = i->ifa_addr;
    const struct sockaddr_in6 *six = (const void *)s;
    if (!s || !(i->ifa_flags & IFF_UP) || (i->ifa_flags & IFF_LOOPBACK))
      continue;
    if (s->sa_family == AF_INET &&
        inet_ntop(AF_INET, &((const struct sockaddr_in *)(const void *)s)->sin_addr,
                  text, sizeof text))
      ww_buf_fmt(b, "%s\n", text);
    else if (s->sa_family == AF_INET6 && !IN6_IS_ADDR_LINKLOCAL(&six->sin6_addr) &&
             inet_ntop(AF_INET6, &six->sin6_addr, text, sizeof text))
      ww_buf_fmt(b, "%s\n", text);
  }
  freeifaddrs(list);
}

/* Five lines and the addresses, loopback first: on another machine nobody there knows
 * the secret. */
static ww_status
write_place(const ww_ranks *r, const place *p, const char *path, ww_err *e) {
  ww_buf b = {0};
  ww_buf_fmt(&b, "%s\n%s\n", FIRST_LINE, p->port);
  put_hex(&b, p->ask);
  put_hex(&b, p->answer);
  ww_buf_puts(&b, "127.0.0.1\n");
  if (!r->plan.one_node)
    put_addresses(&b);
  mode_t was = umask(077); /* the secret is its owner's, whoever may see the folder */
  ww_status st = ww_write_file_atomic(path, b.s, b.n, e);
  umask(was);
  ww_buf_free(&b);
  return st;
}

static bool read_place(const char *path, place *p) {
  ww_arena *a = ww_arena_new();
  char *text = NULL;
  char *line[4 + ADDRESSES];
  uint32_t n = 0;
  *p = (place){0};
  if (!ww_read_file(a, path, FILE_MOST, &text, NULL, NULL))
    for (char *rest = text, *one; n < WW_COUNT(line) && (one = strsep(&rest, "\n"));)
      if (*one)
        line[n++] = one;
  bool whole = n > 4 && !strcmp(line[0], FIRST_LINE) && strlen(line[1]) < 8 &&
               read_hex(line[2], p->ask) && read_hex(line[3], p->answer);
  if (whole)
    snprintf(p->port, sizeof p->port, "%.7s", line[1]);
  for (uint32_t k = 4; whole && k < n; k++)
    snprintf(p->address[p->n++], sizeof *p->address, "%s", line[k]);
  ww_arena_free(a);
  return whole;
}

static void name_peer(ww_rank_peer *p, uint32_t rank, const char *node) {
  ww_buf b = {0};
  ww_buf_printable(&b, node, strnlen(node, sizeof(((hello *)0)->node)));
  snprintf(p->who, sizeof p->who, "rank %u (%.56s)", rank, b.n ? b.s : "?");
  ww_buf_free(&b);
}

/* ---- rank 0 ---- */

static int listen_at(bool one_node, char port[8], ww_err *e) {
  struct sockaddr_in6 six = {.sin6_family = AF_INET6, .sin6_addr = in6addr_any};
  struct sockaddr_in four = {.sin_family = AF_INET,
                             .sin_addr.s_addr =
                                 htonl(one_node ? INADDR_LOOPBACK : INADDR_ANY)};
  struct sockaddr_storage at;
  socklen_t size = sizeof at;
  int no = 0;
  int fd = one_node ? -1 : socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd >= 0 && (setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &no, sizeof no) ||
                  bind(fd, (struct sockaddr *)&six, sizeof six))) {
    close(fd);
    fd = -1;
  }
  if (fd < 0 && (fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) >= 0 &&
      bind(fd, (struct sockaddr *)&four, sizeof four)) {
    close(fd);
    fd = -1;
  }
  if (fd < 0 || listen(fd, 128) || getsockname(fd, (struct sockaddr *)&at, &size)) {
    ww_fail(e, WW_EIO, "rank 0 cannot listen for the other ranks: %s", strerror(errno));
    if (fd >= 0)
      close(fd);
    return -1;
  }
  /* the port lies at the same place of both kinds */
  snprintf(port, 8, "%u", ntohs(((struct sockaddr_in *)&at)->sin_port));
  fcntl(fd, F_SETFL, O_NONBLOCK);
  return fd;
}

/* One who has connected: is it one of ours? Others are sent away without a word. */
static ww_status receive(ww_ranks *r, const place *p, int fd, bool *ours, ww_err *e) {
  hello h;
  uint8_t heard;
  double end = ww_now() + HELLO_S;
  *ours = false;
  if (!ww_ranks_take_bytes(fd, &h, sizeof h, end) ||
      memcmp(h.secret, p->ask, SECRET) != 0)
    return WW_OK;
  if (h.size != r->plan.size || !h.rank || h.rank >= h.size)
    return ww_fail(
        e, WW_EUSAGE,
        "a process says that it is rank %u of %u, rank 0 is one of %u: start "
        "all of them together",
        h.rank, h.size, r->plan.size);
  if (r->peer[h.rank].fd >= 0)
    return ww_fail(e, WW_EUSAGE, "two processes say that they are rank %u of %u",
                   h.rank, h.size);
  if (!ww_ranks_send_bytes(fd, p->answer, SECRET, end) ||
      !ww_ranks_take_bytes(fd, &heard, sizeof heard, end))
    return WW_OK;
  r->peer[h.rank].fd = fd;
  name_peer(&r->peer[h.rank], h.rank, h.node);
  *ours = true;
  return WW_OK;
}

static ww_status missing(const ww_ranks *r, uint32_t come, ww_err *e) {
  ww_buf b = {0};
  uint32_t named = 0;
  for (uint32_t k = 1; k < r->plan.size && named < 8; k++)
    if (r->peer[k].fd < 0)
      ww_buf_fmt(&b, "%s%u", named++ ? ", " : "", k);
  ww_status st =
      ww_fail(e, WW_EIO,
              "%u of %u ranks have come to '%.120s' within %g s, not there: %s%s. Is "
              "each started (by mpirun or srun), and does it see the folder (--parts)?",
              come, r->plan.size, r->plan.folder, r->plan.wait_s, b.s ? b.s : "",
              r->plan.size - come > named ? " .." : "");
  ww_buf_free(&b);
  return st;
}

static ww_status receive_all(ww_ranks *r, const place *p, int at, ww_err *e) {
  double end = ww_now() + r->plan.wait_s;
  for (uint32_t come = 1; come < r->plan.size;) {
    if (!ready(at, POLLIN, end) || ww_now() > end) /* strangers may come for ever */
      return missing(r, come, e);
    int fd = accept4(at, NULL, NULL, SOCK_CLOEXEC);
    if (fd < 0 && (errno == EMFILE || errno == ENFILE || errno == ENOBUFS))
      return ww_fail(e, WW_EIO, "rank 0 cannot take a connection: %s", strerror(errno));
    if (fd < 0)
      continue;
    bool ours;
    prepare(fd);
    ww_status st = receive(r, p, fd, &ours, e);
    come += ours;
    if (!ours)
      close(fd);
    if (st)
      return st;
  }
  return WW_OK;
}

static ww_status lead(ww_ranks *r, const char *path, ww_err *e) {
  place p;
  if (getrandom(p.ask, SECRET, 0) != SECRET || getrandom(p.answer, SECRET, 0) != SECRET)
    return ww_fail(e, WW_EIO, "the system gives no random bytes: %s", strerror(errno));
  int at = listen_at(r->plan.one_node, p.port, e);
  if (at < 0)
    return e ? e->code : WW_EIO;
  int slot = ww_cleanup_file(path);
  ww_status st = write_place(r, &p, path, e);
  if (!st)
    st = receive_all(r, &p, at, e);
  close(at);
  unlink(path);
  ww_cleanup_forget(slot);
  return st;
}

/* ---- the others ---- */

static int connect_to(const char *address, const char *port) {
  struct addrinfo *found;
  const struct addrinfo want = {.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV,
                                .ai_socktype = SOCK_STREAM};
  if (getaddrinfo(address, port, &want, &found))
    return -1;
  int why = 0;
  socklen_t size = sizeof why;
  int fd = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd >= 0) {
    prepare(fd);
    bool at_once = !connect(fd, found->ai_addr, found->ai_addrlen);
    if (!at_once &&
        (errno != EINPROGRESS || !ready(fd, POLLOUT, ww_now() + CONNECT_S) ||
         getsockopt(fd, SOL_SOCKET, SO_ERROR, &why, &size) || why)) {
      close(fd);
      fd = -1;
    }
  }
  freeaddrinfo(found);
  return fd;
}

/* Whether it is rank 0 that answers there. */
static bool greet(ww_ranks *r, const place *p, int fd) {
  hello h = {.rank = r->plan.rank, .size = r->plan.size};
  uint8_t answer[SECRET];
  uint8_t heard = 1;
  double end = ww_now() + ANSWER_S;
  memcpy(h.secret, p->ask, SECRET);
  gethostname(h.node, sizeof h.node - 1);
  return ww_ranks_send_bytes(fd, &h, sizeof h, end) &&
         ww_ranks_take_bytes(fd, answer, SECRET, end) &&
         !memcmp(answer, p->answer, SECRET) &&
         ww_ranks_send_bytes(fd, &heard, sizeof heard, end);
}

static bool try_place(ww_ranks *r, const place *p) {
  for (uint32_t k = 0; k < p->n; k++) {
    int fd = connect_to(p->address[k], p->port);
    if (fd >= 0 && greet(r, p, fd)) {
      r->peer[0].fd = fd;
      name_peer(&r->peer[0], 0, k ? p->address[k] : "this machine");
      return true;
    }
    if (fd >= 0)
      close(fd);
  }
  return false;
}

static ww_status follow(ww_ranks *r, const char *path, ww_err *e) {
  double end = ww_now() + r->plan.wait_s;
  place p;
  while (!read_place(path, &p) || !try_place(r, &p)) {
    if (ww_now() > end)
      return ww_fail(e, WW_EIO,
                     "rank %u of %u: rank 0 has not come to '%.160s' within %g s. Is "
                     "each rank started (by mpirun or srun), does it see the folder "
                     "(--parts), and can it reach rank 0's machine?",
                     r->plan.rank, r->plan.size, r->plan.folder, r->plan.wait_s);
    poll(NULL, 0, LOOK_AGAIN_MS);
  }
  return WW_OK;
}

ww_status ww_ranks_meet(ww_ranks *r, ww_err *e) {
  ww_arena *a = ww_arena_new();
  const char *path = file_of(r, a);
  ww_status st = WW_OK;
  if (mkdir(r->plan.folder, 0700) && errno != EEXIST)
    st = ww_fail(e, WW_EIO, "cannot make the folder '%s': %s", r->plan.folder,
                 strerror(errno));
  if (!st)
    st = r->plan.rank ? follow(r, path, e) : lead(r, path, e);
  if (!r->plan.rank || st)
    rmdir(r->plan.folder); /* where nothing else is in it */
  ww_arena_free(a);
  return st;
}
