/* gpu.c - reads a GPU description. Members it does not know are passed over: descriptions grow. */
#include "gpu.h"

#include <dirent.h>
#include <stdlib.h>

#include "../base/jsonread.h"

static int by_name(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

/* "a10, a100, h100, ..." of the descriptions that came with the program. */
static const char *known_names(const char *dir, ww_arena *a) {
  WW_VEC(char *) names = {0};
  DIR *d = opendir(dir);
  for (struct dirent *f; d && (f = readdir(d));) {
    size_t n = strlen(f->d_name);
    if (n > 5 && !strcmp(f->d_name + n - 5, ".json")) ww_push(a, &names, ww_strndup(a, f->d_name, n - 5));
  }
  if (d) closedir(d);
  if (names.n) qsort(names.v, names.n, sizeof *names.v, by_name);
  const char *list = names.n ? names.v[0] : "none";
  for (uint32_t k = 1; k < names.n; k++) list = ww_fmt(a, "%s, %s", list, names.v[k]);
  return list;
}

static ww_status parse(const cJSON *root, ww_arena *a, ww_gpu *out, ww_err *e) {
  static const struct {
    const char *name;
    size_t at;
  } texts[] = {{"name", offsetof(ww_gpu, name)},
               {"full_name", offsetof(ww_gpu, full_name)},
               {"vendor", offsetof(ww_gpu, vendor)},
               {"architecture", offsetof(ww_gpu, architecture)}},
    numbers[] = {{"lanes", offsetof(ww_gpu, lanes)}, {"sms", offsetof(ww_gpu, sms)}};
  for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
    ww_status st = ww_json_want_str(cJSON_GetObjectItemCaseSensitive(root, texts[k].name), texts[k].name,
                                    (const char **)((char *)out + texts[k].at), a, e);
    if (st) return st;
  }
  for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
    uint64_t v = 0;
    ww_status st = ww_json_want_uint(cJSON_GetObjectItemCaseSensitive(root, numbers[k].name), numbers[k].name, &v, e);
    if (st) return st;
    *(uint32_t *)((char *)out + numbers[k].at) = (uint32_t)v;
  }
  if (out->lanes != 32 && out->lanes != 64)
    return ww_fail(e, WW_EPARSE, "lanes: expected 32 or 64, not %u", out->lanes);
  if (!out->sms) return ww_fail(e, WW_EPARSE, "sms: expected at least 1");
  return WW_OK;
}

ww_status ww_gpu_load(const char *which, ww_arena *a, ww_gpu *out, ww_err *e) {
  const char *dir = ww_path_join(a, ww_data_dir(a), "gpus");
  bool is_path = strchr(which, '/') || strstr(which, ".json");
  const char *path = is_path ? which : ww_path_join(a, dir, ww_fmt(a, "%s.json", which));
  char *text;
  size_t n;
  *out = (ww_gpu){0};
  if (!is_path && !ww_file_exists(path))
    return ww_fail(e, WW_EUSAGE, "no GPU is called '%.40s'; known are %s, or give the file of a description", which,
                   known_names(dir, a));
  ww_status st = ww_read_file(a, path, 1u << 20, &text, &n, e);
  if (st) return st;
  cJSON *root = ww_json_read(text, n, e);
  st = !root ? WW_EPARSE : parse(root, a, out, e);
  cJSON_Delete(root);
  if (st && e) e->file = path;
  return st;
}
