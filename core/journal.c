/* journal.c - see journal.h. */
#include "core/journal.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/session.h"

/* -- files ----------------------------------------------------------------- */

enum { WHOLE = 64 << 20, PART = 1 << 20 };

static uint64_t hash_part(int fd, int64_t from, int64_t len, uint64_t seed) {
  char *piece = fs_malloc(PART);
  ssize_t n = 1;
  for (int64_t at = 0; at < len && n > 0; at += n) {
    n = pread(fd, piece, (size_t)FS_MIN(len - at, (int64_t)PART), from + at);
    if (n > 0) seed = fs_hash(piece, (size_t)n, seed);
  }
  free(piece);
  return seed;
}

/* The whole of a file, or of a large one its ends and its middle. */
static uint64_t hash_file(int fd, int64_t size) {
  if (size <= WHOLE) return hash_part(fd, 0, size, 1);
  uint64_t h = hash_part(fd, 0, PART, 1);
  h = hash_part(fd, size / 2, PART, h);
  return hash_part(fd, size - PART, PART, h);
}

static bool same_stamp(const struct fs_seen_file *f, const struct stat *st) {
  return f->size == (int64_t)st->st_size &&
         f->seconds == (int64_t)st->st_mtim.tv_sec &&
         f->nanoseconds == (int64_t)st->st_mtim.tv_nsec;
}

static bool look(const char *path, struct stat *st, int *fd) {
  *fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  bool there = *fd >= 0 && !fstat(*fd, st) && S_ISREG(st->st_mode);
  if (*fd >= 0 && !there) close(*fd);
  return there;
}

/* Keeps `gives`. */
static struct fs_seen_file see(char *gives) {
  struct fs_seen_file f = {.path = gives};
  struct stat st;
  int fd;
  f.there = look(gives, &st, &fd);
  if (!f.there) return f;
  f.size = st.st_size;
  f.seconds = st.st_mtim.tv_sec;
  f.nanoseconds = st.st_mtim.tv_nsec;
  f.hash = hash_file(fd, f.size);
  close(fd);
  return f;
}

static bool is_as_it_was(const struct fs_seen_file *f, bool *there) {
  struct stat st;
  int fd;
  *there = look(f->path, &st, &fd);
  if (!*there) return !f->there;
  bool same = f->there && (same_stamp(f, &st) ||
                           (f->size == (int64_t)st.st_size &&
                            f->hash == hash_file(fd, f->size)));
  close(fd);
  return same;
}

void fs_entry_put_files(const struct fs_entry *e, struct fs_str *out) {
  for (int k = 0; k < e->files.len; k++) {
    bool there;
    const struct fs_seen_file *f = &e->files.data[k];
    if (is_as_it_was(f, &there)) continue;
    fs_str_puts(out, ", ");
    fs_str_put_safe(out, f->path, strlen(f->path));
    fs_str_puts(out, there ? " has changed" : " is gone");
  }
}

static char *from_hex(const char *hex) {
  size_t n = strlen(hex) / 2;
  char *bytes = fs_malloc(n + 1);
  for (size_t k = 0; k < n; k++) {
    char pair[3] = {hex[2 * k], hex[2 * k + 1], 0};
    bytes[k] = (char)strtoul(pair, NULL, 16);
  }
  bytes[n] = 0;
  return bytes;
}

/* -- entries --------------------------------------------------------------- */

struct fs_entry *fs_entry_new(enum fs_entry_kind kind, const char *name,
                              const char *text, size_t len, unsigned flags) {
  struct fs_entry *e = fs_calloc(1, sizeof *e);
  e->kind = kind;
  e->name = fs_strdup(name);
  e->text = fs_malloc(len + 1);
  if (len) memcpy(e->text, text, len);
  e->text[len] = 0;
  e->len = len;
  e->flags = flags;
  return e;
}

static void forget_outcome(struct fs_entry *e) {
  for (int k = 0; k < e->files.len; k++) free(e->files.data[k].path);
  FS_VEC_FREE(&e->files);
  for (char **name = e->changed; name && *name; name++) free(*name);
  free(e->changed);
  e->changed = NULL;
  json_decref(e->times);
  e->times = NULL;
  json_decref(e->answers);
  e->answers = NULL;
}

void fs_entry_free(struct fs_entry *e) {
  if (!e) return;
  forget_outcome(e);
  json_decref(e->random);
  free(e->name);
  free(e->text);
  free(e);
}

static void take_changed(struct fs_entry *e, const json_t *state) {
  json_t *vars = json_object_get(state, "vars");
  json_t *gone = json_object_get(state, "gone"), *name;
  size_t n = 0, k;
  const char *key;
  json_t *value;
  e->changed = fs_calloc(json_object_size(vars) + json_array_size(gone) + 1,
                         sizeof *e->changed);
  json_object_foreach(vars, key, value) {
    const char *kind = json_string_value(json_object_get(value, "kind"));
    e->changed[n++] = fs_strdup(key);
    e->functions |= kind && !strcmp(kind, "function");
  }
  json_array_foreach(gone, k, name)
    if (json_is_string(name))
      e->changed[n++] = fs_strdup(json_string_value(name));
}

