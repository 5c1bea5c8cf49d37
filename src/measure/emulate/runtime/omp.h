/* omp.h - what the stand-ins for OpenMP's runtimes share; on top of emu.h's device
 * memory and launches.
 *
 *   omp_kmpc.c    libomp's entry points: the host's own parallel regions, run by one
 * thread omp_api.c     the omp_* functions of the host, devices' memory among them
 *   omp_map.c     the table of mapped memory: host range -> device range, references,
 * attached pointers omp_data.c    what a list of mapped items means: entering, leaving,
 * updating omp_target.c  libomptarget's entry points: data regions, updates, target
 * regions and their launches
 *
 * Device copies have addresses of their own, so that a copy that the program forgets
 * shows. */
#ifndef WW_EMULATE_OMP_H
#define WW_EMULATE_OMP_H

#include "../../../report/omp_shape.h"
#include "emu.h"

/* What the build tells of a region beyond emu.h's table: an object that build_omp.c
 * writes, ended by kernel == NULL. */
typedef struct {
  const char *kernel; /* __omp_offloading_..., as the entry table has it */
  ww_omp_bounds bounds;
  /* a letter each: s the runtime's own, always first; p pointer; i 32-bit * integer; f
   * float; d double; x other bits */
  const char *params;
} ww_omp_built;
extern const ww_omp_built ww_omp_regions[] __attribute__((weak));

/* ---- libomptarget's interface, as clang 17 to 19 emit it ---- */

typedef struct {
  void *address; /* of the host variable, or the region's id */
  const char *name;
  uint64_t size; /* 0: a region */
  int32_t flags, reserved;
} ww_omp_entry;

typedef struct {
  uint32_t version, nargs;
  void **bases, **begins;
  int64_t *sizes, *types;
  void **names, **mappers;
  uint64_t trips, flags;
  /* from version 2 on; the call's own operands hold the same */
  uint32_t teams[3], threads[3];
  uint32_t shared; /* dynamic, bytes */
} ww_omp_kernel_args;

enum {
  WW_MAP_TO = 0x1,
  WW_MAP_FROM = 0x2,
  WW_MAP_ALWAYS = 0x4,
  WW_MAP_DELETE = 0x8,
  WW_MAP_PTR_AND_OBJ = 0x10,
  WW_MAP_TARGET_PARAM = 0x20,
  WW_MAP_RETURN_PARAM = 0x40,
  WW_MAP_PRIVATE = 0x80,
  WW_MAP_LITERAL = 0x100,
  WW_MAP_IMPLICIT = 0x200,
  WW_MAP_PRESENT = 0x1000
};
#define WW_MAP_NON_CONTIGUOUS 0x100000000000ull
#define WW_MAP_PARENT(type)                                                           \
  ((uint32_t)((uint64_t)(type) >> 48)) /* MEMBER_OF: 1 + index of the parent; 0: none \
                                        */

/* ---- omp_map.c; all under emu.h's lock ---- */

typedef struct {
  uintptr_t host, host_end;
  uintptr_t device; /* of `host` */
  void *memory;     /* what to give back with it; NULL: not ours */
  int64_t refs;     /* WW_OMP_FOR_EVER: never goes */
} ww_omp_mapping;
#define WW_OMP_FOR_EVER INT64_MAX

/* the mapping around it, or NULL; valid until the next add or remove */
ww_omp_mapping *ww_omp_map_find(const void *host);
ww_omp_mapping *ww_omp_map_meets(const void *host,
                                 size_t bytes); /* one that has some of it, or NULL */
/* its device address; unmapped ones keep their value */
void *ww_omp_map_device(const void *host);
/* New device memory, `before` bytes of it in front of the copy. NULL: none is left. */
ww_omp_mapping *ww_omp_map_new(const void *host, size_t bytes, size_t before);
void ww_omp_map_put(const void *host,
                    size_t bytes,
                    void *device); /* for ever; device memory that others own */
void ww_omp_map_remove(const void *host);

/* host -> device; attached pointers keep their device values */
void ww_omp_copy_to(const void *host, size_t bytes);
/* device -> host; pointers keep their host values */
void ww_omp_copy_from(const void *host, size_t bytes);
void ww_omp_attach(void **host_pointer, void *device_value);
/* attached pointers lie in that device memory */
bool ww_omp_holds_pointers(uintptr_t device, size_t bytes);

/* ---- omp_data.c ---- */

typedef enum { WW_OMP_ENTER, WW_OMP_LEAVE, WW_OMP_UPDATE } ww_omp_action;

typedef struct {
  int32_t n;
  void **bases, **begins;
  int64_t *sizes, *types;
  void **mappers; /* may be NULL */
  bool of_mapper; /* the items came from a user-defined mapper */
} ww_omp_items;
void ww_omp_data(const ww_omp_items *items, ww_omp_action what);

/* ---- omp_target.c, omp_api.c, omp_kmpc.c ---- */

void ww_omp_start(void); /* once: device copies of `declare target` variables */
/* what is meant for that number is left to the host; -1: the default device */
bool ww_omp_is_host(int64_t device);
int omp_get_level(void); /* parallel regions around this point */
void *omp_aligned_alloc(size_t align, size_t bytes);

#endif
