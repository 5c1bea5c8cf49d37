/* helper_string.h of NVIDIA's samples: the command line as -name, --name and --name=value. */
#ifndef WW_HELPER_STRING_H
#define WW_HELPER_STRING_H
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <stdio.h>
inline int stringRemoveDelimiter(char c, const char *s) { int i = 0; while (s[i] == c) i++; return i >= (int)strlen(s) - 1 ? 0 : i; }
/* The text behind `name=`, "" without a value, NULL when the flag is not there. */
inline const char *__ww_flag_value(int argc, const char **argv, const char *name) {
  for (int i = 1; i < argc; i++) {
    const char *a = argv[i] + strspn(argv[i], "-"), *end = strchr(a, '=');
    size_t n = end ? (size_t)(end - a) : strlen(a);
    if (argv[i][0] == '-' && n == strlen(name) && !strncasecmp(a, name, n)) return end ? end + 1 : "";
  }
  return 0;
}
inline bool checkCmdLineFlag(int argc, const char **argv, const char *name) { return __ww_flag_value(argc, argv, name) != 0; }
inline int getCmdLineArgumentInt(int argc, const char **argv, const char *name) { const char *v = __ww_flag_value(argc, argv, name); return v ? atoi(v) : 0; }
inline float getCmdLineArgumentFloat(int argc, const char **argv, const char *name) { const char *v = __ww_flag_value(argc, argv, name); return v ? (float)atof(v) : 0; }
inline bool getCmdLineArgumentString(int argc, const char **argv, const char *name, char **out) {
  const char *v = __ww_flag_value(argc, argv, name);
  *out = (char *)v;
  return v != 0;
}
template <class T> inline bool getCmdLineArgumentValue(int argc, const char **argv, const char *name, T *out) {
  const char *v = __ww_flag_value(argc, argv, name);
  if (v) *out = (T)atof(v);
  return v != 0;
}
/* The file here or in a data folder nearby; the caller owns the name. */
inline char *sdkFindFilePath(const char *file, const char *) {
  static const char *const places[] = {"", "./data/", "../data/", "../../data/", "../../common/data/", "../../../common/data/"};
  for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
    char path[4096];
    snprintf(path, sizeof path, "%s%s", places[i], file);
    if (FILE *f = fopen(path, "rb")) return fclose(f), strdup(path);
  }
  return 0;
}
#endif
