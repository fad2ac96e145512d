/* work_json.c - see work_json.h. */
#include "core/session/work_json.h"

#include <stdio.h>

json_t *fs_work_json(const struct fs_work *w) {
  json_t *terms = json_array();
  char name[40];
  for (int k = 0; k < w->n_amounts; k++) {
    fs_term_name((enum fs_term)w->amounts[k].term, name);
    json_array_append_new(terms, json_pack("[s, i, f]", name,
                                           (int)w->amounts[k].phase,
                                           w->amounts[k].amount));
  }
  const struct fs_spread *s = &w->spread;
  json_t *spread = json_pack("[f, f, f, f, f, f, f]", s->tasks, s->resident,
                             s->sharing, s->threads, s->under_way, s->waits, s->parts);
  return json_pack("{s:i, s:s, s:b, s:i, s:i, s:f, s:f, s:f, s:f, s:f, s:f, s:f, "
                   "s:f, s:b, s:b, s:b, s:o, s:o}",
                   "scheme", (int)w->scheme, "pattern", w->pattern, "library",
                   (int)w->library, "lib_op", (int)w->lib_op, "arith",
                   (int)w->arith, "flops", w->flops, "read", w->bytes_read,
                   "written", w->bytes_written, "strided", w->bytes_strided,
                   "working_set", w->working_set, "parallel", w->parallel,
                   "special", w->special, "rows", w->rows, "uneven",
                   (int)w->uneven, "past", (int)w->past, "shifted", (int)w->shifted,
                   "spread", spread,
                   "terms", terms);
}

static bool read_terms(const json_t *list, struct fs_work *w) {
  size_t k;
  json_t *t;
  if (!json_is_array(list) || json_array_size(list) > FS_WORK_AMOUNTS) return false;
  json_array_foreach(list, k, t) {
    const char *name = json_string_value(json_array_get(t, 0));
    enum fs_term term = name ? fs_term_of_name(name) : FS_TM_COUNT;
    json_int_t phase = json_integer_value(json_array_get(t, 1));
    if (term == FS_TM_COUNT || phase < 0 || phase >= FS_WORK_PHASES) return false;
    w->amounts[w->n_amounts++] =
        (struct fs_amount){json_number_value(json_array_get(t, 2)), (uint16_t)term,
                           (uint8_t)phase};
  }
  return true;
}

bool fs_work_read(const json_t *o, struct fs_work *w) {
  const char *pattern = json_string_value(json_object_get(o, "pattern"));
  json_t *spread = json_object_get(o, "spread");
  struct fs_spread *s = &w->spread;
  double *const shares[] = {&s->tasks, &s->resident, &s->sharing, &s->threads,
                            &s->under_way, &s->waits, &s->parts};
  const struct {
    const char *key;
    double *to;
  } numbers[] = {{"flops", &w->flops}, {"read", &w->bytes_read},
                 {"written", &w->bytes_written}, {"strided", &w->bytes_strided},
                 {"working_set", &w->working_set}, {"parallel", &w->parallel},
                 {"special", &w->special}, {"rows", &w->rows}};
  *w = (struct fs_work){0};
  if (!pattern || json_array_size(spread) != FS_LEN(shares)) return false;
  snprintf(w->pattern, sizeof w->pattern, "%s", pattern);
  for (size_t k = 0; k < FS_LEN(shares); k++)
    *shares[k] = json_number_value(json_array_get(spread, k));
  for (size_t k = 0; k < FS_LEN(numbers); k++)
    *numbers[k].to = json_number_value(json_object_get(o, numbers[k].key));
  w->scheme = (uint8_t)json_integer_value(json_object_get(o, "scheme"));
  w->lib_op = (uint8_t)json_integer_value(json_object_get(o, "lib_op"));
  w->arith = (uint8_t)json_integer_value(json_object_get(o, "arith"));
  w->library = json_is_true(json_object_get(o, "library"));
  w->uneven = json_is_true(json_object_get(o, "uneven"));
  w->shifted = json_is_true(json_object_get(o, "shifted"));
  w->past = json_is_true(json_object_get(o, "past"));
  w->tiled = w->scheme == 2;
  return w->lib_op < FS_LIB_OP_COUNT && w->arith < FS_AR_COUNT &&
         read_terms(json_object_get(o, "terms"), w);
}
