/* omp_api.c - the omp_* functions of an emulated program's host code.
 *
 * One thread, one device. Device memory that the program takes itself
 * (omp_target_alloc) is emu.h's, as mapped memory is. Types follow omp.h's ABI:
 * enumerations are int, allocator handles are addresses, locks are one word. */
#include <stdlib.h>
#include <unistd.h>

#include "omp.h"

enum { DEVICES = 1, HOST = DEVICES };

/* ---- threads ---- */

WW_EMU_ZERO omp_set_num_threads, omp_get_thread_num;
WW_EMU_ONE omp_get_num_threads, omp_get_max_threads;
int omp_get_num_procs(void) {
  return sysconf(_SC_NPROCESSORS_ONLN);
}
WW_EMU_ZERO omp_in_parallel, omp_set_dynamic, omp_get_dynamic, omp_set_nested,
    omp_get_nested, omp_set_max_active_levels, omp_get_active_level;
WW_EMU_ONE omp_get_thread_limit, omp_get_max_active_levels,
    omp_get_supported_active_levels;
int omp_get_ancestor_thread_num(int n) {
  return n >= 0 && n <= omp_get_level() ? 0 : -1;
}
int omp_get_team_size(int n) {
  return n >= 0 && n <= omp_get_level() ? 1 : -1;
}
WW_EMU_ZERO omp_in_final, omp_get_team_num, omp_set_num_teams,
    omp_set_teams_thread_limit, omp_get_cancellation, omp_get_proc_bind,
    omp_get_num_places, omp_get_max_task_priority;
WW_EMU_ONE omp_get_num_teams, omp_get_max_teams, omp_get_teams_thread_limit;
WW_EMU_ALWAYS(omp_get_place_num, -1)

static int schedule = 1;
static int schedule_chunk;

void omp_set_schedule(int kind, int chunk) {
  schedule = kind;
  schedule_chunk = chunk;
}

void omp_get_schedule(int *kind, int *chunk) {
  *kind = schedule;
  *chunk = schedule_chunk;
}

/* ---- locks: one word, the depth of holding ---- */

void omp_init_lock(intptr_t *l) {
  *l = 0;
}
WW_EMU_SAME(omp_init_lock)
omp_init_lock_with_hint, omp_destroy_lock, omp_unset_lock, omp_init_nest_lock,
    omp_init_nest_lock_with_hint, omp_destroy_nest_lock;
void omp_set_lock(intptr_t *l) {
  *l = 1;
}
int omp_test_lock(intptr_t *l) {
  return *l ? 0 : (int)(*l = 1);
}
void omp_set_nest_lock(intptr_t *l) {
  ++*l;
}
void omp_unset_nest_lock(intptr_t *l) {
  --*l;
}
int omp_test_nest_lock(intptr_t *l) {
  return (int)++*l;
}

/* ---- time ---- */

double omp_get_wtime(void) {
  return ww_now();
}

double omp_get_wtick(void) {
  return 1e-9;
}

/* ---- devices ---- */

static int default_device;

WW_EMU_ALWAYS(omp_get_num_devices, DEVICES)
int omp_get_default_device(void) {
  return default_device;
}
void omp_set_default_device(int device) {
  default_device = device;
}
WW_EMU_ONE omp_is_initial_device;
WW_EMU_ALWAYS(omp_get_initial_device, HOST)
WW_EMU_ALWAYS(omp_get_device_num, HOST)
WW_EMU_ZERO omp_pause_resource, omp_pause_resource_all;

bool ww_omp_is_host(int64_t device) {
  return (device == -1 ? default_device : device) != 0;
}

void *omp_target_alloc(size_t bytes, int device) {
  if (!bytes)
    return NULL;
  return ww_omp_is_host(device) ? malloc(bytes) : ww_emu_alloc(bytes, EMU_DEVICE);
}

void omp_target_free(void *p, int device) {
  if (!p)
    return;
  if (ww_omp_is_host(device))
    free(p);
  else if (!ww_emu_free(p, false) && !ww_emu_free(p, true))
    ww_emu_note("OpenMP: omp_target_free of %p, which omp_target_alloc did not give",
                p);
}

WW_EMU_SAME(omp_target_alloc) llvm_omp_target_alloc_device;
WW_EMU_SAME(omp_target_free)
llvm_omp_target_free_device, llvm_omp_target_free_host, llvm_omp_target_free_shared;
void *llvm_omp_target_alloc_host(size_t bytes) {
  return ww_emu_alloc(bytes, EMU_PINNED);
}
void *llvm_omp_target_alloc_shared(size_t bytes) {
  return ww_emu_alloc(bytes, EMU_MANAGED);
}
void *llvm_omp_target_dynamic_shared_alloc(void) {
  return NULL;
}

