/* record.c - `warpwise record`: runs a program and writes its launches, one spec per
 * distinct one.
 *
 * The library beside this program is loaded into it: by the CUDA driver
 * (CUDA_INJECTION64_PATH) and by the dynamic linker (LD_PRELOAD, for OpenCL). With
 * --emulate the program is built here and runs without a GPU. */
#include <dlfcn.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../measure/emulate/emulate.h"
#include "../measure/measure.h"
#include "../measure/record/recorder.h"
#include "source.h"

#define MOST_S 1e7 /* --limit */
#define MOST_MIB (1ull << 30)
/* contents that an emulated program's launches have without --contents, bytes: what
 * steers kernels (indices, sizes, graphs) is often no larger */
#define SMALL (4ull << 20)
#define SMALL_IN_ALL (64ull << 20)

extern char **environ;

typedef struct {
  ww_source_options source;
  const char *out, *file, *cflags, *dir, *execute;
  bool contents, code, measure, emulate, no_sandbox;
  ww_strings read, env;
  uint64_t contents_limit, per_kernel, most, limit, disk;
} options;

static const ww_option table[] = {
    WW_OPTION_AS(
        out, "output", "FILE", "where the launches go (default launches.jsonl)", 'o'),
    WW_OPTION(
        contents, NULL, "keep every buffer's bytes, beside the launches in FILE.d/"),
    WW_OPTION(code,
              NULL,
              "keep the compiled code too, for measuring without the source; "
              "--contents does"),
    WW_OPTION_AS(contents_limit,
                 "contents-limit",
                 "BYTES",
                 "of contents in all, before compression (default 1 GiB)"),
    WW_OPTION_AS(per_kernel,
                 "per-kernel",
                 "N",
                 "distinct launches kept of each kernel (default 64)"),
    WW_OPTION(most, "N", "distinct launches kept in all (default 10000)"),
    WW_OPTION_AS(file,
                 "source",
                 "FILE",
                 "the kernels' source, written to the launches as their `file`"),
    WW_OPTION(measure,
              NULL,
              "record contents and code, then measure each distinct launch on its own"),
    WW_OPTION(emulate,
              NULL,
              "build the program from its sources and run it here, without a GPU"),
    WW_OPTION(execute,
              "WHICH",
              "with --emulate: kernels that run in the interpreter: all, none, auto "
              "(default: those whose results the program reads before it goes on)"),
    WW_OPTION(
        cflags, "FLAGS", "with --emulate: more flags for the compiler, in one word"),
    WW_OPTION(dir,
              "DIR",
              "with --emulate: the program's working folder (it is not written to)"),
    WW_OPTION(limit, "SECONDS", "with --emulate: of the program's run (default 60)"),
    WW_OPTION(disk, "MIB", "with --emulate: that the program may write (default 8192)"),
    WW_OPTION(read,
              "PATH",
              "with --emulate: a file or folder that the program may read; its project "
              "can be read "
              "anyway"),
    WW_OPTION(env,
              "NAME=VALUE",
              "with --emulate: a variable of the program's environment, which has few "
              "of yours"),
    WW_OPTION_AS(no_sandbox,
                 "no-sandbox",
                 NULL,
                 "with --emulate: let the program write and connect"),
    WW_FRONT_OPTIONS(options),
    {0},
};

typedef struct {
  int exit_code; /* 128 + signal */
  bool timed_out, disk_full;
} ended;

/* ---- a real program ---- */

const char *ww_recorder_library(ww_arena *a) {
  static const char name[] = "libwarpwise-record.so";
  const char *dir = ww_path_dir(a, ww_self_path(a));
  const char *places[] = {dir, ww_fmt(a, "%s/../lib/warpwise", dir),
                          WW_PREFIX "/lib/warpwise"};
  for (size_t i = 0; i < WW_COUNT(places); i++) {
    const char *path = ww_path_join(a, places[i], name);
    if (ww_file_exists(path))
      return path;
  }
  return NULL;
}

