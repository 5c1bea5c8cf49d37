/* fake_nccl.c - stands in for libnccl.so.2 in tests: ranks are threads of one process,
 * buffers are the host's, and a sum waits for all ranks, for ever if need be, until its
 * communicator is aborted.
 *
 * It refuses whatever NCCL would not understand: another id on one rank, a type that is
 * not float, an operation that is not a sum, a stream that is not ours. */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST = 4, OK = 0, BAD_ARGUMENT = 4, BAD_USE = 5 };

typedef struct {
  char internal[128];
} ncclUniqueId;

typedef struct {
  int rank, size;
  ncclUniqueId id;
  volatile int aborted;
} comm;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static struct {
  ncclUniqueId id; /* of the group at work */
  int joined, come, left;
  uint64_t round;
  const float *part[MOST];
  float *sum;
} group;
static char next_id;
static comm *volatile ended[64]; /* aborted ones, which who waits still looks at */
static int nended;

int ncclGetVersion(int *version) {
  *version = 29901;
  return OK;
}

const char *ncclGetErrorString(int s) {
  return s == BAD_ARGUMENT ? "bad argument" : "bad use";
}

int ncclGetUniqueId(ncclUniqueId *id) {
  memset(id, 0x5a, sizeof *id);
  id->internal[127] = ++next_id;
  return OK;
}

int ncclCommInitRank(void **out, int size, ncclUniqueId id, int rank) {
  ncclUniqueId mine;
  memset(&mine, 0x5a, sizeof mine);
  mine.internal[127] = next_id;
  *out = NULL;
  if (memcmp(&mine, &id, sizeof id) != 0 || size > MOST || rank < 0 || rank >= size)
    return BAD_ARGUMENT;
  comm *c = calloc(1, sizeof *c);
  *c = (comm){.rank = rank, .size = size, .id = id};
  pthread_mutex_lock(&lock);
  if (memcmp(&group.id, &id, sizeof id) != 0) {
    memset(&group, 0, sizeof group);
    group.id = id;
  }
  group.joined++;
  pthread_cond_broadcast(&changed);
  while (group.joined < size)
    pthread_cond_wait(&changed, &lock);
  pthread_mutex_unlock(&lock);
  *out = c;
  return OK;
}

int ncclAllReduce(
    const void *from, void *to, size_t n, int type, int op, void *which, void *stream) {
  comm *c = which;
  if (type != 7 || op != 0 || stream != (void *)0x57 || from != to)
    return BAD_ARGUMENT;
  pthread_mutex_lock(&lock);
  uint64_t round = group.round;
  group.part[c->rank] = from;
  if (++group.come == c->size) {
    float *sum = calloc(n, sizeof *sum);
    for (int k = 0; k < c->size; k++)
      for (size_t i = 0; i < n; i++)
        sum[i] += group.part[k][i];
    group.sum = sum;
    group.left = c->size;
    group.come = 0;
    group.round++;
    pthread_cond_broadcast(&changed);
  }
  while (group.round == round && !c->aborted)
    pthread_cond_wait(&changed, &lock);
  if (!c->aborted) {
    memcpy(to, group.sum, n * sizeof(float));
    if (--group.left == 0)
      free(group.sum);
    while (group.left > 0 && group.round == round + 1) { /* the next sum may write */
      pthread_mutex_unlock(&lock);
      usleep(100);
      pthread_mutex_lock(&lock);
    }
  }
  pthread_mutex_unlock(&lock);
  return OK;
}

/* What is at work on it ends. */
int ncclCommAbort(void *which) {
  comm *c = which;
  pthread_mutex_lock(&lock);
  c->aborted = 1;
  ended[nended++ % 64] = c;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&lock);
  return OK;
}

int ncclCommDestroy(void *which) {
  free(which);
  return OK;
}
