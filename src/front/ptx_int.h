/* ptx_int.h - what the readers of PTX modules share: ptx_parse.c (text to declarations
 * and functions), ptx_body.c (statements of a function, its names, its blocks),
 * ptx_fn.c (the function's IR), ptx_call.c (parameters and calls), ptx_params.c (what
 * the kernel's parameters are), ptx.c (the module). */
#ifndef WW_FRONT_PTX_INT_H
#define WW_FRONT_PTX_INT_H

#include "ptx.h"
#include "translate_asm.h"

/* ---- declarations ---- */

/* A variable or parameter. */
typedef struct {
  const char *name;
  ww_space space;
  ww_type type;  /* of an element; WW_VOID: of no type that there is here */
  bool untyped;  /* .b32 ... */
  bool array;    /* it has a size in brackets */
  bool external; /* .extern */
  bool pointer;  /* .ptr */
  uint32_t align;
  uint64_t bytes;   /* 0: an array without a size */
  const char *init; /* behind the equals sign, or NULL */
  uint32_t symbol;  /* + 1, once it has one */
} ptx_var;

typedef struct {
  ptx_var *v;
  uint32_t n, cap;
} ptx_vars;

typedef struct {
  const char *name;
  bool entry;
  ptx_vars params, results;
  ww_strings types; /* of the parameters, as the mangled name has them */
  char *body;       /* NULL: declared only; ptx_body.c cuts it into pieces */
  uint32_t line;
  uint32_t max_threads, min_blocks, req_block[3], cluster[3];
  uint32_t made; /* index of its low_fn + 1, 0: nobody needed it */
} ptx_function;

typedef struct {
  low_module m;
  ww_arena *a;
  const char *path;
  const char *text; /* without comments; what lines are counted in */
  uint32_t *lines;  /* where each begins */
  uint32_t nlines;
  ptx_vars vars;
  WW_VEC(ptx_function) fns;
  ww_dict var_named, fn_named; /* -> index + 1 */
  ww_dict aliases;             /* -> index of a function + 1 */
  WW_VEC(struct ptx_file {
    uint32_t number;
    const char *path;
    uint32_t index; /* in the module + 1; 0: not yet */
  })
  files;
  ww_map loc_of;       /* file << 32 | line, + 1 -> where that was inlined, a loc + 1 */
  bool has_lines;      /* .loc and .file are there */
  uint64_t init_bytes; /* of variables so far */
  ptx_var workspace;   /* that the driver gives cooperative grids: %envreg */
  /* Of each block, for tiles of cooperative groups: %reserved_smem_offset_1. */
  ptx_var reserved;
  ww_err *e;
} ptx_module;

/* ptx_parse.c */
ww_status ptx_parse_module(ptx_module *p, char *text, size_t n);
uint32_t ptx_line(const ptx_module *p, const char *at); /* of the text, from 1 */
/* Parses ".align 4 .b8 name[16]", up to `end` or a comma; false: it is none. *c moves
 * behind it. */
bool ptx_parse_var(ww_arena *a, char **c, ptx_var *out);
/* "(.param .b32 x, .param .b64 y)" at *c: what is in it; false: malformed. */
bool ptx_parse_params(ww_arena *a, char **c, ptx_vars *out);

/* ---- bodies ---- */

typedef struct {
  ptx_ins i;
  uint32_t loc;  /* of the IR */
  uint32_t line; /* in the PTX */
} ptx_stmt;

typedef WW_VEC(uint32_t) ptx_numbers;

typedef struct {
  uint32_t first, n; /* statements */
  ptx_numbers succ, pred;
  uint32_t order; /* in reverse post-order; UINT32_MAX: not reached */
  uint32_t idom;  /* immediate dominator, own number for the entry */
  /* in the tree of dominators: where it stands, how many stand behind it and below */
  uint32_t tree_at, tree_size;
  uint32_t begin, end; /* blocks of the IR */
  bool no_unroll;      /* .pragma "nounroll" where a loop begins */
} ptx_block;

/* What is passed to or from a call: pieces of bytes. */
typedef struct {
  uint32_t at, bytes;
  ww_val v;
  ww_type type;
} ptx_piece;
typedef struct {
  ptx_var var;
  uint32_t block; /* where the pieces were written */
  ww_val address; /* of its copy in local memory; WW_NOVAL: not made */
  WW_VEC(ptx_piece) pieces;
} ptx_passed;

/* A phi that was asked for before all of its ways were known. */
typedef struct {
  uint32_t reg, block;
  ww_val v;
  ptx_numbers from; /* values, beside the block's predecessors */
} ptx_phi;

typedef struct {
  ptx_state s; /* first: hooks get it */
  ptx_module *p;
  ptx_function *def;
  low_fn *F;
  WW_VEC(ptx_stmt) stmts;
  WW_VEC(ptx_block) blocks;
  ptx_numbers order;   /* blocks in reverse post-order */
  ww_dict labels;      /* -> block + 1 */
  ww_dict lists;       /* label of .branchtargets or .callprototype -> stmt + 1 */
  ptx_vars vars;       /* of the function itself */
  ww_dict var_named;   /* -> index into vars + 1 */
  ww_val *var_address; /* of .local ones, beside vars; WW_NOVAL: not made */
  WW_VEC(ptx_passed) passed;
  ww_dict passed_named; /* -> index into passed + 1 */
  ww_map defs;          /* block << 32 | register, + 1 -> value */
  WW_VEC(ptx_phi) phis;
  uint32_t place; /* loc of its first line, 0: not known */
  ww_val stack;   /* address of what alloca takes from; WW_NOVAL: not made */
} ptx_fn;

/* ptx_body.c: fills stmts, vars, blocks with their order and dominators. */
void ptx_read_body(ptx_fn *f);
bool ptx_dominates(const ptx_fn *f, uint32_t a, uint32_t b);

/* ptx_regs.c: which registers are written once, and what they hold. */
void ptx_study_registers(ptx_fn *f);

/* ptx_fn.c */
void ptx_lower_fn(ptx_module *p, ptx_function *def);
/* Every value by the one that it is the same as: a value that is, by itself. */
void ptx_replace(low_fn *F, uint32_t *same);

/* ptx_fold.c */
void ptx_fold(low_fn *F);

/* ptx_call.c */
void ptx_add_params(ptx_fn *f);
bool ptx_pass(ptx_fn *f, ptx_ins *i); /* ld.param, st.param; false: it is neither */
void ptx_call(ptx_fn *f, ptx_ins *i);
void ptx_return(ptx_fn *f);
/* Of a function's parameter, whose address is taken; false: there is none. */
bool ptx_param_address(ptx_fn *f, const char *name, ww_val *address);

/* ptx_params.c: names, types and pointers of a kernel's parameters, once it is made. */
void ptx_describe(ptx_fn *f);
/* A parameter's type as C++ writes it; of a pointer, what it points to. */
void ptx_take_type(ww_param *p, const char *ctype);

/* ptx.c */
ptx_function *ptx_function_of(ptx_module *p, const char *name); /* NULL: none */
low_fn *ptx_want_fn(ptx_module *p, const char *name); /* NULL: none with a body */
uint32_t ptx_symbol(ptx_module *p, ptx_var *v);
uint32_t ptx_loc(ptx_module *p, const char *text, uint32_t line); /* .loc ... */

#endif
