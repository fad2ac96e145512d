/* tunings.c - see tunings.h. */
#include "core/run/tunings.h"

#include <ctype.h>
#include <jansson.h>
#include <stdio.h>

#include "core/base/datafile.h"
#include "core/ranks/ranks.h"

enum { MOST_BYTES = 16 << 20, MOST_CHOICE = 64 << 10, VERSION = 1 };

struct fs_tunings {
  char *path;          /* "": nothing is kept on disk */
  char *device;
  json_t *entries;     /* oldest first */
  char *notice;
  bool told;
};

/* -- where ------------------------------------------------------------------------ */

/* "NVIDIA H200, sm_90a, 132" as a file's name: nvidia-h200-sm-90a-132. */
static void put_slug(const char *text, struct fs_str *out) {
  bool gap = false;
  for (; *text; text++) {
    char c = (char)tolower((unsigned char)*text);
    bool good = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    if (good && gap) fs_str_puts(out, "-");
    if (good) fs_str_put(out, &c, 1);
    gap = !good;
  }
}

/* -- reading ---------------------------------------------------------------------- */

static bool is_entry(const json_t *e) {
  const char *block = json_string_value(json_object_get(e, "block"));
  const char *choice = json_string_value(json_object_get(e, "choice"));
  return block && choice && strlen(block) == 16 &&
         strspn(block, "0123456789abcdef") == 16 &&
         strlen(choice) <= MOST_CHOICE;
}

static bool is_text(const json_t *o, const char *key, const char *wanted) {
  const char *text = json_string_value(json_object_get(o, key));
  return text && !strcmp(text, wanted);
}

/* Why a file that was read cannot be used, or NULL. */
static const char *wrong_with(const struct fs_tunings *t, const json_t *o) {
  const json_t *list = json_object_get(o, "entries"), *e;
  size_t k;
  if (!json_is_object(o) || !is_text(o, "format", "fusible-tuning"))
    return "is not a file of tuning results";
  if (json_integer_value(json_object_get(o, "version")) != VERSION ||
      !is_text(o, "program", FS_VERSION))
    return "is of another version of Fusible";
  if (!is_text(o, "device", t->device)) return "is of another device";
  if (!json_is_array(list) || json_array_size(list) > FS_TUNINGS_MOST)
    return "is damaged";
  json_array_foreach(list, k, e)
    if (!is_entry(e)) return "is damaged";
  return NULL;
}

/* The entries on disk (a new reference, perhaps an empty list). */
static json_t *read_entries(struct fs_tunings *t, const char **why) {
  struct fs_str text = {0};
  json_t *o = NULL;
  *why = *t->path ? fs_data_read(t->path, MOST_BYTES, &text) : FS_DATA_ABSENT;
  if (!*why) {
    o = json_loadb(fs_str_text(&text), text.len, JSON_REJECT_DUPLICATES, NULL);
    *why = o ? wrong_with(t, o) : "is damaged";
  }
  json_t *list = o && !*why ? json_incref(json_object_get(o, "entries"))
                            : json_array();
  if (*why == FS_DATA_ABSENT) *why = NULL;
  json_decref(o);
  fs_str_free(&text);
  return list;
}

struct fs_tunings *fs_tunings_open(const struct fs_device *device) {
  struct fs_tunings *t = fs_calloc(1, sizeof *t);
  struct fs_str name = {0}, file = {0}, path = {0};
  fs_str_printf(&name, "%s, %s, %d", device->name, device->arch, device->units);
  t->device = name.data;
  fs_str_puts(&file, "tuning-");
  put_slug(t->device, &file);
  fs_str_puts(&file, ".json");
  const char *off = getenv("FUSIBLE_TUNING"), *why;
  bool kept = (!off || strcmp(off, "off")) && fs_ranks() == 1; /* ranks would read it at
                                                                  times of their own */
  if (kept) fs_data_path(file.data, &path);
  fs_str_free(&file);
  t->path = path.data ? path.data : fs_strdup("");
  t->entries = read_entries(t, &why);
  if (why) {
    struct fs_str s = {0};
    fs_str_puts(&s, "the tuning results in ");
    fs_str_put_safe(&s, t->path, strlen(t->path));
    fs_str_printf(&s, " are not used: it %s", why);
    t->notice = s.data;
  }
  return t;
}

