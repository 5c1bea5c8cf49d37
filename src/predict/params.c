/* params.c - the free parameters of the time model: their table, and the file that overrides their values. */
#include "../base/jsonread.h"
#include "predict.h"

const ww_param_info ww_param_table[] = {
#define PARAM(name, value, least, most, meaning) {#name, meaning, value, least, most},
#include "params.def"
};
const uint32_t ww_nparams = sizeof ww_param_table / sizeof *ww_param_table;
const ww_params ww_params_default = {
#define PARAM(name, value, least, most, meaning) value,
#include "params.def"
};

static ww_status take(const cJSON *member, ww_params *out, ww_err *e) {
  for (uint32_t k = 0; k < ww_nparams; k++) {
    const ww_param_info *p = &ww_param_table[k];
    if (strcmp(p->name, member->string)) continue;
    if (!cJSON_IsNumber(member) || !(member->valuedouble >= p->least && member->valuedouble <= p->most))
      return ww_fail(e, WW_EDATA,
                     "parameter %s must be a number of %g to %g: fit again with `warpwise train --machine`", p->name,
                     p->least, p->most);
    ((double *)out)[k] = member->valuedouble;
    return WW_OK;
  }
  return WW_OK; /* of another version: passed over */
}

ww_status ww_params_parse(const char *text, size_t n, ww_params *out, ww_err *e) {
  *out = ww_params_default;
  cJSON *root = ww_json_read(text, n, e);
  if (!root) return e ? e->code : WW_EPARSE;
  const cJSON *all = cJSON_GetObjectItemCaseSensitive(root, "params"), *member;
  ww_status st = cJSON_IsObject(all)
                     ? WW_OK
                     : ww_fail(e, WW_EDATA, "no member \"params\": not what `warpwise train --machine` writes");
  cJSON_ArrayForEach(member, all) {
    if (!st) st = take(member, out, e);
  }
  cJSON_Delete(root);
  return st;
}

ww_status ww_params_load(ww_arena *a, ww_params *out, ww_err *e) {
  const char *path = ww_path_join(a, ww_path_join(a, ww_data_dir(a), "models"), "machine.json");
  char *text;
  size_t n;
  *out = ww_params_default;
  if (!ww_file_exists(path)) return WW_OK;
  ww_status st = ww_read_file(a, path, 1 << 20, &text, &n, e);
  if (!st) st = ww_params_parse(text, n, out, e);
  if (st && e && !e->file) e->file = path;
  return st;
}
