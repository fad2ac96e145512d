/* test_session.c - the session as a front end sees it: the order of events, plan
 * events of loops, errors that leave the session whole, completion, help,
 * definitions, settings and commands. */
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/base.h"
#include "core/session/internal.h"

#include "tests/unit/check.h"

static struct fs_session *session;
static json_t *events;

static void on_event(void *user, const json_t *event) {
  (void)user;
  json_array_append_new(events, json_deep_copy(event));
}

static enum fs_result eval(const char *text) {
  json_array_clear(events);
  return fs_session_eval(session, "<test>", text, strlen(text), 0);
}

static const char *text_of(const json_t *o, const char *key) {
  const char *s = json_string_value(json_object_get(o, key));
  return s ? s : "";
}

/* The k-th event of a kind, or NULL. */
static json_t *event_at(const char *kind, int k) {
  size_t i;
  json_t *e;
  json_array_foreach(events, i, e)
    if (!strcmp(text_of(e, "event"), kind) && k-- == 0) return e;
  return NULL;
}

static int count(const char *kind) {
  int n = 0;
  while (event_at(kind, n)) n++;
  return n;
}

/* The kinds of all events in their order: "value plan done". */
static bool order_is(const char *want) {
  struct fs_str s = {0};
  size_t i;
  json_t *e;
  json_array_foreach(events, i, e)
    fs_str_printf(&s, "%s%s", i ? " " : "", text_of(e, "event"));
  bool ok = !strcmp(fs_str_text(&s), want);
  if (!ok) fprintf(stderr, "  events: %s\n", fs_str_text(&s));
  fs_str_free(&s);
  return ok;
}

static const char *shown(int k) {
  return text_of(json_object_get(event_at("value", k), "data"), "text/plain");
}

static bool says(const char *words) {
  for (int k = 0; event_at("text", k); k++)
    if (strstr(text_of(event_at("text", k), "text"), words)) return true;
  return false;
}

/* -- evaluation -------------------------------------------------------------- */

static void test_values(void) {
  CHECK(eval("x = 1/4") == FS_RESULT_OK && order_is("value done"));
  CHECK(!strcmp(shown(0), "x = 0.25"));
  CHECK(eval("A = [1, 2; 3, 4]; q = A*[1, 1]") == FS_RESULT_OK);
  CHECK(order_is("value plan done") && !strcmp(shown(0), "q = f32[2]\n  3  7"));
  CHECK(json_array_size(json_object_get(event_at("value", 0), "shape")) == 1);
  CHECK(!strcmp(text_of(event_at("value", 0), "dtype"), "f32"));
  CHECK(eval("q;") == FS_RESULT_OK && order_is("done"));
  CHECK(eval("print(\"a\\x1b[31mb\")") == FS_RESULT_OK && says("a\\x1b[31mb"));
  CHECK(eval("") == FS_RESULT_OK && order_is("done"));
  CHECK(fs_session_eval(session, "t", "1 + 1", 5, FS_EVAL_SILENT) ==
        FS_RESULT_OK);
}

static void test_plans(void) {
  CHECK(eval("v = ones(100); for k = 1:50; v = v*0.5; end") == FS_RESULT_OK);
  int plans = count("plan"), runs = 0;
  for (int k = 0; k < plans; k++)
    runs += (int)json_integer_value(
        json_object_get(event_at("plan", k), "runs"));
  CHECK(plans <= 3 && runs >= 50);
  const json_t *last = event_at("plan", plans - 1), *kernel =
      json_array_get(json_object_get(last, "kernels"), 0);
  CHECK(json_number_value(json_object_get(kernel, "measured")) > 0);
  CHECK(json_number_value(json_object_get(kernel, "predicted")) > 0);
  CHECK(strstr(text_of(kernel, "does"), "v = v*0.5"));
  CHECK(eval(":set plan off") == FS_RESULT_OK);
  CHECK(eval("w = v + 1;") == FS_RESULT_OK && count("plan") == 0);
  CHECK(eval(":plan") == FS_RESULT_OK && count("plan") == 1);
  CHECK(!strcmp(text_of(event_at("plan", 0), "form"), "box"));
  CHECK(eval(":set plan line") == FS_RESULT_OK);
  CHECK(eval(":explain z = w .* v") == FS_RESULT_OK && count("plan") == 1);
  CHECK(json_is_null(json_object_get(event_at("plan", 0), "measured")));
  CHECK(eval("z") == FS_RESULT_ERROR);
  CHECK(eval(":time on") == FS_RESULT_OK && eval("w = v + 2;") == FS_RESULT_OK);
  CHECK(says("time: ") && says("kernels ") && order_is("text plan done"));
  CHECK(eval(":time off") == FS_RESULT_OK);
}

