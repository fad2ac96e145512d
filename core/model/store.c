/* store.c - calibrations as files: JSON with a version and the device's key. What
 * is read is checked number by number, since a file may be anything. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>

#include "core/base/datafile.h"
#include "core/model/calibration.h"
#include "core/model/device.h"

enum { LARGEST_FILE = 1 << 20 };
static const double LARGEST_COST = 1e3;    /* seconds */
static const double LARGEST_FLOPS = 1e18;

/* -- the key of a device ------------------------------------------------------ */

static json_t *device_key(const struct fs_device *d) {
  return json_pack("{s:s, s:s, s:s, s:s, s:i}", "name", d->name, "arch", d->arch,
                   "driver", d->driver, "program", FS_VERSION, "units",
                   d->units);
}

/* What the costs of a device like it follow from (reference.c). */
static json_t *attributes(const struct fs_device *d) {
  return json_pack("{s:I, s:f, s:f, s:f}", "cache_bytes", (json_int_t)d->cache_bytes,
                   "bandwidth", d->bandwidth, "cache_bandwidth", d->cache_bandwidth,
                   "flops", d->flops);
}

uint64_t fs_device_hash(const struct fs_device *d) {
  uint64_t h = fs_hash(d->name, strlen(d->name), 1);
  h = fs_hash(d->arch, strlen(d->arch), h);
  h = fs_hash(d->driver, strlen(d->driver), h);
  return fs_hash(&d->units, sizeof d->units, h);
}

static bool same_device(const json_t *key, const struct fs_device *d) {
  json_t *mine = device_key(d);
  bool same = json_equal(mine, key);
  json_decref(mine);
  return same;
}

bool fs_calibration_path(const struct fs_device *device, struct fs_str *out) {
  char name[64];
  snprintf(name, sizeof name, "calibration-%016llx.json",
           (unsigned long long)fs_device_hash(device));
  return fs_data_path(name, out);
}

/* -- writing ---------------------------------------------------------------------- */

static json_t *curves_object(const struct fs_calibration *c) {
  json_t *o = json_object();
  char name[40];
  for (int m = 0; m < FS_MOVES; m++) {
    json_t *a = json_array();
    for (int k = 0; k < FS_KNOTS; k++)
      json_array_append_new(a, json_real(c->curve[m][k]));
    fs_term_name((enum fs_term)(FS_TM_SYNC_END + m), name);
    json_object_set_new(o, name, a);
  }
  return o;
}

static json_t *costs_object(const struct fs_calibration *c) {
  json_t *o = json_object();
  char name[40];
  for (unsigned t = 0; t < FS_TM_COUNT; t++) {
    if (t >= FS_TM_SYNC_END && t < FS_TM_MOVE_END) continue;
    fs_term_name((enum fs_term)t, name);
    json_object_set_new(o, name, json_real(c->cost[t]));
  }
  return o;
}

static json_t *point_array(const struct fs_kind_point *p) {
  json_t *a = json_array();
  for (int k = 0; k < FS_KIND_DIMS; k++)
    json_array_append_new(a, json_real(round(100 * (double)p->at[k]) / 100));
  json_array_append_new(a, json_real((double)p->log_ratio));
  return a;
}

static json_t *kinds_object(const struct fs_calibration *c) {
  json_t *o = json_object();
  for (int k = 0; k < c->n_kinds; k++) {
    const struct fs_kind_table *t = &c->kinds[k];
    json_t *a = json_array();
    for (int i = t->first; i < t->first + t->n; i++)
      json_array_append_new(a, point_array(&c->points[i]));
    json_object_set_new(o, t->name, a);
  }
  return o;
}

static json_t *library_array(const struct fs_calibration *c) {
  json_t *list = json_array();
  for (int op = 0; op < FS_LIB_OP_COUNT; op++)
    for (int a = 0; a < FS_AR_COUNT; a++)
      for (int k = 0; k < c->library[op][a].n; k++) {
        const struct fs_lib_point *p = &c->library[op][a].at[k];
        json_array_append_new(
            list, json_pack("{s:s, s:s, s:f, s:f}", "call", fs_lib_op_names[op],
                            "type", fs_arith_names[a], "flops", p->flops, "seconds",
                            p->seconds));
      }
  return list;
}

