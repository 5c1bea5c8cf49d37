/* omp_target.c - stand-ins for libomptarget's entry points: what clang's host code
 * calls for `target` directives.
 *
 * There is one device, number 0; everything else is the host, whose regions the program
 * then runs by itself (a result that is not 0 says so). A region enters its data, is
 * launched and leaves its data, all before the call returns: `nowait` may be that
 * early. The table of regions and of `declare target` variables is the linker's section
 * omp_offloading_entries. */
#include <math.h>
#include <stdlib.h>

#include "omp.h"

enum {
  ENTRY_LINK = 1,
  ENTRY_OTHER = 2 | 4 | 8
}; /* constructors, destructors, addresses of functions */

extern const ww_omp_entry __start_omp_offloading_entries[]
    __attribute__((weak, visibility("hidden")));
extern const ww_omp_entry __stop_omp_offloading_entries[]
    __attribute__((weak, visibility("hidden")));

typedef struct {
  const ww_omp_entry *entry;
  ww_emu_kernel *kernel;
  ww_omp_bounds bounds;
  const char *params; /* letters as in ww_omp_built; NULL: unknown */
} region;

static region *regions; /* one for each entry, filled at its first launch */
static uint32_t nentries;

/* ---- start ---- */

/* The device has a copy of its own, which begins with the variable's initial value. */
static void place_variable(const ww_omp_entry *e) {
  void *device;
  if (posix_memalign(&device, 256, e->size + 512))
    return;
  memset(device, 0, e->size + 512);
  ww_emu_symbol_place(ww_emu_symbol_named(e->name, e->size), device, e->size);
  ww_omp_map_put(e->address, e->size, device);
  if (!(e->flags & ENTRY_LINK))
    memcpy(device, e->address, e->size);
}

/* Before main and the program's own constructors, while variables still have their
 * initial values.
 */
__attribute__((constructor(101))) void ww_omp_start(void) {
  static bool done;
  if (done || !__start_omp_offloading_entries)
    return;
  done = true;
  ww_emu_get();
  /* cppcheck-suppress comparePointers ; the linker's two ends of one array */
  nentries = __stop_omp_offloading_entries - __start_omp_offloading_entries;
  regions = ww_xcalloc(nentries + 1, sizeof *regions);
  for (uint32_t i = 0; i < nentries; i++) {
    const ww_omp_entry *e = &__start_omp_offloading_entries[i];
    if (e->address && e->size && !(e->flags & ENTRY_OTHER) &&
        !ww_omp_map_find(e->address))
      place_variable(e);
  }
}

/* ---- data ---- */

static void data(int64_t device, const ww_omp_items *items, ww_omp_action what) {
  if (ww_omp_is_host(device))
    return;
  ww_emu_lock();
  ww_omp_start();
  ww_omp_data(items, what);
  ww_emu_unlock();
}

