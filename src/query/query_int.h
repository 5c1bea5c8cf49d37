/* query_int.h - what the files of the workspace share. */
#ifndef WW_QUERY_QUERY_INT_H
#define WW_QUERY_QUERY_INT_H

#include <stdatomic.h>

#include "../base/threads.h"
#include "query.h"

struct ww_query {
  ww_arena *arena;  /* lifetime: the workspace */
  const char *root; /* real path, NULL: none */
  uint64_t bytes;
  bool children; /* predictions run in them */
  ww_gpu *gpus;
  uint32_t ngpus;
  ww_params params;
  const ww_correction *correction;
  ww_memo *units, *hosts, *answers;
  ww_pool *background;  /* one thread that precompiles headers */
  atomic_bool ending;   /* it need not begin any more */
  ww_memo *precompiled; /* what it has done, by path, headers and flags */
};

/* read.c: the kernel of that name (plain or mangled), NULL: the only one. The message
 * says which there are. */
ww_status ww_kernel_find(
    const ww_unit *u, const char *file, const char *name, const ww_fn **fn, ww_err *e);
/* missing.c: the same of what was read into *r; where it is not there, the source is
 * read again with the template's instance that is meant, or by nvcc. */
ww_status ww_query_kernel_in(ww_query *w,
                             ww_query_unit *r,
                             double deadline,
                             ww_arena *a,
                             const char *name,
                             const ww_fn **fn,
                             ww_err *e);
ww_key ww_source_key(const ww_source *s, const char *text, size_t n);
ww_status ww_query_options_of(const ww_query *w,
                              const ww_source *s,
                              const char *text,
                              double deadline,
                              ww_arena *a,
                              ww_front_options *o,
                              ww_err *e);
/* hosts.c: the launches of the host code into r, where they are not yet. */
ww_status
ww_query_hosts(ww_query *w, ww_query_unit *r, double deadline, ww_arena *a, ww_err *e);
/* triton.c: block and shared memory by what lies beside the code; NULL: nothing. */
const ww_launch *ww_triton_launch(const ww_query *w,
                                  const ww_query_unit *r,
                                  ww_arena *a,
                                  ww_query_kernel *k);

#endif
