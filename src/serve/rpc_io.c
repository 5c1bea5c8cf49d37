/* rpc_io.c - JSON-RPC over two file descriptors: messages cut out of what comes in, a
 * thread that writes what goes out.
 *
 * Whoever sends only queues: a peer that writes much before it reads cannot make us
 * stop reading, and we cannot wait for each other. A message that is too large is
 * answered when its size is known and its bytes are dropped as they come. What stands
 * where a header should be is answered once and skipped, up to the next line that
 * begins a header. */
#include "rpc_int.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <strings.h>
#include <unistd.h>

#define CHUNK 65536
#define HEADER_MAX 4096 /* bytes of a header line */
/* unread bytes after which the peer counts as gone */
#define QUEUE_MAX ((size_t)256 << 20)
/* seconds that a peer which has closed its end may take to read the rest */
#define PATIENCE 10.0

typedef struct letter {
  struct letter *next;
  size_t n;
  char text[];
} letter;

typedef struct {
  ww_rpc *r;
  int in, out, wake; /* wake: the reading end */
  atomic_int why;    /* errno of a line that broke; 0: none, or the peer closed it */
  ww_rpc_framing framing;
  /* writing */
  pthread_t thread;
  pthread_mutex_t lock;
  pthread_cond_t changed;
  letter *first, **last;
  size_t queued; /* bytes */
  bool ending;   /* write what is queued, then stop */
  bool broken;   /* the peer reads no more */
  double moved;  /* ww_now when bytes last left */
  /* reading */
  char *buf;
  size_t n, at, cap;
} line;

/* ---- out ---- */

static void post(void *to, const char *message, size_t n) {
  line *l = to;
  char head[48] = "";
  int h = l->framing == WW_RPC_HEADERS
              ? snprintf(head, sizeof head, "Content-Length: %zu\r\n\r\n", n)
              : 0;
  letter *x = ww_xmalloc(sizeof *x + h + n + 1);
  x->next = NULL;
  x->n = h + n + (l->framing == WW_RPC_LINES);
  memcpy(x->text, head, h);
  memcpy(x->text + h, message, n);
  if (l->framing == WW_RPC_LINES) { /* outside of strings a line break is a blank */
    for (size_t k = 0; k < n; k++)
      if (x->text[k] == '\n' || x->text[k] == '\r')
        x->text[k] = ' ';
    x->text[n] = '\n';
  }
  pthread_mutex_lock(&l->lock);
  bool keep = !l->broken && l->queued + x->n <= QUEUE_MAX;
  if (keep) {
    *l->last = x;
    l->last = &x->next;
    l->queued += x->n;
  } else
    l->broken = true;
  pthread_cond_broadcast(&l->changed);
  pthread_mutex_unlock(&l->lock);
  if (!keep)
    free(x);
}

/* After POLLOUT a pipe takes PIPE_BUF bytes without making us wait: so it can be given
 * up. */
static bool write_all(line *l, const char *s, size_t n) {
  while (n) {
    struct pollfd p = {
        .fd = l->out,
        .events = POLLOUT,
    };
    int got = poll(&p, 1, 100);
    pthread_mutex_lock(&l->lock);
    bool late = l->broken || (l->ending && ww_now() - l->moved > PATIENCE);
    pthread_mutex_unlock(&l->lock);
    if (late || (got > 0 && (p.revents & (POLLERR | POLLNVAL))))
      return false;
    if (got <= 0)
      continue;
    ssize_t done = write(l->out, s, n < PIPE_BUF ? n : PIPE_BUF);
    if (done < 0 && (errno == EINTR || errno == EAGAIN))
      continue;
    if (done < 0) {
      if (errno != EPIPE)
        l->why = errno;
      return false;
    }
    s += done;
    n -= done;
    pthread_mutex_lock(&l->lock);
    l->moved = ww_now();
    pthread_mutex_unlock(&l->lock);
  }
  return true;
}

static void *write_letters(void *ctx) {
  line *l = ctx;
  sigset_t pipes;
  sigemptyset(&pipes);
  sigaddset(&pipes, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &pipes, NULL);
  pthread_mutex_lock(&l->lock);
  while (!l->broken) {
    letter *x = l->first;
    if (!x && l->ending)
      break;
    if (!x) {
      pthread_cond_wait(&l->changed, &l->lock);
      continue;
    }
    l->first = x->next;
    if (!l->first)
      l->last = &l->first;
    pthread_mutex_unlock(&l->lock);
    bool ok = write_all(l, x->text, x->n);
    pthread_mutex_lock(&l->lock);
    l->queued -= x->n;
    l->broken |= !ok;
    free(x);
  }
  bool broken = l->broken;
  pthread_mutex_unlock(&l->lock);
  if (broken)
    ww_rpc_end(l->r);
  return NULL;
}

