/* diag.h - source texts, spans, and diagnostics with carets.
 *
 * A span is a pair of byte offsets into a numbered source text. Tokens, syntax
 * nodes, graph nodes and kernels all carry spans, so every message can show
 * the user's own line:
 *
 *   <repl:12>:1:5: error: shapes do not fit: A is 3x4, p is 5
 *     q = A*p
 *         ^~~
 *   hint: A*p needs p to have 4 elements
 */
#ifndef FS_DIAG_H
#define FS_DIAG_H

#include "core/base/base.h"

struct fs_span {
  uint32_t source;      /* index into the source table; 0 = nowhere */
  uint32_t begin, end;  /* byte offsets, end exclusive              */
};

/* Where a place of a source lies, so that what is behind it need not be looked for from the
 * beginning. */
struct fs_source_mark {
  uint32_t at, begin, end; /* bytes: the place; its line, up to the newline */
  int line, column;        /* from 0 */
};

/* Words that stand in front of a part of a source wherever that is shown: "for i, j: ". */
struct fs_source_words {
  uint32_t begin, end;
  char *words;
};

struct fs_source {
  char *name;  /* "<repl:12>", "cell[3]", "examples/bicgk.fs" */
  char *text;  /* NUL-terminated copy */
  size_t len;
  int before;  /* lines of the file that come before the text */
  FS_VEC(struct fs_source_mark) marks; /* one in FS_MARKED bytes, the first at 0 */
  FS_VEC(struct fs_source_words) words;
};
enum { FS_MARKED = 512 };

enum fs_severity { FS_NOTE, FS_WARNING, FS_ERROR };

struct fs_diag {
  enum fs_severity severity;
  const char *id;        /* stable word, see docs/errors.md: "shape-mismatch" */
  struct fs_span span;
  char *message, *hint;  /* hint may be NULL */
};

/* The session's sources and the diagnostics of the current input. */
struct fs_diags {
  FS_VEC(struct fs_source) sources;
  FS_VEC(struct fs_diag) list;
  FS_VEC(const char *) told;  /* ids of warnings that are given once */
};

void fs_diags_init(struct fs_diags *d);
void fs_diags_free(struct fs_diags *d);
void fs_diags_clear(struct fs_diags *d);  /* forgets the list, keeps sources */
void fs_diags_cut(struct fs_diags *d, int n); /* ... of it what is behind the first n */
bool fs_diags_has(const struct fs_diags *d, const char *id);

/* Copies the text; gives the number to put in spans. */
uint32_t fs_source_add(struct fs_diags *d, const char *name, const char *text,
                       size_t len);
/* The text is part of a file, after so many lines of it; or came again there: messages
 * use the new place. */
void fs_source_place(struct fs_diags *d, uint32_t id, const char *name, int before);
const struct fs_source *fs_source_get(const struct fs_diags *d, uint32_t id);
/* Gives a part of a source words to stand in front of it, copied; NULL: none any more. */
void fs_source_set_words(struct fs_diags *d, struct fs_span span, const char *words);
/* The words of the innermost such part that a span lies in; NULL: there are none. Borrowed. */
const char *fs_span_words(const struct fs_diags *d, struct fs_span span);
/* The bytes of a span, on one line: borrowed pointer and length. */
const char *fs_span_text(const struct fs_diags *d, struct fs_span span,
                         size_t *len);
/* Appends what there is of a span on one line: without comments, and of more than `most`
 * bytes only those, with "..." for the rest. */
void fs_span_put_line(const struct fs_diags *d, struct fs_span span, size_t most,
                      struct fs_str *out);
struct fs_span fs_span_join(struct fs_span a, struct fs_span b);
/* < 0, 0, > 0: by source, then where they begin, longer ones first. */
int fs_span_compare(struct fs_span a, struct fs_span b);
/* Whether all of `b` lies in `a`. */
bool fs_span_holds(struct fs_span a, struct fs_span b);
/* 1-based line of its file and column (in display columns) of a span's beginning. */
void fs_span_position(const struct fs_diags *d, struct fs_span span, int *line,
                      int *column);

/* Records an error (with no `d` nowhere) and gives FS_ERR_USER, so that callers can write
 *   return fs_error(d, span, "shape-mismatch", hint, "shapes ...", ...);
 * `hint` may be NULL; both texts are copied. */
enum fs_status fs_error(struct fs_diags *d, struct fs_span span,
                        const char *id, const char *hint, const char *fmt, ...)
    FS_PRINTF(5, 6);
/* The same for the environment's failures: gives FS_ERR_ENV. */
enum fs_status fs_env_error(struct fs_diags *d, const char *id,
                            const char *hint, const char *fmt, ...)
    FS_PRINTF(4, 5);
/* Where what went wrong last was called from: a note behind it, of the innermost calls. */
void fs_note_call(struct fs_diags *d, struct fs_span span, const char *id,
                  const char *fmt, ...) FS_PRINTF(4, 5);
void fs_note(struct fs_diags *d, struct fs_span span, const char *id,
             const char *hint, const char *fmt, ...) FS_PRINTF(5, 6);
void fs_warn(struct fs_diags *d, struct fs_span span, const char *id,
             const char *hint, const char *fmt, ...) FS_PRINTF(5, 6);
/* A warning or note the first time in a session: of what is no mistake, but may not be
 * what was meant. The id has to be a constant. */
void fs_tell_once(struct fs_diags *d, enum fs_severity severity, struct fs_span span,
                  const char *id, const char *hint, const char *fmt, ...) FS_PRINTF(6, 7);

/* The length of a line up to its comment. */
size_t fs_code_length(const char *text, size_t len);

/* Appends the picture above. All parts pass fs_str_put_safe(). */
void fs_diag_render(const struct fs_diags *d, const struct fs_diag *diag,
                    struct fs_str *out);

/* The candidate nearest to `name` by edit distance, or NULL if none is near: "did you
 * mean"; of those as near one that begins as it does, else the first. Calls candidate =
 * next(user) until that gives NULL. */
const char *fs_near_miss(const char *name, const char *(*next)(void *user),
                         void *user);

#endif
