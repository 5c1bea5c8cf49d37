/* stream.c - streams, events and graphs of an emulated program.
 *
 * Everything is done at once and in the order of the calls, which every program that is
 * right must accept. While a stream is captured, launches and asynchronous copies are
 * kept in the graph instead, arguments by value; each cudaGraphLaunch does them, so
 * that each counts. Times between events are those of the host. */
#include "emu.h"

#include <stdlib.h>

/* ---- streams and events ---- */

/* An event is the seconds at which it was recorded; 0: not yet. */

int cudaStreamCreate(void **s) {
  if (!s)
    return ww_emu_error(EMU_INVALID_VALUE);
  *s = ww_xcalloc(1, 64); /* an address of its own, room for an event */
  return EMU_OK;
}
WW_EMU_SAME(cudaStreamCreate)
cudaStreamCreateWithFlags, cudaStreamCreateWithPriority, cuStreamCreate,
    cuStreamCreateWithPriority;
int cudaStreamDestroy(void *s) {
  if ((uintptr_t)s > 2)
    free(s);
  return EMU_OK;
}
WW_EMU_SAME(cudaStreamDestroy) cuStreamDestroy;
int cudaStreamGetFlags(void *s, unsigned *flags) {
  *flags = 0;
  return EMU_OK;
}
WW_EMU_SAME(cudaStreamGetFlags) cudaStreamGetPriority;
int cudaStreamGetId(void *s, unsigned long long *id) {
  *id = (uintptr_t)s;
  return EMU_OK;
}
int cudaStreamGetAttribute(void *s, int a, void *v) {
  memset(v, 0, 64);
  return EMU_OK;
}
int cudaStreamAddCallback(void *s, void (*fn)(void *, int, void *), void *data) {
  fn(s, 0, data);
  return EMU_OK;
}

WW_EMU_SAME(cudaStreamCreate) cudaEventCreateWithFlags;
WW_EMU_SAME(cudaStreamDestroy) cudaEventDestroy;
int cudaEventRecord(void *e) {
  if (!e)
    return ww_emu_error(EMU_INVALID_HANDLE);
  *(double *)e = ww_now();
  return EMU_OK;
}
WW_EMU_SAME(cudaEventRecord) cudaEventRecordWithFlags;
int cudaEventElapsedTime(float *ms, void *from, void *to) {
  const double *a = from;
  const double *b = to;
  if (!ms || !a || !b || *a == 0 || *b == 0)
    return ww_emu_error(EMU_INVALID_HANDLE);
  double t = 1e3 * (*b - *a);
  *ms = t > 1e-3 ? t : 1e-3f; /* programs divide by it */
  return EMU_OK;
}
WW_EMU_SAME(cudaStreamCreate) cuEventCreate;
WW_EMU_SAME(cudaStreamDestroy) cuEventDestroy;
WW_EMU_SAME(cudaEventRecord) cuEventRecord;
WW_EMU_SAME(cudaEventElapsedTime) cuEventElapsedTime;

int cudaStreamSynchronize(void) {
  ww_emu_waited();
  return EMU_OK;
}
WW_EMU_SAME(cudaStreamSynchronize)
cudaStreamQuery, cudaEventSynchronize, cudaEventQuery;
WW_EMU_ZERO cudaStreamWaitEvent, cudaStreamSetAttribute, cudaStreamCopyAttributes,
    cudaThreadExchangeStreamCaptureMode, cudaGraphUpload, cudaGraphAddDependencies,
    cudaGraphDebugDotPrint, cudaGraphKernelNodeSetAttribute;

/* ---- graphs ---- */

typedef struct {
  ww_emu_launch launch; /* with copies of the arguments; no kernel: fn(data) */
  void (*fn)(void *);
  void *data;
  bool gone;
} node;

typedef WW_VEC(node *) graph;

static graph *capturing;

static void append(graph *g, node *n) {
  ww_emu *s = ww_emu_get();
  ww_emu_lock();
  ww_push(s->arena, g, n);
  ww_emu_unlock();
}

static void *copied(const void *p, size_t n) {
  return memcpy(ww_xmalloc(n ? n : 1), p, n);
}

static node *add(graph *g, node n) {
  node *p = copied(&n, sizeof n);
  append(g, p);
  return p;
}

static void keep_arguments(node *n, const ww_emu_launch *l) {
  ww_emu_launch_copy(l, &n->launch);
}

bool ww_emu_capture_launch(const ww_emu_launch *l) {
  if (!capturing)
    return false;
  ww_emu_lock();
  keep_arguments(add(capturing, (node){0}), l);
  ww_emu_unlock();
  return true;
}

