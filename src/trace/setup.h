/* setup.h - a resolved launch spec made real: memory with its allocations, addresses of
 * symbols, the parameter buffer. */
#ifndef WW_SETUP_H
#define WW_SETUP_H

#include "trace.h"

typedef struct {
  ww_memory *memory;
  /* per module symbol; shared ones: offset; UINT64_MAX: not reached by the kernel */
  uint64_t *symbol_addr;
  uint8_t *params;
  uint32_t params_n;
  uint64_t shared_static;  /* bytes of static shared memory the kernel reaches */
  uint64_t shared_dynamic; /* what the launch asks for, and OpenCL's local arguments */
  ww_region **arg;         /* per parameter: the allocation it points to, or NULL */
  /* per parameter: offset in shared memory of an OpenCL local argument, UINT64_MAX
   * otherwise */
  uint64_t *local_at;
} ww_setup;

/* The launch must be resolved: args[i] is parameter i. A pointer without a size becomes
 * an unbounded allocation. */
ww_status ww_setup_make(const ww_module *m,
                        const ww_fn *fn,
                        const ww_launch *l,
                        ww_arena *a,
                        ww_setup *out,
                        ww_err *e);
/* The same with so many bytes that belong to nobody behind each variable in shared
 * memory: who runs over the end of one is seen. */
ww_status ww_setup_spaced(const ww_module *m,
                          const ww_fn *fn,
                          const ww_launch *l,
                          uint32_t gap,
                          ww_arena *a,
                          ww_setup *out,
                          ww_err *e);
void ww_setup_free(ww_setup *s); /* the memory; the rest is the arena's */
/* A run of the launch in that memory; limits and options are the caller's to set. */
ww_run_spec ww_setup_spec(const ww_module *m,
                          const ww_fn *fn,
                          const ww_launch *l,
                          const ww_setup *s);
/* The part that needs no launch: which symbols fn reaches (per module symbol), where
 * its shared ones lie and how many bytes they take. Others are left at UINT64_MAX. */
const bool *
ww_setup_place(const ww_module *m, const ww_fn *fn, ww_arena *a, ww_setup *out);
/* The address that belongs at x->at of a symbol's contents; the symbol it refers to has
 * its place.
 */
uint64_t ww_setup_address(const ww_module *m,
                          const uint64_t *symbol_addr,
                          const struct ww_reloc *x);
/* A number (kind WW_ARG_VALUE) for parameter p as the launch passes it: params[p].size
 * bytes at `to`, zeroed before. */
ww_status
ww_setup_scalar(const ww_fn *fn, uint32_t p, const ww_arg *g, uint8_t *to, ww_err *e);
/* A number for a symbol of `size` bytes: its form follows how it was written, 1.5 is a
 * float of that size, 7 an integer. */
void ww_setup_symbol(const ww_arg *g, uint64_t size, uint8_t *to);
/* By its plain or its mangled name. */
static inline bool ww_symbol_is(const ww_symbol *y, const char *name) {
  return !strcmp(name, y->name) || (y->mangled && !strcmp(name, y->mangled));
}
/* What fills call elements of an IR type; NULL for WW_VOID. */
const char *ww_element_type(ww_type t);

/* What fn calls, directly or through pointers; in[] per module function, zeroed before.
 */
void ww_reach(const ww_module *m, const ww_fn *fn, bool *in);

#endif
