/* line.c - see line.h. On a terminal Readline runs in its callback form, under
 * a loop that also hears signals; elsewhere (also with --no-readline) lines are
 * read plainly, since Readline would echo a pipe's input into the output. */
#include "repl/line.h"

#include <poll.h>
#include <stdio.h>
#include <termios.h>
#include <unistd.h>

#include <readline/readline.h>

#include "core/lang/parse.h"
#include "repl/colour.h"
#include "repl/keys.h"
#include "repl/term.h"

static const char prompt_first[] = "fs> ", prompt_more[] = "... ";

enum got { GOT_LINE, GOT_END, GOT_INTERRUPT };

struct fs_line {
  struct fs_session *session;
  bool readline, terminal;
  struct fs_str entry;  /* the lines so far of the entry being typed      */
  struct fs_str buffer; /* plain input: bytes read, not yet taken as lines */
};

/* Readline's callback takes no user pointer. */
static char *taken;
static bool have_taken, ended, interrupted, cancelled;
static char *offered; /* NULL: nothing */
static int start_indent, line_indent; /* blanks that the line began with, and has now */
static bool by_prefix;                /* how Up and Down go on                        */

static void on_line(char *text) {
  taken = text;
  have_taken = true;
  rl_callback_handler_remove(); /* puts the terminal back at once */
}

static int insert_indent(void) {
  line_indent = start_indent;
  for (int i = 0; i < start_indent; i++) rl_insert_text(" ");
  if (offered) rl_insert_text(offered);
  free(offered);
  offered = NULL;
  return 0;
}

void fs_line_offer(const char *text) {
  free(offered);
  offered = fs_strdup(text);
}

bool fs_line_was_cancelled(void) { return cancelled; }

/* `end`, `else` and closing brackets go back to where what they close began, and forth
 * again when the word goes on (`endless = 1`), while the user leaves the indent alone. */
static void fit_indent(void) {
  int less = start_indent ? fs_parse_outdent(rl_line_buffer) : 0;
  int want = start_indent - less, more = want - line_indent;
  if (want < 0 || !more || rl_point < line_indent || strchr(rl_line_buffer, '\n') ||
      (int)strspn(rl_line_buffer, " ") != line_indent || rl_last_func == rl_undo_command ||
      RL_ISSTATE(RL_STATE_ISEARCH | RL_STATE_NSEARCH))
    return;
  int point = rl_point + more;
  rl_point = 0;
  for (int i = 0; i < more; i++) rl_insert_text(" ");
  if (more < 0) rl_delete_text(0, -more);
  rl_point = point;
  line_indent = want;
  rl_redisplay();
}

/* Keys that came together reach this without a look at the line between them. */
static int accept_line(int count, int key) {
  fit_indent();
  return rl_newline(count, key);
}

/* Up and Down find what begins with what stands before the cursor; with nothing there,
 * all of the history. */
static int recall(int count, int key, rl_command_func_t *all, rl_command_func_t *prefix,
                  bool again) {
  if (!again) by_prefix = (int)strspn(rl_line_buffer, " ") < rl_point;
  if (!by_prefix) return all(count, key);
  if (again) rl_last_func = prefix; /* else it would start a new search */
  return prefix(count, key);
}

static int older(int count, int key);
static int newer(int count, int key) {
  return recall(count, key, rl_get_next_history, rl_history_search_forward,
                rl_last_func == older || rl_last_func == newer);
}
static int older(int count, int key) {
  return recall(count, key, rl_get_previous_history, rl_history_search_backward,
                rl_last_func == older || rl_last_func == newer);
}

/* Before the user's own file of keys is read, which so has the last word. */
static void bind_keys(void) {
  static const char *const up[] = {"\033[A", "\033OA"}, *const down[] = {"\033[B", "\033OB"};
  Keymap emacs = rl_get_keymap_by_name("emacs");
  rl_bind_key_in_map('\r', accept_line, emacs);
  rl_bind_key_in_map('\n', accept_line, emacs);
  for (size_t k = 0; k < FS_LEN(up); k++) {
    rl_bind_keyseq_in_map(up[k], older, emacs);
    rl_bind_keyseq_in_map(down[k], newer, emacs);
  }
}

/* Ctrl-D on a line of nothing but its indent ends the input too. */
static int end_or_delete(int count, int key) {
  if (!start_indent) return rl_delete(count, key);
  for (int i = 0; i < rl_end; i++)
    if (rl_line_buffer[i] != ' ') return rl_delete(count, key);
  rl_delete_text(0, rl_end);
  rl_point = 0;
  ended = true;
  rl_done = 1;
  return 0;
}

static void prepare_terminal(int meta) {
  rl_prep_terminal(meta);
  fs_term_never_wait();
}

static void stop_and_redraw(void) {
  rl_deprep_terminal();
  fs_term_stop();
  prepare_terminal(1);
  fs_colour_resize();
  rl_forced_update_display();
}

