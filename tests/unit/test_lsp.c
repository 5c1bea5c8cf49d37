/* test_lsp.c - positions as editors count them, URIs, settings: what the language
 * server reads before it thinks. */
#include <stdlib.h>
#include <unistd.h>

#include "../../src/serve/lsp_int.h"
#include "unit.h"

/* ---- positions ---- */

static void test_positions(void **state) {
  /* a, e acute (2 bytes), euro (3), smiley (4 bytes, 2 units) */
  static const char text[] = "a\u00e9\u20ac\U0001f600b\r\nline 2\rline 3\n\nend";
  static const struct {
    uint32_t line, col;
    const char *at; /* what stands there */
  } rows[] = {
      {0, 0, "a\u00e9"}, {0, 1, "\u00e9"},
      {0, 2, "\u20ac"},  {0, 3, "\U0001f600b"},
      {0, 5, "b\r"},     {0, 6, "\r\nl"},
      {0, 99, "\r\nl"},  {1, 0, "line 2"},
      {1, 6, "\rline"},  {2, 5, "3\n"},
      {3, 0, "\nend"},   {3, 7, "\nend"},
      {4, 3, ""},        {4, 9, ""},
      {5, 0, ""},        {0x7fffffff, 0x7fffffff, ""},
  };
  size_t n = sizeof text - 1;
  (void)state;
  for (uint32_t k = 0; k < sizeof rows / sizeof *rows; k++) {
    size_t at = ww_text_offset(text, n, (ww_position){rows[k].line, rows[k].col});
    if (!ww_starts(text + at, rows[k].at))
      fail_msg("row %u: got \"%s\"", k, text + at);
  }
  for (size_t at = 0; at <= n;
       at++) { /* back and forth, at each beginning of a character */
    if (((unsigned char)text[at] & 0xc0) == 0x80 ||
        (at && text[at] == '\n' && text[at - 1] == '\r'))
      continue;
    ww_position p = ww_text_position(text, n, at);
    assert_int_equal(ww_text_offset(text, n, p), at);
  }
  ww_position end = ww_text_position(text, n, 1000000);
  assert_int_equal(end.line, 4);
  assert_int_equal(end.col, 3);
  end =
      ww_text_position(text, n, 3); /* inside the euro: the character counts as begun */
  assert_int_equal(end.line, 0);
}

static void test_broken_utf8(void **state) {
  static const char text[] = "\xff\xfe\xf0\x9f\n\xe2\x82";
  (void)state;
  assert_int_equal(ww_text_offset(text, 7, (ww_position){0, 2}), 2);
  assert_int_equal(ww_text_offset(text, 7, (ww_position){0, 9}), 4);
  assert_int_equal(ww_text_position(text, 7, 7).line, 1);
  assert_int_equal(ww_text_offset("", 0, (ww_position){3, 3}), 0);
}

static void test_lines(void **state) {
  size_t begin, end;
  (void)state;
  assert_true(ww_text_line("ab\r\ncd", 6, 1, &begin, &end));
  assert_int_equal(begin, 4);
  assert_int_equal(end, 6);
  assert_false(ww_text_line("ab\r\ncd", 6, 2, &begin, &end));
  assert_true(ww_text_line("", 0, 0, &begin, &end));
}

/* ---- URIs ---- */

static void test_uris(void **state) {
  static const struct {
    const char *uri, *path; /* NULL: none of ours */
  } rows[] = {
      {"file:///a/b.cu", "/a/b.cu"},
      {"file:///a%20b/%C3%A9.cu", "/a b/\u00e9.cu"},
      {"file://localhost/a.cu", "/a.cu"},
      {"file:///100%.cu", "/100%.cu"},
      {"file:///a%2", "/a%2"},
      {"file:///a%00b", NULL},
      {"file://server/share.cu", NULL},
      {"file:a.cu", NULL},
      {"git:/a.cu?x", NULL},
      {"", NULL},
      {"untitled:Untitled-1", "/untitled/Untitled-1.cl"},
      {"untitled:../../etc/passwd", "/untitled/______etc_passwd.cl"},
  };
  for (uint32_t k = 0; k < sizeof rows / sizeof *rows; k++) {
    const char *got = ww_uri_path(rows[k].uri, "opencl", *state);
    if ((got == NULL) != (rows[k].path == NULL))
      fail_msg("row %u: %s", k, got ? got : "none");
    if (got)
      check_text(got, rows[k].path, k);
  }
  assert_string_equal(ww_path_uri("/a b/\u00e9#?.cu", *state),
                      "file:///a%20b/%C3%A9%23%3F.cu");
  assert_string_equal(ww_uri_path(ww_path_uri("/x y/%41.cu", *state), NULL, *state),
                      "/x y/%41.cu");
}

/* ---- settings ---- */

static void
add(ww_settings *s, const char *json, bool strict, ww_arena *a, ww_problems *p) {
  cJSON *tree = cJSON_Parse(json);
  ww_settings_add(s, tree, "here", "/base", strict, a, p);
  cJSON_Delete(tree);
}

