/* term.c - see term.h. Signal handlers do only what is async-signal-safe; at
 * the prompt they wake fs_term_wait() through a pipe, since any thread of the
 * session may be the one that runs the handler. */
#include "repl/term.h"

#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <limits.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "repl/keys.h"

static const struct fs_options *options;
static bool utf8;
static bool have_saved;
static struct termios saved; /* as it was at the start */
static int wake[2] = {-1, -1};

static volatile sig_atomic_t input = FS_TERM_LINES;
static volatile sig_atomic_t mode = FS_TERM_IDLE;
static volatile sig_atomic_t presses; /* Ctrl-C during this input */
static volatile sig_atomic_t got_interrupt, got_resize, got_stop;
static struct fs_session *volatile session;
static struct fs_worker *volatile worker;

/* -- what is typed --------------------------------------------------------- */

/* Async-signal-safe. */
static bool apply(int way) {
  struct termios now = saved;
  if (!have_saved) return false;
  if (way == FS_TERM_KEYS || way == FS_TERM_UNSEEN) {
    now.c_lflag &= ~(tcflag_t)ICANON;
    now.c_cc[VMIN] = now.c_cc[VTIME] = 0;
  }
  if (way == FS_TERM_SECRET || way == FS_TERM_UNSEEN)
    now.c_lflag &= ~(tcflag_t)ECHO;
  return !tcsetattr(STDIN_FILENO, TCSANOW, &now);
}

bool fs_term_set_input(enum fs_term_input way) {
  if (way == FS_TERM_LINES && input == FS_TERM_LINES) return have_saved;
  input = (sig_atomic_t)way; /* first: a stop in between takes it up again */
  return apply(way);
}

enum fs_term_input fs_term_input(void) { return (enum fs_term_input)input; }

void fs_term_never_wait(void) {
  struct termios now;
  if (tcgetattr(STDIN_FILENO, &now)) return;
  now.c_cc[VMIN] = now.c_cc[VTIME] = 0;
  tcsetattr(STDIN_FILENO, TCSANOW, &now);
}

bool fs_term_in_front(void) { return tcgetpgrp(STDIN_FILENO) == getpgrp(); }

enum fs_term_edit fs_term_edit(char c) {
  cc_t key = (cc_t)c;
  if (have_saved && c == '\r' && saved.c_iflag & ICRNL) return FS_TERM_ENTER;
  if (c == '\n') return FS_TERM_ENTER;
  if (!have_saved || key == _POSIX_VDISABLE) return FS_TERM_TEXT;
  if (key == saved.c_cc[VEOF]) return FS_TERM_END;
  if (key == saved.c_cc[VKILL]) return FS_TERM_KILL;
  return key == saved.c_cc[VERASE] ? FS_TERM_ERASE : FS_TERM_TEXT;
}

/* -- signals --------------------------------------------------------------- */

static void say(const char *text, size_t len) {
  ssize_t unused = write(STDERR_FILENO, text, len);
  (void)unused;
}

/* Async-signal-safe. Line editing and bracketed paste are on at the prompt
 * only, but a crash may come anywhere. */
static void restore(void) {
  static const char paste_off[] = "\033[?2004l";
  if (!have_saved) return;
  signal(SIGTTOU, SIG_IGN);
  apply(FS_TERM_LINES);
  if (mode == FS_TERM_PROMPT && isatty(STDERR_FILENO))
    say(paste_off, sizeof paste_off - 1);
}

static void leave(void) {
  restore();
  _exit(130);
}

static void on_interrupt_while_running(void) {
  static const char again[] =
      "\nstill stopping; Ctrl-C once more leaves at once, without saving\n";
  struct fs_session *s = session;
  struct fs_worker *w = worker;
  if (w) fs_worker_interrupt(w);
  else if (s) fs_session_interrupt(s);
  presses = presses + 1;
  if (presses == 2) say(again, sizeof again - 1);
  if (presses > 2) leave();
}

/* Leaves the terminal as it was to who has it meanwhile. From the background it is
 * not touched: that would stop a job again that goes on there. */
