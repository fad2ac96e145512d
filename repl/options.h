/* options.h - the command line. One table in options.c makes the parser, the
 * text of --help and the middle of the man page. */
#ifndef FS_OPTIONS_H
#define FS_OPTIONS_H

#include <stdio.h>

#include "core/base/base.h"

enum fs_input_kind { FS_INPUT_CODE, FS_INPUT_FILE, FS_INPUT_STDIN };
struct fs_input {
  enum fs_input_kind kind;
  const char *text; /* the code or the path, as given */
};

/* `fusible kernel install | uninstall | list` */
struct fs_kernel_options {
  const char *action;            /* NULL: another mode           */
  bool user, sys_prefix;
  const char *prefix, *name, *display_name;
  FS_VEC(const char *) env;      /* "K=V", or "K" and "V"        */
};

enum fs_color_choice { FS_COLOR_AUTO, FS_COLOR_ALWAYS, FS_COLOR_NEVER };

/* Pointers are into argv or the environment, or static. */
struct fs_options {
  FS_VEC(struct fs_input) inputs; /* in the order given      */
  FS_VEC(const char *) defines;   /* "name=value"            */
  const char *target;             /* "auto", "cpu", "cuda:1" */
  int threads;                    /* 0 = all processors      */
  const char *plan;               /* "off", "line", "box"; NULL = by the mode */
  const char *dump;               /* "graph,plan", NULL = none            */
  enum fs_color_choice color;
  struct fs_kernel_options kernel;
  bool interactive, json, quiet, no_rc, no_history, no_readline, keep_going,
      one_process;
};

enum fs_options_result {
  FS_OPTIONS_RUN,  /* go on with what was parsed                      */
  FS_OPTIONS_DONE, /* --help or --version was answered: exit 0        */
  FS_OPTIONS_BAD   /* a sentence was written to stderr: exit 2        */
};

enum fs_options_result fs_options_parse(struct fs_options *o, int argc,
                                        char **argv);
void fs_options_free(struct fs_options *o);

#endif
