/* events.c - what a session tells its front end: texts, diagnostics, notes; and its
 * history. */
#include <stdio.h>

#include "core/session/internal.h"


/* The front end's frames are not to be jumped over (it may hold locks): it has a
 * handler of its own, or the memory that it cannot get ends the process. */
void fs_session_emit(struct fs_session *s, json_t *gives) {
  jmp_buf *guard = fs_oom_guard(NULL);
  if (gives && s->config.on_event)
    s->config.on_event(s->config.user, gives);
  fs_oom_guard(guard);
  json_decref(gives);
}

void fs_session_say(struct fs_session *s, const char *stream, const char *text,
                    size_t len) {
  if (!len) return;
  json_t *e = json_object();
  json_object_set_new(e, "event", json_string("text"));
  json_object_set_new(e, "stream", json_string(stream));
  json_object_set_new(e, "text", fs_json_text(text, len));
  fs_session_emit(s, e);
}

void fs_session_answer(struct fs_session *s, const char *stream,
                       struct fs_str *text) {
  char *p = text->data;
  while (s->show.ascii && p && (p = strstr(p, "\u00b5s"))) {
    *p++ = 'u';
    memmove(p, p + 1, strlen(p));
    text->len--;
  }
  fs_session_say(s, stream, fs_str_text(text), text->len);
}

static void emit_diag(struct fs_session *s, const struct fs_diag *d) {
  static const char *const severities[] = {"note", "warning", "error"};
  struct fs_str picture = {0};
  json_t *e = json_object();
  json_object_set_new(e, "event", json_string("diagnostic"));
  json_object_set_new(e, "severity", json_string(severities[d->severity]));
  fs_set_text(e, "id", d->id);
  const struct fs_source *source =
      d->span.source ? fs_source_get(&s->diags, d->span.source) : NULL;
  if (source) {
    int line, column;
    fs_span_position(&s->diags, d->span, &line, &column);
    fs_set_text(e, "source", source->name);
    json_object_set_new(e, "line", json_integer(line));
    json_object_set_new(e, "column", json_integer(column));
  }
  fs_set_text(e, "message", d->message);
  fs_set_text(e, "hint", d->hint);
  fs_diag_render(&s->diags, d, &picture);
  json_object_set_new(e, "rendered",
                      fs_json_text(fs_str_text(&picture), picture.len));
  fs_str_free(&picture);
  fs_session_emit(s, e);
}

void fs_session_emit_diags(struct fs_session *s) {
  for (int k = 0; k < s->diags.list.len; k++)
    emit_diag(s, &s->diags.list.data[k]);
  fs_diags_clear(&s->diags);
}

void fs_session_note(struct fs_session *s, const char *id, const char *fmt,
                     ...) {
  struct fs_str text = {0};
  va_list args;
  va_start(args, fmt);
  fs_str_vprintf(&text, fmt, args);
  va_end(args);
  json_t *e = json_object();
  json_object_set_new(e, "event", json_string("diagnostic"));
  json_object_set_new(e, "severity", json_string("note"));
  json_object_set_new(e, "id", json_string(id));
  fs_set_text(e, "message", fs_str_text(&text));
  fs_str_free(&text);
  fs_session_emit(s, e);
}