/* The environment with the recorder in it; our own stays as it is. */
static char **environment(const ww_recorder_options *r, const char *so, ww_arena *a) {
  static const char *const names[] = {
      "WARPWISE_RECORD=", "CUDA_INJECTION64_PATH=", "LD_PRELOAD="};
  WW_VEC(char *) env = {0};
  const char *preload = getenv("LD_PRELOAD");
  for (char **v = environ; *v; v++) {
    bool ours = false;
    for (size_t i = 0; i < 3; i++)
      ours = ours || ww_starts(*v, names[i]);
    if (!ours)
      ww_push(a, &env, *v);
  }
  ww_push(a, &env, ww_fmt(a, "%s%s", names[0], ww_recorder_env(r, a)));
  ww_push(a, &env, ww_fmt(a, "%s%s", names[1], so));
  ww_push(a, &env,
          ww_fmt(a, "%s%s%s%s", names[2], so, preload && *preload ? ":" : "",
                 preload ? preload : ""));
  ww_push(a, &env, NULL);
  return env.v;
}

/* Runs it with our terminal; what the keyboard ends is the program, not us. */
static ww_status
spawn(const char *const *argv, char **env, bool to_stderr, ended *out, ww_err *e) {
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attr;
  sigset_t plain;
  pid_t pid;
  int status = 0;
  fflush(stdout);
  posix_spawn_file_actions_init(&files);
  posix_spawnattr_init(&attr);
  if (to_stderr)
    posix_spawn_file_actions_adddup2(&files, 2, 1);
  sigemptyset(&plain);
  sigaddset(&plain, SIGINT);
  sigaddset(&plain, SIGQUIT);
  posix_spawnattr_setsigdefault(&attr, &plain);
  posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGDEF);
  void (*interrupt)(int) = signal(SIGINT, SIG_IGN);
  void (*quit)(int) = signal(SIGQUIT, SIG_IGN);
  int why = posix_spawnp(&pid, argv[0], &files, &attr, (char *const *)argv, env);
  int listed = why ? -1 : ww_cleanup_process(pid);
  while (!why && waitpid(pid, &status, 0) < 0 && errno == EINTR)
    continue;
  ww_cleanup_forget(listed);
  signal(SIGINT, interrupt);
  signal(SIGQUIT, quit);
  posix_spawnattr_destroy(&attr);
  posix_spawn_file_actions_destroy(&files);
  if (why)
    return ww_fail(e, WW_EIO, "cannot run '%s': %s", argv[0], strerror(why));
  out->exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return WW_OK;
}

static ww_status run_program(ww_cmd *c, const ww_recorder_options *r, ended *out) {
  if (c->noperands)
    return ww_usage(c, "'%s': the program goes behind --; source files need --emulate",
                    c->operands[0]);
  if (!c->nrest)
    return ww_usage(
        c,
        "record: name the program: warpwise record [options] -- ./program arguments");
  const char *so = ww_recorder_library(c->arena);
  if (!so)
    return ww_fail(
        &c->err, WW_EIO,
        "libwarpwise-record.so is neither beside the program nor in " WW_PREFIX
        "/lib/warpwise; run make, or make install");
  ww_strings argv = {0};
  ww_strings_add(c->arena, &argv, c->rest, c->nrest);
  ww_push(c->arena, &argv, NULL);
  return spawn(argv.v, environment(r, so, c->arena), c->json, out, &c->err);
}

/* ---- an emulated one ---- */

static void add_words(ww_arena *a, ww_strings *out, const char *text) {
  while (text && *(text += strspn(text, " \t\n"))) {
    size_t n = strcspn(text, " \t\n");
    ww_push(a, out, ww_strndup(a, text, n));
    text += n;
  }
}

static bool is_object(const char *file) {
  const char *dot = strrchr(ww_path_base(file), '.');
  return ww_is(dot, ".o") || ww_is(dot, ".a") || ww_is(dot, ".so");
}

