/* func.h - functions as values: user functions, lambdas, builtins, elementary
 * functions. Reference counted, so closures and tables can share them. */
#ifndef FS_FUNC_H
#define FS_FUNC_H

#include "core/eval/value.h"

struct fs_interp;

/* The arena of one input, which is parsed into it; lives as long as a function defined in
 * it. All of an interpreter are in a list: after a jump out of the middle of an input those
 * are freed that nothing can reach (recover.c). */
struct fs_unit {
  int refs;
  struct fs_arena *arena;
  struct fs_unit *next, **link; /* what points here: the list, or the one before */
};
/* Gives one with an empty arena, which is in the list until it is freed. */
struct fs_unit *fs_unit_new(struct fs_unit **list);
struct fs_unit *fs_unit_ref(struct fs_unit *u);
void fs_unit_unref(struct fs_unit *u);

/* A call of a builtin: what it gets and where its results go. */
struct fs_call {
  struct fs_interp *in;
  const struct fs_builtin *builtin;
  int n;                   /* arguments given        */
  struct fs_val *args;     /* borrowed               */
  struct fs_span span;     /* the whole call         */
  const struct fs_span *arg_spans;
  int want;                /* results that the caller can take, at least 1 */
  struct fs_val *out;      /* start as FS_V_NONE     */
};

enum fs_builtin_trait {
  FS_BT_MAP = 1,           /* data is the elementwise operation that it is */
  FS_BT_CAST = 2,          /* data is the type that it converts to */
  FS_BT_WHOLE = 4,         /* looks at an array as a whole: no function of its elements */
  FS_BT_PLAIN = 8,         /* its result follows from types, shapes and numbers alone */
  FS_BT_LATE = 16,         /* may fail when its block runs */
  FS_BT_COMPLEX = 32,      /* knows complex arguments */
  FS_BT_PARTS = 64,        /* of a complex first argument it is what it is of both parts */
  FS_BT_TO_COMPLEX = 128   /* data is the type of the parts that it converts to */
};

struct fs_builtin {
  const char *name;
  int min_args, max_args;  /* max_args < 0: any number */
  enum fs_status (*fn)(struct fs_call *c);
  unsigned traits;         /* of enum fs_builtin_trait */
  int data;                /* an op for functions that serve several names */
  const char *signature, *doc;
};

/* What the language has of them: an interpreter is given it. */
struct fs_builtin_table {
  const struct fs_builtin *all; /* ends with name == NULL */
  const struct fs_builtin *(*find)(const char *name); /* NULL: none has the name */
};

enum fs_func_kind { FS_FN_USER, FS_FN_BUILTIN, FS_FN_ELEM, FS_FN_KERNEL };

struct fs_capture {
  const char *name; /* in the unit's arena */
  struct fs_val value;
};

/* What a kernel is for one kind of call: a USER function. */
struct fs_form {
  char *key;
  struct fs_func *func;
};

struct fs_func {
  int refs;
  enum fs_func_kind kind;
  const char *name;                 /* NULL for a lambda */
  const struct fs_builtin *builtin; /* BUILTIN */
  const struct fs_elem *elem;       /* ELEM    */
  const struct fs_c_kernel *kernel; /* KERNEL */
  const char *file;                 /* ... where it is from */
  const struct fs_as_is *as_is;     /* ... which runs as it is written (asis.h), or NULL */
  FS_VEC(struct fs_form) forms;     /* ... and what it was called as */
  struct fs_unit *unit;             /* USER, KERNEL: owns the tree below */
  int n_params;
  const struct fs_param *params;
  const struct fs_stmt *body;       /* one of body and expr */
  const struct fs_expr *expr;
  FS_VEC(struct fs_capture) captures;
  bool from_prelude;
  struct fs_span span;
};

struct fs_func *fs_func_new(enum fs_func_kind kind, const char *name);
struct fs_func *fs_func_ref(struct fs_func *f);
void fs_func_unref(struct fs_func *f);
/* Removes one of the forms of a kernel. */
void fs_func_forget_form(struct fs_func *f, int k);
/* How many arguments a USER or ELEM function takes: this many, and those with default
 * values may be left out. */
int fs_func_takes(const struct fs_func *f);
int fs_func_needs(const struct fs_func *f);
/* The parameter's name. */
const char *fs_func_param(const struct fs_func *f, int k);
/* Appends "(x, k = 1)". */
void fs_func_put_params(const struct fs_func *f, struct fs_str *out);

#endif
