/* job.c - the file of a job: lines out and in.
 *
 * Invariant: whatever ends a writer, every line before its last one is whole, and the
 * last one is whole or has no newline. A reader passes over such a rest, the next
 * writer cuts it off. A text that an earlier candidate has too is written once. */
#include "job.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../base/json_put.h"
#include "../base/jsonread.h"

#define VERSION 1
#define LARGEST (1u << 30) /* bytes of a job */

const char *const ww_job_verdict_names[WW_NJOB_VERDICTS] = {"unverified", "same",
                                                            "different"};
const char *const ww_job_state_names[WW_NJOB_STATES] = {"none", "measured", "failed",
                                                        "wrong", "impossible"};

/* ---- appending ---- */

/* Cuts off what a crash left behind the last newline. */
static bool cut_rest(int fd) {
  struct stat s;
  char c = 0;
  if (fstat(fd, &s))
    return false;
  off_t end = s.st_size;
  while (end > 0 && pread(fd, &c, 1, end - 1) == 1 && c != '\n')
    end--;
  return end == s.st_size || !ftruncate(fd, end);
}

static ww_status no_write(const char *path, int why, ww_err *e) {
  return why == EEXIST ? ww_fail(e, WW_EUSAGE,
                                 "%s is there already: --resume goes on with it", path)
                       : ww_fail(e, WW_EIO, "cannot write %s: %s", path, strerror(why));
}

static ww_status append(const char *path, ww_json *j, ww_err *e) {
  ww_buf_puts(&j->own, "\n");
  int fd = open(path, O_RDWR | O_APPEND | O_CLOEXEC);
  bool ok = fd >= 0 && !flock(fd, LOCK_EX) && cut_rest(fd) &&
            ww_write_all(fd, j->own.s, j->own.n) && !fsync(fd);
  int why = errno;
  if (fd >= 0)
    close(fd);
  ww_buf_free(&j->own);
  return ok ? WW_OK : no_write(path, why, e);
}

/* The file appears with its first line in it, or not at all. */
ww_status ww_job_create(const ww_job *j, ww_err *e) {
  ww_json out = {0};
  ww_json_put(&out, "{job:%d,tool:%s,gpu?:%s,settings:", VERSION, j->tool, j->gpu);
  ww_json_raw(&out, j->settings ? j->settings : "{}");
  ww_json_put(&out, "}");
  ww_buf_puts(&out.own, "\n");
  const char *before = ww_fmt(j->a, "%s.new-%d", j->path, (int)getpid());
  ww_status st = ww_write_file_atomic(before, out.own.s, out.own.n, e);
  if (!st && link(before, j->path))
    st = no_write(j->path, errno, e);
  unlink(before);
  ww_buf_free(&out.own);
  return st;
}

/* The first candidate with the same text; its own number: there is none before. */
static uint32_t text_of(const ww_job *j, const ww_job_candidate *c) {
  for (uint32_t k = 0; k < j->v.n && k < c->id; k++)
    if (!strcmp(j->v.v[k].text, c->text))
      return k;
  return c->id;
}

static void write_candidate(const ww_job *j, const ww_job_candidate *c, ww_json *out) {
  uint32_t same = text_of(j, c);
  ww_launch l = c->launch;
  l.file = l.binary = l.dir = NULL;
  l.kernel = NULL;
  l.nflags = 0;
  ww_json_put(out, "{candidate:%u,parent:%u,label:%s,file:%s,kernel:%s,", c->id,
              c->parent, c->label, c->file, c->kernel);
  if (same == c->id)
    ww_json_kstr(out, "text", c->text);
  else
    ww_json_kuint(out, "text_of", same);
  ww_json_strings(out, "flags", c->flags, c->nflags);
  ww_json_put(out, "values:{");
  for (uint32_t k = 0; k < c->nvalues; k++)
    ww_json_knum(out, c->values[k].name, c->values[k].value);
  ww_json_put(out, "},launch:");
  ww_launch_write(&l, out);
  if (c->predicted.known)
    ww_json_put(out, "predicted:{us:%g,low:%g,high:%g}", c->predicted.value,
                c->predicted.low, c->predicted.high);
  const ww_job_needs *n = &c->needs;
  ww_json_put(out,
              "needs:{read_bytes:%g,written_bytes:%g,flops_fp64:%g,flops_fp32:%g,"
              "flops_fp16:%g,flops_tensor:%g},verdict:%s,why?:%s}",
              n->read_bytes, n->written_bytes, n->flops64, n->flops32, n->flops16,
              n->flops_tensor, ww_job_verdict_names[c->verdict], c->why);
}

