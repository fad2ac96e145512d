/* test_front.c - the parts of the front end that only make text: the plan as a
 * line and as a box, and prompts stripped from pasted text. */
#include <stdio.h>

#include "repl/line.h"
#include "core/view/view.h"

static int passed, failed;

static void check(const char *what, const char *got, const char *wanted) {
  if (!strcmp(got, wanted)) {
    passed++;
    return;
  }
  failed++;
  printf("FAILED %s\n-- got:\n%s\n-- wanted:\n%s\n", what, got, wanted);
}

#define KERNEL(id, does, moves, predicted, measured, ratio)                  \
  "{\"id\":\"" id "\",\"scheme\":\"row\",\"does\":\"" does                   \
  "\",\"moves\":" moves ",\"predicted\":" predicted ",\"measured\":" measured \
  ",\"ratio\":" ratio ",\"share\":0.99,\"bound\":\"memory\"}"
#define TAIL                                                                 \
  "\"unfused\":{\"kernels\":2,\"bytes\":2147483648,\"predicted\":0.000503},"   \
  "\"saved_bytes\":1073741824,\"planned_s\":0.0006,\"candidates\":5,"          \
  "\"combinations\":3,\"jit_s\":0.084,\"cached\":false,\"runs\":1,"            \
  "\"quality\":\"uncalibrated\""

static const char one[] =
    "{\"event\":\"plan\",\"block\":2,\"calls\":2,\"kernels\":["
    KERNEL("k1", "q = A*p; s = A'*r", "1073741824", "0.000252", "0.00025", "0.992")
    "],\"measured\":0.00025,\"ratio\":0.992," TAIL "}";
static const char two[] =
    "{\"event\":\"plan\",\"kernels\":["
    KERNEL("k1", "q = A*p", "1073741824", "0.000252", "0.0005", "1.984") ","
    KERNEL("k2", "s = A'*r", "1073741824", "0.000252", "0.00062", "2.460")
    "],\"runs\":3,\"timed\":3,\"measured\":0.00112,\"low\":0.0011,\"high\":0.00121,"
    "\"total\":0.00337,\"ratio\":2.222,\"planned_s\":0.0001,\"cached\":true}";
static const char not_run[] =
    "{\"event\":\"plan\",\"kernels\":["
    KERNEL("k1", "q = A*p", "12", "0.000252", "null", "null")
    "],\"planned_s\":null}";
static const char long_one[] =
    "{\"event\":\"plan\",\"block\":9,\"calls\":9,\"kernels\":["
    KERNEL("k1", "alpha = x'*y; w = alpha*B*x + beta*(C'*y) + gamma*u*v'; "
           "\\u00e9t\\u00e9 = exp(-w .* w) ./ sqrt(2*pi); t = sum(w); "
           "u = t*w + \\u001b[31mred", "64", "1e-6", "1e-6", "1")
    "],\"planned_s\":0.0006}";

typedef void put_fn(const json_t *, const struct fs_look *, struct fs_str *);

static void check_plan(const char *what, put_fn *put, const char *plan,
                       struct fs_look look, const char *wanted) {
  struct fs_str s = {0};
  json_error_t error;
  json_t *event = json_loads(plan, 0, &error);
  if (!event) printf("%s: %s\n", what, error.text);
  put(event, &look, &s);
  check(what, fs_str_text(&s), wanted);
  json_decref(event);
  fs_str_free(&s);
}

static const struct fs_look wide = {.width = 100, .utf8 = true};
static const struct fs_look narrow = {.width = 60, .utf8 = true};
static const struct fs_look forty = {.width = 40, .utf8 = true};
static const struct fs_look ascii = {.width = 100};
static const struct fs_look colored = {.width = 100, .utf8 = true,
                                       .color = true};

static void test_lines(void) {
  check_plan("one kernel", fs_plan_put_line, one, wide,
             "1 kernel (row) · 1.00 GiB · predicted 0.252 ms · "
             "measured 0.250 ms (×0.99)\n");
  check_plan("two kernels, three runs, off by more than 2", fs_plan_put_line,
             two, wide,
             "2 kernels · 2.00 GiB · ×3, each · predicted 0.504 ms · "
             "measured 1.120 ms (×2.22), 1.100 ms to 1.210 ms · 3.370 ms in all · :plan\n");
  check_plan("not run", fs_plan_put_line, not_run, wide,
             "1 kernel (row) · 12 B · predicted 0.252 ms\n");
  check_plan("ASCII", fs_plan_put_line, one, ascii,
             "1 kernel (row) | 1.00 GiB | predicted 0.252 ms | "
             "measured 0.250 ms (x0.99)\n");
  check_plan("no kernel", fs_plan_put_line, "{\"kernels\":[]}", wide, "");
  check_plan("colour", fs_plan_put_line, not_run, colored,
             "\033[2m1 kernel (row) · 12 B · predicted 0.252 ms\033[0m\n");
}

