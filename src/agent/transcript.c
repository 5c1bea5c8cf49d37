/* transcript.c - one JSON line a message, written and flushed at once: whatever ends
 * the run, what was said until then is there. */
#include "transcript.h"

#include "../base/json_put.h"

static void put_line(ww_transcript *t, ww_json *j) {
  if (t->f)
    t->failed |= fprintf(t->f, "%s\n", j->own.s) < 0 || fflush(t->f);
  ww_buf_free(&j->own);
}

void ww_transcript_begin(ww_transcript *t, const ww_workbench *b, const char *model) {
  ww_json j = {0};
  ww_json_put(&j, "{schema_version:1,kernel:%s,file:%s,gpu:%s,model?:%s,time_us:%g}",
              b->all.kernel, ww_path_base(b->all.path), b->all.v.v[0].report.gpu, model,
              b->all.v.v[0].us);
  put_line(t, &j);
}

static void write_version(const ww_workbench *b, uint32_t id, ww_json *j) {
  const ww_candidate *c = &b->all.v.v[id];
  ww_json_put(j, "{version:%u,from:%u,title:%s,state:%s,why?:%s,time_us?:%g,source:%s}",
              id, c->parent, c->title, ww_candidate_names[c->state], c->why, c->us,
              c->text);
}

void ww_transcript_add(ww_transcript *t,
                       const ww_workbench *b,
                       const ww_message *m,
                       uint32_t before) {
  ww_step s = {*m, ww_now() - t->begun, before, b->all.v.n};
  ww_json j = {0};
  ww_json_put(&j, "{step:%u,seconds:%g,role:%s,tool?:%s,text?:%s", t->v.n, s.at,
              m->role, m->answers ? m->answers->name : NULL, m->text);
  if (m->ncalls) {
    ww_json_put(&j, "calls:[");
    for (uint32_t k = 0; k < m->ncalls; k++)
      ww_json_put(&j, "{name:%s,arguments:%s}", m->calls[k].name,
                  m->calls[k].arguments);
    ww_json_end_arr(&j);
  }
  if (s.made > before) {
    ww_json_put(&j, "made:[");
    for (uint32_t k = before; k < s.made; k++)
      write_version(b, k, &j);
    ww_json_end_arr(&j);
  }
  ww_json_end_obj(&j);
  put_line(t, &j);
  ww_push(t->a, &t->v, s);
}

void ww_agent_count_write(const ww_agent_count *n, const ww_workbench *b, ww_json *j) {
  ww_json_put(j,
              "stopped:%s,tokens:%lu,answers:%u,calls:%u,predictions:%u,"
              "verifications:%u,measurements:%u",
              n->stopped, n->tokens, n->answers, n->calls, b->predicted, b->verified,
              b->measured);
}

void ww_transcript_end(ww_transcript *t,
                       const ww_workbench *b,
                       const ww_agent_count *n) {
  ww_json j = {0};
  ww_json_put(&j, "{result:{best:%u,gain:%g", b->all.best,
              ww_candidate_gain(&b->all, b->all.best));
  ww_agent_count_write(n, b, &j);
  ww_json_put(&j, "}}");
  put_line(t, &j);
}
