/* test_cubin.c - variables of a cubin, also of damaged ones, and names behind mangled
 * names. */
#include "unit.h"

#include <stdlib.h>

#include "../../src/measure/cubin.h"
#include "cubin_sample.h"

static void variables_are_listed(void **state) {
  cubin c = sample();
  ww_cubin_global *v;
  assert_int_equal(ww_cubin_globals(&c, sizeof c, *state, &v), 2);
  assert_string_equal(v[0].name, "table");
  assert_true(v[0].writable && v[0].bytes == 256);
  assert_string_equal(v[1].name, "_ZN2ns4coefE");
  assert_true(!v[1].writable && v[1].bytes == 16);
}

/* Cut anywhere, or with any byte wrong: fewer variables, never an access outside (the
 * sanitizers look on). */
static void damage_is_survived(void **state) {
  ww_cubin_global *v;
  cubin c = sample();
  for (size_t n = 0; n < sizeof c; n++) {
    uint8_t *cut = ww_xmalloc(n ? n : 1);
    memcpy(cut, &c, n);
    assert_true(ww_cubin_globals(cut, n, *state, &v) <= 2);
    free(cut);
  }
  for (size_t at = 0; at < sizeof c; at++) {
    uint8_t *wrong = ww_xmalloc(sizeof c);
    memcpy(wrong, &c, sizeof c);
    wrong[at] = 0xff;
    uint32_t n = ww_cubin_globals(wrong, sizeof c, *state, &v);
    for (uint32_t i = 0; i < n; i++)
      assert_true(strlen(v[i].name) < sizeof c);
    free(wrong);
  }
  assert_int_equal(ww_cubin_globals(".version 8.0", 12, *state, &v), 0);
}

/* A cubin with one kernel of two instructions. */
typedef struct {
  Elf64_Ehdr head;
  Elf64_Shdr sections[4];
  char names[64];
  uint8_t code[32];
} tiny;

static tiny one_kernel(uint8_t opcode, uint8_t first_operand) {
  tiny t = {.head = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64},
                     .e_machine = 190,
                     .e_shoff = offsetof(tiny, sections),
                     .e_shnum = 4,
                     .e_shstrndx = 1}};
  static const char texts[] = "\0.shstrtab\0.text.k\0.nv.constant0.k";
  memcpy(t.names, texts, sizeof texts);
  t.sections[1] = (Elf64_Shdr){
      .sh_name = 1, .sh_offset = offsetof(tiny, names), .sh_size = sizeof texts};
  t.sections[2] = (Elf64_Shdr){
      .sh_name = 11, .sh_offset = offsetof(tiny, code), .sh_size = sizeof t.code};
  t.sections[3] = (Elf64_Shdr){.sh_name = 19};
  t.code[16] = opcode;
  t.code[19] = first_operand;
  return t;
}

static void half_precision_is_told_from_constants(void **state) {
  (void)state;
  tiny none = one_kernel(0x21, 3), constant = one_kernel(0x35, 255),
       packed = one_kernel(0x31, 4);
  assert_false(ww_cubin_half(&none, sizeof none, "k"));
  assert_false(ww_cubin_half(&constant, sizeof constant, "k"));
  assert_true(ww_cubin_half(&packed, sizeof packed, "k"));
  assert_true(ww_cubin_half(&none, sizeof none, "other")); /* unknown: may */
  assert_true(ww_cubin_half(".version 8.0", 12, "k"));
  for (size_t n = 0; n < sizeof none; n++) {
    uint8_t *cut = ww_xmalloc(n ? n : 1);
    memcpy(cut, &none, n);
    assert_true(ww_cubin_half(cut, n, "k"));
    free(cut);
  }
}

static void registers_are_read(void **state) {
  struct {
    Elf64_Ehdr head;
    Elf64_Shdr sections[5];
    char names[64];
    Elf64_Sym symbols[2];
    struct {
      uint8_t form, attribute;
      uint16_t size;
      uint32_t symbol, registers;
    } info[2];
  } t = {.head = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64},
                  .e_machine = 190,
                  .e_shnum = 5,
                  .e_shstrndx = 1},
         .names = "\0.shstrtab\0.symtab\0.nv.info\0k",
         .symbols = {{.st_name = 0}, {.st_name = 28}},
         .info = {{4, 0x11, 8, 1, 99}, {4, 0x2f, 8, 1, 56}}};
  (void)state;
  t.head.e_shoff = (uint64_t)((char *)t.sections - (char *)&t);
  t.sections[1] = (Elf64_Shdr){.sh_name = 1,
                               .sh_offset = (uint64_t)(t.names - (char *)&t),
                               .sh_size = sizeof t.names};
  t.sections[2] = (Elf64_Shdr){.sh_name = 11,
                               .sh_type = SHT_SYMTAB,
                               .sh_link = 1,
                               .sh_offset = (uint64_t)((char *)t.symbols - (char *)&t),
                               .sh_size = sizeof t.symbols};
  t.sections[3] = (Elf64_Shdr){.sh_name = 19,
                               .sh_offset = (uint64_t)((char *)t.info - (char *)&t),
                               .sh_size = sizeof t.info};
  ww_cubin_resources r;
  assert_true(ww_cubin_resources_of(&t, sizeof t, "k", &r));
  assert_int_equal(r.registers, 56);
  assert_false(ww_cubin_resources_of(&t, sizeof t, "other", &r));
  assert_false(ww_cubin_resources_of(&t, sizeof t - 1, "k", &r));
  assert_false(ww_cubin_resources_of("no ELF", 6, "k", &r));
}

static void names_match(void **state) {
  static const struct {
    const char *name, *mangled;
    bool match;
  } rows[] = {{"saxpy", "_Z5saxpyfPfS_", true},
              {"saxpy", "saxpy", true},
              {"scale<float, 4>", "_Z5scaleIfLi4EEvPT_", true},
              {"ns::foo", "_ZN2ns3fooIfEEvPT_", true},
              {"foo", "_ZN2ns3fooIfEEvPT_", true},
              {"anon", "_ZN36_GLOBAL__N__09e72a98_4_s_cu_af4a77ef4anonEPf", true},
              {"hidden", "_ZL6hidden", true},
              {"hidden", "_ZN2nsL6hiddenE", true},
              {"ns", "_ZN2ns3fooIfEEvPT_", false},
              {"axpy", "_Z5saxpyfPfS_", false},
              {"saxpy", "_Z6saxpy2fPfS_", false},
              {"saxpy", "_Z99saxpy", false},
              {"", "_Z", false},
              {"deep", "_ZN2ns4deepE", true}};
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    if (ww_name_matches(rows[i].name, rows[i].mangled) != rows[i].match)
      fail_msg("%s, %s", rows[i].name, rows[i].mangled);
}

int main(void) {
  const struct CMUnitTest tests[] = {TEST(variables_are_listed),
                                     TEST(damage_is_survived),
                                     TEST(half_precision_is_told_from_constants),
                                     TEST(registers_are_read), TEST(names_match)};
  return RUN(tests);
}
