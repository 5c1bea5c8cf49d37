/* omp_data.c - what the lists of mapped items mean that clang hands to OpenMP's offload
 * runtime.
 *
 * Each item has a base (the variable, or for PTR_AND_OBJ the address of a pointer),
 * where its section begins, a size and a type of flags. Entering goes through a list
 * forwards, leaving backwards, so that members go before their struct. A user-defined
 * mapper turns one item into a list of its own. */
#include <stdlib.h>

#include "omp.h"

#define ALIGNMENT 16 /* of the device copy of a struct that begins at some member */

static bool skipped(int64_t type) {
  return type & (WW_MAP_LITERAL | WW_MAP_PRIVATE);
}

static void fatal(const char *what, const void *host, int64_t bytes) {
  fprintf(stderr, "OpenMP: %s (host address %p, %lld bytes)\n", what, host,
          (long long)bytes);
  abort();
}

/* A struct of which only some members are mapped: its range may begin at an odd place,
 * its copy must not. */
static size_t padding(const ww_omp_items *it, int32_t i) {
  bool combined = i + 1 < it->n && !WW_MAP_PARENT(it->types[i]) &&
                  WW_MAP_PARENT(it->types[i + 1]) == (uint32_t)i + 1;
  return combined ? (uintptr_t)it->begins[i] % ALIGNMENT : 0;
}

/* ---- mappers ---- */

typedef struct {
  ww_arena *a;
  WW_VEC(void *) bases, begins;
  WW_VEC(int64_t) sizes, types;
} components;

int64_t __tgt_mapper_num_components(void *handle) {
  return ((components *)handle)->bases.n;
}

void __tgt_push_mapper_component(
    void *handle, void *base, void *begin, int64_t size, int64_t type) {
  components *c = handle;
  ww_push(c->a, &c->bases, base);
  ww_push(c->a, &c->begins, begin);
  ww_push(c->a, &c->sizes, size);
  ww_push(c->a, &c->types, type);
}

typedef void mapper_fn(
    void *handle, void *base, void *begin, int64_t size, int64_t type, void *name);

static bool by_mapper(const ww_omp_items *it, int32_t i, ww_omp_action what) {
  mapper_fn *fn = it->mappers ? it->mappers[i] : NULL;
  if (!fn)
    return false;
  components c = {.a = ww_arena_new()};
  fn(&c, it->bases[i], it->begins[i], it->sizes[i], it->types[i], NULL);
  ww_omp_items items = {c.bases.n, c.bases.v, c.begins.v, c.sizes.v,
                        c.types.v, NULL,      true};
  ww_omp_data(&items, what);
  ww_arena_free(c.a);
  return true;
}

/* ---- entering ---- */

/* The mapping of a range, made when there is none; *fresh tells. NULL: a section of no
 * bytes that nobody mapped. */
static ww_omp_mapping *obtain(
    char *begin, size_t bytes, size_t before, int64_t type, bool count, bool *fresh) {
  ww_omp_mapping *around = ww_omp_map_find(begin);
  ww_omp_mapping *m = ww_omp_map_meets(begin, bytes);
  bool whole = around && (uintptr_t)begin + bytes <= around->host_end;
  *fresh = false;
  if (m && (whole || (type & WW_MAP_IMPLICIT))) {
    if (count && m->refs != WW_OMP_FOR_EVER)
      m->refs++;
    return m;
  }
  if (m)
    fatal(
        "a mapped section may not be extended: it overlaps one that is mapped already",
        begin, bytes);
  if (type & WW_MAP_PRESENT)
    fatal("the `present` modifier asks for memory that is not mapped", begin, bytes);
  if (!bytes)
    return NULL;
  m = ww_omp_map_new(begin, bytes, before);
  if (!m)
    fatal("out of device memory", begin, bytes);
  *fresh = true;
  return m;
}

/* Bytes between an array's base and its mapped section: kernels get the base, which
 * should lie in the allocation. */
static size_t lead(const char *base, const char *begin) {
  uintptr_t bytes =
      (uintptr_t)begin -
      (uintptr_t)base; /* wraps where the base lies behind: no section is so far off */
  return bytes >> 32 ? 0 : bytes;
}

/* A member of a struct that this list brought: it is as new as the struct. A pointer's
 * object is not part of it. */
static bool of_fresh_struct(const ww_omp_items *it, int64_t type) {
  uint32_t parent = WW_MAP_PARENT(type);
  if (!parent || parent > (uint32_t)it->n || (type & WW_MAP_PTR_AND_OBJ))
    return false;
  const ww_omp_mapping *m = ww_omp_map_find(it->begins[parent - 1]);
  return m && m->refs == 1;
}

