/* view.c - plans as pictures: `:plan dot`, `svg` and `html`, and what a
 * front end with rich output gets with every plan. All of it is drawn from the
 * plan event. */
#include "core/run/compile.h"
#include "core/plan/plan.h"
#include "core/session/internal.h"


#include "core/eval/files.h"
#include "core/view/view.h"

/* Pictures kept; columns of a box in plain text; combinations told of; seconds that
 * planning may have taken for them to come with every plan. */
enum { PICTURES_KEPT = 64, PLAIN_WIDTH = 100, COMBINATIONS = 3,
       MOST_PICTURE = 64 << 10, /* bytes that go into a notebook */
       TRIVIAL_BYTES = 64 << 10 };
static const double QUICK = 0.01;

/* -- pictures ------------------------------------------------------------------- */

static void drop_picture(struct fs_picture *p) {
  free(p->dot);
  free(p->svg);
}

void fs_session_drop_pictures(struct fs_session *s) {
  for (int k = 0; k < s->pictures.len; k++) drop_picture(&s->pictures.data[k]);
  FS_VEC_FREE(&s->pictures);
}

static struct fs_picture *find_picture(struct fs_session *s, const char *dot,
                                       uint64_t hash) {
  for (int k = 0; k < s->pictures.len; k++)
    if (s->pictures.data[k].hash == hash &&
        !strcmp(s->pictures.data[k].dot, dot))
      return &s->pictures.data[k];
  return NULL;
}

static struct fs_picture *add_picture(struct fs_session *s, const char *dot,
                                      uint64_t hash) {
  struct fs_str svg = {0};
  const char *why = NULL;
  fs_dot_svg(dot, &svg, &why);
  if (s->pictures.len == PICTURES_KEPT) {
    drop_picture(&s->pictures.data[0]);
    memmove(s->pictures.data, s->pictures.data + 1,
            sizeof *s->pictures.data * (PICTURES_KEPT - 1));
    s->pictures.len--;
  }
  char *copy = fs_strdup(dot);
  struct fs_picture *p = FS_PUSH(&s->pictures);
  *p = (struct fs_picture){.hash = hash, .dot = copy, .svg = svg.data,
                           .why = why};
  return p;
}

/* `dot` takes tens of milliseconds, so that a block that runs again has the picture
 * from before. Borrowed until the next call. */
static struct fs_picture *picture(struct fs_session *s, const json_t *plan) {
  struct fs_str dot = {0};
  fs_plan_put_dot(plan, &dot);
  uint64_t hash = fs_hash(dot.data, dot.len, (uint64_t)s->strategy);
  struct fs_picture *p = find_picture(s, dot.data, hash);
  if (!p || (!p->svg && !s->rich)) /* it may have been installed meanwhile */
    p = add_picture(s, dot.data, hash);
  fs_str_free(&dot);
  return p;
}

/* -- what only the session knows -------------------------------------------------- */

static json_t *code_of(struct fs_session *s, const struct fs_block *b) {
  json_t *list = json_array();
  struct fs_target *t = fs_session_target(s);
  for (int k = 0; k < b->plan->kernels.len; k++) {
    const char *why = NULL;
    const struct fs_kernel *kn = &b->plan->kernels.data[k];
    char *text = kn->lib_node ? NULL
        : fs_block_code_text(b, t, k, fs_session_target(s)->ops->form, &why);
    if (text) json_array_append_new(list, fs_json_text(text, strlen(text)));
    free(text);
  }
  return list;
}

/* The event with what is folded away in HTML. */
static json_t *complete(struct fs_session *s, const json_t *event,
                        const struct fs_block *block, const struct fs_picture *p) {
  json_t *all = json_copy((json_t *)(uintptr_t)event);
  if (!block) return all;
  if (p && block->plan->found->plan_seconds < QUICK) /* with the times that are known by now */
    json_object_set_new(all, "alternatives",
                        fs_session_alternatives(s, block->plan, block, COMBINATIONS));
  return all;
}

/* -- rich output -------------------------------------------------------------------- */

