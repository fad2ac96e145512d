/* choose.h - `:choose` at a terminal: the plans of the last block as a list that keys move in. */
#ifndef FS_CHOOSE_H
#define FS_CHOOSE_H

#include "core/base/base.h"

struct fs_choose_host {
  void *user;
  /* What a command answers, to be freed by the caller; it is not shown. */
  char *(*ask)(void *user, const char *command);
  /* Runs a command as if it had been typed. False: the session ends. */
  bool (*run)(void *user, const char *command);
};

/* Whether an entry is `:choose` alone, and this terminal can have the list. */
bool fs_is_choose(const char *entry);
/* Until a plan is chosen or the list is left. False: the session ends. */
bool fs_choose(const struct fs_choose_host *host);

#endif