void fs_entry_outcome(struct fs_entry *e, int result, double seconds,
                      const json_t *state) {
  size_t k;
  json_t *file;
  forget_outcome(e);
  e->functions = false;
  e->result = result;
  e->seconds = seconds;
  e->times = json_incref(json_object_get(state, "times"));
  e->answers = json_incref(json_object_get(state, "answers"));
  e->timed = json_integer_value(json_object_get(state, "times_told"));
  e->settings = !json_is_true(json_object_get(state, "changed"));
  take_changed(e, state);
  json_array_foreach(json_object_get(state, "files"), k, file) {
    if (!json_is_string(file)) continue;
    struct fs_seen_file seen = see(from_hex(json_string_value(file)));
    *FS_PUSH(&e->files) = seen;
  }
}

bool fs_entry_matters(const struct fs_entry *e, const json_t *state) {
  return !e->settings ||
         json_object_size(json_object_get(state, "settings")) > 0;
}

/* -- the journal ----------------------------------------------------------- */

/* The words up to the value: ":set width", "width". */
static size_t setting_length(const struct fs_entry *e) {
  if (e->kind == FS_ENTRY_SET) return 0;
  size_t at = strspn(e->text, " \t\r\n");
  at += strcspn(e->text + at, " \t\r\n");
  at += strspn(e->text + at, " \t\r\n");
  return at + strcspn(e->text + at, " \t\r\n");
}

static bool sets_the_same(const struct fs_entry *a, const struct fs_entry *b) {
  if (!a->settings || !b->settings || a->kind != b->kind) return false;
  if (a->kind == FS_ENTRY_SET) return !strcmp(a->name, b->name);
  size_t n = setting_length(a);
  return a->kind == FS_ENTRY_EVAL && n == setting_length(b) &&
         !strncmp(a->text, b->text, n);
}

void fs_journal_add(struct fs_journal *j, struct fs_entry *gives) {
  struct fs_entry *last = j->list.len ? j->list.data[j->list.len - 1] : NULL;
  if (last && sets_the_same(last, gives))
    fs_journal_remove(j, j->list.len - 1);
  *FS_PUSH(&j->list) = gives;
  j->seconds += gives->seconds;
}

void fs_journal_remove(struct fs_journal *j, int k) {
  j->seconds = FS_MAX(j->seconds - j->list.data[k]->seconds, 0);
  fs_entry_free(j->list.data[k]);
  j->list.len--;
  memmove(j->list.data + k, j->list.data + k + 1,
          sizeof *j->list.data * (size_t)(j->list.len - k));
}

void fs_journal_clear(struct fs_journal *j) {
  for (int k = 0; k < j->list.len; k++) fs_entry_free(j->list.data[k]);
  FS_VEC_FREE(&j->list);
  *j = (struct fs_journal){.seconds = 0};
}

static bool has_command(const struct fs_entry *e) {
  bool begins = true;
  for (size_t k = 0; k < e->len; k++) {
    if (begins && e->text[k] == ':') return true;
    if (e->text[k] == '\n' || e->text[k] == ';') begins = true;
    else if (e->text[k] != ' ' && e->text[k] != '\t') begins = false;
  }
  return false;
}

void fs_journal_reset(struct fs_journal *j) {
  for (int k = j->list.len - 1; k >= 0; k--) {
    const struct fs_entry *e = j->list.data[k];
    bool only_names = e->changed && *e->changed && !has_command(e);
    bool load = e->changed && *e->changed && e->files.len;
    if (only_names || load || e->kind == FS_ENTRY_DEFINE)
      fs_journal_remove(j, k);
  }
}

void fs_journal_keep_settings(struct fs_journal *j) {
  for (int k = j->list.len - 1; k >= 0; k--)
    if (!j->list.data[k]->settings) fs_journal_remove(j, k);
}

int fs_journal_inputs(const struct fs_journal *j) {
  int n = 0;
  for (int k = 0; k < j->list.len; k++) n += !j->list.data[k]->settings;
  return n;
}

/* -- what is still needed -------------------------------------------------- */

static bool in_name(char ch) {
  unsigned char c = (unsigned char)ch;
  return isalnum(c) || c == '_' || c >= 0x80;
}

/* `x = ...`, `f(a) = ...`: all of it is new. Not `x, y = ...`, `x[1] = ...`. */
static bool is_target(const char *text, size_t from, size_t to) {
  while (from && (text[from - 1] == ' ' || text[from - 1] == '\t')) from--;
  if (from && text[from - 1] != '\n' && text[from - 1] != ';') return false;
  if (text[to] == '(') to += strcspn(text + to, ");\n\"");
  if (text[to] == ')') to++;
  to += strspn(text + to, " \t");
  return text[to] == '=' && text[to + 1] != '=';
}

