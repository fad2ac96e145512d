/* account.c - see account.h. */
#include "core/base/account.h"

_Thread_local struct fs_account fs_account;

double fs_account_begin(enum fs_part part) {
  struct fs_account *a = &fs_account;
  *a = (struct fs_account){.part = part, .since = fs_now(), .touched = a->touched};
  return a->since;
}