static void test_settings(void **state) {
  ww_settings s = ww_settings_default;
  ww_problems p = {0};
  add(&s,
      "{\"gpu\":\"a100\",\"gpus\":[\"h200\",\"a10\"],\"debounce\":40,\"codeLens\":"
      "false,"
      "\"hotPercent\":2.5,"
      "\"flags\":[\"-Iinclude\",\"-I\",\"/"
      "abs\",\"-D\",\"N=4\",\"-DM\",\"-std=c++17\",\"-isystem\",\"sys\"],"
      "\"launches\":{\"k\":\"grid=4 "
      "block=32\",\"m\":{\"grid\":[8,1,1],\"block\":[64,1,1]}}}",
      true, *state, &p);
  assert_int_equal(p.n, 0);
  assert_string_equal(s.gpu, "a100");
  assert_int_equal(s.ngpus, 2);
  assert_string_equal(s.gpus[1], "a10");
  assert_int_equal(s.debounce, 40);
  assert_false(s.code_lens);
  assert_true(s.inlay_hints);
  static const char *const flags[] = {"-I",       "/base/include", "-I",  "/abs",
                                      "-D",       "N=4",           "-DM", "-std=c++17",
                                      "-isystem", "/base/sys"};
  assert_int_equal(s.nflags, sizeof flags / sizeof *flags);
  for (uint32_t k = 0; k < s.nflags; k++)
    assert_string_equal(s.flags[k], flags[k]);
  assert_int_equal(s.nlaunches, 2);
  assert_string_equal(s.launches[0].kernel, "k");
  assert_int_equal(s.launches[0].launch.grid[0], 4);
  assert_string_equal(s.launches[1].kernel, "m");
  assert_int_equal(s.launches[1].launch.block[0], 64);
  add(&s, "{\"gpu\":\"\",\"debounce\":null}", true, *state, &p); /* as not given */
  assert_string_equal(s.gpu, "a100");
  assert_int_equal(s.debounce, 40);
  assert_int_equal(p.n, 0);
}

/* One wrong member is one sentence that names it; the others count. */
static void test_wrong_settings(void **state) {
  static const struct {
    const char *json, *says;
  } rows[] = {
      {"{\"gpu\":7,\"by\":\"machine\"}", "here: gpu: expected a string"},
      {"{\"gpus\":\"h200\",\"by\":\"machine\"}",
       "here: gpus: expected an array of strings"},
      {"{\"cache\":\"lukewarm\",\"by\":\"machine\"}",
       "here: cache: expected warm|cold, not 'lukewarm'"},
      {"{\"debounce\":1e9,\"by\":\"machine\"}",
       "here: debounce: expected a number of 0 to 10000"},
      {"{\"codeLens\":\"on\",\"by\":\"machine\"}",
       "here: codeLens: expected true or false"},
      {"{\"flags\":[\"-fplugin=x.so\"],\"by\":\"machine\"}",
       "here: flags: '-fplugin=x.so' is left out"},
      {"{\"flags\":[\"-Xclang\"],\"by\":\"machine\"}",
       "here: flags: '-Xclang' is left out"},
      {"{\"flags\":[\"@file\"],\"by\":\"machine\"}",
       "here: flags: '@file' is left out"},
      {"{\"launches\":{\"k\":\"grid=\"},\"by\":\"machine\"}", "here: launches.k: "},
      {"{\"launches\":{\"k\":{\"file\":\"/etc/passwd\"}},\"by\":\"machine\"}",
       "here: launches.k: `file`"},
      {"{\"launches\":[],\"by\":\"machine\"}", "here: launches: expected an object"},
      {"{\"gup\":\"h200\",\"by\":\"machine\"}", "here: there is no setting 'gup'"},
  };
  for (uint32_t k = 0; k < sizeof rows / sizeof *rows; k++) {
    ww_settings s = ww_settings_default;
    ww_problems p = {0};
    add(&s, rows[k].json, true, *state, &p);
    assert_int_equal(p.n, 1);
    if (!ww_starts(p.v[0], rows[k].says))
      fail_msg("row %u: %s", k, p.v[0]);
    assert_string_equal(s.by, "machine");
  }
  ww_settings s = ww_settings_default;
  ww_problems p = {0};
  add(&s, "{\"trace.server\":\"off\",\"$schema\":\"x\"}", false, *state,
      &p); /* an editor's own */
  assert_int_equal(p.n, 0);
  add(&s, "[1]", true, *state, &p);
  assert_int_equal(p.n, 1);
}

static void test_project(void **state) {
  char dir[] = "/tmp/warpwise-test-XXXXXX";
  ww_arena *a = *state;
  assert_non_null(mkdtemp(dir));
  const char *path = ww_path_join(a, dir, ".warpwise.json");
  ww_settings s = ww_settings_default;
  ww_problems p = {0};
  assert_int_equal(ww_write_file_atomic(path, "{\"gpu\":\"a10\"}", 13, NULL), WW_OK);
  ww_settings_project(&s, ww_path_join(a, dir, "deep/er/x.cu"), a, &p);
  assert_string_equal(s.gpu, "a10");
  assert_string_equal(s.project, path);
  assert_int_equal(ww_write_file_atomic(path, "{\"gpu\":\n oops}", 14, NULL), WW_OK);
  ww_settings_project(&s, ww_path_join(a, dir, "x.cu"), a, &p);
  assert_int_equal(p.n, 1);
  assert_non_null(strstr(p.v[0], "line 2"));
  unlink(path);
  rmdir(dir);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(test_positions), TEST(test_broken_utf8), TEST(test_lines),
      TEST(test_uris),      TEST(test_settings),    TEST(test_wrong_settings),
      TEST(test_project),
  };
  return RUN(tests);
}
