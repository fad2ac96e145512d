/* test_serve.c - the process of a session beside a front that is only a socket: which
 * frames it sends, and in which order. This program is its own worker: in that, a thread
 * writes to stdout what comes over a further socket, as a library would. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/spawn.h"
#include "core/session/session.h"
#include "core/view/describe.h"
#include "core/worker/wire.h"
#include "core/worker/worker.h"
#include "tests/unit/check.h"

enum { LIBRARY = FS_WORKER_ERRORS + 1 }; /* the further socket, in the worker */

/* -- the worker -------------------------------------------------------------------- */

/* What a library wrote waits in the buffer of stdout: it was no whole line. */
static void *library(void *user) {
  char text[64];
  ssize_t n;
  (void)user;
  while ((n = recv(LIBRARY, text, sizeof text, 0)) > 0) {
    fwrite(text, 1, (size_t)n, stdout);
    if (send(LIBRARY, "", 1, MSG_NOSIGNAL) != 1) break;
  }
  return NULL;
}

static int worker(int argc, char **argv) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, library, NULL)) return 3;
  return fs_worker_main(argc, argv);
}

/* -- the front --------------------------------------------------------------------- */

struct front {
  struct fs_wire wire;
  int library;
  pid_t pid;
  struct fs_str text; /* of all text events since the last request */
  int pieces;         /* in how many events it came                */
};

/* Both ends of a pair get numbers that the worker does not have. */
static void move_up(int fd[2]) {
  for (int k = 0; k < 2; k++) {
    int up = fcntl(fd[k], F_DUPFD_CLOEXEC, 20);
    close(fd[k]);
    fd[k] = up;
  }
}

static struct front start(void) {
  struct front f = {.pid = -1};
  int wire[2], lib[2], out[2], err[2];
  char program[] = "test", flag[] = "--worker", parent[24];
  char *argv[] = {program, flag, parent, NULL};
  snprintf(parent, sizeof parent, "%ld", (long)getpid());
  check(!socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, wire) &&
        !socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, lib) &&
        !pipe2(out, O_CLOEXEC | O_NONBLOCK) && !pipe2(err, O_CLOEXEC | O_NONBLOCK), "pipes");
  move_up(wire), move_up(lib), move_up(out), move_up(err);
  int from[] = {out[1], err[1], wire[1], out[0], err[0], lib[1]};
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  for (int k = 0; k < 6; k++) posix_spawn_file_actions_adddup2(&files, from[k], k + 1);
  check(!fs_spawn_apart(&f.pid, "/proc/self/exe", argv, &files), "a process");
  posix_spawn_file_actions_destroy(&files);
  for (int k = 0; k < 6; k++) close(from[k]);
  f.wire.fd = wire[0];
  f.library = lib[0];
  return f;
}

/* The next frame's head; the texts among them are kept. NULL: it ended. */
static json_t *next(struct front *f) {
  struct fs_frame frame;
  for (;;) {
    enum fs_wire_status st = fs_wire_next(&f->wire, &frame);
    if (st == FS_WIRE_BROKEN) return NULL;
    if (st == FS_WIRE_FRAME) {
      const char *text = json_string_value(json_object_get(frame.head, "text"));
      if (text) fs_str_puts(&f->text, text), f->pieces++;
      return frame.head;
    }
    struct pollfd p = {.fd = f->wire.fd, .events = POLLIN};
    poll(&p, 1, -1);
    if (!fs_wire_fill(&f->wire)) return NULL;
  }
}

static bool is(const json_t *head, const char *key, const char *value) {
  const char *text = json_string_value(json_object_get(head, key));
  return text && !strcmp(text, value);
}

/* Frames until that one, whose head is given; what comes before it is dropped. */
static json_t *until(struct front *f, const char *key, const char *value) {
  json_t *head;
  while ((head = next(f)) && !is(head, key, value)) json_decref(head);
  check(head != NULL, "it ended before `%s`", value);
  return head;
}

/* Sends a request with this head, which it takes. */
static void ask(struct front *f, json_t *head, const char *blob) {
  fs_wire_put(&f->wire, head, blob, strlen(blob));
  check(fs_wire_flush(&f->wire, true), "a request");
  json_decref(head);
}

static json_t *request(const char *what) {
  json_t *o = json_object();
  json_object_set_new(o, "do", json_string(what));
  return o;
}

