/* fuzz_comment.c - any text as a source whose comments give launches: each line's
 * comment lies inside the text, and is a launch or an error. */
#include "fuzz.h"

#include "../../src/query/query.h"

int fuzz_comment(const uint8_t *data, size_t n) {
  char *text = fuzz_text(data, n);
  size_t length = strlen(text), lines = 1;
  ww_arena *a = ww_arena_new();
  for (size_t k = 0; k < length; k++)
    lines += text[k] == '\n';
  for (uint32_t line = 0; line < 12 && line <= lines + 1; line++) {
    const char *comment = ww_source_comment(text, length, line, a);
    ww_launch l = {0};
    ww_err e = {0};
    if (!comment)
      continue;
    fuzz_must(strlen(comment) <= length && !strchr(comment, '\n'));
    fuzz_must(!*comment || strstr(text, comment));
    if (ww_launch_comment(comment, a, &l, &e))
      fuzz_must(e.msg[0]);
  }
  ww_arena_free(a);
  free(text);
  return 0;
}