/* A statement has many kernels, each of which says what it does, but not at any length. */
static void test_long_statement(void) {
  struct fs_str text = {0};
  fs_str_puts(&text, "v = rand(100); w = v");
  for (int k = 0; k < 1000; k++) fs_str_printf(&text, " + sin(%d*v)", k + 2);
  CHECK(text.len > 8192 && eval(fs_str_text(&text)) == FS_RESULT_OK);
  fs_str_free(&text);
  json_t *kernel, *kernels = json_object_get(event_at("plan", 0), "kernels");
  size_t k, ends = 0;
  size_t n = json_array_size(kernels); /* of 126 calls and more, none of a term alone */
  CHECK(n > 5 && n <= 2994/126 + 1);
  json_array_foreach(kernels, k, kernel) {
    const char *does = text_of(kernel, "does");
    size_t len = strlen(does);
    bool whole = strstr(does, "w = v + sin(2*v) + ");
    CHECK(len > 8 && len < 8300 && strstr(does, whole ? "..." : "sin("));
    ends += whole;
  }
  CHECK(ends == 1);
}

/* Whether the kernels of the last plan say these n things, each one once. */
static bool does(const char *const *expected, size_t n) {
  json_t *kernel, *kernels = json_object_get(event_at("plan", 0), "kernels");
  size_t k, found = 0;
  json_array_foreach(kernels, k, kernel)
    for (size_t e = 0; e < n; e++) found += !strcmp(text_of(kernel, "does"), expected[e]);
  return found == n && json_array_size(kernels) == n;
}

/* Of a statement with several kernels each says its own expressions, and the one that
 * ends it the statement. So it is where the same block comes in other words. What
 * functions of the prelude compute is told only where several kernels share one. */
static void test_parts_of_a_statement(void) {
  static const char *const first[] = {"A*B", "exp(A*B)", "exp(A*B)*A", "sum(A.*B)",
                                      "C = exp(A*B)*A - sum(A.*B)", "u = A*A'"};
  static const char *const again[] = {"B*A", "exp(B*A)", "exp(B*A)*B", "sum(B .* A)",
                                      "D = exp(B*A)*B - sum(B .* A)", "w = B*B'"};
  static const char *const whole[] = {"A*B", "S = softmax((A*B))"};
  static const char *const shared[] = {
      "V = cov(A) [C = center(at_least_f32(X))]", "V = cov(A) [C'*C / max(size(X, 1) - 1, 0)]"};
  CHECK(eval("A = ones(40, 40); B = 2*A;") == FS_RESULT_OK);
  CHECK(eval("begin C = exp(A*B)*A - sum(A.*B); u = A*A'; end") == FS_RESULT_OK);
  CHECK(does(first, 6));
  CHECK(eval("begin D = exp(B*A)*B - sum(B .* A); w = B*B'; end") == FS_RESULT_OK);
  CHECK(does(again, 6));
  CHECK(eval("S = softmax((A*B));") == FS_RESULT_OK && does(whole, 2));
  CHECK(eval("V = cov(A);") == FS_RESULT_OK);
  json_t *kernel, *kernels = json_object_get(event_at("plan", 0), "kernels");
  size_t k;
  CHECK(json_array_size(kernels) > 2);
  json_array_foreach(kernels, k, kernel) {
    const char *text = text_of(kernel, "does");
    CHECK(!strcmp(text, shared[0]) || !strcmp(text, shared[1]));
  }
}

