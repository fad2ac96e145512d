/* colour.h - colours for what is typed. */
#ifndef FS_COLOUR_H
#define FS_COLOUR_H

#include <stdbool.h>

/* For rl_redisplay_function: Readline's own, and then the line once more in its colours,
 * where the terminal has some and all of the line is on the screen. */
void fs_colour_redisplay(void);
/* rl_resize_terminal(), which thinks little of who draws himself. */
void fs_colour_resize(void);
/* A new line begins behind a prompt of so many columns. */
void fs_colour_begin(int prompt_columns, bool color);

#endif