static void
copy_candidate(const ww_job_candidate *c, ww_job *j, ww_job_candidate *out) {
  ww_arena *a = j->a;
  *out = *c;
  uint32_t same = text_of(j, c);
  out->text = same < c->id ? j->v.v[same].text : ww_strdup(a, c->text);
  out->label = ww_strdup(a, c->label);
  out->file = ww_strdup(a, c->file);
  out->kernel = ww_strdup(a, c->kernel);
  out->why = ww_strdup(a, c->why);
  ww_launch_copy(&c->launch, a, &out->launch);
  out->flags = WW_NEWN(a, const char *, c->nflags + 1);
  for (uint32_t k = 0; k < c->nflags; k++)
    out->flags[k] = ww_strdup(a, c->flags[k]);
  out->values = WW_NEWN(a, ww_job_value, c->nvalues + 1);
  for (uint32_t k = 0; k < c->nvalues; k++)
    out->values[k] =
        (ww_job_value){ww_strdup(a, c->values[k].name), c->values[k].value};
}

ww_status ww_job_add(ww_job *j, const ww_job_candidate *c, uint32_t *id, ww_err *e) {
  ww_json out = {0};
  ww_job_candidate one = *c;
  one.id = j->v.n;
  if (c->parent == c->id)
    one.parent = one.id;
  write_candidate(j, &one, &out);
  ww_status st = append(j->path, &out, e);
  if (st)
    return st;
  ww_job_candidate kept;
  copy_candidate(&one, j, &kept);
  ww_push(j->a, &j->v, kept);
  if (id)
    *id = kept.id;
  return WW_OK;
}

ww_status ww_job_note(ww_job *j, const char *json, ww_err *e) {
  ww_json out = {0};
  ww_buf_puts(&out.own, json);
  ww_status st = append(j->path, &out, e);
  if (!st)
    ww_push(j->a, &j->notes, ww_strdup(j->a, json));
  return st;
}

static void write_numbers(ww_json *j, const char *key, const double *v, uint32_t n) {
  ww_json_put(j, "%s:[", key);
  for (uint32_t k = 0; k < n; k++)
    ww_json_num(j, v[k]);
  ww_json_end_arr(j);
}

void ww_job_result_write(uint32_t id, const ww_job_result *r, ww_json *j) {
  ww_json_put(j, "result:%u,state:%s,why?:%s", id, ww_job_state_names[r->state],
              r->why);
  if (r->n) {
    ww_json_put(j, "us:%g,low:%g,high:%g,original_us:%g,ratio:%g,p:%g", r->us, r->low,
                r->high, r->original_us, r->ratio, r->p);
    write_numbers(j, "samples_us", r->samples, r->n);
    write_numbers(j, "original_samples_us", r->pair, r->n);
  }
  ww_json_put(j, "registers?:%u,local_bytes?:%lu,device?:%s,compiler?:%s,wall_s:%g",
              r->registers, r->local_bytes, r->device, r->compiler, r->wall_s);
}

static void copy_result(const ww_job_result *r, ww_arena *a, ww_job_result *out) {
  *out = *r;
  out->why = ww_strdup(a, r->why);
  out->device = ww_strdup(a, r->device);
  out->compiler = ww_strdup(a, r->compiler);
  out->samples = WW_NEWN(a, double, r->n + 1);
  out->pair = WW_NEWN(a, double, r->n + 1);
  if (!r->n)
    return;
  memcpy(out->samples, r->samples, r->n * sizeof *r->samples);
  memcpy(out->pair, r->pair, r->n * sizeof *r->pair);
}

ww_status ww_job_put(ww_job *j, uint32_t id, const ww_job_result *r, ww_err *e) {
  ww_json out = {0};
  ww_json_put(&out, "{");
  ww_job_result_write(id, r, &out);
  ww_json_put(&out, "}");
  ww_status st = append(j->path, &out, e);
  if (!st)
    copy_result(r, j->a, &j->v.v[id].result);
  return st;
}