static json_t *calls_array(const struct fs_calibration *c) {
  json_t *list = json_array();
  char hash[20];
  for (int k = 0; k < c->n_calls; k++) {
    snprintf(hash, sizeof hash, "%016llx", (unsigned long long)c->call[k].hash);
    json_array_append_new(list, json_pack("{s:s, s:f, s:f}", "function", hash,
                                          "seconds", c->call[k].seconds, "delay",
                                          c->call[k].delay));
  }
  return list;
}

char *fs_calibration_text(const struct fs_calibration *c, const struct fs_device *device) {
  json_t *o = json_pack(
      "{s:s, s:i, s:o, s:o, s:s, s:f, s:f, s:i, s:f, s:f, s:f, s:o, s:o, s:o, s:o, s:o}",
      "what", "fusible calibration", "version", FS_CALIBRATION_VERSION, "device",
      device_key(device), "attributes", attributes(device), "date", c->date,
      "overlap", c->overlap, "error", c->error, "samples", c->samples, "reach",
      c->reach, "follow", c->follow, "barrier", c->barrier, "costs", costs_object(c), "curves",
      curves_object(c), "library", library_array(c), "kinds", kinds_object(c),
      "calls", calls_array(c));
  char *text = json_dumps(o, JSON_INDENT(1) | JSON_REAL_PRECISION(9));
  json_decref(o);
  return text;
}

const char *fs_calibration_save(const struct fs_calibration *c, const struct fs_device *device) {
  struct fs_str path = {0};
  if (!fs_calibration_path(device, &path)) return "there is no home folder";
  char *text = fs_calibration_text(c, device);
  const char *why = text ? fs_data_write(path.data, text, strlen(text))
                         : "it has numbers that cannot be";
  free(text);
  fs_str_free(&path);
  return why;
}

/* -- reading ------------------------------------------------------------------------ */

static bool number(const json_t *v, double most, double *out) {
  if (!json_is_number(v)) return false;
  *out = json_number_value(v);
  return isfinite(*out) && *out >= 0 && *out <= most;
}

/* A term that is younger than the file costs nothing. */
static bool read_costs(const json_t *o, struct fs_calibration *c) {
  char name[40];
  for (unsigned t = 0; t < FS_TM_COUNT; t++) {
    if (t >= FS_TM_SYNC_END && t < FS_TM_MOVE_END) continue;
    fs_term_name((enum fs_term)t, name);
    const json_t *cost = json_object_get(o, name);
    if (cost && !number(cost, LARGEST_COST, &c->cost[t])) return false;
  }
  return json_object_size(o) > 0;
}

static bool read_curves(const json_t *o, struct fs_calibration *c) {
  char name[40];
  for (int m = 0; m < FS_MOVES; m++) {
    fs_term_name((enum fs_term)(FS_TM_SYNC_END + m), name);
    const json_t *a = json_object_get(o, name);
    if (json_array_size(a) != FS_KNOTS) return false;
    for (size_t k = 0; k < FS_KNOTS; k++)
      if (!number(json_array_get(a, k), 1, &c->curve[m][k])) return false;
  }
  return true;
}

static int index_of(const char *name, const char *const *names, int n) {
  for (int k = 0; name && k < n; k++)
    if (!strcmp(names[k], name)) return k;
  return -1;
}