int omp_target_memcpy(
    void *to, const void *from, size_t n, size_t to_at, size_t from_at) {
  if (!to || !from)
    return 1;
  memmove((char *)to + to_at, (const char *)from + from_at, n);
  return 0;
}

WW_EMU_SAME(omp_target_memcpy) omp_target_memcpy_async;

void *omp_target_memset(void *p, int byte, size_t n) {
  return p ? memset(p, byte, n) : NULL;
}

/* Copies a box out of one array into another; sizes in elements, outermost dimension
 * first. */
int omp_target_memcpy_rect(void *to,
                           const void *from,
                           size_t element,
                           int ndims,
                           const size_t *volume,
                           const size_t *to_at,
                           const size_t *from_at,
                           const size_t *to_dims,
                           const size_t *from_dims) {
  if (!to && !from)
    return INT32_MAX; /* asked for the number of dimensions that it can */
  if (!to || !from || ndims < 1 || !element)
    return 1;
  if (ndims == 1)
    return omp_target_memcpy(to, from, element * volume[0], element * to_at[0],
                             element * from_at[0]);
  size_t to_row = element;
  size_t from_row = element;
  for (int i = 1; i < ndims; i++) {
    to_row *= to_dims[i];
    from_row *= from_dims[i];
  }
  for (size_t i = 0; i < volume[0]; i++) {
    int rc = omp_target_memcpy_rect((char *)to + (to_at[0] + i) * to_row,
                                    (const char *)from + (from_at[0] + i) * from_row,
                                    element, ndims - 1, volume + 1, to_at + 1,
                                    from_at + 1, to_dims + 1, from_dims + 1);
    if (rc)
      return rc;
  }
  return 0;
}

/* ---- mappings ---- */

int omp_target_is_present(const void *host, int device) {
  ww_emu_lock();
  ww_omp_start();
  bool there = host && (ww_omp_is_host(device) || ww_omp_map_find(host));
  ww_emu_unlock();
  return there;
}

void *omp_get_mapped_ptr(const void *host, int device) {
  void *p = NULL;
  ww_emu_lock();
  ww_omp_start();
  if (ww_omp_is_host(device))
    p = (void *)host;
  else if (ww_omp_map_find(host))
    p = ww_omp_map_device(host);
  ww_emu_unlock();
  return p;
}

int omp_target_is_accessible(const void *host, size_t bytes, int device) {
  return ww_omp_is_host(device) && host;
}

int omp_target_associate_ptr(
    const void *host, const void *memory, size_t bytes, size_t at, int device) {
  if (!host || !memory || !bytes || ww_omp_is_host(device))
    return 1;
  ww_emu_lock();
  ww_omp_start();
  char *p = (char *)memory + at;
  const ww_omp_mapping *m = ww_omp_map_meets(host, bytes);
  int rc = m && m->device != (uintptr_t)p; /* the same again is allowed */
  if (!m)
    ww_omp_map_put(host, bytes, p);
  ww_emu_unlock();
  return rc;
}

int omp_target_disassociate_ptr(const void *host, int device) {
  if (!host || ww_omp_is_host(device))
    return 1;
  ww_emu_lock();
  const ww_omp_mapping *m = ww_omp_map_find(host);
  bool ours = m && m->refs == WW_OMP_FOR_EVER;
  if (ours)
    ww_omp_map_remove(host);
  ww_emu_unlock();
  return !ours;
}

/* ---- allocators: all memory is the same ---- */

uintptr_t omp_init_allocator(uintptr_t space) {
  return space + 1;
}
WW_EMU_ZERO omp_destroy_allocator, omp_set_default_allocator;
uintptr_t omp_get_default_allocator(void) {
  return 1;
}
void *omp_alloc(size_t bytes) {
  return malloc(bytes ? bytes : 1);
}
void *omp_calloc(size_t n, size_t bytes) {
  return calloc(n ? n : 1, bytes ? bytes : 1);
}
void *omp_realloc(void *p, size_t bytes) {
  return realloc(p, bytes ? bytes : 1);
}
void omp_free(void *p) {
  free(p);
}

void *omp_aligned_alloc(size_t align, size_t bytes) {
  void *p;
  return posix_memalign(&p, align < sizeof p ? sizeof p : align, bytes ? bytes : 1)
             ? NULL
             : p;
}
