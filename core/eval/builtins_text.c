/* builtins_text.c - functions of strings, which are rows of code points, and format(). A byte that
 * is no part of one (by "\xff") counts as one by itself. */
#include <ctype.h>
#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <wctype.h>

#include "core/eval/builtins.h"
#include "core/eval/list.h"

/* -- arguments and results --------------------------------------------------- */

static const struct fs_string *text_of(const struct fs_call *c, int k) {
  return c->args[k].string;
}

static enum fs_status want_texts(struct fs_call *c, int n) {
  enum fs_status st = FS_OK;
  const char *unused;
  for (int k = 0; k < n && st == FS_OK; k++)
    st = fs_arg_string(c, k, k ? "the text beside it" : "the text", &unused);
  return st;
}

static enum fs_status give_text(struct fs_call *c, struct fs_str *text) {
  c->out[0] = fs_val_string(fs_str_text(text), text->len);
  fs_str_free(text);
  return FS_OK;
}

static enum fs_status too_long(struct fs_call *c, double bytes) {
  return fs_in_error(c->in, c->span, "too-large", NULL,
                     "the text would have %.0f bytes; the limit is %d", bytes, FS_MAX_TEXT);
}

/* The first place of `what` from `from` on, or NULL. */
static const char *next_of(const struct fs_string *in, const char *from,
                           const struct fs_string *what) {
  return memmem(from, in->len - (size_t)(from - in->text), what->text, what->len);
}

/* -- looking ------------------------------------------------------------------- */

enum fs_status fs_bi_text_has(struct fs_call *c) {
  enum fs_status st = want_texts(c, 2);
  if (st != FS_OK) return st;
  const struct fs_string *s = text_of(c, 0), *t = text_of(c, 1);
  bool fits = t->len <= s->len, has = false;
  if (c->builtin->data == FS_TEXT_STARTS) has = fits && !memcmp(s->text, t->text, t->len);
  else if (c->builtin->data == FS_TEXT_ENDS)
    has = fits && !memcmp(s->text + s->len - t->len, t->text, t->len);
  else has = next_of(s, s->text, t) != NULL;
  c->out[0] = fs_val_bool(has);
  return FS_OK;
}

enum fs_status fs_text_find(struct fs_call *c) {
  enum fs_status st = want_texts(c, 2);
  if (st != FS_OK) return st;
  const char *at = next_of(text_of(c, 0), text_of(c, 0)->text, text_of(c, 1));
  size_t place = at ? fs_text_count(text_of(c, 0)->text, (size_t)(at - text_of(c, 0)->text)) + 1 : 0;
  c->out[0] = fs_val_number((double)place, true);
  return FS_OK;
}

/* -- changing ------------------------------------------------------------------ */

enum fs_status fs_bi_replace(struct fs_call *c) {
  enum fs_status st = want_texts(c, 3);
  if (st != FS_OK) return st;
  const struct fs_string *s = text_of(c, 0), *from = text_of(c, 1), *to = text_of(c, 2);
  if (!from->len)
    return fs_in_error(c->in, c->arg_spans[1], "empty", NULL, "the text to replace is empty");
  struct fs_str out = {0};
  const char *at = s->text;
  for (const char *next; (next = next_of(s, at, from)); at = next + from->len) {
    fs_str_put(&out, at, (size_t)(next - at));
    fs_str_put(&out, to->text, to->len);
    if (out.len > FS_MAX_TEXT) break;
  }
  fs_str_put(&out, at, s->len - (size_t)(at - s->text));
  if (out.len <= FS_MAX_TEXT) return give_text(c, &out);
  st = too_long(c, (double)out.len);
  fs_str_free(&out);
  return st;
}

static locale_t utf8_locale;
static void make_utf8_locale(void) {
  utf8_locale = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
}

/* The other case of a letter where that is one code point; without the tables of C.UTF-8 only
 * ASCII has one. */
static uint32_t other_case(uint32_t point, bool up) {
  if (point < 0x80)
    return (uint32_t)(up ? toupper((int)point) : tolower((int)point));
  if (!utf8_locale) return point;
  return up ? towupper_l((wint_t)point, utf8_locale) : towlower_l((wint_t)point, utf8_locale);
}

enum fs_status fs_bi_case(struct fs_call *c) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  enum fs_status st = want_texts(c, 1);
  if (st != FS_OK) return st;
  pthread_once(&once, make_utf8_locale);
  struct fs_str out = {0};
  const struct fs_string *s = text_of(c, 0);
  for (size_t at = 0; at < s->len;) {
    uint32_t point;
    int n = fs_utf8_decode(s->text + at, s->len - at, &point);
    if (n) fs_str_put_point(&out, other_case(point, c->builtin->data));
    else fs_str_put(&out, s->text + at, 1);
    at += (size_t)FS_MAX(n, 1);
  }
  return give_text(c, &out);
}