static void test_errors(void) {
  CHECK(eval("a = 1; b = nonsense_") == FS_RESULT_ERROR);
  CHECK(order_is("diagnostic done"));
  const json_t *d = event_at("diagnostic", 0);
  CHECK(!strcmp(text_of(d, "severity"), "error") && *text_of(d, "id"));
  CHECK(json_integer_value(json_object_get(d, "line")) == 1);
  CHECK(json_integer_value(json_object_get(d, "column")) == 12);
  CHECK(strstr(text_of(d, "rendered"), "^"));
  CHECK(eval("x = ones(3); y = ones(4); x + y") == FS_RESULT_ERROR);
  CHECK(count("plan") == 0);
  CHECK(eval("f(") == FS_RESULT_ERROR && count("diagnostic") == 1);
  CHECK(eval("ones(1000000000, 1000000000) + 1") != FS_RESULT_OK);
  CHECK(eval("\xff\xfe") == FS_RESULT_ERROR && count("diagnostic") == 1);
  CHECK(eval("load(\"/no/such.npy\")") == FS_RESULT_ERROR);
  CHECK(eval("1 + 1") == FS_RESULT_OK && !strcmp(shown(0), "2"));
}

/* Whether a text is refused since it stores too much, without a plan being made. */
static bool too_large(const char *text) {
  bool refused = eval(text) == FS_RESULT_ERROR && count("plan") == 0;
  const char *id = text_of(event_at("diagnostic", 0), "id");
  if (!refused) fprintf(stderr, "  not refused: %s\n", text);
  return refused && !strcmp(id, "too-large");
}

/* What is computed where it is wanted may be larger than the memory; what a block stores
 * may not, and is refused before any of the block has run. */
static void test_sizes(void) {
  struct fs_device *d = &fs_session_target(session)->device;
  int64_t memory = d->memory_bytes;
  CHECK(eval("small = 5; u = ones(1000);") == FS_RESULT_OK);
  d->memory_bytes = 3 << 20;
  CHECK(eval("s = sum(rand(1000, 1000)) > 0") == FS_RESULT_OK && !strcmp(shown(0), "s = true"));
  CHECK(eval(":explain sum(rand(1000, 1000))") == FS_RESULT_OK && count("plan") == 1);
  CHECK(eval("sum(rand(1000, 1000)*u) + sum(eye(1000))") == FS_RESULT_OK);
  CHECK(eval("function mean_of(n)\n R = rand(n, n)\n return sum(R)/n/n\nend\n"
             "mean_of(1000) < 1") == FS_RESULT_OK);
  CHECK(too_large("rand(1000, 1000)") && too_large(":explain rand(1000, 1000)"));
  CHECK(too_large("x = rand(1000, 1000);") && too_large(":explain x = 2*ones(1000, 1000)"));
  CHECK(too_large("x = rand(1000, 1000)*rand(1000, 1000);"));
  CHECK(too_large("s = sum(inv(rand(1000, 1000)));"));
  CHECK(too_large("unseen = u + 1; s = sum(u*u' * u*u' + rand(1000, 1000)*(u*u'));"));
  CHECK(eval("unseen") == FS_RESULT_ERROR);
  CHECK(too_large("small = 6; x = rand(1000, 1000);"));
  CHECK(eval("small") == FS_RESULT_OK && !strcmp(shown(0), "small = 6"));
  CHECK(too_large("sum(rand(10000000, 10000000))"));
  CHECK(eval("sum(rand(1e30, 2))") == FS_RESULT_ERROR);
  d->memory_bytes = memory;
  CHECK(eval("x = rand(1000, 1000); s = sum(x);") == FS_RESULT_OK);
}

static void test_complete_text(void) {
  int indent = 0;
#define IS(text) fs_session_is_complete(session, text, strlen(text), &indent)
  CHECK(IS("x = 1") == FS_COMPLETE);
  CHECK(IS(":help (") == FS_COMPLETE);
  CHECK(IS("?x") == FS_COMPLETE);
  CHECK(IS("for k = 1:3") == FS_NEEDS_MORE && indent == 2);
  CHECK(IS("x = (1 +") == FS_NEEDS_MORE);
  CHECK(IS("x = )") == FS_INVALID);
  CHECK(IS("") == FS_COMPLETE);
#undef IS
}

