/* test_deaths.c - what is said when the process of a session ends, and what comes back.
 * This program is its own worker: a real one, or, with FS_SCRIPT set, one that takes
 * inputs and answers what a session would, until an input ends it. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/worker/internal.h"
#include "tests/unit/check.h"

/* -- a worker by a script -------------------------------------------------------- */

static void say(struct fs_wire *w, const char *text) {
  json_t *head = json_loads(text, 0, NULL);
  fs_wire_put(w, head, NULL, 0);
  json_decref(head);
  if (!fs_wire_flush(w, true)) _exit(0);
}

/* Ends at an input that has this in it:
 *   deadly     always         fresh      unless it is replayed, before it begins
 *   any        at all         loud       with status 7, after it wrote to both streams
 *   odd        unless it is replayed: it says what makes no sense
 *   deaf       unless it is replayed: it does not end, nor by an interrupt
 *   again      unless it is replayed: it says a second time that it is ready
 * With these it does not end: "tells" says of a replay what was chosen in it, "fails" that
 * it ended with an error, and "stalls" waits in the replay of one that has this in it. */
static volatile sig_atomic_t stopped;
static void on_stop(int number) { stopped = number; }

static void take(struct fs_wire *w, const char *script, const struct fs_frame *f) {
  const char *what = json_string_value(json_object_get(f->head, "do"));
  bool replay = json_is_true(json_object_get(f->head, "replay"));
  if (what && !strcmp(what, "start")) say(w, "{\"is\":\"ready\",\"state\":{}}");
  if (!what || strcmp(what, "eval")) return;
  if (!strcmp(script, "any")) _exit(4);
  if (!strcmp(script, "fresh") && !replay) raise(SIGSEGV);
  if (!strcmp(script, "deaf") && !replay) signal(SIGINT, SIG_IGN);
  if (!strcmp(script, "odd") && !replay) say(w, "{\"x\":1}");
  if (!strcmp(script, "again") && !replay) say(w, "{\"is\":\"ready\",\"state\":{}}");
  say(w, "{\"is\":\"started\"}");
  if (!strcmp(script, "deaf") && !replay) return;
  if (!strcmp(script, "deadly") && memmem(f->blob, f->len, "deadly", 6)) _exit(1);
  if (!strcmp(script, "loud")) {
    if (write(1, "left", 4) != 4 || write(2, "behind", 6) != 6) _exit(1);
    _exit(7);
  }
  bool stalls = replay && !strcmp(script, "stalls") && memmem(f->blob, f->len, "stalls", 6);
  while (stalls && !stopped) usleep(1000);
  if (stalls || (replay && !strcmp(script, "fails"))) {
    char text[100];
    snprintf(text, sizeof text, "{\"is\":\"done\",\"result\":%d,\"state\":{}}",
             stalls ? FS_RESULT_INTERRUPTED : FS_RESULT_ERROR);
    say(w, text);
  } else if (replay && !strcmp(script, "tells"))
    say(w, "{\"is\":\"done\",\"result\":0,\"state\":{\"pins\":[1],\"random\":[7,8]}}");
  else say(w, "{\"is\":\"done\",\"result\":0,\"state\":{},\"event\":{\"event\":\"done\","
         "\"status\":\"ok\",\"seconds\":0}}");
}

static int scripted(const char *script) {
  signal(SIGINT, on_stop);
  struct fs_wire w = {.fd = FS_WORKER_SOCKET};
  struct fs_frame f;
  while (fs_wire_fill(&w)) {
    while (fs_wire_next(&w, &f) == FS_WIRE_FRAME) {
      take(&w, script, &f);
      json_decref(f.head);
    }
    usleep(1000);
  }
  return 0;
}

/* -- a front --------------------------------------------------------------------- */

struct seen {
  int done, deaths, rebuilt, asked, inputs;
  bool answer;              /* to whether to replay                      */
  struct fs_str died, note; /* what was said last of either              */
  struct fs_str out, err;   /* texts, by stream                          */
};