static void test_boxes(void) {
  check_plan(
      "box", fs_plan_put_box, one, wide,
      "╭ block 2 · 2 calls → 1 kernel · 1.00 GiB saved ───────────────────"
      "───────────────────────╮\n"
      "│ kernel    does                      moves   predicted   measured  "
      " ratio   of the limit │\n"
      "│ k1 row    q = A*p; s = A'*r      1.00 GiB    0.252 ms   0.250 ms  "
      " ×0.99           99 % │\n"
      "│ unfused   2 kernels              2.00 GiB    0.503 ms          ~  "
      "                      │\n"
      "╰ planned in 0.600 ms · 5 candidates, 3 combinations · JIT 84.00 ms "
      "(cold) · uncalibrated ╯\n");
  check_plan("narrow box", fs_plan_put_box, one, narrow,
             "╭ block 2 · 2 calls → 1 kernel · 1.00 GiB saved ───────────╮\n"
             "│ kernel   does                 moves  predicted  measured │\n"
             "│ k1 row   q = A*p; s =      1.00 GiB   0.252 ms  0.250 ms │\n"
             "│          A'*r                                            │\n"
             "│ unfused  2 kernels         2.00 GiB   0.503 ms         ~ │\n"
             "│ planned in 0.600 ms · 5 candidates, 3 combinations       │\n"
             "╰ JIT 84.00 ms (cold) · uncalibrated ──────────────────────╯\n");
  check_plan("no room for a box", fs_plan_put_box, one, forty,
             "block 2 · 2 calls → 1 kernel · 1.00 GiB saved\n"
             "k1 row: q = A*p; s = A'*r\n"
             "  1.00 GiB · predicted 0.252 ms\n"
             "  measured 0.250 ms · ×0.99 · 99 % of the limit\n"
             "unfused: 2 kernels\n"
             "  2.00 GiB · predicted 0.503 ms\n"
             "planned in 0.600 ms · 5 candidates, 3 combinations · JIT 84.00 ms "
             "(cold) · uncalibrated\n");
  check_plan(
      "ASCII box, nothing known", fs_plan_put_box, not_run, ascii,
      "+ 1 kernel -----------------------------------------------------------"
      "---+\n"
      "| kernel   does      moves   predicted   measured   ratio   of the limi"
      "t |\n"
      "| k1 row   q = A*p    12 B    0.252 ms          -                   99 "
      "% |\n"
      "+ planned in - -------------------------------------------------------"
      "---+\n");
}

/* Every line of a box is as wide as the others, and no wider than it may be. */
static void test_widths(void) {
  json_t *event = json_loads(long_one, 0, NULL);
  for (int w = 48; w <= 140; w++) {
    for (int utf8 = 0; utf8 < 2; utf8++) {
      struct fs_look look = {.width = w, .utf8 = utf8};
      struct fs_str s = {0};
      fs_plan_put_box(event, &look, &s);
      const char *at = fs_str_text(&s);
      int first = fs_utf8_width(at, strcspn(at, "\n"));
      bool even = first <= w && s.len > 0;
      for (; *at; at += strcspn(at, "\n") + 1)
        even = even && fs_utf8_width(at, strcspn(at, "\n")) == first;
      even = even && !strchr(fs_str_text(&s), '\033');
      check("widths", even ? "even" : fs_str_text(&s), "even");
      fs_str_free(&s);
    }
  }
  json_decref(event);
}

static void check_strip(const char *text, bool continued, const char *wanted) {
  struct fs_str s = {0};
  fs_line_strip_prompts(text, continued, &s);
  check(text, fs_str_text(&s), wanted);
  fs_str_free(&s);
}

static void test_prompts(void) {
  check_strip("a = 1", false, "a = 1");
  check_strip("fs> a = 1", false, "a = 1");
  check_strip("fs> a = 1\na = 1\nfs> b = 2\n", false, "a = 1\nb = 2");
  check_strip("fs> begin\n...   a = 1\n... end\na = 1\n", false,
              "begin\n  a = 1\nend");
  check_strip("fs> begin\n...\n... end", false, "begin\n\nend");
  check_strip("a = 1\nb = 2\n", false, "a = 1\nb = 2\n");
  check_strip("...   a = 1", true, "  a = 1");
  check_strip("... a = 1", false, "... a = 1");
  check_strip("", false, "");
  check_strip("s = \"fs> x\"", false, "s = \"fs> x\"");
}

int main(void) {
  test_lines();
  test_boxes();
  test_widths();
  test_prompts();
  printf("%d passed, %d failed\n", passed, failed);
  return failed != 0;
}