/* -- completion and help ------------------------------------------------------- */

/* Whether completing at the end of `text` offers `answer` of `type`. */
static bool offers(const char *text, const char *answer, const char *type) {
  size_t begin, end, i, len = strlen(text);
  json_t *a, *list = fs_session_complete(session, text, len, len, &begin, &end);
  bool found = false;
  json_array_foreach(list, i, a)
    found = found || (!strcmp(text_of(a, "text"), answer) &&
                      !strcmp(text_of(a, "type"), type));
  found = found && begin <= end && end == len;
  json_decref(list);
  return found;
}

static void test_completion(void) {
  eval("alpha_one = 3; my_func(x) = x + 1");
  CHECK(offers("y = alph", "alpha_one", "variable"));
  CHECK(offers("my_f", "my_func", "function"));
  eval("my_record = {length = 1, width = [1, 2]};");
  CHECK(offers("y = 2*my_record.wi", "width", "field"));
  CHECK(offers("my_record.", "length", "field"));
  CHECK(!offers("alpha_one.", "length", "field"));
  CHECK(offers("y = sqr", "sqrt", "function"));
  CHECK(offers("whi", "while", "keyword"));
  CHECK(offers("TIL", "TILE32x32", "keyword"));
  CHECK(offers(":pl", ":plan", "command"));
  CHECK(offers("x = 1\n:str", ":strategy", "command"));
  CHECK(offers(":plan b", "box", "option"));
  CHECK(offers(":set dig", "digits", "option"));
  CHECK(offers(":set plan l", "line", "option"));
  CHECK(offers(":help oper", "operators", "option"));
  CHECK(offers(":help sqr", "sqrt", "function"));
  CHECK(offers("?alph", "alpha_one", "variable"));
  CHECK(offers("load(\"/et", "/etc/", "path"));
  CHECK(offers(":load /et", "/etc/", "path"));
  CHECK(!offers("x = \"alph", "alpha_one", "variable"));
  CHECK(!offers("y = sqr", "alpha_one", "variable"));
  CHECK(offers("", "alpha_one", "variable"));
}

static bool tells(const char *text, size_t cursor, int detail,
                  const char *words) {
  json_t *o = fs_session_inspect(session, text, strlen(text), cursor, detail);
  bool ok = json_is_true(json_object_get(o, "found")) &&
            strstr(text_of(o, "text/plain"), words);
  json_decref(o);
  return ok;
}

static void test_inspect(void) {
  eval("# Doubles its argument.\nfunction twice(x)\n  return 2*x\nend");
  CHECK(tells("sqrt", 4, 0, "square root"));
  CHECK(tells("y = sqrt(", 9, 0, "square root"));
  CHECK(tells("alpha_one", 2, 0, "3"));
  CHECK(tells("twice", 5, 0, "twice(x)"));
  CHECK(tells("twice", 5, 0, "Doubles its argument."));
  CHECK(tells("twice", 5, 1, "return 2*x"));
  CHECK(tells(":plan", 5, 0, "box"));
  CHECK(tells("while", 5, 0, "keyword"));
  CHECK(!tells("no_such_name", 3, 0, ""));
}

/* -- definitions, settings, commands ------------------------------------------- */

static void test_define(void) {
  CHECK(fs_session_define(session, "n1", "8192") == FS_RESULT_OK);
  CHECK(eval("n1") == FS_RESULT_OK && !strcmp(shown(0), "n1 = 8192"));
  CHECK(fs_session_define(session, "t1", "true") == FS_RESULT_OK);
  CHECK(eval("t1") == FS_RESULT_OK && !strcmp(shown(0), "t1 = true"));
  CHECK(fs_session_define(session, "s1", "text") == FS_RESULT_OK);
  CHECK(eval("s1") == FS_RESULT_OK && !strcmp(shown(0), "s1 = \"text\""));
  CHECK(fs_session_define(session, "x y", "1") == FS_RESULT_ERROR);
  CHECK(fs_session_define(session, "while", "1") == FS_RESULT_ERROR);
  CHECK(fs_session_define(session, "A1", "/no/file.npy") == FS_RESULT_ERROR);
}

