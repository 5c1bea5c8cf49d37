/* pch.c - the prelude (ww_cuda.h, ww_hip.h) and a file's standard and shim headers,
 * precompiled in the cache folder.
 *
 * Parsing headers takes several times as long as a typical kernel file. One file in the
 * cache serves every run whose -cc1 line, clang, shim files, set of standard headers
 * and relevant macros are the same; its name is the hash of all these. A macro given by
 * -D is relevant when some header behind the file tests its name in an #if: other
 * macros take effect after the prelude, as they do for headers that a compiler includes
 * by itself. The prelude alone is precompiled at once; with standard headers
 * (<iostream>, <vector> ...) only when the same set is asked for a second time, as
 * editors and optimisers do, because building costs more than one run saves. Files are
 * written beside their place and renamed, so any number of processes may run at once;
 * clang itself verifies that no header changed since. Without a writable cache
 * everything works, only slower. */
#include "front_int.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define KEPT_MAX 16 /* precompiled headers in the cache, 5 to 15 MB each */

/* ---- the key ---- */

static uint64_t hash_str(const char *s, uint64_t h) {
  return ww_hash(s, strlen(s) + 1, h);
}

/* Names, sizes and times of all files below: what clang would verify.
 * Order-independent, as readdir gives any order. */
uint64_t ww_pch_tree(const char *dir, ww_arena *a) {
  uint64_t sum = 0;
  DIR *d = opendir(dir);
  for (struct dirent *f; d && (f = readdir(d));) {
    if (f->d_name[0] == '.')
      continue;
    const char *path = ww_path_join(a, dir, f->d_name);
    struct stat st;
    if (stat(path, &st))
      continue;
    if (S_ISDIR(st.st_mode)) {
      sum += ww_pch_tree(path, a);
      continue;
    }
    int64_t id[3] = {st.st_size, st.st_mtim.tv_sec, st.st_mtim.tv_nsec};
    sum += ww_hash(id, sizeof id, hash_str(path, 1));
  }
  if (d)
    closedir(d);
  return sum;
}

static uint64_t base_key(const ww_clang_job *j,
                         const ww_strings *line,
                         const ww_strings *own,
                         const ww_strings *headers,
                         ww_arena *a) {
  const char *prelude = ww_clang_prelude(j, a);
  uint64_t h = hash_str(j->clang->id, hash_str(prelude ? prelude : "", 0));
  h = ww_strs_hash(headers, ww_strs_hash(own, ww_strs_hash(line, h)));
  uint64_t tree = ww_pch_tree(ww_path_join(a, ww_shim_dir(a), "common"), a);
  if (prelude)
    tree += ww_pch_tree(ww_path_dir(a, prelude), a);
  return ww_hash(&tree, sizeof tree, h);
}

/* ---- the file's standard headers ---- */

static bool is_standard(const char *name, bool c) {
  static const char *const known[] = {"stdio.h",   "stdlib.h", "string.h",   "math.h",
                                      "assert.h",  "time.h",   "sys/time.h", "stdint.h",
                                      "stdbool.h", "limits.h", "float.h",    "unistd.h",
                                      "stddef.h",  "errno.h",  NULL};
  if (ww_one_of(name, known))
    return true;
  /* <vector>, <chrono>: no dot, no folder */
  return !c && *name && !name[strspn(name, "abcdefghijklmnopqrstuvwxyz_")];
}

static bool shadowed(const ww_flags *f, const char *name, ww_arena *a) {
  for (uint32_t i = 0; i + 1 < f->cc1.n; i += 2)
    if (f->cc1.v[i][1] != 'D' && f->cc1.v[i][1] != 'U' &&
        ww_file_exists(ww_path_join(a, f->cc1.v[i + 1], name)))
      return true;
  return false;
}