static ww_status emulate(ww_cmd *c, const ww_recorder_options *r, ended *out) {
  const options *o = c->opt;
  ww_arena *a = c->arena;
  ww_strings files = {0};
  ww_strings objects = {0};
  ww_strings flags = {0};
  ww_strings args = {0};
  for (uint32_t i = 0; i < c->noperands; i++) {
    const char *w = c->operands[i];
    ww_push(a, w[0] == '-' ? &flags : is_object(w) ? &objects : &files, w);
  }
  add_words(a, &flags, o->cflags);
  ww_strings_add(a, &args, c->rest, c->nrest);
  ww_push(a, &args, NULL);
  if (!files.n)
    return ww_usage(c, "record --emulate: name the program's source files");
  int execute = ww_word_option(c, "execute", o->execute, "none all auto");
  if (execute < 0)
    return c->err.code;
  ww_emulate_options x = {.args = args.v,
                          .gpu = c->gpu,
                          .execute = o->execute ? (ww_execute)execute : WW_EXECUTE_AUTO,
                          .record = *r,
                          .dir = o->dir,
                          .no_sandbox = o->no_sandbox,
                          .disk = o->disk < MOST_MIB ? o->disk << 20 : 0,
                          .read = o->read.v,
                          .nread = o->read.n,
                          .env = o->env.v,
                          .nenv = o->env.n,
                          .limit_s = o->limit < MOST_S ? o->limit : MOST_S,
                          .show_out = ww_is_quiet() ? 0
                                      : c->json     ? 2
                                                    : 1,
                          .show_err = ww_is_quiet() ? 0 : 2,
                          .objects = objects.v,
                          .nobjects = objects.n};
  c->nrest = 0; /* behind -- stand the program's arguments, not clang's */
  c->file = files.v[0];
  ww_source s;
  if (ww_source_of(c, &o->source, files.v, files.n,
                   &(ww_launch){.flags = flags.v, .nflags = flags.n}, &s) ||
      ww_query_front(&s, a, &x.front, &c->err))
    return c->err.code;
  ww_emulated done = {0};
  ww_status st = ww_emulate(&x, a, &done, &c->err);
  if (!st && done.weaker && !ww_is_quiet())
    fprintf(stderr,
            "warpwise: warning: this system has no way to confine the program's %s\n",
            done.weaker);
  *out = (ended){done.exit_code, done.timed_out, done.disk_full};
  return st;
}

/* ---- what came of it ---- */

static ww_status nothing(ww_cmd *c, const ww_recorded_run *r, const ended *end) {
  const options *o = c->opt;
  const char *why = r->nnotes ? r->notes[0] : NULL;
  if (o->emulate)
    return ww_fail(
        &c->err, WW_EDATA,
        "nothing was recorded: the program launched no kernel (exit status %d)%s%s",
        end->exit_code, why ? "; " : "", why ? why : "");
  if (why)
    return ww_fail(&c->err, WW_EDATA, "nothing was recorded: %s", why);
  void *driver = dlopen("libcuda.so.1", RTLD_LAZY);
  if (driver)
    dlclose(driver);
  return ww_fail(&c->err, WW_EDATA,
                 "nothing was recorded: '%s' (exit status %d) launched no kernel that "
                 "could be seen. %s"
                 "OpenCL programs must be linked with libOpenCL (not open it "
                 "themselves); programs that are "
                 "linked statically or run as another user cannot be recorded",
                 c->rest[0], end->exit_code,
                 driver ? "CUDA programs need libcupti (set CUDA_HOME to the toolkit); "
                        : "There is no CUDA driver here (libcuda.so.1): for a CUDA "
                          "program see --emulate; ");
}

