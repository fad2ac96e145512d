/* session_mirror.c - a session that answers for one in another process (worker.h):
 * it parses, completes and helps by itself, and knows that one's variables and
 * settings from what session_worker.c tells after each input. */
#include "core/session_internal.h"

void fs_mirror_update(struct fs_session *s, const json_t *state) {
  struct fs_mirror *m = &s->mirror;
  size_t k;
  json_t *name;
  if (!m->variables) m->variables = json_object();
  if (!m->settings) m->settings = json_object();
  json_object_update(m->variables, json_object_get(state, "vars"));
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