/* Whether statements are run one after the other, each once. */
static bool is_straight(const char *text) {
  static const char *const words[] = {"if", "while", "for", "function", "\""};
  for (size_t k = 0; k < FS_LEN(words); k++)
    if (strstr(text, words[k])) return false;
  return true;
}

/* The variable of the text's only loop, if that gave it a value: then it has one
 * before anything in the loop, or after it, reads it. */
static bool is_counter(const struct fs_entry *e, size_t from, size_t to) {
  const char *first = strstr(e->text, "for ");
  if (!first || strstr(first + 1, "for ") || first + 4 != e->text + from)
    return false;
  for (char **name = e->changed; name && *name; name++)
    if (strlen(*name) == to - from &&
        !strncmp(*name, e->text + from, to - from))
      return true;
  return false;
}

/* Adds every word of a text that could be a name which is read before the text
 * itself gives it a value. Words of strings and comments count too: they only
 * keep more. */
static void each_name(const struct fs_entry *e, json_t *into) {
  json_t *own = json_object();
  const char *text = e->text;
  size_t target = 0, target_len = 0;
  int depth = 0;
  bool straight = is_straight(text);
  for (size_t at = 0; at < e->len;) {
    size_t from = at;
    while (at < e->len && in_name(text[at])) at++;
    bool name = at > from && !(text[from] >= '0' && text[from] <= '9');
    if (name && is_counter(e, from, at))
      json_object_setn_new(own, text + from, at - from, json_true());
    else if (name && is_target(text, from, at))
      target = from, target_len = at - from;
    else if (name && !json_object_getn(own, text + from, at - from))
      json_object_setn_new(into, text + from, at - from, json_true());
    if (at > from) continue;
    depth += !!strchr("([{", text[at]) - !!strchr(")]}", text[at]);
    bool ends = (text[at] == ';' || text[at] == '\n') && depth == 0;
    if (ends && straight && target_len)
      json_object_setn_new(own, text + target, target_len, json_true());
    if (ends) target_len = 0;
    at++;
  }
  json_decref(own);
}

/* Inputs whose reads the text does not tell: commands, files, made-up data; and
 * those that ended in the middle. */
static bool is_opaque(const struct fs_entry *e) {
  return e->kind != FS_ENTRY_EVAL || e->result || e->files.len ||
         memchr(e->text, ':', FS_MIN(e->len, strspn(e->text, " \t\r\n") + 1)) ||
         strstr(e->text, "\n:") || strstr(e->text, "input") ||
         strstr(e->text, "import") || strlen(e->text) != e->len;
}

/* A function sees globals when it is called, which the call does not show: so for
 * the name of each there are the words of all texts that defined it. */
static void note_function(const struct fs_entry *e, json_t *functions) {
  json_t *names = json_object();
  each_name(e, names);
  for (char **name = e->changed; name && *name; name++) {
    if (!json_object_get(functions, *name))
      json_object_set_new(functions, *name, json_object());
    json_object_update(json_object_get(functions, *name), names);
  }
  json_decref(names);
}

/* Adds the names, and what the functions among them may read. */
static void need(json_t *needed, json_t *names, const json_t *functions,
                 json_t *seen) {
  const char *name;
  json_t *value;
  json_object_foreach(names, name, value) {
    json_t *more = json_object_get(functions, name);
    json_object_set_new(needed, name, json_true());
    if (!more || json_object_get(seen, name)) continue;
    json_object_set_new(seen, name, json_true());
    need(needed, more, functions, seen);
  }
}

/* Gives whether it is kept. */
static bool prune_one(const struct fs_entry *e, json_t *needed,
                      json_t *written, const json_t *functions) {
  bool keep = !e->changed || !*e->changed; /* declarations and the like */
  for (char **name = e->changed; name && *name; name++)
    keep |= !json_object_get(written, *name) || json_object_get(needed, *name);
  if (!keep) return false;
  for (char **name = e->changed; name && *name; name++) {
    json_object_set_new(written, *name, json_true());
    json_object_del(needed, *name);
  }
  json_t *names = json_object(), *seen = json_object();
  each_name(e, names);
  need(needed, names, functions, seen);
  json_decref(names);
  json_decref(seen);
  return true;
}

void fs_journal_prune(struct fs_journal *j) {
  json_t *needed = json_object(), *functions = json_object();
  json_t *written = json_object();
  for (int k = 0; k < j->list.len; k++)
    if (j->list.data[k]->functions) note_function(j->list.data[k], functions);
  for (int k = j->list.len - 1; k >= 0; k--) {
    struct fs_entry *e = j->list.data[k];
    if (e->settings) continue;
    if (is_opaque(e)) json_object_clear(written); /* it may read anything */
    else if (!prune_one(e, needed, written, functions)) fs_journal_remove(j, k);
  }
  json_decref(needed);
  json_decref(functions);
  json_decref(written);
  j->pruned_at = j->list.len;
}
