/* builtins_host.c - what happens on the host: text, files, time, seeds. */
#include <ctype.h>
#include <stdio.h>

#include "core/eval/builtins.h"
#include "core/ranks/ranks.h"
#include "core/eval/list.h"
#include "core/eval/files.h"
#include "core/eval/kernel.h"
#include "core/eval/show.h"
#include "core/eval/witness.h"
#include "core/lang/parse.h"

/* -- text ------------------------------------------------------------------ */

/* What stands between two printed values: nothing beside a text, which brings its own
 * blanks; otherwise what keeps them apart. */
static const char *print_gap(const struct fs_val *a, const struct fs_val *b) {
  if (a->kind == FS_V_STRING || b->kind == FS_V_STRING) return "";
  bool lines = (a->kind == FS_V_TENSOR && a->tensor->shape.rank > 0) ||
               (b->kind == FS_V_TENSOR && b->tensor->shape.rank > 0);
  return lines ? "\n" : " ";
}

/* The block that is explained would have to give these. */
static enum fs_status explain_read(struct fs_call *c, int first) {
  bool computed = false;
  for (int k = first; k < c->n; k++) {
    fs_block_show(c->in, NULL, c->args[k], c->arg_spans[k]);
    computed |= c->args[k].kind == FS_V_TENSOR && c->args[k].tensor->state == FS_TS_LAZY;
  }
  return computed ? fs_interp_flush(c->in) : FS_OK;
}

/* Whether C's printf would put the arguments behind the text into it. */
static bool is_format(const struct fs_call *c) {
  if (c->n < 2 || c->args[0].kind != FS_V_STRING) return false;
  const char *at = strchr(c->args[0].string->text, '%');
  at = at ? at + 1 + strspn(at + 1, "-+0123456789.") : "";
  return *at && strchr("dxfegsi", *at);
}

/* What is printed is shown, by the settings; texts that a program makes do not hang on
 * them. */
enum fs_status fs_bi_print(struct fs_call *c) {
  if (c->in->explain) return explain_read(c, 0);
  struct fs_str text = {0};
  struct fs_show_options o = c->in->host.look ? *c->in->host.look
                                              : (struct fs_show_options){0};
  if (o.digits == FS_SHOW_DIGITS) o.digits = 0; /* as in texts, then */
  enum fs_status st = FS_OK;
  if (is_format(c)) fs_tell_other(c->in->diags, FS_OTHER_FORMAT, c->arg_spans[0]);
  for (int k = 0; k < c->n && st == FS_OK; k++) {
    if (k) fs_str_puts(&text, print_gap(&c->args[k - 1], &c->args[k]));
    st = fs_val_put(c->in, &c->args[k], &o, &text);
  }
  fs_str_puts(&text, "\n");
  if (st == FS_OK) fs_interp_text(c->in, fs_str_text(&text), text.len);
  fs_str_free(&text);
  return st;
}

/* What was typed, if that is UTF-8; else with its bytes as visible escapes: a
 * replay has to give the same. Takes over `line`. */
static char *as_text(char *line) {
  uint32_t code_point;
  size_t len = line ? strlen(line) : 0;
  for (size_t at = 0; at < len;) {
    int n = fs_utf8_decode(line + at, len - at, &code_point);
    if (n <= 0) {
      struct fs_str safe = {0};
      fs_str_put_safe(&safe, line, len);
      free(line);
      return safe.data;
    }
    at += (size_t)n;
  }
  return line;
}

/* What was printed before is to be seen before the question. In a replay the old
 * answer is given once more. */
enum fs_status fs_bi_ask(struct fs_call *c) {
  char *line = NULL;
  struct fs_str prompt = {0};
  if (c->in->explain)
    return fs_in_error(c->in, c->in->span, "explain-read",
                       "explain the statements behind it, with a value in its place",
                       "this needs an answer, and explaining asks nobody");
  bool secret = c->n > 1 && c->args[1].kind == FS_V_BOOL && c->args[1].number != 0;
  enum fs_status st = fs_interp_flush(c->in);
  if (!st && c->n) st = fs_val_print(c->in, &c->args[0], &prompt);
  if (!st && !fs_witness_answer(&line) && c->in->host.ask) {
    line = as_text(c->in->host.ask(c->in->host.user, fs_str_text(&prompt),
                                   secret));
    if (line) fs_witness_answered(line);
  }
  fs_str_free(&prompt);
  if (!st && !line && fs_interrupted()) return FS_INTERRUPTED;
  if (!st && !line)
    return fs_in_error(c->in, c->in->span, "no-answer",
                       "scripts take values as inputs: fusible run a.fs n=3",
                       "nobody answered");
  if (!st) c->out[0] = fs_val_string(line, strlen(line));
  free(line);
  return st;
}

