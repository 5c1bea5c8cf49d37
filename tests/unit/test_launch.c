/* test_launch.c - launch specs: every form of docs/launch.md, every error a user can
 * make, merging and resolving. */
#include "unit.h"

#include <stdlib.h>
#include <unistd.h>

#include "../../src/report/launch.h"

static const char *written(const ww_launch *l, ww_arena *a) {
  ww_buf b = {0};
  ww_json j = {0};
  ww_json_begin(&j, &b);
  ww_launch_write(l, &j);
  const char *text = ww_strdup(a, b.s);
  ww_buf_free(&b);
  return text;
}

/* ---- JSON ---- */

/* in, out; NULL: the same. What comes out must read back to itself. */
static const char *const forms[][2] = {
    {"{}", NULL},
    {"{\"kernel\":\"saxpy\",\"grid\":[4096,1,1],\"block\":[256,1,1],\"shared\":0}",
     NULL},
    {"{\"grid\":4096,\"block\":256}", "{\"grid\":[4096,1,1],\"block\":[256,1,1]}"},
    {"{\"grid\":[64,32]}", "{\"grid\":[64,32,1]}"},
    {"{\"grid\":\"n/256\",\"block\":[\"b\",2]}",
     "{\"grid\":[\"n/256\",1,1],\"block\":[\"b\",2,1]}"},
    {"{\"grid\":\"n/16,m/16\"}", "{\"grid\":[\"n/16\",\"m/16\",1]}"},
    {"{\"grid\":\"1<<10\"}", "{\"grid\":[1024,1,1]}"},
    {"{\"shared\":\"n*4\"}", NULL},
    {"{\"cache\":\"warm\"}", NULL},
    {"{\"cache\":\"cold\"}", "{}"},
    {"{\"seed\":7,\"count\":12}", NULL},
    {"{\"seed\":1,\"count\":1}", "{}"},
    {"{\"flags\":[\"-DN=4\",\"-Iinclude\"]}", NULL},
    {"{\"kernel\":\"sgemm\",\"library\":{\"name\":\"cublas\",\"call\":\"gemm\","
     "\"type\":\"f32\",\"size\":[64,32,16]}}",
     NULL},
    {"{\"args\":[{\"value\":1048576},{\"value\":2.0},{\"value\":-3},{\"value\":0.1},{"
     "\"value\":"
     "1e30}]}",
     "{\"args\":[{\"value\":1048576},{\"value\":2.0},{\"value\":-3},{\"value\":0.1},{"
     "\"value\":1e+"
     "30}]}"},
    {"{\"args\":[{\"value\":9007199254740993},{\"value\":-9223372036854775808},{"
     "\"value\":"
     "18446744073709551615}]}",
     NULL},
    {"{\"args\":[{\"value\":true},{\"value\":false}]}",
     "{\"args\":[{\"value\":1},{\"value\":0}]}"},
    {"{\"args\":[{\"value\":\"n*4\"},{\"value\":\"2*4\"},{\"value\":\"1.5\"}]}",
     "{\"args\":[{\"value\":\"n*4\"},{\"value\":8},{\"value\":1.5}]}"},
    {"{\"args\":[{\"name\":\"n\",\"value\":4},null,{\"name\":\"x\"}]}", NULL},
    {"{\"args\":[{\"buffer\":{\"bytes\":4194304,\"offset\":0,\"fill\":\"random\"}}]}",
     "{\"args\":[{\"buffer\":{\"bytes\":4194304,\"fill\":\"random\"}}]}"},
    {"{\"args\":[{\"buffer\":{}}]}", NULL},
    {"{\"args\":[{\"buffer\":{\"bytes\":\"n*4\",\"offset\":16,\"id\":\"a\",\"type\":"
     "\"f32\","
     "\"fill\":\"zeros\"}}]}",
     NULL},
    {"{\"args\":[{\"buffer\":{\"count\":\"n+1\",\"type\":\"i32\",\"fill\":{"
     "\"monotone\":[0,\"nnz\"]"
     "}}}]}",
     NULL},
    {"{\"args\":[{\"buffer\":{\"count\":100}}]}",
     "{\"args\":[{\"buffer\":{\"count\":\"100\"}}]}"},
    {"{\"args\":[{\"buffer\":{\"fill\":\"ones\"}},{\"buffer\":{\"fill\":\"index\"}},{"
     "\"buffer\":{"
     "\"fill\":\"permutation\"}},"
     "{\"buffer\":{\"fill\":\"monotone\"}},{\"buffer\":{\"fill\":\"zipf\"}}]}",
     NULL},
    {"{\"args\":[{\"buffer\":{\"fill\":{\"uniform\":[-1.5,10]}}},{\"buffer\":{\"fill\":"
     "{\"zipf\":["
     "0,64]}}},{\"buffer\":{\"fill\":{\"random\":[0,64]}}}]}",
     NULL},
    {"{\"args\":[{\"buffer\":{\"fill\":{\"file\":\"/x/y.bin\"}}}]}", NULL},
    {"{\"args\":[{\"buffer\":{\"bytes\":64,\"head\":\"00FF0a\"}}]}",
     "{\"args\":[{\"buffer\":{\"bytes\":64,\"head\":\"00ff0a\"}}]}"},
    {"{\"args\":[{\"buffer\":{\"bytes\":256,\"local\":true}}]}", NULL},
    {"{\"args\":[{\"hex\":\"0a0b\"},{\"hex\":\"\"}]}", NULL},
    {"{\"args\":[{\"hex\":\"00000000000000000000000000000000\",\"ptrs\":[{\"at\":8,"
     "\"bytes\":64,"
     "\"fill\":\"zeros\"}]}]}",
     NULL},
    {"{\"symbols\":{\"coef\":{\"value\":3},\"lut\":{\"buffer\":{\"type\":\"f32\","
     "\"fill\":"
     "\"random\"}},\"raw\":{\"hex\":\"01\"}}}",
     NULL},
    {"{\"cluster\":[2,1,1]}", NULL},
    {"{\"at\":[0,3,7,1],\"count\":4}", NULL},
    {"{\"args\":[{\"tensormap\":{\"buffer\":{\"bytes\":4096,\"id\":\"a\"},\"type\":"
     "\"f16\",\"dims\":[64,\"m\"],\"strides\":[\"2*k\"],\"box\":[64,32],\"elem_"
     "strides\":[1,2],\"swizzle\":\"128B\",\"outside\":\"nan\"}}]}",
     NULL},
    {"{\"args\":[{\"tensormap\":{\"buffer\":{},\"type\":\"u8\",\"dims\":[256],\"box\":["
     "128]}}]}",
     NULL},
    {"{\"symbols\":{\"lut\":{\"type\":\"f32\",\"fill\":\"random\"}}}",
     "{\"symbols\":{\"lut\":{\"buffer\":{\"type\":\"f32\",\"fill\":\"random\"}}}}"},
};