#define DATA_CALL(name, action)                                                   \
  void name##_mapper(void *loc, int64_t device, int32_t n, void **bases,          \
                     void **begins, int64_t *sizes, int64_t *types, void **names, \
                     void **mappers) {                                            \
    data(device, &(ww_omp_items){n, bases, begins, sizes, types, mappers, false}, \
         action);                                                                 \
  }                                                                               \
  WW_EMU_SAME(name##_mapper) name##_nowait_mapper;

DATA_CALL(__tgt_target_data_begin, WW_OMP_ENTER)
DATA_CALL(__tgt_target_data_end, WW_OMP_LEAVE)
DATA_CALL(__tgt_target_data_update, WW_OMP_UPDATE)

/* ---- launches ---- */

static const ww_omp_built *built_of(const char *kernel) {
  for (const ww_omp_built *b = ww_omp_regions; b && b->kernel; b++)
    if (!strcmp(b->kernel, kernel))
      return b;
  return NULL;
}

/* Captured scalars travel as 64 bits, whatever they are; where that is known they can
 * be written as numbers. */
static void name_types(const region *r) {
  for (uint32_t i = 0; r->params && i < r->kernel->nparams && r->params[i]; i++) {
    char c = r->params[i];
    r->kernel->params[i].type = c == 'i'   ? "i64"
                                : c == 'f' ? "f32"
                                : c == 'd' ? "f64"
                                           : NULL;
    if (c == 'f')
      r->kernel->params[i].size = 4; /* as far as a launch spec is concerned */
  }
}

static region *region_of(const void *id) {
  for (uint32_t i = 0; i < nentries; i++) {
    const ww_omp_entry *e = &__start_omp_offloading_entries[i];
    if (e->address != id)
      continue;
    region *r = &regions[i];
    if (r->entry)
      return r;
    const ww_omp_built *b = built_of(e->name);
    *r = (region){.entry = e,
                  .kernel = ww_emu_kernel_named(e->name),
                  .bounds = b ? b->bounds : (ww_omp_bounds){.mode = WW_OMP_SPMD},
                  .params = b ? b->params : NULL};
    name_types(r);
    return r;
  }
  return NULL;
}

typedef struct {
  uint64_t *values;
  uint32_t *sizes;
  const void **at;
  uint32_t n;
  /* per item of the list: where its section begins on the device; NULL: not passed by
   * address */
  char **devices;
  void **privates; /* device memory that lives as long as the launch */
  uint32_t nprivates;
  const char *note;
} arguments;

static void add_value(arguments *a, const region *r, uint64_t v) {
  char c = r->params && a->n < strlen(r->params) ? r->params[a->n] : 'x';
  float f;
  memcpy(&f, &v, sizeof f);
  a->values[a->n] = c == 'i' ? (uint64_t)(int32_t)v : v;
  /* the low half, all that the region reads; no number: all bits */
  a->sizes[a->n] = c == 'f' && isfinite(f) ? 4 : 8;
  a->at[a->n] = &a->values[a->n];
  a->n++;
}

static void *private_copy(arguments *a, const void *host, size_t bytes, bool copied) {
  void *p = ww_emu_alloc(bytes, EMU_DEVICE);
  if (p && copied)
    memcpy(p, host, bytes);
  if (p)
    a->privates[a->nprivates++] = p;
  return p;
}

static const char holds_pointers[] =
    "an argument points to memory that holds device pointers";

/* Structs of which a member points to other mapped memory: the bytes mean nothing in
 * another process. */
static void note_pointers(arguments *a, uint64_t address) {
  ww_emu_block b;
  if (ww_emu_find(address, &b) && ww_omp_holds_pointers(b.base, b.bytes))
    a->note = holds_pointers;
}

/* A pointer that a lambda captured: the lambda's device copy, an argument before this
 * one, gets the device's. */
static void fix_capture(arguments *a, const ww_omp_kernel_args *k, uint32_t i) {
  uint32_t parent = WW_MAP_PARENT(k->types[i]);
  if (!parent || parent > i || !a->devices[parent - 1] ||
      !ww_omp_map_find(k->begins[i]))
    return;
  void *value = ww_omp_map_device(k->begins[i]);
  memcpy(a->devices[parent - 1] + ((char *)k->bases[i] - (char *)k->begins[parent - 1]),
         &value, sizeof value);
  a->note = holds_pointers;
}

static void
add_argument(arguments *a, const region *r, const ww_omp_kernel_args *k, uint32_t i) {
  char *base = k->bases[i];
  char *begin = k->begins[i];
  int64_t type = k->types[i];
  if (!(type & WW_MAP_TARGET_PARAM)) {
    if ((type & WW_MAP_LITERAL) && (type & WW_MAP_PTR_AND_OBJ))
      fix_capture(a, k, i);
    return;
  }
  if (type & WW_MAP_LITERAL) {
    add_value(a, r, (uintptr_t)base);
    return;
  }
  if (type & WW_MAP_PTR_AND_OBJ)
    base = *(char **)base;
  char *device = type & WW_MAP_PRIVATE
                     ? private_copy(a, begin, k->sizes[i], type & WW_MAP_TO)
                     : ww_omp_map_device(begin);
  a->devices[i] = device;
  uint64_t v = (uintptr_t)(device + (base - begin));
  note_pointers(a, v);
  add_value(a, r, v);
}

static void
launch(region *r, int32_t teams, int32_t threads, const ww_omp_kernel_args *k) {
  uint32_t most = k->nargs + 1;
  ww_arena *scratch = ww_arena_new();
  arguments a = {.values = WW_NEWN(scratch, uint64_t, most),
                 .sizes = WW_NEWN(scratch, uint32_t, most),
                 .at = WW_NEWN(scratch, const void *, most),
                 .devices = WW_NEWN(scratch, char *, most),
                 .privates = WW_NEWN(scratch, void *, most)};
  /* the runtime's own argument comes first: that of clang 17 and newer */
  if (!r->params || r->params[0] == 's')
    add_value(&a, r, 0);
  for (uint32_t i = 0; i < k->nargs; i++)
    add_argument(&a, r, k, i);
  ww_omp_request want = {
      .teams = teams,
      .threads = threads,
      .trips = k->trips,
  };
  ww_emu_launch l = {.kernel = r->kernel,
                     .grid = {1, 1, 1},
                     .block = {1, 1, 1},
                     .shared = k->version >= 2 ? k->shared : 0,
                     .values = a.at,
                     .sizes = a.sizes,
                     .nargs = a.n,
                     .note = a.note};
  ww_omp_shape(&r->bounds, &want, &l.grid[0], &l.block[0]);
  int rc = ww_emu_launch_now(&l);
  if (rc)
    ww_emu_note("OpenMP: the launch of %s failed (%d)", r->entry->name, rc);
  for (uint32_t i = 0; i < a.nprivates; i++)
    ww_emu_free(a.privates[i], false);
  ww_arena_free(scratch);
}

int __tgt_target_kernel(void *loc,
                        int64_t device,
                        int32_t teams,
                        int32_t threads,
                        void *id,
                        ww_omp_kernel_args *k) {
  if (ww_omp_is_host(device))
    return 1;
  ww_emu_lock();
  ww_omp_start();
  region *r = region_of(id);
  if (r) {
    ww_omp_items items = {k->nargs, k->bases,   k->begins, k->sizes,
                          k->types, k->mappers, false};
    ww_omp_data(&items, WW_OMP_ENTER);
    launch(r, teams, threads, k);
    ww_omp_data(&items, WW_OMP_LEAVE);
  } else {
    ww_emu_note("OpenMP: a target region without an entry runs on the host");
  }
  ww_emu_unlock();
  return r ? 0 : 1;
}

WW_EMU_SAME(__tgt_target_kernel) __tgt_target_kernel_nowait;

/* ---- registration: nothing to do, the entries are found by their section ---- */

WW_EMU_ZERO __tgt_register_requires, __tgt_register_lib, __tgt_unregister_lib,
    __tgt_init_all_rtls, __tgt_set_info_flag;
/* the kernel's arguments hold it since clang 15 */
WW_EMU_ZERO __kmpc_push_target_tripcount_mapper;
