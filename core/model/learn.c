/* learn.c - see learn.h. */
#include "core/model/learn.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "core/base/datafile.h"

enum {
  VERSION = 4, MOST_ENTRIES = 4096, LARGEST_FILE = 1 << 20,
  WRITE_EVERY = 500 /* observations */
};
/* An observation counts for at least this share of the factor, and moves it no
 * further than a factor of two would. */
static const double LEAST_SHARE = 0.1, LARGEST_LOG = 0.6931471805599453;
/* A kernel that has not run is corrected as if so many others of its kind had run as
 * predicted: on a calibrated device the errors of two kernels of a kind have little in
 * common. Single kernels over 50 us of bench/prediction, in its order (H200, 2026-11-28), 95 %
 * within: without correction 10.3 %; with 0 such kernels 25.8 %, 2 20.0, 4 17.4, 8 13.8, 16 9.5. */
static const double AS_PREDICTED = 16;

/* Of a kernel ("row rows f32 light 2^24 #5f0c..."), or of registers: its factor, and how often
 * it was seen. Of a kind: the factor of a kernel that has not run, and of how many it is. */
struct entry {
  char name[FS_LEARNED_NAME];
  double log_factor, count;
};

struct fs_learned {
  struct fs_device device;
  FS_VEC(struct entry) entries; /* by name */
  int unwritten;
};

void fs_learned_name(const struct fs_work *w, char name[FS_LEARNED_NAME]) {
  const double does[] = {w->bytes_read, w->bytes_written, w->bytes_extra, w->bytes_near,
                         w->flops,      w->special,       w->parallel,    w->rows};
  double bytes = FS_MAX(w->bytes_read + w->bytes_written, 1);
  int size = (int)(log2(w->library ? FS_MAX(w->flops, 1) : bytes) / 2) * 2;
  struct fs_kind kind = fs_kind_of(w);
  char words[FS_KIND_NAME];
  fs_kind_name(&kind, words);
  snprintf(name, FS_LEARNED_NAME, "%s 2^%d #%016llx", words, size,
           (unsigned long long)fs_hash(does, sizeof does, 0));
}

/* Makes the name of a kernel that of its kind. */
static void cut(char *name) {
  char *hash = strchr(name, '#');
  if (hash) hash[-1] = 0;
}

static int by_name(const void *name, const void *e) {
  return strcmp(name, ((const struct entry *)e)->name);
}

static struct entry *find(const struct fs_learned *l, const char *name) {
  if (!l || !l->entries.len) return NULL;
  return bsearch(name, l->entries.data, (size_t)l->entries.len, sizeof(struct entry), by_name);
}

/* NULL: there is no room for another one. */
static struct entry *find_or_add(struct fs_learned *l, const char *name) {
  struct entry *e = find(l, name);
  if (e || l->entries.len == MOST_ENTRIES) return e;
  for (e = FS_PUSH(&l->entries); e > l->entries.data && by_name(name, e - 1) < 0; e--) *e = e[-1];
  *e = (struct entry){.log_factor = 0};
  snprintf(e->name, sizeof e->name, "%s", name);
  return e;
}

static double bounded(double x) {
  return FS_MAX(-LARGEST_LOG, FS_MIN(LARGEST_LOG, x));
}

static void name_registers(const struct fs_work *w, char name[FS_LEARNED_NAME]) {
  static const char *const schemes[8] = {"flat",     "row",   "tile",  "library",
                                         "instance", "march", "other", "other"};
  snprintf(name, FS_LEARNED_NAME, "registers %s %s", schemes[w->scheme & 7],
           fs_arith_names[w->arith & 3]);
}

double fs_learned_factor_of(const struct fs_learned *l, const char *kernel) {
  const struct entry *e = find(l, kernel);
  char kind[FS_LEARNED_NAME];
  snprintf(kind, sizeof kind, "%s", kernel);
  cut(kind);
  if (!e) e = find(l, kind);
  return e ? exp(e->log_factor) : 1;
}

double fs_learned_factor(const struct fs_learned *l, const struct fs_work *work) {
  char name[FS_LEARNED_NAME];
  fs_learned_name(work, name);
  return fs_learned_factor_of(l, name);
}

double fs_learned_registers(const struct fs_learned *l, const struct fs_work *work) {
  char name[FS_LEARNED_NAME];
  name_registers(work, name);
  return fs_learned_factor_of(l, name);
}

/* -- the file ----------------------------------------------------------------- */

static bool path_of(const struct fs_learned *l, struct fs_str *out) {
  char name[64];
  snprintf(name, sizeof name, "learned-%016llx.json",
           (unsigned long long)fs_device_hash(&l->device));
  return fs_data_path(name, out);
}

static bool read_entry(struct fs_learned *l, const char *name, const json_t *pair) {
  double log_factor = json_number_value(json_array_get(pair, 0));
  double count = json_number_value(json_array_get(pair, 1));
  if (json_array_size(pair) != 2 || strlen(name) >= FS_LEARNED_NAME) return false;
  if (!isfinite(log_factor) || fabs(log_factor) > LARGEST_LOG + 1e-9) return false;
  if (!(count > 0) || !(count <= 1e9)) return false;
  struct entry *e = find_or_add(l, name);
  if (e) e->log_factor = bounded(log_factor), e->count = count;
  return e != NULL;
}

