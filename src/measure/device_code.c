/* device_code.c - the device code of a CUDA source: host functions, host variables and
 * host headers become spaces.
 *
 * Every newline stays where it is, so that messages and line tables keep their lines.
 * Found by the front end's scanner (lexing and bracket matching, no preprocessing):
 * what is kept by mistake is the compiler's to reject (nvrtc.c then takes it out and
 * tries again), what is dropped by mistake shows as an unknown name in the first error.
 */
#include <ctype.h>

#include "../base/words.h"
#include "../front/scan.h"
#include "compile_int.h"

typedef struct {
  const char *name;
  uint32_t n;
  const char *text;
  size_t text_n;
  bool device; /* its text holds __device__ or the like */
} macro;

typedef struct {
  const ww_scan *s;
  char *out;
  ww_arena *a;
  WW_VEC(macro) macros; /* of this file and of its headers */
} extractor;

/* Words with a blank before and behind each: " const constexpr ". */
static bool in_list(const char *list, const char *w, size_t n) {
  for (const char *p = list; n && (p = memmem(p, strlen(p), w, n)); p++)
    if (p > list && p[-1] == ' ' && p[n] == ' ')
      return true;
  return false;
}

/* ---- words of a declaration's head ---- */

typedef struct {
  /* __device__, __global__, __constant__, __shared__, __managed__ or a macro that holds
   * one */
  bool device;
  /* a word in capitals that this file does not define: may be such a macro from a
   * header */
  bool unknown;
  bool fixed; /* const or constexpr */
  /* typedef, using, template, enum, struct ..: declares no object of its own */
  bool type;
  bool is_virtual, tmpl;
} head_words;

static const char device_words[] =
    " __device__ __global__ __constant__ __shared__ __managed__ constexpr consteval ";
static const char type_words[] = " typedef using enum struct class union namespace "
                                 "static_assert concept friend public "
                                 "private protected operator ";

/* Where the directive that begins at i ends. */
static uint32_t directive_end(const ww_scan *s, uint32_t i) {
  while (i < s->n && s->kind[i] == WW_BYTE_DIRECTIVE)
    i++;
  return i;
}

static bool has_word(const char *text, size_t n, const char *w, size_t len) {
  for (const char *p = text; (p = memmem(p, n - (p - text), w, len)); p++)
    if ((p == text || !ww_is_word(p[-1])) &&
        (p + len == text + n || !ww_is_word(p[len])))
      return true;
  return false;
}

/* The lines of one text that define macros. */
static void find_macros(extractor *x, const char *text) {
  for (const char *p = text; *p;) {
    const char *line = p;
    const char *end = p + strcspn(p, "\n");
    while (*end && end > line && end[-1] == '\\')
      end += 1 + strcspn(end + 1, "\n");
    p = end + (*end == '\n');
    const char *name = ww_directive(line, "define");
    if (!name)
      continue;
    uint32_t n = ww_word_length(name);
    macro m = {
        .name = name, .n = n, .text = name + n, .text_n = (size_t)(end - name) - n};
    for (const char *w = device_words + 1; *w; w += strcspn(w, " ") + 1)
      m.device |= has_word(m.text, m.text_n, w, strcspn(w, " "));
    if (n)
      ww_push(x->a, &x->macros, m);
  }
}

/* A macro may stand for another; each is tried in all its definitions, as #if is not
 * looked at. */
static void chain_macros(extractor *x) {
  for (int round = 0; round < 3; round++)
    for (uint32_t i = 0; i < x->macros.n; i++)
      for (uint32_t k = 0; k < x->macros.n && x->macros.v[i].device; k++)
        if (!x->macros.v[k].device && x->macros.v[k].text_n < 200)
          x->macros.v[k].device = has_word(x->macros.v[k].text, x->macros.v[k].text_n,
                                           x->macros.v[i].name, x->macros.v[i].n);
}

