/* triton.c - what lies beside a kernel in Triton's cache: the number of its warps and
 * its shared memory, in NAME.json beside NAME.ptx. */
#include "../base/jsonread.h"
#include "query_int.h"

enum { MOST_BYTES = 1 << 20 };

static cJSON *read_metadata(const ww_query *w, const char *path, ww_arena *a) {
  char *text;
  size_t n;
  const char *root = w ? w->root : NULL;
  return ww_read_below(a, root, path, MOST_BYTES, &text, &n, NULL)
             ? NULL
             : ww_json_read(text, n, NULL);
}

const ww_launch *ww_triton_launch(const ww_query *w,
                                  const ww_query_unit *r,
                                  ww_arena *a,
                                  ww_query_kernel *k) {
  const char *path = r->source.path;
  if (!ww_ends(path, ".ptx"))
    return NULL;
  path = ww_fmt(a, "%.*s.json", (int)(strlen(path) - strlen(".ptx")), path);
  cJSON *j = read_metadata(w, path, a);
  const char *name = j ? ww_json_text(j, "name", a) : NULL;
  uint64_t warps = j ? ww_json_whole(j, "num_warps") : 0;
  ww_launch *out = NULL;
  if (name && !strcmp(name, k->fn->mangled) && warps && warps <= 32) {
    out = WW_NEW(a, ww_launch);
    out->block[0] = warps * r->unit->module.warp;
    out->block[1] = out->block[2] = 1;
    out->shared = ww_json_whole(j, "shared");
    out->shared_given = true;
    if (!k->launch.shared_given)
      ww_push(
          a, &k->said,
          (ww_assumption){WW_ASSUME_METADATA, ww_strdup(a, ww_path_base(path)), {0}});
  }
  cJSON_Delete(j);
  return out;
}