static void test_settings(void) {
  CHECK(!fs_session_setting(session, "nonsense"));
  CHECK(!strcmp(fs_session_setting(session, "target"), "cpu"));
  CHECK(fs_session_set(session, "digits", "3") == FS_RESULT_OK);
  CHECK(eval("1/3") == FS_RESULT_OK && !strcmp(shown(0), "0.333"));
  CHECK(fs_session_set(session, "digits", "6") == FS_RESULT_OK);
  CHECK(fs_session_set(session, "digits", "0") == FS_RESULT_ERROR);
  CHECK(fs_session_set(session, "ascii", "on") == FS_RESULT_OK);
  CHECK(eval("[1, 2; 3, 4]") == FS_RESULT_OK && strstr(shown(0), "f32[2x2]"));
  CHECK(fs_session_set(session, "ascii", "off") == FS_RESULT_OK);
  CHECK(eval("k1 = ones(4)*3;") == FS_RESULT_OK);
  CHECK(fs_session_set(session, "threads", "1") == FS_RESULT_OK);
  CHECK(!strcmp(fs_session_setting(session, "threads"), "1"));
  CHECK(eval("sum(k1)") == FS_RESULT_OK && strstr(shown(0), "12"));
  CHECK(eval(":fuse off") == FS_RESULT_OK);
  CHECK(!strcmp(fs_session_setting(session, "strategy"), "off"));
  CHECK(eval(":fuse on") == FS_RESULT_OK);
  CHECK(!strcmp(fs_session_setting(session, "strategy"), "smart"));
  CHECK(eval(":set seed 7\nr1 = rand(3)\n:set seed 7\nr2 = rand(3)\n"
             "d = sum(abs(r1 - r2))") == FS_RESULT_OK);
  CHECK(!strcmp(shown(2), "d = 0"));
}

/* Whether the only variable `name` is as the JSON text says. */
static bool variable_is(const char *name, const char *json) {
  json_t *list = fs_session_variables(session), *v;
  json_t *want = json_loads(json, 0, NULL);
  size_t k;
  int found = 0;
  json_array_foreach(list, k, v)
    if (!strcmp(json_string_value(json_object_get(v, "name")), name)) {
      found += json_equal(v, want);
      if (!found) json_dumpf(v, stderr, 0);
    }
  json_decref(list);
  json_decref(want);
  return found == 1;
}

static void test_variables(void) {
  eval(":reset -f");
  eval("A = f64([1, 2; 3, 4]); v = [1, 0.5]; t = sum(v); n = 3; f(x) = x; "
       "s = \"a\\x1b\"; w = zeros(1000, 1000)");
  CHECK(variable_is("A", "{\"name\":\"A\",\"kind\":\"tensor\",\"type\":"
                         "\"f64[2\u00d72]\",\"shape\":[2,2],\"dtype\":\"f64\","
                         "\"bytes\":32.0,\"state\":\"stored\",\"where\":\"cpu\","
                         "\"value\":null}"));
  CHECK(variable_is("v", "{\"name\":\"v\",\"kind\":\"tensor\",\"type\":"
                         "\"f32[2]\",\"shape\":[2],\"dtype\":\"f32\","
                         "\"bytes\":8.0,\"state\":\"stored\",\"where\":\"cpu\","
                         "\"value\":\"[1, 0.5]\"}"));
  CHECK(variable_is("t", "{\"name\":\"t\",\"kind\":\"tensor\",\"type\":"
                         "\"f32\",\"shape\":[],\"dtype\":\"f32\","
                         "\"bytes\":4.0,\"state\":\"stored\",\"where\":\"cpu\","
                         "\"value\":\"1.5\"}"));
  CHECK(variable_is("n", "{\"name\":\"n\",\"kind\":\"number\",\"type\":"
                         "\"number\",\"where\":\"host\",\"value\":\"3\"}"));
  CHECK(variable_is("f", "{\"name\":\"f\",\"kind\":\"function\",\"type\":"
                         "\"function\",\"where\":\"host\","
                         "\"value\":\"function(x)\"}"));
  CHECK(variable_is("s", "{\"name\":\"s\",\"kind\":\"string\",\"type\":"
                         "\"string\",\"where\":\"host\","
                         "\"value\":\"\\\"a\\\\x1b\\\"\"}"));
  eval("w = 2*zeros(1000, 1000);");
  CHECK(variable_is("w", "{\"name\":\"w\",\"kind\":\"tensor\",\"type\":"
                         "\"f32[1000\u00d71000]\",\"shape\":[1000,1000],"
                         "\"dtype\":\"f32\",\"bytes\":4000000.0,"
                         "\"state\":\"virtual\",\"where\":null,"
                         "\"value\":null}"));
}