static void on_event(void *user, const json_t *event) {
  struct seen *s = user;
  const char *kind = json_string_value(json_object_get(event, "event"));
  const char *id = json_string_value(json_object_get(event, "id"));
  const char *text = json_string_value(json_object_get(event, "text"));
  const char *stream = json_string_value(json_object_get(event, "stream"));
  const char *message = json_string_value(json_object_get(event, "message"));
  s->done += kind && !strcmp(kind, "done");
  s->asked += kind && !strcmp(kind, "ask");
  if (id && !strcmp(id, "worker-died")) {
    s->deaths++;
    fs_str_clear(&s->died);
    fs_str_puts(&s->died, message);
  }
  if (id && !strcmp(id, "rebuilt")) {
    s->rebuilt++;
    fs_str_clear(&s->note);
    fs_str_puts(&s->note, message);
  }
  if (text) fs_str_puts(stream && !strcmp(stream, "stderr") ? &s->err : &s->out, text);
}

static bool ask_rebuild(void *user, int inputs, double seconds) {
  struct seen *s = user;
  s->inputs = seconds >= 0 ? inputs : -1;
  return s->answer;
}

static struct fs_worker *start(struct seen *seen) {
  const char *error = NULL;
  struct fs_worker_config config = {.target = "cpu", .threads = 1, .on_event = on_event,
                                    .user = seen, .ask_rebuild = ask_rebuild};
  struct fs_worker *w = fs_worker_new(&config, &error);
  check(w != NULL, "no worker: %s", error);
  return w;
}

static enum fs_result run(struct fs_worker *w, const char *text) {
  return fs_worker_run(w, "<test>", text, strlen(text), FS_EVAL_BLOCK);
}

static const char *shown(struct fs_worker *w, struct seen *s, const char *text) {
  fs_str_clear(&s->out);
  run(w, text);
  return fs_str_text(&s->out);
}

static void pump_until(struct fs_worker *w, const int *count, int wanted) {
  double end = fs_now() + 600; /* it hangs */
  while (*count < wanted && fs_now() < end) fs_worker_pump(w, 100);
  while (fs_worker_busy(w) && fs_now() < end) fs_worker_pump(w, 100);
  check(*count >= wanted, "%d of %d in time", *count, wanted);
}

/* The session's process ends between two inputs, and another one is there. */
static const char *killed(struct fs_worker *w, struct seen *s) {
  int wanted = s->rebuilt + 1;
  kill(fs_worker_pid(w), SIGKILL);
  pump_until(w, &s->rebuilt, wanted);
  return fs_str_text(&s->note);
}

static void end(struct fs_worker *w, struct seen *s) {
  fs_worker_free(w);
  unsetenv("FS_SCRIPT");
  check(waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD, "a process is left");
  fs_str_free(&s->died), fs_str_free(&s->note);
  fs_str_free(&s->out), fs_str_free(&s->err);
}

static void has(const char *text, const char *words) {
  check(strstr(text, words) != NULL, "`%s` has no `%s`", text, words);
}

static char state_of(int pid) {
  char path[64], text[256] = "";
  snprintf(path, sizeof path, "/proc/%d/stat", pid);
  FILE *f = fopen(path, "r");
  if (f && !fgets(text, sizeof text, f)) *text = 0;
  if (f) fclose(f);
  const char *end = strrchr(text, ')');
  return end ? end[2] : 0;
}

/* Seconds that a process has used of the processors. */
static double computed(int pid) {
  char path[64], text[512] = "";
  long user = 0, system = 0;
  snprintf(path, sizeof path, "/proc/%d/stat", pid);
  FILE *f = fopen(path, "r");
  if (f && !fgets(text, sizeof text, f)) *text = 0;
  if (f) fclose(f);
  const char *end = strrchr(text, ')');
  if (end) sscanf(end, ") %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %ld %ld", &user, &system);
  return (double)(user + system) / (double)sysconf(_SC_CLK_TCK);
}

/* Gives an input that computes for ever; it has begun to. */
static void begin(struct fs_worker *w, const char *text) {
  fs_worker_eval(w, "<loop>", text, strlen(text), 0);
  double enough = computed(fs_worker_pid(w)) + 0.3, hangs = fs_now() + 600;
  while (computed(fs_worker_pid(w)) < enough && fs_now() < hangs) fs_worker_pump(w, 10);
}

/* -- words ------------------------------------------------------------------------ */

