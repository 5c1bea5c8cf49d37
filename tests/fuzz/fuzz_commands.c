/* fuzz_commands.c - any text as compile_commands.json beside a source: flags of the
 * kinds that are kept, or a message. `DIR` stands for the folder. A response file that
 * names itself lies there too. */
#include "fuzz.h"

#include "../../src/front/compile_commands.h"

/* The first `DIR`s as the folder's path: a database names its files by absolute paths.
 */
static char *with_folder(const char *text, ww_buf *b) {
  for (const char *p; (p = strstr(text, "DIR")); text = p + 3) {
    ww_buf_add(b, text, (size_t)(p - text));
    ww_buf_puts(b, fuzz_folder());
  }
  ww_buf_puts(b, text);
  return b->s;
}

int fuzz_commands(const uint8_t *data, size_t n) {
  static const char words[] =
      "-DFROM=1 @rsp -I inc \"-isystem\" 'a b' -U\\X\n-std=c++17 -include a.h";
  char *text = fuzz_text(data, n);
  ww_arena *a = ww_arena_new();
  ww_buf b = {0};
  with_folder(text, &b);
  const char *source = fuzz_file("a.cu", "", 0);
  fuzz_file("rsp", words, sizeof words - 1);
  const char *database = fuzz_file("compile_commands.json", b.s, b.n);
  const char *given[] = {NULL, fuzz_folder(), database};
  for (int k = 0; k < 3; k++) {
    ww_strings flags = {0};
    ww_err e = {0};
    if (ww_compile_flags(source, given[k], a, &flags, &e))
      fuzz_must(e.msg[0]);
    for (uint32_t i = 0; i < flags.n; i++)
      fuzz_must(flags.v[i]);
  }
  ww_buf_free(&b);
  ww_arena_free(a);
  free(text);
  return 0;
}
