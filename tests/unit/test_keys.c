/* test_keys.c - answers of terminals among keys (repl/keys.h): cut at every place,
 * with keys before, between and after them, the answers are read and the keys come
 * through whole. */
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "repl/keys.h"

static int passed, failed;

static void check(bool good, const char *what, const char *detail) {
  if (good) passed++;
  else failed++, printf("FAILED %s: %s\n", what, detail);
}

/* All that is there, with escapes to read. */
static const char *keys_now(void) {
  static char text[4 * 8192];
  size_t at = 0;
  char c;
  text[0] = 0;
  while (fs_keys_waiting() && fs_keys_read(&c, 1) == 1)
    at += (size_t)snprintf(text + at, sizeof text - at, c == 27 ? "^" : "%c", c);
  return text;
}

static void feed(const char *text) {
  check(fs_keys_feed(text, strlen(text)), "there is room", text);
}

struct known {
  const char *name, *kitty, *cell, *attributes;
  struct fs_answers means;
};

static const struct known known[] = {
  {"kitty", "\033_Gi=31;OK\033\\", "\033[6;20;10t", "\033[?62;52;c",
   {true, true, false, 10, 20}},
  {"WezTerm", "\033_Gi=31;OK\033\\", "\033[6;17;8t", "\033[?65;4;6;18;22c",
   {true, true, true, 8, 17}},
  {"refusal", "\033_Gi=31;EINVAL:no\033\\", "", "\033[?62c",
   {true, false, false, 0, 0}},
  {"foot", "", "\033[6;19;9t", "\033[?62;4;22c", {true, false, true, 9, 19}},
  {"xterm", "", "", "\033[?64;1;2;6;9;15;16;17;18;21;22;28c",
   {true, false, false, 0, 0}},
  {"vt340", "", "", "\033[?63;1;2;4;6;9;15;16;22;28c", {true, false, true, 0, 0}},
  {"VT132", "", "", "\033[?4;6c", {true, false, false, 0, 0}},
  {"14 is not 4", "", "", "\033[?62;14;24;44c", {true, false, false, 0, 0}},
  {"Linux", "", "", "\033[?6c", {true, false, false, 0, 0}},
  {"nonsense", "\033_GOK\033\\", "\033[6;0;99999t", "\033[?c",
   {true, false, false, 0, 0}},
};

/* In a process of its own, since what was told stays told. */
static void check_cut(const struct known *k, size_t cut) {
  char all[256];
  fs_keys_await();
  snprintf(all, sizeof all, "a\033[A%s\033[6~b%s\033\033[6;5~%s\033[B\u03c3",
           k->kitty, k->cell, k->attributes);
  size_t len = strlen(all);
  check(fs_keys_feed(all, FS_MIN(cut, len)), k->name, "the first part");
  if (cut < len) feed(all + cut);
  const char *keys = keys_now(), *wanted = "a^[A^[6~b^^[6;5~^[B\u03c3";
  if (strstr(k->cell, "99999")) wanted = "a^[A^[6~b^[6;0;99999t^^[6;5~^[B\u03c3";
  const struct fs_answers *a = fs_keys_answers();
  check(!strcmp(keys, wanted), k->name, keys);
  check(a->done == k->means.done && a->kitty == k->means.kitty &&
        a->sixel == k->means.sixel && a->cell_width == k->means.cell_width &&
        a->cell_height == k->means.cell_height, k->name, "what it means");
  check(!fs_keys_awaited() && fs_keys_patience() < 0, k->name, "and no more");
  feed("\033[?62;4c");
  check(!strcmp(keys_now(), "^[?62;4c"), k->name, "after it all is keys");
}

static void check_known(void) {
  for (size_t k = 0; k < FS_LEN(known); k++)
    for (size_t cut = 1; cut < 90; cut++) {
      int status = 1;
      fflush(stdout);
      pid_t child = fork();
      if (!child) {
        passed = failed = 0;
        check_cut(&known[k], cut);
        fflush(stdout);
        _exit(failed ? 1 : 0);
      }
      waitpid(child, &status, 0);
      check(WIFEXITED(status) && !WEXITSTATUS(status), known[k].name, "cut");
    }
}

static void check_patience(void) {
  fs_keys_await();
  check(fs_keys_patience() == -1, "patience", "nothing is held back");
  feed("\033");
  check(!fs_keys_waiting(), "a lone Esc", "is held back");
  check(fs_keys_patience() > 0 && fs_keys_patience() <= 101, "a lone Esc", "shortly");
  fs_keys_release();
  check(!strcmp(keys_now(), "^"), "a lone Esc", "and is a key then");
  feed("\033[?6");
  check(fs_keys_patience() > 500, "the begin of an answer", "for long");
  feed("2;4c");
  check(!strcmp(keys_now(), ""), "an answer", "is no key");
}

static void check_limits(void) {
  char many[5000];
  fs_keys_await();
  memset(many, 'x', sizeof many);
  check(fs_keys_feed(many, sizeof many), "5000 keys", "are kept");
  check(!fs_keys_feed(many, sizeof many), "10000 keys", "are not");
  check(strlen(keys_now()) == sizeof many, "5000 keys", "come back");
  memcpy(many, "\033_G", 3);
  check(fs_keys_feed(many, sizeof many), "no answer is so long", "");
  check(strlen(keys_now()) == sizeof many, "so it is keys", "all of it");
}

int main(void) {
  check_known();
  check_limits();
  check_patience();
  printf("%d passed, %d failed\n", passed, failed);
  return failed != 0;
}
