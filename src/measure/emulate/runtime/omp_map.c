/* omp_map.c - the table of mapped memory of an OpenMP program: host range -> device
 * range.
 *
 * Mappings never overlap and are kept sorted by host address; programs map from a
 * handful of arrays to some ten thousand small ones, so finding is a binary search.
 * Attached pointers (a pointer in mapped memory whose device copy points to device
 * memory) are kept beside it: copies of the memory around them must not bring one
 * side's addresses to the other. */

#include "omp.h"

typedef struct {
  void **host;   /* the pointer on the host */
  void **device; /* its device copy */
  void *host_value, *device_value;
} attached;

static WW_VEC(ww_omp_mapping) table; /* by host address */
static WW_VEC(attached) pointers;

/* ---- mappings ---- */

/* index of the first mapping that begins behind it */
static size_t after(uintptr_t host) {
  size_t lo = 0;
  size_t hi = table.n;
  while (lo < hi) {
    size_t mid = (lo + hi) / 2;
    if (table.v[mid].host <= host)
      lo = mid + 1;
    else
      hi = mid;
  }
  return lo;
}

ww_omp_mapping *ww_omp_map_find(const void *host) {
  size_t i = after((uintptr_t)host);
  return i && (uintptr_t)host < table.v[i - 1].host_end ? &table.v[i - 1] : NULL;
}

ww_omp_mapping *ww_omp_map_meets(const void *host, size_t bytes) {
  ww_omp_mapping *m = ww_omp_map_find(host);
  size_t i = after((uintptr_t)host);
  if (!m && i < table.n && table.v[i].host < (uintptr_t)host + bytes)
    m = &table.v[i];
  return m;
}

void *ww_omp_map_device(const void *host) {
  const ww_omp_mapping *m = ww_omp_map_find(host);
  return m ? (void *)(m->device + ((uintptr_t)host - m->host)) : (void *)host;
}

static ww_omp_mapping *insert(ww_omp_mapping m) {
  size_t at = after(m.host);
  ww_push(ww_emu_get()->arena, &table, m);
  memmove(table.v + at + 1, table.v + at, (table.n - 1 - at) * sizeof *table.v);
  table.v[at] = m;
  return &table.v[at];
}

ww_omp_mapping *ww_omp_map_new(const void *host, size_t bytes, size_t before) {
  char *p = ww_emu_alloc(before + bytes, EMU_DEVICE);
  uintptr_t at = (uintptr_t)host;
  if (!p)
    return NULL;
  return insert((ww_omp_mapping){at, at + bytes, (uintptr_t)(p + before), p, 1});
}

void ww_omp_map_put(const void *host, size_t bytes, void *device) {
  uintptr_t at = (uintptr_t)host;
  insert((ww_omp_mapping){at, at + bytes, (uintptr_t)device, NULL, WW_OMP_FOR_EVER});
}

static bool lies_in(const void *p, uintptr_t from, uintptr_t to) {
  return (uintptr_t)p >= from && (uintptr_t)p < to;
}

void ww_omp_map_remove(const void *host) {
  ww_omp_mapping *m = ww_omp_map_find(host);
  if (!m)
    return;
  size_t kept = 0;
  for (size_t i = 0; i < pointers.n; i++)
    if (!lies_in(pointers.v[i].host, m->host, m->host_end))
      pointers.v[kept++] = pointers.v[i];
  pointers.n = kept;
  if (m->memory)
    ww_emu_free(m->memory, false);
  size_t at = m - table.v;
  memmove(m, m + 1, (table.n - at - 1) * sizeof *m);
  table.n--;
}

/* ---- attached pointers ---- */

void ww_omp_attach(void **host_pointer, void *device_value) {
  void **device = ww_omp_map_device(host_pointer);
  if (device == host_pointer)
    return; /* not mapped */
  attached p = {host_pointer, device, *host_pointer, device_value};
  uint32_t i = 0;
  while (i < pointers.n && pointers.v[i].host != host_pointer)
    i++;
  if (i < pointers.n)
    pointers.v[i] = p;
  else
    ww_push(ww_emu_get()->arena, &pointers, p);
  *device = device_value;
}

bool ww_omp_holds_pointers(uintptr_t device, size_t bytes) {
  for (size_t i = 0; i < pointers.n; i++)
    if (lies_in(pointers.v[i].device, device, device + bytes))
      return true;
  return false;
}

/* ---- copies ---- */

/* What of the range the mapping has: programs may update more than they mapped of an
 * array. */
static size_t clip(const ww_omp_mapping *m, const void *host, size_t bytes) {
  size_t there = m->host_end - (uintptr_t)host;
  return bytes < there ? bytes : there;
}

/* Copies a range, then gives the pointers in it the values of the side that was
 * written. */
static void copy(const void *host, size_t bytes, bool to_device) {
  const ww_omp_mapping *m = ww_omp_map_find(host);
  if (!m)
    return;
  void *device = ww_omp_map_device(host);
  bytes = clip(m, host, bytes);
  memcpy(to_device ? device : (void *)host, to_device ? host : device, bytes);
  for (size_t i = 0; i < pointers.n; i++) {
    const attached *p = &pointers.v[i];
    if (!lies_in(p->host, (uintptr_t)host, (uintptr_t)host + bytes))
      continue;
    if (to_device)
      *p->device = p->device_value;
    else
      *p->host = p->host_value;
  }
}

void ww_omp_copy_to(const void *host, size_t bytes) {
  copy(host, bytes, true);
}

void ww_omp_copy_from(const void *host, size_t bytes) {
  copy(host, bytes, false);
}
