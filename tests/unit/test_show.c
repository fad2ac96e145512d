/* test_show.c - how values look: golden displays, number formats, elision, and
 * that no more than the shown corners is asked for. */
#include <math.h>
#include <stdio.h>

#include "core/eval/show.h"

#include "tests/unit/check.h"

/* A source of elements: value(linear index). Counts what is asked for. */
static const struct fs_shape *shape;
static enum fs_dtype dtype;
static const double *data;  /* NULL: sin(linear index) */
static int64_t fetched;

static enum fs_status fetch(void *user, const int64_t *first,
                            const int64_t *count, void *out,
                            struct fs_diags *d) {
  int64_t at[FS_MAX_RANK] = {0}, total = 1, stride[FS_MAX_RANK + 1];
  int rank = shape->rank;
  (void)user, (void)d;
  stride[rank] = 1;
  for (int k = rank - 1; k >= 0; k--) stride[k] = stride[k + 1] * shape->dim[k];
  for (int k = 0; k < rank; k++) total *= count[k];
  for (int64_t n = 0; n < total; n++) {
    int64_t from = 0;
    for (int k = 0; k < rank; k++) {
      if (first[k] + at[k] >= shape->dim[k]) return FS_ERR_ENV;
      from += (first[k] + at[k]) * stride[k + 1];
    }
    double x = data ? data[from] : sin((double)from);
    struct fs_number v = {x, fabs(x) < 9e18 ? (int64_t)x : x > 0 ? INT64_MAX : 0};
    fs_element_put(dtype, (char *)out + (size_t)n * fs_dtype_size(dtype), v);
    for (int k = rank - 1; k >= 0 && ++at[k] == count[k]; k--) at[k] = 0;
  }
  fetched += total;
  return FS_OK;
}

static struct fs_show_options options = {80, 6, false};

static void looks_at(int line, const char *name, enum fs_dtype dt,
                     struct fs_shape s, const double *values,
                     const char *want) {
  struct fs_str out = {0};
  shape = &s, dtype = dt, data = values, fetched = 0;
  enum fs_status st =
      fs_show_array(name, &(struct fs_show_array){dt, &s, fetch, NULL, NULL}, &options, &out,
                    NULL, NULL);
  bool ok = st == FS_OK && !strcmp(fs_str_text(&out), want);
  if (!ok) fprintf(stderr, "--- got\n%s\n--- not\n%s\n", fs_str_text(&out), want);
  check_at(line, ok, name ? name : "value");
  fs_str_free(&out);
}
#define V(...) ((const double[]){__VA_ARGS__})
#define S(...) ((struct fs_shape){__VA_ARGS__})
#define LOOKS(name, dt, s, values, want) \
  looks_at(__LINE__, name, dt, s, values, want)

static void test_numbers(void) {
  static const struct { double x; int digits; const char *text; } cases[] = {
    {0.25, 6, "0.25"}, {1.0 / 3, 6, "0.333333"}, {1.0 / 3, 3, "0.333"},
    {8192, 6, "8192"}, {1e300, 6, "1e+300"}, {1e-9, 6, "1e-09"},
    {-0.0, 6, "-0"}, {0, 6, "0"}, {NAN, 6, "NaN"}, {INFINITY, 6, "Inf"},
    {-INFINITY, 6, "-Inf"}, {123456789.5, 6, "1.23457e+08"},
    {100000.5, 6, "100000.5"}, {2.5e-5, 6, "2.5e-05"}, {0.001, 6, "0.001"},
    {0.1, 17, "0.10000000000000001"}, {-12.5, 6, "-12.5"},
    {999999.99, 6, "1000000"}, {1e14, 6, "100000000000000"}};
  for (size_t k = 0; k < FS_LEN(cases); k++) {
    struct fs_str out = {0};
    fs_show_number(cases[k].x, cases[k].digits, &out);
    bool ok = !strcmp(fs_str_text(&out), cases[k].text);
    if (!ok) fprintf(stderr, "  %s\n", fs_str_text(&out));
    check_at(__LINE__, ok, cases[k].text);
    fs_str_free(&out);
  }
}

static void test_shortest(void) {
  char text[40];
  float f = 0.1f;
  double g = 0.1, big = 1e22;
  uint16_t h = fs_float_to_half(0.1f), b = fs_float_to_bf16(0.1f);
  int64_t i = INT64_MIN;
  fs_show_shortest(FS_F32, &f, text);
  CHECK(!strcmp(text, "0.1"));
  fs_show_shortest(FS_F64, &g, text);
  CHECK(!strcmp(text, "0.1"));
  fs_show_shortest(FS_F64, &big, text);
  CHECK(!strcmp(text, "1e+22"));
  fs_show_shortest(FS_F16, &h, text);
  CHECK(!strcmp(text, "0.1"));
  fs_show_shortest(FS_BF16, &b, text);
  CHECK(!strcmp(text, "0.1"));
  fs_show_shortest(FS_I64, &i, text);
  CHECK(!strcmp(text, "-9223372036854775808"));
  for (uint32_t bits = 1; bits < 0x7f800000u; bits += 104729) {
    memcpy(&f, &bits, sizeof f);
    fs_show_shortest(FS_F32, &f, text);
    if (strtof(text, NULL) != f) CHECK(!"shortest f32 does not read back");
  }
  passed++;
}

