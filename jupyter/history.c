/* history.c - see history.h. */
#include "jupyter/history.h"

#include "repl/line.h"

enum { EARLIER = 1, NOW = 2, KEPT = 20000, DROPPED = 5000 };

struct entry {
  int session, line;
  char *text, *output;
};

static FS_VEC(struct entry) entries;

void fs_past_open(bool persistent) {
  fs_history_open(persistent);
  const char *text;
  for (int k = 0; (text = fs_history_at(k)); k++) {
    char *copy = fs_strdup(text); /* first: without memory the list stays as it is */
    *FS_PUSH(&entries) = (struct entry){EARLIER, k + 1, copy, NULL};
  }
}

void fs_past_close(void) {
  fs_history_close();
  for (int k = 0; k < entries.len; k++) {
    free(entries.data[k].text);
    free(entries.data[k].output);
  }
  FS_VEC_FREE(&entries);
}

static void drop_oldest(void) {
  for (int k = 0; k < DROPPED; k++) {
    free(entries.data[k].text);
    free(entries.data[k].output);
  }
  entries.len -= DROPPED;
  memmove(entries.data, entries.data + DROPPED,
          sizeof *entries.data * (size_t)entries.len);
}

void fs_past_add(int number, const char *text, const char *output, bool typed) {
  if (strlen(text) > FS_HISTORY_LONGEST) return;
  if (entries.len == KEPT) drop_oldest();
  if (typed) fs_history_add(text);
  struct entry e = {NOW, number, fs_strdup(text),
                    output ? fs_strdup(output) : NULL};
  *FS_PUSH(&entries) = e;
}

/* Shell patterns of * and ?, for the whole text; no backtracking beyond the last
 * star, so linear in practice and never exponential. */
static bool matches(const char *pattern, const char *text) {
  const char *star = NULL, *from = NULL;
  while (*text) {
    if (*pattern == '*') {
      star = pattern++;
      from = text;
    } else if (*pattern == '?' || *pattern == *text) {
      pattern++;
      text++;
    } else if (star) {
      pattern = star + 1;
      text = ++from;
    } else {
      return false;
    }
  }
  while (*pattern == '*') pattern++;
  return !*pattern;
}

static void put(json_t *list, const struct entry *e, bool output) {
  json_t *text = json_string(e->text);
  if (!text) return; /* a file that is no UTF-8 */
  if (output)
    text = json_pack("[oo]", text,
                     e->output ? json_string(e->output) : json_null());
  json_array_append_new(list, json_pack("[iio]", e->session, e->line, text));
}

/* 0 is this session, a negative number counts back from it. */
static int session_of(const json_t *request) {
  json_int_t n = json_integer_value(json_object_get(request, "session"));
  return (int)(n > 0 ? n : n < -NOW ? 0 : NOW + n);
}

static void put_range(const json_t *request, bool output, json_t *list) {
  int session = session_of(request);
  json_int_t start = json_integer_value(json_object_get(request, "start"));
  json_t *last = json_object_get(request, "stop");
  for (int k = 0; k < entries.len; k++) {
    const struct entry *e = &entries.data[k];
    if (e->session != session || e->line < start) continue;
    if (json_is_integer(last) && e->line >= json_integer_value(last)) continue;
    put(list, e, output);
  }
}

/* The last `most` entries that match, in their order; of equal texts the newest. */
static void put_newest(const char *pattern, int most, bool unique, bool output,
                       json_t *list) {
  bool *chosen = fs_calloc((size_t)entries.len, sizeof *chosen);
  json_t *seen = json_object();
  for (int k = entries.len - 1; k >= 0 && most > 0; k--) {
    const char *text = entries.data[k].text;
    chosen[k] = matches(pattern, text) && !(unique && json_object_get(seen, text));
    if (chosen[k]) most--;
    if (unique && chosen[k]) json_object_set_new_nocheck(seen, text, json_true());
  }
  for (int k = 0; k < entries.len; k++)
    if (chosen[k]) put(list, &entries.data[k], output);
  json_decref(seen);
  free(chosen);
}

json_t *fs_past_answer(const json_t *request) {
  const char *how =
      json_string_value(json_object_get(request, "hist_access_type"));
  const char *pattern = json_string_value(json_object_get(request, "pattern"));
  bool output = json_is_true(json_object_get(request, "output"));
  bool unique = json_is_true(json_object_get(request, "unique"));
  json_t *list = json_array(), *n = json_object_get(request, "n");
  int most = json_is_integer(n) ? (int)FS_MIN(FS_MAX(json_integer_value(n), 0),
                                              1000000)
                                : 1000000;
  if (how && !strcmp(how, "range")) {
    put_range(request, output, list);
  } else {
    if (!pattern || !how || strcmp(how, "search")) pattern = "*", unique = false;
    put_newest(pattern, most, unique, output, list);
  }
  return json_pack("{ss so}", "status", "ok", "history", list);
}