static void json_forms_round_trip(void **state) {
  ww_arena *a = *state;
  for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
    const char *want = forms[i][1] ? forms[i][1] : forms[i][0];
    ww_launch l;
    ww_err e = {0};
    if (ww_launch_parse(forms[i][0], NULL, a, &l, &e) != WW_OK)
      fail_msg("row %d: %s", (int)i, e.msg);
    const char *once = written(&l, a);
    check_text(once, want, i);
    assert_int_equal(ww_launch_parse(once, NULL, a, &l, &e), WW_OK);
    check_text(written(&l, a), want, i);
  }
}

#define KNOWN                                                                         \
  "known are: file, kernel, grid, block, shared, args, symbols, flags, cache, seed, " \
  "count, "                                                                           \
  "cooperative, binary, note, cluster, files, library, at"
static const char *const bad[][2] = {
    {"[1]", "launch spec: expected an object, not an array"},
    {"{\"kernal\":\"x\"}", "unknown member \"kernal\"; " KNOWN},
    {"{\"grid\":1,\"grid\":2}", "\"grid\" is given twice"},
    {"{\"kernel\":5}", "kernel: expected a string, not the number 5"},
    {"{\"file\":null}", "file: expected a string, not null"},
    {"{\"grid\":0}", "grid: expected 1 to 2^32-1, not 0"},
    {"{\"grid\":-1}", "grid: expected a whole number of at least 0, not the number -1"},
    {"{\"grid\":1.5}",
     "grid: expected a whole number of at least 0, not the number 1.5"},
    {"{\"grid\":[]}", "grid: expected a number, an expression or an array of 1 to 3 of "
                      "them, not an array"},
    {"{\"grid\":[1,1,1,1]}", "grid: expected a number, an expression or an array of 1 "
                             "to 3 of them, not an array"},
    {"{\"grid\":[1,true]}",
     "grid[1]: expected a number or an expression, not true or false"},
    {"{\"grid\":[4294967296]}", "grid[0]: expected 1 to 2^32-1, not 4294967296"},
    {"{\"grid\":\"n/\"}", "grid: in \"n/\": it ends too early"},
    {"{\"grid\":\"1,2,3,4\"}", "grid: at most three numbers, not \"1,2,3,4\""},
    {"{\"block\":{\"x\":4}}", "block: expected a number, an expression or an array of "
                              "1 to 3 of them, not an object"},
    {"{\"block\":\"0\"}", "block: expected 1 to 2^32-1, not 0"},
    {"{\"shared\":-4}",
     "shared: expected a whole number of at least 0, not the number -4"},
    {"{\"shared\":\"4.5\"}",
     "shared: expected a whole number of at least 0 and at most 2^48, not 4.5"},
    {"{\"cache\":\"hot\"}",
     "cache: expected \"cold\" or \"warm\", not the string \"hot\""},
    {"{\"seed\":0}", "seed: expected at least 1, not the number 0"},
    {"{\"count\":\"x\"}",
     "count: expected a whole number of at least 0, not the string \"x\""},
    {"{\"flags\":\"-DN\"}",
     "flags: expected an array of strings, not the string \"-DN\""},
    {"{\"flags\":[1]}", "flags[0]: expected a string, not the number 1"},
    {"{\"files\":[1]}", "files[0]: expected a string, not the number 1"},
    {"{\"library\":\"cublas\"}",
     "library: expected an object, not the string \"cublas\""},
    {"{\"library\":{\"name\":\"cublas\",\"call\":\"gemm\",\"type\":\"f32\"}}",
     "library.size: expected an array of at most 4 numbers, not nothing"},
    {"{\"args\":{}}", "args: expected an array, not an object"},
    {"{\"args\":[5]}", "args[0]: expected an object with \"value\", \"buffer\", "
                       "\"hex\" or \"tensormap\", not the number 5"},
    {"{\"args\":[{}]}",
     "args[0]: expected one of \"value\", \"buffer\", \"hex\" and \"tensormap\""},
    {"{\"args\":[null,{\"value\":1,\"hex\":\"00\"}]}",
     "args[1]: expected one of \"value\", \"buffer\", \"hex\" and \"tensormap\""},
    {"{\"args\":[{\"valeu\":1}]}",
     "args[0]: unknown member \"valeu\"; known are: name, value, buffer, hex, ptrs, "
     "tensormap"},
    {"{\"args\":[{\"value\":[1]}]}",
     "args[0].value: expected a number or an expression, not an array"},
    {"{\"args\":[{\"value\":\"2+\"}]}", "args[0].value: in \"2+\": it ends too early"},
    {"{\"args\":[{\"value\":99999999999999999999}]}",
     "args[0].value: 99999999999999999999 does not fit 64 bits"},
    {"{\"args\":[{\"value\":1e999}]}", "args[0].value: 1e999 is too large"},
    {"{\"args\":[{\"hex\":\"0g\"}]}", "args[0].hex: expected hex digits, not 'g'"},
    {"{\"args\":[{\"hex\":\"abc\"}]}",
     "args[0].hex: expected two hex digits for each byte, there are 3"},
    {"{\"args\":[{\"value\":1,\"ptrs\":[]}]}",
     "args[0]: \"ptrs\" needs \"hex\", the bytes they lie in"},
    {"{\"args\":[{\"hex\":\"0000000000000000\",\"ptrs\":[{\"at\":1}]}]}",
     "args[0].ptrs[0].at: a pointer at byte 1 does not fit the 8 bytes of \"hex\""},
    {"{\"args\":[{\"hex\":\"0000000000000000\",\"ptrs\":[{\"at\":18446744073709551615}]"
     "}]}",
     "args[0].ptrs[0].at: a pointer at byte 18446744073709551615 does not fit the 8 "
     "bytes of "
     "\"hex\""},
    {"{\"args\":[{\"hex\":\"0000000000000000\",\"ptrs\":[{}]}]}",
     "args[0].ptrs[0].at: expected a whole number of at least 0, not nothing"},
    {"{\"args\":[{\"buffer\":64}]}",
     "args[0].buffer: expected an object like {\"bytes\":4096}, not the number 64"},
    {"{\"args\":[{\"buffer\":{\"size\":64}}]}",
     "args[0].buffer: unknown member \"size\"; known are: bytes, count, offset, id, "
     "type, local, "
     "fill, head"},
    {"{\"args\":[{\"buffer\":{\"bytes\":-1}}]}",
     "args[0].buffer.bytes: expected a whole number of at least 0, not the number -1"},
    {"{\"args\":[{\"buffer\":{\"bytes\":1e18}}]}",
     "args[0].buffer.bytes: 1e18 is too large (at most 2^48)"},
    {"{\"args\":[{\"buffer\":{\"bytes\":8,\"count\":2}}]}",
     "args[0].buffer: give \"bytes\" or \"count\", not both"},
    {"{\"args\":[{\"buffer\":{\"bytes\":8,\"offset\":9}}]}",
     "args[0].buffer.offset: lies behind the end of the buffer"},
    {"{\"args\":[{\"buffer\":{\"type\":\"f31\"}}]}",
     "args[0].buffer.type: unknown type \"f31\"; known are f16 bf16 f32 f64 i8 u8 i16 "
     "u16 i32 u32 "
     "i64 u64, their C names, and vectors like float4"},
    {"{\"args\":[{\"buffer\":{\"fill\":\"rnd\"}}]}",
     "args[0].buffer.fill: expected zeros, ones, index, random, permutation, monotone, "
     "skewed, zipf, "
     "{\"uniform\":[lo,hi]} or {\"file\":\"path\"}, not the string \"rnd\""},
    {"{\"args\":[{\"buffer\":{\"fill\":{\"uniform\":[1]}}}]}",
     "args[0].buffer.fill.uniform: expected [lo,hi], not an array"},
    {"{\"args\":[{\"buffer\":{\"fill\":{\"uniform\":[3,3]}}}]}",
     "args[0].buffer.fill.uniform: expected [lo,hi] with lo below hi, not [3,3]"},
    {"{\"args\":[{\"buffer\":{\"fill\":{\"uniform\":[0,null]}}}]}",
     "args[0].buffer.fill.uniform: expected a number or an expression, not null"},
    {"{\"args\":[{\"buffer\":{\"fill\":{\"monotone\":[1e400,\"n\"]}}}]}",
     "args[0].buffer.fill.monotone: 1e400 is too large"},
    {"{\"args\":[{\"buffer\":{\"fill\":{\"file\":1}}}]}",
     "args[0].buffer.fill.file: expected a string, not the number 1"},
    {"{\"args\":[{\"buffer\":{\"head\":\"00\",\"head\":\"00\"}}]}",
     "args[0].buffer: \"head\" is given twice"},
    {"{\"symbols\":[]}",
     "symbols: expected an object, a member for each variable, not an array"},
    {"{\"symbols\":{\"c\":4}}",
     "symbols.c: expected an object with \"value\", "
     "\"buffer\", \"hex\" or \"tensormap\", not the number 4"},
    {"{\"at\":[0,3,7]}",
     "at: expected an array of pairs: from which launch on, how many, not an array"},
    {"{\"cluster\":[4,8,1]}",
     "cluster: expected at most 16 blocks, as numbers, not an array"},
    {"{\"cluster\":\"n\"}",
     "cluster: expected at most 16 blocks, as numbers, not the string \"n\""},
    {"{\"args\":[{\"tensormap\":4}]}",
     "args[0].tensormap: expected an object with \"type\", \"dims\" and \"box\", not "
     "the number 4"},
    {"{\"args\":[{\"tensormap\":{\"type\":\"f16\",\"dims\":[8]}}]}",
     "args[0].tensormap: \"box\" is missing"},
    {"{\"args\":[{\"tensormap\":{\"type\":\"f15\",\"dims\":[8],\"box\":[8]}}]}",
     "args[0].tensormap.type: \"f15\" is no element type of a tensor map"},
    {"{\"args\":[{\"tensormap\":{\"type\":\"f16\",\"dims\":[8,8],\"box\":[8]}}]}",
     "args[0].tensormap.box: expected 2 numbers, one for each of \"dims\""},
    {"{\"args\":[{\"tensormap\":{\"type\":\"f16\",\"dims\":[8,8],\"box\":[8,8],"
     "\"strides\":[1,2]}}]}",
     "args[0].tensormap.strides: expected 1 numbers, one for each of \"dims\" but the "
     "first"},
    {"{\"args\":[{\"tensormap\":{\"type\":\"f16\",\"dims\":[8],\"box\":[8],\"swizzle\":"
     "\"96B\"}}]}",
     "args[0].tensormap.swizzle: expected \"none\", \"32B\", \"64B\" or \"128B\", not "
     "the string \"96B\""},
    {"{\"args\":[{\"tensormap\":{\"type\":\"f16\",\"dims\":[1,2,3,4,5,6],\"box\":[8]}}]"
     "}",
     "args[0].tensormap.dims: expected an array of 1 to 5 numbers, not an array"},
    {"{\"grid\":1", "not JSON: it ends too early"},
};

