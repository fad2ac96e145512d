/* journal.h - the inputs that made a session what it is, kept by the front to make
 * it again in another process. Inside core/worker only.
 *
 * Only what left something behind is kept: an input that just displayed is not.
 */
#ifndef FS_JOURNAL_H
#define FS_JOURNAL_H

#include <jansson.h>

#include "core/base/stamp.h"

enum fs_entry_kind { FS_ENTRY_EVAL, FS_ENTRY_DEFINE, FS_ENTRY_SET };

/* What an input reads and has, by its text: made when it is asked for. */
struct fs_entry_uses {
  bool known, commands, outside;
  char **reads, **inside;  /* NULL-ended: see core/lang/uses.h               */
};

struct fs_entry {
  enum fs_entry_kind kind;
  char *name, *text;   /* given; the text has a NUL after its len bytes       */
  size_t len;
  unsigned flags;
  json_t *random;      /* where the random numbers were before it             */
  /* From here on: what came of it. */
  int result;          /* enum fs_result                                      */
  double seconds;
  json_t *times;       /* what time() told; `timed` of them or more           */
  json_t *answers;     /* to ask()                                            */
  int64_t timed;
  char **changed;      /* names that it gave a value or removed, NULL-ended   */
  char **functions;    /* those of them that are functions, NULL-ended        */
  bool settings;       /* nothing else was changed                            */
  json_t *set;         /* the settings that it changed, as an object          */
  json_t *planned;     /* [a sum over costs, a mark of what was tuned] by which
                          its blocks were planned; NULL: it ran none          */
  struct fs_entry_uses uses;
  FS_VEC(struct fs_stamp) files; /* that it read, each with a path, as they were */
};

struct fs_journal {
  FS_VEC(struct fs_entry *) list;
  double seconds;      /* of all of them                                      */
  int pruned_at;       /* how many there were after fs_journal_prune()        */
};

struct fs_entry *fs_entry_new(enum fs_entry_kind kind, const char *name,
                              const char *text, size_t len, unsigned flags);
void fs_entry_free(struct fs_entry *e);
/* Takes over what the worker told of the input when it was done: `state` as of
 * serve.c. */
void fs_entry_outcome(struct fs_entry *e, int result, double seconds,
                      const json_t *state);
/* It was run once more: what it read then, and by which costs, is what counts from here on. */
void fs_entry_replayed(struct fs_entry *e, const json_t *state);
/* Whether a session without this input would be another one. */
bool fs_entry_matters(const struct fs_entry *e, const json_t *state);
const struct fs_entry_uses *fs_entry_uses(struct fs_entry *e);
/* Whether it may read or do anything, whatever its text says: files of statements, commands,
 * made-up data, and what ended in the middle. */
bool fs_entry_is_opaque(struct fs_entry *e);
/* Whether it may read one of the names (the keys), itself or by the functions that it calls,
 * which are those of all entries; `functions` as of fs_journal_functions(). */
bool fs_entry_reads(struct fs_entry *e, const json_t *names, const json_t *functions);
/* Whether its blocks were planned as blocks are that `state` tells of. */
bool fs_entry_is_planned_as(const struct fs_entry *e, const json_t *state);
/* Appends ", data.npy has changed" for each file that is not as it was. */
void fs_entry_put_files(const struct fs_entry *e, struct fs_str *out);

/* Keeps `gives`; if it changes all settings that the last one changed, and that did nothing
 * else, it takes its place. */
void fs_journal_add(struct fs_journal *j, struct fs_entry *gives);
void fs_journal_remove(struct fs_journal *j, int k);
void fs_journal_clear(struct fs_journal *j);
/* All variables were removed: drops what only made some. */
void fs_journal_reset(struct fs_journal *j);
/* Drops all that did more than change settings. */
void fs_journal_keep_settings(struct fs_journal *j);
/* How many did. */
int fs_journal_inputs(const struct fs_journal *j);
/* What the functions of all entries read, by their names: given. */
json_t *fs_journal_functions(struct fs_journal *j);
/* Drops inputs of which nothing is left: all names that they changed were given
 * other values later, and no input that is kept may have read them. */
void fs_journal_prune(struct fs_journal *j);

#endif
