/* translate_asm_tex.c - textures and surfaces in PTX, as accesses of memory.
 *
 * As in the shims (shim/README.md): a handle is the address of element 0, rows have no
 * padding, coordinates count elements, reads take the nearest element and clamp to the
 * edge. The texture unit computes the address: all of it is one instruction.
 *
 * A texture read always gives four components of 32 bits, however many its elements
 * have: those up to the last one that is used are taken to be the element. */
#include "translate_asm.h"

typedef struct {
  uint32_t axes; /* without layers; of a cube the components of a direction */
  bool layered, cube;
  bool whole;       /* coordinates are integers */
  uint32_t element; /* bytes */
  ww_val handle;
  const char *at[5]; /* coordinates; the layer comes first */
  uint32_t nat;
  double beside[2]; /* added to x and y */
} image;

/* 1d, 2d, 3d, a1d, a2d or cube among the modifiers; false: samples, and layers of
 * cubes, whose number is not known. */
static bool shape_of(const ptx_ins *i, image *m) {
  static const low_named shapes[] = {{"1d", 1},  {"2d", 2},    {"3d", 3}, {"a1d", 5},
                                     {"a2d", 6}, {"cube", 11}, {NULL, -1}};
  int shape = -1;
  for (uint32_t k = 1; k < i->nop && shape < 0; k++)
    shape = low_value_named(shapes, i->op[k], strlen(i->op[k]));
  m->axes = shape & 3;
  m->layered = shape & 4;
  m->cube = shape & 8;
  return shape > 0;
}

/* "[handle, {x, y}]"; false: a sampler between them, or too few coordinates. */
static bool operand_of(ptx_ins *i, const char *operand, image *m) {
  char *text = ww_strdup(i->F->a, operand);
  char *comma = strchr(text, ',');
  char *end = strrchr(text, ']');
  if (*text != '[' || !comma || !end)
    return false;
  *comma = *end = 0;
  char *list = ptx_trim(comma + 1);
  if (*list != '{' && strchr(list, ','))
    return false;
  m->handle = ptx_read(i, ptx_trim(text + 1), WW_I64);
  m->nat = ptx_list(i, list, m->at, 5);
  return m->nat <= 4 && m->nat >= m->axes + m->layered;
}

static ww_val extent(low_fn *F, const image *m, uint32_t axis) {
  ww_val n = low_binary(F, WW_OP_TEXDIM, WW_I64, m->handle, low_i32(F, axis));
  low_last(F)->imm = m->element;
  return n;
}

static ww_val clamped(low_fn *F, const image *m, uint32_t axis, ww_val at) {
  ww_val last = low_add_imm(F, extent(F, m, axis), WW_I64, -1);
  return low_op64(F, WW_OP_SMIN, low_op64k(F, WW_OP_SMAX, at, 0), last);
}

static ww_val whole(ptx_ins *i, const char *operand) {
  return low_int_to(i->F, ptx_read(i, operand, WW_I32), WW_I32, WW_I64, true);
}

/* The coordinate along an axis; the last axis of a layered one is the layer. */
static ww_val coordinate(ptx_ins *i, const image *m, uint32_t axis) {
  if (m->layered && axis == m->axes)
    return whole(i, m->at[0]);
  const char *operand = m->at[axis + m->layered];
  if (m->whole)
    return whole(i, operand);
  ww_val at = ptx_read(i, operand, WW_F32);
  if (axis < 2 && m->beside[axis] != 0)
    at = low_binary(i->F, WW_OP_FADD, WW_F32, at,
                    low_fconst(i->F, WW_F32, m->beside[axis]));
  return low_convert(i->F, at, WW_F32, WW_I64, WW_RD, true);
}

/* Rows before the element: (z * height + y); x is left to the caller. */
static ww_val rows_before(ptx_ins *i, const image *m, bool clamp) {
  low_fn *F = i->F;
  ww_val rows = low_const(F, WW_I64, 0);
  for (uint32_t axis = m->axes + m->layered - 1; axis > 0; axis--) {
    ww_val at = coordinate(i, m, axis);
    if (clamp)
      at = clamped(F, m, axis, at);
    if (axis < m->axes + m->layered - 1)
      rows = low_op64(F, WW_OP_MUL, rows, extent(F, m, axis));
    rows = low_op64(F, WW_OP_ADD, rows, at);
  }
  return rows;
}

static ww_val row_start(ptx_ins *i, const image *m, bool clamp) {
  if (m->axes + m->layered == 1)
    return low_const(i->F, WW_I64, 0);
  return low_op64(i->F, WW_OP_MUL, rows_before(i, m, clamp), extent(i->F, m, 0));
}

/* Components of the element: 1, 2 or 4. */
static uint32_t components(ptx_ins *i, const char *const part[4]) {
  uint32_t n = 1;
  for (uint32_t k = 1; k < 4; k++) {
    uint32_t reg = ptx_find_reg(i->s, part[k]);
    if (reg != PTX_NOREG && !i->s->regs.v[reg].unread)
      n = k == 1 ? 2 : 4;
  }
  return n;
}