static void json_errors_name_the_member(void **state) {
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    ww_launch l;
    ww_err e = {0};
    ww_status rc = ww_launch_parse(bad[i][0], NULL, *state, &l, &e);
    if (rc != WW_EPARSE)
      fail_msg("row %d: accepted or other code %d", (int)i, rc);
    check_text(e.msg, bad[i][1], i);
  }
}

static void large_head_is_refused(void **state) {
  char text[300], hex[131];
  memset(hex, '0', 130);
  hex[130] = 0;
  snprintf(text, sizeof text, "{\"args\":[{\"buffer\":{\"head\":\"%s\"}}]}", hex);
  ww_launch l;
  ww_err e = {0};
  assert_int_equal(ww_launch_parse(text, NULL, *state, &l, &e), WW_EPARSE);
  assert_string_equal(e.msg, "args[0].buffer.head: expected at most 64 bytes, not 65");
}

static void paths_resolve_against_the_specs_folder(void **state) {
  ww_launch l;
  ww_err e = {0};
  const char *text = "{\"file\":\"k.cu\",\"files\":[\"sub/l.cu\",\"/m.cu\"],"
                     "\"args\":[{\"buffer\":{\"fill\":{\"file\":\"in/x.bin\"}}}]}";
  assert_int_equal(ww_launch_parse(text, "/a/b", *state, &l, &e), WW_OK);
  assert_string_equal(l.file, "/a/b/k.cu");
  assert_int_equal(l.nmore, 2);
  assert_string_equal(l.more[0], "/a/b/sub/l.cu");
  assert_string_equal(l.more[1], "/m.cu");
  assert_string_equal(l.args[0].buffer.fill.path, "/a/b/in/x.bin");
  assert_string_equal(l.dir, "/a/b");
}