/* ---- in ---- */

/* More bytes behind those that are there. False: the peer has closed, reads no more, or
 * we are to end. */
static bool fill(line *l) {
  if (l->at == l->n)
    l->at = l->n = 0;
  if (l->at > l->cap / 2) {
    memmove(l->buf, l->buf + l->at, l->n - l->at);
    l->n -= l->at;
    l->at = 0;
  }
  if (!l->n && l->cap > 16 * CHUNK) { /* one large message was enough */
    free(l->buf);
    l->buf = NULL;
    l->cap = 0;
  }
  if (l->cap - l->n < CHUNK) {
    l->cap = l->cap ? l->cap * 2 : 2 * CHUNK;
    l->buf = ww_xrealloc(l->buf, l->cap);
  }
  for (;;) {
    struct pollfd p[3] = {{.fd = l->in, .events = POLLIN},
                          {.fd = l->wake, .events = POLLIN},
                          {.fd = l->out}};
    int ready = poll(p, 3, -1);
    if (ready < 0 && errno == EINTR)
      continue;
    if (ready < 0 || atomic_load(&l->r->over) || (p[2].revents & POLLERR))
      return false;
    if (!p[0].revents)
      continue;
    ssize_t got = read(l->in, l->buf + l->n, CHUNK);
    if (got < 0 && (errno == EINTR || errno == EAGAIN))
      continue;
    if (got < 0)
      l->why = errno;
    if (got <= 0)
      return false;
    l->n += got;
    return true;
  }
}

static void too_large(line *l) {
  char why[96];
  snprintf(why, sizeof why, "a message has at most %zu bytes; this one was skipped",
           l->r->o.max_message);
  ww_rpc_refuse(l->r, WW_RPC_INVALID, why);
}

/* The line that begins at `at`, its break left out; at moves behind it. *length > most:
 * it was longer, and is gone. */
static bool next_line(line *l, size_t most, size_t *begin, size_t *length) {
  size_t seen = 0;
  bool dropped = false;
  for (;;) {
    char *end =
        l->n == l->at ? NULL : memchr(l->buf + l->at + seen, '\n', l->n - l->at - seen);
    if (end) {
      *begin = l->at;
      *length = dropped ? most + 1 : end - l->buf - l->at;
      l->at = end - l->buf + 1;
      while (!dropped && *length && l->buf[*begin + *length - 1] == '\r')
        --*length;
      return true;
    }
    seen = l->n - l->at;
    if (seen > most) {
      if (!dropped && l->framing == WW_RPC_LINES)
        too_large(l);
      dropped = true;
      l->at = l->n;
      seen = 0;
    }
    if (!fill(l))
      return false;
  }
}

static bool skip(line *l, size_t n) {
  while (n) {
    size_t some = l->n - l->at < n ? l->n - l->at : n;
    l->at += some;
    n -= some;
    if (n && !fill(l))
      return false;
  }
  return true;
}

static bool take_line(line *l) {
  size_t begin;
  size_t n;
  size_t max = l->r->o.max_message;
  if (!next_line(l, max, &begin, &n)) {
    /* the last line may lack its break */
    if (!atomic_load(&l->r->over) && l->n > l->at)
      ww_rpc_message(l->r, l->buf + l->at, l->n - l->at);
    return false;
  }
  if (n <= max && strspn(l->buf + begin, " \t\r") < n)
    ww_rpc_message(l->r, l->buf + begin, n);
  return true;
}

static size_t skip_blanks(const char *s, size_t n, size_t at) {
  while (at < n && (s[at] == ' ' || s[at] == '\t'))
    at++;
  return at;
}

/* "Content-Length: 12" -> 12. False: some other header. *bad: no number, or one that
 * nobody means.
 */
static bool content_length(const char *s, size_t n, size_t *out, bool *bad) {
  static const char name[] = "content-length";
  size_t k = sizeof name - 1;
  if (n < k || strncasecmp(s, name, k) != 0)
    return false;
  k = skip_blanks(s, n, k);
  if (k == n || s[k] != ':')
    return false;
  k = skip_blanks(s, n, k + 1);
  *bad = k == n || n - k > 15;
  *out = 0;
  for (; k < n && isdigit((unsigned char)s[k]); k++)
    *out = *out * 10 + (s[k] - '0');
  *bad |= skip_blanks(s, n, k) < n;
  return true;
}

/* A peer that counts its bytes wrong has its next header behind the rest of a message.
 */