static void note_macro(const extractor *x, const char *w, size_t n, head_words *h) {
  bool found = false;
  for (uint32_t i = 0; i < x->macros.n; i++) {
    const macro *m = &x->macros.v[i];
    if (m->n != n || memcmp(m->name, w, n))
      continue;
    h->device |= m->device;
    found = true;
  }
  bool upper = n > 2 && !isdigit((unsigned char)w[0]);
  for (size_t i = 0; i < n; i++)
    upper &= !islower((unsigned char)w[i]);
  h->unknown |= upper && !found;
}

static void
note_word(const extractor *x, uint32_t at, uint32_t n, head_words *h, bool first) {
  const char *w = x->s->text + at;
  h->device |= in_list(device_words, w, n);
  h->fixed |= in_list(" const constexpr ", w, n);
  h->is_virtual |= in_list(" virtual ", w, n);
  h->tmpl |= in_list(" template ", w, n);
  h->type |= first && in_list(type_words, w, n);
  note_macro(x, w, n, h);
}

/* Up to the parameters, the initialiser or the body; the words inside <...> of a
 * template header count too. */
static head_words read_head(const extractor *x, const ww_decl *d) {
  const ww_scan *s = x->s;
  head_words h = {0};
  uint32_t stop = d->params ? d->params - 1 : d->body ? d->body : d->end;
  bool first = true;
  int angles = 0;
  for (uint32_t i = d->begin; i < stop;) {
    if (s->kind[i] != WW_BYTE_CODE || isspace((unsigned char)s->text[i])) {
      i++;
      continue;
    }
    char c = s->text[i];
    if (ww_is_word(c)) {
      uint32_t n = 0;
      while (i + n < stop && ww_is_word(s->text[i + n]))
        n++;
      note_word(x, i, n, &h, first && !angles);
      /* what follows its header counts as first */
      first = in_list(" template ", s->text + i, n);
      i += n;
      continue;
    }
    if (c == '<') {
      angles++;
      first = true;
    }
    if (c == '>')
      angles -= angles > 0;
    if (c == '=' && !angles)
      break;
    if (c == '{')
      break;
    i++;
  }
  return h;
}

/* ---- taking out ---- */

static void blank_all(char *from, const char *to) {
  for (; from < to; from++)
    if (*from != '\n')
      *from = ' ';
}

/* Directives stay, so that #if and #endif match; those that mean something to code
 * alone go with it. */
static void blank(extractor *x, uint32_t from, uint32_t to) {
  const ww_scan *s = x->s;
  for (uint32_t i = from, end; i < to; i = end) {
    bool directive = s->kind[i] == WW_BYTE_DIRECTIVE;
    end = directive ? directive_end(s, i) : i + 1;
    if (!directive || ww_directive(s->text + i, "pragma"))
      blank_all(x->out + i, x->out + end);
  }
}

/* The first class around it, which is not itself; NULL: none. */
static const ww_decl *class_around(const ww_scan *s, const ww_decl *d) {
  for (uint32_t i = 0; i < s->ndecls; i++) {
    const ww_decl *c = &s->decls[i];
    if (c->is_class && c != d && c->begin <= d->begin && d->end <= c->end)
      return c;
  }
  return NULL;
}

static bool is_host(const extractor *x, const ww_decl *d) {
  if (d->kernel || d->is_class)
    return false;
  head_words h = read_head(x, d);
  if (h.device || h.type)
    return false;
  bool member = class_around(x->s, d);
  /* a virtual function is part of the layout */
  if (d->body)
    return !h.unknown && !(member && h.is_virtual);
  if (member)
    return false;
  if (d->name)
    return !h.unknown || d->host; /* a prototype, or x(1) */
  return !h.fixed && !h.tmpl && !(h.unknown && d->end - d->begin < 3);
}

/* ---- headers ---- */