static void files_hold_one_spec_or_one_a_line(void **state) {
  ww_arena *a = *state;
  static const struct {
    const char *text, *error;
    uint32_t n, line;
  } rows[] = {
      {"{\"grid\":1}\n", NULL, 1, 0},
      {"{\"grid\":1}", NULL, 1, 0},
      {"{\n\"grid\":1\n}\n", NULL, 1, 0},
      {"{\"grid\":1}\n\n# a remark\n{\"grid\":2}\r\n", NULL, 2, 0},
      {"{\"grid\":1}\n{\"grid\":0}\n", "grid: expected 1 to 2^32-1, not 0", 0, 2},
      {"\n\n", "no launch spec in it", 0, 0},
      {"", "no launch spec in it", 0, 0},
  };
  char path[] = "/tmp/ww-launch-XXXXXX";
  int fd = mkstemp(path);
  close(fd);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    ww_launch *l;
    uint32_t n = 0;
    ww_err e = {0};
    assert_int_equal(ww_write_file_atomic(path, rows[i].text, strlen(rows[i].text), &e),
                     WW_OK);
    ww_status rc = ww_launch_read(path, a, &l, &n, &e);
    if (rows[i].error) {
      assert_int_equal(rc, WW_EPARSE);
      check_text(e.msg, rows[i].error, i);
      assert_int_equal(e.line, rows[i].line);
      assert_string_equal(e.file, path);
    } else {
      assert_int_equal(rc, WW_OK);
      assert_int_equal(n, rows[i].n);
      assert_int_equal(l[n - 1].grid[0], n);
    }
  }
  unlink(path);
}