static void test_words(void) {
  struct seen s = {0};
  struct fs_worker *w = start(&s);
  run(w, "x = 1");
  has(killed(w, &s), "1 input was replayed in ");
  has(fs_str_text(&s.note), "the variables are as before");
  check(!strcmp(fs_str_text(&s.died), "the session's process was ended by SIGKILL; another "
                                      "one takes its place"), "%s", fs_str_text(&s.died));
  run(w, "y = 2");
  begin(w, "while true; end");
  check(!fs_worker_eval(w, "<other>", "1", 1, 0), "a second input");
  check(fs_worker_define(w, "z", "1") == FS_RESULT_ERROR, "nor a value");
  check(!fs_worker_answer(w, "yes"), "an answer that nobody asked for");
  kill(fs_worker_pid(w), SIGABRT); /* which sanitizers leave alone */
  pump_until(w, &s.rebuilt, 2);
  has(fs_str_text(&s.died), "SIGABRT while it ran <loop>");
  has(fs_str_text(&s.note), "2 inputs were replayed in ");
  check(fs_worker_result(w) == FS_RESULT_ENVIRONMENT, "the input is lost");
  check(!strcmp(shown(w, &s, "print(x + y)"), "3\n"), "%s", fs_str_text(&s.out));
  end(w, &s);
}

/* An input that was interrupted in the middle is not replayed; of its names eight are told. */
static void test_names(void) {
  struct seen s = {0};
  struct fs_worker *w = start(&s);
  static const char loop[] = "a=1; b=1; c=1; d=1; e=1; f=1; g=1; h=1; i=1; while true; end";
  begin(w, loop);
  fs_worker_interrupt(w);
  while (fs_worker_pump(w, 100)) {}
  check(fs_worker_result(w) == FS_RESULT_INTERRUPTED, "interrupted");
  run(w, "k = a + 1");
  run(w, "a = 7");
  run(w, "l = a");
  has(killed(w, &s), " and 1 more (<loop> was interrupted)");
  has(fs_str_text(&s.note), "k (<test> ");
  check(!strstr(fs_str_text(&s.note), ", a (<test>") &&
            !strstr(fs_str_text(&s.note), "l (<test>"), "%s", fs_str_text(&s.note));
  check(!strcmp(shown(w, &s, "print(l)"), "7\n"), "%s", fs_str_text(&s.out));
  end(w, &s);
}

static void test_settings(void) {
  struct seen s = {0};
  struct fs_worker *w = start(&s);
  run(w, ":set width 55");
  killed(w, &s);
  has(fs_str_text(&s.note), "no input was to be replayed");
  run(w, "x = 1");
  run(w, ":set rebuild ask");
  s.answer = true;
  has(killed(w, &s), "1 input was replayed");
  check(s.inputs == 1, "%d inputs are asked about", s.inputs);
  s.answer = false;
  has(killed(w, &s), "not as before: all variables (:set rebuild ask)");
  check(run(w, "x") == FS_RESULT_ERROR, "x is gone");
  check(!strcmp(fs_session_setting(fs_worker_session(w), "width"), "55"), "the width stays");
  s.inputs = -2;
  killed(w, &s);
  check(s.inputs == -2, "without inputs nothing is asked");
  run(w, ":set rebuild off");
  run(w, "x = 1");
  has(killed(w, &s), "all variables (:set rebuild off)");
  json_t *list = fs_session_variables(fs_worker_session(w));
  check(json_array_size(list) == 0, "names of the last process");
  json_decref(list);
  end(w, &s);
}

/* -- what an input takes from outside ---------------------------------------------- */

