/* test_worker.c - a session in a process of its own: that questions are answered
 * while it computes, that interrupts stop it, and that no worker, however it
 * behaves, takes its front along. This program is its own worker: with
 * FS_HOSTILE set, one that says whatever that names. */
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/worker/worker.h"
#include "core/worker/wire.h"
#include "tests/unit/check.h"

/* -- a worker that is none ------------------------------------------------- */

static void say(const void *data, size_t len) {
  const char *p = data;
  while (len) {
    ssize_t n = send(FS_WORKER_SOCKET, p, len, MSG_NOSIGNAL);
    if (n <= 0 && errno != EINTR) _exit(0);
    if (n > 0) p += n, len -= (size_t)n;
  }
}

static void say_head(const char *text, uint32_t blob) {
  uint32_t sizes[2] = {(uint32_t)strlen(text), blob};
  say(sizes, sizeof sizes);
  say(text, strlen(text));
}

static void wait_for(int frames) {
  struct fs_wire wire = {.fd = FS_WORKER_SOCKET};
  struct fs_frame f;
  while (frames) {
    while (frames && fs_wire_next(&wire, &f) == FS_WIRE_FRAME) {
      json_decref(f.head);
      frames--;
    }
    if (!frames) return;
    if (!fs_wire_fill(&wire)) _exit(0);
    usleep(1000);
  }
}

static const char ready[] = "{\"is\":\"ready\",\"state\":{}}";
static const char started[] = "{\"is\":\"started\"}";

static void say_random(unsigned seed) {
  unsigned char bytes[4096];
  srand(seed);
  for (int round = 0; round < 50; round++) {
    for (size_t k = 0; k < sizeof bytes; k++) bytes[k] = (unsigned char)rand();
    say(bytes, sizeof bytes);
  }
}

/* A good answer with some of its bytes changed. */
static void say_changed(unsigned seed) {
  char text[] = "{\"is\":\"done\",\"result\":0,\"event\":{\"event\":\"done\","
                "\"status\":\"ok\",\"seconds\":0.1},\"state\":{\"vars\":{\"x\":"
                "{\"kind\":\"number\",\"type\":\"number\",\"text\":\"x = 1\"}},"
                "\"gone\":[\"y\"],\"settings\":{\"plan\":\"line\"},\"random\":"
                "[1,2],\"files\":[\"2f746d70\"],\"times\":[1.5],\"lost\":false}}";
  srand(seed);
  for (int k = 0; k < 3; k++)
    text[(size_t)rand() % (sizeof text - 1)] = (char)(32 + rand() % 95);
  say_head(text, 0);
}

static void say_deep(void) {
  struct fs_str s = {0};
  fs_str_puts(&s, "{\"event\":");
  for (int k = 0; k < 1000000; k++) fs_str_puts(&s, "[");
  say_head(fs_str_text(&s), 0);
}

enum { HOSTILE_KINDS = 20 };

static int hostile(int kind, unsigned seed) {
  static const uint32_t huge[2] = {0xffffffffu, 0xffffffffu};
  static const uint32_t large[2] = {FS_WIRE_HEAD_MAX, FS_WIRE_BLOB_MAX};
  static const uint32_t none[2] = {0, 0};
  if (kind == 0) return 0;                        /* ends at once            */
  if (kind == 1) say_random(seed);
  if (kind == 2) say(huge, sizeof huge);
  if (kind == 3) say(large, sizeof large);        /* and then nothing        */
  if (kind == 4) say(none, sizeof none);
  if (kind == 5) say_head("[1, 2, 3]", 0);
  if (kind == 6) say_head("{\"is\":\"ready\"", 0);
  if (kind == 7) say_deep();
  if (kind == 8) say_head("{}", 0);
  if (kind == 9) say_head("{\"is\":\"done\"}", 0);
  if (kind < 10) wait_for(1);
  if (kind == 3) _exit(3);
  if (kind < 10) return 5;
  say_head(ready, 0);
  wait_for(2);
  if (kind == 10) raise(SIGSEGV);
  if (kind == 11) say_head("{\"is\":\"done\",\"result\":0}", 0);
  if (kind == 12) say_head(ready, 0);
  if (kind == 13) say("\x40", 1);                 /* a truncated frame       */
  if (kind == 13) return 0;
  say_head(started, 0);
  if (kind == 14) say_random(seed);
  if (kind == 15) abort();
  if (kind == 16)
    say_head("{\"event\":\"done\",\"status\":\"ok\",\"seconds\":1}", 0);
  if (kind == 17) say_head("{\"event\":7}", 0);
  if (kind == 18) say_head("{\"event\":{\"event\":\"text\"}}", 0);
  if (kind == 19) say_changed(seed);
  if (kind == 16) return 0;
  wait_for(1000);
  return 0;
}

