/* mirror.c - a session that answers for one in another process (worker.h):
 * it parses, completes and helps by itself, and knows that one's variables and
 * settings from what worker.c tells after each input. */
#include "core/session/internal.h"

static int by_name(const void *a, const void *b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Objects keep the order in which names came; lists want that of the names. */
static void sort_variables(struct fs_mirror *m) {
  size_t n = json_object_size(m->variables), k = 0;
  const char **names = fs_calloc(n + 1, sizeof *names), *name;
  json_t *sorted = json_object(), *value;
  json_object_foreach(m->variables, name, value) names[k++] = name;
  if (n) qsort(names, n, sizeof *names, by_name);
  for (k = 0; k < n; k++)
    json_object_set(sorted, names[k], json_object_get(m->variables, names[k]));
  free(names);
  json_decref(m->variables);
  m->variables = sorted;
}

void fs_mirror_update(struct fs_session *s, const json_t *state) {
  struct fs_mirror *m = &s->mirror;
  size_t k, before = json_object_size(m->variables);
  json_t *name;
  if (!m->variables) m->variables = json_object();
  if (!m->settings) m->settings = json_object();
  json_object_update(m->variables, json_object_get(state, "vars"));
  if (json_object_size(m->variables) != before) sort_variables(m);
  json_object_update(m->settings, json_object_get(state, "settings"));
  json_array_foreach(json_object_get(state, "gone"), k, name)
    if (json_is_string(name))
      json_object_del(m->variables, json_string_value(name));
}

void fs_mirror_clear(struct fs_session *s) {
  json_object_clear(s->mirror.variables);
}

void fs_mirror_free(struct fs_session *s) {
  json_decref(s->mirror.variables);
  json_decref(s->mirror.settings);
  s->mirror = (struct fs_mirror){NULL};
}
