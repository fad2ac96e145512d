/* follow.c - a rank that follows: the session of a process that does what the leader is told. */
#include <stdio.h>

#include "core/session/order.h"

bool fs_session_join(const char **error) { return fs_ranks_join(error); }
bool fs_session_follows(void) { return fs_rank() > 0; }
bool fs_session_joined(void) { return fs_ranks() > 1; }

/* Nobody looks at what a follower says. */
static void drop_event(void *user, const json_t *event) {
  (void)user;
  (void)event;
}

static char *no_answer(void *user, const char *prompt, bool secret) {
  (void)user;
  (void)prompt;
  (void)secret;
  return NULL;
}

static void obey(struct fs_session *s, const struct fs_order *o) {
  char *name = fs_calloc(o->name + 1, 1), *text = fs_calloc(o->text + 1, 1);
  struct fs_diags *d = &s->diags;
  if (!fs_ranks_share(name, o->name, d) && !fs_ranks_share(text, o->text, d)) {
    fs_interp_set_random(s->in, o->random[0], o->random[1]);
    if (o->what == FS_ORDER_EVAL) fs_session_eval(s, name, text, o->text, o->flags);
    if (o->what == FS_ORDER_DEFINE) fs_session_define(s, name, text);
    if (o->what == FS_ORDER_SET) fs_session_set(s, name, text);
  }
  free(name);
  free(text);
}

int fs_session_follow(bool started) {
  struct fs_beginning b;
  const char *error = NULL;
  if ((started && !fs_ranks_follow()) || fs_ranks_share(&b, sizeof b, NULL)) return 3;
  struct fs_session_config config = {.target = b.target, .threads = b.threads,
                                     .on_event = drop_event, .ask = no_answer};
  struct fs_session *s = fs_session_new(&config, &error);
  if (!s) {
    fprintf(stderr, "fusible: rank %d: %s\n", fs_rank(), error ? error : "no session");
    fs_ranks_end();
    return 3;
  }
  struct fs_order o;
  while (!fs_ranks_share(&o, sizeof o, &s->diags) && o.what != FS_ORDER_LEAVE) obey(s, &o);
  fs_session_free(s);
  return 0;
}
