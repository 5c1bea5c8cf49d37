/* syntax.h - a source as clang understands it: cursors with their types, values and
 * byte ranges, for those who edit the text.
 *
 * Read by libclang's C interface, opened at run time in a confined child as clang is.
 * Invariants: nodes are in the order of the text, a parent before its children; ranges
 * lie inside the text; what comes out of a macro is marked, as its range is the
 * macro's. */
#ifndef WW_FRONT_SYNTAX_H
#define WW_FRONT_SYNTAX_H

#include "front.h"

/* What clang could not make sense of, as a node behind all others: its place, the
 * message as its name. */
#define WW_SYNTAX_ERROR 9999

/* NODE(ID, libclang's CXCursorKind): the kinds that edits tell apart; the rest is OTHER
 */
#define WW_NODES(N)       \
  N(FUNCTION, 8)          \
  N(VARIABLE, 9)          \
  N(PARAMETER, 10)        \
  N(TEMPLATE, 30)         \
  N(UNEXPOSED, 100)       \
  N(REFERENCE, 101)       \
  N(MEMBER, 102)          \
  N(CALL, 103)            \
  N(INTEGER, 106)         \
  N(FLOATING, 107)        \
  N(PARENTHESES, 111)     \
  N(UNARY, 112)           \
  N(SUBSCRIPT, 113)       \
  N(BINARY, 114)          \
  N(ASSIGN, 115)          \
  N(CONDITIONAL, 116)     \
  N(CAST, 117)            \
  N(STATIC_CAST, 124)     \
  N(FUNCTIONAL_CAST, 128) \
  N(COMPOUND, 202)        \
  N(CASE, 203)            \
  N(IF, 205)              \
  N(SWITCH, 206)          \
  N(WHILE, 207)           \
  N(DO, 208)              \
  N(FOR, 209)             \
  N(GOTO, 210)            \
  N(CONTINUE, 212)        \
  N(BREAK, 213)           \
  N(RETURN, 214)          \
  N(ASM, 215)             \
  N(EMPTY, 230)           \
  N(DECLARATIONS, 231)    \
  N(ERROR, WW_SYNTAX_ERROR)
typedef enum {
  WW_NODE_OTHER,
#define N(id, kind) WW_NODE_##id,
  WW_NODES(N)
#undef N
} ww_node_kind;

typedef enum {
  WW_TYPE_OTHER,
  WW_TYPE_INT, /* any width, bool and enums too */
  WW_TYPE_FLOAT,
  WW_TYPE_DOUBLE,
  WW_TYPE_POINTER,
  WW_TYPE_ARRAY
} ww_node_type;

typedef struct {
  uint8_t kind;  /* ww_node_kind */
  uint8_t type;  /* ww_node_type, of an expression or a variable, without qualifiers */
  bool macro;    /* wholly or partly out of a macro: its range is not to be edited */
  bool constant; /* an integer that is known: `value` */
  bool is_const; /* its type is; of a pointer what it points to */
  bool is_restrict, is_volatile;
  bool redeclared;     /* a function that is declared before, here or in a header */
  int32_t parent;      /* -1: none */
  uint32_t begin, end; /* bytes of the text */
  /* one past its last descendant: its children lie between */
  uint32_t last;
  /* of a reference, a member, a call: where the declaration that it means has its name;
   * UINT32_MAX: not in this text. Of a declaration: its own name's place. */
  uint32_t decl;
  uint32_t bytes; /* of its type; of a pointer or an array of the element; 0 unknown */
  int64_t value;
  const char *name;    /* of a declaration or what is referred to; an operator's sign */
  const char *spelled; /* its type as clang prints it; of pointers the element's */
} ww_node;

typedef struct {
  const char *text;
  size_t bytes;
  ww_node *v;
  uint32_t n;
} ww_syntax;

/* The syntax of o->files[0], as it is compiled for the device. WW_EUNSUPPORTED: there
 * is no libclang beside clang. Lives in the arena. */
ww_status
ww_syntax_read(const ww_front_options *o, ww_arena *a, ww_syntax *out, ww_err *e);

#endif