/* ---- short forms ---- */

static const char *const texts[][2] = {
    {"n=4", "{\"args\":[{\"name\":\"n\",\"value\":4}]}"},
    {"n=1<<20", "{\"args\":[{\"name\":\"n\",\"value\":1048576}]}"},
    {"a=2.0", "{\"args\":[{\"name\":\"a\",\"value\":2.0}]}"},
    {"m=n*4", "{\"args\":[{\"name\":\"m\",\"value\":\"n*4\"}]}"},
    {"m=7/(n-1)", "{\"args\":[{\"name\":\"m\",\"value\":\"7/(n-1)\"}]}"},
    {"x=[n]", "{\"args\":[{\"name\":\"x\",\"buffer\":{\"count\":\"n\"}}]}"},
    {"x=[]:zeros", "{\"args\":[{\"name\":\"x\",\"buffer\":{\"fill\":\"zeros\"}}]}"},
    {"x=f32[n]",
     "{\"args\":[{\"name\":\"x\",\"buffer\":{\"count\":\"n\",\"type\":\"f32\"}}]}"},
    {"x=f32[256]",
     "{\"args\":[{\"name\":\"x\",\"buffer\":{\"bytes\":1024,\"type\":\"f32\"}}]}"},
    {"x=float4[1<<4]",
     "{\"args\":[{\"name\":\"x\",\"buffer\":{\"bytes\":256,\"type\":\"float4\"}}]}"},
    {"x=[16]", "{\"args\":[{\"name\":\"x\",\"buffer\":{\"count\":\"16\"}}]}"},
    {"x=i32[n+1]:monotone(0,nnz)",
     "{\"args\":[{\"name\":\"x\",\"buffer\":{\"count\":\"n+1\","
     "\"type\":\"i32\",\"fill\":{\"monotone\":[0,\"nnz\"]}}}]}"},
    {"x=u8[n]:uniform(0,(n+1)*2):id(a):offset(64)",
     "{\"args\":[{\"name\":\"x\",\"buffer\":{\"count\":\"n\",\"offset\":64,\"id\":"
     "\"a\",\"type\":"
     "\"u8\",\"fill\":{\"uniform\":[0,\"(n+1)*2\"]}}}]}"},
    {"x=[n]:file(/d/x.bin)", "{\"args\":[{\"name\":\"x\",\"buffer\":{\"count\":\"n\","
                             "\"fill\":{\"file\":\"/d/x.bin\"}}}]}"},
    {"s=hex:0a0b", "{\"args\":[{\"name\":\"s\",\"hex\":\"0a0b\"}]}"},
    {"2=5", "{\"args\":[{\"name\":\"2\",\"value\":5}]}"},
};

static void arguments_as_text(void **state) {
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    ww_launch l = {0};
    ww_err e = {0};
    if (ww_launch_arg(texts[i][0], *state, &l, &e) != WW_OK)
      fail_msg("%s: %s", texts[i][0], e.msg);
    check_text(written(&l, *state), texts[i][1], i);
  }
}

static const char *const bad_texts[][2] = {
    {"n", "--arg: expected name=value, not \"n\""},
    {"=4", "--arg: expected an argument's name or position before '=', not \"\""},
    {"a b=4", "--arg: expected an argument's name or position before '=', not \"a b\""},
    {"n=", "n: a value is missing behind '='"},
    {"n=4+", "n: in \"4+\": it ends too early"},
    {"x=f33[4]",
     "x: unknown type \"f33\"; known are f16 bf16 f32 f64 i8 u8 i16 u16 i32 u32 i64 "
     "u64, their C names, and vectors like float4"},
    {"x=f32[4", "x: a ']' is missing in \"f32[4\""},
    {"x=f32[4]zeros", "x: expected ':' and the contents behind ']', not \"zeros\""},
    {"x=[4]:nil",
     "unknown contents \"nil\"; known are zeros, ones, index, random, uniform(lo,hi), "
     "permutation, monotone(lo,hi), skewed(lo,hi), zipf(lo,hi), file(path)"},
    {"x=[4]:uniform(3)", "uniform: expected two bounds, uniform(lo,hi)"},
    {"x=[4]:uniform(3,2)", "uniform: expected [lo,hi] with lo below hi, not [3,2]"},
    {"x=[-4]", "x: expected a whole number of at least 0 and at most 2^48, not -4"},
    {"x=f64[1<<47]", "x: the buffer is too large"},
    {"s=hex:0", "s: expected two hex digits for each byte, there are 1"},
};

