/* utf8.c - UTF-8, how wide it is on a terminal, and text made safe for one. */
#include "core/base/base.h"

int fs_utf8_decode(const char *text, size_t len, uint32_t *code_point) {
  const unsigned char *s = (const unsigned char *)text;
  if (len == 0) return 0;
  if (s[0] < 0x80) {
    *code_point = s[0];
    return 1;
  }
  static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  int n = (s[0] & 0xe0) == 0xc0   ? 2
          : (s[0] & 0xf0) == 0xe0 ? 3
          : (s[0] & 0xf8) == 0xf0 ? 4
                                  : 0;
  if (n == 0 || len < (size_t)n) return 0;
  uint32_t c = s[0] & (0xffu >> (n + 1));
  for (int i = 1; i < n; i++) {
    if ((s[i] & 0xc0) != 0x80) return 0;
    c = c << 6 | (s[i] & 0x3f);
  }
  if (c < least[n] || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff)) return 0;
  *code_point = c;
  return n;
}

void fs_str_put_point(struct fs_str *s, uint32_t c) {
  char b[4];
  int n = 0;
  if (c < 0x80) {
    b[0] = (char)c;
    fs_str_put(s, b, 1);
    return;
  }
  if (c < 0x800) {
    b[n++] = (char)(0xc0 | c >> 6);
  } else if (c < 0x10000) {
    b[n++] = (char)(0xe0 | c >> 12);
    b[n++] = (char)(0x80 | (c >> 6 & 0x3f));
  } else {
    b[n++] = (char)(0xf0 | c >> 18);
    b[n++] = (char)(0x80 | (c >> 12 & 0x3f));
    b[n++] = (char)(0x80 | (c >> 6 & 0x3f));
  }
  b[n++] = (char)(0x80 | (c & 0x3f));
  fs_str_put(s, b, (size_t)n);
}

size_t fs_utf8_cut(const char *text, size_t len, size_t most) {
  if (len <= most) return len;
  while (most && ((unsigned char)text[most] & 0xc0) == 0x80) most--;
  return most;
}

struct range {
  uint32_t first, last;
};

static bool in_ranges(uint32_t c, const struct range *ranges, size_t n) {
  size_t low = 0, high = n;
  while (low < high) {
    size_t mid = (low + high) / 2;
    if (c > ranges[mid].last)
      low = mid + 1;
    else if (c < ranges[mid].first)
      high = mid;
    else
      return true;
  }
  return false;
}

/* Combining marks and format characters; in order. The scripts that occur in
 * practice, not all of Unicode: a miss costs a misplaced caret, no more. */
static const struct range zero_width[] = {
    {0x0300, 0x036f},   {0x0483, 0x0489},   {0x0591, 0x05bd},
    {0x05bf, 0x05bf},   {0x05c1, 0x05c2},   {0x05c4, 0x05c5},
    {0x0610, 0x061a},   {0x064b, 0x065f},   {0x0670, 0x0670},
    {0x06d6, 0x06dc},   {0x06df, 0x06e4},   {0x06e7, 0x06e8},
    {0x06ea, 0x06ed},   {0x0711, 0x0711},   {0x0730, 0x074a},
    {0x0900, 0x0902},   {0x093a, 0x093a},   {0x093c, 0x093c},
    {0x0941, 0x0948},   {0x094d, 0x094d},   {0x0951, 0x0957},
    {0x0e31, 0x0e31},   {0x0e34, 0x0e3a},   {0x0e47, 0x0e4e},
    {0x1ab0, 0x1aff},   {0x1dc0, 0x1dff},   {0x200b, 0x200f},
    {0x202a, 0x202e},   {0x2060, 0x206f},   {0x20d0, 0x20f0},
    {0x302a, 0x302d},   {0x3099, 0x309a},   {0xfe00, 0xfe0f},
    {0xfe20, 0xfe2f},   {0xfeff, 0xfeff},   {0x1f3fb, 0x1f3ff},
    {0xe0100, 0xe01ef},
};