static void
say_summary(ww_cmd *c, const char *path, const ww_recorded_run *r, const ended *end) {
  if (c->json && path) { /* what was measured has lines of its own */
    ww_json *j = ww_line_begin();
    ww_json_put(j, "recorded:%s,launches:%lu,distinct:%u,kernels:%u,exit_code:%d", path,
                r->launches, r->nlines, r->kernels, end->exit_code);
    ww_json_strings(j, "notes", r->notes, r->nnotes);
    ww_line_end(j);
  }
  if (ww_is_quiet())
    return;
  for (uint32_t i = 0; i < r->nnotes; i++)
    fprintf(stderr, "warpwise: note: %s\n", r->notes[i]);
  if (end->timed_out)
    fprintf(
        stderr,
        "warpwise: warning: the program took too long and was ended; see --limit\n");
  else if (end->disk_full)
    fprintf(
        stderr,
        "warpwise: warning: the program wrote too much and was ended; see --disk\n");
  else if (end->exit_code)
    fprintf(stderr,
            "warpwise: warning: the program ended with status %d; its launches up to "
            "there are kept\n",
            end->exit_code);
  fprintf(stderr, "warpwise: %" PRIu64 " launch%s of %u kernel%s, %u distinct%s%s\n",
          r->launches, r->launches == 1 ? "" : "es", r->kernels,
          r->kernels == 1 ? "" : "s", r->nlines, path ? ", in " : "", path ? path : "");
}

/* ---- measuring what was recorded ---- */

typedef struct {
  ww_cmd *c;
  ww_status worst; /* of the rows */
} printer;

static void print_row(void *ctx, uint32_t index, const ww_measure_row *row) {
  printer *p = ctx;
  ww_cmd *c = p->c;
  (void)index;
  p->worst = ww_worse(p->worst, row->report.error.code);
  if (!c->json) {
    const ww_launch *l = row->report.launch;
    printf("%" PRIu64 " launch%s of ", l ? l->count : 1,
           l && l->count == 1 ? "" : "es");
    if (row->report.error.code)
      printf("%s: %s\n", row->report.kernel ? row->report.kernel : "?",
             row->report.error.msg);
    else
      ww_report_print(&row->report, stdout);
    return;
  }
  ww_print_report(&row->report, row->report.error.code ? NULL : ww_measured_write,
                  (void *)&row->measured);
}

static ww_status measure(ww_cmd *c, const ww_recorded_run *r) {
  ww_measure_options o = {.device = c->device};
  printer p = {.c = c};
  ww_status st = ww_measure(r->lines, r->nlines, &o, ww_self_path(c->arena),
                            &(ww_measure_sink){.ctx = &p, .row = print_row}, &c->err);
  return st ? st : p.worst;
}

/* ---- the command ---- */

/* The file's folder must be there before the program runs: it would run in vain. What
 * is overwritten is a recording, and a plain file: it is removed first, which must not
 * happen to a device or a folder. */
static ww_status check_output(const char *path, ww_cmd *c) {
  const char *dir = ww_path_dir(c->arena, path);
  struct stat there;
  if (access(dir, W_OK | X_OK) != 0)
    return ww_fail(&c->err, WW_EIO, "cannot write '%s': %s: %s", path, dir,
                   strerror(errno));
  if (lstat(path, &there) == 0 && !S_ISREG(there.st_mode))
    return ww_usage(c, "'%s' is there and is no plain file; name another with -o",
                    path);
  char begin[2] = "{";
  FILE *f = fopen(path, "r");
  size_t n = f ? fread(begin, 1, 2, f) : 0;
  if (f)
    fclose(f);
  if (n && begin[0] != '{' && memcmp(begin, "# ", 2) != 0)
    return ww_usage(c, "'%s' is there and is no recording; name another file with -o",
                    path);
  return WW_OK;
}