static void bad_arguments_as_text(void **state) {
  for (size_t i = 0; i < sizeof bad_texts / sizeof *bad_texts; i++) {
    ww_launch l = {0};
    ww_err e = {0};
    if (ww_launch_arg(bad_texts[i][0], *state, &l, &e) == WW_OK)
      fail_msg("%s accepted", bad_texts[i][0]);
    check_text(e.msg, bad_texts[i][1], i);
  }
}

static void later_argument_replaces_the_earlier(void **state) {
  ww_launch l = {0};
  ww_err e = {0};
  assert_int_equal(ww_launch_arg("n=1", *state, &l, &e), WW_OK);
  assert_int_equal(ww_launch_arg("m=2", *state, &l, &e), WW_OK);
  assert_int_equal(ww_launch_arg("n=3", *state, &l, &e), WW_OK);
  assert_string_equal(
      written(&l, *state),
      "{\"args\":[{\"name\":\"n\",\"value\":3},{\"name\":\"m\",\"value\":2}]}");
}

static const char *const comments[][2] = {
    {"// warpwise: grid=n/256 block=256 n=1<<20 x=[n]",
     "{\"grid\":[\"n/"
     "256\",1,1],\"block\":[256,1,1],\"args\":[{\"name\":\"n\",\"value\":1048576},{"
     "\"name\":\"x\","
     "\"buffer\":{\"count\":\"n\"}}]}"},
    {"grid=64,64 block=(16,16)", "{\"grid\":[64,64,1],\"block\":[16,16,1]}"},
    {" grid=[64,64] block = 16, 16 ", "{\"grid\":[64,64,1],\"block\":[16,16,1]}"},
    {"/* warpwise: grid=(n + 255) / 256 block=256 shared=1024 cache=warm n=5 */",
     "{\"grid\":[\"(n + 255) / "
     "256\",1,1],\"block\":[256,1,1],\"shared\":1024,\"cache\":\"warm\",\"args\":[{"
     "\"name\":\"n\","
     "\"value\":5}]}"},
    {"grid=(n+1)/2,(m+1)/2", "{\"grid\":[\"(n+1)/2\",\"(m+1)/2\",1]}"},
    {"arg.grid=4 n=-1",
     "{\"args\":[{\"name\":\"grid\",\"value\":4},{\"name\":\"n\",\"value\":-1}]}"},
};

static void comments_in_the_source(void **state) {
  for (size_t i = 0; i < sizeof comments / sizeof *comments; i++) {
    ww_launch l = {0};
    ww_err e = {0};
    if (ww_launch_comment(comments[i][0], *state, &l, &e) != WW_OK)
      fail_msg("%s: %s", comments[i][0], e.msg);
    check_text(written(&l, *state), comments[i][1], i);
  }
}

