/* llm_absent.c - in the place of llm_http.c where libcurl is not installed. */
#include "llm.h"

ww_status ww_llm_http(const ww_llm_http_options *o, ww_llm *out, ww_err *e) {
  (void)o;
  (void)out;
  return ww_fail(e, WW_EUNSUPPORTED,
                 "this build has no libcurl, so it cannot ask a language model: "
                 "install libcurl's headers and build again");
}
