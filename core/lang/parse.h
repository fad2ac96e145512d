/* parse.h - text to syntax tree: lexer and recursive-descent parser. */
#ifndef FS_PARSE_H
#define FS_PARSE_H

#include "core/lang/ast.h"

/* Parses the whole of a source. On FS_OK *out is the list of statements (NULL
 * if the text is blank), living in `arena`, which must outlive it (function
 * bodies are kept by their values: see eval/value.h).
 * FS_INCOMPLETE: the text ends inside a bracket or block, or after a binary
 * operator, `,` or `=`; no diagnostic is recorded, and *out is NULL. (A string
 * cannot go on in the next line: an open one is an error at once.)
 * FS_ERR_USER: a diagnostic was recorded. */
enum fs_status fs_parse(struct fs_diags *diags, struct fs_arena *arena,
                        uint32_t source, struct fs_stmt **out);

/* The same for text that nothing can follow (a script, a cell, -e): what
 * fs_parse calls incomplete is an error that shows what was left open. */
enum fs_status fs_parse_final(struct fs_diags *diags, struct fs_arena *arena,
                              uint32_t source, struct fs_stmt **out);

/* The number of spaces a continuation line after this incomplete text should
 * start with: two per open block or bracket. */
int fs_parse_indent(const char *text, size_t len);
/* The number of spaces less that a line starts with which goes on with `else`, `end` or a
 * bracket that closes. */
int fs_parse_outdent(const char *line);

/* What each byte of a text belongs to, for who colours it, as letters: k keyword, n number,
 * s string, c comment, `:` command, blank: none of these. Any text, also half of one. */
void fs_parse_kinds(const char *text, size_t len, char *kinds);

/* Whether `words`, each with a blank before and behind it, has this one. */
bool fs_has_word(const char *words, const char *word);
/* Whether other languages have this word, or a function of this name, which here is
 * nothing. Then *hint says what does its work, or is NULL. */
bool fs_elsewhere(const char *word, const char **hint);
/* What does the work of a function that is given more or fewer arguments elsewhere, or
 * NULL. */
const char *fs_elsewhere_arguments(const char *name);

/* What is no mistake here and means another thing in other languages. */
enum fs_other { FS_OTHER_RANK, FS_OTHER_EIG, FS_OTHER_ROWS, FS_OTHER_OUTER,
                FS_OTHER_DIVISION, FS_OTHER_DIRECTIVE, FS_OTHER_FORMAT };
/* Says so the first time in a session. */
void fs_tell_other(struct fs_diags *d, enum fs_other what, struct fs_span span);
/* The first comment of a text that would be something else there: a division (of what
 * stands behind it, *word) or a directive. */
bool fs_other_comment(const char *text, size_t len, enum fs_other *what,
                      struct fs_span *comment, struct fs_span *word);

/* Prints a tree as s-expressions, for the `ast` dump and the tests. */
void fs_ast_dump(const struct fs_stmt *list, struct fs_str *out);

#endif