/* Begins an input, whose request has what is in `more` (taken), too. */
static void begin(struct front *f, const char *input, json_t *more) {
  json_t *head = request("eval");
  json_object_set_new(head, "name_len", json_integer(0));
  json_object_set_new(head, "flags", json_integer(FS_EVAL_BLOCK));
  if (more) json_object_update(head, more), json_decref(more);
  fs_str_clear(&f->text);
  f->pieces = 0;
  ask(f, head, input);
}

/* Gives the state after it. */
static json_t *run_with(struct front *f, const char *input, json_t *more) {
  begin(f, input, more);
  json_t *done = until(f, "is", "done");
  json_t *state = json_incref(json_object_get(done, "state"));
  json_decref(done);
  return state;
}

static json_t *run(struct front *f, const char *input) { return run_with(f, input, NULL); }

/* A library writes a text, no part of which was sent before this returns. */
static void write_out(struct front *f, const char *text, size_t len) {
  char c;
  bool ok = send(f->library, text, len, MSG_NOSIGNAL) == (ssize_t)len;
  check(ok && recv(f->library, &c, 1, 0) == 1, "a library's text");
}

static struct front ready(void) {
  struct front f = start();
  json_t *o = request("start");
  json_object_set_new(o, "target", json_string("cpu"));
  json_object_set_new(o, "threads", json_integer(1));
  ask(&f, o, "");
  json_decref(until(&f, "is", "ready"));
  return f;
}

/* It ends with its socket, whatever it computes: its parent is still there. */
static void end(struct front *f) {
  int status = -1;
  fs_wire_free(&f->wire);
  double limit = fs_now() + 600; /* it hangs */
  pid_t got;
  while (!(got = waitpid(f->pid, &status, WNOHANG)) && fs_now() < limit) usleep(1000);
  check(got == f->pid && status == 0, "the worker's end: %d", status);
  if (got != f->pid) kill(f->pid, SIGKILL), waitpid(f->pid, &status, 0);
  close(f->library);
  fs_str_free(&f->text);
}

/* -- texts -------------------------------------------------------------------------- */

/* In two pieces with an event between them, wherever they are cut. */
static void test_characters(void) {
  static const char *const texts[] = {"\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80", "a\xc3\xa9"};
  struct front f = ready();
  for (size_t k = 0; k < FS_LEN(texts); k++)
    for (size_t cut = 1; cut < strlen(texts[k]); cut++) {
      write_out(&f, texts[k], cut);
      begin(&f, "a = ask(\"\"); a = ask(\"\");", NULL);
      json_decref(until(&f, "event", "ask"));
      write_out(&f, texts[k] + cut, strlen(texts[k]) - cut);
      ask(&f, request("answer"), "1");
      json_decref(until(&f, "event", "ask"));
      check(!strcmp(fs_str_text(&f.text), texts[k]), "`%s` came as `%s`", texts[k],
            fs_str_text(&f.text));
      ask(&f, request("answer"), "2");
      json_decref(until(&f, "is", "done"));
    }
  end(&f);
}

/* What was written before an event is sent before it. */
static void test_order(void) {
  struct front f = ready();
  for (int k = 0; k < 20; k++) {
    write_out(&f, "before", 6);
    begin(&f, "1;", NULL);
    json_decref(until(&f, "is", "started"));
    check(!strcmp(fs_str_text(&f.text), "before"), "`%s` before it began", fs_str_text(&f.text));
    json_decref(until(&f, "is", "done"));
  }
  end(&f);
}

/* Half a character at the end of an input belongs to that input. */
static void test_rest(void) {
  struct front f = ready();
  write_out(&f, "a\xc3", 2);
  json_decref(run(&f, "1;"));
  check(f.pieces == 2, "%d pieces: `%s`", f.pieces, fs_str_text(&f.text));
  json_decref(run(&f, "2;"));
  check(f.pieces == 0, "later `%s`", fs_str_text(&f.text));
  end(&f);
}

/* -- replays and states ------------------------------------------------------------- */

static json_t *as_replay(void) {
  json_t *o = json_object();
  json_object_set_new(o, "replay", json_true());
  return o;
}

static void test_replay(void) {
  struct front f = ready();
  write_out(&f, "library", 7);
  json_decref(run_with(&f, "print(1)", as_replay()));
  check(f.pieces == 0, "a replay says `%s`", fs_str_text(&f.text));
  write_out(&f, "library", 7);
  json_decref(run(&f, "print(2)"));
  check(!strcmp(fs_str_text(&f.text), "library2\n"), "after it `%s`", fs_str_text(&f.text));
  end(&f);
}

