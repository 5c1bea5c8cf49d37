/* fuzz_settings.c - any text as a project's .warpwise.json: settings within their
 * bounds; what is wrong is named and left out. */
#include "fuzz.h"

#include "../../src/serve/settings.h"

static void check(const ww_settings *s, ww_arena *a) {
  ww_buf b = {0};
  ww_json j = {0};
  fuzz_must(s->hint_percent >= 0 && s->hint_percent <= 100 && s->gain >= 1 &&
            s->gain <= 1000);
  fuzz_must(s->debounce <= 10000 &&
            (!s->budget || (s->budget >= 1000 && s->budget <= 10000000000)));
  for (uint32_t k = 0; k < s->nflags; k++)
    fuzz_must(s->flags[k]);
  for (uint32_t k = 0; k < s->ngpus; k++)
    fuzz_must(s->gpus[k]);
  for (uint32_t k = 0; k < s->nlaunches; k++) {
    const ww_launch *l = &s->launches[k].launch;
    fuzz_must(l && !l->file && !l->binary && !l->nflags);
    b.n = 0;
    ww_json_begin(&j, &b);
    ww_launch_write(l, &j);
  }
  ww_buf_free(&b);
  (void)a;
}

int fuzz_settings(const uint8_t *data, size_t n) {
  char *text = fuzz_text(data, n);
  ww_arena *a = ww_arena_new();
  ww_settings s = ww_settings_default, mine = ww_settings_default;
  ww_problems problems = {0};
  ww_err e = {0};
  fuzz_file(".warpwise.json", data, n);
  ww_settings_project(&s, ww_path_join(a, fuzz_folder(), "a.cu"), a, &problems);
  fuzz_must(s.project);
  check(&s, a);
  cJSON *section =
      ww_json_read(text, n, &e); /* of an editor: no folder, members of its own */
  ww_settings_add(&mine, section, "editor", NULL, false, a, &problems);
  cJSON_Delete(section);
  check(&mine, a);
  for (uint32_t k = 0; k < problems.n; k++)
    fuzz_must(problems.v[k][0]);
  ww_arena_free(a);
  free(text);
  return 0;
}
