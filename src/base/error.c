/* error.c - statuses and the one function that fills an error. */
#include "base.h"

ww_status ww_fail(ww_err *e, ww_status code, const char *fmt, ...) {
  if (!e)
    return code;
  e->code = code;
  e->reason = WW_REASON_NONE;
  va_list ap;
  va_start(ap, fmt);
  vsnprintf(e->msg, sizeof e->msg, fmt, ap);
  va_end(ap);
  return code;
}

int ww_exit_code(ww_status code) {
  switch (code) {
  case WW_OK:
    return 0;
  case WW_EUSAGE:
    return 2;
  case WW_EDEVICE:
    return 4;
  default:
    return 3;
  }
}

const char *ww_status_name(ww_status code) {
  static const char *const names[] = {
      "ok", "usage", "io", "parse", "unsupported", "limit", "cancel", "device", "data"};
  return code < sizeof names / sizeof *names ? names[code] : "unknown";
}
