/* cuda_images.c - the code images a program has loaded: which kernels and variables are in them.
 *
 * An image is a cubin: a kernel's code is the section .text.<mangled name>. The same image may be
 * loaded many times (contexts, libraries): one copy is kept. */
#include "cuda_int.h"

#include <pthread.h>

#include "../cubin.h"
#include "handle_table.h"

#define KEEP_MAX ((size_t)2 << 30) /* bytes of code kept in all */
#define MAX_GLOBALS 256

typedef struct {
  const char *name;
  const ww_cuda_image *image;
  void *next; /* another name with the same hash */
} kernel_name;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static ww_arena *arena;    /* lifetime: the process */
static ww_handles by_hash; /* hash of a kernel's name -> kernel_name */
static ww_handles seen;    /* hash of an image -> ww_cuda_image */
static size_t kept;

static const void *key_of(uint64_t hash) {
  return (const void *)(hash | 1);
}

static void add_kernel(const char *name, const ww_cuda_image *image) {
  const void *key = key_of(ww_hash(name, strlen(name), 0));
  kernel_name *first = ww_handles_get(&by_hash, key), *k = first;
  while (k && strcmp(k->name, name))
    k = k->next;
  if (!k) {
    k = WW_NEW(arena, kernel_name);
    *k = (kernel_name){.name = ww_strdup(arena, name), .next = first};
    ww_handles_put(&by_hash, key, k);
  }
  k->image = image;
}

static void read_names(ww_cuda_image *m, const char *cubin, size_t n) {
  ww_cubin_global *g;
  ww_strings names = {0};
  ww_arena *scratch = ww_arena_new();
  ww_cubin_sections(cubin, n, ".text.", scratch, &names);
  for (uint32_t i = 0; i < names.n; i++)
    add_kernel(names.v[i], m);
  uint32_t found = ww_cubin_globals(cubin, n, scratch, &g);
  m->globals = found ? WW_NEWN(arena, const char *, found) : NULL;
  for (uint32_t i = 0; i < found && m->nglobals < MAX_GLOBALS; i++)
    if (g[i].name[0] != '$')
      m->globals[m->nglobals++] = ww_strdup(arena, g[i].name); /* $: the compiler's own strings */
  ww_arena_free(scratch);
}

void ww_cuda_image_add(const void *cubin, size_t bytes, bool keep) {
  if (!cubin || !bytes)
    return;
  const void *key = key_of(ww_hash(cubin, bytes, 0));
  pthread_mutex_lock(&lock);
  if (!arena)
    arena = ww_arena_new();
  ww_cuda_image *m = ww_handles_get(&seen, key);
  if (!m) {
    m = WW_NEW(arena, ww_cuda_image);
    if (keep && bytes <= KEEP_MAX - kept) {
      m->code = memcpy(ww_xmalloc(bytes), cubin, bytes);
      m->bytes = bytes;
      kept += bytes;
    }
    ww_handles_put(&seen, key, m);
    read_names(m, cubin, bytes);
  }
  pthread_mutex_unlock(&lock);
}

const ww_cuda_image *ww_cuda_image_of(const char *kernel) {
  pthread_mutex_lock(&lock);
  const kernel_name *k = ww_handles_get(&by_hash, key_of(ww_hash(kernel, strlen(kernel), 0)));
  while (k && strcmp(k->name, kernel))
    k = k->next;
  const ww_cuda_image *m = k ? k->image : NULL;
  pthread_mutex_unlock(&lock);
  return m;
}