static void stop_now(void) {
  struct sigaction stop = {.sa_handler = SIG_DFL}, old;
  sigset_t set, before; /* in a handler it is blocked, and would come only after it */
  bool changed = input != FS_TERM_LINES;
  if (changed && fs_term_in_front()) apply(FS_TERM_LINES);
  sigaction(SIGTSTP, &stop, &old);
  sigemptyset(&set);
  sigaddset(&set, SIGTSTP);
  raise(SIGTSTP);
  sigprocmask(SIG_UNBLOCK, &set, &before);
  sigprocmask(SIG_SETMASK, &before, NULL);
  sigaction(SIGTSTP, &old, NULL);
  if (changed && fs_term_in_front()) apply(input);
}

/* The worker has a session of its own, where the key does not reach it. */
static void stop_with_worker(void) {
  struct fs_worker *w = worker;
  if (w) fs_worker_pause(w, true);
  stop_now();
  if (w) fs_worker_pause(w, false);
}

static void on_signal(int number) {
  int error = errno;
  switch (number) {
    case SIGWINCH: got_resize = 1; break;
    case SIGTSTP:
      if (mode == FS_TERM_PROMPT) got_stop = 1;
      else stop_with_worker();
      break;
    default:
      if (mode == FS_TERM_RUN) on_interrupt_while_running();
      else if (mode == FS_TERM_IDLE) leave();
      else if (mode == FS_TERM_PROMPT) got_interrupt = 1;
  }
  if (mode == FS_TERM_PROMPT) {
    ssize_t unused = write(wake[1], "", 1);
    (void)unused;
  }
  errno = error;
}

/* For signals that end the process: restore, then let the default act. */
static void on_death(int number) {
  restore();
  signal(number, SIG_DFL);
  raise(number);
}

static void handle(int number, void (*handler)(int), int flags) {
  struct sigaction action = {.sa_handler = handler, .sa_flags = flags};
  sigemptyset(&action.sa_mask);
  sigaction(number, &action, NULL);
}

static void install_handlers(void) {
  static const int deadly[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT,
                               SIGTERM, SIGHUP, SIGQUIT};
  static char stack[16384]; /* a handler for an overflown stack needs its own */
  stack_t alternative = {.ss_sp = stack, .ss_size = sizeof stack};
  sigaltstack(&alternative, NULL);
  for (size_t i = 0; i < FS_LEN(deadly); i++)
    handle(deadly[i], on_death, SA_ONSTACK | SA_NODEFER);
  handle(SIGXFSZ, SIG_IGN, 0); /* past the limit of a file's size, write() says so */
  handle(SIGINT, on_signal, SA_RESTART);
  handle(SIGWINCH, on_signal, SA_RESTART);
}

void fs_term_init(const struct fs_options *o) {
  options = o;
  setlocale(LC_CTYPE, ""); /* not LC_NUMERIC: numbers have a point */
  utf8 = !strcmp(nl_langinfo(CODESET), "UTF-8");
  have_saved = tcgetattr(STDIN_FILENO, &saved) == 0;
  if (pipe2(wake, O_CLOEXEC | O_NONBLOCK)) wake[0] = wake[1] = -1;
  install_handlers();
}

enum fs_term_mode fs_term_set_mode(enum fs_term_mode new_mode,
                                   const struct fs_term_job *job) {
  enum fs_term_mode old = (enum fs_term_mode)mode;
  if (presses) fs_keys_drop();
  presses = 0;
  session = job ? job->session : NULL;
  worker = job ? job->worker : NULL;
  if (new_mode == FS_TERM_PROMPT) got_interrupt = 0;
  mode = new_mode;
  if (have_saved)
    handle(SIGTSTP, new_mode == FS_TERM_PAGER ? SIG_DFL : on_signal, SA_RESTART);
  return old;
}

enum fs_term_mode fs_term_begin_question(void) {
  enum fs_term_mode old = (enum fs_term_mode)mode;
  got_interrupt = 0;
  mode = FS_TERM_PROMPT; /* first: no Ctrl-C falls between the two ways to count it */
  if (presses) got_interrupt = 1;
  return old;
}

/* Takes one flag; the order makes Ctrl-C win. */
static bool take(volatile sig_atomic_t *flag) {
  bool was = *flag != 0;
  *flag = 0;
  return was;
}

static bool comes_by_key(void) {
  return input == FS_TERM_KEYS || input == FS_TERM_UNSEEN;
}