static void bad_comments(void **state) {
  static const char *const rows[][2] = {
      {"warpwise: hello",
       "expected settings like grid=n/256 block=256 n=1<<20, not \"hello\""},
      {"grid= block=4", "grid: in \"\": it ends too early"},
      {"cache=hot", "cache: expected cold or warm, not \"hot\""},
      {"a.b=4", "\"a.b\" is no argument's name"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    ww_launch l = {0};
    ww_err e = {0};
    assert_int_equal(ww_launch_comment(rows[i][0], *state, &l, &e), WW_EPARSE);
    check_text(e.msg, rows[i][1], i);
  }
}

/* ---- merge and resolve ---- */

static ww_launch spec(const char *json, ww_arena *a) {
  ww_launch l;
  ww_err e = {0};
  if (ww_launch_parse(json, NULL, a, &l, &e) != WW_OK)
    fail_msg("%s: %s", json, e.msg);
  return l;
}

static void the_stronger_spec_wins(void **state) {
  static const char *const rows[][3] = {
      {"{\"grid\":1,\"block\":2}", "{\"grid\":[3,4]}",
       "{\"grid\":[3,4,1],\"block\":[2,1,1]}"},
      {"{\"grid\":\"n\"}", "{\"grid\":7}", "{\"grid\":[7,1,1]}"},
      {"{\"shared\":8}", "{\"shared\":0}", "{\"shared\":0}"},
      {"{\"shared\":\"n\"}", "{}", "{\"shared\":\"n\"}"},
      {"{\"kernel\":\"a\",\"file\":\"f\"}", "{\"kernel\":\"b\"}",
       "{\"file\":\"f\",\"kernel\":\"b\"}"},
      {"{\"args\":[{\"value\":1},{\"value\":2},{\"value\":3}]}",
       "{\"args\":[null,{\"value\":9}]}",
       "{\"args\":[{\"value\":1},{\"value\":9},{\"value\":3}]}"},
      {"{\"args\":[{\"value\":1}]}", "{\"args\":[{\"name\":\"n\",\"value\":2}]}",
       "{\"args\":[{\"name\":\"0\",\"value\":1},{\"name\":\"n\",\"value\":2}]}"},
      {"{\"flags\":[\"-DA\"]}", "{\"flags\":[\"-DB\"]}",
       "{\"flags\":[\"-DA\",\"-DB\"]}"},
      {"{\"symbols\":{\"a\":{\"value\":1},\"b\":{\"value\":2}}}",
       "{\"symbols\":{\"a\":{\"value\":3}}}",
       "{\"symbols\":{\"b\":{\"value\":2},\"a\":{\"value\":3}}}"},
      {"{\"cache\":\"warm\"}", "{}", "{\"cache\":\"warm\"}"},
      {"{\"cluster\":[2,1,1]}", "{\"cluster\":[1,4,1]}", "{\"cluster\":[1,4,1]}"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    ww_launch under = spec(rows[i][0], *state), over = spec(rows[i][1], *state);
    ww_launch_merge(&under, &over, *state);
    check_text(written(&under, *state), rows[i][2], i);
  }
}

static const char *const names[] = {"n", "a", "x", "row"};
static const uint32_t elem_bytes[] = {0, 0, 4, 0};
static const ww_launch_params params = {names, elem_bytes, 4, false, NULL};

static void resolving_places_and_evaluates(void **state) {
  static const char *const rows[][2] = {
      {"{\"grid\":\"n/256\",\"shared\":\"n/"
       "4\",\"args\":[{\"name\":\"x\",\"buffer\":{\"count\":\"n*2\"}},{\"name\":\"n\","
       "\"value\":"
       "1024}]}",
       "{\"grid\":[4,1,1],\"shared\":256,\"args\":[{\"value\":1024},null,{\"buffer\":{"
       "\"bytes\":"
       "8192}},null]}"},
      {"{\"args\":[{\"value\":\"a*2\"},{\"value\":8}]}",
       "{\"args\":[{\"value\":16},{\"value\":8},null,null]}"},
      {"{\"args\":[{\"name\":\"1\",\"value\":1.5},{\"name\":\"a\",\"value\":2.5}]}",
       "{\"args\":[null,{\"value\":2.5},null,null]}"},
      {"{\"args\":[{\"value\":9007199254740993}]}",
       "{\"args\":[{\"value\":9007199254740993},null,null,null]}"},
      {"{\"args\":[{\"value\":10},null,{\"buffer\":{\"bytes\":\"n*8\",\"fill\":{"
       "\"uniform\":[0,"
       "\"n\"]}}},"
       "{\"buffer\":{\"type\":\"i32\",\"count\":\"n+1\",\"fill\":{\"monotone\":[0,\"n*"
       "3\"]}}}]}",
       "{\"args\":[{\"value\":10},null,{\"buffer\":{\"bytes\":80,\"fill\":{\"uniform\":"
       "[0,10]}}},"
       "{\"buffer\":{\"bytes\":44,\"type\":\"i32\",\"fill\":{\"monotone\":[0,30]}}}]}"},
      {"{\"args\":[{\"value\":96},null,{\"tensormap\":{\"type\":\"bf16\",\"dims\":[64,"
       "\"n\"],\"strides\":[\"n*2\"],\"box\":[32,8]}}]}",
       "{\"args\":[{\"value\":96},null,{\"tensormap\":{\"buffer\":{\"bytes\":18432,"
       "\"type\":\"bf16\"},\"type\":\"bf16\",\"dims\":[64,96],\"strides\":[192],"
       "\"box\":[32,8]}},null]}"},
      {"{\"args\":[{\"value\":4}],\"symbols\":{\"c\":{\"value\":\"n*n\"}}}",
       "{\"args\":[{\"value\":4},null,null,null],\"symbols\":{\"c\":{\"value\":16}}}"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    ww_launch l = spec(rows[i][0], *state);
    ww_err e = {0};
    if (ww_launch_resolve(&l, &params, *state, &e) != WW_OK)
      fail_msg("row %d: %s", (int)i, e.msg);
    check_text(written(&l, *state), rows[i][1], i);
  }
}

static void resolving_says_what_is_missing(void **state) {
  static const char *const rows[][2] = {
      {"{\"grid\":\"n/256\"}",
       "grid: in \"n/256\": \"n\" has no value; give one, e.g. --arg n=1024"},
      {"{\"grid\":\"m\"}",
       "grid: in \"m\": \"m\" has no value; the kernel's arguments are n, a, x, row"},
      {"{\"grid\":\"n\",\"args\":[{\"value\":0}]}",
       "grid: \"n\" is 0; a whole number from 1 to 4294967295 is expected"},
      {"{\"grid\":\"n\",\"args\":[{\"value\":1.5}]}",
       "grid: \"n\" is 1.5; a whole number from 1 to 4294967295 is expected"},
      {"{\"args\":[{\"name\":\"m\",\"value\":1}]}",
       "the kernel has no argument \"m\"; it has: n, a, x, row"},
      {"{\"args\":[null,null,null,null,{\"value\":1}]}",
       "args[4]: the kernel takes 4 arguments"},
      {"{\"args\":[{\"name\":\"7\",\"value\":1}]}",
       "args[7]: the kernel takes 4 arguments"},
      {"{\"args\":[{\"value\":\"a\"},{\"value\":\"n\"}]}", "\"n\" depends on itself"},
      {"{\"args\":[{\"value\":\"x\"},null,{\"buffer\":{}}]}",
       "n: in \"x\": \"x\" has no value"},
      {"{\"args\":[null,null,null,{\"buffer\":{\"count\":\"4\"}}]}",
       "row: how large an element is, is not known; write type[n], e.g. f32[4]"},
      {"{\"args\":[{\"value\":0},null,{\"buffer\":{\"fill\":{\"uniform\":[0,\"n\"]}}}]"
       "}",
       "x: expected [lo,hi] with lo below hi, not [0,0]"},
      {"{\"args\":[null,null,{\"buffer\":{\"fill\":{\"file\":\"/no/such\"}}}]}",
       "x: cannot read '/no/such', the file with its contents"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    ww_launch l = spec(rows[i][0], *state);
    ww_err e = {0};
    if (ww_launch_resolve(&l, &params, *state, &e) == WW_OK)
      fail_msg("row %d accepted", (int)i);
    check_text(e.msg, rows[i][1], i);
  }
}

static void stronger_wins_by_name_and_by_position(void **state) {
  ww_arena *a = *state;
  ww_err e = {0};
  ww_launch weak = {0}, host = {.grid = {9, 1, 1}, .block = {64, 1, 1}},
            l = spec("{\"args\":[{\"value\":5}]}", a);
  assert_int_equal(ww_launch_arg("a=2", a, &weak, &e), WW_OK);
  ww_launch_merge(&l, &weak, a);
  assert_int_equal(ww_launch_settle(&l, "grid=n n=4 a=1 x=[n]", &host, &params, a, &e),
                   WW_OK);
  assert_string_equal(written(&l, a),
                      "{\"grid\":[5,1,1],\"block\":[64,1,1],\"args\":[{\"value\":5},{"
                      "\"value\":2},{\"buffer\":{\"bytes\":20}},null]}");
  assert_int_equal(l.seed, 1);
  assert_int_equal(ww_launch_settle(&l, "grid n", NULL, &params, a, &e), WW_EPARSE);
}

static void contents_alone_keep_the_size_below(void **state) {
  static const struct {
    const char *over, *x;
  } rows[] = {
      {"x=[]:zeros", "{\"bytes\":16,\"type\":\"f32\",\"fill\":\"zeros\"}"},
      {"x=i32[]:zeros", "{\"type\":\"i32\",\"fill\":\"zeros\"}"}, /* not alone */
      {"2=[]:index", "{\"bytes\":16,\"type\":\"f32\",\"fill\":\"index\"}"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    ww_arena *a = *state;
    ww_err e = {0};
    ww_launch l = {0};
    assert_int_equal(ww_launch_arg(rows[i].over, a, &l, &e), WW_OK);
    assert_int_equal(ww_launch_settle(&l, "n=4 x=f32[n]:ones", NULL, &params, a, &e),
                     WW_OK);
    if (!strstr(written(&l, a), rows[i].x))
      fail_msg("%s: %s", rows[i].over, written(&l, a));
  }
}

/* The caller's lists stay as they are: others may have the same spec. */
static void resolving_leaves_what_was_given(void **state) {
  const char *text =
      "{\"args\":[{\"value\":4}],\"symbols\":{\"c\":{\"value\":\"n*n\"}}}";
  ww_launch l = spec(text, *state), given = l;
  ww_err e = {0};
  assert_int_equal(ww_launch_resolve(&l, &params, *state, &e), WW_OK);
  assert_string_equal(written(&given, *state), text);
}

/* OpenMP's own argument is not among those of a list without names. */
static void positions_leave_the_state_out(void **state) {
  ww_launch l = spec("{\"args\":[{\"value\":1},{\"value\":2},{\"value\":3}]}", *state);
  ww_launch_params p = params;
  ww_err e = {0};
  p.state_first = true;
  assert_int_equal(ww_launch_resolve(&l, &p, *state, &e), WW_OK);
  assert_string_equal(
      written(&l, *state),
      "{\"args\":[{\"value\":0},{\"value\":1},{\"value\":2},{\"value\":3}]}");
}

/* Below a root, contents come from there alone. */
static void contents_lie_below_the_root(void **state) {
  ww_launch_params p = params;
  ww_err e = {0};
  ww_launch l =
      spec("{\"args\":[null,null,{\"buffer\":{\"fill\":{\"file\":\"/etc/passwd\"}}}]}",
           *state);
  p.root = "/usr";
  assert_int_equal(ww_launch_resolve(&l, &p, *state, &e), WW_EUSAGE);
  l = spec("{\"args\":[null,null,{\"buffer\":{\"fill\":{\"file\":\"/etc/passwd\"}}}]}",
           *state);
  p.root = "/etc";
  assert_int_equal(ww_launch_resolve(&l, &p, *state, &e), WW_OK);
  assert_string_equal(l.args[2].buffer.fill.root, "/etc");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(json_forms_round_trip),
      TEST(json_errors_name_the_member),
      TEST(large_head_is_refused),
      TEST(paths_resolve_against_the_specs_folder),
      TEST(files_hold_one_spec_or_one_a_line),
      TEST(arguments_as_text),
      TEST(bad_arguments_as_text),
      TEST(later_argument_replaces_the_earlier),
      TEST(comments_in_the_source),
      TEST(bad_comments),
      TEST(the_stronger_spec_wins),
      TEST(resolving_places_and_evaluates),
      TEST(resolving_says_what_is_missing),
      TEST(stronger_wins_by_name_and_by_position),
      TEST(contents_alone_keep_the_size_below),
      TEST(resolving_leaves_what_was_given),
      TEST(positions_leave_the_state_out),
      TEST(contents_lie_below_the_root),
  };
  return RUN(tests);
}
