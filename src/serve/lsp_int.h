/* lsp_int.h - what the files of the language server share.
 *
 * lsp.c: lifecycle and settings; lsp_documents.c: open documents, and when they are
 * analysed; lsp_analyse.c: how; lsp_text.c: positions and URIs; lsp_show.c,
 * lsp_findings.c: what editors ask for; lsp_commands.c: what they execute.
 *
 * A document's analysis is replaced, never changed: whoever shows one holds it, and
 * looks at its generation first. */
#ifndef WW_SERVE_LSP_INT_H
#define WW_SERVE_LSP_INT_H

#include "../predict/show/roofline.h"
#include "../predict/advice/fixes.h"
#include "lsp.h"
#include "../base/threads.h"
#include "rpc.h"
#include "schema.h"
#include "settings.h"
#include "../query/query.h"

/* ---- texts (lsp_text.c) ---- */
typedef struct {
  uint32_t line, col; /* both from 0; columns count UTF-16 units */
} ww_position;
/* Bytes from the start; clamped to the line and the text. */
size_t ww_text_offset(const char *text, size_t n, ww_position at);
ww_position ww_text_position(const char *text, size_t n, size_t offset);
/* The bytes of line `line` (from 0), without its break; false: there is none. */
bool ww_text_line(
    const char *text, size_t n, uint32_t line, size_t *begin, size_t *end);
bool ww_position_read(const cJSON *v, ww_position *out);
/* its member `range` */
bool ww_range_read(const cJSON *of, ww_position *from, ww_position *to);
/* "range":{...} */
void ww_range_write(ww_json *j, ww_position from, ww_position to);
/* The path of a file: URI or what stands for one of untitled:; NULL: no document of
 * ours. */
const char *ww_uri_path(const char *uri, const char *lang, ww_arena *a);
const char *ww_path_uri(const char *path, ww_arena *a);

/* ---- analyses ---- */
/* comment, project, host, assumed */
extern const char *const ww_lsp_origins[WW_NFROMS];

typedef struct {
  const char *name, *mangled;
  uint32_t line; /* of its name, from 1 */
  /* lines from 1: its declaration begins, its body begins, it ends */
  uint32_t first, body, end;
  bool here;        /* in this very file; else its line is that of a header */
  bool asked;       /* there is a report of it, of an error too */
  ww_report report; /* error.code says whether there is one */
  ww_launch_origin origin;
  ww_report_line *lines; /* of this file, largest share first */
  uint32_t nlines;
  /* the report's, with the names of parameters; zero where there is no report */
  ww_launch launch;
  const char **types; /* C types of what parameters point to, for ww_launch_settings */
  uint32_t ntypes;
} ww_lsp_kernel;

/* What a document's user and project say; held by the document and by its analyses. */
typedef struct {
  atomic_uint users;
  ww_arena *arena; /* holds everything, this struct too */
  ww_settings settings;
  ww_strings flags; /* the build's and the settings' */
} ww_lsp_config;

typedef struct ww_lsp_analysis {
  ww_arena *arena; /* holds everything, this struct too */
  uint32_t users;  /* under the server's lock; 0 and replaced: freed */
  bool replaced;
  /* that the document had; generation 0: it was not open */
  uint64_t serial, generation;
  int64_t version;
  const char *uri, *path, *text;
  size_t n;
  ww_source source; /* to ask more about the same text */
  ww_lsp_config *config;
  const ww_settings *settings; /* of it */
  const ww_gpu *gpu;
  const char *gpu_note; /* why it is another one than asked for; NULL: it is not */
  ww_dialect dialect;
  ww_lsp_kernel *v;
  uint32_t nkernels;
  /* code: the source could not be read: kernels are those that the text alone shows */
  ww_err error;
  bool provisional;    /* under way still; error says so */
  double ms, clang_ms; /* that it took, and clang's part of it */
  uint32_t computed;
} ww_lsp_analysis;

/* ---- documents (lsp_documents.c) ---- */
typedef struct ww_lsp_document {
  char *uri, *path, *lang; /* lang: the editor's languageId */
  char *text;
  size_t n;
  int64_t version;
  uint64_t generation;
  /* of the analysis that it wants; grows with each change of text, settings or headers
   */
  uint64_t serial;
  ww_lsp_config *config;
  double due;  /* when it is to be analysed; 0: nothing to do */
  bool queued; /* given to a worker that has not begun */
  /* the editor will not ask again by itself: it has something provisional, or the text
   * is the same */
  bool refresh;
  ww_lsp_analysis *current; /* NULL: none yet; may be of an older generation */
  struct ww_lsp_document *next;
} ww_lsp_document;