/* ---- reading ---- */

static const cJSON *get(const cJSON *o, const char *key) {
  return cJSON_GetObjectItemCaseSensitive(o, key);
}

static double number(const cJSON *o, const char *key) {
  const cJSON *n = get(o, key);
  return cJSON_IsNumber(n) ? n->valuedouble : 0;
}

/* The position of a word in a list of names; 0 where it is none of them. */
static uint32_t named(const char *word, const char *const *names, uint32_t n) {
  for (uint32_t k = 0; word && k < n; k++)
    if (!strcmp(word, names[k]))
      return k;
  return 0;
}

static ww_status read_head(const cJSON *o, ww_job *out, ww_err *e) {
  if (ww_json_whole(o, "job") > VERSION)
    return ww_fail(e, WW_EUNSUPPORTED, "a job of a newer version than this program");
  out->tool = ww_json_text(o, "tool", out->a);
  out->gpu = ww_json_text(o, "gpu", out->a);
  ww_json j = {0};
  ww_json_copy(get(o, "settings"), &j);
  out->settings = ww_buf_text(&j.own, out->a);
  return WW_OK;
}

static ww_status read_launch(const cJSON *o, ww_arena *a, ww_launch *out, ww_err *e) {
  ww_json j = {0};
  ww_json_copy(get(o, "launch"), &j);
  ww_status st = ww_launch_parse(j.own.s, NULL, a, out, e);
  ww_buf_free(&j.own);
  return st;
}

static void read_lists(const cJSON *o, ww_arena *a, ww_job_candidate *c) {
  ww_strings flags = {0};
  const cJSON *list = get(o, "flags");
  for (const cJSON *f = list ? list->child : NULL; f; f = f->next)
    if (cJSON_IsString(f))
      ww_push(a, &flags, ww_strdup(a, f->valuestring));
  c->flags = flags.v;
  c->nflags = flags.n;
  WW_VEC(ww_job_value) values = {0};
  list = get(o, "values");
  for (const cJSON *f = list ? list->child : NULL; f; f = f->next)
    if (cJSON_IsNumber(f))
      ww_push(a, &values, (ww_job_value){ww_strdup(a, f->string), f->valuedouble});
  c->values = values.v;
  c->nvalues = values.n;
}

static ww_status read_candidate(const cJSON *o, ww_job *j, ww_err *e) {
  ww_arena *a = j->a;
  ww_job_candidate c = {.id = ww_json_whole(o, "candidate"),
                        .parent = ww_json_whole(o, "parent"),
                        .label = ww_json_text(o, "label", a),
                        .file = ww_json_text(o, "file", a),
                        .kernel = ww_json_text(o, "kernel", a),
                        .text = ww_json_text(o, "text", a),
                        .why = ww_json_text(o, "why", a)};
  uint64_t same = ww_json_whole(o, "text_of");
  if (!c.text && get(o, "text_of") && same < j->v.n)
    c.text = j->v.v[same].text;
  if (c.id != j->v.n)
    return ww_fail(e, WW_EDATA, "candidate %u where candidate %u should be", c.id,
                   j->v.n);
  if (!c.text || !c.file || !c.kernel)
    return ww_fail(e, WW_EDATA, "candidate %u lacks its text, file or kernel", c.id);
  ww_status st = read_launch(o, a, &c.launch, e);
  if (st)
    return st;
  read_lists(o, a, &c);
  const cJSON *p = get(o, "predicted");
  if (p)
    c.predicted =
        (ww_quantity){true, true, number(p, "us"), number(p, "low"), number(p, "high")};
  const cJSON *n = get(o, "needs");
  c.needs = (ww_job_needs){number(n, "read_bytes"), number(n, "written_bytes"),
                           number(n, "flops_fp64"), number(n, "flops_fp32"),
                           number(n, "flops_fp16"), number(n, "flops_tensor")};
  c.verdict =
      named(ww_json_text(o, "verdict", a), ww_job_verdict_names, WW_NJOB_VERDICTS);
  ww_push(a, &j->v, c);
  return WW_OK;
}