static json_t *plain_of(const struct fs_session *s, const json_t *event) {
  struct fs_str text = {0};
  struct fs_look look = {.width = PLAIN_WIDTH, .utf8 = !s->show.ascii};
  fs_plan_put_box(event, &look, &text);
  json_t *o = fs_json_text(fs_str_text(&text), text.len);
  fs_str_free(&text);
  return o;
}

/* A kernel over next to nothing: a picture would take longer than all the rest. */
static bool is_trivial(const json_t *event) {
  double bytes = json_number_value(json_object_get(event, "bytes"));
  return bytes < TRIVIAL_BYTES &&
         json_array_size(json_object_get(event, "kernels")) < 2;
}

/* At the launch nothing is added that takes time: the block is waiting. */
json_t *fs_session_rich_plan(struct fs_session *s, const json_t *event,
                             const struct fs_block *block) {
  struct fs_str html = {0};
  struct fs_picture *p =
      block && !is_trivial(event) ? picture(s, event) : NULL;
  json_t *data = json_object(), *all = complete(s, event, block, p);
  bool drawn = p && p->svg && strlen(p->svg) <= MOST_PICTURE;
  fs_plan_put_html(all, drawn ? p->svg : NULL, &html);
  json_decref(all);
  json_object_set_new(data, "text/plain", plain_of(s, event));
  json_object_set_new(data, "text/html",
                      json_stringn(fs_str_text(&html), html.len));
  json_object_set_new(data, "application/vnd.fusible.plan+json", fs_plan_brief(event));
  fs_str_free(&html);
  json_t *rich = json_copy((json_t *)(uintptr_t)event);
  json_object_set_new(rich, "data", data);
  return rich;
}

/* -- :plan dot, svg, html --------------------------------------------------------------- */

enum fs_status fs_session_save_text(struct fs_session *s, struct fs_words *words,
                                    const char *path, const struct fs_str *text) {
  struct fs_file_ctx ctx = {.diags = &s->diags, .path = path,
                            .span = words->span, .saving = true};
  struct fs_writer w;
  enum fs_status st = fs_writer_open(&ctx, &w);
  if (st) return st;
  st = fs_writer_put(&w, text->data, text->len);
  if (st) {
    fs_writer_drop(&w);
    return st;
  }
  st = fs_writer_commit(&w);
  if (!st) fs_str_printf(words->out, "saved %s\n", path);
  return st;
}

static enum fs_status draw(struct fs_session *s, const char *form,
                           const json_t *plan, const struct fs_block *block,
                           struct fs_str *out) {
  if (!strcmp(form, "graph")) {
    const struct fs_look look = {.width = s->show.width, .utf8 = !s->show.ascii};
    fs_plan_put_graph(plan, &look, out);
    return FS_OK;
  }
  if (!strcmp(form, "dot")) {
    fs_plan_put_dot(plan, out);
    return FS_OK;
  }
  if (!strcmp(form, "mermaid")) {
    fs_plan_put_mermaid(plan, out);
    return FS_OK;
  }
  struct fs_picture *p = picture(s, plan);
  if (!strcmp(form, "svg")) {
    if (!p->svg)
      return fs_env_error(&s->diags, "no-graphviz", NULL, "%s", p->why);
    fs_str_puts(out, p->svg);
    return FS_OK;
  }
  bool here = s->last_runner == fs_session_runner(s);
  json_t *all = complete(s, plan, here ? block : NULL, p);
  if (here && block) json_object_set_new(all, "code", code_of(s, block));
  fs_plan_put_page(all, p->svg, out);
  json_decref(all);
  if (!p->svg) fs_session_note(s, "no-graphviz", "%s", p->why);
  return FS_OK;
}

enum fs_status fs_session_view(struct fs_session *s, struct fs_words *words,
                               const json_t *plan,
                               const struct fs_block *block) {
  struct fs_str text = {0};
  if (words->n > 2) return FS_ERR_USER;
  enum fs_status st = draw(s, words->word[0], plan, block, &text);
  if (!st && words->n == 2) st = fs_session_save_text(s, words, words->word[1], &text);
  else if (!st) fs_str_put(words->out, fs_str_text(&text), text.len);
  fs_str_free(&text);
  return st;
}