static bool is_sorted(const json_t *variables) {
  const char *last = "";
  size_t i;
  json_t *v;
  json_array_foreach(variables, i, v) {
    if (strcmp(last, text_of(v, "name")) >= 0) return false;
    last = text_of(v, "name");
  }
  return true;
}

/* Tens of thousands of names cost no more each than a few; names that a failed block
 * made, or that `return` leaves behind, go from among them, and the others are found. */
static void test_many_names(void) {
  enum { NAMES = 40000 };
  struct fs_str text = {0};
  for (int k = 0; k < NAMES; k++) fs_str_printf(&text, "n%d = %d;\n", k, k);
  double begin = fs_now();
  CHECK(eval(fs_str_text(&text)) == FS_RESULT_OK && fs_now() - begin < 4);
  fs_str_clear(&text);
  for (int k = 0; k < NAMES; k++) fs_str_puts(&text, "n7 = n7 + 1;\n");
  CHECK(eval(fs_str_text(&text)) == FS_RESULT_OK);
  CHECK(eval("n7") == FS_RESULT_OK && !strcmp(shown(0), "n7 = 40007"));
  CHECK(eval("n5 = -1; fresh = 2; n6 = inv(zeros(2, 2));") == FS_RESULT_ERROR);
  CHECK(eval("n5 + n6") == FS_RESULT_OK && !strcmp(shown(0), "11"));
  CHECK(eval("fresh") == FS_RESULT_ERROR);
  fs_str_clear(&text);
  for (int k = 0; k < 1000; k++) fs_str_printf(&text, "t%d = n%d; ", k, k);
  fs_str_puts(&text, "return t77");
  CHECK(eval(fs_str_text(&text)) == FS_RESULT_OK && eval("t78") == FS_RESULT_ERROR);
  json_t *variables = fs_session_variables(session);
  CHECK(json_array_size(variables) > NAMES && is_sorted(variables));
  json_decref(variables);
  fs_str_clear(&text);
  fs_str_puts(&text, "right = 0;\n");
  for (int k = 8; k < NAMES; k++)
    fs_str_printf(&text, "if n%d == %d; right = right + 1; end\n", k, k);
  CHECK(eval(fs_str_text(&text)) == FS_RESULT_OK);
  CHECK(eval("right") == FS_RESULT_OK && !strcmp(shown(0), "right = 39992"));
  CHECK(eval(":reset -f") == FS_RESULT_OK && eval("n9") == FS_RESULT_ERROR);
  fs_str_free(&text);
}