static ww_status run_and_report(ww_cmd *c, ww_recorder_options *r) {
  const options *o = c->opt;
  ended end = {0};
  ww_recorded_run got = {0};
  ww_status st = check_output(r->path, c);
  if (st)
    return st;
  if (!o->emulate)
    ww_recorded_clear(r->path); /* an emulated one takes its place when it is whole */
  st = o->emulate ? emulate(c, r, &end) : run_program(c, r, &end);
  if (!st)
    st = ww_recorded_collect(r->path, c->arena, &got, &c->err);
  if (!st && !got.nlines)
    st = nothing(c, &got, &end);
  if (st)
    return st;
  say_summary(c, o->measure && !o->out ? NULL : r->path, &got, &end);
  return o->measure ? measure(c, &got) : WW_OK;
}

static ww_status run(ww_cmd *c) {
  const options *o = c->opt;
  if (o->measure && o->emulate)
    return ww_usage(c,
                    "--measure needs a device, --emulate is for machines without one");
  if ((o->execute || o->cflags || o->dir) && !o->emulate)
    return ww_usage(c, "--execute, --cflags and --dir go with --emulate");
  if ((o->read.n || o->env.n) && !o->emulate)
    return ww_usage(c, "--read and --env go with --emulate");
  for (uint32_t i = 0; i < o->env.n; i++)
    if (!strchr(o->env.v[i], '=') || ww_starts(o->env.v[i], "WARPWISE_"))
      return ww_usage(c, "--env '%s': a variable of the program, as NAME=VALUE",
                      o->env.v[i]);
  const char *tmp = getenv("TMPDIR");
  char *temporary =
      ww_fmt(c->arena, "%s/warpwise-record.XXXXXX", tmp && *tmp ? tmp : "/tmp");
  bool temp = o->measure && !o->out;
  bool small = o->emulate && !o->contents && !o->measure;
  int slot = -1;
  if (temp && !ww_temp_folder(temporary, &slot))
    return ww_fail(&c->err, WW_EIO, "cannot make '%s': %s", temporary, strerror(errno));
  ww_recorder_options r = {
      .path = temp     ? ww_path_join(c->arena, temporary, "launches.jsonl")
              : o->out ? o->out
                       : "launches.jsonl",
      .contents = o->contents || o->measure || o->emulate,
      .binaries = o->contents || o->code || o->measure,
      .contents_limit = o->contents_limit ? o->contents_limit
                        : small           ? SMALL_IN_ALL
                                          : 0,
      .contents_each = small ? SMALL : 0,
      .per_kernel = o->per_kernel > UINT32_MAX ? UINT32_MAX : o->per_kernel,
      .most = o->most > UINT32_MAX ? UINT32_MAX : o->most,
      .source = o->file};
  ww_status st = o->file && !ww_file_exists(o->file)
                     ? ww_fail(&c->err, WW_EIO, "--source: cannot open '%s': %s",
                               o->file, strerror(errno))
                     : run_and_report(c, &r);
  if (temp)
    ww_remove_tree(temporary);
  ww_cleanup_forget(slot);
  return st;
}

const ww_command ww_cmd_record = {
    "record",
    "run a program and write its kernel launches, one line per distinct one",
    "[options] -- ./program arguments\n"
    "       warpwise record --emulate FILE... [-Dname -Idir -std=... -lm] [options] -- "
    "arguments",
    .details = "The lines are launch specs with their counts: names, shapes, scalars, "
               "symbols, "
               "buffers with size and first bytes.\n"
               "What the program prints goes where it always does, with --json to "
               "stderr (a summary "
               "to stdout).\nUnder --emulate it is shown only if the program fails.\n"
               "Ends with 0 when something was recorded, whatever the program's own "
               "status was.",
    .examples =
        "  warpwise record -- ./app --size 1024\n"
        "  warpwise record -o run.jsonl --contents -- python3 train.py\n"
        "  warpwise record --emulate main.cu util.cu -DN=1024 --gpu h200 -- 1024 1024\n"
        "  warpwise trace --launch run.jsonl\n",
    WW_OPTIONS,
    .compiler_flags = true,
    .run = run,
};
