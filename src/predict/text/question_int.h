/* question_int.h - what the files of the question share.
 *
 * - question_lex.c: source to tokens, macros replaced
 * - question_find.c: which kernel is meant
 * - question_read.c: the kernel and what it uses, one spelling for one thing
 * - question_resolve.c: every name is a symbol
 * - question_walk.c: loops and accesses of one launch, by arithmetic on what the source
 *   says (question_eval.h names its files)
 * - question.c: what the parts of the machine would take, features, the text, numbers,
 *   answers */
#ifndef WW_PREDICT_QUESTION_INT_H
#define WW_PREDICT_QUESTION_INT_H

#include <math.h>

#include "../../base/map.h"
#include "../../front/scan.h"
#include "question.h"

/* ---- tokens ---- */
typedef enum { Q_WORD, Q_INT, Q_FLOAT, Q_TEXT, Q_PUNCT } ww_qkind;

typedef struct {
  uint8_t kind; /* ww_qkind */
  char type;    /* literals: f d h, i u l */
  /* not written: types of plain variables, qualifiers, inlined declarations */
  bool skip;
  uint32_t n; /* bytes of s */
  const char *s;
  double value; /* literals */
  /* Q_PUNCT: its characters, first one lowest; Q_OP(). 0: of all others */
  uint32_t op;
  uint32_t pair; /* brackets: index of the partner; else its own index */
  /* Q_WORD: of ww_question_kernel; -1: a name of the language, or no word */
  int32_t sym;
} ww_qtoken;
typedef WW_VEC(ww_qtoken) ww_qtokens;

#define Q_OP1(a) ((uint32_t)(unsigned char)(a))
#define Q_OP2(a, b) (Q_OP1(a) | Q_OP1(b) << 8)
#define Q_OP3(a, b, c) (Q_OP2(a, b) | Q_OP1(c) << 16)
enum {
  Q_NE = Q_OP2('!', '='),
  Q_AND = Q_OP2('&', '&'),
  Q_GE = Q_OP2('>', '='),
  Q_EQ = Q_OP2('=', '='),
  Q_LE = Q_OP2('<', '='),
  Q_INC = Q_OP2('+', '+'),
  Q_SHR = Q_OP2('>', '>'),
  Q_OR = Q_OP2('|', '|'),
  Q_SHL = Q_OP2('<', '<'),
  Q_DEC = Q_OP2('-', '-'),
  Q_SCOPE = Q_OP2(':', ':'),
  Q_ARROW = Q_OP2('-', '>'),
};

/* Names to numbers; the newest wins. */
int32_t ww_qmap_get(const ww_dict *m, const ww_qtoken *name); /* -1: not there */
void ww_qmap_put(ww_dict *m, ww_arena *a, const ww_qtoken *name, int32_t v);

typedef struct {
  ww_qtoken name;
  bool function;
  const char **params; /* function-like */
  uint32_t nparams;
  ww_qtokens body;
} ww_qmacro;

typedef struct {
  const ww_scan *scan;
  ww_arena *a;
  WW_VEC(ww_qmacro) macros;
  ww_dict names; /* of the newest macros */
} ww_qlex;

/* #define, -D, -U */
void ww_qlex_macros(ww_qlex *l, const char *const *flags, uint32_t nflags);
void ww_qlex_define(ww_qlex *l,
                    const ww_qtoken *name,
                    const ww_qtoken *body,
                    uint32_t nbody);
/* Code of the bytes from .. to, macros replaced; appended. At most WW_QLEX_MOST tokens.
 */
void ww_qlex_range(
    ww_qlex *l, uint32_t from, uint32_t to, bool expand, ww_qtokens *out);
/* The same, directives and all, with macros as they are written. */
void ww_qlex_words(ww_qlex *l, uint32_t from, uint32_t to, ww_qtokens *out);
static inline bool ww_qtoken_is(const ww_qtoken *t, const char *word) {
  return t->kind == Q_WORD && *t->s == *word && strlen(word) == t->n &&
         !memcmp(t->s, word, t->n);
}
/* with blanks between them */
bool ww_qtoken_in(const ww_qtoken *t, const char *words);
bool ww_qop_in(const ww_qtoken *t, const char *ops);          /* likewise */
bool ww_qtoken_begins(const ww_qtoken *t, const char *words); /* with one of them */
enum { WW_QLEX_MOST = 20000 };