enum fs_status fs_bi_string(struct fs_call *c) {
  struct fs_str text = {0};
  enum fs_status st = FS_OK;
  for (int k = 0; k < c->n && st == FS_OK; k++)
    st = fs_val_print(c->in, &c->args[k], &text);
  if (st == FS_OK) c->out[0] = fs_val_string(fs_str_text(&text), text.len);
  fs_str_free(&text);
  return st;
}

enum fs_status fs_bi_number(struct fs_call *c) {
  const struct fs_val *v = &c->args[0];
  double x = 0;
  if (v->kind == FS_V_STRING) {
    char *end = NULL;
    x = strtod(v->string->text, &end);
    while (isspace((unsigned char)*end)) end++;
    if (!v->string->len || *end)
      return fs_in_error(c->in, c->arg_spans[0], "not-a-number", NULL,
                         "this text is not a number");
    bool fraction = strpbrk(v->string->text, ".eEnN") != NULL;
    c->out[0] = fs_val_number(x, !fraction);
    return FS_OK;
  }
  enum fs_status st =
      fs_read_number(c->in, v, c->arg_spans[0], "the argument", &x);
  bool whole = v->kind == FS_V_NUMBER ? v->is_int
               : v->kind == FS_V_TENSOR ? !fs_dtype_is_float(v->tensor->dtype)
                                        : true;
  if (st == FS_OK) c->out[0] = fs_val_number(x, whole);
  return st;
}

enum fs_status fs_bi_error(struct fs_call *c) {
  struct fs_str text = {0};
  enum fs_status st = fs_val_print(c->in, &c->args[0], &text);
  if (st == FS_OK)
    st = fs_in_error(c->in, c->span, "user-error", NULL, "%s",
                     fs_str_text(&text));
  fs_str_free(&text);
  return st;
}

enum fs_status fs_bi_assert(struct fs_call *c) {
  bool holds = false;
  enum fs_status st =
      fs_read_bool(c->in, &c->args[0], c->arg_spans[0], &holds);
  if (st != FS_OK || holds) return st;
  struct fs_str text = {0};
  if (c->n > 1) st = fs_val_print(c->in, &c->args[1], &text);
  if (st == FS_OK && c->n > 1)
    st = fs_in_error(c->in, c->span, "assertion", NULL, "assertion failed: %s",
                     fs_str_text(&text));
  else if (st == FS_OK)
    st = fs_in_error(c->in, c->span, "assertion", NULL, "assertion failed");
  fs_str_free(&text);
  return st;
}

/* -- seeds, time ----------------------------------------------------------- */

enum fs_status fs_bi_seed(struct fs_call *c) {
  int64_t k = 0;
  enum fs_status st = fs_arg_int(c, 0, "the seed", &k);
  if (st == FS_OK) fs_interp_seed(c->in, k);
  return st;
}

/* What was asked for so far counts: its block ends here. */
enum fs_status fs_bi_time(struct fs_call *c) {
  enum fs_status st = fs_interp_flush(c->in);
  if (st == FS_OK && !c->in->explain)
    st = fs_runner_sync(c->in->runner, c->in->diags);
  if (st == FS_OK) {
    double now = fs_witness_time(fs_now());
    st = fs_ranks_share(&now, sizeof now, c->in->diags);
    c->out[0] = fs_val_number(now, false);
  }
  return st;
}

/* -- files ----------------------------------------------------------------- */

enum { MOST_TEXTS = 4 }; /* as the table of built-ins has it */

