/* journal.c - see journal.h. */
#include "core/worker/journal.h"

#include <math.h>
#include <stdio.h>

#include "core/lang/parse.h"
#include "core/lang/uses.h"

/* -- files ----------------------------------------------------------------- */

void fs_entry_put_files(const struct fs_entry *e, struct fs_str *out) {
  for (int k = 0; k < e->files.len; k++) {
    const struct fs_stamp *f = &e->files.data[k];
    enum fs_stamp_now now = fs_stamp_compare(f);
    if (now == FS_STAMP_SAME) continue;
    fs_str_puts(out, ", ");
    fs_str_put_safe(out, f->path, strlen(f->path));
    fs_str_puts(out, now == FS_STAMP_GONE ? " is gone" : " has changed");
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

static void free_names(char **names) {
  for (char **name = names; name && *name; name++) free(*name);
  free(names);
}

static void forget_outcome(struct fs_entry *e) {
  for (int k = 0; k < e->files.len; k++) free(e->files.data[k].path);
  FS_VEC_FREE(&e->files);
  free_names(e->changed);
  free_names(e->functions);
  e->changed = e->functions = NULL;
  json_decref(e->set);
  e->set = NULL;
  json_decref(e->planned);
  e->planned = NULL;
  json_decref(e->times);
  e->times = NULL;
  json_decref(e->answers);
  e->answers = NULL;
}

void fs_entry_free(struct fs_entry *e) {
  if (!e) return;
  forget_outcome(e);
  free_names(e->uses.reads);
  free_names(e->uses.inside);
  json_decref(e->random);
  free(e->name);
  free(e->text);
  free(e);
}

static void take_changed(struct fs_entry *e, const json_t *state) {
  json_t *vars = json_object_get(state, "vars");
  json_t *gone = json_object_get(state, "gone"), *name;
  size_t n = 0, k, functions = 0;
  const char *key;
  json_t *value;
  e->changed = fs_calloc(json_object_size(vars) + json_array_size(gone) + 1,
                         sizeof *e->changed);
  e->functions = fs_calloc(json_object_size(vars) + 1, sizeof *e->functions);
  json_object_foreach(vars, key, value) {
    const char *kind = json_string_value(json_object_get(value, "kind"));
    e->changed[n++] = fs_strdup(key);
    if (kind && !strcmp(kind, "function")) e->functions[functions++] = fs_strdup(key);
  }
  json_array_foreach(gone, k, name)
    if (json_is_string(name))
      e->changed[n++] = fs_strdup(json_string_value(name));
}

/* [path as hex, the numbers of its stamp ...], as of serve.c. */
static void take_file(struct fs_entry *e, const json_t *file) {
  const char *path = json_string_value(json_array_get(file, 0));
  if (!path) return;
  int64_t v[FS_STAMP_NUMBERS];
  for (size_t k = 0; k < FS_STAMP_NUMBERS; k++)
    v[k] = json_integer_value(json_array_get(file, k + 1));
  *FS_PUSH(&e->files) = fs_stamp_of_numbers(from_hex(path), v);
}

void fs_entry_outcome(struct fs_entry *e, int result, double seconds,
                      const json_t *state) {
  forget_outcome(e);
  e->result = result;
  e->seconds = seconds;
  e->times = json_incref(json_object_get(state, "times"));
  e->answers = json_incref(json_object_get(state, "answers"));
  e->timed = json_integer_value(json_object_get(state, "times_told"));
  e->settings = !json_is_true(json_object_get(state, "changed"));
  e->set = json_incref(json_object_get(state, "settings"));
  take_changed(e, state);
  fs_entry_replayed(e, state);
}

void fs_entry_replayed(struct fs_entry *e, const json_t *state) {
  size_t k;
  json_t *file;
  for (int f = 0; f < e->files.len; f++) free(e->files.data[f].path);
  e->files.len = 0;
  json_array_foreach(json_object_get(state, "files"), k, file)
    take_file(e, file);
  json_decref(e->planned);
  e->planned = json_incref(json_object_get(state, "planned"));
}

bool fs_entry_matters(const struct fs_entry *e, const json_t *state) {
  return !e->settings ||
         json_object_size(json_object_get(state, "settings")) > 0;
}

/* -- the journal ----------------------------------------------------------- */

/* Whether all that `old` did was to change settings that `fresh` changes, too. */
static bool sets_the_same(const struct fs_entry *old, const struct fs_entry *fresh) {
  const char *name;
  json_t *value;
  if (!old->settings || !fresh->settings || !old->set) return false;
  json_object_foreach(old->set, name, value)
    if (!json_object_get(fresh->set, name)) return false;
  return true;
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

void fs_journal_reset(struct fs_journal *j) {
  for (int k = j->list.len - 1; k >= 0; k--) {
    struct fs_entry *e = j->list.data[k];
    bool only_names = e->changed && *e->changed && !fs_entry_uses(e)->commands;
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

static char **copy_names(const char *const *names, int n) {
  char **copy = fs_calloc((size_t)n + 1, sizeof *copy);
  for (int k = 0; k < n; k++) copy[k] = fs_strdup(names[k]);
  return copy;
}

/* What cannot be read as a text is taken for one that does anything. */
const struct fs_entry_uses *fs_entry_uses(struct fs_entry *e) {
  struct fs_entry_uses *u = &e->uses;
  struct fs_diags diags;
  struct fs_stmt *list = NULL;
  struct fs_uses found;
  if (u->known) return u;
  *u = (struct fs_entry_uses){.known = true, .commands = true, .outside = true};
  if (e->kind != FS_ENTRY_EVAL) return u;
  struct fs_arena *arena = fs_arena_new();
  fs_diags_init(&diags);
  uint32_t source = fs_source_add(&diags, e->name, e->text, e->len);
  if (fs_parse_final(&diags, arena, source, &list) == FS_OK) {
    fs_uses_of(list, &found);
    u->commands = found.commands;
    u->outside = found.outside;
    u->reads = copy_names(found.reads.data, found.reads.len);
    u->inside = copy_names(found.inside.data, found.inside.len);
    fs_uses_free(&found);
  }
  fs_diags_free(&diags);
  fs_arena_free(arena);
  return u;
}

bool fs_entry_is_opaque(struct fs_entry *e) {
  const struct fs_entry_uses *u = fs_entry_uses(e);
  return e->result || e->files.len || u->commands || u->outside;
}

static void add_names(json_t *into, char **names) {
  for (char **name = names; name && *name; name++)
    json_object_set_new(into, *name, json_true());
}

/* A function sees globals when it is called, which the call does not show: so for the name
 * of each there is what functions read of all texts that defined it; of `g = f` what f
 * does. */
static void note_function(struct fs_entry *e, json_t *functions) {
  json_t *names = json_object();
  add_names(names, fs_entry_uses(e)->inside);
  add_names(names, fs_entry_uses(e)->reads);
  for (char **name = e->functions; name && *name; name++) {
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

json_t *fs_journal_functions(struct fs_journal *j) {
  json_t *functions = json_object();
  for (int k = 0; k < j->list.len; k++)
    if (j->list.data[k]->functions && *j->list.data[k]->functions)
      note_function(j->list.data[k], functions);
  return functions;
}

/* Adds to `needed` what an entry reads. */
static void need_of(struct fs_entry *e, json_t *needed, const json_t *functions) {
  json_t *names = json_object(), *seen = json_object();
  add_names(names, fs_entry_uses(e)->reads);
  add_names(names, fs_entry_uses(e)->inside);
  need(needed, names, functions, seen);
  json_decref(names);
  json_decref(seen);
}

bool fs_entry_reads(struct fs_entry *e, const json_t *names, const json_t *functions) {
  json_t *needed = json_object(), *value;
  const char *name;
  bool found = false;
  need_of(e, needed, functions);
  json_object_foreach(needed, name, value) found |= json_object_get(names, name) != NULL;
  json_decref(needed);
  return found;
}

bool fs_entry_is_planned_as(const struct fs_entry *e, const json_t *state) {
  const json_t *now = json_object_get(state, "planned");
  static const double SAME = 1e-6; /* a file has fewer digits */
  if (!json_is_array(e->planned) || !json_is_array(now)) return true;
  double before = json_number_value(json_array_get(e->planned, 0));
  double after = json_number_value(json_array_get(now, 0));
  return fabs(after - before) <= SAME &&
         json_integer_value(json_array_get(e->planned, 1)) ==
             json_integer_value(json_array_get(now, 1));
}

/* Gives whether it is kept. */
static bool prune_one(struct fs_entry *e, json_t *needed,
                      json_t *written, const json_t *functions) {
  bool keep = !e->changed || !*e->changed; /* declarations and the like */
  for (char **name = e->changed; name && *name; name++)
    keep |= !json_object_get(written, *name) || json_object_get(needed, *name);
  if (!keep) return false;
  for (char **name = e->changed; name && *name; name++) {
    json_object_set_new(written, *name, json_true());
    json_object_del(needed, *name);
  }
  need_of(e, needed, functions);
  return true;
}

void fs_journal_prune(struct fs_journal *j) {
  json_t *needed = json_object(), *functions = fs_journal_functions(j);
  json_t *written = json_object();
  for (int k = j->list.len - 1; k >= 0; k--) {
    struct fs_entry *e = j->list.data[k];
    if (e->settings) continue;
    if (fs_entry_is_opaque(e)) json_object_clear(written); /* it may read anything */
    else if (!prune_one(e, needed, written, functions)) fs_journal_remove(j, k);
  }
  json_decref(needed);
  json_decref(functions);
  json_decref(written);
  j->pruned_at = j->list.len;
}
