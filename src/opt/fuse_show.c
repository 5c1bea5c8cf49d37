/* fuse_show.c - what became of the launches that follow one another: for a person, as
 * JSON, as a patch. */
#include "../base/json_put.h"
#include "../predict/show/show.h"
#include "fuse.h"

void ww_fusions_patch(const ww_fusions *f, ww_arena *a, ww_buf *out) {
  for (uint32_t k = 0; k < f->files.n; k++) {
    const ww_fused_file *x = &f->files.v[k];
    if (strcmp(x->old, x->now) != 0)
      ww_patch_write(ww_path_from_here(x->path, a), x->old, x->now, a, out);
  }
}

static void put_time(double us, double low, double high, ww_buf *out) {
  char text[3][16];
  ww_buf_fmt(out, "%s [%s, %s]", ww_show_us(us, text[0]), ww_show_us(low, text[1]),
             ww_show_us(high, text[2]));
}

static void put_fused(const ww_fusion *x, const char *gpu, ww_buf *out) {
  ww_buf_fmt(out, "%s  %s  on %s, from launch %llu on, %llu time%s\n  ", x->title,
             x->path, gpu, (unsigned long long)x->from, (unsigned long long)x->count,
             x->count == 1 ? "" : "s");
  put_time(x->before_us, x->before_low, x->before_high, out);
  ww_buf_puts(out, " -> ");
  put_time(x->us, x->low, x->high, out);
  ww_buf_fmt(out, ", %.2f times as fast by prediction; verified in %u cases\n",
             x->before_us / x->us, x->cases);
  if (*x->text.registers)
    ww_buf_fmt(out, "  elements of %s stay in registers, and are stored as before\n",
               x->text.registers);
  if (x->apart)
    ww_buf_puts(out, "  right where no two buffers overlap; --may-overlap leaves out "
                     "what needs that\n");
  if (x->text.by_hand)
    ww_buf_fmt(out, "  by hand: %s\n", x->text.by_hand);
  else
    ww_buf_fmt(out, "  %s is launched in their place, at %u place%s of the text\n",
               x->text.name, x->text.sites, x->text.sites == 1 ? "" : "s");
}

void ww_fusions_print(const ww_fusions *f, bool all, ww_buf *out) {
  uint32_t fused = 0;
  uint32_t refused = 0;
  for (uint32_t k = 0; k < f->v.n; k++)
    if (f->v.v[k].state == WW_CANDIDATE_VERIFIED) {
      fused++;
      put_fused(&f->v.v[k], f->gpu, out);
    }
  if (!f->v.n)
    ww_buf_puts(out, "no launch uses a buffer of the one right before it\n");
  else if (!fused)
    ww_buf_puts(out, "nothing is fused\n");
  for (uint32_t k = 0; k < f->v.n; k++)
    if (f->v.v[k].state != WW_CANDIDATE_VERIFIED && (all || refused++ < 10))
      ww_buf_fmt(out, "not %s: %s\n", f->v.v[k].title, f->v.v[k].why);
  if (f->over)
    ww_buf_puts(out,
                "the time was over before all launches were looked at: --seconds\n");
  if (refused > 10)
    ww_buf_fmt(out, "and %u others: --all lists them\n", refused - 10);
}

static void
write_time(const char *key, double us, double low, double high, ww_json *j) {
  if (us > 0)
    ww_json_put(j, "%s:{time_us:%g,low:%g,high:%g},", key, us, low, high);
}

void ww_fusions_write(const ww_fusions *f, ww_arena *a, ww_json *j) {
  ww_buf patch = {0};
  ww_json_put(j, "gpu:%s,complete:%i,fused:[", f->gpu, !f->over);
  for (uint32_t k = 0; k < f->v.n; k++) {
    const ww_fusion *x = &f->v.v[k];
    bool is = x->state == WW_CANDIDATE_VERIFIED;
    ww_json_put(j, "{kernels:%s,file:%s,from:%lu,count:%lu,", x->title, x->path,
                x->from, x->count);
    write_time("before", x->before_us, x->before_low, x->before_high, j);
    write_time("after", x->us, x->low, x->high, j);
    ww_json_put(j,
                "state:%s,why?:%s,kernel?:%s,cases?:%u,host_launches?:%u,by_hand?:%s,"
                "assumes_no_overlap:%i}",
                ww_candidate_names[x->state], is ? NULL : x->why,
                is ? x->text.name : NULL, x->cases, is ? x->text.sites : 0,
                is ? x->text.by_hand : NULL, x->apart);
  }
  ww_json_end_arr(j);
  ww_fusions_patch(f, a, &patch);
  ww_json_put(j, "patch?:%s", patch.n ? ww_buf_text(&patch, a) : NULL);
}