static void test_answers(void) {
  struct seen s = {0};
  struct fs_worker *w = start(&s);
  static const char question[] = "a = ask(\"? \"); b = rand(1); t = time();";
  for (int round = 0; round < 2; round++) {
    int wanted = s.asked + 1;
    fs_worker_eval(w, "<ask>", question, sizeof question - 1, 0);
    while (s.asked < wanted && fs_worker_busy(w)) fs_worker_pump(w, 100);
    check(fs_worker_answer(w, round ? NULL : "Ada"), "an answer");
    check(!fs_worker_answer(w, "Eve"), "another one");
    while (fs_worker_pump(w, 100)) {}
    if (round) break;
    char *before = fs_strdup(shown(w, &s, "print(a, b, t)"));
    has(before, "Ada");
    has(killed(w, &s), "as before");
    check(!strcmp(shown(w, &s, "print(a, b, t)"), before), "%s, then %s", before,
          fs_str_text(&s.out));
    free(before);
  }
  check(fs_worker_result(w) != FS_RESULT_OK, "the end of the input is no text");
  run(w, "u = 0; for k = 1:5000; u = time(); end");
  has(killed(w, &s), "depends on the time");
  end(w, &s);
}

/* Random numbers of the next input are those that would have come. */
static void test_random(void) {
  struct seen s = {0}, other = {0};
  struct fs_worker *w = start(&s), *o = start(&other);
  run(w, "seed(3); a = rand(2);"), run(o, "seed(3); a = rand(2);");
  static const char loop[] = "u = rand(5); while true; end";
  begin(w, loop); /* which is not replayed */
  fs_worker_interrupt(w);
  while (fs_worker_pump(w, 100)) {}
  run(o, "u = rand(5)");
  run(w, "b = rand(3);"), run(o, "b = rand(3);");
  killed(w, &s);
  char *here = fs_strdup(shown(w, &s, "c = rand(2); print(a, b, c)"));
  check(!strcmp(here, shown(o, &other, "c = rand(2); print(a, b, c)")), "%s not %s", here,
        fs_str_text(&other.out));
  free(here);
  fs_worker_free(o);
  end(w, &s);
  fs_str_free(&other.out);
}

static void test_history(void) {
  struct seen s = {0};
  struct fs_worker *w = start(&s);
  char line[32];
  for (int k = 0; k < 1005; k++) {
    snprintf(line, sizeof line, "h = %d;", k);
    run(w, line);
  }
  check(w->journal.list.len < 700, "%d inputs are kept", w->journal.list.len);
  check(w->history.len == 1000, "the front keeps %d", w->history.len);
  killed(w, &s);
  const char *history = shown(w, &s, ":history 5000");
  check(!strstr(history, "h = 4;") && strstr(history, "h = 10;"), "the last thousand");
  int own = 0;
  for (const char *at = history; (at = strstr(at, ":history 5000")) != NULL; at++) own++;
  check(own <= 1, "an input is there %d times", own);
  check(!strcmp(shown(w, &s, "print(h)"), "1004\n"), "the last of them");
  end(w, &s);
}

/* Which statements share kernels is kept; a front sees what makes no sense. */
static void test_pins(void) {
  struct seen s = {0};
  struct fs_worker *w = start(&s);
  run(w, "q = 1; s = 2; t = 3;");
  run(w, ":fuse q s");
  run(w, ":split q t");
  has(killed(w, &s), "3 inputs were replayed");
  const char *pins = shown(w, &s, ":fuse");
  has(pins, ":fuse q s");
  has(pins, ":split q t");
  setenv("FS_SCRIPT", "odd", 1);
  killed(w, &s);
  check(run(w, "x = 1") == FS_RESULT_ENVIRONMENT, "lost");
  has(fs_str_text(&s.died), "sent what makes no sense");
  end(w, &s);
}

/* One that says twice that it is ready, as no session does. */
static void test_ready_again(void) {
  struct seen s = {0};
  struct fs_worker *w = start(&s);
  setenv("FS_SCRIPT", "again", 1);
  killed(w, &s);
  check(run(w, "x = 1") == FS_RESULT_ENVIRONMENT, "lost");
  has(fs_str_text(&s.died), "sent what makes no sense");
  end(w, &s);
}

/* The next input comes before it is known that the process has ended: of both the new
 * process has it once. */
static void test_history_of_the_next(void) {
  struct seen s = {0};
  struct fs_worker *w = start(&s);
  run(w, "first = 1;");
  pid_t pid = fs_worker_pid(w);
  kill(pid, SIGKILL);
  while (state_of(pid) != 'Z') usleep(1000);
  run(w, "second = 2;");
  const char *history = shown(w, &s, ":history 50");
  has(history, "first = 1;");
  const char *second = strstr(history, "second = 2;");
  check(second && !strstr(second + 1, "second = 2;"), "not once: %s", history);
  check(s.deaths == 1, "%d deaths", s.deaths);
  end(w, &s);
}