static ww_val choose(low_fn *F, ww_val p, ww_val yes, ww_val no) {
  return low_select(F, WW_F32, p, yes, no);
}

/* Of n elements the one at v, which goes from -1 to 1 */
static ww_val place_on_face(low_fn *F, ww_val v, ww_val n) {
  ww_val half = low_fconst(F, WW_F32, 0.5);
  ww_val size = low_convert(F, n, WW_I64, WW_F32, WW_RN, true);
  ww_val at = low_op(F, WW_OP_FMA, WW_F32, v, half, half);
  at = low_convert(F, low_binary(F, WW_OP_FMUL, WW_F32, at, size), WW_F32, WW_I64,
                   WW_RD, true);
  return low_op64(F, WW_OP_SMIN, low_op64k(F, WW_OP_SMAX, at, 0),
                  low_add_imm(F, n, WW_I64, -1));
}

/* Where a direction meets the cube: six faces lie one behind the other, x upwards and
 * downwards, then y and z. The array is known as a square of as many elements, whose
 * side is sqrt(6) times that of a face. */
static ww_val element_of_cube(ptx_ins *i, const image *m) {
  low_fn *F = i->F;
  ww_val v[3];
  ww_val size[3];
  for (uint32_t k = 0; k < 3; k++) {
    v[k] = ptx_read(i, m->at[k], WW_F32);
    size[k] = low_unary(F, WW_OP_FABS, WW_F32, v[k]);
  }
  ww_val x =
      low_binary(F, WW_OP_AND, WW_I1, low_cmp(F, WW_FOGE, WW_F32, size[0], size[1]),
                 low_cmp(F, WW_FOGE, WW_F32, size[0], size[2]));
  ww_val y = low_binary(F, WW_OP_AND, WW_I1, low_not(F, x),
                        low_cmp(F, WW_FOGE, WW_F32, size[1], size[2]));
  ww_val longest = choose(F, x, v[0], choose(F, y, v[1], v[2]));
  ww_val back = low_cmp(F, WW_FOLT, WW_F32, longest, low_fconst(F, WW_F32, 0));
  ww_val minus[3];
  for (uint32_t k = 0; k < 3; k++)
    minus[k] = low_unary(F, WW_OP_FNEG, WW_F32, v[k]);
  ww_val s = choose(F, x, choose(F, back, v[2], minus[2]),
                    choose(F, y, v[0], choose(F, back, minus[0], v[0])));
  ww_val t = choose(F, y, choose(F, back, minus[2], v[2]), minus[1]);
  longest = low_unary(F, WW_OP_FABS, WW_F32, longest);
  s = low_opx(F, WW_OP_FDIV, WW_F32, WW_RN, WW_F_APPROX, s, longest, WW_NOVAL);
  t = low_opx(F, WW_OP_FDIV, WW_F32, WW_RN, WW_F_APPROX, t, longest, WW_NOVAL);
  ww_val square = low_convert(F, extent(F, m, 1), WW_I64, WW_F32, WW_RN, true);
  ww_val n =
      low_binary(F, WW_OP_FMUL, WW_F32, square, low_fconst(F, WW_F32, sqrt(1 / 6.)));
  n = low_convert(F, n, WW_F32, WW_I64, WW_RN, true);
  ww_val face = low_select(
      F, WW_I64, x, low_const(F, WW_I64, 0),
      low_select(F, WW_I64, y, low_const(F, WW_I64, 2), low_const(F, WW_I64, 4)));
  face = low_op64(F, WW_OP_ADD, face, low_int_to(F, back, WW_I1, WW_I64, false));
  ww_val row =
      low_op64(F, WW_OP_ADD, low_op64(F, WW_OP_MUL, face, n), place_on_face(F, t, n));
  return low_op64(F, WW_OP_ADD, low_op64(F, WW_OP_MUL, row, n), place_on_face(F, s, n));
}

/* Of element {x, y}, or the nearest that there is. */
static ww_val element(ptx_ins *i, const image *m) {
  if (m->cube)
    return element_of_cube(i, m);
  low_fn *F = i->F;
  ww_val x = coordinate(i, m, 0);
  /* a fetch from linear memory has no edge that is known here */
  if (!m->whole || m->axes > 1 || m->layered)
    x = low_op64(F, WW_OP_ADD, row_start(i, m, true), clamped(F, m, 0, x));
  return x;
}

static low_addr texel(ptx_ins *i, const image *m) {
  return (low_addr){.base = low_lea(i->F, m->handle, element(i, m), m->element),
                    .space = WW_GLOBAL,
                    .align = m->element,
                    .flags = WW_F_READONLY};
}

/* tld4.r.2d.v4.f32.f32 {a, b, c, d}, [handle, {x, y}]: one component of the four
 * elements around the place, from the lower left against the clock's */