static bool is_space(uint32_t c) {
  return (c >= 9 && c <= 13) || (c >= 0x1c && c <= 0x20) || c == 0x85 || c == 0xa0 || c == 0x1680 ||
         (c >= 0x2000 && c <= 0x200a) || c == 0x2028 || c == 0x2029 || c == 0x202f ||
         c == 0x205f || c == 0x3000;
}

enum fs_status fs_bi_strip(struct fs_call *c) {
  enum fs_status st = want_texts(c, 1);
  if (st != FS_OK) return st;
  const struct fs_string *s = text_of(c, 0);
  size_t first = s->len, end = 0;
  for (size_t at = 0; at < s->len;) {
    uint32_t point = 0;
    int n = fs_utf8_decode(s->text + at, s->len - at, &point);
    size_t next = at + (size_t)FS_MAX(n, 1);
    if (!n || !is_space(point)) first = FS_MIN(first, at), end = next;
    at = next;
  }
  c->out[0] = fs_val_string(s->text + first, end > first ? end - first : 0);
  return FS_OK;
}

enum fs_status fs_bi_repeat(struct fs_call *c) {
  int64_t n = 0;
  enum fs_status st = want_texts(c, 1);
  if (st == FS_OK) st = fs_arg_int(c, 1, "the count", &n);
  if (st != FS_OK) return st;
  const struct fs_string *s = text_of(c, 0);
  if (n < 0)
    return fs_in_error(c->in, c->arg_spans[1], "bad-shape", NULL,
                       "the count must be at least 0, not %lld", (long long)n);
  if ((double)n * (double)s->len > FS_MAX_TEXT) return too_long(c, (double)n * (double)s->len);
  struct fs_val v = fs_val_room((size_t)n * s->len);
  for (int64_t k = 0; k < n && s->len; k++)
    memcpy(v.string->text + (size_t)k * s->len, s->text, s->len);
  c->out[0] = v;
  return FS_OK;
}

enum fs_status fs_bi_reverse(struct fs_call *c) {
  enum fs_status st = want_texts(c, 1);
  if (st != FS_OK) return st;
  const struct fs_string *s = text_of(c, 0);
  struct fs_val v = fs_val_room(s->len);
  for (size_t at = 0; at < s->len;) {
    uint32_t point;
    size_t n = (size_t)FS_MAX(fs_utf8_decode(s->text + at, s->len - at, &point), 1);
    memcpy(v.string->text + s->len - at - n, s->text + at, n);
    at += n;
  }
  c->out[0] = v;
  return FS_OK;
}

/* -- format() ------------------------------------------------------------------ */

/* A conversion as it was read: what a C library gets is made of this. */
struct conversion {
  char flags[8], letter;
  int width, precision; /* -1: none */
};

enum { MOST_WIDTH = 1000 };

static enum fs_status bad_format(struct fs_call *c, const char *hint, const char *what) {
  return fs_in_error(c->in, c->arg_spans[0], "bad-format", hint, "%s", what);
}

/* "%[flags][width][.precision]letter", *at behind the `%`. */
static enum fs_status read_conversion(struct fs_call *c, const struct fs_string *f, size_t *at,
                                      struct conversion *v) {
  size_t k = *at, n = 0;
  *v = (struct conversion){.width = -1, .precision = -1};
  for (; f->text[k] && strchr("-+ 0", f->text[k]); k++)
    if (!strchr(v->flags, f->text[k]) || !n) v->flags[n++] = f->text[k];
  for (; isdigit((unsigned char)f->text[k]); k++)
    v->width = FS_MIN(FS_MAX(v->width, 0) * 10 + (f->text[k] - '0'), MOST_WIDTH + 1);
  if (f->text[k] == '.')
    for (v->precision = 0, k++; isdigit((unsigned char)f->text[k]); k++)
      v->precision = FS_MIN(v->precision * 10 + (f->text[k] - '0'), MOST_WIDTH + 1);
  v->letter = f->text[k];
  if (!v->letter || !strchr("dfegxs", v->letter)) {
    char what[120];
    size_t len = FS_MIN(f->len - *at, k - *at + 1);
    struct fs_str shown = {0};
    fs_str_put_safe(&shown, f->text + *at, fs_utf8_cut(f->text + *at, len, 20));
    snprintf(what, sizeof what, "there is no conversion `%%%.60s`", fs_str_text(&shown));
    fs_str_free(&shown);
    return bad_format(c, "the conversions are %d %f %e %g %x %s and %% itself as %%", what);
  }
  if (v->width > MOST_WIDTH || v->precision > MOST_WIDTH)
    return bad_format(c, NULL, "a width or precision is at most 1000");
  *at = k + 1;
  return FS_OK;
}

