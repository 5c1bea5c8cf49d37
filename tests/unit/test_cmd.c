/* test_cmd.c - options, source file checks, compile_commands.json. */
#include "unit.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../src/cmd/cmd.h"

/* ---- options ---- */

typedef struct {
  bool ir;
  const char *lang;
  ww_strings list;
  uint64_t n;
} options;

static const ww_option table[] = {
    WW_OPTION(ir, NULL, ""),
    WW_OPTION(lang, "L", ""),
    WW_OPTION_AS(list, "item", "I", "", 'p'),
    WW_OPTION_AS(n, "number", "N", ""),
    {0},
};
static const ww_command command = {
    .name = "test", .usage = "", .options = table, .options_size = sizeof(options)};

static ww_cmd parsed(ww_arena *a, const char *line, ww_status want) {
  static char *argv[32];
  int argc = 1;
  argv[0] = "warpwise";
  char *copy = ww_strdup(a, line);
  for (char *w = strtok(copy, " "); w; w = strtok(NULL, " "))
    argv[argc++] = w;
  argv[argc] = NULL;
  ww_cmd c = {.arena = a};
  ww_status rc = ww_options_parse(&command, argc, argv, &c);
  if (rc != want)
    fail_msg("%s: %d, %s", line, rc, c.err.msg);
  return c;
}

static void options_in_all_spellings(void **state) {
  ww_cmd c = parsed(*state,
                    "a --ir --lang=cuda -p x --item y -pz --number 0x10 b --json --gpu "
                    "h100 - -- -Iinc --ir",
                    WW_OK);
  const options *o = c.opt;
  assert_true(o->ir && c.json);
  assert_string_equal(o->lang, "cuda");
  assert_int_equal(o->list.n, 3);
  assert_string_equal(o->list.v[2], "z");
  assert_int_equal(o->n, 16);
  assert_string_equal(c.gpu, "h100");
  assert_int_equal(c.noperands, 3);
  assert_string_equal(c.operands[1], "b");
  assert_int_equal(c.nrest, 2);
  assert_string_equal(c.rest[0], "-Iinc");
}

