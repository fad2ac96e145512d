/* base.h - what every stage leans on: status codes, memory by lifetime, strings.
 *
 * Ownership words used in all headers:
 *   borrows  the callee uses the pointer during the call only
 *   keeps    the callee holds on to it; the caller must not free it
 *   gives    the caller receives it and must free it (or it lives in the arena
 *            that the comment names)
 */
#ifndef FS_BASE_H
#define FS_BASE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define FS_VERSION "0.1.0"
#define FS_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#define FS_LEN(array) (sizeof(array) / sizeof((array)[0]))

/* The lesser and the greater of two numbers, in the type that both are converted to; each is
 * evaluated once. */
#define FS_EXTREMES(name, type)                                                   \
  static inline type fs_min_##name(type a, type b) { return a < b ? a : b; }      \
  static inline type fs_max_##name(type a, type b) { return a > b ? a : b; }
FS_EXTREMES(int, int)
FS_EXTREMES(unsigned, unsigned)
FS_EXTREMES(long, long)
FS_EXTREMES(unsigned_long, unsigned long)
FS_EXTREMES(long_long, long long)
FS_EXTREMES(unsigned_long_long, unsigned long long)
FS_EXTREMES(float, float)
FS_EXTREMES(double, double)
#define FS_EXTREME(which, a, b)                                                   \
  _Generic((a) + (b), int: fs_##which##_int, unsigned: fs_##which##_unsigned,     \
           long: fs_##which##_long, unsigned long: fs_##which##_unsigned_long,    \
           long long: fs_##which##_long_long,                                     \
           unsigned long long: fs_##which##_unsigned_long_long,                   \
           float: fs_##which##_float, double: fs_##which##_double)(a, b)
#define FS_MIN(a, b) FS_EXTREME(min, a, b)
#define FS_MAX(a, b) FS_EXTREME(max, a, b)

/* Every function that can fail returns one of these. The words for the user
 * are in the diagnostics (diag.h); the status only says which kind it was. */
enum fs_status {
  FS_OK = 0,
  FS_INCOMPLETE,   /* the text so far is the beginning of something longer   */
  FS_ERR_USER,     /* the user's mistake: a diagnostic with a span exists     */
  FS_ERR_ENV,      /* driver, device, memory, file system: one plain sentence */
  FS_INTERRUPTED,  /* fs_interrupt_request() was seen                         */
};

/* -- memory ---------------------------------------------------------------- */

/* Like malloc, calloc, realloc, strdup, but never NULL: when the host has no
 * memory left they jump to the handler that fs_oom_guard() set (session.c sets
 * one at the statement boundary), so only host-side state of a statement may
 * be live across them. Tensor storage never comes from here: see target.h. */
void *fs_malloc(size_t size);
void *fs_calloc(size_t count, size_t size);
void *fs_realloc(void *old, size_t size);
char *fs_strdup(const char *text);
char *fs_strndup(const char *text, size_t len);

#include <setjmp.h>
/* Installs `where` as this thread's out-of-memory handler and gives the old
 * one back, to be put back by the same call. NULL: print one line, exit 4. */
jmp_buf *fs_oom_guard(jmp_buf *where);
/* What fs_malloc() does when there is no memory: for a handler that cleaned up
 * and passes it on, and for libraries' own failures. */
_Noreturn void fs_oom_raise(void);

/* An arena frees everything at once. One per lifetime: statement, block,
 * session. Memory is zeroed and aligned to 16 bytes. */
struct fs_arena;
struct fs_arena *fs_arena_new(void);
void *fs_arena_alloc(struct fs_arena *arena, size_t size);
char *fs_arena_strndup(struct fs_arena *arena, const char *text, size_t len);
char *fs_arena_printf(struct fs_arena *arena, const char *fmt, ...)
    FS_PRINTF(2, 3);
void fs_arena_reset(struct fs_arena *arena);
void fs_arena_free(struct fs_arena *arena);
#define FS_NEW(arena, type) ((type *)fs_arena_alloc(arena, sizeof(type)))
#define FS_NEW_N(arena, type, n) \
  ((type *)fs_arena_alloc(arena, sizeof(type) * (size_t)(n)))

/* Growable array in a struct with members `data`, `len`, `cap`:
 *   struct { int *data; int len, cap; } v = {0};   *FS_PUSH(&v) = 7;
 * In a list that outlives the statement the right side must not allocate: the
 * list may have grown already, and would keep an element that was never set. */
#define FS_VEC(type) struct { type *data; int len, cap; }
#define FS_PUSH(vec)                                                        \
  ((vec)->len == (vec)->cap                                                 \
       ? ((vec)->data = fs_realloc((vec)->data,                             \
                                   sizeof(*(vec)->data) *                   \
                                       (size_t)FS_GROWN((vec)->cap)),       \
          (vec)->cap = FS_GROWN((vec)->cap), /* after realloc: it can jump */ \
          &(vec)->data[(vec)->len++])                                       \
       : &(vec)->data[(vec)->len++])
#define FS_GROWN(cap) ((cap) ? 2 * (cap) : 8)
/* Goes over its elements, to which nothing is added meanwhile. */
#define FS_EACH_AT(vec, x)                                                                \
  for (__typeof__(&*(vec)->data) x = (vec)->data, x##_end = (vec)->len ? x + (vec)->len : x; \
       x < x##_end; x++)
#define FS_VEC_FREE(vec) (free((vec)->data), (vec)->data = NULL,            \
                          (vec)->len = (vec)->cap = 0)

/* -- strings --------------------------------------------------------------- */

/* A string builder; `data` is always NUL-terminated once something was put. */
struct fs_str {
  char *data;
  size_t len, cap;
};
void fs_str_put(struct fs_str *s, const char *text, size_t len);
void fs_str_puts(struct fs_str *s, const char *text);
void fs_str_printf(struct fs_str *s, const char *fmt, ...) FS_PRINTF(2, 3);
void fs_str_vprintf(struct fs_str *s, const char *fmt, va_list args)
    FS_PRINTF(2, 0);
void fs_str_clear(struct fs_str *s);  /* keeps the memory */
void fs_str_free(struct fs_str *s);
/* The text, or "" if nothing was put. Borrowed until the next call on `s`. */
const char *fs_str_text(const struct fs_str *s);

/* -- UTF-8 and terminals --------------------------------------------------- */

/* Decodes one code point at text[0..len). Returns its length in bytes, or 0 if
 * the bytes are not valid UTF-8. */
int fs_utf8_decode(const char *text, size_t len, uint32_t *code_point);
/* The length of text[0..len) cut to at most `most` bytes, at the beginning of a
 * character. */
size_t fs_utf8_cut(const char *text, size_t len, size_t most);
/* Appends a code point. */
void fs_str_put_point(struct fs_str *s, uint32_t c);
/* Columns that text[0..len) takes on a terminal (wide = 2, combining = 0). */
int fs_utf8_width(const char *text, size_t len);
/* The longest beginning of text[0..len) that takes at most `width` columns, in bytes. */
size_t fs_utf8_fitting(const char *text, size_t len, int width);
/* Appends `cell`, at the right end of `width` columns. */
void fs_str_put_right(struct fs_str *s, int width, const struct fs_str *cell);
/* Appends text with control characters, invalid UTF-8 and bidi controls as
 * visible escapes (\x1b), so that data can never drive the terminal. */
void fs_str_put_safe(struct fs_str *s, const char *text, size_t len);
/* The same as the text of an HTML or XML element or of a quoted attribute: also
 * & < > " ' as entities. All data in HTML and SVG goes through this. */
void fs_str_put_html(struct fs_str *s, const char *text, size_t len);
/* Bytes of the word of letters, digits and underscores that p begins with, before `end`. */
size_t fs_word_length(const char *p, const char *end);

/* -- numbers --------------------------------------------------------------- */

uint64_t fs_hash(const void *data, size_t len, uint64_t seed);
double fs_now(void);                       /* monotonic seconds */
/* "1.00 GiB", "64.0 KiB", "12 B" */
void fs_str_put_bytes(struct fs_str *s, double bytes);
/* "0.252 ms", "1.234 s", "3.4 us" (with the micro sign) */
void fs_str_put_seconds(struct fs_str *s, double seconds);
/* The first sentence of a comment of several lines, in one: up to a full stop at a word's end;
 * where there is none, the first line. Marks `#` before its lines are left out. */
void fs_str_put_sentence(struct fs_str *s, const char *comment);
void fs_sort_numbers(double *values, int n); /* the least first */
double fs_median(double *values, int n);     /* sorts them; n > 0 */
/* Indices by their keys, the least first; of one key, the least index. */
void fs_sort_by(const uint64_t *key, int *indices, int n);
/* Where each of n comes in the order of their keys. */
void fs_rank_by(const uint64_t *key, int n, int *rank);
void fs_sort_ids(uint32_t *ids, int n); /* the least first */
/* x / unit, rounded up, and the multiple of the unit that it is; x >= 0, unit > 0. */
static inline int64_t fs_ceil_div(int64_t x, int64_t unit) { return (x + unit - 1) / unit; }
static inline int64_t fs_round_up(int64_t x, int64_t unit) { return fs_ceil_div(x, unit) * unit; }
/* a*b, or -1 if it would overflow or one is negative */
int64_t fs_mul_size(int64_t a, int64_t b);

/* -- interrupt ------------------------------------------------------------- */

/* Async-signal-safe. Everything that can take long polls fs_interrupted(). */
void fs_interrupt_request(void);
bool fs_interrupted(void);
void fs_interrupt_clear(void);
/* While held, fs_interrupted() is false; a request meanwhile is kept for later. */
void fs_interrupt_hold(bool on);
/* Where several processes run one program (core/ranks), a request counts when all have agreed
 * on it, so that they stop at the same place: from the first fs_interrupt_agreed() on. */
void fs_interrupt_agreed(bool all);
bool fs_interrupt_asked(void); /* whether there was a request, agreed on or not */

/* -- checks ---------------------------------------------------------------- */

/* Whether the stages check what they give each other: FUSIBLE_CHECK is set, not to 0. */
bool fs_checking(void);

#endif