/* What a number looks like without its sign, at its place in the width. */
static void put_padded(const struct conversion *v, bool negative, const char *digits, bool zeros,
                       struct fs_str *out) {
  const char *sign = negative                   ? "-"
                     : strchr(v->flags, '+') ? "+"
                     : strchr(v->flags, ' ') ? " "
                                                : "";
  int pad = FS_MAX(v->width - (int)strlen(sign) - (int)strlen(digits), 0);
  bool left = strchr(v->flags, '-'), zero = zeros && !left && strchr(v->flags, '0');
  if (!left && !zero) fs_str_printf(out, "%*s", pad, "");
  fs_str_puts(out, sign);
  for (int k = 0; k < pad && zero; k++) fs_str_puts(out, "0");
  fs_str_puts(out, digits);
  if (left) fs_str_printf(out, "%*s", pad, "");
}

static enum fs_status put_number(struct fs_call *c, int k, const struct conversion *v, double x,
                                 struct fs_str *out) {
  bool whole = v->letter == 'd' || v->letter == 'x', negative = signbit(x) && !isnan(x);
  int precision = v->precision < 0 ? 6 : v->precision;
  struct fs_str digits = {0};
  if (v->letter == 'x' && !(x >= 0 && x < 0x1p53 && x == floor(x)))
    return fs_in_error(c->in, c->arg_spans[k], "not-whole", NULL,
                       "%%x takes whole numbers from 0 to 2^53, not %s", fs_number_text(x));
  if (whole && isfinite(x) && x != floor(x))
    return fs_in_error(c->in, c->arg_spans[k], "not-whole", "%g takes any number",
                       "%%d takes whole numbers, not %s", fs_number_text(x));
  if (whole && x == 0) negative = false; /* of integers there is no -0 */
  if (!isfinite(x)) fs_str_puts(&digits, isnan(x) ? "NaN" : "Inf");
  else if (v->letter == 'd') fs_str_printf(&digits, "%.0f", fabs(x));
  else if (v->letter == 'x') fs_str_printf(&digits, "%llx", (unsigned long long)x);
  else if (v->letter == 'e') fs_str_printf(&digits, "%.*e", precision, fabs(x));
  else if (v->letter == 'f') fs_str_printf(&digits, "%.*f", precision, fabs(x));
  else fs_str_printf(&digits, "%.*g", precision, fabs(x));
  put_padded(v, negative, fs_str_text(&digits), isfinite(x), out);
  fs_str_free(&digits);
  return FS_OK;
}

/* Width and precision count code points. */
static enum fs_status put_text(struct fs_call *c, int k, const struct conversion *v,
                               struct fs_str *out) {
  struct fs_str text = {0};
  enum fs_status st = fs_val_print(c->in, &c->args[k], &text);
  if (st == FS_OK) {
    const char *s = fs_str_text(&text);
    size_t len = text.len, count = fs_text_count(s, len);
    if (v->precision >= 0 && count > (size_t)v->precision) {
      count = (size_t)v->precision;
      len = fs_text_place(s, len, count);
    }
    size_t pad = v->width > 0 && (size_t)v->width > count ? (size_t)v->width - count : 0;
    bool left = strchr(v->flags, '-') != NULL;
    if (!left) fs_str_printf(out, "%*s", (int)pad, "");
    fs_str_put(out, s, len);
    if (left) fs_str_printf(out, "%*s", (int)pad, "");
  }
  fs_str_free(&text);
  return st;
}

static enum fs_status put_argument(struct fs_call *c, int k, const struct conversion *v,
                                   struct fs_str *out) {
  double x = 0;
  if (v->letter == 's') return put_text(c, k, v, out);
  char what[40];
  snprintf(what, sizeof what, "what %%%c shows", v->letter);
  enum fs_status st = fs_read_number(c->in, &c->args[k], c->arg_spans[k], what, &x);
  if (st != FS_OK) return st;
  return put_number(c, k, v, x, out);
}

