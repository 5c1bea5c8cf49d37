/* import.h - sources of others: which files of a folder hold kernels. */
#ifndef WW_DATA_IMPORT_H
#define WW_DATA_IMPORT_H

#include "../base/base.h"

typedef struct {
  const char *path;     /* to be opened */
  const char *relative; /* to the folder */
} ww_source_file;
typedef WW_VEC(ww_source_file) ww_source_files;

/* Files that may hold kernels, in the order of their names: .cu, .cl, .hip, and C or
 * C++ files with OpenMP target regions. Hidden folders and links are left out. */
ww_status
ww_sources_find(const char *dir, ww_arena *a, ww_source_files *out, ww_err *e);

#endif