enum fs_term_event fs_term_wait(void) {
  struct pollfd fds[2] = {{.fd = STDIN_FILENO, .events = POLLIN},
                          {.fd = wake[0], .events = POLLIN}};
  char drain[64];
  for (;;) {
    if (take(&got_interrupt)) {
      fs_keys_drop();
      return FS_TERM_INTERRUPT;
    }
    if (take(&got_stop)) return FS_TERM_STOP;
    if (take(&got_resize)) return FS_TERM_RESIZE;
    if (fs_keys_waiting()) return FS_TERM_KEY;
    fds[0].revents = fds[1].revents = 0;
    int ready = poll(fds, 2, fs_keys_patience());
    if (ready < 0 && errno != EINTR) return FS_TERM_KEY;
    if (ready == 0) fs_keys_release();
    if (fds[1].revents)
      while (read(wake[0], drain, sizeof drain) > 0) continue;
    else if (fds[0].revents && (fs_keys_awaited() || comes_by_key()))
      fs_keys_fetch(); /* it may be an answer, which is no key, or gone by now */
    else if (fds[0].revents)
      return FS_TERM_KEY;
  }
}

void fs_term_stop(void) { stop_now(); }

/* -- looks ----------------------------------------------------------------- */

static bool set_and_not_empty(const char *variable) {
  const char *value = getenv(variable);
  return value && *value;
}

static bool forced(const char *variable) {
  return set_and_not_empty(variable) && strcmp(getenv(variable), "0");
}

static bool wants_color(FILE *stream) {
  const char *term = getenv("TERM");
  if (options && options->color != FS_COLOR_AUTO)
    return options->color == FS_COLOR_ALWAYS;
  if (set_and_not_empty("NO_COLOR")) return false;
  if (forced("CLICOLOR_FORCE") || forced("FORCE_COLOR")) return true;
  return isatty(fileno(stream)) && term && *term && strcmp(term, "dumb");
}

static bool window(FILE *stream, struct winsize *size) {
  return !ioctl(fileno(stream), TIOCGWINSZ, size) && size->ws_col > 0;
}

struct fs_look fs_term_look(FILE *stream) {
  struct winsize size;
  struct fs_look look = {.width = 100, .color = wants_color(stream),
                         .utf8 = utf8};
  const char *columns = getenv("COLUMNS");
  if (window(stream, &size)) look.width = size.ws_col;
  else if (columns && atol(columns) > 0)
    look.width = (int)FS_MIN(atol(columns), 1000);
  return look;
}

int fs_term_rows(void) {
  struct winsize size;
  return window(stdout, &size) && size.ws_row > 0 ? size.ws_row : 24;
}

/* -- running text ---------------------------------------------------------- */

static size_t indent_of(const char *line) { return strspn(line, " "); }

/* Where the last column of a table's line begins, at most at `most`; 0: no table. */
static int column_of(const char *line, size_t len, int most) {
  int column = 0;
  for (size_t at = indent_of(line); at < len; at++) {
    if (line[at] != ' ' || at + 1 >= len || line[at + 1] != ' ') continue;
    while (at < len && line[at] == ' ') at++;
    int here = fs_utf8_width(line, at);
    if (at < len && here <= most) column = here;
  }
  return column;
}

/* The bytes of a colour that begins here; 0: none does. */
static size_t colour_at(const char *text, size_t len) {
  if (len < 2 || text[0] != '\033' || text[1] != '[') return 0;
  size_t n = 2 + strspn(text + 2, "0123456789;");
  return n < len ? n + 1 : len;
}

/* Whether the blank stands between a number and its unit: "14.1 µs", "25 %". */
static bool is_before_unit(const char *text, size_t at, size_t len) {
  size_t n = 0;
  if (!at || text[at - 1] < '0' || text[at - 1] > '9') return false;
  while (at + 1 + n < len && text[at + 1 + n] != ' ') n++;
  return n && fs_utf8_width(text + at + 1, n) <= 3;
}

/* The bytes of a line up to the last blank in reach, if there is one in its second half to one
 * before a dot, or all that fit of one word. */
static size_t break_line(const char *text, size_t len, int width) {
  size_t at = 0, blank = 0, dot = 0;
  for (int used = 0; at < len;) {
    uint32_t code;
    size_t n = colour_at(text + at, len - at);
    if (!n) {
      n = (size_t)FS_MAX(fs_utf8_decode(text + at, len - at, &code), 1);
      int wide = fs_utf8_width(text + at, n);
      if (used + wide > width) break;
      used += wide;
    }
    at += n;
    if (at < len && text[at] == ' ' && !is_before_unit(text, at, len)) blank = at;
    if (blank == at && !strncmp(text + at, " \u00b7 ", 4)) dot = at;
  }
  if (at >= len) return len;
  if (dot > at / 2) blank = dot;
  size_t n = indent_of(text) < blank ? blank : FS_MAX(at, 1);
  while (n > 1 && text[n - 1] == ' ') n--;
  return n;
}

