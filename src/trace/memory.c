/* memory.c - the sandboxed address space of a launch.
 *
 * Allocations lie above 4 GiB, 256-byte aligned, apart by a guard gap. Host pages are
 * reserved, not committed: a buffer of 100 GB costs what is touched of it. A page of
 * WW_PAGE bytes gets its contents (init bytes, then the seeded generator) the first
 * time anything looks at it, so reset only forgets which pages were made. Few regions
 * (tens), millions of look-ups that nearly always hit the region of the last one:
 * callers keep that. */
#include "trace.h"

#include <stdlib.h>
#include <sys/mman.h>

#define GUARD (1ull << 20)
#define UNBOUNDED_BYTES                                                              \
  (1ull << 37) /* window of a buffer whose size nobody gave; the pointer sits in its \
                  middle */
#define UNBOUNDED_MIN (1ull << 31)
#define MOST_BYTES (1ull << 42) /* of one allocation: far more than any device has */

struct ww_memory {
  ww_region **regions; /* by base */
  uint32_t n, cap;
  uint64_t next, seed;
  uint64_t pages, pages_left; /* that may be made between resets */
  bool exhausted;
};

ww_memory *ww_memory_new(uint64_t seed) {
  ww_memory *m = ww_xcalloc(1, sizeof *m);
  m->next = WW_GLOBAL_BASE;
  m->seed = seed;
  m->pages = m->pages_left = UINT64_MAX;
  return m;
}

void ww_memory_limit(ww_memory *m, uint64_t bytes) {
  m->pages = m->pages_left = bytes ? bytes / WW_PAGE : UINT64_MAX;
}
bool ww_memory_exhausted(const ww_memory *m) {
  return m->exhausted || !m->pages_left;
}

ww_status ww_memory_too_small(uint64_t bytes, ww_err *e) {
  return ww_fail(e, WW_ELIMIT,
                 "it touches more than %llu MB of its buffers, which is the limit here",
                 (unsigned long long)bytes >> 20);
}

static void region_free(ww_region *r) {
  if (r->host && !r->borrowed)
    munmap(r->host, r->size + WW_PAGE);
  free(r->filled);
  free(r);
}

void ww_memory_free(ww_memory *m) {
  if (!m)
    return;
  for (uint32_t i = 0; i < m->n; i++)
    region_free(m->regions[i]);
  free(m->regions);
  free(m);
}

void *ww_reserve(uint64_t bytes) {
  void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return p == MAP_FAILED ? NULL : p;
}

/* A copy of it, before the region at `at`. */
static ww_region *insert(ww_memory *m, uint32_t at, ww_region r) {
  if (m->n == m->cap)
    m->regions = ww_xrealloc(m->regions,
                             (m->cap = m->cap ? 2 * m->cap : 16) * sizeof *m->regions);
  memmove(m->regions + at + 1, m->regions + at, (m->n++ - at) * sizeof *m->regions);
  m->regions[at] = ww_xmalloc(sizeof r);
  *m->regions[at] = r;
  return m->regions[at];
}

ww_region *
ww_memory_add(ww_memory *m, const char *name, uint8_t space, uint64_t bytes) {
  if (bytes > MOST_BYTES)
    return NULL;
  ww_region r = {.base = m->next,
                 .size = bytes ? bytes : UNBOUNDED_BYTES,
                 .space = space,
                 .arg = -1,
                 .symbol = -1,
                 .unbounded = !bytes,
                 .name = name,
                 .filled_lo = UINT64_MAX,
                 .seed = m->seed + 0x9E3779B97F4A7C15ull * (m->n + 1),
                 .pages_left = &m->pages_left};
  r.host = ww_reserve(r.size + WW_PAGE);
  while (!r.host && r.unbounded && r.size > UNBOUNDED_MIN)
    r.host = ww_reserve((r.size /= 2) + WW_PAGE);
  if (!r.host)
    return NULL;
  r.filled = ww_xcalloc((r.size + WW_PAGE - 1) / WW_PAGE + 1, 1);
  r.origin = r.unbounded ? r.base + r.size / 2 : r.base;
  m->next = (r.base + r.size + GUARD + WW_PAGE - 1) & ~(uint64_t)(WW_PAGE - 1);
  return insert(m, m->n, r);
}

/* A memory holds allocations of its own or borrowed ones, not both: the former go up
 * from 4 GiB in the order they come. */