enum fs_status fs_bi_load(struct fs_call *c) {
  const char *path = NULL, *texts[MOST_TEXTS];
  char *names = NULL;
  enum fs_status st = fs_arg_string(c, 0, "the file name", &path);
  for (int k = 1; k < c->n && st == FS_OK; k++)
    st = fs_arg_string(c, k, "the name of an array or column", &texts[k - 1]);
  if (st == FS_OK)
    st = fs_file_load(c->in, path, c->n - 1, texts, fs_in_span(c->in, c->arg_spans[0]),
                      &c->out[0], c->want > 1 ? &names : NULL);
  if (st == FS_OK && c->want > 1)
    c->out[1] = fs_val_string(names ? names : "", names ? strlen(names) : 0);
  free(names);
  return st;
}

/* The one kernel of a file, or that of a name. */
enum fs_status fs_bi_kernel(struct fs_call *c) {
  const char *path = NULL, *name = NULL, *how = NULL;
  struct fs_func **all = NULL;
  struct fs_span span = fs_in_span(c->in, c->arg_spans[0]);
  int n = 0;
  enum fs_status st = fs_arg_string(c, 0, "the file name", &path);
  if (st == FS_OK && c->n > 1) st = fs_arg_string(c, 1, "the name of a kernel", &name);
  if (st == FS_OK && c->n > 2) st = fs_arg_string(c, 2, "how it runs", &how);
  if (name && !*name) name = NULL;
  if (st == FS_OK) st = fs_kernel_load(c->in, path, name, how, span, &n, &all);
  if (st != FS_OK) return st;
  if (n == 1) c->out[0] = fs_val_func(fs_func_ref(all[0]));
  else
    st = fs_in_error(c->in, span, "kernel-name", "kernel(\"file\", \"name\") gives one of them",
                     "'%.300s' has %d kernels", path, n);
  for (int k = 0; k < n; k++) fs_func_unref(all[k]);
  free(all);
  return st;
}

/* An argument that is a plain name calls its array so inside an .npz. */
static char *argument_name(struct fs_call *c, int k) {
  size_t len = 0;
  const char *text = fs_span_text(c->in->diags, c->arg_spans[k], &len);
  if (!text || !len || (!isalpha((unsigned char)text[0]) && text[0] != '_'))
    return NULL;
  for (size_t i = 0; i < len; i++)
    if (!isalnum((unsigned char)text[i]) && text[i] != '_') return NULL;
  return fs_strndup(text, len);
}

/* What no file holds is underlined itself. */
static enum fs_status check_savable(struct fs_call *c) {
  for (int k = 1; k < c->n; k++)
    if (c->args[k].kind == FS_V_STRING || c->args[k].kind == FS_V_FUNCTION ||
        fs_is_list(&c->args[k]))
      return fs_in_error(c->in, c->arg_spans[k], "file-save", NULL,
                         "%s is %s, and only arrays and numbers can be saved",
                         fs_in_text(c->in, c->arg_spans[k]), fs_val_text(&c->args[k]));
  return FS_OK;
}

enum fs_status fs_bi_save(struct fs_call *c) {
  if (c->args[0].kind != FS_V_STRING)
    return fs_in_error(c->in, c->arg_spans[0], "wrong-type",
                       "the file comes first: save(\"x.npy\", x)",
                       "the file name must be a string, not %s",
                       fs_val_text(&c->args[0]));
  const char *path = c->args[0].string->text;
  enum fs_status st = check_savable(c);
  if (st != FS_OK) return st;
  if (c->in->explain) return explain_read(c, 1);
  /* All of one block: the first computation stores the others, too. */
  for (int k = 1; k < c->n && st == FS_OK; k++)
    if (c->args[k].kind == FS_V_TENSOR) st = fs_force(c->in, c->args[k].tensor);
  if (st != FS_OK) return st;
  int n = c->n - 1;
  char **names = fs_calloc((size_t)n, sizeof(*names));
  for (int k = 0; k < n; k++) names[k] = argument_name(c, k + 1);
  st = fs_file_save(c->in, path, fs_in_span(c->in, c->span), n,
                    (const char *const *)names, c->args + 1);
  for (int k = 0; k < n; k++) free(names[k]);
  free(names);
  return st;
}
