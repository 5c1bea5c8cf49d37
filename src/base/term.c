/* term.c - colour and progress. Both are silent where nobody looks: not a terminal,
 * NO_COLOR,
 * --quiet. */
#include "base.h"

#include <inttypes.h>
#include <unistd.h>

static int color_mode = -1; /* -1 auto, 0 never, 1 always */
static bool quiet;

void ww_set_color(int mode) {
  color_mode = mode;
}
void ww_set_quiet(bool on) {
  quiet = on;
}
bool ww_is_quiet(void) {
  return quiet;
}

bool ww_color_on(FILE *f) {
  if (color_mode >= 0)
    return color_mode;
  const char *no = getenv("NO_COLOR");
  const char *term = getenv("TERM");
  if ((no && *no) || (term && !strcmp(term, "dumb")))
    return false;
  return isatty(fileno(f));
}

/* For a program that runs ours and shows progress its own way. */
static bool as_lines(void) {
  const char *form = getenv("WARPWISE_PROGRESS");
  return form && !strcmp(form, "lines");
}

void ww_progress(const char *what, uint64_t done, uint64_t total) {
  static double last;
  bool lines = as_lines(), over = total && done >= total;
  if (!lines && (quiet || !isatty(STDERR_FILENO)))
    return;
  if (!lines && over) {
    fputs("\r\033[K", stderr);
    last = 0;
    return;
  }
  double now = ww_now();
  if (now - last < 0.1 && (!lines || done < total))
    return;
  last = now;
  if (lines)
    fprintf(stderr, "progress: %s %" PRIu64 "/%" PRIu64 "\n", what, done, total);
  else if (total)
    fprintf(stderr, "\r\033[K%s %" PRIu64 "/%" PRIu64 " (%.0f %%)", what, done, total,
            100.0 * done / total);
  else
    fprintf(stderr, "\r\033[K%s %" PRIu64, what, done);
  fflush(stderr);
}
