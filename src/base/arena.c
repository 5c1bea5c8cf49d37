/* arena.c - bump allocation in chunks, freed all at once.
 *
 * Workload: many small objects, now and then an array that grows at the end of the
 * newest chunk. Every returned block is zeroed and 16-byte aligned. A block larger than
 * a chunk gets its own. Out of memory ends the program: no caller can go on. */
#include "base.h"

#define CHUNK                                                                        \
  (4 << 10) /* first chunk: what is kept for long is mostly small; later ones double \
             */
#define CHUNK_MAX (4 << 20)

typedef struct chunk {
  struct chunk *prev;
  size_t used, size; /* bytes of data[] */
  _Alignas(16) unsigned char data[];
} chunk;

struct ww_arena {
  chunk *top;
  size_t next; /* size of the next ordinary chunk */
};

void *ww_xmalloc(size_t bytes) {
  void *p = malloc(bytes ? bytes : 1);
  if (!p)
    ww_out_of_memory(bytes);
  return p;
}

void *ww_xcalloc(size_t n, size_t bytes) {
  void *p = calloc(n ? n : 1, bytes ? bytes : 1);
  if (!p)
    ww_out_of_memory(n * bytes);
  return p;
}

void *ww_xrealloc(void *p, size_t bytes) {
  void *q = realloc(p, bytes ? bytes : 1);
  if (!q)
    ww_out_of_memory(bytes);
  return q;
}

char *ww_xstrdup(const char *s) {
  return strcpy(ww_xmalloc(strlen(s) + 1), s);
}

ww_arena *ww_arena_new(void) {
  ww_arena *a = ww_xcalloc(1, sizeof *a);
  a->next = CHUNK;
  return a;
}

void ww_arena_free(ww_arena *a) {
  if (!a)
    return;
  for (chunk *c = a->top; c;) {
    chunk *prev = c->prev;
    free(c);
    c = prev;
  }
  free(a);
}

size_t ww_arena_bytes(const ww_arena *a) {
  size_t n = sizeof *a;
  for (const chunk *c = a->top; c; c = c->prev)
    n += sizeof *c + c->size;
  return n;
}

static size_t round16(size_t n) {
  if (n > SIZE_MAX - 15 - sizeof(chunk))
    ww_out_of_memory(n);
  return (n + 15) & ~15;
}

/* A chunk that holds `bytes`. One of its own goes below the top, so that the room left
 * in the top is not lost. */
static chunk *add_chunk(ww_arena *a, size_t bytes) {
  size_t size = bytes > a->next ? bytes : a->next;
  chunk *c = ww_xcalloc(1, sizeof *c + size);
  c->size = size;
  if (bytes > a->next && a->top) {
    c->prev = a->top->prev;
    a->top->prev = c;
  } else {
    c->prev = a->top;
    a->top = c;
    if (a->next < CHUNK_MAX)
      a->next *= 2;
  }
  return c;
}

void *ww_alloc(ww_arena *a, size_t bytes) {
  size_t n = round16(bytes ? bytes : 1);
  chunk *c = a->top;
  if (!c || c->size - c->used < n)
    c = add_chunk(a, n);
  void *p = c->data + c->used;
  c->used += n;
  return p;
}

void *ww_grow(ww_arena *a, void *old, size_t old_bytes, size_t new_bytes) {
  if (!a)
    return ww_xrealloc(old, new_bytes);
  chunk *c = a->top;
  size_t was = round16(old_bytes ? old_bytes : 1);
  size_t n = round16(new_bytes ? new_bytes : 1);
  if (old && n <= was)
    return old;
  if (old && c && (unsigned char *)old + was == c->data + c->used &&
      c->size - c->used >= n - was) {
    c->used += n - was;
    return old;
  }
  void *p = ww_alloc(a, new_bytes);
  if (old)
    memcpy(p, old, old_bytes);
  return p;
}

char *ww_strndup(ww_arena *a, const char *s, size_t n) {
  char *p = ww_alloc(a, n + 1);
  memcpy(p, s, n);
  return p;
}

char *ww_strdup(ww_arena *a, const char *s) {
  return s ? ww_strndup(a, s, strlen(s)) : NULL;
}

char *ww_fmt(ww_arena *a, const char *fmt, ...) {
  va_list ap;
  va_list again;
  va_start(ap, fmt);
  va_copy(again, ap);
  int n = vsnprintf(NULL, 0, fmt, ap);
  va_end(ap);
  char *p = ww_alloc(a, n < 0 ? 1 : (size_t)n + 1);
  if (n >= 0)
    vsnprintf(p, (size_t)n + 1, fmt, again);
  va_end(again);
  return p;
}

void ww_strings_add(ww_arena *a, ww_strings *to, const char *const *v, uint32_t n) {
  for (uint32_t k = 0; k < n; k++)
    ww_push(a, to, v[k]);
}
