/* uses.h - which names a text reads, from its tree.
 *
 *   k = 5; for k = 1:k; s = s + k; end      reads s: k has a value before it is read
 *   for k = 1:k; s = s + k; end             reads k and s
 *   f(x) = x*a; y = f(b)                    reads f? no: b; inside of functions: a
 */
#ifndef FS_USES_H
#define FS_USES_H

#include "core/lang/ast.h"

struct fs_uses {
  FS_VEC(const char *) reads;  /* names that it may read before it gives them a value;
                                  each once, borrowed from the tree              */
  FS_VEC(const char *) inside; /* names that functions and lambdas of it read when
                                  they are called, but for their own             */
  bool commands;               /* it has `:commands`                             */
  bool outside;                /* it imports a file, or takes an input           */
};

/* The uses of a list of statements, in the order in which they run. What branches and loops
 * assign counts as given a value in them alone, since they may not run. */
void fs_uses_of(const struct fs_stmt *list, struct fs_uses *out);
void fs_uses_free(struct fs_uses *u);

#endif