static inline bool ww_qcompares(uint32_t op) { /* == <= >= != */
  return op == Q_EQ || op == Q_LE || op == Q_GE || op == Q_NE;
}
/* = += and the like. */
static inline bool ww_qassigns(const ww_qtoken *t) {
  return t->op && t->s[t->n - 1] == '=' && !ww_qcompares(t->op);
}
static inline bool ww_qsteps(const ww_qtoken *t) {
  return t->op == Q_INC || t->op == Q_DEC;
}
/* The token that closes the bracket at i; i itself where none opens, or (skip) none
 * closes before `to`. */
static inline uint32_t ww_qclose(const ww_qtoken *t, uint32_t i) {
  return t[i].pair > i ? t[i].pair : i;
}
static inline uint32_t ww_qskip(const ww_qtoken *t, uint32_t i, uint32_t to) {
  return t[i].pair < to ? ww_qclose(t, i) : i;
}
/* The comma behind the part of a list that begins at i, at most `to`. */
static inline uint32_t ww_qcomma(const ww_qtoken *t, uint32_t i, uint32_t to) {
  while (i < to && t[i].op != ',')
    i = ww_qskip(t, i, to) + 1;
  return i;
}
/* The first of these operators from i on, in brackets or not; `end`: there is none. */
static inline uint32_t
ww_qfind(const ww_qtoken *t, uint32_t i, uint32_t end, const char *ops) {
  while (i < end && !ww_qop_in(&t[i], ops))
    i++;
  return i;
}
/* The same outside of brackets that open from i on. */
static inline uint32_t
ww_qbehind(const ww_qtoken *t, uint32_t i, uint32_t end, const char *ops) {
  while (i < end && !ww_qop_in(&t[i], ops))
    i = ww_qclose(t, i) + 1;
  return i < end ? i : end;
}
/* The ; or end of line behind the simple statement at i, at most `end`. */
static inline uint32_t ww_qstatement_end(const ww_qtoken *t, uint32_t i, uint32_t end) {
  return ww_qbehind(t, i, end, "; \n");
}

/* ---- symbols ---- */
typedef enum {
  Q_SCALAR,
  Q_POINTER,
  Q_LOCAL,
  Q_ARRAY,
  Q_SHARED,
  Q_GLOBAL,
  Q_FUNCTION,
  Q_TYPE,
  Q_MEMBER,
  Q_TEMPLATE,
  Q_BUILTIN
} ww_qsym_kind;
/* Builtins: which of tx bx Dx Gx gx Nx; the dimension stands beside it. */
typedef enum {
  Q_THREAD,
  Q_BLOCK,
  Q_BLOCKDIM,
  Q_GRIDDIM,
  Q_GLOBALID,
  Q_GLOBALDIM,
  Q_NBUILTINS
} ww_qbuiltin;

typedef struct {
  uint8_t kind;  /* ww_qsym_kind */
  char type;     /* f d h i u l s c b, o: other */
  bool assigned; /* somewhere behind its declaration */
  bool vector;   /* float4 and such */
  bool is_const, is_restrict;
  uint32_t bytes;   /* of an element */
  uint32_t order;   /* among those of its kind */
  int32_t param;    /* of the kernel: which; else -1 */
  int32_t function; /* Q_FUNCTION: which */
  int32_t alias;    /* always the builtin with this symbol; -1 */
  uint8_t builtin, dim;
  ww_qtoken name; /* where it is declared */
} ww_qsym;

typedef struct {
  int32_t sym;     /* its name; -1: the kernel */
  int32_t *params; /* symbols */
  uint32_t nparams;
  int32_t *templates; /* symbols */
  uint32_t ntemplates;
  /* all of it that is written: parameters to closing brace; a struct or variable: whole
   */
  ww_qtokens t;
  uint32_t body, body_end; /* token of '{', one past '}'; both 0: no function */
} ww_qpart;

struct ww_question_kernel {
  ww_arena *arena;
  const char *name;
  uint32_t line;
  WW_VEC(ww_qsym) syms;
  /* the kernel is 0; others in the order they were found to be used */
  WW_VEC(ww_qpart) parts;
  uint32_t bounds; /* __launch_bounds__, 0 none */
  bool openmp;
  bool raw;          /* no function was found: part 0 is words, and has no body */
  uint32_t collapse; /* OpenMP: loops that are made one */
  double *constant;  /* [syms.n] values of template parameters of the kernel, NaN */
};