/* Readline's own way to a key would not see those that were kept, nor Ctrl-C in the
 * middle of a paste of which the end never comes. */
static int read_key(FILE *unused) {
  char c;
  (void)unused;
  for (;;) {
    if (fs_keys_waiting())
      return fs_keys_read(&c, 1) == 1 ? (unsigned char)c : EOF;
    switch (fs_term_wait()) {
      case FS_TERM_KEY: break;
      case FS_TERM_RESIZE: fs_colour_resize(); break;
      case FS_TERM_STOP: stop_and_redraw(); break;
      case FS_TERM_INTERRUPT: interrupted = true; return READERR;
    }
  }
}

/* Whether more of a sequence of keys comes within Readline's time limit. */
static int key_is_there(void) {
  int ms = rl_set_keyboard_input_timeout(-1) / 1000; /* -1 only asks */
  struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};
  if (!fs_keys_waiting() && poll(&in, 1, ms) > 0) fs_keys_fetch();
  return fs_keys_waiting();
}

static void start_readline(struct fs_line *l, const struct fs_options *o) {
  rl_readline_name = "fusible";
  rl_instream = stdin;
  rl_outstream = isatty(STDERR_FILENO) ? stderr : stdout;
  rl_catch_signals = 0; /* term.c has them */
  rl_catch_sigwinch = 0;
  rl_change_environment = 0;
  rl_startup_hook = insert_indent;
  rl_getc_function = read_key;
  rl_prep_term_function = prepare_terminal;
  rl_input_available_hook = key_is_there;
  fs_complete_init(l->session, &l->entry);
  fs_history_open(!o->no_history);
  bind_keys();
  rl_initialize();
  rl_redisplay_function = fs_colour_redisplay; /* behind it: else it asks no terminfo */
  rl_bind_key('D' & 0x1f, end_or_delete);
}

bool fs_line_is_edited(const struct fs_options *options) {
  return isatty(STDIN_FILENO) && !options->no_readline &&
         (isatty(STDERR_FILENO) || isatty(STDOUT_FILENO));
}

struct fs_line *fs_line_new(struct fs_session *session,
                            const struct fs_options *options) {
  struct fs_line *l = fs_calloc(1, sizeof *l);
  l->session = session;
  l->terminal = isatty(STDIN_FILENO);
  l->readline = fs_line_is_edited(options);
  if (l->readline) start_readline(l, options);
  return l;
}

void fs_line_free(struct fs_line *l) {
  if (l->readline) fs_history_close();
  fs_str_free(&l->entry);
  fs_str_free(&l->buffer);
  free(l);
}

/* -- one line -------------------------------------------------------------- */

static void put_prompt(struct fs_str *out, bool more) {
  bool color = fs_term_look(rl_outstream).color;
  const char *words = more ? prompt_more : prompt_first;
  if (!color) fs_str_puts(out, words);
  else
    fs_str_printf(out, "\001\033[%sm\002%s\001\033[0m\002",
                  more ? "2" : "1;32", words);
}

static void cancel_line(void) {
  rl_eof_found = 0; /* else each prompt after a read that was stopped ends its line */
  rl_callback_sigcleanup();
  rl_point = rl_end; /* the cursor behind all lines of the entry */
  rl_redisplay();
  rl_echo_signal_char(2); /* ^C, where the terminal echoes such keys */
  rl_free_line_state();
  rl_callback_handler_remove();
}

static enum got read_edited(bool more, int indent, struct fs_str *out) {
  struct fs_str prompt = {0};
  put_prompt(&prompt, more);
  start_indent = indent;
  have_taken = ended = interrupted = false;
  rl_reset_screen_size();
  fs_colour_begin((int)sizeof prompt_first - 1, fs_term_look(rl_outstream).color);
  fs_term_set_input(FS_TERM_KEYS); /* to which Readline goes back */
  rl_callback_handler_install(fs_str_text(&prompt), on_line);
  while (!have_taken && !interrupted) {
    switch (fs_term_wait()) {
      case FS_TERM_KEY:
        rl_callback_read_char();
        if (!have_taken && !interrupted) fit_indent();
        break;
      case FS_TERM_RESIZE: fs_colour_resize(); break;
      case FS_TERM_STOP: stop_and_redraw(); break;
      case FS_TERM_INTERRUPT: interrupted = true; break;
    }
  }
  if (interrupted) {
    if (have_taken) free(taken);
    cancel_line();
  }
  fs_str_free(&prompt);
  if (interrupted) return GOT_INTERRUPT;
  if (!taken) return GOT_END;
  if (ended) {
    free(taken);
    return GOT_END;
  }
  fs_str_puts(out, taken);
  free(taken);
  return GOT_LINE;
}

