/* outcome.h - how an input is evaluated, and how that ends: words of the fronts, the session
 * and the interpreter. */
#ifndef FS_OUTCOME_H
#define FS_OUTCOME_H

enum fs_eval_flags {
  FS_EVAL_BLOCK = 0,   /* the whole text is one statement block (terminal, cell) */
  FS_EVAL_SCRIPT = 1,  /* blocks end where a value is observed                */
  FS_EVAL_SILENT = 2,  /* no value display                                    */
  FS_EVAL_REPLAY = 4,  /* once more, as it was: not for the history           */
  FS_EVAL_PART = 8,    /* one statement of a script: whether that ends is told */
  FS_EVAL_LINE = 256   /* times the lines of the file before the text, up to
                          FS_EVAL_LINES_MAX: messages name those of the file  */
};
enum { FS_EVAL_LINES_MAX = (1 << 24) - 1 };

/* The outcome as exit codes know it. */
enum fs_result {
  FS_RESULT_OK = 0, FS_RESULT_ERROR = 1, FS_RESULT_ENVIRONMENT = 3,
  FS_RESULT_INTERRUPTED = 130, FS_RESULT_QUIT = 256, FS_RESULT_RETURNED = 257
};

#endif