static void test_vectors(void) {
  LOOKS("q", FS_F32, S(1, {4}), V(1, 2, 3, 4), "q = f32[4]\n  1  2  3  4");
  LOOKS("q", FS_F32, S(1, {4}), V(1, 2.5, -3, NAN),
        "q = f32[4]\n   1.0   2.5  -3.0   NaN");
  LOOKS("z", FS_F32, S(1, {4}), V(1000, .5, .25, .125),
        "z = f32[4]\n  1000.000     0.500     0.250     0.125");
  LOOKS("n", FS_F16, S(1, {2}), V(65504, -2049), "n = f16[2]\n  65504  -2048");
  LOOKS("n", FS_F32, S(1, {2}), V(123456789, 1),
        "n = f32[2]\n  123456792          1");
  LOOKS("w", FS_F32, S(1, {3}), V(1e10, 1, -INFINITY),
        "w = f32[3]\n  1e+10  1e+00   -Inf");
  LOOKS("w", FS_F64, S(1, {3}), V(1, 1e-17, 0),
        "w = f64[3]\n  1e+00  1e-17      0");
  LOOKS("m", FS_BOOL, S(1, {2}), V(1, 0), "m = bool[2]\n   true  false");
  LOOKS("i", FS_I64, S(1, {2}), V(-7, 1e19),
        "i = i64[2]\n                   -7  9223372036854775807");
  LOOKS("i", FS_I32, S(2, {1, 3}), V(1, -20, 3),
        "i = i32[1\u00d73]\n    1  -20    3");
  LOOKS("e", FS_F32, S(1, {0}), NULL, "e = f32[0]");
  LOOKS("e", FS_F32, S(2, {0, 3}), NULL, "e = f32[0\u00d73]");
  LOOKS("alpha", FS_F32, S(0, {0}), V(0.2), "alpha = 0.2");
  LOOKS("b", FS_BOOL, S(0, {0}), V(1), "b = true");
  LOOKS(NULL, FS_F32, S(2, {3, 1}), V(.1, .2, .3),
        "f32[3\u00d71]\n  0.1\n  0.2\n  0.3");
  LOOKS("v", FS_F64, S(1, {18}), NULL,
        "v = f64[18]\n"
        "   0.000000   0.841471   0.909297   0.141120  -0.756802  -0.958924  "
        "-0.279415\n"
        "   0.656987   0.989358   0.412118  -0.544021  -0.999990  -0.536573   "
        "0.420167\n"
        "   0.990607   0.650288  -0.287903  -0.961397");
  LOOKS("q", FS_F32, S(1, {4096}), NULL,
        "q = f32[4096]\n"
        "   0.000000   0.841471   0.909297  \u22ef   0.475232  -0.483608  "
        "-0.997821");
  CHECK(fetched <= 10);
}

static void test_matrices(void) {
  LOOKS("A", FS_F32, S(2, {2, 2}), V(1, 2, 3, 4),
        "A = f32[2\u00d72]\n  1  2\n  3  4");
  LOOKS("A", FS_F64, S(2, {16384, 16384}), NULL,
        "A = f64[16384\u00d716384]\n"
        "   0.000000   0.841471   0.909297  \u22ef"
        "   0.671258   0.986401   0.394651\n"
        "  -0.559938  -0.999724  -0.520367  \u22ef"
        "  -0.971200  -0.725236   0.187507\n"
        "   0.927856   0.815139  -0.047013  \u22ef"
        "   0.938087   0.215365  -0.705363\n"
        "          \u22ee          \u22ee          \u22ee  \u22f1"
        "          \u22ee          \u22ee          \u22ee\n"
        "  -0.369502   0.582277   0.998713  \u22ef"
        "   0.349869   0.977324   0.706232\n"
        "  -0.214166  -0.937661  -0.799075  \u22ef"
        "  -0.814428  -0.928313  -0.188712\n"
        "   0.724391   0.971491   0.325408  \u22ef"
        "   0.999694   0.560955  -0.393524");
}

/* Displays whose numbers do not matter, only their form. */
static char *form(enum fs_dtype dt, struct fs_shape s) {
  struct fs_str out = {0};
  shape = &s, dtype = dt, data = NULL, fetched = 0;
  fs_show_array("A", &(struct fs_show_array){dt, &s, fetch, NULL, NULL}, &options, &out,
                NULL, NULL);
  return out.data;
}

