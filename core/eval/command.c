/* command.c - see command.h. */
#include "core/eval/command.h"

#include "core/base/diag.h"

const struct fs_command fs_commands[FS_COMMAND_COUNT] = {
#define FS_COMMAND(id, name, letter, args, group, flags, options, doc, more) \
  {FS_CMD_##id, name, letter, args, group, flags, options, doc, more},
#include "core/eval/commands.def"
};

static const char *next_name(void *user) {
  int *k = user;
  return *k < FS_COMMAND_COUNT ? fs_commands[(*k)++].name : NULL;
}

const struct fs_command *fs_command_meant(const char *word) {
  static const char *const elsewhere[][2] = {
      {"exit", "quit"}, {"bye", "quit"}, {"who", "vars"}, {"whos", "vars"},
      {"ls", "vars"}};
  for (size_t k = 0; k < FS_LEN(elsewhere); k++)
    if (!strcmp(word, elsewhere[k][0])) word = elsewhere[k][1];
  for (int k = 0; k < FS_COMMAND_COUNT; k++)
    if (!strcmp(fs_commands[k].name, word)) return &fs_commands[k];
  return NULL;
}

static void suggest(const char *word, size_t len, struct fs_str *words) {
  char *name = fs_strndup(word, FS_MIN(len, 40));
  int k = 0;
  const struct fs_command *meant = fs_command_meant(name);
  const char *near = meant ? meant->name : fs_near_miss(name, next_name, &k);
  if (near) fs_str_printf(words, "did you mean :%s?", near);
  free(name);
}

const struct fs_command *fs_command_find(const char *word, size_t len,
                                         struct fs_str *words) {
  const struct fs_command *found = NULL;
  int fits = 0;
  for (int k = 0; k < FS_COMMAND_COUNT; k++) {
    const struct fs_command *c = &fs_commands[k];
    if (strlen(c->name) == len && !memcmp(c->name, word, len)) return c;
    if (len == 1 && *c->letter && *c->letter == *word) return c;
    if (!len || strncmp(c->name, word, len)) continue;
    if (fits++) fs_str_puts(words, ", ");
    fs_str_printf(words, ":%s", c->name);
    found = c;
  }
  if (fits == 1) return found;
  if (!fits) suggest(word, len, words);
  else fs_str_puts(words, " fit");
  return NULL;
}

static void put_signature(const struct fs_command *c, struct fs_str *out) {
  fs_str_printf(out, ":%s%s%s", c->name, *c->args ? " " : "", c->args);
}

void fs_command_overview(struct fs_str *out) {
  const char *group = "";
  for (int k = 0; k < FS_COMMAND_COUNT; k++) {
    const struct fs_command *c = &fs_commands[k];
    struct fs_str left = {0};
    if (strcmp(group, c->group))
      fs_str_printf(out, "%s%s\n", k ? "\n" : "", c->group);
    group = c->group;
    put_signature(c, &left);
    if (left.len > 24)
      fs_str_printf(out, "  %s\n  %-24s  %s\n", fs_str_text(&left), "", c->doc);
    else
      fs_str_printf(out, "  %-24s  %s\n", fs_str_text(&left), c->doc);
    fs_str_free(&left);
  }
}

void fs_command_page(const struct fs_command *c, struct fs_str *out) {
  put_signature(c, out);
  fs_str_printf(out, "\n  %s%s\n", c->doc, *c->more ? "." : "");
  for (const char *at = c->more; *at;) {
    size_t len = strcspn(at, "\n");
    fs_str_printf(out, "  %.*s\n", (int)len, at);
    at += len + (at[len] == '\n');
  }
}