static const char *read_file(struct fs_learned *l, const char *text, size_t len) {
  json_error_t error;
  json_t *o = json_loadb(text, len, JSON_REJECT_DUPLICATES, &error), *pair;
  const char *why = json_is_object(o) ? NULL : "is damaged", *name;
  const char *device = json_string_value(json_object_get(o, "device"));
  const char *program = json_string_value(json_object_get(o, "program"));
  json_t *entries = json_object_get(o, "entries");
  if (!why && json_integer_value(json_object_get(o, "version")) != VERSION)
    why = "is of another version of the program";
  if (!why && (!device || strcmp(device, l->device.name) || !program ||
               strcmp(program, FS_VERSION)))
    why = "is of another device or version of the program";
  if (!why && !json_is_object(entries)) why = "is damaged";
  if (!why) json_object_foreach(entries, name, pair) {
    if (read_entry(l, name, pair)) continue;
    why = "has numbers that cannot be";
    break;
  }
  json_decref(o);
  if (why) l->entries.len = 0;
  return why;
}

struct fs_learned *fs_learned_open(const struct fs_device *device, struct fs_str *notice) {
  struct fs_learned *l = fs_calloc(1, sizeof *l);
  struct fs_str path = {0}, text = {0};
  l->device = *device;
  l->device.calibration = NULL;
  if (!path_of(l, &path)) return l;
  const char *why = fs_data_read(path.data, LARGEST_FILE, &text);
  if (!why) why = read_file(l, fs_str_text(&text), text.len);
  if (why && why != FS_DATA_ABSENT)
    fs_str_printf(notice, "the learned corrections %s were not used: the file "
                  "%s", path.data, why);
  fs_str_free(&path);
  fs_str_free(&text);
  return l;
}

/* It is a convenience: where it cannot be written, nothing is said. */
static void write_file(struct fs_learned *l) {
  struct fs_str path = {0};
  if (!l->unwritten || !path_of(l, &path)) return;
  json_t *entries = json_object();
  FS_EACH_AT(&l->entries, e)
    json_object_set_new(entries, e->name, json_pack("[f, f]", e->log_factor, e->count));
  json_t *o = json_pack("{s:i, s:s, s:s, s:o}", "version", VERSION, "device",
                        l->device.name, "program", FS_VERSION, "entries", entries);
  char *text = json_dumps(o, JSON_INDENT(1) | JSON_REAL_PRECISION(9));
  if (text) fs_data_write(path.data, text, strlen(text));
  free(text);
  json_decref(o);
  fs_str_free(&path);
  l->unwritten = 0;
}

void fs_learned_close(struct fs_learned *l) {
  if (!l) return;
  write_file(l);
  FS_VEC_FREE(&l->entries);
  free(l);
}

/* -- learning -------------------------------------------------------------------- */

static void observe(struct fs_learned *l, struct entry *e, double ratio) {
  double share = FS_MAX(1 / (e->count + 1), LEAST_SHARE);
  /* An outlier pulls no harder than a factor of two off the present one. */
  double error = bounded(log(ratio) - e->log_factor);
  e->log_factor = bounded(e->log_factor + share * error);
  e->count = FS_MIN(e->count + 1, 1e9);
  if (++l->unwritten >= WRITE_EVERY) write_file(l);
}

void fs_learned_add(struct fs_learned *l, const struct fs_work *work,
                    double first, double measured) {
  double ratio = measured / first;
  char name[FS_LEARNED_NAME];
  if (l && FS_MIN(first, measured) < fs_model_grain(&l->device)) return;
  if (!l || !(first > 0) || !(measured > 0) || !isfinite(ratio)) return;
  fs_learned_name(work, name);
  struct entry *e = find_or_add(l, name);
  if (!e) return;
  double before = e->log_factor;
  bool is_new = e->count == 0;
  observe(l, e, ratio);
  double moved = e->log_factor - before;
  cut(name);
  if (!(e = find_or_add(l, name))) return;
  double all = e->log_factor * (e->count + AS_PREDICTED) + moved;
  e->count += is_new;
  e->log_factor = all / (e->count + AS_PREDICTED);
}

void fs_learned_add_registers(struct fs_learned *l, const struct fs_work *work,
                              int estimated, int taken) {
  char name[FS_LEARNED_NAME];
  if (!l || estimated < 1 || taken < 1) return;
  name_registers(work, name);
  struct entry *e = find_or_add(l, name);
  if (e) observe(l, e, (double)taken / estimated);
}

int fs_learned_count(const struct fs_learned *l) {
  int kinds = 0;
  for (int k = 0; l && k < l->entries.len; k++) kinds += !strchr(l->entries.data[k].name, '#');
  return kinds;
}

void fs_learned_forget(struct fs_learned *l) {
  struct fs_str path = {0};
  if (!l) return;
  l->entries.len = l->unwritten = 0;
  if (path_of(l, &path)) unlink(path.data);
  fs_str_free(&path);
}
