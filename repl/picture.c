/* picture.c - see picture.h. librsvg's program makes pixels of the SVG, libsixel's
 * makes sixels of those; nothing is sent to a terminal that did not say that it
 * shows such pictures.
 *
 *   kitty  the graphics protocol of kitty, also of Ghostty, WezTerm, Konsole:
 *          sw.kovidgoyal.net/kitty/graphics-protocol, "Querying support"
 *   iterm  inline images of iTerm2: iterm2.com/documentation-images
 *   sixel  DEC's, of xterm, foot, mlterm, Windows Terminal, tmux: VT330/340
 *          Programmer Reference Manual, volume 2, chapter 14
 *
 * In tmux and screen only what these say themselves counts: a picture that passes
 * through them unseen stays where it is when they scroll, and they take the question
 * of the kitty protocol for a title. */
#include "repl/picture.h"

#include <poll.h>
#include <sodium.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/filter.h"
#include "repl/keys.h"
#include "repl/progress.h"
#include "repl/term.h"

enum {
  PATIENCE_MS = 100,     /* for the answers, if FUSIBLE_PATIENCE says no other */
  WIDEST = 80,           /* columns                                          */
  LEAST_COLUMNS = 24, LEAST_ROWS = 6, /* below, text says more               */
  CHUNK = 4096,          /* bytes of base64 that kitty takes at a time       */
  MOST_BYTES = 16 << 20,
  SECONDS = 10           /* for a program                                    */
};

enum way { AS_TEXT, AS_KITTY, AS_ITERM, AS_SIXEL };

/* -- what the terminal is ---------------------------------------------------- */

static bool begins(const char *text, const char *with) {
  return !strncmp(text, with, strlen(with));
}

static bool set(const char *variable) {
  const char *value = getenv(variable);
  return value && *value;
}

/* Terminals without pictures, that may print what they do not understand. */
static bool is_plain(const char *term) {
  static const char *const plain[] = {"dumb", "linux", "cons25", "emacs",
                                      "unknown", "vt52"};
  for (size_t k = 0; k < FS_LEN(plain); k++)
    if (!strcmp(term, plain[k])) return true;
  return !*term || begins(term, "eterm");
}

/* Standard input and output are one terminal, which is ours and may have pictures. */
static bool is_ours(void) {
  struct stat in, out;
  const char *term = getenv("TERM");
  return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) &&
         !fstat(STDIN_FILENO, &in) && !fstat(STDOUT_FILENO, &out) &&
         in.st_rdev == out.st_rdev && term && !is_plain(term) &&
         tcgetpgrp(STDIN_FILENO) == getpgrp();
}

static bool in_multiplexer(void) {
  const char *term = getenv("TERM");
  return set("TMUX") || set("STY") || set("ZELLIJ") ||
         begins(term ? term : "", "screen") || begins(term ? term : "", "tmux");
}

static bool says_iterm(void) {
  const char *program = getenv("TERM_PROGRAM"), *terminal = getenv("LC_TERMINAL");
  return (program && !strcmp(program, "iTerm.app")) ||
         (terminal && !strcmp(terminal, "iTerm2"));
}

/* -- asking it --------------------------------------------------------------- */

static enum fs_term_input before;

static bool be_quiet(void) {
  if (fs_term_input() != FS_TERM_UNSEEN) before = fs_term_input();
  return fs_term_set_input(FS_TERM_UNSEEN);
}

void fs_picture_settle(void) {
  if (fs_term_input() == FS_TERM_UNSEEN) fs_term_set_input(before);
}

/* The last question is one that every terminal answers, in order: without an answer
 * to the first by then there will be none. What a terminal prints of a question that
 * it does not understand is cleared: ESC 7 notes the place, ESC 8 goes back. */
static void send_questions(void) {
  static const char kitty[] =
      "\0337\033_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\033\\\0338\033[K";
  static const char others[] = "\033[16t\033[c";
  struct fs_str all = {0};
  if (!in_multiplexer()) fs_str_puts(&all, kitty);
  fs_str_puts(&all, others);
  fs_progress_write(stdout, fs_str_text(&all), all.len);
  fs_str_free(&all);
}

