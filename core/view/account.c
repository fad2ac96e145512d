/* account.c - where the time of an input went, as text; see view.h. */
#include <math.h>

#include "core/view/view.h"

static double number(const json_t *o, const char *key) {
  const json_t *v = json_object_get(o, key);
  return json_is_number(v) ? json_number_value(v) : NAN;
}

static void put_late(const json_t *account, const char *sep, const struct fs_look *look,
                     struct fs_str *out) {
  enum { NAMED = 3 };
  const json_t *values = json_object_get(account, "late_values"), *v;
  size_t k, n = json_array_size(values);
  if (!n) return;
  fs_str_puts(out, "late ");
  json_array_foreach(values, k, v) {
    const char *name = json_string_value(json_object_get(v, "name"));
    if (k == NAMED) break;
    fs_str_puts(out, k ? "+" : "");
    fs_str_put_safe(out, name ? name : "value", name ? strlen(name) : 5);
  }
  if (n > NAMED) fs_str_puts(out, look->utf8 ? "+\u2026" : "+...");
  fs_str_puts(out, " ");
  fs_str_put_seconds(out, number(account, "late"));
  fs_str_puts(out, sep);
}

/* "(500 runs: 0.270 ms, 0.250 to 0.310 ms)" or "(12 of 500 runs timed: ...)" */
static void put_runs(const json_t *account, struct fs_str *out) {
  const json_t *runs = json_object_get(account, "runs");
  double n = number(runs, "runs"), timed = number(runs, "timed");
  double low = number(runs, "low"), high = number(runs, "high");
  if (!(n > 1)) return;
  fs_str_puts(out, " (");
  if (timed < n) fs_str_printf(out, "%.0f of ", timed);
  fs_str_printf(out, "%.0f runs%s", n, timed < n ? " timed" : "");
  if (!isnan(low) && json_number_value(json_object_get(account, "blocks")) < 2) {
    fs_str_puts(out, ": median ");
    fs_str_put_seconds(out, number(runs, "median"));
    fs_str_puts(out, ", most ");
    fs_str_put_seconds(out, low);
    fs_str_puts(out, " to ");
    fs_str_put_seconds(out, high);
  }
  fs_str_puts(out, ")");
}

void fs_account_put(const json_t *account, const char *sep, const struct fs_look *look,
                    struct fs_str *out) {
  static const char *const parts[][2] = {
    {"planning", "planning"}, {"compiling", "compiling"}, {"touch", "first touch"},
    {"kernels", "kernels"}, {"copies", "copies"}, {"host", "host"}};
  put_late(account, sep, look, out);
  for (size_t k = 0; k < FS_LEN(parts); k++) {
    fs_str_printf(out, "%s%s ", k ? sep : "", parts[k][1]);
    fs_str_put_seconds(out, number(account, parts[k][0]));
    if (!strcmp(parts[k][0], "kernels")) put_runs(account, out);
  }
}
