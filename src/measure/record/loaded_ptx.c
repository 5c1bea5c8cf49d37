/* loaded_ptx.c - the PTX that a recorded program gave the driver, by its kernels.
 *
 * The driver tells of a loaded module only what it compiled it to; the PTX is in the
 * argument of the call, as text, in a fat binary, or behind the runtime's pointer to
 * one. Texts are copied once and kept up to a bound, because a program may load far
 * more code than it runs. */
#include "loaded_ptx.h"

#include <pthread.h>

#include "../../base/map.h"
#include "../../cuda/fatbin.h"
#include "../../front/ptx.h"

#define KEEP_MAX ((size_t)256 << 20) /* bytes of PTX kept in all */
#define LOOK_MAX ((size_t)1 << 30)   /* bytes of one fat binary */

typedef struct {
  const char *text;
  size_t n;
} ptx;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static ww_arena *arena; /* lifetime: the process */
static WW_VEC(ptx) texts;
static ww_map seen;     /* hashes of the texts */
static ww_dict kernels; /* a kernel's name -> the place of the newest text with it */
static size_t kept;

/* Of the newest text: what stands behind each .entry. */
static void read_names(const ptx *p) {
  static const char word[] = ".entry";
  for (const char *s = p->text; (s = strstr(s, word));) {
    s += sizeof word - 1;
    s += strspn(s, " \t\r\n");
    size_t n = strcspn(s, " \t\r\n(,;{");
    bool fresh;
    if (n)
      *ww_dict_at(&kernels, arena, s, n, &fresh) = texts.n - 1;
  }
}

static void keep(const char *text, size_t n) {
  bool fresh;
  pthread_mutex_lock(&lock);
  if (!arena)
    arena = ww_arena_new();
  ww_map_at(&seen, arena, ww_hash(text, n, 0) | 1, &fresh); /* no key is 0 */
  if (fresh && n <= KEEP_MAX - kept) {
    kept += n;
    ww_push(arena, &texts, (ptx){ww_strndup(arena, text, n), n});
    read_names(&texts.v[texts.n - 1]);
  }
  pthread_mutex_unlock(&lock);
}

void ww_loaded_ptx_add(const void *image) {
  uint32_t magic;
  if (!image)
    return;
  memcpy(&magic, image, sizeof magic);
  if (magic == WW_FATBIN_WRAPPER) { /* magic, version, the fat binary */
    memcpy(&image, (const char *)image + 8, sizeof image);
    if (!image)
      return;
    memcpy(&magic, image, sizeof magic);
  }
  if (magic == WW_FATBIN_MAGIC) {
    size_t bytes = ww_fatbin_bytes(image);
    ww_arena *scratch = ww_arena_new();
    char *text;
    size_t n;
    if (bytes && bytes <= LOOK_MAX &&
        !ww_fatbin_ptx(image, bytes, scratch, &text, &n, NULL))
      keep(text, n);
    ww_arena_free(scratch);
  } else if (!memchr(&magic, 0, sizeof magic) && ww_ptx_begins(image))
    keep(image, strlen(image));
}

const char *ww_loaded_ptx_of(const char *kernel, size_t *n) {
  pthread_mutex_lock(&lock);
  const uint32_t *at = ww_dict_find(&kernels, kernel, strlen(kernel));
  const char *text = at ? texts.v[*at].text : NULL;
  *n = at ? texts.v[*at].n : 0;
  pthread_mutex_unlock(&lock);
  return text;
}