/* Moves the first line of the buffer, without its newline, to `out`. */
static bool take_line(struct fs_str *buffer, bool at_end, struct fs_str *out) {
  const char *data = fs_str_text(buffer);
  const char *newline = memchr(data, '\n', buffer->len);
  if (!newline && !(at_end && buffer->len)) return false;
  size_t len = newline ? (size_t)(newline - data) : buffer->len;
  size_t used = len + (newline ? 1 : 0);
  fs_str_put(out, data, len);
  memmove(buffer->data, buffer->data + used, buffer->len - used);
  buffer->len -= used;
  buffer->data[buffer->len] = 0;
  return true;
}

static enum got read_plain(struct fs_line *l, bool more, struct fs_str *out) {
  char piece[4096];
  if (l->terminal) fputs(more ? prompt_more : prompt_first, stderr);
  fflush(stderr);
  while (!take_line(&l->buffer, false, out)) {
    enum fs_term_event event = fs_term_wait();
    if (event == FS_TERM_INTERRUPT) return GOT_INTERRUPT;
    if (event == FS_TERM_STOP) fs_term_stop();
    if (event != FS_TERM_KEY) continue;
    ssize_t n = fs_keys_read(piece, sizeof piece);
    if (n > 0) fs_str_put(&l->buffer, piece, (size_t)n);
    else return take_line(&l->buffer, true, out) ? GOT_LINE : GOT_END;
  }
  return GOT_LINE;
}

/* -- entries --------------------------------------------------------------- */

/* The length of the prompt that `line` starts with, or 0. Editors cut blanks
 * at line ends, so "..." alone counts too. */
static size_t prompt_length(const char *line, size_t len, const char *prompt) {
  size_t n = strlen(prompt);
  if (len >= n && !strncmp(line, prompt, n)) return n;
  return len == n - 1 && !strncmp(line, prompt, n - 1) ? n - 1 : 0;
}

static bool has_prompt(const char *text) {
  for (const char *at = text; *at; at += *at == '\n') {
    size_t len = strcspn(at, "\n");
    if (prompt_length(at, len, prompt_first)) return true;
    at += len;
  }
  return false;
}

void fs_line_strip_prompts(const char *text, bool continued,
                           struct fs_str *out) {
  if (!has_prompt(text) &&
      !(continued && prompt_length(text, strcspn(text, "\n"), prompt_more))) {
    fs_str_puts(out, text);
    return;
  }
  bool first = true;
  for (const char *at = text; *at; at += *at == '\n') {
    size_t len = strcspn(at, "\n");
    size_t n = prompt_length(at, len, prompt_first);
    if (!n) n = prompt_length(at, len, prompt_more);
    if (n) {
      if (!first) fs_str_puts(out, "\n");
      fs_str_put(out, at + n, len - n);
      first = false;
    }
    at += len;
  }
}

static bool is_blank(const struct fs_str *s) {
  return strspn(fs_str_text(s), " \t\r\n") == s->len;
}

static bool is_complete(struct fs_line *l, int *indent) {
  const char *text = fs_str_text(&l->entry);
  *indent = 0;
  if (text[strspn(text, " \t\n")] == '?') return true;
  return fs_session_is_complete(l->session, text, l->entry.len, indent) !=
         FS_NEEDS_MORE;
}

static void add_line(struct fs_line *l, const struct fs_str *line) {
  struct fs_str stripped = {0};
  fs_line_strip_prompts(fs_str_text(line), l->entry.len > 0, &stripped);
  fs_str_puts(&l->entry, fs_str_text(&stripped));
  fs_str_puts(&l->entry, "\n");
  fs_str_free(&stripped);
}

static void put_newline(const struct fs_line *l) {
  if (l->terminal) fputs("\n", l->readline ? rl_outstream : stderr);
}

bool fs_line_read(struct fs_line *l, struct fs_str *entry) {
  struct fs_str line = {0};
  int indent = 0;
  bool complete = false, end = false;
  fs_str_clear(&l->entry);
  fflush(stdout);
  cancelled = false;
  while (!complete && !end) {
    bool more = l->entry.len > 0;
    fs_str_clear(&line);
    enum got got = l->readline ? read_edited(more, indent, &line)
                               : read_plain(l, more, &line);
    if (got == GOT_LINE) {
      add_line(l, &line);
      if (is_blank(&l->entry)) fs_str_clear(&l->entry);
      else complete = is_complete(l, &indent);
    } else {
      put_newline(l);
      if (got == GOT_END && more && !l->terminal) complete = true;
      else if (got == GOT_END && !more) end = true;
      else fs_str_clear(&l->entry), indent = 0, cancelled = true;
    }
  }
  fs_str_clear(entry);
  fs_str_puts(entry, fs_str_text(&l->entry));
  fs_str_clear(&l->entry);
  fs_str_free(&line);
  if (complete && l->readline) fs_history_add(fs_str_text(entry));
  return complete;
}
