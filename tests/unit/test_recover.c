/* test_recover.c - inputs that end in the middle for want of memory on the host: what they
 * were parsed into is freed, what can be reached stays, and the session goes on. */
#include <malloc.h>
#include <stdio.h>
#include <unistd.h>

#include "core/base/base.h"
#include "core/eval/interp.h"
#include "core/session/internal.h"

#include "tests/unit/check.h"
#ifdef __SANITIZE_ADDRESS__ /* which has its own malloc: only a session is begun and ended */
static void failmalloc_soon(long n) { (void)n; }
#else
#include "tests/fault/failmalloc.c"
#endif

enum { NEVER = 1 << 30 };

static struct fs_session *session;
static bool raises;      /* what is asked for after the next print() is not there */
static char printed[64];
static int lacks;        /* how often it was said that there is none */

static void on_event(void *user, const json_t *event) {
  (void)user;
  const char *kind = json_string_value(json_object_get(event, "event"));
  const char *id = json_string_value(json_object_get(event, "id"));
  const char *text = json_string_value(json_object_get(event, "text"));
  if (id && !strcmp(id, "out-of-memory")) lacks++;
  if (!kind || strcmp(kind, "text")) return;
  snprintf(printed, sizeof printed, "%s", text ? text : "");
  if (!raises) return;
  raises = false;
  failmalloc_soon(1);
}

static enum fs_result eval(const char *text) {
  *printed = 0;
  return fs_session_eval(session, "<test>", text, strlen(text), 0);
}

static bool prints(const char *text, const char *want) {
  return eval(text) == FS_RESULT_OK && !strncmp(printed, want, strlen(want));
}

static int units(void) {
  int n = 0;
  for (const struct fs_unit *u = session->in->all_units; u; u = u->next) n++;
  return n;
}

/* The text and a remark behind it: too long for it to be kept for the next time. */
static char *unkept(const char *text) {
  enum { LONG = 20000 };
  size_t len = strlen(text);
  char *out = fs_malloc(len + LONG);
  memcpy(out, text, len);
  memset(out + len, 'x', LONG);
  memcpy(out + len, "\n# ", 3);
  out[len + LONG - 1] = 0;
  return out;
}

static const char *const ends[] = {
    "print(1)\nt = \"a\" + \"b\";", "for k = 1:3\n  print(k)\n  t = [k, 1] + 2;\nend",
    "function shown(x)\n  print(x)\n  return [x, x] + 1\nend\ny = shown(3);",
    "f = x -> x + 1;\nprint(2)\nt = f([1, 2]);",
};

/* Where it runs: at the top, in a loop, in a function; and in a file. */
static void test_running(void) {
  for (size_t k = 0; k < FS_LEN(ends); k++) {
    char *text = unkept(ends[k]);
    raises = true;
    CHECK(eval(text) != FS_RESULT_OK);
    int before = units(), said = lacks;
    for (int round = 0; round < 5; round++) {
      raises = true;
      CHECK(eval(text) != FS_RESULT_OK && lacks == ++said);
      CHECK(units() == before);
    }
    free(text);
  }
}

static void test_import(void) {
  const char *folder = getenv("TMPDIR");
  char path[4096], line[4200];
  snprintf(path, sizeof path, "%s/recover-%d.fs", folder ? folder : "/tmp", (int)getpid());
  FILE *f = fopen(path, "w");
  if (f) fputs("z = 4;\nprint(z)\nt = [z, 1] + 2;\n", f), fclose(f);
  snprintf(line, sizeof line, "import \"%s\"", path);
  CHECK(prints(line, "4"));
  int before = units();
  for (int round = 0; round < 5; round++) {
    raises = true;
    CHECK(eval(line) != FS_RESULT_OK && units() == before);
  }
  CHECK(prints(line, "4"));
  unlink(path);
}

/* What a name or a captured value reaches is there when a later input has ended so. */
static void test_reached(void) {
  char *text = unkept("function twice(x)\n  return 2*x\nend\n"
                      "h = x -> twice(x) + 1; g = y -> h(y)*10; h = 0; twice = 0;");
  CHECK(eval(text) == FS_RESULT_OK);
  free(text);
  raises = true;
  CHECK(eval("print(1)\nt = [1, 2] + 3;") != FS_RESULT_OK);
  for (int k = 0; k < 100; k++) { /* texts that were kept are forgotten */
    char line[32];
    snprintf(line, sizeof line, "a = %d;", k);
    CHECK(eval(line) == FS_RESULT_OK);
  }
  CHECK(prints("print(g(3))", "70"));
  int before = units();
  CHECK(eval("g = 0;") == FS_RESULT_OK && units() == before - 1);
}

/* Each allocation in turn, also those of the parser. */
static void test_each(void) {
  char *text = unkept("p = [1, 2, 3]; q = p + 1;\nfor k = 1:2\n  q = q + k;\nend\n"
                      "s = sum(q)*2 - (3 + 4)*p[2];");
  CHECK(eval(text) == FS_RESULT_OK);
  int before = units(), faults = 0;
  for (int n = 1; n <= 400; n++) {
    int said = lacks;
    failmalloc_soon(n);
    eval(text);
    failmalloc_soon(NEVER);
    faults += lacks > said;
    CHECK(units() <= before);
    if (n % 40 == 0) CHECK(prints("print(1 + 1)", "2"));
  }
  CHECK(eval(text) == FS_RESULT_OK && units() <= before);
  CHECK(prints("print(s)", "22"));
  printf("%d inputs had no memory\n", faults);
  CHECK(faults > 20);
  free(text);
}

static size_t used(void) {
  struct mallinfo2 now = mallinfo2();
  return now.uordblks + now.hblkhd;
}

/* Of texts that could not be joined nothing is left: they may be large. One that was joined
 * is lost where there is no memory for its name's note in the log. */
static void test_texts(void) {
  CHECK(eval("s = \"0123456789abcdef\"; for k = 1:18; s = s + s; end") == FS_RESULT_OK);
  CHECK(eval("t = s + s; t = 0;") == FS_RESULT_OK);
  int lost = 0;
  for (int n = 1; n <= 30; n++) {
    size_t before = used();
    failmalloc_soon(n);
    eval("t = s + s; t = 0;");
    failmalloc_soon(NEVER);
    CHECK(eval("t = 0;") == FS_RESULT_OK);
    lost += used() > before + (1 << 20);
  }
  CHECK(lost <= 1);
  CHECK(prints("print(\"a\" + 1 + \"b\" + true + \"\")", "a1btrue"));
}

int main(void) {
  const char *error = NULL;
  struct fs_session_config config = {.target = "cpu", .threads = 1, .on_event = on_event};
  session = fs_session_new(&config, &error);
  CHECK(session && prints("print(1)", "1"));
#ifndef __SANITIZE_ADDRESS__
  test_running();
  test_import();
  test_reached();
  test_each();
  test_texts();
#endif
  fs_session_free(session);
  printf("%d passed, %d failed\n", passed, failed);
  return failed || !passed;
}