static void bad_options(void **state) {
  static const char *const rows[][2] = {
      {"--lnag cuda", "unknown option '--lnag'; did you mean --lang?"},
      {"--zzzzzzzz", "unknown option '--zzzzzzzz'; see `warpwise test --help`"},
      {"-DN=4", "unknown option '-DN=4'; clang's flags go behind --"},
      {"-Iinclude", "unknown option '-Iinclude'; clang's flags go behind --"},
      {"--lang", "--lang needs a value: L"},
      {"--ir=yes", "--ir takes no value"},
      {"--number 4x", "--number: expected a whole number, not '4x'"},
      {"--number -1", "--number: expected a whole number, not '-1'"},
      {"--color blue", "--color: expected auto, always or never, not 'blue'"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    ww_cmd c = parsed(*state, rows[i][0], WW_EUSAGE);
    check_text(c.err.msg, rows[i][1], i);
  }
}

/* ---- files ---- */

static void
put(ww_arena *a, const char *dir, const char *name, const void *data, size_t n) {
  ww_err e = {0};
  char *path = (char *)ww_path_join(a, dir, name);
  for (char *p = path + strlen(dir) + 1; *p; p++)
    if (*p == '/') {
      *p = 0;
      mkdir(path, 0777);
      *p = '/';
    }
  if (ww_write_file_atomic(path, data, n, &e) != WW_OK)
    fail_msg("%s", e.msg);
}

static void remove_tree(const char *dir) {
  const char *argv[] = {"rm", "-rf", dir, NULL};
  ww_run_result r;
  ww_err e;
  ww_run(argv, NULL, 0, 10, &r, &e);
  ww_run_free(&r);
}

static void source_files_are_looked_at(void **state) {
  ww_arena *a = *state;
  char dir[] = "/tmp/ww-cmd-XXXXXX";
  assert_non_null(mkdtemp(dir));
  ww_err e = {0};
  put(a, dir, "ok.cu", "int x;\n", 7);
  put(a, dir, "bin.cu", "int\0x", 5);
  put(a, dir, "empty.cu", "", 0);
  put(a, dir, "big.cu", "x", 1);
  assert_int_equal(truncate(ww_path_join(a, dir, "big.cu"), (65 << 20)), 0);
  assert_int_equal(ww_input_check(ww_path_join(a, dir, "ok.cu"), &e), WW_OK);
  assert_int_equal(ww_input_check(ww_path_join(a, dir, "none.cu"), &e), WW_EIO);
  assert_non_null(strstr(e.msg, "No such file"));
  assert_int_equal(ww_input_check(dir, &e), WW_EIO);
  assert_non_null(strstr(e.msg, "is a directory"));
  assert_int_equal(ww_input_check(ww_path_join(a, dir, "bin.cu"), &e), WW_EDATA);
  assert_non_null(strstr(e.msg, "is a binary file"));
  assert_int_equal(ww_input_check(ww_path_join(a, dir, "empty.cu"), &e), WW_EDATA);
  assert_int_equal(ww_input_check(ww_path_join(a, dir, "big.cu"), &e), WW_ELIMIT);
  assert_int_equal(ww_input_check("/dev/null", &e), WW_EIO);
  remove_tree(dir);
}

static const char *joined(ww_arena *a, const ww_strings *s) {
  char *text = ww_strdup(a, "");
  for (uint32_t i = 0; i < s->n; i++)
    text = ww_fmt(a, "%s%s%s", text, i ? " " : "", s->v[i]);
  return text;
}

static void compile_commands_give_flags(void **state) {
  ww_arena *a = *state;
  char dir[] = "/tmp/ww-db-XXXXXX";
  assert_non_null(mkdtemp(dir));
  ww_err e = {0};
  const char *database = ww_fmt(
      a,
      "[{\"directory\":\"%s/b\",\"file\":\"../src/a.cu\",\"command\":\"nvcc -DA='x y' "
      "-D "
      "B=\\\"2\\\" -I../inc -isystem=/sys -std=c++17 "
      "--options-file f.rsp -Xcompiler -DNOT -O3 -arch=sm_80 -c ../src/a.cu -o a.o "
      "-include "
      "pre.h -UQ\"},"
      "{\"directory\":\"%s\",\"file\":\"src/c.cl\",\"arguments\":[\"clang\",\"-Iq "
      "r\",\"-I\",\"/abs\",\"--std=cl2.0\"]}]",
      dir, dir);
  put(a, dir, "src/a.cu", "x", 1);
  put(a, dir, "src/c.cl", "x", 1);
  put(a, dir, "src/other.cu", "x", 1);
  put(a, dir, "b/f.rsp", "-I\"/from rsp\" -DR", 17);
  put(a, dir, "compile_commands.json", database, strlen(database));
  ww_strings flags = {0};
  assert_int_equal(
      ww_compile_flags(ww_path_join(a, dir, "src/a.cu"), NULL, a, &flags, &e), WW_OK);
  assert_string_equal(joined(a, &flags),
                      ww_fmt(a,
                             "-D A=x y -D B=2 -I %s/b/../inc -isystem /sys "
                             "-std=c++17 -I /from rsp -D R -include pre.h -U Q",
                             dir));
  flags = (ww_strings){0};
  assert_int_equal(
      ww_compile_flags(ww_path_join(a, dir, "src/c.cl"), dir, a, &flags, &e), WW_OK);
  assert_string_equal(joined(a, &flags),
                      ww_fmt(a, "-I %s/q r -I /abs -std=cl2.0", dir));
  flags = (ww_strings){0};
  assert_int_equal(
      ww_compile_flags(ww_path_join(a, dir, "src/other.cu"), NULL, a, &flags, &e),
      WW_OK);
  assert_int_equal(flags.n, 0);
  assert_int_equal(ww_compile_flags(ww_path_join(a, dir, "src/a.cu"),
                                    "/no/such/db.json", a, &flags, &e),
                   WW_EIO);
  put(a, dir, "compile_commands.json", "[{", 2);
  assert_int_equal(
      ww_compile_flags(ww_path_join(a, dir, "src/a.cu"), NULL, a, &flags, &e),
      WW_EPARSE);
  assert_non_null(strstr(e.file, "compile_commands.json"));
  remove_tree(dir);
}

int main(void) {
  const struct CMUnitTest tests[] = {TEST(options_in_all_spellings), TEST(bad_options),
                                     TEST(source_files_are_looked_at),
                                     TEST(compile_commands_give_flags)};
  return RUN(tests);
}