static double *numbers(const cJSON *list, ww_arena *a, uint32_t *n) {
  uint32_t count = cJSON_IsArray(list) ? cJSON_GetArraySize(list) : 0;
  double *v = WW_NEWN(a, double, count + 1);
  *n = 0;
  for (const cJSON *s = count ? list->child : NULL; s; s = s->next)
    v[(*n)++] = s->valuedouble;
  return v;
}

static ww_status read_result(const cJSON *o, ww_job *j, ww_err *e) {
  ww_arena *a = j->a;
  uint64_t id = ww_json_whole(o, "result");
  if (id >= j->v.n)
    return ww_fail(e, WW_EDATA, "a result of candidate %lu, which is not there", id);
  uint32_t samples;
  uint32_t pairs;
  ww_job_result r = {.why = ww_json_text(o, "why", a),
                     .us = number(o, "us"),
                     .low = number(o, "low"),
                     .high = number(o, "high"),
                     .original_us = number(o, "original_us"),
                     .ratio = number(o, "ratio"),
                     .p = number(o, "p"),
                     .registers = ww_json_whole(o, "registers"),
                     .local_bytes = ww_json_whole(o, "local_bytes"),
                     .device = ww_json_text(o, "device", a),
                     .compiler = ww_json_text(o, "compiler", a),
                     .wall_s = number(o, "wall_s")};
  r.state = named(ww_json_text(o, "state", a), ww_job_state_names, WW_NJOB_STATES);
  r.samples = numbers(get(o, "samples_us"), a, &samples);
  r.pair = numbers(get(o, "original_samples_us"), a, &pairs);
  r.n = samples < pairs ? samples : pairs;
  j->v.v[id].result = r;
  return WW_OK;
}

static ww_status read_line(const char *line, size_t n, ww_job *j, ww_err *e) {
  cJSON *o = ww_json_read(line, n, e);
  if (!o)
    return WW_EDATA;
  ww_status st = WW_OK;
  if (get(o, "job"))
    st = read_head(o, j, e);
  else if (get(o, "candidate"))
    st = read_candidate(o, j, e);
  else if (get(o, "result"))
    st = read_result(o, j, e);
  else
    ww_push(j->a, &j->notes, line); /* the text of the file lives as long */
  cJSON_Delete(o);
  return st;
}

ww_status ww_job_read(const char *path, ww_arena *a, ww_job *out, ww_err *e) {
  char *text;
  size_t n;
  uint32_t number = 0;
  *out = (ww_job){.path = path, .a = a};
  ww_status st = ww_read_file(a, path, LARGEST, &text, &n, e);
  for (char *end; !st && (end = memchr(text, '\n', n)); text = end + 1) {
    *end = 0;
    n -= end + 1 - text;
    number++;
    if (end > text)
      st = read_line(text, end - text, out, e);
  }
  if (!st && !out->tool)
    st = ww_fail(e, WW_EDATA, "this is no job: its first line is missing");
  if (st && st != WW_EIO) {
    e->file = path;
    e->line = number;
  }
  return st;
}

/* ---- one at a time ---- */

/* Apart from the lock of an append, which is flock's: this one is held meanwhile. */
ww_status ww_job_hold(const char *path, int *fd, ww_err *e) {
  struct flock all = {
      .l_type = F_WRLCK,
      .l_whence = SEEK_SET,
  };
  *fd = open(path, O_RDWR | O_CLOEXEC);
  if (*fd >= 0 && !fcntl(*fd, F_OFD_SETLK, &all))
    return WW_OK;
  int why = errno;
  bool held = *fd >= 0 && (why == EAGAIN || why == EACCES);
  ww_job_release(*fd);
  *fd = -1;
  return held ? ww_fail(e, WW_ELIMIT, "%s: another process works on this job", path)
              : ww_fail(e, WW_EIO, "cannot write %s: %s", path, strerror(why));
}

void ww_job_release(int fd) {
  if (fd >= 0)
    close(fd);
}

void ww_job_needs_of(const ww_prediction *p, ww_job_needs *out) {
  *out = (ww_job_needs){p->work.traffic.unique_read, p->work.traffic.unique_written,
                        p->work.lowered.flops64,     p->work.lowered.flops32,
                        p->work.lowered.flops16,     p->work.lowered.flops_tensor};
}