/* Milliseconds. */
static long patience(void) {
  const char *said = getenv("FUSIBLE_PATIENCE");
  char *end = NULL;
  long ms = said ? strtol(said, &end, 10) : 0;
  return said && end > said && !*end && ms >= 0 && ms <= 60000 ? ms : PATIENCE_MS;
}

static void await_answers(void) {
  struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};
  double end = fs_now() + (double)patience() / 1e3;
  while (!fs_keys_answers()->done) {
    int left = (int)(1e3 * (end - fs_now()));
    int ready = poll(&in, 1, FS_MAX(left, 0)); /* late ourselves: what is there counts */
    if (ready > 0 ? !fs_keys_fetch() : left <= 0) return;
  }
}

/* What it answered so far; asked once. An answer that comes too late for this
 * picture is there for the next one. */
static const struct fs_answers *ask(void) {
  static bool asked;
  if (!asked && be_quiet()) {
    asked = true;
    fs_keys_await();
    send_questions();
    await_answers();
    if (fs_keys_answers()->done) fs_picture_settle();
  }
  return fs_keys_answers();
}

static enum way choose(const char *how, bool may_ask) {
  if (!is_ours()) return AS_TEXT;
  if (!strcmp(how, "sixel")) return AS_SIXEL;
  if (!strcmp(how, "kitty")) return in_multiplexer() ? AS_TEXT : AS_KITTY;
  if (!strcmp(how, "iterm")) return in_multiplexer() ? AS_TEXT : AS_ITERM;
  if (strcmp(how, "auto") || !may_ask) return AS_TEXT;
  const struct fs_answers *a = ask();
  if (a->kitty && !in_multiplexer()) return AS_KITTY;
  if (a->sixel && says_iterm() && !in_multiplexer()) return AS_ITERM;
  return a->sixel ? AS_SIXEL : AS_TEXT;
}

/* -- the picture ------------------------------------------------------------- */

struct extent {
  int columns, rows, width, height; /* the latter two in pixels */
};

/* As wide as is good to read and the screen is, not higher than the screen, with
 * sides in the picture's own proportion to half a row. */
static bool fit(const char *svg, struct extent *e) {
  const struct fs_answers *a = fs_keys_answers();
  int w = 640, h = 400, cell_w = a->cell_width, cell_h = a->cell_height;
  struct winsize size = {0};
  sscanf(svg, "<svg xmlns=\"%*[^\"]\" width=\"%d\" height=\"%d\"", &w, &h);
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size)) memset(&size, 0, sizeof size);
  if (!cell_w && size.ws_xpixel && size.ws_ypixel && size.ws_col && size.ws_row) {
    cell_w = size.ws_xpixel / size.ws_col;
    cell_h = size.ws_ypixel / size.ws_row;
  }
  if (cell_w < 2 || cell_h < 2) cell_w = 9, cell_h = 18;
  if (w <= 0 || h <= 0) return false;
  double rows_for_column = (double)cell_w * h / ((double)cell_h * w);
  int most_rows = fs_term_rows() - 2;
  e->columns = FS_MIN(fs_term_look(stdout).width - 1, WIDEST);
  e->rows = (int)(e->columns * rows_for_column + 0.5);
  if (e->rows > most_rows) {
    e->rows = most_rows;
    e->columns = FS_MIN((int)(e->rows / rows_for_column + 0.5), e->columns);
  }
  e->width = e->columns * cell_w;
  e->height = e->rows * cell_h;
  return e->columns >= LEAST_COLUMNS && e->rows >= LEAST_ROWS;
}