void fs_tunings_free(struct fs_tunings *t) {
  if (!t) return;
  json_decref(t->entries);
  free(t->path);
  free(t->device);
  free(t->notice);
  free(t);
}

static int count(const struct fs_tunings *t) {
  return (int)json_array_size(t->entries);
}

const char *fs_tunings_notice(struct fs_tunings *t) {
  if (t->told || !t->notice) return NULL;
  t->told = true;
  return t->notice;
}

static void hex_of(uint64_t block, char out[17]) {
  snprintf(out, 17, "%016llx", (unsigned long long)block);
}

static size_t find(const json_t *list, const char *hex) {
  size_t k = json_array_size(list);
  while (k-- > 0)
    if (is_text(json_array_get(list, k), "block", hex)) return k;
  return json_array_size(list);
}

const char *fs_tunings_choice(const struct fs_tunings *t, uint64_t block) {
  char hex[17];
  hex_of(block, hex);
  const json_t *e = json_array_get(t->entries, find(t->entries, hex));
  return e ? json_string_value(json_object_get(e, "choice")) : NULL;
}

/* -- writing ---------------------------------------------------------------------- */

static void save(struct fs_tunings *t, struct fs_diags *d) {
  if (!*t->path) return;
  json_t *o = json_object();
  json_object_set_new(o, "format", json_string("fusible-tuning"));
  json_object_set_new(o, "version", json_integer(VERSION));
  json_object_set_new(o, "program", json_string(FS_VERSION));
  json_object_set_new(o, "device", json_string(t->device));
  json_object_set(o, "entries", t->entries);
  char *text = json_dumps(o, JSON_INDENT(1) | JSON_REAL_PRECISION(6));
  const char *why = text ? fs_data_write(t->path, text, strlen(text))
                         : "there is no memory for their text";
  if (why)
    fs_warn(d, (struct fs_span){0}, "tuning-file", NULL,
            "the tuning results could not be kept in %s: %s; they hold for this "
            "session", t->path, why);
  free(text);
  json_decref(o);
}

/* What other processes wrote since is taken over before a change. */
static void read_again(struct fs_tunings *t) {
  const char *why;
  if (!*t->path) return;
  json_t *fresh = read_entries(t, &why), *e;
  size_t k;
  json_array_foreach(t->entries, k, e) {
    const char *hex = json_string_value(json_object_get(e, "block"));
    if (find(fresh, hex) == json_array_size(fresh)) json_array_append(fresh, e);
  }
  json_decref(t->entries);
  t->entries = fresh;
}

void fs_tunings_put(struct fs_tunings *t, const struct fs_tuning_result *r,
                    struct fs_diags *d) {
  char hex[17];
  hex_of(r->block, hex);
  read_again(t);
  size_t old = find(t->entries, hex);
  if (old < json_array_size(t->entries)) json_array_remove(t->entries, old);
  json_t *e = json_object();
  json_object_set_new(e, "block", json_string(hex));
  json_object_set_new(e, "choice", json_string(r->choice));
  json_object_set_new(e, "rank", json_integer(r->rank));
  json_object_set_new(e, "predicted", json_real(r->predicted));
  json_object_set_new(e, "measured", json_real(r->measured));
  json_object_set_new(e, "first", json_real(r->first));
  json_array_append_new(t->entries, e);
  while (json_array_size(t->entries) > FS_TUNINGS_MOST)
    json_array_remove(t->entries, 0);
  save(t, d);
}

int fs_tunings_forget(struct fs_tunings *t, uint64_t block,
                      struct fs_diags *d) {
  char hex[17];
  hex_of(block, hex);
  read_again(t);
  int before = count(t);
  size_t k = find(t->entries, hex);
  if (!block) json_array_clear(t->entries);
  else if (k < json_array_size(t->entries)) json_array_remove(t->entries, k);
  int gone = before - count(t);
  bool foreign = t->notice && !block; /* `forget all` also clears such a file */
  if (gone || foreign) save(t, d);
  return gone;
}

uint64_t fs_tunings_mark(const struct fs_tunings *t) {
  size_t k;
  json_t *entry;
  uint64_t mark = 0;
  json_array_foreach(t->entries, k, entry) {
    const char *block = json_string_value(json_object_get(entry, "block"));
    const char *choice = json_string_value(json_object_get(entry, "choice"));
    if (!block || !choice) continue;
    mark ^= fs_hash(block, strlen(block), fs_hash(choice, strlen(choice), 1));
  }
  return mark;
}
