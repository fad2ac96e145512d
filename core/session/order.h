/* order.h - what the leader of several ranks tells the others: bytes between equal programs. */
#ifndef FS_ORDER_H
#define FS_ORDER_H

#include "core/ranks/ranks.h"
#include "core/session/internal.h"

/* What is done by all: the words that fs_session_eval() and its like get. */
enum fs_order_kind { FS_ORDER_EVAL, FS_ORDER_DEFINE, FS_ORDER_SET, FS_ORDER_LEAVE };

struct fs_order {
  enum fs_order_kind what;
  unsigned flags;
  uint64_t name, text;       /* bytes of what follows */
  int64_t random[2];         /* seed and stream of the leader's random numbers */
};

/* What followers must know before there is a session. */
struct fs_beginning {
  char target[64];
  int threads;
};

#endif
