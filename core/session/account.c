/* account.c - where the time of an input went, as one object that the events carry
 * and the views draw (docs/events.md, "account"). */
#include "core/session/internal.h"

#include <math.h>

#include "core/base/account.h"
#include "core/view/describe.h"

/* On a device that works beside the host, what is waited for is divided by the device's own
 * clocks: late values were started first. */
static void divide_waiting(struct fs_session *s, double *seconds, double late) {
  if (fs_runner_waits(fs_session_runner(s))) return;
  double waited = seconds[FS_PART_LATE] + seconds[FS_PART_KERNELS];
  seconds[FS_PART_LATE] = FS_MIN(late, waited);
  seconds[FS_PART_KERNELS] = waited - seconds[FS_PART_LATE];
}

static void put_late(const fs_plan_records *list, json_t *values, double *seconds) {
  for (int k = 0; k < list->len; k++) {
    const struct fs_plan_record *r = list->data[k];
    put_late(&r->late, values, seconds);
    if (!r->is_late) continue;
    json_t *o = json_object();
    json_object_set_new(o, "name", r->name ? json_string(r->name) : json_null());
    json_object_set_new(o, "block", json_integer(r->user_number));
    json_object_set_new(o, "seconds", r->all.n ? json_real(r->all.sum) : json_null());
    json_array_append_new(values, o);
    *seconds += r->all.sum;
  }
}

static void put_number(json_t *o, const char *key, double x) {
  json_object_set_new(o, key, fs_json_known(x));
}

/* Of one block the median and the spread are those of its plan. */
static json_t *kernels_object(const struct fs_session *s, const struct fs_totals *t) {
  const struct fs_plan_record *only =
      s->records.len == 1 && !s->dropped.blocks ? s->records.data[0] : NULL;
  const struct fs_times *times = only && only->warm.n ? &only->warm : &s->kernels;
  json_t *o = json_object();
  json_object_set_new(o, "runs", json_integer(t->runs - t->late_runs));
  json_object_set_new(o, "timed", json_integer(t->timed - t->late_timed));
  put_number(o, "sum", s->kernels.sum);
  put_number(o, "median", fs_times_quantile(times, 0.5));
  put_number(o, "low", fs_times_quantile(times, 0.1));
  put_number(o, "high", fs_times_quantile(times, 0.9));
  return o;
}

static void put_totals(json_t *o, const struct fs_totals *t) {
  json_object_set_new(o, "blocks", json_integer(t->blocks));
  json_object_set_new(o, "launches", json_integer((json_int_t)t->launches));
  json_object_set_new(o, "bytes", fs_json_bytes(t->moves));
  put_number(o, "first", t->first);
  put_number(o, "predicted", t->predicted);
  put_number(o, "measured", t->timed ? t->measured : NAN);
  put_number(o, "ratio", t->warm_predicted > 0 ? t->warm / t->warm_predicted : NAN);
}

json_t *fs_session_account(struct fs_session *s, double wall) {
  static const struct { const char *name; enum fs_part part; } parts[] = {
    {"late", FS_PART_LATE}, {"planning", FS_PART_PLANNING},
    {"compiling", FS_PART_COMPILING}, {"touch", FS_PART_TOUCH},
    {"kernels", FS_PART_KERNELS}, {"copies", FS_PART_COPIES}, {"host", FS_PART_HOST}};
  struct fs_totals totals = s->dropped;
  double seconds[FS_PARTS], late = 0;
  json_t *o = json_object(), *values = json_array();
  memcpy(seconds, fs_account.seconds, sizeof seconds);
  put_late(&s->records, values, &late);
  divide_waiting(s, seconds, late);
  for (int k = 0; k < s->records.len; k++)
    fs_session_add_up(s, s->records.data[k], &totals);
  put_number(o, "wall", wall);
  for (size_t k = 0; k < FS_LEN(parts); k++)
    put_number(o, parts[k].name, seconds[parts[k].part]);
  json_object_set_new(o, "late_values", values);
  json_object_set_new(o, "runs", kernels_object(s, &totals));
  put_totals(o, &totals);
  return o;
}