/* A name of the table that clang reads as an overlay. */
static bool is_alias(const char *dialect_dir, const char *name, ww_arena *a) {
  const char *table = ww_path_join(a, dialect_dir, "aliases.yaml");
  const char *dialect = ww_path_base(dialect_dir);
  char *text;
  if (ww_read_file(a, table, 1 << 20, &text, NULL, NULL))
    return false;
  return strstr(text, ww_fmt(a, "name: " WW_SHIM_ALIASES "/%s/%s,", dialect, name));
}

/* <cub/cub.cuh>, <cooperative_groups.h>: the shim's own. */
static bool in_shim(const ww_clang_job *j, const char *name, ww_arena *a) {
  const char *prelude = ww_clang_prelude(j, a);
  if (!prelude || j->sdk)
    return false;
  const char *own = ww_path_dir(a, prelude);
  const char *common = ww_path_join(a, ww_shim_dir(a), "common");
  return ww_file_exists(ww_path_join(a, own, name)) ||
         ww_file_exists(ww_path_join(a, common, name)) || is_alias(own, name, a);
}

/* <...> includes of the main file outside any #if, in order. */
static void standard_headers(const ww_clang_job *j, ww_arena *a, ww_strings *out) {
  const ww_scan *s = j->scan;
  int depth = 0;
  for (uint32_t i = 0; s && i < s->n; i++) {
    if (!ww_scan_directive(s, i))
      continue;
    const char *p = s->text + i + 1;
    p += strspn(p, " \t");
    if (ww_starts(p, "if"))
      depth++;
    if (ww_starts(p, "endif"))
      depth--;
    if (depth || !ww_starts(p, "include"))
      continue;
    p += 7 + strspn(p + 7, " \t");
    size_t n = *p == '<' ? strcspn(p + 1, ">\n") : 0;
    const char *name = ww_strndup(a, p + 1, n);
    bool known = n && (is_standard(name, !strcmp(ww_clang_language(j), "c")) ||
                       in_shim(j, name, a));
    if (known && !shadowed(j->flags, name, a))
      ww_push(a, out, name);
  }
}

/* ---- names that the prelude tests ---- */

/* Appends the identifiers of #if, #ifdef, #ifndef and #elif lines, NUL-terminated each.
 */
static void add_tested_names(const char *text, ww_buf *out) {
  for (const char *p = text; *p;) {
    const char *eol = p + strcspn(p, "\n");
    p += strspn(p, " \t");
    bool directive = *p == '#';
    p += directive;
    p += strspn(p, " \t");
    if (directive && (ww_starts(p, "if") || ww_starts(p, "elif"))) {
      while (eol[0] && eol[-1] == '\\')
        eol += 1 + strcspn(eol + 1, "\n");
      for (p += strspn(p, "elifndef"); p < eol;) {
        size_t n = ww_is_digit(*p) ? 0 : ww_word_length(p);
        if (n) {
          ww_buf_add(out, p, n);
          ww_buf_add(out, "", 1);
        }
        p += n ? n : 1;
      }
    }
    p = *eol ? eol + 1 : eol;
  }
}

static void scan_dependencies(const char *rule, ww_arena *a, ww_buf *out) {
  ww_strings files = {0};
  char *text;
  ww_rule_files(rule, a, &files);
  for (uint32_t i = 0; i < files.n; i++)
    if (!ww_read_file(a, files.v[i], 16 << 20, &text, NULL, NULL))
      add_tested_names(text, out);
}

static bool in_list(const char *list, size_t n, const char *name, size_t len) {
  for (const char *p = list; p < list + n; p += strlen(p) + 1)
    if (strlen(p) == len && !memcmp(p, name, len))
      return true;
  return false;
}

/* The user's -D and -U words whose names the prelude tests. */
static void relevant_macros(
    const ww_flags *f, const char *names, size_t n, ww_arena *a, ww_strings *out) {
  for (uint32_t i = 0; i + 1 < f->cc1.n; i += 2) {
    if (strcmp(f->cc1.v[i], "-D") && strcmp(f->cc1.v[i], "-U"))
      continue;
    if (!in_list(names, n, f->cc1.v[i + 1], strcspn(f->cc1.v[i + 1], "=(")))
      continue;
    ww_push(a, out, f->cc1.v[i]);
    ww_push(a, out, f->cc1.v[i + 1]);
  }
}

