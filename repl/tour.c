/* tour.c - see tour.h. What is typed, and said before it, is the session's (fs_session_tour). */
#include "repl/tour.h"

#include <stdio.h>

#include "core/base/base.h"
#include "repl/line.h"
#include "repl/term.h"

static int at = -1; /* the step that was offered; -1: there is no tour */

bool fs_is_tour(const char *entry) {
  size_t len = strcspn(entry, " \t\r\n");
  return len > 2 && len <= 5 && !strncmp(entry, ":tour", len);
}

static void say(const char *words) {
  struct fs_look look = fs_term_look(stderr);
  struct fs_str wrapped = {0};
  fs_term_wrap_prose(words, FS_MIN(look.width, 100), &wrapped);
  fprintf(stderr, look.color ? "\033[36m%s\033[0m\n" : "%s\n", fs_str_text(&wrapped));
  fs_str_free(&wrapped);
}

static void offer(struct fs_session *session, bool told) {
  const char *words;
  struct fs_str input = {0};
  if (fs_session_tour(session, at, &words, &input)) {
    if (!told) say(words);
    fs_line_offer(fs_str_text(&input));
  } else {
    say(fs_tour_end);
    at = -1;
  }
  fs_str_free(&input);
}

void fs_tour_begin(struct fs_session *session) {
  at = 0;
  offer(session, false);
}

static bool is_offered(struct fs_session *session, const char *entry) {
  const char *words;
  struct fs_str input = {0};
  fs_session_tour(session, at, &words, &input);
  size_t len = input.len;
  bool same = !strncmp(entry, fs_str_text(&input), len) &&
              entry[len + strspn(entry + len, " \r\n")] == 0;
  fs_str_free(&input);
  return same;
}

void fs_tour_go_on(struct fs_session *session, const char *entry) {
  if (at < 0) return;
  if (fs_line_was_cancelled()) {
    at = -1;
    return;
  }
  bool done = is_offered(session, entry);
  at += done;
  offer(session, !done);
}
