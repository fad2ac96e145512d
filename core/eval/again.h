/* again.h - lists of statements that come again: what is remembered of one. record.c
 * writes it while a list is traced, again.c reads it when the list comes again. */
#ifndef FS_AGAIN_H
#define FS_AGAIN_H

#include "core/eval/interp.h"
#include "core/run/memo.h"

enum { FS_AGAIN_NAMES = 64, FS_AGAIN_INPUTS = 96, FS_AGAIN_OUTPUTS = 30, FS_AGAIN_EFFECTS = 64,
       FS_AGAIN_MISSES = 4 };

/* What a name was when the list was traced. */
struct fs_again_guard {
  char *name;
  enum fs_val_kind kind;     /* FS_V_NONE: there was no such variable */
  bool is_int;
  double number;
  struct fs_func *func;      /* a reference */
  enum fs_dtype dtype;
  struct fs_shape shape;
  struct fs_layout layout;
  int alias;                 /* the first guard of the same storage */
  int64_t list_to;           /* what was known of it as a list of indices */
  bool rebound;              /* the list gives the name another value */
  const struct fs_storage *seen;  /* only while it is recorded */
  const struct fs_tensor *now;    /* only while it is run */
};

/* What a name is afterwards: an output of the block, a number, a part of what another
 * name was, or what a recipe can compute. */
struct fs_again_effect {
  char *name;
  int output;                /* -1: none */
  int guard;                 /* of a part: whose; -1: none */
  fs_id node;                /* in the recipe; 0: none */
  enum fs_dtype dtype;       /* of parts, and of what a recipe computes */
  struct fs_shape shape;
  struct fs_layout layout;   /* of a part */
  struct fs_val number;      /* else */
};

struct fs_again_output {
  enum fs_dtype dtype;
  struct fs_shape shape;
  const struct fs_tensor *seen;
};

struct fs_again {
  const struct fs_stmt *list;
  struct fs_unit *unit;      /* a reference, so that `list` stays what it is */
  bool top, script, silent;
  int seen, misses;
  int64_t hits;
  bool refused, ready;
  FS_VEC(struct fs_again_guard) guards;
  FS_VEC(struct fs_again_effect) effects;
  FS_VEC(struct fs_again_output) outputs;
  struct fs_memo memo;
  int *from;                 /* per input of the block: which guard */
  struct fs_recipe *recipe;  /* a reference of the one of its effects, or NULL */
  int *recipe_from;          /* per input of the recipe: which guard */
  fs_name_list passing;      /* see fs_again_passing() */
  struct fs_number *params;
  fs_anchor_list anchors;
  /* While it is recorded: */
  bool failed, ended;
  int undo_from, blocks, forced, told;
  int64_t stream;
};

/* Whether the undo log has the name, from its place `from` on. */
static inline bool fs_assigned_since(const struct fs_interp *in, int from, const char *name) {
  for (int k = from; k < in->undo.len; k++)
    if (!strcmp(in->undo.data[k].name, name)) return true;
  return false;
}

/* Forgets what was recorded, not the list. */
void fs_again_empty(struct fs_again *a);

#endif
