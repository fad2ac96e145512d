/* progress.c - see progress.h. */
#include "repl/progress.h"

#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>

#include "core/base/base.h"
#include "core/view/view.h"
#include "repl/term.h"

enum { FIRST_MS = 2000, STEP_MS = 200 };
static const double LEAST = 0.05; /* of a whole, from which the rest is told */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed;
static bool enabled, active, shown, mid_line;
static double started, done = -1, launched, expected = NAN;
static double began, first, end = NAN; /* of what is done by parts: since when and from which
                                          share on, and when it will be over */
static char what[80];

/* With the lock held. */
static void wipe(void) {
  if (!shown) return;
  fputs("\r\033[K", stderr);
  fflush(stderr);
  shown = false;
}

enum { BAR = 20 };

/* " [######----] 60 %", with blocks where the terminal has them. */
static void put_bar(char *out, size_t size, bool utf8) {
  int full = (int)(BAR * FS_MIN(done, 1.0));
  size_t at = (size_t)snprintf(out, size, utf8 ? " " : " [");
  for (int k = 0; k < BAR && at < size; k++) {
    const char *sign = utf8 ? (k < full ? "\u2588" : "\u2591")
                            : (k < full ? "#" : "-");
    at += (size_t)snprintf(out + at, size - at, "%s", sign);
  }
  if (at < size)
    snprintf(out + at, size - at, "%s %.0f %%", utf8 ? "" : "]",
             100 * FS_MIN(done, 1.0));
}

static void draw(void) {
  struct fs_look look = fs_term_look(stderr);
  char percent[4 * BAR + 16] = "", line[sizeof what + sizeof percent + 64];
  struct fs_str time = {0};
  bool known = !isnan(expected) && done < 0;
  if (done >= 0) put_bar(percent, sizeof percent, look.utf8);
  fs_plan_put_elapsed(&time, fs_now() - (known ? launched : started),
                      known ? expected : done >= 0 ? end - started : NAN);
  int len = snprintf(line, sizeof line, "%s%s %s%s", *what ? what : "running", percent,
                     look.utf8 ? "·" : "|", fs_str_text(&time));
  fs_str_free(&time);
  if (fs_utf8_width(line, (size_t)len) >= look.width) return;
  fprintf(stderr, "\r\033[K%s", line);
  fflush(stderr);
  shown = true;
}

static void wait_ms(int ms) {
  struct timespec until;
  clock_gettime(CLOCK_MONOTONIC, &until);
  until.tv_nsec += (long)(ms % 1000) * 1000000;
  until.tv_sec += ms / 1000 + until.tv_nsec / 1000000000;
  until.tv_nsec %= 1000000000;
  pthread_cond_timedwait(&changed, &lock, &until);
}

static void *watch(void *unused) {
  pthread_mutex_lock(&lock);
  for (;;) {
    if (!active) {
      pthread_cond_wait(&changed, &lock);
      continue;
    }
    int ms = (int)(1000 * (fs_now() - started));
    if (ms >= FIRST_MS && !mid_line) draw();
    wait_ms(ms < FIRST_MS ? FIRST_MS - ms : STEP_MS);
  }
  return unused;
}

void fs_progress_init(bool on) {
  pthread_t thread;
  pthread_condattr_t attributes;
  sigset_t all, old;
  if (!on) return;
  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  pthread_cond_init(&changed, &attributes);
  sigfillset(&all); /* signals are the main thread's */
  pthread_sigmask(SIG_SETMASK, &all, &old);
  enabled = pthread_create(&thread, NULL, watch, NULL) == 0;
  pthread_sigmask(SIG_SETMASK, &old, NULL);
  if (enabled) pthread_detach(thread);
}

void fs_progress_begin(void) {
  if (!enabled) return;
  pthread_mutex_lock(&lock);
  started = fs_now();
  active = true;
  mid_line = false;
  what[0] = 0;
  done = -1;
  expected = end = NAN;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&lock);
}

void fs_progress_end(void) {
  if (!enabled) return;
  pthread_mutex_lock(&lock);
  active = false;
  wipe();
  pthread_mutex_unlock(&lock);
}

void fs_progress_note(const char *text, double fraction) {
  struct fs_str safe = {0};
  if (!enabled) return;
  fs_str_put_safe(&safe, text, strlen(text));
  pthread_mutex_lock(&lock);
  bool another = strncmp(what, fs_str_text(&safe), sizeof what - 1) != 0 || fraction < done;
  double now = fs_now();
  if (another || done < 0) began = now, first = fraction, end = NAN;
  if (fraction >= first + LEAST && fraction != done)
    end = now + (1 - fraction) * (now - began) / (fraction - first);
  snprintf(what, sizeof what, "%s", fs_str_text(&safe));
  done = fraction;
  pthread_mutex_unlock(&lock);
  fs_str_free(&safe);
}

void fs_progress_expect(double seconds) {
  if (!enabled) return;
  pthread_mutex_lock(&lock);
  launched = fs_now();
  expected = seconds;
  pthread_mutex_unlock(&lock);
}

void fs_progress_write(FILE *out, const char *text, size_t len) {
  if (!len) return;
  pthread_mutex_lock(&lock);
  wipe();
  fwrite(text, 1, len, out);
  fflush(out);
  mid_line = text[len - 1] != '\n';
  pthread_mutex_unlock(&lock);
}