/* -- helpers --------------------------------------------------------------- */

struct seen {
  int events, done, deaths, rebuilt;
  struct fs_str text;
};

static void on_event(void *user, const json_t *event) {
  struct seen *seen = user;
  const char *kind = json_string_value(json_object_get(event, "event"));
  const char *id = json_string_value(json_object_get(event, "id"));
  const char *text = json_string_value(json_object_get(event, "text"));
  seen->events++;
  seen->done += kind && !strcmp(kind, "done");
  seen->deaths += id && !strcmp(id, "worker-died");
  seen->rebuilt += id && !strcmp(id, "rebuilt");
  if (text) fs_str_puts(&seen->text, text);
}

static struct fs_worker *start(struct seen *seen) {
  const char *error = NULL;
  struct fs_worker_config config = {.target = "cpu", .threads = 1,
                                    .on_event = on_event, .user = seen};
  struct fs_worker *w = fs_worker_new(&config, &error);
  if (!w) printf("no worker: %s\n", error);
  return w;
}

static enum fs_result run(struct fs_worker *w, const char *text) {
  return fs_worker_run(w, "<test>", text, strlen(text), FS_EVAL_BLOCK);
}

static int open_files(void) {
  DIR *dir = opendir("/proc/self/fd");
  int n = 0;
  while (dir && readdir(dir)) n++;
  if (dir) closedir(dir);
  return n;
}

static bool no_children(void) {
  return waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD;
}

/* -- tests ----------------------------------------------------------------- */

/* Whatever it says, an input ends, and none is left behind. */
static void test_hostile(int kind, unsigned seed) {
  char number[24], seed_text[24];
  struct seen seen = {0};
  snprintf(number, sizeof number, "%d", kind);
  snprintf(seed_text, sizeof seed_text, "%u", seed);
  setenv("FS_HOSTILE", number, 1);
  setenv("FS_SEED", seed_text, 1);
  int files = open_files();
  struct fs_worker *w = start(&seen);
  if (!check(w != NULL, "hostile %d: a front", kind)) return;
  double began = fs_now();
  bool asked = fs_worker_eval(w, "<test>", "1 + 1", 5, 0);
  check(asked, "hostile %d: the input is taken", kind);
  while (fs_worker_pump(w, 100))
    if (fs_now() - began > 0.5) fs_worker_interrupt(w);
  check(seen.done == 1, "hostile %d seed %u: %d done", kind, seed, seen.done);
  if (kind == 11 || kind == 12) /* what it says makes no sense then */
    check(seen.deaths > 0, "hostile %d: it goes on", kind);
  check(fs_now() - began < 300, "hostile %d: %.1f s", kind, fs_now() - began);
  int indent;
  check(fs_session_is_complete(fs_worker_session(w), "x = [", 5, &indent) ==
            FS_NEEDS_MORE, "hostile %d: the mirror parses", kind);
  fs_worker_free(w);
  check(no_children(), "hostile %d: a process is left", kind);
  check(open_files() == files, "hostile %d: %d files open, before %d", kind,
        open_files(), files);
  fs_str_free(&seen.text);
  unsetenv("FS_HOSTILE");
}

static void test_values(void) {
  struct seen seen = {0};
  struct fs_worker *w = start(&seen);
  check(run(w, "x = 1:4; y = 2") == FS_RESULT_OK, "an input");
  check(run(w, "nothing_there") == FS_RESULT_ERROR, "an error");
  check(fs_worker_define(w, "n", "12") == FS_RESULT_OK, "define");
  check(fs_worker_set(w, "width", "44") == FS_RESULT_OK, "set");
  check(!strcmp(fs_session_setting(fs_worker_session(w), "width"), "44"),
        "a setting is mirrored");
  json_t *list = fs_session_variables(fs_worker_session(w));
  check(json_array_size(list) == 3, "%zu variables", json_array_size(list));
  json_decref(list);
  run(w, "print(n)");
  check(!strcmp(fs_str_text(&seen.text), "12\n"), "`%s`",
        fs_str_text(&seen.text));
  check(!fs_worker_busy(w) && seen.deaths == 0, "nothing runs");
  check(run(w, ":quit") == FS_RESULT_QUIT, "quit");
  fs_worker_free(w);
  fs_str_free(&seen.text);
}