/* ---- building ---- */

static int oldest_first(const void *x, const void *y) {
  const int64_t *a = x;
  const int64_t *b = y;
  return *a < *b ? -1 : *a > *b;
}

/* Removes the least recently used ones beyond KEPT_MAX, and temporary files that a
 * killed run left an hour ago. */
static void prune(const char *cache, ww_arena *a) {
  typedef struct {
    int64_t used; /* in nanoseconds */
    const char *path;
  } entry;
  WW_VEC(entry) all = {0};
  DIR *d = opendir(cache);
  for (struct dirent *f; d && (f = readdir(d));) {
    const char *path = ww_path_join(a, cache, f->d_name);
    struct stat st;
    if (!ww_starts(f->d_name, "pch-") || stat(path, &st))
      continue;
    if (strstr(f->d_name, ".tmp")) {
      if (st.st_mtim.tv_sec < time(NULL) - 3600)
        unlink(path);
    } else if (strstr(f->d_name, ".pch")) {
      ww_push(a, &all,
              (entry){st.st_mtim.tv_sec * 1000000000ll + st.st_mtim.tv_nsec, path});
    }
  }
  if (d)
    closedir(d);
  if (all.n > KEPT_MAX)
    qsort(all.v, all.n, sizeof *all.v, oldest_first);
  for (uint32_t i = 0; i + KEPT_MAX < all.n; i++)
    unlink(all.v[i].path);
}

typedef struct {
  const ww_clang_job *j;
  const ww_strings *line;
  ww_strings own, headers, macros;
  const char *cache;
  uint64_t key;
  ww_arena *a;
} request;

static const char *place(const request *q, const char *ending) {
  return ww_fmt(q->a, "%s/pch-%016llx.%s", q->cache, (unsigned long long)q->key,
                ending);
}

static bool holds(const char *file, const ww_buf *b, ww_arena *a) {
  char *text;
  size_t n;
  return !ww_read_file(a, file, 1 << 20, &text, &n, NULL) && n == b->n &&
         !memcmp(text, b->s, n);
}

/* What is precompiled: the prelude itself, or a list of includes that lives in the
 * cache too. A list that is there stays: clang knows it by its time, and another
 * process may have just precompiled it. */
static const char *input_of(const request *q) {
  const char *prelude = ww_clang_prelude(q->j, q->a);
  const char *file = place(q, "h");
  if (!q->headers.n)
    return prelude;
  ww_buf b = {0};
  if (prelude)
    ww_buf_fmt(&b, "#include \"%s\"\n", prelude);
  for (uint32_t i = 0; i < q->headers.n; i++)
    ww_buf_fmt(&b, "#include <%s>\n", q->headers.v[i]);
  bool ok = holds(file, &b, q->a) || !ww_write_file_atomic(file, b.s, b.n, NULL);
  ww_buf_free(&b);
  return ok ? file : NULL;
}

/* Runs clang -emit-pch into a temporary file, the only one that it may write, and moves
 * the result to `file`. names_file: also writes the tested names. */