static void test_files(void) {
  char path[64] = "/tmp/fusible-session-XXXXXX", text[256];
  if (!mkdtemp(path)) return;
  eval("B = [1, 2; 3, 4]; w = [5, 6]");
  snprintf(text, sizeof text, ":save %s/x.npz B w", path);
  CHECK(eval(text) == FS_RESULT_OK && says("saved 2 values"));
  CHECK(eval(":reset") == FS_RESULT_OK && says(":reset -f"));
  CHECK(eval(":reset -f") == FS_RESULT_OK);
  CHECK(eval(":vars") == FS_RESULT_OK && says("no variables"));
  snprintf(text, sizeof text, ":load %s/x.npz", path);
  CHECK(eval(text) == FS_RESULT_OK && says("B = f32["));
  CHECK(eval("sum(B*w)") == FS_RESULT_OK && strstr(shown(0), "56"));
  snprintf(text, sizeof text, "save(\"%s/y.csv\", B); C = load(\"%s/y.csv\")",
           path, path);
  CHECK(eval(text) == FS_RESULT_OK && strstr(shown(0), "C = f64["));
  snprintf(text, sizeof text, "%s/y.csv", path);
  CHECK(fs_session_define(session, "D", text) == FS_RESULT_OK);
  CHECK(eval("D[2, 1]") == FS_RESULT_OK && strstr(shown(0), "3"));
  unlink(text);
  /* a range is saved as what it is as a tensor */
  snprintf(text, sizeof text, "save(\"%s/r.npz\", 1:3, 0:0.5:1)", path);
  CHECK(eval(text) == FS_RESULT_OK);
  snprintf(text, sizeof text, "load(\"%s/r.npz\", \"arr_0\")", path);
  CHECK(eval(text) == FS_RESULT_OK && strstr(shown(0), "i64[3]"));
  snprintf(text, sizeof text, "load(\"%s/r.npz\", \"arr_1\")", path);
  CHECK(eval(text) == FS_RESULT_OK && strstr(shown(0), "f64[3]"));
  /* what has no name in the file is told once, by name, if it was saved */
  snprintf(text, sizeof text, "b1 = bf16([1]); b2 = [2]; b3 = bf16(ones(2, 2));"
           "save(\"%s/b.npz\", b1, b2, b3)", path);
  CHECK(eval(text) == FS_RESULT_OK && count("diagnostic") == 1);
  CHECK(strstr(text_of(event_at("diagnostic", 0), "message"), "saved as f32: b1, b3"));
  CHECK(eval("save(\"/nowhere/b.npz\", b1, b3)") == FS_RESULT_ERROR &&
        count("diagnostic") == 1);
  for (int k = 0; k < 3; k++) {
    snprintf(text, sizeof text, "%s/%c.npz", path, "xrb"[k]);
    unlink(text);
  }
  rmdir(path);
}

/* Explaining changes no variable, of numbers and functions neither, and draws nothing. */
static void test_explain_changes_nothing(void) {
  CHECK(eval("n = 7; f(x) = x + 1; v = [1, 2]; seed(3)") == FS_RESULT_OK);
  CHECK(eval(":explain n = 1; fresh = 2") == FS_RESULT_OK);
  CHECK(eval(":explain n = n + 1; v = n*v; seed(5); r = rand(2)") == FS_RESULT_OK);
  CHECK(eval(":explain v = 4; f(x) = 2*x") == FS_RESULT_OK);
  CHECK(eval(":explain for k = 1:3; n = k; end") == FS_RESULT_OK);
  CHECK(eval(":explain n = 5; n = undefined") == FS_RESULT_ERROR);
  CHECK(eval("print(n, \" \", f(1), \" \", v[2])") == FS_RESULT_OK && says("7 2 2"));
  CHECK(eval("fresh") == FS_RESULT_ERROR);
  CHECK(eval("k") == FS_RESULT_ERROR);
  CHECK(eval("r = rand(2); seed(3); print(all(r == rand(2)))") == FS_RESULT_OK &&
        says("true"));
}

/* A plan with a kernel that makes no call: it copies what an update changes. */
static void test_tune_update(void) {
  CHECK(eval("x = ones(5, 5) + 0; sum(x)") == FS_RESULT_OK);
  CHECK(eval("y = x; y[2, :] = exp(x[1, :]);") == FS_RESULT_OK);
  CHECK(eval(":plan dump") == FS_RESULT_OK && says("copy before y"));
  CHECK(eval(":tune 3") == FS_RESULT_OK && says("chosen"));
  CHECK(eval(":tune forget") == FS_RESULT_OK);
}

/* Of a block that comes again in other words nothing is described until somebody asks, and
 * then each plan has the words of its own run. */