ww_region *ww_memory_borrow(ww_memory *m, void *host, uint64_t bytes, uint8_t space) {
  uint64_t base = (uintptr_t)host;
  uint32_t at = m->n;
  while (at && m->regions[at - 1]->base > base)
    at--;
  if (base < WW_GLOBAL_BASE || !bytes ||
      (at && base - m->regions[at - 1]->base < m->regions[at - 1]->size) ||
      (at < m->n && m->regions[at]->base - base < bytes))
    return NULL;
  size_t pages = (bytes + WW_PAGE - 1) / WW_PAGE + 1;
  return insert(m, at,
                (ww_region){.base = base,
                            .size = bytes,
                            .host = host,
                            .space = space,
                            .arg = -1,
                            .symbol = -1,
                            .origin = base,
                            .filled = memset(ww_xmalloc(pages), 1, pages),
                            .borrowed = true,
                            .pages_left = &m->pages_left});
}

ww_region *ww_memory_find(ww_memory *m, uint64_t addr) {
  uint32_t lo = 0, hi = m->n;
  while (lo < hi) { /* last region with base <= addr */
    uint32_t mid = (lo + hi) / 2;
    if (m->regions[mid]->base <= addr)
      lo = mid + 1;
    else
      hi = mid;
  }
  if (!lo)
    return NULL;
  ww_region *r = m->regions[lo - 1];
  return addr - r->base < r->size ? r : NULL;
}

ww_region *ww_memory_region(const ww_memory *m, uint32_t k) {
  return k < m->n ? m->regions[k] : NULL;
}

/* Bytes [at, at + n) of the contents, counted from element 0. An element (a float3) may
 * lie over two pages. */
static void fill_span(const ww_region *r,
                      const char *type,
                      uint64_t count,
                      uint64_t at,
                      uint64_t n,
                      uint8_t *to) {
  uint32_t size = ww_elem_size(type), head = at % size;
  uint8_t one[64];
  if (head) {
    uint32_t rest = size - head < n ? size - head : (uint32_t)n;
    memset(one, 0, sizeof one);
    if (at / size < count)
      ww_fill_bytes(&r->fill, type, count, r->seed, at / size, 1, one);
    memcpy(to, one + head, rest);
    at += rest;
    to += rest;
    n -= rest;
  }
  uint64_t first = at / size, whole = n / size, left = n % size;
  if (first + whole > count) {
    whole = count > first ? count - first : 0;
    left = n - whole * size;
  }
  ww_fill_bytes(&r->fill, type, count, r->seed, first, whole, to);
  memset(to + whole * size, 0, left);
  if (first + whole >= count || !left)
    return;
  ww_fill_bytes(&r->fill, type, count, r->seed, first + whole, 1, one);
  memcpy(to + whole * size, one, left);
}

/* Contents of one page. Element i of the fill is counted from the pointer's origin, so
 * that an unbounded buffer and the bounded one it later becomes hold the same values.
 */
bool ww_region_fill_page(ww_region *r, uint64_t page) {
  uint64_t at = page * WW_PAGE, end = at + WW_PAGE < r->size ? at + WW_PAGE : r->size;
  if (!*r->pages_left)
    return false;
  --*r->pages_left;
  r->filled[page] = 1;
  ww_range_add(&r->filled_lo, &r->filled_hi, page, page + 1);
  if (r->fill.kind == WW_FILL_NONE || r->fill.kind == WW_FILL_ZEROS ||
      r->fill.kind == WW_FILL_FILE) {
    memset(r->host + at, 0,
           end - at); /* zeros; what the file or the initialiser holds comes over it */
  } else {
    const char *type = r->type ? r->type : "i32";
    uint64_t origin = r->origin - r->base, from = at; /* bounded: origin is 0 */
    /* before the pointer: nothing sensible to know, zeros */
    if (r->unbounded && at < origin) {
      uint64_t stop = origin < end ? origin : end;
      memset(r->host + at, 0, stop - at);
      from = stop;
    }
    uint64_t count = (r->size - origin) / ww_elem_size(type);
    if (from < end)
      fill_span(r, type, count, from - origin, end - from, r->host + from);
  }
  if (r->init && at < r->init_n)
    memcpy(r->host + at, r->init + at, (r->init_n < end ? r->init_n : end) - at);
  return true;
}

void *ww_memory_at(ww_memory *m, uint64_t addr, uint64_t n) {
  ww_region *r = ww_memory_find(m, addr);
  if (!r || n > r->size - (addr - r->base))
    return NULL;
  uint64_t off = addr - r->base;
  for (uint64_t p = off / WW_PAGE; n && p <= (off + n - 1) / WW_PAGE; p++)
    if (!r->filled[p] && !ww_region_fill_page(r, p))
      return NULL;
  return r->host + off;
}

void ww_memory_reset(ww_memory *m) {
  m->exhausted |= !m->pages_left;
  m->pages_left = m->pages;
  for (uint32_t i = 0; i < m->n; i++) {
    ww_region *r = m->regions[i];
    if (r->filled_hi > r->filled_lo)
      memset(r->filled + r->filled_lo, 0, r->filled_hi - r->filled_lo);
    r->filled_lo = UINT64_MAX;
    r->filled_hi = 0;
  }
}