static bool build(const request *q, const char *file, const char *names_file) {
  ww_arena *a = q->a;
  const char *temp = ww_fmt(a, "%s.%d.tmp", file, (int)gettid());
  const char *deps;
  const char *input = input_of(q);
  int deps_fd = ww_memfd("", 0, a, &deps);
  if (!input || deps_fd < 0 || ww_write_file_atomic(temp, "", 0, NULL)) {
    if (deps_fd >= 0)
      ww_memfd_close(deps_fd);
    return false;
  }
  ww_strings v = {0};
  ww_strs_append(a, &v, q->line);
  ww_strs_append(a, &v, &q->own);
  for (uint32_t i = 0; i + 1 < q->macros.n; i += 2)
    ww_push(a, &v, ww_flag_word(q->macros.v[i], q->macros.v[i + 1], a));
  WW_ADD(a, &v, "-emit-pch", "-fpch-instantiate-templates", "-fno-temp-file",
         "-dependency-file", deps, "-MT", "pch", "-sys-header-deps", "-o", temp, "-x",
         ww_clang_language(q->j), input);
  ww_push(a, &v, NULL);
  int listed[] = {ww_cleanup_file(temp), ww_cleanup_file(deps)};
  ww_run_result r;
  bool ok = !ww_clang_run(v.v, &(ww_clang_may){.write = temp}, 60, &r, NULL) &&
            r.exit_code == 0;
  ww_run_free(&r);
  char *text;
  if (ok && names_file && !ww_read_file(a, deps, 16 << 20, &text, NULL, NULL)) {
    ww_buf names = {0};
    scan_dependencies(text, a, &names);
    ok = !ww_write_file_atomic(names_file, names.s ? names.s : "", names.n, NULL);
    ww_buf_free(&names);
  }
  ww_memfd_close(deps_fd);
  if (ok)
    ok = rename(temp, file) == 0;
  if (!ok)
    unlink(temp);
  ww_cleanup_forget(listed[0]);
  ww_cleanup_forget(listed[1]);
  if (ok)
    prune(q->cache, a);
  return ok;
}

/* Beyond this the file is taken to be in use; also tells prune what is old. */
static bool usable(const char *file) {
  return utimensat(AT_FDCWD, file, NULL, 0) == 0;
}

/* A macro that the file itself defines and some header tests: then the order of the two
 * matters. */
static bool file_defines(const ww_scan *s, const char *names, size_t n) {
  for (const char *p = s->text; (p = strstr(p, "define")); p += 6) {
    if (s->kind[p - s->text] != WW_BYTE_DIRECTIVE)
      continue;
    const char *name = p + 6 + strspn(p + 6, " \t");
    if (in_list(names, n, name, strcspn(name, " \t\n(\r")))
      return true;
  }
  return false;
}

static const char *get(request *q, bool rebuild) {
  ww_clang_own_words(q->j, q->a, &q->own);
  q->key = base_key(q->j, q->line, &q->own, &q->headers, q->a);
  const char *names_file = place(q, "names");
  const char *file = place(q, "pch");
  const char *seen = place(q, "seen");
  char *names;
  size_t n;
  bool set = q->headers.n > 0, later = set && q->j->headers_later;
  if (ww_read_file(q->a, names_file, 4 << 20, &names, &n, NULL)) {
    if (later)
      return NULL;
    if (set && !q->j->headers_now && !ww_file_exists(seen)) {
      ww_write_file_atomic(seen, "", 0, NULL);
      return NULL;
    }
    if (!build(q, file, names_file)) {
      if (set)
        unlink(seen); /* try no more than every other time */
      return NULL;
    }
    rebuild = false;
    if (ww_read_file(q->a, names_file, 4 << 20, &names, &n, NULL))
      return NULL;
  }
  if (set && file_defines(q->j->scan, names, n))
    return NULL;
  relevant_macros(q->j->flags, names, n, q->a, &q->macros);
  if (q->macros.n) {
    q->key = ww_strs_hash(&q->macros, q->key);
    file = place(q, "pch");
  }
  if (!rebuild && usable(file))
    return file;
  return !later && build(q, file, NULL) ? file : NULL;
}

const char *
ww_pch_get(const ww_clang_job *j, const ww_strings *line, bool rebuild, ww_arena *a) {
  const char *prelude = ww_clang_prelude(j, a);
  const char *file = NULL;
  request q = {
      .j = j, .line = line, .a = a, .cache = j->no_cache ? NULL : ww_front_cache(a)};
  if (!q.cache || (prelude && !ww_file_exists(prelude)))
    return NULL;
  standard_headers(j, a, &q.headers);
  if (q.headers.n)
    file = get(&q, rebuild);
  if (file || !prelude)
    return file;
  q.headers.n = q.own.n = q.macros.n = 0;
  return get(&q, rebuild);
}