static void test_told_when_computed(void) {
  struct front f = ready();
  json_t *s = run(&f, "x = rand(600, 600);"), *x = json_object_get(json_object_get(s, "vars"), "x");
  check(is(x, "state", "virtual"), "x is only to be computed");
  json_decref(s);
  s = run(&f, "1;");
  check(!json_object_get(json_object_get(s, "vars"), "x"), "it is told once");
  json_decref(s);
  s = run(&f, "print(sum(x))");
  x = json_object_get(json_object_get(s, "vars"), "x");
  check(is(x, "state", "stored"), "it is told when it was computed");
  json_decref(s);
  end(&f);
}

static void test_random(void) {
  struct front f = ready();
  json_t *head = json_pack("{s:[i,i]}", "random", 5, 9);
  json_t *s = run_with(&f, "1;", head), *random = json_object_get(s, "random");
  check(json_integer_value(json_array_get(random, 0)) == 5 &&
        json_integer_value(json_array_get(random, 1)) == 9, "random numbers go on");
  json_decref(s);
  end(&f);
}

/* A function has its source, and no text is longer than 4 KiB. */
static void test_texts(void) {
  struct front f = ready();
  struct fs_str input = {0};
  fs_str_puts(&input, "# ");
  for (int k = 0; k < 6000; k++) fs_str_puts(&input, k % 60 ? "a" : "\n# ");
  fs_str_puts(&input, "\nf(x) = 2*x + 40;\n");
  json_t *s = run(&f, fs_str_text(&input)), *v = json_object_get(json_object_get(s, "vars"), "f");
  size_t len = json_string_length(json_object_get(v, "text"));
  const char *source = json_string_value(json_object_get(v, "source"));
  check(len > 4000 && len <= 4096, "%zu bytes of text", len);
  check(source && strlen(source) <= 4096, "a source");
  json_decref(s);
  s = run(&f, "g(x) = 2*x + 40;");
  v = json_object_get(json_object_get(s, "vars"), "g");
  source = json_string_value(json_object_get(v, "source"));
  check(source && strstr(source, "2*x + 40"), "the source is `%s`", source ? source : "");
  json_decref(s);
  fs_str_free(&input);
  end(&f);
}

static void test_many_variables(void) {
  struct front f = ready();
  struct fs_str input = {0};
  for (int k = 0; k < 510; k++) fs_str_printf(&input, "v%d = %d; ", k, k);
  json_t *s = run(&f, fs_str_text(&input)), *vars = json_object_get(s, "vars"), *v;
  int texts = 0;
  const char *name;
  json_object_foreach(vars, name, v) texts += json_object_get(v, "text") != NULL;
  check(json_object_size(vars) == 510 && texts == 500, "%d texts", texts);
  json_decref(s);
  fs_str_free(&input);
  end(&f);
}

/* Memory is told with what has changed it, and only then. */
static void test_memory(void) {
  struct front f = ready();
  json_t *s = run(&f, "x = 1:100000; y = 2*x;");
  json_t *memory = json_object_get(s, "memory");
  check(json_is_true(json_object_get(s, "changed")) &&
        json_integer_value(json_object_get(memory, "used")) >= 400000, "memory of y");
  json_decref(s);
  s = run(&f, "print(1)");
  check(json_is_false(json_object_get(s, "changed")) && !json_object_get(s, "memory"),
        "nothing has changed");
  json_decref(s);
  end(&f);
}

/* A question says whether the answer is secret; only an answer answers, and the end of the
 * input is one. */
static void test_questions(void) {
  struct front f = ready();
  begin(&f, "a = ask(\"who? \"); print(\"[\", a, \"]\")", NULL);
  json_t *q = until(&f, "event", "ask");
  check(json_is_false(json_object_get(q, "password")), "nothing secret");
  json_decref(q);
  ask(&f, request("remember"), "x");
  ask(&f, request("answer"), "me");
  json_decref(until(&f, "is", "done"));
  check(!strcmp(fs_str_text(&f.text), "[me]\n"), "the answer is `%s`", fs_str_text(&f.text));
  begin(&f, "b = ask(\"word? \", true);", NULL);
  q = until(&f, "event", "ask");
  check(json_is_true(json_object_get(q, "password")), "a secret");
  json_decref(q);
  json_t *answer = request("answer");
  json_object_set_new(answer, "end", json_true());
  ask(&f, answer, "");
  json_t *done = until(&f, "is", "done");
  check(json_integer_value(json_object_get(done, "result")) != FS_RESULT_OK, "no answer");
  json_decref(done);
  end(&f);
}