/* East Asian wide and full width, and emoji; in order. */
static const struct range double_width[] = {
    {0x1100, 0x115f},   {0x231a, 0x231b},   {0x2329, 0x232a},
    {0x23e9, 0x23ec},   {0x23f0, 0x23f0},   {0x23f3, 0x23f3},
    {0x25fd, 0x25fe},   {0x2614, 0x2615},   {0x2648, 0x2653},
    {0x267f, 0x267f},   {0x2693, 0x2693},   {0x26a1, 0x26a1},
    {0x26aa, 0x26ab},   {0x26bd, 0x26be},   {0x26c4, 0x26c5},
    {0x26ce, 0x26ce},   {0x26d4, 0x26d4},   {0x26ea, 0x26ea},
    {0x26f2, 0x26f3},   {0x26f5, 0x26f5},   {0x26fa, 0x26fa},
    {0x26fd, 0x26fd},   {0x2705, 0x2705},   {0x270a, 0x270b},
    {0x2728, 0x2728},   {0x274c, 0x274c},   {0x274e, 0x274e},
    {0x2753, 0x2755},   {0x2757, 0x2757},   {0x2795, 0x2797},
    {0x27b0, 0x27b0},   {0x27bf, 0x27bf},   {0x2b1b, 0x2b1c},
    {0x2b50, 0x2b50},   {0x2b55, 0x2b55},   {0x2e80, 0x303e},
    {0x3041, 0x33ff},   {0x3400, 0x4dbf},   {0x4e00, 0x9fff},
    {0xa000, 0xa4cf},   {0xa960, 0xa97f},   {0xac00, 0xd7a3},
    {0xf900, 0xfaff},   {0xfe10, 0xfe19},   {0xfe30, 0xfe6f},
    {0xff00, 0xff60},   {0xffe0, 0xffe6},   {0x16fe0, 0x18aff},
    {0x1b000, 0x1b2ff}, {0x1f004, 0x1f004}, {0x1f0cf, 0x1f0cf},
    {0x1f18e, 0x1f18e}, {0x1f191, 0x1f19a}, {0x1f200, 0x1f320},
    {0x1f32d, 0x1f335}, {0x1f337, 0x1f37c}, {0x1f37e, 0x1f393},
    {0x1f3a0, 0x1f3ca}, {0x1f3cf, 0x1f3d3}, {0x1f3e0, 0x1f3f0},
    {0x1f3f4, 0x1f3f4}, {0x1f3f8, 0x1f43e}, {0x1f440, 0x1f440},
    {0x1f442, 0x1f4fc}, {0x1f4ff, 0x1f53d}, {0x1f54b, 0x1f54e},
    {0x1f550, 0x1f567}, {0x1f57a, 0x1f57a}, {0x1f595, 0x1f596},
    {0x1f5a4, 0x1f5a4}, {0x1f5fb, 0x1f64f}, {0x1f680, 0x1f6c5},
    {0x1f6cc, 0x1f6cc}, {0x1f6d0, 0x1f6d2}, {0x1f6d5, 0x1f6d7},
    {0x1f6eb, 0x1f6ec}, {0x1f6f4, 0x1f6fc}, {0x1f7e0, 0x1f7eb},
    {0x1f90c, 0x1f9ff}, {0x1fa70, 0x1faff}, {0x20000, 0x3fffd},
};

/* Invalid bytes and control characters count as one column each. */
int fs_utf8_width(const char *text, size_t len) {
  int width = 0;
  while (len) {
    uint32_t c = 0;
    int n = fs_utf8_decode(text, len, &c);
    if (n == 0) {
      n = 1;
      width++;
    } else if (in_ranges(c, double_width, FS_LEN(double_width))) {
      width += 2;
    } else if (!in_ranges(c, zero_width, FS_LEN(zero_width))) {
      width++;
    }
    text += n;
    len -= (size_t)n;
  }
  return width;
}

/* Characters that can move the cursor, recolour the screen or reorder what is
 * read. Newline and tab are layout, not control. */
static bool is_unsafe(uint32_t c) {
  if (c < 0x20) return c != '\n' && c != '\t';
  if (c >= 0x7f && c <= 0x9f) return true;
  return c == 0x061c || c == 0x200e || c == 0x200f ||
         (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069) ||
         c == 0xfeff || (c >= 0xe0000 && c <= 0xe007f);
}

void fs_str_put_safe(struct fs_str *s, const char *text, size_t len) {
  size_t begin = 0, i = 0; /* [begin, i) is good and not yet put */
  while (i < len) {
    uint32_t c = 0;
    int n = fs_utf8_decode(text + i, len - i, &c);
    if (n && !is_unsafe(c)) {
      i += (size_t)n;
      continue;
    }
    fs_str_put(s, text + begin, i - begin);
    if (n > 1)
      fs_str_printf(s, "\\u{%x}", (unsigned)c);
    else
      fs_str_printf(s, "\\x%02x", (unsigned)(unsigned char)text[i]);
    i += n ? (size_t)n : 1;
    begin = i;
  }
  fs_str_put(s, text + begin, i - begin);
}

void fs_str_put_html(struct fs_str *s, const char *text, size_t len) {
  static const char special[] = "&<>\"'";
  static const char *const entity[] = {"&amp;", "&lt;", "&gt;", "&quot;",
                                       "&#39;"};
  struct fs_str safe = {0};
  fs_str_put_safe(&safe, text, len);
  for (const char *at = fs_str_text(&safe); *at;) {
    size_t run = strcspn(at, special);
    fs_str_put(s, at, run);
    at += run;
    if (*at) fs_str_puts(s, entity[strchr(special, *at++) - special]);
  }
  fs_str_free(&safe);
}

size_t fs_utf8_fitting(const char *text, size_t len, int width) {
  size_t at = 0;
  while (at < len) {
    uint32_t code;
    size_t n = (size_t)FS_MAX(fs_utf8_decode(text + at, len - at, &code), 1);
    if (fs_utf8_width(text, at + n) > width) break;
    at += n;
  }
  return at;
}

void fs_str_put_right(struct fs_str *s, int width, const struct fs_str *cell) {
  int used = fs_utf8_width(fs_str_text(cell), cell->len);
  fs_str_printf(s, "%*s%s", FS_MAX(width - used, 0), "", fs_str_text(cell));
}
