/* colour.c - see colour.h. Readline knows of no colours in its line: it is let draw, and then
 * the same characters are written over, from the prompt on, with the cursor put back. */
#include "repl/colour.h"

#include <stdio.h>

#include <readline/readline.h>

#include "core/base/base.h"
#include "core/lang/parse.h"

enum { LONGEST = 8192 };

static int prompt;       /* columns */
static bool wanted, painted;

void fs_colour_begin(int prompt_columns, bool color) {
  prompt = prompt_columns;
  painted = false;
  const char *mode = rl_variable_value("show-mode-in-prompt");
  wanted = color && !(mode && !strcmp(mode, "on"));
}

static const char *sgr_of(char kind) {
  switch (kind) {
    case 'k': return "35";
    case 'n': return "36";
    case 's': return "32";
    case 'c': return "2";
    case ':': return "34";
    default: return "0";
  }
}

/* Where a character stands, in rows below the prompt's; `wrapped`: it would, but for the
 * terminal, which waits for the next one at the end of a row. */
struct spot {
  int row, column;
  bool wrapped;
};

/* False at what Readline may draw in another way than as one column. */
static bool step(struct spot *at, const char *text, size_t len, size_t *k, int columns) {
  uint32_t code;
  if (text[*k] == '\n') {
    *at = (struct spot){at->row + 1, 0, false};
    ++*k;
    return true;
  }
  int n = fs_utf8_decode(text + *k, len - *k, &code);
  if (n < 1 || (unsigned char)text[*k] < ' ' || text[*k] == 127 ||
      fs_utf8_width(text + *k, (size_t)n) != 1)
    return false;
  *k += (size_t)n;
  at->wrapped = ++at->column == columns;
  if (at->wrapped) at->row++, at->column = 0;
  return true;
}

static void move(struct fs_str *out, int rows, int columns) {
  fs_str_puts(out, "\r");
  if (rows < 0) fs_str_printf(out, "\033[%dA", -rows);
  if (rows > 0) fs_str_printf(out, "\033[%dB", rows);
  if (columns > 0) fs_str_printf(out, "\033[%dC", columns);
}

static void put_text(struct fs_str *out, const char *text, size_t len, const char *kinds) {
  char now = ' ';
  for (size_t k = 0; k < len; k++) {
    if (kinds[k] != now) fs_str_printf(out, "\033[0m\033[%sm", sgr_of(kinds[k]));
    now = kinds[k];
    if (text[k] == '\n') fs_str_puts(out, "\r");
    fs_str_put(out, text + k, 1);
  }
  if (now != ' ') fs_str_puts(out, "\033[0m");
}

static void paint(void) {
  const char *text = rl_line_buffer;
  size_t len = (size_t)rl_end;
  int rows, columns;
  struct spot at = {0, prompt, false}, point = at;
  rl_get_screen_size(&rows, &columns);
  for (size_t k = 0; k < len;) {
    if (!step(&at, text, len, &k, columns)) return;
    if (k == (size_t)rl_point) point = at;
  }
  if (at.row >= rows - 1) return;
  char kinds[LONGEST];
  fs_parse_kinds(text, len, kinds);
  bool any = false;
  for (size_t k = 0; k < len; k++) any |= kinds[k] != ' ';
  if (!any && !painted) return;
  painted = any;
  struct fs_str out = {0};
  move(&out, -point.row, prompt);
  put_text(&out, text, len, kinds);
  move(&out, point.row - (at.row - at.wrapped), point.column);
  fwrite(out.data, 1, out.len, rl_outstream);
  fflush(rl_outstream);
  fs_str_free(&out);
}

static void colour(void) {
  bool searched = RL_ISSTATE(RL_STATE_ISEARCH | RL_STATE_NSEARCH | RL_STATE_NUMERICARG);
  if (wanted && !searched && rl_display_prompt == rl_prompt && rl_end > 0 && rl_end < LONGEST)
    paint();
}

void fs_colour_redisplay(void) {
  rl_redisplay();
  colour();
}

void fs_colour_resize(void) {
  rl_redisplay_function = rl_redisplay;
  rl_resize_terminal();
  rl_redisplay_function = fs_colour_redisplay;
  colour();
}