/* Completion, help and the parser while a loop runs. */
static void test_questions(void) {
  struct seen seen = {0};
  struct fs_worker *w = start(&seen);
  run(w, "velocity = 40 + 2");
  fs_worker_eval(w, "<loop>", "while true; end", 15, 0);
  double end = fs_now() + 0.5;
  while (fs_now() < end) {
    size_t from, to;
    int indent;
    struct fs_session *s = fs_worker_session(w);
    json_t *names = fs_session_complete(s, "velo", 4, 4, &from, &to);
    json_t *help = fs_session_inspect(s, "velocity", 8, 3, 0);
    enum fs_completeness c = fs_session_is_complete(s, "1 +", 3, &indent);
    if (json_array_size(names) != 1 || c != FS_NEEDS_MORE ||
        !json_is_true(json_object_get(help, "found")))
      end = 0;
    json_decref(names);
    json_decref(help);
    fs_worker_pump(w, 1);
  }
  check(end > 0, "answers while an input runs");
  check(fs_worker_busy(w), "the input runs");
  fs_worker_interrupt(w);
  while (fs_worker_pump(w, -1)) {}
  check(fs_worker_result(w) == FS_RESULT_INTERRUPTED, "interrupted: %d",
        fs_worker_result(w));
  check(run(w, "velocity + 1") == FS_RESULT_OK && !seen.deaths, "goes on");
  fs_worker_free(w);
  fs_str_free(&seen.text);
}

/* The same again and again, with the interrupt at any time. */
static void test_interrupts(void) {
  struct seen seen = {0};
  struct fs_worker *w = start(&seen);
  int stopped = 0;
  run(w, "keep = 42");
  for (int k = 0; k < 100; k++) {
    fs_worker_eval(w, "<loop>", "while true; end", 15, 0);
    double at = fs_now() + 1e-4 * (double)(k % 20);
    while (fs_now() < at) fs_worker_pump(w, 0);
    fs_worker_interrupt(w);
    while (fs_worker_pump(w, -1)) {}
    stopped += fs_worker_result(w) == FS_RESULT_INTERRUPTED;
  }
  check(stopped == 100 && !seen.deaths, "%d of 100 stopped, %d deaths", stopped,
        seen.deaths);
  fs_worker_interrupt(w); /* while nothing runs */
  fs_str_clear(&seen.text);
  run(w, "print(keep)");
  check(!strcmp(fs_str_text(&seen.text), "42\n"), "`%s`",
        fs_str_text(&seen.text));
  fs_worker_free(w);
  fs_str_free(&seen.text);
}

/* A death between two inputs is noticed by pumping. */
static void test_idle_death(void) {
  struct seen seen = {0};
  struct fs_worker *w = start(&seen);
  run(w, "x = rand(3); y = 7");
  kill(fs_worker_pid(w), SIGKILL);
  double end = fs_now() + 600;
  while (fs_now() < end && !seen.rebuilt) fs_worker_pump(w, 100);
  check(seen.rebuilt == 1, "rebuilt while idle");
  fs_str_clear(&seen.text);
  run(w, "print(y)");
  check(!strcmp(fs_str_text(&seen.text), "7\n"), "`%s`",
        fs_str_text(&seen.text));
  fs_worker_free(w);
  check(no_children(), "a process is left");
  fs_str_free(&seen.text);
}

int main(int argc, char **argv) {
  const char *kind = getenv("FS_HOSTILE"), *seed = getenv("FS_SEED");
  if (argc > 1 && !strcmp(argv[1], "--worker"))
    return kind ? hostile(atoi(kind), (unsigned)atoi(seed))
                : fs_worker_main(argc, argv);
  test_values();
  test_questions();
  test_interrupts();
  test_idle_death();
  for (int k = 0; k < HOSTILE_KINDS; k++) test_hostile(k, 1);
  for (unsigned k = 0; k < 60; k++) test_hostile(k % 3 ? 19 : 1, k);
  printf("%d passed, %d failed\n", passed, failed);
  return failed || !passed;
}