static bool read_library(const json_t *list, struct fs_calibration *c) {
  size_t i;
  json_t *p;
  if (!json_is_array(list)) return false;
  json_array_foreach(list, i, p) {
    const char *call = json_string_value(json_object_get(p, "call"));
    const char *type = json_string_value(json_object_get(p, "type"));
    int op = index_of(call, fs_lib_op_names, FS_LIB_OP_COUNT);
    int a = index_of(type, fs_arith_names, FS_AR_COUNT);
    if (op < 0 || a < 0) return false;
    struct fs_lib_table *t = &c->library[op][a];
    if (t->n == FS_LIB_POINTS) return false;
    struct fs_lib_point *at = &t->at[t->n];
    if (!number(json_object_get(p, "flops"), LARGEST_FLOPS, &at->flops) ||
        !number(json_object_get(p, "seconds"), LARGEST_COST, &at->seconds))
      return false;
    if (!(at->flops > 0) || !(at->seconds > 0)) return false;
    if (t->n && (at->flops <= at[-1].flops || at->seconds < at[-1].seconds))
      return false;
    t->n++;
  }
  return true;
}

static bool read_points(const json_t *list, struct fs_kind_table *t, struct fs_calibration *c) {
  size_t i;
  json_t *point;
  if (!json_array_size(list)) return false;
  t->first = c->n_points;
  json_array_foreach(list, i, point) {
    if (c->n_points == FS_KIND_POINTS || json_array_size(point) != FS_KIND_DIMS + 1)
      return false;
    struct fs_kind_point *p = &c->points[c->n_points++];
    for (int k = 0; k < FS_KIND_DIMS; k++) {
      double x;
      if (!number(json_array_get(point, (size_t)k), 64, &x)) return false;
      p->at[k] = (float)x;
    }
    const json_t *ratio = json_array_get(point, FS_KIND_DIMS);
    p->log_ratio = (float)json_number_value(ratio);
    if (!json_is_number(ratio) || !(fabsf(p->log_ratio) <= FS_MOST_LOG_RATIO))
      return false;
    t->n++;
  }
  return true;
}

static bool read_kinds(const json_t *o, struct fs_calibration *c) {
  const char *name;
  json_t *list;
  if (!json_is_object(o)) return false;
  json_object_foreach((json_t *)o, name, list) {
    if (c->n_kinds == FS_KINDS || strlen(name) >= FS_KIND_NAME) return false;
    struct fs_kind_table *t = &c->kinds[c->n_kinds++];
    memcpy(t->name, name, strlen(name) + 1);
    if (!read_points(list, t, c)) return false;
  }
  return true;
}

/* Absent in files of programs that did not measure them. */
static bool read_calls(const json_t *list, struct fs_calibration *c) {
  size_t i;
  json_t *p;
  if (!list) return true;
  if (!json_is_array(list) || json_array_size(list) > FS_CALLS) return false;
  json_array_foreach(list, i, p) {
    const char *hash = json_string_value(json_object_get(p, "function"));
    double seconds, delay;
    if (!hash || strlen(hash) != 16 ||
        strspn(hash, "0123456789abcdef") != 16 ||
        !number(json_object_get(p, "seconds"), LARGEST_COST, &seconds) ||
        !number(json_object_get(p, "delay"), LARGEST_COST, &delay))
      return false;
    fs_call_keep(c, strtoull(hash, NULL, 16), seconds, delay);
  }
  return true;
}

static bool read_date(const json_t *v, struct fs_calibration *c) {
  const char *s = json_string_value(v);
  if (!s || strlen(s) != 10) return false;
  for (int k = 0; k < 10; k++)
    if (k == 4 || k == 7 ? s[k] != '-' : s[k] < '0' || s[k] > '9') return false;
  snprintf(c->date, sizeof c->date, "%s", s);
  snprintf(c->quality, sizeof c->quality, "calibrated %s", s);
  return true;
}

