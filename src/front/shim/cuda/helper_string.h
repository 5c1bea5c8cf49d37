/* helper_string.h of NVIDIA's samples: command line parsing, type-checked only. */
#ifndef WW_HELPER_STRING_H
#define WW_HELPER_STRING_H
inline int stringRemoveDelimiter(char, const char *) { return 0; }
inline bool checkCmdLineFlag(int, const char **, const char *) { return false; }
inline int getCmdLineArgumentInt(int, const char **, const char *) { return 0; }
inline float getCmdLineArgumentFloat(int, const char **, const char *) { return 0; }
inline bool getCmdLineArgumentString(int, const char **, const char *, char **) { return false; }
template <class T> inline bool getCmdLineArgumentValue(int, const char **, const char *, T *) { return false; }
inline char *sdkFindFilePath(const char *, const char *) { return 0; }
#endif