static enum fs_status put_format(struct fs_call *c, struct fs_str *out) {
  const struct fs_string *f = text_of(c, 0);
  int used = 1;
  for (size_t at = 0; at < f->len;) {
    const char *next = memchr(f->text + at, '%', f->len - at);
    size_t plain = next ? (size_t)(next - f->text) : f->len;
    fs_str_put(out, f->text + at, plain - at);
    at = plain + (next != NULL);
    if (!next) break;
    if (f->text[at] == '%') {
      fs_str_puts(out, "%");
      at++;
      continue;
    }
    struct conversion v;
    enum fs_status st = read_conversion(c, f, &at, &v);
    if (st != FS_OK) return st;
    if (used == c->n)
      return fs_in_error(c->in, c->span, "wrong-count", "a sign for percent is %%",
                         "the format wants more than %d value%s", c->n - 1, c->n == 2 ? "" : "s");
    st = put_argument(c, used++, &v, out);
    if (st != FS_OK) return st;
  }
  if (used == c->n) return FS_OK;
  return fs_in_error(c->in, c->arg_spans[used], "wrong-count", NULL,
                     "the format has %d conversion%s for %d values", used - 1,
                     used == 2 ? "" : "s", c->n - 1);
}

enum fs_status fs_bi_format(struct fs_call *c) {
  struct fs_str out = {0};
  enum fs_status st = want_texts(c, 1);
  if (st == FS_OK) st = put_format(c, &out);
  if (st == FS_OK) return give_text(c, &out);
  fs_str_free(&out);
  return st;
}

/* -- lists ---------------------------------------------------------------------- */

enum fs_status fs_bi_split(struct fs_call *c) {
  enum fs_status st = want_texts(c, 2);
  if (st != FS_OK) return st;
  const struct fs_string *s = text_of(c, 0), *by = text_of(c, 1);
  if (!by->len)
    return fs_in_error(c->in, c->arg_spans[1], "empty", "for c in s goes through its characters",
                       "what separates the parts is empty");
  struct fs_list *l = fs_list_new(0);
  const char *at = s->text;
  for (const char *next; (next = next_of(s, at, by)); at = next + by->len)
    fs_list_add(l, NULL, fs_val_string(at, (size_t)(next - at)));
  fs_list_add(l, NULL, fs_val_string(at, s->len - (size_t)(at - s->text)));
  c->out[0] = (struct fs_val){.kind = FS_V_LIST, .list = l};
  return FS_OK;
}

enum fs_status fs_bi_join(struct fs_call *c) {
  const struct fs_val *v = &c->args[0];
  const char *unused;
  struct fs_str out = {0};
  enum fs_status st = v->kind == FS_V_LIST
                          ? FS_OK
                          : fs_in_error(c->in, c->arg_spans[0], "wrong-type", NULL,
                                        "join takes a list, not %s", fs_val_text(v));
  if (st == FS_OK && c->n > 1) st = fs_arg_string(c, 1, "what stands between", &unused);
  for (int64_t k = 0; st == FS_OK && k < v->list->len; k++) {
    if (k && c->n > 1) fs_str_put(&out, text_of(c, 1)->text, text_of(c, 1)->len);
    st = fs_val_print(c->in, &v->list->items[k], &out);
    if (st == FS_OK && out.len > FS_MAX_TEXT) st = too_long(c, (double)out.len);
  }
  if (st == FS_OK) return give_text(c, &out);
  fs_str_free(&out);
  return st;
}

static enum fs_status want_record(struct fs_call *c) {
  if (c->args[0].kind == FS_V_RECORD) return FS_OK;
  return fs_in_error(c->in, c->arg_spans[0], "wrong-type", "a record is {x = 1, y = 2}",
                     "%s takes a record, not %s", c->builtin->name, fs_val_text(&c->args[0]));
}

enum fs_status fs_bi_fields(struct fs_call *c) {
  enum fs_status st = want_record(c);
  if (st != FS_OK) return st;
  const struct fs_list *r = c->args[0].list;
  struct fs_list *l = fs_list_new(r->len);
  for (int64_t k = 0; k < r->len; k++)
    fs_list_add(l, NULL, fs_val_string(r->names[k], strlen(r->names[k])));
  c->out[0] = (struct fs_val){.kind = FS_V_LIST, .list = l};
  return FS_OK;
}

enum fs_status fs_bi_has(struct fs_call *c) {
  const char *name;
  enum fs_status st = want_record(c);
  if (st == FS_OK) st = fs_arg_string(c, 1, "the name", &name);
  if (st == FS_OK) c->out[0] = fs_val_bool(fs_list_find(c->args[0].list, name) >= 0);
  return st;
}