/* Who does not want to wait for variables has settings all the same. */
static void test_interrupted_rebuilding(void) {
  struct seen s = {0};
  struct fs_worker *w = start(&s);
  run(w, "first = 1"), run(w, "stalls = 2"), run(w, "y = 3"), run(w, ":set width 61");
  setenv("FS_SCRIPT", "stalls", 1);
  kill(fs_worker_pid(w), SIGKILL);
  double hangs = fs_now() + 600;
  while ((w->phase != FS_WORKER_REPLAYING || w->rebuild.next < 1) && fs_now() < hangs)
    fs_worker_pump(w, 10);
  fs_worker_interrupt(w);
  pump_until(w, &s.rebuilt, 1);
  has(fs_str_text(&s.note), "1 input was replayed");
  has(fs_str_text(&s.note), "stalls (<test> was interrupted), 1 more input");
  check(w->journal.list.len == 2 && w->journal.list.data[1]->settings, "%d inputs are kept",
        w->journal.list.len);
  end(w, &s);
}

/* What came of an input is not what came of it before. */
static void test_ended_otherwise(void) {
  struct seen s = {0};
  struct fs_worker *w = start(&s);
  run(w, "x = 1");
  setenv("FS_SCRIPT", "fails", 1);
  has(killed(w, &s), "not as before: x (<test> ended otherwise than before)");
  end(w, &s);
}

/* Once a name is not as before, neither is what an input makes that may read anything. */
static void test_opaque(void) {
  struct seen s = {0};
  struct fs_worker *w = start(&s);
  static const char loop[] = "a = 1; while true; end";
  begin(w, loop);
  fs_worker_interrupt(w);
  while (fs_worker_pump(w, 100)) {}
  run(w, "b = 2; nothing_there"); /* it ended in the middle: where is not known */
  has(killed(w, &s), "b (<test> may depend on those)");
  end(w, &s);
}

/* A :reset takes names away, and what made them. */
static void test_reset(void) {
  struct seen s = {0};
  struct fs_worker *w = start(&s);
  run(w, "x = 1");
  run(w, "y = 2");
  run(w, ":reset"); /* not without -f */
  has(killed(w, &s), "2 inputs were replayed");
  check(!strcmp(shown(w, &s, "print(x + y)"), "3\n"), "%s", fs_str_text(&s.out));
  run(w, ":reset -f");
  run(w, "z = 3");
  has(killed(w, &s), "2 inputs were replayed");
  json_t *list = fs_session_variables(fs_worker_session(w));
  check(json_array_size(list) == 1, "%zu names", json_array_size(list));
  json_decref(list);
  run(w, ":reset -f\nv = z0 = 5");
  run(w, ":reset -f\nv = 5");
  killed(w, &s);
  check(!strcmp(shown(w, &s, "print(v)"), "5\n"), "%s", fs_str_text(&s.out));
  end(w, &s);
}

/* An interrupt reaches the process at once, also while its front does something else. */
static void test_interrupt(void) {
  struct seen s = {0};
  struct fs_worker *w = start(&s);
  begin(w, "while true; end");
  fs_worker_interrupt(w);
  double end_at = fs_now() + 600;
  while (state_of(fs_worker_pid(w)) != 'S' && fs_now() < end_at) usleep(1000);
  check(state_of(fs_worker_pid(w)) == 'S', "it still runs");
  while (fs_worker_pump(w, 100)) {}
  check(fs_worker_result(w) == FS_RESULT_INTERRUPTED && !s.deaths, "interrupted");
  end(w, &s);
}

static void test_deaf(void) {
  struct seen s = {0};
  struct fs_worker *w = start(&s);
  run(w, "x = 1");
  setenv("FS_SCRIPT", "deaf", 1);
  killed(w, &s);
  fs_worker_eval(w, "<deaf>", "y = 2", 5, 0);
  for (int k = 0; k < 20; k++) fs_worker_pump(w, 10);
  fs_worker_interrupt(w);
  pump_until(w, &s.rebuilt, 2);
  has(fs_str_text(&s.died), "the session's process did not stop within 2 s while it ran <deaf>");
  end(w, &s);
}

