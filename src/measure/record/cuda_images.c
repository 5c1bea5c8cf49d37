/* cuda_images.c - the code images a program has loaded: which kernels and variables are
 * in them.
 *
 * An image is a cubin: a kernel's code is the section .text.<mangled name>. The same
 * image may be loaded many times (contexts, libraries): one copy is kept. */
#include "cuda_int.h"

#include <pthread.h>

#include "../../base/map.h"
#include "../cubin.h"

#define KEEP_MAX ((size_t)2 << 30) /* bytes of code kept in all */
#define MAX_GLOBALS 256

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static ww_arena *arena; /* lifetime: the process */
static WW_VEC(ww_cuda_image *) images;
static ww_map seen;     /* hashes of the images */
static ww_dict kernels; /* a kernel's name -> the place of the newest image with it */
static size_t kept;

/* Of the newest image. */
static void read_names(ww_cuda_image *m, const char *cubin, size_t n) {
  ww_cubin_global *g;
  ww_strings names = {0};
  bool fresh;
  /* they stay: keys of the table */
  ww_cubin_sections(cubin, n, ".text.", arena, &names);
  for (uint32_t i = 0; i < names.n; i++)
    *ww_dict_at(&kernels, arena, names.v[i], strlen(names.v[i]), &fresh) = images.n - 1;
  ww_arena *scratch = ww_arena_new();
  uint32_t found = ww_cubin_globals(cubin, n, scratch, &g);
  m->globals = found ? WW_NEWN(arena, const char *, found) : NULL;
  /* $: the compiler's own strings */
  for (uint32_t i = 0; i < found && m->nglobals < MAX_GLOBALS; i++)
    if (g[i].name[0] != '$')
      m->globals[m->nglobals++] = ww_strdup(arena, g[i].name);
  ww_arena_free(scratch);
}

void ww_cuda_image_add(const void *cubin, size_t bytes, bool keep) {
  if (!cubin || !bytes)
    return;
  uint64_t hash = ww_hash(cubin, bytes, 0) | 1; /* no key is 0 */
  bool fresh;
  pthread_mutex_lock(&lock);
  if (!arena)
    arena = ww_arena_new();
  ww_map_at(&seen, arena, hash, &fresh);
  if (fresh) {
    ww_cuda_image *m = WW_NEW(arena, ww_cuda_image);
    if (keep && bytes <= KEEP_MAX - kept) {
      m->code = memcpy(ww_xmalloc(bytes), cubin, bytes);
      m->bytes = bytes;
      kept += bytes;
    }
    ww_push(arena, &images, m);
    read_names(m, cubin, bytes);
  }
  pthread_mutex_unlock(&lock);
}

const ww_cuda_image *ww_cuda_image_of(const char *kernel) {
  pthread_mutex_lock(&lock);
  const uint32_t *at = ww_dict_find(&kernels, kernel, strlen(kernel));
  const ww_cuda_image *m = at ? images.v[*at] : NULL;
  pthread_mutex_unlock(&lock);
  return m;
}
