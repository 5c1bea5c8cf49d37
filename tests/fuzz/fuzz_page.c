/* fuzz_page.c - any lines as reports of a page to pass on: HTML without a script,
 * whatever the texts in it are. */
#include "fuzz.h"

#include "../../src/predict/show/page_export.h"

/* Some lines for any file: what costs are said of has to be among them. */
static const char *source(void *ctx, const char *file, ww_arena *a) {
  ww_buf b = {0};
  (void)ctx;
  for (int line = 1; line <= 40; line++)
    ww_buf_fmt(&b, "  x[%d] = </script>\"%.20s\";\n", line, file);
  const char *text = ww_strdup(a, b.s);
  ww_buf_free(&b);
  return text;
}

int fuzz_page(const uint8_t *data, size_t n) {
  char *text = fuzz_text(data, n), *line = text;
  ww_arena *a = ww_arena_new();
  ww_gpu gpus[2];
  ww_report reports[8];
  uint32_t nlines = 0;
  for (int k = 0; k < 2; k++) {
    ww_gpu_init(&gpus[k]);
    gpus[k].name = k ? "b" : "h200";
    gpus[k].full_name = "<script>";
    gpus[k].lanes = 32;
    gpus[k].sms = 132;
    gpus[k].dram_peak = 4800;
    gpus[k].peak_fp32 = 67;
  }
  while (line && nlines < 8) {
    char *end = strchr(line, '\n');
    if (end)
      *end = 0;
    ww_err e = {0};
    if (ww_report_parse(line, a, &reports[nlines], &e))
      reports[nlines] = (ww_report){.error = e};
    nlines++;
    line = end ? end + 1 : NULL;
  }
  ww_export x = {.reports = reports,
                 .n = nlines,
                 .gpus = gpus,
                 .ngpus = 2,
                 .source = n % 4 ? source : NULL,
                 .made = "warpwise explain <script>"};
  ww_buf b = {0};
  ww_export_html(&x, &b);
  fuzz_must(b.n && !strstr(b.s, "<script"));
  ww_buf_free(&b);
  ww_arena_free(a);
  free(text);
  return 0;
}