/* Runs one; once it is said what to install, to who asked for pictures by name. */
static bool filter(char *const argv[], const char *package, bool tell,
                   const struct fs_str *in, struct fs_str *out) {
  static char told[64];
  enum fs_filter ran = fs_filter_run(argv, fs_str_text(in), in->len, MOST_BYTES,
                                     SECONDS, out);
  if (ran == FS_FILTER_OK) return out->len > 0;
  if (ran != FS_FILTER_MISSING || !tell || !strcmp(told, package)) return false;
  snprintf(told, sizeof told, "%s", package);
  struct fs_str text = {0};
  fs_str_printf(&text, "a picture needs the program %s, which the package %s "
                       "has; here is text\n", argv[0], package);
  fs_progress_write(stderr, text.data, text.len);
  fs_str_free(&text);
  return false;
}

static bool make_png(const char *svg, const struct extent *e, bool tell,
                     struct fs_str *out) {
  char program[] = "rsvg-convert", w[] = "-w", h[] = "-h", width[16], height[16];
  char *const argv[] = {program, w, width, h, height, NULL};
  const struct fs_str in = {(char *)(uintptr_t)svg, strlen(svg), 0};
  snprintf(width, sizeof width, "%d", e->width);
  snprintf(height, sizeof height, "%d", e->height);
  return filter(argv, "librsvg2-bin", tell, &in, out);
}

/* -- the forms ---------------------------------------------------------------- */

static char *base64(const struct fs_str *png) {
  size_t size = sodium_base64_ENCODED_LEN(png->len, sodium_base64_VARIANT_ORIGINAL);
  char *text = fs_malloc(size);
  return sodium_bin2base64(text, size, (const unsigned char *)png->data, png->len,
                           sodium_base64_VARIANT_ORIGINAL);
}

/* q=2: no answers, they would be taken for keys. */
static void put_kitty(struct fs_str *out, const struct fs_str *png,
                      const struct extent *e) {
  char *text = base64(png);
  size_t len = strlen(text);
  for (size_t at = 0; at < len; at += CHUNK) {
    size_t n = FS_MIN(len - at, (size_t)CHUNK);
    fs_str_puts(out, "\033_G");
    if (!at)
      fs_str_printf(out, "a=T,f=100,c=%d,r=%d,", e->columns, e->rows);
    fs_str_printf(out, "q=2,m=%d;", at + n < len);
    fs_str_put(out, text + at, n);
    fs_str_puts(out, "\033\\");
  }
  free(text);
}

static void put_iterm(struct fs_str *out, const struct fs_str *png,
                      const struct extent *e) {
  char *text = base64(png);
  fs_str_printf(out, "\033]1337;File=inline=1;size=%zu;width=%d;height=%d;"
                     "preserveAspectRatio=0:", png->len, e->columns, e->rows);
  fs_str_puts(out, text);
  fs_str_puts(out, "\007");
  free(text);
}

static bool put_sixel(struct fs_str *out, const struct fs_str *png, bool tell) {
  char program[] = "img2sixel";
  char *const argv[] = {program, NULL};
  return filter(argv, "libsixel-bin", tell, png, out) &&
         begins(out->data, "\033P");
}

static bool put_picture(enum way way, const char *svg, bool tell,
                        struct fs_str *out) {
  struct extent e;
  struct fs_str png = {0};
  if (!fit(svg, &e)) return false;
  /* A band of sixels has 6 lines: not one begun, it would go below the last row. */
  if (way == AS_SIXEL) e.height -= e.height % 6;
  bool good = make_png(svg, &e, tell, &png);
  if (good && way == AS_KITTY) put_kitty(out, &png, &e);
  if (good && way == AS_ITERM) put_iterm(out, &png, &e);
  if (good && way == AS_SIXEL) good = put_sixel(out, &png, tell);
  fs_str_free(&png);
  return good;
}

bool fs_picture_show(const char *svg, const char *how, bool may_ask) {
  struct fs_str out = {0};
  enum way way = choose(how, may_ask);
  bool good = way != AS_TEXT &&
              put_picture(way, svg, strcmp(how, "auto") != 0, &out);
  fs_str_puts(&out, "\n"); /* they leave the cursor in the picture's last row */
  if (good) fs_progress_write(stdout, out.data, out.len);
  fs_str_free(&out);
  return good;
}