static void test_words_of_runs(void) {
  static const char *const words[] = {"a = x*0.5 + 1", "bb = x*0.5 + 2", "c = x*0.5 + 3"};
  char *text = NULL;
  CHECK(fs_session_set(session, "plan", "off") == FS_RESULT_OK);
  CHECK(eval("x = rand(9) + 0;") == FS_RESULT_OK);
  CHECK(eval("for k = 1:1; a = x*0.5 + 1; end; for k = 1:1; bb = x*0.5 + 2; end\n"
             "for k = 1:1; c = x*0.5 + 3; end;") == FS_RESULT_OK);
  CHECK(session->last_plans.len == 3 && session->last_plans.data[0]->number ==
                                            session->last_plans.data[2]->number);
  for (int k = 0; k < session->last_plans.len; k++)
    CHECK(!session->last_plans.data[k]->event);
  CHECK(fs_session_set(session, "plan", "line") == FS_RESULT_OK);
  CHECK(eval(":plan") == FS_RESULT_OK);
  json_t *all = fs_session_events_of(session, &session->last_plans);
  text = json_dumps(all, 0);
  for (size_t k = 0; k < FS_LEN(words); k++) {
    const json_t *plan = json_array_get(all, k), *list = json_object_get(plan, "statements");
    CHECK(json_array_size(list) == 1);
    CHECK(!strcmp(text_of(json_array_get(list, 0), "text"), words[k]));
  }
  CHECK(text && strstr(text, "\"a\"") && strstr(text, "\"bb\"") && strstr(text, "\"c\""));
  free(text);
  json_decref(all);
  CHECK(eval(":plan dump") == FS_RESULT_OK && says("c = x*0.5 + 3"));
}

static void test_commands(void) {
  static const char *const fine[] = {
    ":help", ":help plan", ":help settings", "?plan", "?operators", "?calibrate", ":help op", ":help :save", ":help sqrt", "?sqrt",
    "?? sqrt", ":vars", ":device", ":memory", ":plan", ":plan json",
    ":plan dump", ":code", ":code walk", ":code 1 cuda", ":set", ":set digits",
    ":history", ":history 2", ":strategy", ":target", ":target auto", ":h",
    ":mem", "?"};
  static const char *const bad[] = {
    ":nonsense", ":s", ":plan sideways", ":set digits many", ":set nothing 1",
    ":load", ":load \"x", ":save", ":code 99", ":strategy x", ":target x",
    ":explain", ":explain 1 +", ":help no_such_thing", "?no_such_thing",
    ":history x", ":reset now", ":fuse maybe"};
  eval("q = ones(8, 8)*ones(8); s = sum(q);");
  for (size_t k = 0; k < FS_LEN(fine); k++)
    check_at(__LINE__, eval(fine[k]) == FS_RESULT_OK &&
                           !event_at("diagnostic", 0),
             fine[k]);
  for (size_t k = 0; k < FS_LEN(bad); k++)
    check_at(__LINE__, eval(bad[k]) == FS_RESULT_ERROR &&
                           count("diagnostic") == 1,
             bad[k]);
  CHECK(eval(":vras") == FS_RESULT_ERROR &&
        strstr(text_of(event_at("diagnostic", 0), "hint"), ":vars"));
  CHECK(eval("m = 1\n:quit\nm = 2") == FS_RESULT_QUIT);
  CHECK(!strcmp(text_of(event_at("done", 0), "status"), "quit"));
  CHECK(eval("m") == FS_RESULT_OK && !strcmp(shown(0), "m = 1"));
}

int main(void) {
  const char *error = NULL;
  struct fs_session_config config = {.target = "cpu", .on_event = on_event};
  struct fs_session_config wrong = {.target = "abacus", .on_event = on_event};
  events = json_array();
  CHECK(!fs_session_new(&wrong, &error) && strstr(error, "abacus"));
  session = fs_session_new(&config, &error);
  if (!session) return 2;
  test_values();
  test_plans();
  test_long_statement();
  test_parts_of_a_statement();
  test_errors();
  test_sizes();
  test_complete_text();
  test_completion();
  test_inspect();
  test_define();
  test_settings();
  test_variables();
  test_many_names();
  test_files();
  test_explain_changes_nothing();
  test_tune_update();
  test_words_of_runs();
  test_commands();
  fs_session_free(session);
  json_decref(events);
  printf("%d passed, %d failed\n", passed, failed);
  return failed || !passed;
}
