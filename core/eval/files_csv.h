/* files_csv.h - the rows of a .csv file as numbers: what files_csv.c, which knows the
 * file, shares with files_csv_rows.c, which knows rows. Parts of a file are read by
 * several threads; nothing here touches diagnostics or memory that jumps. */
#ifndef FS_FILES_CSV_H
#define FS_FILES_CSV_H

#include "core/base/base.h"

/* Given each field as text, in the order of the file. False: no memory. */
typedef bool fs_csv_field_fn(void *user, const char *text, size_t len, bool missing,
                             double *out);

struct fs_csv_form {
  char separator;          /* ' ': any run of blanks                       */
  char point;              /* the decimal point                            */
  int64_t columns;         /* fields of every row; INT64_MAX: not yet known */
  int64_t only;            /* the one column that is wanted, from 0; -1: all */
  fs_csv_field_fn *field;  /* or NULL: fields are numbers                  */
  void *user;
};

/* Where a column held its first number, its first field that is neither a number nor
 * missing, and its first whole number that f64 rounds: lines from 1, 0 where there was none. */
struct fs_csv_column {
  int64_t number, text, rounded;
  int64_t at;              /* the byte of that text in its line, from 1 */
  char example[32];        /* how it begins */
};

enum fs_csv_fault {
  FS_CSV_FINE, FS_CSV_RAGGED, FS_CSV_OPEN_QUOTE, FS_CSV_AFTER_QUOTE, FS_CSV_NUL,
  FS_CSV_NO_MEMORY
};

enum fs_csv_kind { FS_CSV_MISSING, FS_CSV_NUMBER, FS_CSV_TEXT };
enum fs_csv_kind fs_csv_kind(const char *text, size_t len, char point);

/* Whole rows, at..end, of which the last byte is the end of a line. */
struct fs_csv_part {
  const struct fs_csv_form *form;
  const char *at, *end;
  double *values;          /* columns of them a row, or 1; from malloc, given */
  size_t len, cap;
  int64_t rows, lines;     /* that were read */
  struct fs_csv_column *columns; /* form->columns of them; borrowed */
  enum fs_csv_fault fault; /* reading ended there: */
  int64_t line, byte;      /* from 1, the line within the part */
  int64_t fields;          /* RAGGED: of the row */
};

/* Reads rows until the end, a fault, or `most` of them. */
void fs_csv_read_rows(struct fs_csv_part *p, int64_t most);

/* What follows the row at `at`, quotes heeded; NULL if it does not end before `end`. */
const char *fs_csv_row_end(const struct fs_csv_form *form, const char *at,
                           const char *end);

#endif
