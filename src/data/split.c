/* split.c - the published split of families; those it does not know, and imported
 * repositories, go by a hash, 8:1:1. */
#include "split.h"

#include "text.h"

const char *const ww_split_names[WW_NSPLITS] = {"train", "validation", "test"};

const ww_split_family ww_split_families[] = {
#define FAMILY(name, split) {#name, WW_SPLIT_##split},
#include "split.def"
};
const uint32_t ww_nsplit_families =
    sizeof ww_split_families / sizeof *ww_split_families;

static ww_split by_hash(uint64_t h) {
  uint32_t tenth = h % 10;
  return tenth < 8 ? WW_SPLIT_TRAIN : tenth == 8 ? WW_SPLIT_VALIDATION : WW_SPLIT_TEST;
}

bool ww_split_known(const char *family, ww_split *out) {
  for (uint32_t k = 0; k < ww_nsplit_families; k++)
    if (!strcmp(ww_split_families[k].name, family)) {
      if (out)
        *out = ww_split_families[k].split;
      return true;
    }
  return false;
}

ww_split ww_split_of(const ww_store_kernel *k) {
  ww_split s;
  const char *family = k->family ? k->family : "";
  if (k->origin != WW_ORIGIN_IMPORTED)
    return ww_split_known(family, &s) ? s : by_hash(ww_text_hash(family, 0));
  if (*family && strcmp(family, WW_FAMILY_IMPORT))
    return by_hash(ww_text_hash(family, 0));
  uint64_t h = k->structure ? k->structure : ww_text_hash(k->key, 0);
  return by_hash(ww_hash(&h, sizeof h, 0));
}

ww_split ww_split_at_random(const ww_store_row *r) {
  return by_hash(ww_hash(&r->number, sizeof r->number, ww_text_hash(r->kernel.key, 0)));
}