bool ww_emu_capture_call(void (*fn)(void *), const void *data, size_t n) {
  if (!capturing)
    return false;
  ww_emu_lock();
  add(capturing, (node){.fn = fn, .data = copied(data, n)});
  ww_emu_unlock();
  return true;
}

static int run_graph(const graph *g) {
  int rc = EMU_OK;
  for (uint32_t i = 0; i < g->n && !rc; i++) {
    const node *n = g->v[i];
    if (n->gone)
      continue;
    if (n->launch.kernel)
      rc = ww_emu_error(ww_emu_launch_now(&n->launch));
    else if (n->fn)
      n->fn(n->data);
  }
  return rc;
}

int cudaStreamBeginCapture(void) {
  if (capturing)
    return ww_emu_error(EMU_INVALID_VALUE);
  capturing = ww_xcalloc(1, sizeof *capturing);
  return EMU_OK;
}
int cudaStreamEndCapture(void *stream, void **out) {
  if (!capturing)
    return ww_emu_error(EMU_INVALID_VALUE);
  *out = capturing;
  capturing = NULL;
  return EMU_OK;
}
int cudaStreamIsCapturing(void *stream, int *status) {
  *status = capturing != NULL;
  return EMU_OK;
}

int cudaGraphCreate(void **g) {
  *g = ww_xcalloc(1, sizeof(graph));
  return EMU_OK;
}
/* An executable graph and a clone share the nodes: what is set in a node later counts
 * for them too. They are never freed, as other graphs may hold them; programs make few.
 */
int cudaGraphClone(void **out, void *from) {
  const graph *g = from;
  graph *c = ww_xcalloc(1, sizeof *c);
  for (uint32_t i = 0; i < g->n; i++)
    append(c, g->v[i]);
  *out = c;
  return EMU_OK;
}
int cudaGraphInstantiateWithFlags(void **exec, void *g) {
  return g ? cudaGraphClone(exec, g) : ww_emu_error(EMU_INVALID_HANDLE);
}
int cudaGraphLaunch(void *exec) {
  return exec ? run_graph(exec) : ww_emu_error(EMU_INVALID_HANDLE);
}
int cudaGraphDestroy(void *g) {
  free(g);
  return EMU_OK;
}
WW_EMU_SAME(cudaGraphDestroy) cudaGraphExecDestroy;
int cudaGraphGetNodes(void *from, void **nodes, size_t *n) {
  const graph *g = from;
  for (size_t i = 0; nodes && i < *n && i < g->n; i++)
    nodes[i] = g->v[i];
  *n = g->n;
  return EMU_OK;
}
WW_EMU_SAME(cudaGraphGetNodes) cudaGraphGetRootNodes;
int cudaGraphDestroyNode(void *n) {
  ((node *)n)->gone = true;
  return EMU_OK;
}

int __wwGraphCall(void **out, void *g, void (*fn)(void *), void *data) {
  node *p = add(g, (node){.fn = fn, .data = data});
  if (out)
    *out = p;
  return EMU_OK;
}
int ww_emu_graph_operation(
    void **out, void *g, void (*fn)(void *), const void *data, size_t n) {
  return __wwGraphCall(out, g, fn, copied(data, n));
}
static void run_child(void *g) {
  run_graph(g);
}
int __wwGraphChild(void **out, void *g, void *child) {
  void *own;
  cudaGraphClone(&own, child);
  return __wwGraphCall(out, g, run_child, own);
}
int cudaGraphAddEmptyNode(void **out, void *g) {
  return __wwGraphCall(out, g, NULL, NULL);
}

int __wwGraphSet(void *n, const void *fn, dim3 g, dim3 b, size_t shared, void **args) {
  uint32_t sizes[WW_EMU_MOST_ARGS];
  ww_emu_launch l;
  int rc = ww_emu_stub_launch(fn, g, b, shared, args, sizes, &l);
  if (!rc)
    keep_arguments(n, &l);
  return rc;
}
int __wwGraphAdd(void **out,
                 void *g,
                 int kind,
                 const void *fn,
                 dim3 grid,
                 dim3 block,
                 size_t shared,
                 void **args) {
  node *p = add(g, (node){0});
  if (out)
    *out = p;
  return __wwGraphSet(p, fn, grid, block, shared, args);
}

int cudaLaunchHostFunc(void *stream, void (*fn)(void *), void *data) {
  if (capturing)
    __wwGraphCall(NULL, capturing, fn, data);
  else
    fn(data);
  return EMU_OK;
}
