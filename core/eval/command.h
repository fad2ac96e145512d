/* command.h - the table of `:commands` and the finding of one by its name. What
 * they do is in core/session/commands.c. */
#ifndef FS_COMMAND_H
#define FS_COMMAND_H

#include "core/base/base.h"

enum fs_command_id {
#define FS_COMMAND(id, ...) FS_CMD_##id,
#include "core/eval/commands.def"
  FS_COMMAND_COUNT
};

struct fs_command {
  enum fs_command_id id;
  const char *name, *letter, *args, *group, *flags, *options, *doc, *more;
};
extern const struct fs_command fs_commands[FS_COMMAND_COUNT];

static inline bool fs_command_has(const struct fs_command *c, char flag) {
  return strchr(c->flags, flag) != NULL;
}

/* Finds by full name, letter, or a beginning that fits one command only. NULL if
 * none fits or several do; then *words is what to tell the user: the commands
 * that fit, or the nearest name, or nothing. */
const struct fs_command *fs_command_find(const char *word, size_t len,
                                         struct fs_str *words);

/* The command of this full name, or the one that other prompts have under it. */
const struct fs_command *fs_command_meant(const char *word);

/* The overview of `:help`, and the page of one command. */
void fs_command_overview(struct fs_str *out);
void fs_command_page(const struct fs_command *c, struct fs_str *out);

#endif
