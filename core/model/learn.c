/* learn.c - see learn.h. */
#include "core/model/learn.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "core/base/datafile.h"

enum {
  VERSION = 3, KIND_NAME = FS_LEARNED_NAME, MAX_KINDS = 2048, LARGEST_FILE = 1 << 20,
  WRITE_EVERY = 500 /* observations */
};
/* An observation counts for at least this share of the factor, and moves it no
 * further than a factor of two would. */
static const double LEAST_SHARE = 0.1, LARGEST_LOG = 0.6931471805599453;

struct kind {
  char name[KIND_NAME];
  double log_factor;
  double count;
};

struct fs_learned {
  struct fs_device device;
  FS_VEC(struct kind) kinds;
  int unwritten;
};

void fs_learned_name(const struct fs_work *w, char name[FS_LEARNED_NAME]) {
  double bytes = FS_MAX(w->bytes_read + w->bytes_written, 1);
  int size = (int)(log2(w->library ? FS_MAX(w->flops, 1) : bytes) / 2) * 2;
  char kind[FS_KIND_NAME];
  fs_work_kind(w, kind);
  snprintf(name, KIND_NAME, "%s 2^%d", kind, size);
}

static struct kind *find(const struct fs_learned *l, const char *name) {
  for (int k = 0; k < l->kinds.len; k++)
    if (!strcmp(l->kinds.data[k].name, name)) return &l->kinds.data[k];
  return NULL;
}

static double bounded(double x) {
  return FS_MAX(-LARGEST_LOG, FS_MIN(LARGEST_LOG, x));
}

static void name_registers(const struct fs_work *w, char name[KIND_NAME]) {
  static const char *const schemes[8] = {"flat",     "row",   "tile",  "library",
                                         "instance", "march", "other", "other"};
  static const char *const ariths[] = {"f32", "f64", "half", "int"};
  snprintf(name, KIND_NAME, "registers %s %s", schemes[w->scheme & 7], ariths[w->arith & 3]);
}

double fs_learned_factor_of(const struct fs_learned *l, const char *name) {
  const struct kind *k = l ? find(l, name) : NULL;
  return k ? exp(k->log_factor) : 1;
}

double fs_learned_factor(const struct fs_learned *l, const struct fs_work *work) {
  char name[KIND_NAME];
  fs_learned_name(work, name);
  return fs_learned_factor_of(l, name);
}

double fs_learned_registers(const struct fs_learned *l, const struct fs_work *work) {
  char name[KIND_NAME];
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

static bool read_kind(struct fs_learned *l, const char *name, const json_t *pair) {
  double log_factor = json_number_value(json_array_get(pair, 0));
  double count = json_number_value(json_array_get(pair, 1));
  if (json_array_size(pair) != 2 || strlen(name) >= KIND_NAME) return false;
  if (!isfinite(log_factor) || fabs(log_factor) > LARGEST_LOG + 1e-9)
    return false;
  if (!(count > 0) || !(count <= 1e9) || l->kinds.len == MAX_KINDS)
    return false;
  struct kind k = {.log_factor = bounded(log_factor), .count = count};
  memcpy(k.name, name, strlen(name) + 1);
  *FS_PUSH(&l->kinds) = k;
  return true;
}

static const char *read_file(struct fs_learned *l, const char *text, size_t len) {
  json_error_t error;
  json_t *o = json_loadb(text, len, JSON_REJECT_DUPLICATES, &error), *pair;
  const char *why = json_is_object(o) ? NULL : "is damaged", *name;
  const char *device = json_string_value(json_object_get(o, "device"));
  const char *program = json_string_value(json_object_get(o, "program"));
  json_t *kinds = json_object_get(o, "kinds");
  if (!why && json_integer_value(json_object_get(o, "version")) != VERSION)
    why = "is of another version of the program";
  if (!why && (!device || strcmp(device, l->device.name) || !program ||
               strcmp(program, FS_VERSION)))
    why = "is of another device or version of the program";
  if (!why && !json_is_object(kinds)) why = "is damaged";
  if (!why) json_object_foreach(kinds, name, pair) {
    if (read_kind(l, name, pair)) continue;
    why = "has numbers that cannot be";
    break;
  }
  json_decref(o);
  if (why) l->kinds.len = 0;
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
  json_t *kinds = json_object();
  if (!l->unwritten || !path_of(l, &path)) {
    json_decref(kinds);
    return;
  }
  for (int k = 0; k < l->kinds.len; k++)
    json_object_set_new(kinds, l->kinds.data[k].name,
                        json_pack("[f, f]", l->kinds.data[k].log_factor,
                                  l->kinds.data[k].count));
  json_t *o = json_pack("{s:i, s:s, s:s, s:o}", "version", VERSION, "device",
                        l->device.name, "program", FS_VERSION, "kinds", kinds);
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
  FS_VEC_FREE(&l->kinds);
  free(l);
}

/* -- learning -------------------------------------------------------------------- */

static void observe(struct fs_learned *l, const char *name, double ratio) {
  struct kind *k = find(l, name);
  if (!k && l->kinds.len == MAX_KINDS) return;
  if (!k) {
    struct kind fresh = {{0}, 0, 0};
    snprintf(fresh.name, sizeof fresh.name, "%s", name);
    k = FS_PUSH(&l->kinds);
    *k = fresh;
  }
  double share = FS_MAX(1 / (k->count + 1), LEAST_SHARE);
  /* An outlier pulls no harder than a factor of two off the present one. */
  double error = bounded(log(ratio) - k->log_factor);
  k->log_factor = bounded(k->log_factor + share * error);
  k->count = FS_MIN(k->count + 1, 1e9);
  if (++l->unwritten >= WRITE_EVERY) write_file(l);
}

void fs_learned_add(struct fs_learned *l, const struct fs_work *work,
                    double first, double measured) {
  double ratio = measured / first;
  char name[KIND_NAME];
  if (l && FS_MIN(first, measured) < fs_model_grain(&l->device)) return;
  if (!l || !(first > 0) || !(measured > 0) || !isfinite(ratio)) return;
  fs_learned_name(work, name);
  observe(l, name, ratio);
}

void fs_learned_add_registers(struct fs_learned *l, const struct fs_work *work,
                              int estimated, int taken) {
  char name[KIND_NAME];
  if (!l || estimated < 1 || taken < 1) return;
  name_registers(work, name);
  observe(l, name, (double)taken / estimated);
}

int fs_learned_count(const struct fs_learned *l) {
  return l ? l->kinds.len : 0;
}

void fs_learned_forget(struct fs_learned *l) {
  struct fs_str path = {0};
  if (!l) return;
  l->kinds.len = l->unwritten = 0;
  if (path_of(l, &path)) unlink(path.data);
  fs_str_free(&path);
}
