/* heap.c - the device memory of an emulated program: ordinary memory, and a map from
 * addresses to allocations.
 *
 * The map is an array by address: programs hold tens of allocations, rarely thousands,
 * and every pointer argument of every launch is looked up. Large allocations are
 * mappings with inaccessible pages around them, so that running over the end on the
 * host side is seen; small ones come from malloc, because mappings are few. Ids count
 * up and are never used again. */
#include "emu.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../../../trace/trace.h"

#define LARGE (128u << 10)
#define ALIGN 256u
#define GAP                                                                       \
  512u /* behind a small allocation: the interpreter may read a few bytes past an \
          element */

static WW_VEC(ww_emu_block) heap; /* by address */
static uint64_t next_id = 1, used;

static uint32_t after(uint64_t address) { /* index of the first block behind address */
  uint32_t lo = 0;
  uint32_t hi = heap.n;
  while (lo < hi) {
    uint32_t mid = (lo + hi) / 2;
    if (heap.v[mid].base <= address)
      lo = mid + 1;
    else
      hi = mid;
  }
  return lo;
}

static void insert(ww_emu *s, ww_emu_block b) {
  uint32_t at = after(b.base);
  b.id = next_id++;
  ww_push(s->arena, &heap, b);
  memmove(heap.v + at + 1, heap.v + at, (heap.n - 1 - at) * sizeof *heap.v);
  heap.v[at] = b;
}

static bool counts(uint8_t kind) {
  return kind == EMU_DEVICE || kind == EMU_MANAGED || kind == EMU_ARRAY;
}

static void *map_large(uint64_t bytes, ww_emu_block *b) {
  size_t page = sysconf(_SC_PAGESIZE);
  size_t inner = (bytes + 64 + page - 1) / page * page;
  uint8_t *p = mmap(NULL, inner + 2 * page, PROT_NONE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED)
    return NULL;
  if (mprotect(p + page, inner, PROT_READ | PROT_WRITE)) {
    munmap(p, inner + 2 * page);
    return NULL;
  }
  b->map = p;
  b->mapped = inner + 2 * page;
  return p + page;
}

static void *map_small(uint64_t bytes, ww_emu_block *b) {
  void *p;
  if (posix_memalign(&p, ALIGN, bytes + GAP))
    return NULL;
  /* a program at a fixed address: the interpreter has other things down there */
  if ((uintptr_t)p < WW_GLOBAL_BASE) {
    free(p);
    return map_large(bytes, b);
  }
  memset(p, 0, bytes + GAP);
  b->map = p;
  return p;
}

void *ww_emu_alloc(uint64_t bytes, ww_emu_kind kind) {
  ww_emu *s = ww_emu_get();
  ww_emu_block b = {
      .bytes = bytes,
      .kind = kind,
  };
  ww_emu_lock();
  void *p = NULL;
  if (bytes <= UINT64_MAX / 4 && (!counts(b.kind) || bytes <= s->memory - used))
    p = bytes >= LARGE ? map_large(bytes, &b) : map_small(bytes, &b);
  if (p) {
    b.base = (uintptr_t)p;
    insert(s, b);
    if (counts(b.kind))
      used += bytes;
  }
  ww_emu_unlock();
  return p;
}

void ww_emu_adopt(void *address, uint64_t bytes, ww_emu_kind kind) {
  ww_emu *s = ww_emu_get();
  ww_emu_lock();
  insert(s, (ww_emu_block){.base = (uintptr_t)address, .bytes = bytes, .kind = kind});
  ww_emu_unlock();
}

static void give_back(const ww_emu_block *b) {
  if (b->mapped)
    munmap(b->map, b->mapped);
  else
    free(b->map);
}

/* The last block that begins at the address or before it. */
static ww_emu_block *before(uint64_t address) {
  uint32_t i = after(address);
  return i ? &heap.v[i - 1] : NULL;
}

bool ww_emu_free(void *address, bool pinned) {
  ww_emu_lock();
  ww_emu_block *b = before((uintptr_t)address);
  bool found = b && b->base == (uintptr_t)address && b->kind != EMU_SYMBOL &&
               pinned == (b->kind == EMU_PINNED || b->kind == EMU_REGISTERED);
  if (found) {
    if (counts(b->kind))
      used -= b->bytes;
    give_back(b);
    heap.n--;
    memmove(b, b + 1, (heap.v + heap.n - b) * sizeof *b);
  }
  ww_emu_unlock();
  return found;
}

bool ww_emu_find(uint64_t address, ww_emu_block *out) {
  ww_emu_lock();
  const ww_emu_block *b = before(address);
  /* One past the end still belongs to it, as pointers to an end do, unless another
   * begins there. Behind memory that was adopted lies the program's own: a host
   * variable behind a symbol's copy is no part of the symbol. */
  bool found = b && address - b->base < b->bytes + (b->map != NULL);
  if (found)
    *out = *b;
  ww_emu_unlock();
  return found;
}

void ww_emu_set_unknown(uint64_t address, bool unknown) {
  ww_emu_lock();
  ww_emu_block *b = before(address);
  if (b && address - b->base < b->bytes)
    b->unknown = unknown;
  ww_emu_unlock();
}

uint32_t ww_emu_blocks(const ww_emu_block **out) {
  *out = heap.v;
  return heap.n;
}

uint64_t ww_emu_used(void) {
  return used;
}