static const char *read_object(const json_t *o, const struct fs_device *device,
                               struct fs_calibration *c) {
  double version, samples;
  const char *what = json_string_value(json_object_get(o, "what"));
  memset(c, 0, sizeof *c);
  if (!what || strcmp(what, "fusible calibration")) return "is no calibration";
  if (!number(json_object_get(o, "version"), 1e6, &version) || version != FS_CALIBRATION_VERSION)
    return "is of another version of the program";
  if (device && !same_device(json_object_get(o, "device"), device))
    return "is of another device, driver or version of the program";
  if (!read_date(json_object_get(o, "date"), c) ||
      !number(json_object_get(o, "overlap"), 1, &c->overlap) ||
      !number(json_object_get(o, "error"), 1e6, &c->error) ||
      !number(json_object_get(o, "samples"), 1e6, &samples) ||
      !number(json_object_get(o, "follow"), LARGEST_COST, &c->follow) ||
      !number(json_object_get(o, "barrier"), LARGEST_COST, &c->barrier) ||
      !read_costs(json_object_get(o, "costs"), c) ||
      !read_curves(json_object_get(o, "curves"), c) ||
      !read_library(json_object_get(o, "library"), c) ||
      !read_kinds(json_object_get(o, "kinds"), c) ||
      !read_calls(json_object_get(o, "calls"), c))
    return "has numbers that cannot be";
  const json_t *reach = json_object_get(o, "reach"); /* of files from before: not known */
  if (reach && !number(reach, 1e15, &c->reach)) return "has numbers that cannot be";
  c->samples = (int)samples;
  c->measured = c->fits = true;
  return NULL;
}

static json_t *object_of(const char *text, size_t len) {
  json_error_t error;
  json_t *o = json_loadb(text, len, JSON_REJECT_DUPLICATES, &error);
  if (json_is_object(o)) return o;
  json_decref(o);
  return NULL;
}

static void read_device(const json_t *key, const json_t *known, struct fs_device *device) {
  *device = (struct fs_device){
      .units = (int)json_integer_value(json_object_get(key, "units")),
      .cache_bytes = json_integer_value(json_object_get(known, "cache_bytes")),
      .bandwidth = json_number_value(json_object_get(known, "bandwidth")),
      .cache_bandwidth = json_number_value(json_object_get(known, "cache_bandwidth")),
      .flops = json_number_value(json_object_get(known, "flops"))};
}

/* An object of a file's first objects, which have none in them; NULL: there is none. */
static json_t *first_object(const char *text, size_t len, const char *name) {
  char word[40];
  snprintf(word, sizeof word, "\"%s\": {", name);
  const char *begin = strstr(text, word);
  const char *end = begin ? strchr(begin, '}') : NULL;
  if (!end || (size_t)(end - text) >= len) return NULL;
  begin = strchr(begin, '{');
  return json_loadb(begin, (size_t)(end - begin) + 1, 0, NULL);
}

void fs_calibration_reference_device(const char *text, size_t len, struct fs_device *device) {
  json_t *key = first_object(text, len, "device");
  json_t *known = first_object(text, len, "attributes");
  read_device(key, known, device);
  json_decref(key);
  json_decref(known);
}

const char *fs_calibration_parse_reference(const char *text, size_t len,
                                           struct fs_device *device,
                                           struct fs_calibration *out) {
  json_t *o = object_of(text, len);
  read_device(json_object_get(o, "device"), json_object_get(o, "attributes"), device);
  const char *why = o ? read_object(o, NULL, out) : "is damaged";
  json_decref(o);
  return why;
}

struct fs_calibration *fs_calibration_load(const struct fs_device *device, struct fs_str *notice) {
  struct fs_str path = {0}, text = {0};
  if (!fs_calibration_path(device, &path)) return NULL;
  struct fs_calibration *c = fs_calloc(1, sizeof *c);
  const char *why = fs_data_read(path.data, LARGEST_FILE, &text);
  json_t *o = why ? NULL : object_of(fs_str_text(&text), text.len);
  if (!why) why = o ? read_object(o, device, c) : "is damaged";
  json_decref(o);
  if (why && why != FS_DATA_ABSENT)
    fs_str_printf(notice, "the calibration %s was not used: it %s; `:calibrate` "
                  "makes a new one", path.data, why);
  fs_str_free(&path);
  fs_str_free(&text);
  if (!why) return c;
  free(c);
  return NULL;
}