static size_t misplaced(const char *s, size_t n) {
  static const char name[] = "Content-Length:";
  size_t at = 0;
  for (const char *p = s; (p = memmem(p, n - (p - s), name, sizeof name - 1)); p++)
    at = p - s;
  return at;
}

/* Header lines up to the empty one. Lines that are none are answered together, once. */
static bool take_headers(line *l, size_t *length) {
  bool have = false, wrong = false;
  for (;;) {
    size_t begin;
    size_t n;
    size_t value;
    bool bad = false;
    if (!next_line(l, HEADER_MAX, &begin, &n))
      return false;
    const char *s = l->buf + begin;
    size_t inside = n <= HEADER_MAX ? misplaced(s, n) : 0;
    wrong |= inside > 0;
    s += inside;
    n -= inside;
    if (n <= HEADER_MAX && content_length(s, n, &value, &bad) && !bad) {
      have = true;
      *length = value;
    } else if (n > HEADER_MAX || bad ||
               (n && (!memchr(s, ':', n) || !isalpha((unsigned char)*s))))
      wrong = true;
    else if (!n) {
      if (wrong)
        ww_rpc_refuse(
            l->r, WW_RPC_PARSE,
            "a message begins with a line 'Content-Length: N' and an empty one");
      if (have)
        return true;
      wrong = false;
    }
  }
}

static bool take_framed(line *l) {
  size_t length = 0;
  if (!take_headers(l, &length))
    return false;
  if (length > l->r->o.max_message) {
    too_large(l);
    return skip(l, length);
  }
  while (l->n - l->at < length)
    if (!fill(l))
      return false;
  l->at += length;
  ww_rpc_message(l->r, l->buf + l->at - length, length);
  return true;
}

/* ---- both ---- */

/* The peer has closed its end but may wait for answers: they are made, unless it reads
 * no more. */
static void drain(line *l) {
  while (!ww_rpc_wait(l->r, 0.05)) {
    struct pollfd p = {.fd = l->out};
    if (poll(&p, 1, 0) > 0 && (p.revents & (POLLERR | POLLNVAL)))
      ww_rpc_end(l->r);
  }
}

static void stop_writer(line *l) {
  pthread_mutex_lock(&l->lock);
  l->ending = true;
  l->moved = ww_now();
  pthread_cond_broadcast(&l->changed);
  pthread_mutex_unlock(&l->lock);
  pthread_join(l->thread, NULL);
  for (letter *x = l->first, *next; x; x = next) {
    next = x->next;
    free(x);
  }
}

/* Somebody may still have something to say when the line is gone. */
static void nowhere(void *to, const char *message, size_t n) {
  (void)to;
  (void)message;
  (void)n;
}

static void connect_to(ww_rpc *r, ww_rpc_send send, void *to, int wake) {
  pthread_mutex_lock(&r->sending);
  r->send = send;
  r->to = to;
  pthread_mutex_unlock(&r->sending);
  pthread_mutex_lock(&r->lock);
  r->wake = wake;
  pthread_mutex_unlock(&r->lock);
}

ww_status ww_rpc_serve(ww_rpc *r, int in, int out, ww_rpc_framing framing, ww_err *e) {
  line l = {
      .r = r,
      .in = in,
      .out = out,
      .framing = framing,
      .last = &l.first,
  };
  int wake[2];
  if (pipe2(wake, O_CLOEXEC | O_NONBLOCK))
    return ww_fail(e, WW_EIO, "cannot open a pipe: %s", strerror(errno));
  l.wake = wake[0];
  pthread_mutex_init(&l.lock, NULL);
  pthread_cond_init(&l.changed, NULL);
  connect_to(r, post, &l, wake[1]);
  r->pool = ww_pool_new(r->o.workers, r->o.queue);
  ww_status st = WW_OK;
  if (!r->pool || pthread_create(&l.thread, NULL, write_letters, &l))
    st = ww_fail(e, WW_EIO, "cannot start threads");
  else {
    while (!atomic_load(&r->over) &&
           (framing == WW_RPC_LINES ? take_line(&l) : take_framed(&l))) {}
    drain(&l);
    ww_rpc_forget_asks(r);
    stop_writer(&l);
    int why = atomic_load(&l.why);
    if (why)
      st = ww_fail(e, WW_EIO, "cannot exchange messages: %s", strerror(why));
  }
  connect_to(r, nowhere, NULL, -1);
  close(wake[0]);
  close(wake[1]);
  free(l.buf);
  pthread_cond_destroy(&l.changed);
  pthread_mutex_destroy(&l.lock);
  return st;
}
