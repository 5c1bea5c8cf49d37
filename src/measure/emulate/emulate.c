/* emulate.c - builds a program, runs it in the sandbox, and brings what was recorded to
 * its place.
 */
#include "emulate.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "emulate_int.h"

#define MEMORY (16ull << 30)
#define DISK (8ull << 30)

static const char *make_scratch(ww_arena *a, int *slot, ww_err *e) {
  const char *tmp = getenv("TMPDIR");
  char *dir = ww_fmt(a, "%s/warpwise-XXXXXX", tmp && *tmp ? tmp : "/tmp");
  static const char *const parts[] = {"build", "out", "tmp"};
  bool ok = ww_temp_folder(dir, slot);
  for (size_t i = 0; ok && i < WW_COUNT(parts); i++)
    ok = !mkdir(ww_path_join(a, dir, parts[i]), 0777);
  if (ok)
    return ww_path_real(a, dir);
  ww_fail(e, WW_EIO, "cannot make a scratch folder '%s': %s: set TMPDIR", dir,
          strerror(errno));
  if (*slot >= 0)
    ww_remove_tree(dir);
  ww_cleanup_forget(*slot);
  return NULL;
}

/* Across file systems, and into a folder that is there: contents go by their hash, so
 * what it holds may stay. */
static ww_status move(const char *from, const char *to, ww_err *e) {
  if (!ww_file_exists(from) || !rename(from, to))
    return WW_OK;
  ww_run_result r;
  ww_status rc =
      ww_run((const char *[]){"cp", "-RT", "--", from, to, NULL}, NULL, 0, 600, &r, e);
  if (!rc && r.exit_code)
    rc = ww_fail(e, WW_EIO, "cannot write '%s': %.300s", to, r.err.s);
  ww_run_free(&r);
  return rc;
}

static ww_status run(const ww_emulate_options *o,
                     const ww_built *b,
                     const char *scratch,
                     ww_arena *a,
                     ww_emulated *out,
                     ww_err *e) {
  ww_strings argv = {0};
  ww_recorder_options record = o->record;
  const char *out_dir = ww_path_join(a, scratch, "out");
  record.path = ww_path_join(a, out_dir, ww_path_base(o->record.path));
  const char *cwd = ww_emulate_place(o->dir ? o->dir : ".", scratch, a, e);
  if (!cwd)
    return e ? e->code : WW_EIO;
  ww_push(a, &argv, b->program);
  for (const char *const *p = o->args; p && *p; p++)
    ww_push(a, &argv, *p);
  ww_push(a, &argv, NULL);
  const char *tmp = ww_path_join(a, scratch, "tmp");
  const char *libraries = ww_front_libraries(a); /* with their loader */
  const char *const own[] = {
      ww_fmt(a, "WARPWISE_EMULATE=%s", b->table),
      ww_fmt(a, "WARPWISE_RECORD=%s", ww_recorder_env(&record, a)),
      ww_fmt(a, "WARPWISE_DATA=%s", ww_data_dir(a)),
      ww_fmt(a, "TMPDIR=%s", tmp),
      ww_fmt(a, "XDG_CACHE_HOME=%s", tmp),
  };
  ww_strings env = {0};
  ww_strings_add(a, &env, own, WW_COUNT(own));
  ww_strings_add(a, &env, o->env, o->nenv);
  ww_push(a, &env, NULL);
  ww_sandbox s = {
      .argv = argv.v,
      .env = env.v,
      .cwd = cwd,
      .writable = scratch,
      .readable = ww_emulate_reach(o, a),
      .runnable = (const char *const[]){scratch, "/usr", "/bin", libraries, NULL},
      .limit_s = o->limit_s > 0 ? o->limit_s : WW_EMULATE_LIMIT_S,
      .memory = o->memory ? o->memory : MEMORY,
      .disk = o->disk ? o->disk : DISK,
      .off = o->no_sandbox,
      .show = {o->show_out ? o->show_out : -1, o->show_err ? o->show_err : -1}};
  ww_status rc = ww_sandbox_run(&s, a, out, e);
  if (rc)
    return rc;
  ww_recorded_run all; /* of its children too */
  rc = ww_recorded_collect(record.path, a, &all, e);
  out->launches = all.launches;
  if (!rc) {
    ww_file_exists(record.path) ? ww_recorded_clear_parts(o->record.path)
                                : ww_recorded_clear(o->record.path);
    rc = move(record.path, o->record.path, e);
  }
  return !rc ? move(ww_fmt(a, "%s.d", record.path), ww_fmt(a, "%s.d", o->record.path),
                    e)
             : rc;
}

ww_status
ww_emulate(const ww_emulate_options *o, ww_arena *a, ww_emulated *out, ww_err *e) {
  ww_built built;
  *out = (ww_emulated){0};
  if (!o->record.path)
    return ww_fail(e, WW_EUSAGE, "no file is given to write the launches to");
  int slot = -1;
  const char *scratch = make_scratch(a, &slot, e);
  if (!scratch)
    return WW_EIO;
  ww_status rc = ww_emulate_build(o, ww_path_join(a, scratch, "build"), a, &built, e);
  if (!rc)
    rc = run(o, &built, scratch, a, out, e);
  if (getenv("WARPWISE_KEEP"))
    fprintf(stderr, "kept: %s\n", scratch);
  else
    ww_remove_tree(scratch);
  ww_cleanup_forget(slot);
  return rc;
}