/* -- processes that end again and again ------------------------------------------- */

static void test_deadly(void) {
  struct seen s = {0};
  struct fs_worker *w = start(&s);
  run(w, "x = 1"), run(w, "deadly = 2"), run(w, "y = 3");
  setenv("FS_SCRIPT", "deadly", 1);
  has(killed(w, &s), "2 inputs were replayed");
  has(fs_str_text(&s.note), "not as before: deadly (<test> does not end in this process)");
  check(s.deaths == 2, "%d deaths", s.deaths);
  has(fs_str_text(&s.died), "ended with status 1");
  end(w, &s);
}

/* A rebuilding whose every input ends the process gives up the rest. */
static void test_all_deadly(void) {
  struct seen s = {0};
  struct fs_worker *w = start(&s);
  for (int k = 0; k < 10; k++) run(w, "deadly = 1");
  setenv("FS_SCRIPT", "deadly", 1);
  has(killed(w, &s), "6 more inputs");
  check(s.deaths == 5, "%d deaths", s.deaths);
  end(w, &s);
}

/* What a process chose when it ran inputs once more is not what the user chose. */
static void test_told_again(void) {
  struct seen s = {0};
  struct fs_worker *w = start(&s);
  run(w, "x = rand(1)");
  json_t *random = json_deep_copy(w->random);
  setenv("FS_SCRIPT", "tells", 1);
  killed(w, &s);
  check(!w->pins && json_equal(w->random, random), "as before");
  json_decref(random);
  end(w, &s);
}

/* An input that no process begins is given up, though each served the replay. */
static void test_never_begun(void) {
  struct seen s = {0};
  struct fs_worker *w = start(&s);
  run(w, "x = 1");
  setenv("FS_SCRIPT", "fresh", 1);
  killed(w, &s);
  check(run(w, "y = 2") == FS_RESULT_ENVIRONMENT && s.deaths == 4, "%d deaths", s.deaths);
  unsetenv("FS_SCRIPT");
  killed(w, &s);
  check(run(w, "y = 2") == FS_RESULT_OK, "the next one");
  end(w, &s);
}

/* Processes that end before they did anything: the input fails, and the next one tries
 * again. */
static void test_in_vain(void) {
  struct seen s = {0};
  setenv("FS_SCRIPT", "any", 1);
  struct fs_worker *w = start(&s);
  check(run(w, "x = 1") == FS_RESULT_ENVIRONMENT && s.deaths == 3, "%d deaths", s.deaths);
  has(fs_str_text(&s.died), "the host has no memory left for it, or it has a defect");
  unsetenv("FS_SCRIPT");
  check(run(w, "x = 1") == FS_RESULT_OK, "later");
  end(w, &s);
}

static void test_leftovers(void) {
  struct seen s = {0};
  setenv("FS_SCRIPT", "loud", 1);
  struct fs_worker *w = start(&s);
  check(run(w, "x = 1") == FS_RESULT_ENVIRONMENT && s.done == 1, "it ends once");
  check(!strcmp(fs_str_text(&s.out), "left") && !strcmp(fs_str_text(&s.err), "behind"),
        "`%s` and `%s`", fs_str_text(&s.out), fs_str_text(&s.err));
  has(fs_str_text(&s.died), "ended with status 7 while it ran <test>");
  end(w, &s);
}

int main(int argc, char **argv) {
  const char *script = getenv("FS_SCRIPT");
  if (argc > 1 && !strcmp(argv[1], "--worker"))
    return script ? scripted(script) : fs_worker_main(argc, argv);
  test_words();
  test_names();
  test_settings();
  test_answers();
  test_random();
  test_history();
  test_interrupt();
  test_deaf();
  test_pins();
  test_ready_again();
  test_history_of_the_next();
  test_interrupted_rebuilding();
  test_ended_otherwise();
  test_opaque();
  test_reset();
  test_deadly();
  test_all_deadly();
  test_told_again();
  test_never_begun();
  test_in_vain();
  test_leftovers();
  printf("%d passed, %d failed\n", passed, failed);
  return failed || !passed;
}