bool ptx_gather(ptx_ins *i) {
  static const low_named which[] = {{"r", 0}, {"g", 1}, {"b", 2}, {"a", 3}, {NULL, -1}};
  static const double around[4][2] = {{-.5, .5}, {.5, .5}, {.5, -.5}, {-.5, -.5}};
  low_fn *F = i->F;
  image m = {0};
  const char *part[5];
  ww_val v[4];
  int component = i->nop > 1 ? low_value_named(which, i->op[1], strlen(i->op[1])) : -1;
  bool known =
      (i->type == WW_F32 || i->type == WW_I32) && ptx_nth_type(i, 1).t == WW_F32;
  if (component < 0 || !known || !shape_of(i, &m) || m.axes != 2 || i->narg < 2 ||
      ptx_list(i, i->arg[0], part, 5) != 4)
    return false;
  m.element = (component > 1 ? 4 : component + 1) * ww_type_bytes[i->type];
  uint32_t here = low_here(F);
  if (!operand_of(i, i->arg[1], &m))
    return false;
  for (int k = 0; k < 4; k++) {
    low_comp c = low_element(i->type, 0);
    memcpy(m.beside, around[k], sizeof m.beside);
    low_addr p = texel(i, &m);
    p.off = component * ww_type_bytes[i->type];
    low_load(F, p, &c, 1, &v[k]);
  }
  low_parts(F, here, WW_OP_LD);
  for (int k = 0; k < 4; k++)
    ptx_write(i, part[k], v[k], i->type, i->sign);
  return true;
}

/* tex[.level|.grad].2d.v4.f32.f32 {r, g, b, a}[|there], [handle, {x, y}]{, level ...}
 */
bool ptx_tex(ptx_ins *i) {
  low_fn *F = i->F;
  image m = {.whole = ptx_nth_type(i, 1).t == WW_I32};
  const char *part[5];
  low_comp c[4];
  ww_val v[4];
  bool known = i->type == WW_F32 || i->type == WW_I32;
  uint32_t parts = ptx_list(i, i->arg[0], part, 5);
  bool tells = parts == 5 && *part[4] == '|'; /* whether the element is in memory */
  if (!known || !shape_of(i, &m) || i->narg < 2 || parts != 4u + tells)
    return false;
  uint32_t n = components(i, part);
  m.element = n * ww_type_bytes[i->type];
  uint32_t here = low_here(F);
  if (!operand_of(i, i->arg[1], &m))
    return false;
  low_load(F, texel(i, &m), low_elements(c, i->type, n), n, v);
  low_parts(F, here, WW_OP_LD);
  if (tells)
    ptx_write(i, part[4] + 1, low_const(F, WW_I1, 1), WW_I1, false);
  for (uint32_t k = 0; k < n; k++)
    ptx_write(i, part[k], v[k], i->type, i->sign);
  return true;
}

/* suld.b.2d.v2.b32.trap {a, b}, [handle, {x, y}] and sust.b (x): x counts bytes */
bool ptx_surface(ptx_ins *i) {
  low_fn *F = i->F;
  image m = {.whole = true};
  const char *part[5];
  low_comp c[4];
  ww_val v[4];
  bool store = i->x;
  uint32_t n = ptx_has(i, "v2") ? 2 : ptx_has(i, "v4") ? 4 : 1;
  if (!ptx_has(i, "b") || i->type == WW_VOID || i->pair || !shape_of(i, &m) || m.cube ||
      i->narg < 2 || ptx_list(i, i->arg[store], part, 5) != n)
    return false;
  m.element = n * ww_type_bytes[i->type];
  uint32_t here = low_here(F);
  for (uint32_t k = 0; k < n && store; k++)
    v[k] = ptx_read(i, part[k], i->type);
  if (m.element > 16 || !operand_of(i, i->arg[!store], &m))
    return false;
  ww_val row = low_lea(F, m.handle, row_start(i, &m, false), m.element);
  low_addr p = {.base = low_op64(F, WW_OP_ADD, row, coordinate(i, &m, 0)),
                .space = WW_GLOBAL,
                .align = m.element};
  low_elements(c, i->type, n);
  if (store)
    low_store(F, p, c, n, v);
  else
    low_load(F, p, c, n, v);
  low_parts(F, here, store ? WW_OP_ST : WW_OP_LD);
  for (uint32_t k = 0; k < n && !store; k++)
    ptx_write(i, part[k], v[k], i->type, i->sign);
  return true;
}

/* txq.width.b32 d, [handle] and suq */
bool ptx_image_query(ptx_ins *i) {
  static const low_named axes[] = {
      {"width", 0}, {"height", 1}, {"depth", 2}, {NULL, -1}};
  int axis = i->nop > 1 ? low_value_named(axes, i->op[1], strlen(i->op[1])) : -1;
  if (axis < 0 || i->narg < 2 || i->type != WW_I32)
    return false;
  image m = {.handle = low_addr_value(i->F, ptx_address(i, i->arg[1], WW_GENERIC, 16))};
  ww_val n = low_int_to(i->F, extent(i->F, &m, axis), WW_I64, WW_I32, false);
  ptx_write(i, i->arg[0], n, WW_I32, false);
  return true;
}