static void put_paragraph(const char *text, size_t len, int width, int hang,
                          struct fs_str *out) {
  for (bool first = true; len; first = false) {
    size_t n = break_line(text, len, first ? width : width - hang);
    if (!first) fs_str_printf(out, "\n%*s", hang, "");
    fs_str_put(out, text, n);
    while (n < len && text[n] == ' ') n++;
    text += n;
    len -= n;
  }
}

/* A table's line whose last column begins too far right: that is a paragraph below the others. */
static void put_far_column(const char *line, size_t len, int far, int width, struct fs_str *out) {
  enum { INDENT = 6 };
  struct fs_str below = {0};
  size_t at = fs_utf8_fitting(line, len, far), left = at;
  while (left && line[left - 1] == ' ') left--;
  if (left) put_paragraph(line, left, width, (int)indent_of(line) + 2, out);
  fs_str_printf(&below, "%*s%.*s", INDENT, "", (int)(len - at), line + at);
  fs_str_puts(out, left ? "\n" : "");
  put_paragraph(fs_str_text(&below), below.len, width, INDENT, out);
  fs_str_free(&below);
}

/* In prose, what is left of a line goes on with the next one of the same paragraph. */
static void wrap(const char *text, int width, bool prose, struct fs_str *out) {
  struct fs_str line = {0};
  while (*text) {
    size_t len = strcspn(text, "\n");
    fs_str_clear(&line);
    fs_str_put(&line, text, len);
    text += len;
    int column = column_of(fs_str_text(&line), line.len, prose ? width / 2 : width * 2 / 5);
    size_t indent = indent_of(fs_str_text(&line));
    int far = column || !prose ? 0 : (int)indent > width / 2
              ? (int)indent : column_of(fs_str_text(&line), line.len, INT_MAX);
    while (!column && !far && prose && fs_utf8_width(line.data, line.len) > width && *text) {
      size_t next = strcspn(text + 1, "\n"), begin = indent_of(text + 1);
      if (begin != indent || begin == next || column_of(text + 1, next, width)) break;
      fs_str_puts(&line, " ");
      fs_str_put(&line, text + 1 + begin, next - begin);
      text += 1 + next;
    }
    int hang = !strncmp(fs_str_text(&line), "hint: ", 6) ? 6 : (int)indent + 2*!prose;
    hang = FS_MIN(column ? column : hang, width / 2);
    if (far) put_far_column(line.data, line.len, far, width, out);
    else put_paragraph(fs_str_text(&line), line.len, width, hang, out);
    if (*text) fs_str_puts(out, "\n"), text++;
  }
  fs_str_free(&line);
}

void fs_term_wrap(const char *text, int width, struct fs_str *out) {
  wrap(text, width, false, out);
}

void fs_term_wrap_prose(const char *text, int width, struct fs_str *out) {
  wrap(text, width, true, out);
}

/* -- pager ----------------------------------------------------------------- */

static int count_lines(const char *text) {
  int lines = 0;
  while ((text = strchr(text, '\n'))) lines++, text++;
  return lines;
}

void fs_term_page(const char *text) {
  const char *pager = getenv("FUSIBLE_PAGER");
  bool terminal = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
  if (!pager) pager = getenv("PAGER");
  if (!pager) pager = "less -SRX";
  fflush(stdout);
  if (terminal && *pager && count_lines(text) >= fs_term_rows()) {
    enum fs_term_mode old = fs_term_set_mode(FS_TERM_PAGER, NULL);
    enum fs_term_input typed = fs_term_input();
    fs_term_set_input(FS_TERM_LINES);
    handle(SIGPIPE, SIG_IGN, 0); /* a pager may be left early */
    FILE *out = popen(pager, "w");
    if (out) fputs(text, out);
    int status = out ? pclose(out) : 127 << 8;
    handle(SIGPIPE, SIG_DFL, 0);
    fs_term_set_input(typed);
    fs_term_set_mode(old, NULL);
    if (status != 127 << 8) return;
  }
  fputs(text, stdout);
  fflush(stdout);
}
