/* params.c - the free parameters of the time model: their table, and the file that
 * overrides their values. */
#include "../../base/jsonread.h"
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
    if (strcmp(p->name, member->string))
      continue;
    if (!cJSON_IsNumber(member) ||
        !(member->valuedouble >= p->least && member->valuedouble <= p->most))
      return ww_fail(e, WW_EDATA,
                     "parameter %s must be a number of %g to %g: fit again with "
                     "`warpwise train --machine`",
                     p->name, p->least, p->most);
    ((double *)out)[k] = member->valuedouble;
    return WW_OK;
  }
  return ww_fail(
      e, WW_EDATA,
      "this version has no parameter %.60s: fit again with `warpwise train --machine`",
      member->string);
}

uint64_t ww_param_check(uint64_t sum, const char *name, double value) {
  return ww_hash(&value, sizeof value, ww_hash(name, strlen(name), sum));
}

/* A digit that has changed is as good a number as the right one: what the file says
 * about itself has to agree. */
static ww_status check(const cJSON *root, uint64_t sum, ww_err *e) {
  const cJSON *said = cJSON_GetObjectItemCaseSensitive(root, "check");
  char is[17];
  snprintf(is, sizeof is, "%016llx", (unsigned long long)sum);
  if (!said || (cJSON_IsString(said) && !strcmp(said->valuestring, is)))
    return WW_OK;
  return ww_fail(
      e, WW_EDATA,
      "its parameters do not fit its checksum: it is damaged, get it again; where they "
      "were changed by hand, take its member \"check\" away");
}

ww_status ww_params_parse(const char *text, size_t n, ww_params *out, ww_err *e) {
  *out = ww_params_default;
  cJSON *root = ww_json_read(text, n, e);
  if (!root)
    return e ? e->code : WW_EPARSE;
  const cJSON *all = cJSON_GetObjectItemCaseSensitive(root, "params");
  const cJSON *member;
  ww_status st =
      cJSON_IsObject(all)
          ? WW_OK
          : ww_fail(e, WW_EDATA,
                    "no member \"params\": not what `warpwise train --machine` writes");
  uint64_t sum = 0;
  cJSON_ArrayForEach(member, all) {
    if (st)
      break;
    st = take(member, out, e);
    sum = ww_param_check(sum, member->string, member->valuedouble);
  }
  if (!st)
    st = check(root, sum, e);
  cJSON_Delete(root);
  return st;
}

ww_status ww_params_load(ww_arena *a, ww_params *out, ww_err *e) {
  const char *path =
      ww_path_join(a, ww_path_join(a, ww_data_dir(a), "models"), "machine.json");
  char *text;
  size_t n;
  *out = ww_params_default;
  if (!ww_file_exists(path))
    return WW_OK;
  ww_status st = ww_read_file(a, path, 1 << 20, &text, &n, e);
  if (!st)
    st = ww_params_parse(text, n, out, e);
  if (st && e && !e->file)
    e->file = path;
  return st;
}
