/* scan.h - declarations of a source text, by lexing and bracket matching alone: no
 * clang, no LLVM.
 */
#ifndef WW_FRONT_SCAN_H
#define WW_FRONT_SCAN_H

#include "../base/base.h"

typedef struct {
  uint32_t begin,
      /* bytes of the whole declaration, template header to closing brace or semicolon
       */
      end;
  /* the braces of a function body: body is '{', body_end one past '}'; 0: not a
   * function definition */
  uint32_t body, body_end;
  uint32_t params, params_end; /* inside the parentheses of a function */
  uint32_t line;               /* of the name, or of begin */
  const char *name;            /* function name, NULL unknown */
  bool kernel, device, host,
      tmpl;      /* attributes seen; kernel covers __global__ and OpenCL's kernel */
  bool is_class; /* struct, class or union with a body */
  /* neither function, class, alias nor static: inside a class, a data member */
  bool layout;
} ww_decl;

typedef struct {
  const char *text; /* NUL-terminated */
  uint32_t n;
  uint8_t *kind;   /* per byte: what it belongs to, ww_byte_kind */
  uint32_t *lines; /* byte offset of each line's start */
  uint32_t nlines;
  /* innermost declarations: functions, and what else stands at namespace or class scope
   */
  ww_decl *decls;
  uint32_t ndecls;
} ww_scan;

/* SKIPPED: under `#if 0`, or the second branch of an #if where both together would not
 * balance. */
typedef enum {
  WW_BYTE_CODE,
  WW_BYTE_COMMENT,
  WW_BYTE_STRING,
  WW_BYTE_DIRECTIVE,
  WW_BYTE_SKIPPED
} ww_byte_kind;

void ww_scan_source(const char *text, size_t n, ww_arena *a, ww_scan *out);
/* a kernel of that name is declared */
bool ww_scan_kernel(const ww_scan *s, const char *name, size_t n);
/* a directive has both words, as in #include <cub/...> */
bool ww_scan_has_directive(const ww_scan *s, const char *first, const char *second);
/* the innermost one that covers it, or NULL */
const ww_decl *ww_scan_decl_at(const ww_scan *s, uint32_t offset);
/* 1-based; clamped to the line */
uint32_t ww_scan_offset(const ww_scan *s, uint32_t line, uint32_t col);
uint32_t ww_scan_line(const ww_scan *s, uint32_t offset); /* 1-based */
/* i at '{'; one past its partner, or n + 1. */
uint32_t ww_scan_braces(const ww_scan *s, uint32_t i);
/* One past the statement that begins at or after `at`; directives in between are passed
 * over. */
uint32_t ww_scan_statement_end(const ww_scan *s, uint32_t at);
bool ww_scan_directive(const ww_scan *s, uint32_t i); /* whether one begins there */
uint32_t ww_scan_directive_end(const ww_scan *s, uint32_t i);
/* in code, not in comments or strings */
bool ww_scan_has_word(const ww_scan *s, const char *word);

#endif