static int lines_of(const char *text, int *widest) {
  int lines = 0;
  *widest = 0;
  while (*text) {
    size_t n = strcspn(text, "\n");
    *widest = FS_MAX(*widest, fs_utf8_width(text, n));
    text += n + (text[n] == '\n');
    lines++;
  }
  return lines;
}

static void test_form(void) {
  static const struct { struct fs_shape s; int lines, most; } cases[] = {
    {{2, {10, 10}}, 11, 100},   {{2, {11, 10}}, 8, 60},
    {{2, {16384, 16384}}, 8, 36}, {{2, {5, 1000000}}, 6, 30},
    {{2, {1000000, 2}}, 8, 12}, {{2, {1, 100}}, 2, 10},
    {{3, {2, 2, 2}}, 7, 8},     {{3, {9, 20, 20}}, 26, 108},
    {{4, {2, 3, 2, 2}}, 11, 12}, {{1, {20}}, 4, 20},
    {{1, {21}}, 2, 10}};
  for (size_t k = 0; k < FS_LEN(cases); k++)
    for (options.width = 20; options.width <= 120; options.width += 10) {
      int widest;
      char *text = form(FS_F64, cases[k].s);
      int lines = lines_of(text, &widest);
      bool whole = cases[k].s.rank == 1 && cases[k].s.dim[0] == 20;
      check_at(__LINE__, whole || lines == cases[k].lines, text);
      check_at(__LINE__, widest <= FS_MAX(options.width, 26), text);
      check_at(__LINE__, fetched <= cases[k].most, "elements fetched");
      free(text);
    }
  options.width = 80;
  options.ascii = true;
  char *text = form(FS_F32, (struct fs_shape){3, {9, 20, 20}});
  for (const char *p = text; *p; p++)
    if ((unsigned char)*p >= 0x80) CHECK(!"not ASCII");
  CHECK(strstr(text, "A = f32[9x20x20]\n[1, :, :]\n"));
  CHECK(strstr(text, "\n:\n[9, :, :]\n"));
  free(text);
  options.ascii = false;
}

static void test_digits(void) {
  options.digits = 3;
  LOOKS("x", FS_F64, S(1, {2}), V(1.0 / 3, 2.0 / 3),
        "x = f64[2]\n  0.333  0.667");
  options.digits = 12;
  LOOKS("x", FS_F32, S(1, {3}), V(.1, .2, .3), "x = f32[3]\n  0.1  0.2  0.3");
  LOOKS("x", FS_BF16, S(1, {2}), V(.1, .2), "x = bf16[2]\n  0.1  0.2");
  LOOKS("x", FS_F64, S(1, {2}), V(1.0 / 3, .5),
        "x = f64[2]\n  0.333333333333  0.500000000000");
  options.digits = 17; /* no more than the type has */
  LOOKS("x", FS_F32, S(1, {2}), V(0.1f, 0.25), "x = f32[2]\n  0.10  0.25");
  LOOKS("x", FS_F64, S(1, {1}), V(0.1), "x = f64[1]\n  0.10000000000000001");
  options.digits = 6;
}

static void test_values(void) {
  struct fs_str out = {0};
  struct fs_string *text = malloc(sizeof *text + 16);
  *text = (struct fs_string){.refs = 1, .len = 8};
  memcpy(text->text, "a\"\\\n\x1b[31", 9);
  struct fs_val s = {.kind = FS_V_STRING, .string = text};
  struct fs_val r = {.kind = FS_V_RANGE, .start = 1, .step = 1, .stop = 10};
  struct fs_val r2 = {.kind = FS_V_RANGE, .start = 0, .step = .5, .stop = 2};
  struct fs_val b = {.kind = FS_V_BOOL, .number = 1};
  fs_show_value("s", &s, &options, &out, NULL);
  fs_str_puts(&out, "|");
  fs_show_value("r", &r, &options, &out, NULL);
  fs_str_puts(&out, "|");
  fs_show_value(NULL, &r2, &options, &out, NULL);
  fs_str_puts(&out, "|");
  fs_show_value("b", &b, &options, &out, NULL);
  fs_str_puts(&out, "|");
  fs_show_type(&b, false, &out);
  CHECK(!strcmp(fs_str_text(&out), "s = \"a\\\"\\\\\\n\\x1b[31\"|r = 1:10|"
                                   "0:0.5:2|b = true|bool"));
  if (failed) fprintf(stderr, "  %s\n", fs_str_text(&out));
  fs_str_free(&out);
  free(text);
}

int main(void) {
  test_numbers();
  test_shortest();
  test_vectors();
  test_matrices();
  test_form();
  test_digits();
  test_values();
  printf("%d passed, %d failed\n", passed, failed);
  return failed || !passed;
}
