/* test_fatbin.c - PTX inside compiled code: fat binaries of nvcc 13 with each kind of
 * compression, the same in an ELF file, and what a recorded program loads. */
#include "unit.h"

#include <elf.h>

#include "../../src/cuda/fatbin.h"
#include "../../src/measure/record/loaded_ptx.h"

static const char *const files[] = {"tests/ptx/scale_zstd.fatbin",
                                    "tests/ptx/scale_lz4.fatbin",
                                    "tests/ptx/scale_plain.fatbin"};

static char *image_of(const char *path, ww_arena *a, size_t *n) {
  char *data;
  ww_err e = {0};
  if (ww_read_file(a, path, 1 << 20, &data, n, &e))
    fail_msg("%s", e.msg);
  return data;
}

static void check_ptx(const char *ptx, size_t n) {
  assert_int_equal(strlen(ptx), n);
  assert_non_null(strstr(ptx, ".target sm_90")); /* the newer of two */
  assert_non_null(strstr(ptx, ".entry scale("));
  assert_non_null(strstr(ptx, "tests/ptx/scale.cu"));
}

static void compressions(void **state) {
  for (size_t k = 0; k < WW_COUNT(files); k++) {
    size_t n;
    size_t ptx_n;
    char *ptx;
    ww_err e = {0};
    const char *image = image_of(files[k], *state, &n);
    assert_true(ww_fatbin_given(image, n));
    assert_int_equal(ww_fatbin_bytes(image), n);
    if (ww_fatbin_ptx(image, n, *state, &ptx, &ptx_n, &e))
      fail_msg("%s: %s", files[k], e.msg);
    check_ptx(ptx, ptx_n);
  }
}

/* An object of nvcc's in small: sections of nothing, of names, of fat binaries. */
static char *
elf_with(const char *fat, size_t n, uint32_t copies, ww_arena *a, size_t *out) {
  static const char names[] = "\0.shstrtab\0.nv_fatbin";
  size_t padded = (n + 7) / 8 * 8;
  size_t body = sizeof(Elf64_Ehdr) + 64;
  size_t table = body + copies * padded;
  *out = table + 3 * sizeof(Elf64_Shdr);
  char *image = memset(ww_alloc(a, *out), 0, *out);
  Elf64_Ehdr h = {.e_shoff = table,
                  .e_shentsize = sizeof(Elf64_Shdr),
                  .e_shnum = 3,
                  .e_shstrndx = 1};
  memcpy(h.e_ident, ELFMAG, SELFMAG);
  h.e_ident[EI_CLASS] = ELFCLASS64;
  Elf64_Shdr s[3] = {{0},
                     {.sh_name = 1,
                      .sh_type = SHT_STRTAB,
                      .sh_offset = sizeof h,
                      .sh_size = sizeof names},
                     {.sh_name = 11,
                      .sh_type = SHT_PROGBITS,
                      .sh_offset = body,
                      .sh_size = copies * padded}};
  memcpy(image, &h, sizeof h);
  memcpy(image + sizeof h, names, sizeof names);
  for (uint32_t k = 0; k < copies; k++)
    memcpy(image + body + k * padded, fat, n);
  memcpy(image + table, s, sizeof s);
  return image;
}

static void inside_elf(void **state) {
  size_t n;
  size_t bytes;
  size_t ptx_n;
  char *ptx;
  ww_err e = {0};
  const char *fat = image_of(files[0], *state, &n);
  const char *elf = elf_with(fat, n, 1, *state, &bytes);
  assert_int_equal(ww_fatbin_ptx(elf, bytes, *state, &ptx, &ptx_n, &e), WW_OK);
  check_ptx(ptx, ptx_n);
  elf = elf_with(fat, n, 2, *state, &bytes);
  assert_int_equal(ww_fatbin_ptx(elf, bytes, *state, &ptx, &ptx_n, &e), WW_EDATA);
  assert_non_null(strstr(e.msg, "PTX of 2 source files"));
  elf = elf_with(fat, n, 0, *state, &bytes); /* as a cubin: none */
  assert_int_equal(ww_fatbin_ptx(elf, bytes, *state, &ptx, &ptx_n, &e), WW_EDATA);
  assert_non_null(strstr(e.msg, "there is no PTX"));
}

/* Cut anywhere, and with any byte changed: read or refused, nothing beyond its end. */
static void damaged(void **state) {
  for (size_t k = 0; k < WW_COUNT(files) * 2; k++) {
    size_t n;
    size_t ptx_n;
    char *ptx;
    const char *image = image_of(files[k / 2], *state, &n);
    if (k % 2)
      image = elf_with(image, n, 1, *state, &n);
    for (size_t at = 0; at < n; at++) {
      ww_arena *a = ww_arena_new();
      char *cut = memcpy(ww_xmalloc(at + 1), image, at);
      ww_fatbin_ptx(cut, at, a, &ptx, &ptx_n, NULL);
      free(cut);
      char *other = memcpy(ww_xmalloc(n), image, n);
      other[at] ^= (char)(1 << at % 8);
      ww_fatbin_ptx(other, n, a, &ptx, &ptx_n, NULL);
      free(other);
      ww_arena_free(a);
    }
  }
}

static void loaded(void **state) {
  size_t n;
  struct {
    uint32_t magic, version;
    const void *fat;
    void *unused;
  } wrapper = {WW_FATBIN_WRAPPER, 1, NULL, NULL};
  static const char text[] = "// made by hand\n.version 8.0\n.target sm_80\n"
                             ".visible .entry one(\n.param .u32 p)\n{ ret; }\n"
                             ".entry\ttwo() { ret; }\n";
  assert_null(ww_loaded_ptx_of("one", &n));
  ww_loaded_ptx_add(NULL);
  ww_loaded_ptx_add("\177ELF and machine code");
  ww_loaded_ptx_add(text);
  ww_loaded_ptx_add(text);
  assert_string_equal(ww_loaded_ptx_of("one", &n), text);
  assert_string_equal(ww_loaded_ptx_of("two", &n), text);
  assert_int_equal(n, sizeof text - 1);
  assert_null(ww_loaded_ptx_of("on", &n));
  ww_loaded_ptx_add(&wrapper);
  wrapper.fat = image_of(files[1], *state, &n);
  ww_loaded_ptx_add(&wrapper);
  check_ptx(ww_loaded_ptx_of("scale", &n), strlen(ww_loaded_ptx_of("scale", &n)));
}

int main(void) {
  const struct CMUnitTest tests[] = {TEST(compressions), TEST(inside_elf),
                                     TEST(damaged), TEST(loaded)};
  return RUN(tests);
}