static const char host_headers[] =
    " stdio.h stdlib.h string.h strings.h time.h unistd.h errno.h ctype.h signal.h "
    "pthread.h getopt.h malloc.h memory.h fcntl.h dirent.h libgen.h locale.h omp.h "
    "mpi.h "
    "numa.h sys/time.h sys/types.h sys/stat.h sys/mman.h sys/resource.h sys/wait.h "
    "sys/file.h sys/timeb.h sys/param.h sys/socket.h iostream fstream sstream iomanip "
    "ostream istream ios iosfwd string vector map set list deque queue stack "
    "unordered_map unordered_set memory random chrono thread mutex condition_variable "
    "future atomic functional iterator numeric exception stdexcept cstdio cstdlib "
    "cstring "
    "ctime cctype cerrno csignal cstdarg stdarg.h string_view optional variant any "
    "regex "
    "filesystem typeinfo typeindex bitset valarray locale new system_error ratio "
    "charconv "
    "execution cuda_runtime.h cuda_runtime_api.h cuda.h cuda_profiler_api.h "
    "cudaProfiler.h nvToolsExt.h nvtx3/nvToolsExt.h device_launch_parameters.h "
    "driver_types.h builtin_types.h device_functions.h helper_cuda.h "
    "helper_functions.h "
    "helper_timer.h helper_string.h cublas_v2.h cublas.h cufft.h cusparse.h "
    "cusparse_v2.h "
    "cusolverDn.h curand.h cudnn.h nccl.h nvml.h GL/glut.h GL/glew.h cuda_gl_interop.h "
    "windows.h ";

/* i at the '#' of a directive that ends at `end`. */
static bool includes_host_header(const ww_scan *s, uint32_t i, uint32_t end) {
  const char *p = ww_directive(s->text + i, "include");
  const char *stop = s->text + end;
  if (!p || p >= stop || (*p != '<' && *p != '"'))
    return false;
  const char *close = memchr(p + 1, *p == '<' ? '>' : '"', stop - p - 1);
  return close &&
         (ww_starts(p + 1, "thrust/") || in_list(host_headers, p + 1, close - p - 1));
}

static void drop_headers(extractor *x) {
  const ww_scan *s = x->s;
  for (uint32_t i = 0; i < s->n; i++) {
    if (s->kind[i] != WW_BYTE_DIRECTIVE)
      continue;
    uint32_t end = directive_end(s, i);
    if (includes_host_header(s, i, end))
      memset(x->out + i, ' ', end - i);
    i = end;
  }
}

char *ww_device_code(const char *text, const ww_headers *others, ww_arena *a) {
  ww_scan s;
  size_t n = strlen(text);
  ww_scan_source(text, n, a, &s);
  extractor x = {
      .s = &s,
      .out = ww_strndup(a, text, n),
      .a = a,
  };
  find_macros(&x, text);
  for (uint32_t i = 0; others && i < others->n; i++)
    find_macros(&x, others->v[i].text);
  chain_macros(&x);
  for (uint32_t i = 0; i < s.ndecls; i++)
    if (is_host(&x, &s.decls[i]))
      blank(&x, s.decls[i].begin, s.decls[i].end);
  drop_headers(&x);
  return x.out;
}

/* ---- what a compiler rejected ---- */

/* The whole of what must go with the line: a data member takes its class along, or the
 * layout would change. */
static const ww_decl *victim(const ww_scan *s, uint32_t offset) {
  const ww_decl *d = ww_scan_decl_at(s, offset);
  const ww_decl *c = d && d->layout ? class_around(s, d) : NULL;
  return c ? c : d;
}

bool ww_device_code_without(char *text, uint32_t line, ww_arena *a) {
  ww_scan s;
  ww_scan_source(text, strlen(text), a, &s);
  uint32_t at = ww_scan_offset(&s, line, 1);
  at += strspn(text + at, " \t");
  if (at >= s.n)
    return false;
  extractor x = {
      .s = &s,
      .out = text,
      .a = a,
  };
  if (s.kind[at] == WW_BYTE_DIRECTIVE) {
    if (!ww_directive(text + at, "include"))
      return false;
    blank_all(text + at, text + directive_end(&s, at));
    return true;
  }
  const ww_decl *d = victim(&s, at);
  if (!d) { /* inside a line that a declaration begins on */
    uint32_t end = ww_scan_offset(&s, line, UINT32_MAX >> 1);
    while (at < end && !(d = victim(&s, at)))
      at++;
  }
  if (!d)
    return false;
  blank(&x, d->begin, d->end);
  return true;
}
