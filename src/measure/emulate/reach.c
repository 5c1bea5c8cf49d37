/* reach.c - what an emulated program may read besides the system's libraries: the
 * project that its working folder is in, the folders of its sources and objects, files
 * and folders that its arguments name, our descriptions of GPUs, and what the user
 * adds. Not the user's home, unless the user works there. */
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "emulate_int.h"

#define LEVELS 4 /* that a project's top may be above the working folder */

static void add(ww_arena *a, ww_strings *v, const char *path) {
  char real[PATH_MAX];
  if (!path || !realpath(path, real) || !strcmp(real, "/"))
    return;
  if (!ww_strings_have(v, real))
    ww_push(a, v, ww_strdup(a, real));
}

/* The nearest folder above with a .git, but neither the user's home nor the root. */
static const char *project_of(const char *dir, ww_arena *a) {
  const char *home = getenv("HOME");
  char real[PATH_MAX];
  char own[PATH_MAX] = "";
  if (!realpath(dir, real))
    return dir;
  if (home && !realpath(home, own))
    own[0] = 0;
  const char *at = ww_strdup(a, real);
  for (int i = 0; i < LEVELS && strcmp(at, "/") && strcmp(at, own); i++) {
    if (ww_file_exists(ww_path_join(a, at, ".git")))
      return at;
    at = ww_path_dir(a, at);
  }
  return dir;
}

static void add_libraries(ww_arena *a, ww_strings *v) {
  const char *p = getenv("LD_LIBRARY_PATH");
  while (p && *p) {
    size_t n = strcspn(p, ":");
    if (n)
      add(a, v, ww_strndup(a, p, n));
    p += n + (p[n] == ':');
  }
}

const char *const *ww_emulate_reach(const ww_emulate_options *o, ww_arena *a) {
  const char *dir = o->dir ? o->dir : ".";
  const char *data = ww_data_dir(a);
  ww_strings v = {0};
  add(a, &v, dir);
  add(a, &v, project_of(dir, a));
  for (uint32_t i = 0; i < o->front.nfiles; i++)
    add(a, &v, ww_path_dir(a, o->front.files[i]));
  for (uint32_t i = 0; i < o->nobjects; i++)
    add(a, &v, ww_path_dir(a, o->objects[i]));
  for (const char *const *p = o->args; p && *p; p++) {
    add(a, &v, *p);
    if (**p != '/')
      add(a, &v, ww_path_join(a, dir, *p));
  }
  for (uint32_t i = 0; i < o->nread; i++)
    add(a, &v, o->read[i]);
  add(a, &v, ww_path_join(a, data, "gpus"));
  add(a, &v, ww_front_libraries(a));
  add_libraries(a, &v);
  ww_push(a, &v, NULL);
  return v.v;
}