/* or NULL */
static inline const ww_qsym *ww_qsym_of(const ww_question_kernel *k, int32_t sym) {
  return sym >= 0 ? &k->syms.v[sym] : NULL;
}

/* Type words: letter and bytes of one element; returns lanes, 4 of float4. 0: not a
 * type of the language. */
uint32_t ww_qtype_named(const ww_qtoken *t, char *type, uint32_t *bytes);

/* ---- question_read.c ---- */
/* sets `pair`; a bracket that is never closed pairs with the last token */
void ww_qpair(ww_qtokens *v, ww_arena *a);

/* ---- question_resolve.c ---- */
typedef struct {
  ww_question_kernel *k;
  ww_dict globals, members;       /* symbols */
  uint32_t norder[Q_BUILTIN + 1]; /* of functions, types, members, globals */
  void *ctx;
  /* A name that no part so far declares: its symbol, new where the source declares it;
   * -1: a name of the language. */
  int32_t (*unknown)(void *ctx, const ww_qtoken *t);
} ww_qresolver;
int32_t ww_qsym_add(ww_qresolver *r,
                    const ww_qtoken *name,
                    ww_qsym_kind kind,
                    char type,
                    uint32_t bytes);
/* Resolves every word of the part. Its tokens are: a function's parameters in brackets
 * and its body; or a struct or a variable. */
void ww_qresolve(ww_qresolver *r, uint32_t part, bool is_class);

/* ---- question_walk.c ---- */
/* A figure of a GPU that nobody knows is taken as another. */
static inline double ww_qknown(double v, double otherwise) {
  return isfinite(v) && v > 0 ? v : otherwise;
}
/* blocks of a grid, threads of a block */
static inline double ww_qproduct(const uint64_t v[3]) {
  double n = 1;
  for (int d = 0; d < 3; d++)
    n *= v[d] ? (double)v[d] : 1;
  return n;
}

typedef enum {
#define COUNT(name, chain, issue) Q_C_##name,
#include "question_counts.def"
  Q_NCOUNTS
} ww_qcount;
typedef struct {
  /* cycles until what follows from it can go on; warp instructions */
  double chain, issue;
} ww_qcost;
extern const ww_qcost ww_qcosts[Q_NCOUNTS]; /* question_work.c */

/* What each part of the machine would take, in us: instructions, the busiest pipe, L1
 * and shared memory, L2, DRAM, one thread after the other, atomics on one word, the
 * start of blocks; the largest of them. */
enum {
  Q_E_issue,
  Q_E_pipe,
  Q_E_lines,
  Q_E_l2,
  Q_E_dram,
  Q_E_latency,
  Q_E_atomics,
  Q_E_blocks,
  Q_E_most,
  Q_NESTIMATES
};

typedef struct {
  /* [tokens of all parts]: of a loop's keyword; trips < 0: not known */
  float *trips, *weight;
  /* [tokens]: of an access: 0 neighbours, '~' one address, '!' strided, '?' not known,
   * '`' not known in a small buffer */
  char *mark;
  const bool *dead;        /* [tokens of the kernel]: the compiler leaves it out */
  uint32_t *first;         /* [parts]: of its tokens in the arrays */
  double count[Q_NCOUNTS]; /* by threads */
  /* by warps; by those of the busiest block */
  double issued[Q_NCOUNTS], busiest[Q_NCOUNTS];
  /* of the busiest thread, alone on its SM */
  double cycles;
  /* bytes of a block that the source declares */
  double shared;
  double instructions; /* of all warps */
  /* blocks that have work, waves of them; ww_question_estimate fills these,
   * instructions and estimate[] */
  double active, waves;
  double estimate[Q_NESTIMATES];
  /* executions of the most executed loop body; loops around it */
  double heaviest, depth;
  double unknown; /* loops whose trips are not known */
} ww_qwalk;
void ww_question_walk(const ww_question_kernel *k,
                      const ww_launch *l,
                      ww_arena *a,
                      ww_qwalk *out);
/* A scalar argument's number by its parameter's type; NaN: none. */
double ww_question_scalar(const ww_arg *g, char type, uint32_t bytes);

/* ---- question.c ---- */
void ww_question_estimate(ww_qwalk *w,
                          const ww_question_kernel *k,
                          const ww_launch *l,
                          const ww_gpu *g);
void ww_question_magnitude(double v, ww_buf *out);

#endif