static void enter_item(const ww_omp_items *it, int32_t i) {
  int64_t type = it->types[i];
  size_t pad = padding(it, i);
  size_t bytes = it->sizes[i] + pad;
  char *begin = (char *)it->begins[i] - pad;
  char *base = it->bases[i];
  bool fresh, count = !WW_MAP_PARENT(type) && !(it->of_mapper && i == 0);
  void **pointer = type & WW_MAP_PTR_AND_OBJ ? (void **)base : NULL;
  if (pointer) {
    obtain((char *)pointer, sizeof *pointer, 0, type & WW_MAP_PRESENT, count, &fresh);
    base = *pointer;
    count = !it->of_mapper || i;
  }
  ww_omp_mapping *m = obtain(begin, bytes, lead(base, begin), type, count, &fresh);
  char *device = ww_omp_map_device(begin);
  if (m && (type & WW_MAP_TO) &&
      (fresh || (type & WW_MAP_ALWAYS) || of_fresh_struct(it, type)))
    ww_omp_copy_to(begin, bytes);
  if (type & WW_MAP_RETURN_PARAM)
    it->bases[i] = device - (begin - base);
  if (pointer && m)
    ww_omp_attach(pointer, device - (begin - base));
}

/* ---- leaving ---- */

/* Returns the host address of the mapping that this ends, NULL: none. */
static void *leave_item(const ww_omp_items *it, int32_t i) {
  int64_t type = it->types[i];
  bool member = WW_MAP_PARENT(type), object = type & WW_MAP_PTR_AND_OBJ;
  bool count = (!member || object) && !(it->of_mapper && i == 0);
  size_t pad = padding(it, i);
  size_t bytes = it->sizes[i] + pad;
  char *begin = (char *)it->begins[i] - pad;
  ww_omp_mapping *m = ww_omp_map_find(begin);
  if (!m)
    return NULL;
  bool forever = m->refs == WW_OMP_FOR_EVER,
       gone = !forever && (m->refs <= 1 || (type & WW_MAP_DELETE));
  if (count && !forever)
    m->refs = type & WW_MAP_DELETE ? 0 : m->refs - (m->refs > 0);
  if (bytes && (type & WW_MAP_FROM) && (gone || (type & WW_MAP_ALWAYS)))
    ww_omp_copy_from(begin, bytes);
  return gone && count ? (void *)m->host : NULL;
}

static void leave(const ww_omp_items *it) {
  void *few[32];
  void **last = it->n > 32 ? ww_xmalloc(it->n * sizeof *last) : few;
  int32_t n = 0;
  for (int32_t i = it->n - 1; i >= 0; i--) {
    void *host = skipped(it->types[i]) || by_mapper(it, i, WW_OMP_LEAVE)
                     ? NULL
                     : leave_item(it, i);
    if (host)
      last[n++] = host;
  }
  for (int32_t i = 0; i < n;
       i++) { /* only now: members of a struct are copied back before it goes */
    const ww_omp_mapping *m = ww_omp_map_find(last[i]);
    if (m && m->refs == 0)
      ww_omp_map_remove(last[i]);
  }
  if (last != few)
    free(last);
}

/* ---- updating ---- */

typedef struct {
  uint64_t offset, count, stride;
} dimension;

static void update(char *host, size_t bytes, int64_t type) {
  if (!ww_omp_map_find(host)) {
    if (type & WW_MAP_PRESENT)
      fatal("the `present` modifier asks for memory that is not mapped", host, bytes);
    return;
  }
  if (type & WW_MAP_FROM)
    ww_omp_copy_from(host, bytes);
  if (type & WW_MAP_TO)
    ww_omp_copy_to(host, bytes);
}

static void
update_strided(char *host, const dimension *d, int64_t ndims, int64_t type) {
  if (ndims <= 1) {
    update(host + d->offset * d->stride, d->count * d->stride, type);
    return;
  }
  for (uint64_t i = 0; i < d->count; i++)
    update_strided(host + (d->offset + i) * d->stride, d + 1, ndims - 1, type);
}

static void update_item(const ww_omp_items *it, int32_t i) {
  if (it->types[i] & WW_MAP_NON_CONTIGUOUS)
    update_strided(it->bases[i], it->begins[i], it->sizes[i], it->types[i]);
  else
    update(it->begins[i], it->sizes[i], it->types[i]);
}

void ww_omp_data(const ww_omp_items *it, ww_omp_action what) {
  if (what == WW_OMP_LEAVE) {
    leave(it);
    return;
  }
  for (int32_t i = 0; i < it->n; i++) {
    if (skipped(it->types[i]) || by_mapper(it, i, what))
      continue;
    if (what == WW_OMP_ENTER)
      enter_item(it, i);
    else
      update_item(it, i);
  }
}
