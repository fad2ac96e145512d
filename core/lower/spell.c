/* spell.c - a text in the words of core/emit as a dialect spells it. */
#include "core/lower/spell.h"

struct word {
  const char *text, *opencl;
  size_t len;
};
static const struct word words[] = {
#define FS_SPELLING(word, opencl) {word, opencl, sizeof word - 1},
#include "core/lower/spellings.def"
};
static const struct word spaces[] = {
#define FS_SPACE(word, opencl) {word, opencl, sizeof word - 1},
#include "core/lower/spellings.def"
};

static bool is_letter(char c) {
  return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
static bool is_name(char c) { return is_letter(c) || (c >= '0' && c <= '9'); }
static bool is_tag(char c) { return is_name(c) || c == '.'; }

static size_t span(const char *p, const char *end, bool (*is)(char)) {
  size_t n = 0;
  while (p + n < end && is(p[n])) n++;
  return n;
}

static bool is_word(const struct word *w, const char *p, const char *end) {
  return (size_t)(end - p) >= w->len && !memcmp(p, w->text, w->len) &&
         (!is_name(w->text[w->len - 1]) || p + w->len == end || !is_name(p[w->len]));
}

/* -- CUDA C: the same without signs ------------------------------------------------- */

static void cuda(const char *p, const char *end, struct fs_str *out) {
  for (const char *sign; (sign = memchr(p, FS_SIGN, (size_t)(end - p)));) {
    bool space = sign == p || !(is_name(sign[-1]) || sign[-1] == '>');
    fs_str_put(out, p, (size_t)(sign - p));
    p = sign + 1;
    p += span(p, end, is_tag);
    if (space && p < end) p++; /* the blank behind it */
  }
  fs_str_put(out, p, (size_t)(end - p));
}

/* -- OpenCL C ------------------------------------------------------------------------ */

/* A name with what a template and a sign say behind it: fs_block<fs_add, 4>`add.4.f32. Gives
 * its length, or that of the name alone. */
static size_t put_name(const char *p, const char *end, struct fs_str *out) {
  size_t n = span(p, end, is_name);
  const char *q = p + n;
  for (; q + 2 < end && q[0] == ':' && q[1] == ':'; q += 2 + span(q + 2, end, is_name)) {}
  const char *named = q;
  if (q < end && *q == '<' && q[-1] != ' ') q += strcspn(q, ">") + 1;
  bool tagged = q < end && *q == FS_SIGN;
  size_t tag = tagged ? span(q + 1, end, is_tag) : 0;
  bool braces = tagged && q + 1 + tag < end && q[1 + tag] == '{';
  if (!tagged) {
    fs_str_put(out, p, n);
    return n;
  }
  if (braces) fs_str_puts(out, "(");
  for (const char *c = p; c < named; c++) {
    if (*c != ':') fs_str_put(out, c, 1);
    else if (c[1] == ':') fs_str_puts(out, "_");
  }
  fs_str_puts(out, "_");
  for (const char *c = q + 1; c < q + 1 + tag; c++) fs_str_put(out, *c == '.' ? "_" : c, 1);
  if (braces) fs_str_puts(out, ")");
  return (size_t)(q + 1 + tag - p);
}

/* A number; `ll` behind one is L. */
static size_t put_number(const char *p, const char *end, struct fs_str *out) {
  size_t n = 0;
  while (p + n < end && (is_name(p[n]) || p[n] == '.')) n++;
  bool longs = n > 2 && (p[n - 1] == 'L' || p[n - 1] == 'l') && p[n - 2] == p[n - 1];
  fs_str_put(out, p, longs ? n - 2 : n);
  if (longs) fs_str_puts(out, "L");
  return n;
}

static size_t put_word(const char *p, const char *end, struct fs_str *out) {
  for (size_t k = 0; k < FS_LEN(words); k++) {
    if (*p != *words[k].text || !is_word(&words[k], p, end)) continue;
    fs_str_puts(out, words[k].opencl);
    return words[k].len;
  }
  return 0;
}

static size_t put_space(const char *p, const char *end, struct fs_str *out) {
  for (size_t k = 0; k < FS_LEN(spaces); k++) {
    if (!is_word(&spaces[k], p, end)) continue;
    fs_str_puts(out, spaces[k].opencl);
    return spaces[k].len;
  }
  return 0;
}

/* Behind `constexpr`: a macro for each, as C has no constants of which arrays are made. */
static const char *put_constants(const char *p, const char *end, struct fs_str *out) {
  const char *stop = memchr(p, ';', (size_t)(end - p));
  if (!stop) stop = end;
  p += span(p, stop, is_name) + 1; /* the type */
  while (p < stop) {
    size_t name = span(p, stop, is_name);
    const char *value = p + name + strlen(" = ");
    const char *comma = memchr(value, ',', (size_t)(stop - value));
    if (!comma) comma = stop;
    fs_str_puts(out, "#define ");
    fs_str_put(out, p, name);
    fs_str_puts(out, " ");
    fs_str_put(out, value, (size_t)(comma - value));
    p = comma + strlen(", ");
    if (p < stop) fs_str_puts(out, "\n");
  }
  return stop + (stop < end);
}

static void opencl(const char *p, const char *end, struct fs_str *out) {
  static const char constant[] = "constexpr ";
  while (p < end) {
    size_t n = 0;
    if (!strncmp(p, "//", 2)) n = strcspn(p, "\n"), fs_str_put(out, p, n);
    else if (!strncmp(p, constant, sizeof constant - 1))
      n = (size_t)(put_constants(p + sizeof constant - 1, end, out) - p);
    else if (*p == FS_SIGN) n = 1 + put_space(p + 1, end, out);
    else n = put_word(p, end, out);
    if (!n && is_letter(*p)) n = put_name(p, end, out);
    if (!n && *p >= '0' && *p <= '9') n = put_number(p, end, out);
    if (!n) fs_str_put(out, p, n = 1);
    p += n;
  }
}

void fs_lp_spell(enum fs_dialect dialect, const char *text, size_t len, struct fs_str *out) {
  if (dialect == FS_OPENCL_C) opencl(text, text + len, out);
  else cuda(text, text + len, out);
}