/* An input that runs once more was in the history before. */
static void test_history(void) {
  struct front f = ready();
  json_decref(run_with(&f, "x = 1234;", as_replay()));
  json_decref(run(&f, "x = 5678;"));
  json_decref(run(&f, ":history"));
  check(strstr(fs_str_text(&f.text), "5678") && !strstr(fs_str_text(&f.text), "1234"),
        "the history is `%s`", fs_str_text(&f.text));
  end(&f);
}

/* What a request may not say ends the process; what comes too early or too late, not. */
static void test_requests(void) {
  struct front f = start();
  json_t *eval = request("eval"), *again = request("start");
  int status = 0;
  ask(&f, json_incref(eval), "x = 1;");
  json_object_set_new(again, "target", json_string("cpu"));
  json_object_set_new(again, "threads", json_integer(1));
  ask(&f, json_incref(again), "");
  json_decref(until(&f, "is", "ready"));
  json_decref(run(&f, "x = 42;"));
  ask(&f, again, "");
  json_decref(run(&f, "print(x)"));
  check(!strcmp(fs_str_text(&f.text), "42\n"), "after another start `%s`", fs_str_text(&f.text));
  json_object_set_new(eval, "name_len", json_integer(7));
  ask(&f, eval, "x = 1;");
  waitpid(f.pid, &status, 0);
  check(WIFEXITED(status) && WEXITSTATUS(status) == 4, "a name beyond its frame: %d", status);
  fs_wire_free(&f.wire);
  close(f.library);
  fs_str_free(&f.text);
}

/* Names of files may have any bytes. */
static void test_files(void) {
  struct front f = ready();
  const char *folder = getenv("TMPDIR");
  struct fs_str path = {0}, input = {0}, hex = {0};
  if (!folder) folder = "/tmp";
  fs_str_printf(&path, "%s/serve-%ld-\t.csv", folder, (long)getpid());
  FILE *out = fopen(fs_str_text(&path), "w");
  if (!out) fs_oom_raise();
  fputs("1,2\n", out);
  fclose(out);
  fs_str_printf(&input, "x = load(\"%s/serve-%ld-\\t.csv\");", folder, (long)getpid());
  for (size_t k = 0; k < path.len; k++) fs_str_printf(&hex, "%02x", (unsigned char)path.data[k]);
  json_t *s = run(&f, fs_str_text(&input));
  const char *told =
      json_string_value(json_array_get(json_array_get(json_object_get(s, "files"), 0), 0));
  check(told && !strcmp(told, fs_str_text(&hex)), "the file is %s", told ? told : "none");
  json_decref(s);
  unlink(fs_str_text(&path));
  fs_str_free(&path), fs_str_free(&input), fs_str_free(&hex);
  end(&f);
}

/* Which device computes is said by a replay as well: it is news. Here a GPU's driver is found
 * (tests/fake), and gives no context. */
static void test_other_device(void) {
  char fake[4096];
  ssize_t n = readlink("/proc/self/exe", fake, sizeof fake - 20);
  check(n > 0, "this program");
  fake[FS_MAX(n, 0)] = 0;
  for (int up = 0; up < 2; up++) *strrchr(fake, '/') = 0;
  strcat(fake, "/fake");
  setenv("LD_LIBRARY_PATH", fake, 1);
  setenv("FUSIBLE_FAKE", "1", 1);
  setenv("FUSIBLE_FAKE_FAIL", "cuDevicePrimaryCtxRetain:*:2", 1);
  struct front f = start();
  json_t *o = request("start");
  json_object_set_new(o, "target", json_string("auto"));
  ask(&f, o, "");
  json_decref(until(&f, "is", "ready"));
  begin(&f, "x = [1, 2] + 1;", as_replay());
  bool said = false, done = false;
  for (json_t *head; !done && (head = next(&f)); json_decref(head)) {
    said |= is(head, "id", "no-gpu");
    done = is(head, "is", "done");
  }
  check(said && done, "which device computes");
  unsetenv("FUSIBLE_FAKE_FAIL");
  unsetenv("FUSIBLE_FAKE");
  end(&f);
}

static void test_end(void) {
  struct front f = ready();
  begin(&f, "while true; end", NULL);
  json_decref(until(&f, "is", "started"));
  end(&f);
}

int main(int argc, char **argv) {
  if (argc > 1 && !strcmp(argv[1], "--worker")) return worker(argc, argv);
  test_characters();
  test_order();
  test_rest();
  test_replay();
  test_told_when_computed();
  test_random();
  test_texts();
  test_many_variables();
  test_memory();
  test_questions();
  test_history();
  test_requests();
  test_files();
  test_other_device();
  test_end();
  printf("%d passed, %d failed\n", passed, failed);
  return failed || !passed;
}