typedef struct ww_lsp_job ww_lsp_job;

typedef struct {
  /* that reading a source, or predicting a kernel, may take; 0: no limit */
  double seconds;
  ww_query *w;
  ww_rpc *rpc;
  ww_arena *arena; /* lifetime: the server; under the lock */
  pthread_mutex_t lock;
  pthread_cond_t changed; /* a document, an analysis, or the time */
  ww_lsp_document *documents;
  ww_lsp_job *jobs;
  ww_pool *pool; /* of analyses */
  pthread_t clock;
  bool clock_runs, ending;
  bool initialized, shut_down; /* these three belong to the reading thread */
  uint64_t generation;         /* the last one that a text got */
  /* settings: the command line's, then the editor's, then the project's, then what was
   * chosen */
  const char *gpu; /* the command line's; NULL: none */
  ww_settings base;
  const char *chosen; /* GPU of warpwise.chooseGpu */
  ww_problems said;   /* of settings, told once */
  /* what the client can do */
  struct {
    bool configuration, watch, progress, refresh_lens, refresh_hints, versioned_edits,
        apply_edit, show_document, markdown, annotations;
    bool literal_actions;
  } can;
  uint64_t tokens, serials; /* of progress, of analyses */
} ww_lsp;

/* under the lock; NULL: not open */
ww_lsp_document *ww_lsp_find(ww_lsp *s, const char *uri);
bool ww_lsp_is_open(ww_lsp *s, const char *uri);
const char *ww_lsp_uri(const ww_rpc_call *c); /* params.textDocument.uri; NULL: none */
void ww_lsp_did_open(void *server, ww_rpc_call *c);
void ww_lsp_did_change(void *server, ww_rpc_call *c);
void ww_lsp_did_close(void *server, ww_rpc_call *c);
void ww_lsp_did_save(void *server, ww_rpc_call *c);
void ww_lsp_watched(void *server, ww_rpc_call *c);
/* its config anew; under the lock */
void ww_lsp_configure(ww_lsp *s, ww_lsp_document *d);
void ww_lsp_config_drop(ww_lsp_config *c); /* accepts NULL */
/* analyses every open document anew */
void ww_lsp_again(ww_lsp *s, bool settings);
void ww_lsp_documents_free(ww_lsp *s);
/* 1 error, 2 warning, 3 information: shown; 4: for the log */
void ww_lsp_log(ww_lsp *s, int type, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* An analysis under way. */
struct ww_lsp_job {
  ww_lsp *s;
  ww_lsp_analysis *a; /* what is being made */
  ww_rpc_call *call;  /* that it is made for; NULL: for whoever asks */
  atomic_bool cancelled;
  double began;
  uint64_t token; /* of its progress; 0: none is shown */
  char token_text[40];
  ww_lsp_job *next;
};
bool ww_lsp_start(ww_lsp *s, ww_err *e);
void ww_lsp_stop(ww_lsp *s);
/* The analysis of a document as it is now, waited for; NULL: the call has its answer
 * (cancelled, changed meanwhile, no document of ours). `patience`: seconds after which
 * a provisional one will do, 0: none. Ends with ww_lsp_let_go. */
ww_lsp_analysis *
ww_lsp_await(ww_lsp *s, ww_rpc_call *c, const char *uri, double patience);
/* Of params.textDocument; a document that is not open is answered with null. */
ww_lsp_analysis *ww_lsp_asked(ww_lsp *s, ww_rpc_call *c, double patience);
void ww_lsp_let_go(ww_lsp *s, ww_lsp_analysis *a);
/* Of a file that no editor has open, made here and now. */
ww_lsp_analysis *ww_lsp_closed(ww_lsp *s, ww_rpc_call *c, const char *uri);
/* More about the text of an analysis: ww_lsp_request's, with GPUs. WW_ECANCEL too where
 * the document has changed. */
ww_status ww_lsp_ask(ww_lsp *s,
                     const ww_lsp_analysis *a,
                     ww_query_request *q,
                     ww_rpc_call *c,
                     ww_query_result *out,
                     ww_err *e);
void ww_lsp_report_progress(ww_lsp_job *j,
                            const char *kernel,
                            uint32_t done,
                            uint32_t of);
void ww_lsp_cancel_progress(void *server, ww_rpc_call *c);

/* ---- lsp_analyse.c ---- */
/* of the document as it is; under the lock */
ww_lsp_analysis *ww_lsp_analysis_new(const ww_lsp *s, const ww_lsp_document *d);
void ww_lsp_analysis_free(ww_lsp_analysis *a);
/* WW_ECANCEL: it is of no use any more. Everything else is in the analysis. */
ww_status ww_lsp_analyse(ww_lsp_job *j);
/* The kernels that the text alone shows, with the analysis' error. */
void ww_lsp_declared(ww_lsp_analysis *a);
/* A question about one of its kernels, as `explain` answers it. */
ww_query_request
ww_lsp_request(const ww_lsp *s, const ww_lsp_analysis *a, const ww_lsp_kernel *k);
/* What the project says of its launch; NULL: nothing. */
const ww_launch *ww_lsp_launch(const ww_lsp_analysis *a, const ww_lsp_kernel *k);
const ww_gpu *ww_lsp_gpu(const ww_lsp *s, const char *name);

/* ---- lsp_show.c ---- */
/* markdown */
void ww_show_table(const ww_lsp_analysis *a, const ww_lsp_kernel *k, ww_buf *out);
/* Share of what the roofs allow, 0 to 1; `of`: of what. Below 0: not known. */
double ww_show_share(const ww_report *r, const ww_gpu *g, const char **of);
void ww_show_duration(double us, ww_buf *out); /* 4.56 ms */
const char *ww_show_gpu(const ww_gpu *g);

void ww_lsp_code_lens(void *server, ww_rpc_call *c);
void ww_lsp_inlay_hint(void *server, ww_rpc_call *c);
void ww_lsp_hover(void *server, ww_rpc_call *c);

/* ---- lsp_findings.c, lsp_commands.c, lsp_measure.c ---- */
void ww_lsp_code_action(void *server, ww_rpc_call *c);
/* Its findings as the document's diagnostics; NULL: none. */
void ww_lsp_publish(ww_lsp *s, const char *uri, const ww_lsp_analysis *a);
void ww_lsp_execute(void *server, ww_rpc_call *c);
/* of the k-th command; NULL: there are no more */
const char *ww_lsp_command_name(uint32_t k);
/* A fix as a WorkspaceEdit. */
void ww_lsp_edit_write(const ww_lsp *s,
                       const ww_lsp_analysis *a,
                       const ww_fix *f,
                       ww_json *j);
/* The same as one that the user confirms change by change, where the client can do
 * that; `why` stands beside the preview. */
void ww_lsp_preview_write(const ww_lsp *s,
                          const ww_lsp_analysis *a,
                          const ww_fix *f,
                          const char *why,
                          ww_json *j);
/* Our own program on the document's text. */
typedef struct {
  const char *const *words; /* of its command line, before the file; ends with NULL */
  const ww_launch *launch;  /* for --launch; NULL: none */
  double seconds;
  void (*line)(void *ctx, const char *line); /* of its stderr; NULL */
  bool (*cancelled)(void *ctx);
  void *ctx;
} ww_lsp_program;
ww_status ww_lsp_program_run(const ww_lsp_analysis *a,
                             const ww_lsp_program *p,
                             ww_rpc_call *c,
                             ww_run_result *r,
                             ww_err *e);
/* The kernel rewritten to be faster: what `warpwise optimize --json` prints, as a tree
 * that the caller deletes. `report` is told how far it is. */
typedef struct {
  uint64_t seconds, rounds, seed; /* 0: the command's own */
  void (*report)(void *ctx, const char *words);
  void *ctx;
} ww_lsp_optimizing;
ww_status ww_lsp_optimize(const ww_lsp_analysis *a,
                          const ww_lsp_kernel *k,
                          const ww_lsp_optimizing *how,
                          ww_rpc_call *c,
                          cJSON **out,
                          ww_err *e);
/* Launches the kernel on the device that is here, by a child of this program. The
 * report line or an error. */
ww_status ww_lsp_measure(const ww_lsp_analysis *a,
                         const ww_lsp_kernel *k,
                         const char *device,
                         ww_rpc_call *c,
                         const char **json,
                         ww_err *e);
/* The kernel as the document has it against the file on disk, or ("HEAD") in the last
 * commit. The verdict as an object, or an error. */
ww_status ww_lsp_verify(ww_lsp *s,
                        const ww_lsp_analysis *a,
                        const ww_lsp_kernel *k,
                        const char *against,
                        ww_rpc_call *c,
                        const char **json,
                        ww_err *e);

#endif
