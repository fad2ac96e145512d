/* keys.c - see keys.h. An answer is told from keys by its first bytes: no key sends
 * ESC [ ? or, but Alt-_ typed with a G right behind it, ESC _ G. A lone Esc, Alt-[
 * and Page Down begin like one: they are held back for as long as a terminal takes
 * between two bytes of a sequence. */
#include "repl/keys.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <termios.h>
#include <unistd.h>

enum {
  KEPT = 8192,        /* what a terminal's line can hold, twice             */
  LONGEST = 256,      /* bytes of an answer, with the words of a refusal    */
  KEY_MS = 100,       /* between two bytes of what may be a key             */
  ANSWER_MS = 1000,   /* between two bytes of what can only be an answer    */
  GIVE_UP = 60        /* seconds after which no answer will come            */
};

static struct {
  char kept[KEPT];    /* keys: from `first`, `n` of them */
  size_t first, n;
  char held[LONGEST]; /* perhaps the beginning of an answer */
  size_t n_held;
  double held_since, asked;
  bool awaited, end;
  struct fs_answers answers;
} keys;

const struct fs_answers *fs_keys_answers(void) { return &keys.answers; }

void fs_keys_await(void) {
  keys.awaited = true;
  keys.asked = fs_now();
}

bool fs_keys_awaited(void) {
  if (keys.awaited && !keys.n_held && fs_now() - keys.asked > GIVE_UP)
    keys.awaited = false;
  return keys.awaited;
}

/* -- answers ----------------------------------------------------------------- */

enum match { NONE, PART, WHOLE };

/* ESC [ ? class ; ability ; ... c: "primary device attributes" of DEC's manuals.
 * Ability 4 is sixel graphics. The first number is no ability: a VT132 says 4. */
static enum match match_attributes(const char *s, size_t n) {
  char last = s[n - 1];
  if ((last >= '0' && last <= '9') || last == ';' || n == 3) return PART;
  if (last != 'c') return NONE;
  for (const char *p = memchr(s, ';', n); p; p = memchr(p, ';', n - (size_t)(p - s))) {
    p++;
    if (p[0] == '4' && (p[1] == ';' || p[1] == 'c')) keys.answers.sixel = true;
  }
  keys.answers.done = true;
  keys.awaited = false;
  return WHOLE;
}

/* ESC [ 6 ; height ; width t: the size of a character in pixels. */
static enum match match_cell(const char *s, size_t n) {
  char text[LONGEST + 1], end = 0;
  int height = 0, width = 0;
  if (s[n - 1] != 't')
    return (s[n - 1] >= '0' && s[n - 1] <= '9') || s[n - 1] == ';' ? PART : NONE;
  memcpy(text, s, n);
  text[n] = 0;
  if (sscanf(text + 2, "6;%4d;%4d%c", &height, &width, &end) != 3 || end != 't')
    return NONE;
  if (height > 0 && width > 0 && height <= 400 && width <= 400) {
    keys.answers.cell_height = height;
    keys.answers.cell_width = width;
  }
  return WHOLE;
}

/* ESC _ G i=31 ; OK ESC \: the graphics protocol of kitty; other words than OK
 * are a refusal. */
static enum match match_kitty(const char *s, size_t n) {
  static const char ok[] = "\033_Gi=31;OK\033\\";
  if (s[n - 2] != '\033' || s[n - 1] != '\\') return PART;
  if (n == sizeof ok - 1 && !memcmp(s, ok, n)) keys.answers.kitty = true;
  return WHOLE;
}

static enum match match(const char *s, size_t n) {
  if (n == LONGEST || s[0] != '\033') return NONE;
  if (n == 1 || (n == 2 && (s[1] == '[' || s[1] == '_'))) return PART;
  if (s[1] == '_') return s[2] == 'G' ? match_kitty(s, n) : NONE;
  if (s[1] != '[') return NONE;
  if (s[2] == '?') return match_attributes(s, n);
  return s[2] == '6' ? match_cell(s, n) : NONE;
}

/* -- keys -------------------------------------------------------------------- */

static void keep(char c) {
  if (keys.n == KEPT) return; /* fs_keys_feed() has seen that there is room */
  keys.kept[(keys.first + keys.n++) % KEPT] = c;
}

/* The first byte held back is a key; the rest is looked at again. */
static void reject(void) {
  char rest[LONGEST];
  size_t n = keys.n_held - 1;
  memcpy(rest, keys.held + 1, n);
  keep(keys.held[0]);
  keys.n_held = 0;
  for (size_t i = 0; i < n; i++) fs_keys_feed(&rest[i], 1);
}

bool fs_keys_feed(const char *bytes, size_t len) {
  if (keys.n + keys.n_held + len > KEPT) return false;
  for (size_t i = 0; i < len; i++) {
    if (!keys.awaited) {
      keep(bytes[i]);
      continue;
    }
    keys.held[keys.n_held++] = bytes[i];
    enum match found = match(keys.held, keys.n_held);
    if (found == NONE) reject();
    else if (found == WHOLE) keys.n_held = 0;
  }
  keys.held_since = fs_now();
  return true;
}

int fs_keys_patience(void) {
  bool answer = keys.n_held > 2 && keys.held[2] != '6';
  if (!keys.n_held) return -1;
  double left = (answer ? ANSWER_MS : KEY_MS) -
                1000 * (fs_now() - keys.held_since);
  return left > 0 ? (int)left + 1 : 0;
}

void fs_keys_release(void) {
  for (size_t i = 0; i < keys.n_held; i++) keep(keys.held[i]);
  keys.n_held = 0;
}

/* -- reading ----------------------------------------------------------------- */

/* Nothing was read. From a terminal that hands on each key that only means that no
 * key is there; one that is gone has no settings. */
static bool is_end(void) {
  struct termios now;
  return tcgetattr(STDIN_FILENO, &now) || now.c_lflag & ICANON;
}

bool fs_keys_fetch(void) {
  char part[512];
  size_t room = KEPT - keys.n - keys.n_held;
  if (!room || keys.end) return false;
  ssize_t n = read(STDIN_FILENO, part,
                   keys.awaited ? FS_MIN(room, sizeof part) : 1);
  if (n > 0) fs_keys_feed(part, (size_t)n);
  else if (n < 0 ? errno != EINTR && errno != EAGAIN : is_end()) keys.end = true;
  return !keys.end;
}

void fs_keys_drop(void) { keys.n = 0; }

bool fs_keys_waiting(void) { return keys.n > 0 || keys.end; }

static size_t take(char *out, size_t size) {
  size_t n = FS_MIN(size, keys.n);
  for (size_t i = 0; i < n; i++) {
    out[i] = keys.kept[keys.first];
    keys.first = (keys.first + 1) % KEPT;
  }
  keys.n -= n;
  return n;
}

/* Until there is a key. */
static void wait_for_key(void) {
  struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};
  while (!fs_keys_waiting() && (keys.n_held || fs_keys_awaited())) {
    int ready = poll(&in, 1, fs_keys_patience());
    if (ready > 0) fs_keys_fetch();
    else if (ready == 0) fs_keys_release();
    else if (errno != EINTR) keys.end = true;
  }
}

ssize_t fs_keys_read(char *out, size_t size) {
  wait_for_key();
  if (keys.n) return (ssize_t)take(out, size);
  if (keys.end) {
    keys.end = false;
    return 0;
  }
  ssize_t n;
  while ((n = read(STDIN_FILENO, out, size)) < 0 && errno == EINTR) continue;
  return n;
}
