/* note.h - what the `note` of a ready spec says about the kernel behind it: the machine
 * that measures has no source and no front end.
 *
 *   corpus/gemm/gemm.cu:gemm_tiled16 cuda number=3735928559 us=52.7
 * structure=0123456789abcdef source=0123456789abcdef
 *
 * The key comes first, then words in any order; what is missing is unknown. A note that
 * holds a key alone is one too. */
#ifndef WW_DATA_NOTE_H
#define WW_DATA_NOTE_H

#include "store.h"

typedef struct {
  /* key, origin, family, name (plain), file, dialect, source_hash, structure */
  ww_store_kernel kernel;
  /* of the launch: a hash of what it does, the same however the list around it changes;
   * 0 not said */
  uint32_t number;
  double us; /* estimated; NaN unknown */
} ww_note;

void ww_note_write(const ww_note *n, ww_buf *out);
/* WW_EDATA where the text begins with no key of a corpus or imported kernel. */
ww_status ww_note_parse(const char *text, ww_arena *a, ww_note *out, ww_err *e);
/* "corpus/<family>/<file>:<kernel>" or "import/<hash>/<file>:<kernel>" into its parts:
 * origin, family, file, name. The family of an imported one is the first folder of its
 * file: a repository, where a folder of repositories was imported. */
ww_status ww_note_key(const char *key, ww_arena *a, ww_store_kernel *out, ww_err *e);

#endif
