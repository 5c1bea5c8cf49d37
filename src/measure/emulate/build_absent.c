/* build_absent.c - functions of NVIDIA's libraries that have no stand-in. The program
 * gets them nevertheless: they answer 0, which is success in all of these libraries,
 * and do nothing, so that the program links and its own kernels are seen. The recording
 * says whose calls were left out. */
#include <ctype.h>

#include "emulate_int.h"

/* Not the CUDA API itself, nor libraries that have a stand-in: what a missing function
 * of theirs does, the program may need. */
static const char *library_of(const char *function, size_t n) {
  static const char *const libraries[] = {"cublasLt", "cublasXt", "cudnn",
                                          "cusolver", "cusparse", "cutensor",
                                          "nccl",     "nvml",     NULL};
  for (const char *const *l = libraries; *l; l++)
    if (n > strlen(*l) && ww_starts(function, *l) &&
        isupper((unsigned char)function[strlen(*l)]))
      return *l;
  return NULL;
}

/* A C function's; the arguments of a C++ one stand behind its name. */
static bool is_identifier(const char *s) {
  while (isalnum((unsigned char)*s) || *s == '_')
    s++;
  return !*s;
}

static void define(const char *function, const char *library, ww_buf *out) {
  bool text = ww_ends(function, "String") || ww_ends(function, "Name");
  ww_buf_fmt(out,
             "%s%s(void) {\n"
             "  ww_emu_note(\"calls of %s do nothing here and are not recorded\");\n"
             "  return %s;\n}\n",
             text ? "const char *" : "int ", function, library, text ? "\"\"" : "0");
}

char *ww_emulate_absent(const char *errors, ww_arena *a) {
  static const char mark[] = "undefined reference to `";
  ww_strings known = {0};
  ww_buf b = {0};
  ww_buf_puts(&b, "void ww_emu_note(const char *, ...);\n");
  for (const char *at = errors; (at = strstr(at, mark));) {
    at += strlen(mark);
    size_t n = strcspn(at, "'\n");
    const char *library = library_of(at, n);
    const char *function = ww_strndup(a, at, n);
    if (!library || !is_identifier(function) || ww_strings_have(&known, function))
      continue;
    ww_push(a, &known, function);
    define(function, library, &b);
  }
  char *text = known.n ? ww_buf_text(&b, a) : NULL;
  if (!text)
    ww_buf_free(&b);
  return text;
}
