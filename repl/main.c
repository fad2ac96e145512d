/* main.c - the program `fusible`: scripts, one-liners and the prompt, over
 * core/session/session.h; the prompt has its session in a worker (core/worker/worker.h). Results
 * go to stdout, all else to stderr. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/datafile.h"
#include "core/lang/ast.h"
#include "core/session/session.h"
#include "core/worker/worker.h"
#include "repl/choose.h"
#include "repl/edit.h"
#include "repl/kernelspec.h"
#include "repl/keys.h"
#include "repl/line.h"
#include "repl/options.h"
#include "repl/picture.h"
#include "repl/progress.h"
#include "repl/render.h"
#include "repl/term.h"
#include "repl/tour.h"

enum { EXIT_USAGE = 2 };

struct front {
  struct fs_options options;
  struct fs_session *session; /* with a worker: its mirror */
  struct fs_worker *worker;   /* or NULL */
  struct fs_render *render;
  struct fs_str *answer;      /* takes the texts of an input that is not shown, or NULL */
  int entries;                /* at the prompt */
};

/* -- evaluating ------------------------------------------------------------ */

static enum fs_result evaluate(struct front *f, const char *name,
                               const char *text, size_t len, unsigned flags,
                               unsigned reading) {
  fs_render_begin(f->render, flags & FS_EVAL_SCRIPT ? FS_RENDER_SCRIPT
                                                    : FS_RENDER_PROMPT, reading);
  fs_progress_begin();
  const struct fs_term_job job = {f->session, f->worker};
  enum fs_term_mode old = fs_term_set_mode(FS_TERM_RUN, &job);
  enum fs_result result =
      f->worker ? fs_worker_run(f->worker, name, text, len, flags)
                : fs_session_eval(f->session, name, text, len, flags);
  fs_term_set_mode(old, NULL);
  fs_progress_end();
  fs_render_end(f->render);
  return result;
}

/* A worker may not answer: Ctrl-C ends this, too. */
static enum fs_result change_setting(struct front *f, const char *name,
                                     const char *value) {
  if (!f->worker) return fs_session_set(f->session, name, value);
  const struct fs_term_job job = {f->session, f->worker};
  enum fs_term_mode old = fs_term_set_mode(FS_TERM_RUN, &job);
  enum fs_result result = fs_worker_set(f->worker, name, value);
  fs_term_set_mode(old, NULL);
  return result;
}

/* -- scripts --------------------------------------------------------------- */

/* A script may come through a pipe. NULL: from standard input. */
static bool read_script(struct front *f, const char *path,
                        struct fs_str *out) {
  const char *why = path ? fs_text_read(path, FS_MAX_SOURCE, true, out)
                         : fs_text_read_fd(STDIN_FILENO, FS_MAX_SOURCE, out);
  if (why)
    fs_render_failure(f->render, "file", "cannot read %s: %s",
                      path ? path : "standard input", why);
  return !why;
}

static size_t line_end(const char *text, size_t len, size_t at) {
  const char *newline = memchr(text + at, '\n', len - at);
  return newline ? (size_t)(newline - text) + 1 : len;
}

/* What the front end itself had no memory for. */
static enum fs_result no_memory(void) {
  fputs("fusible: out of memory on the host\n", stderr);
  return FS_RESULT_ENVIRONMENT;
}

/* A statement of a script, after so many of its lines. */
static enum fs_result evaluate_part(struct front *f, const char *name,
                                    unsigned lines, const char *text,
                                    size_t len) {
  jmp_buf out_of_memory;
  jmp_buf *volatile old = fs_oom_guard(&out_of_memory);
  volatile enum fs_result result;
  unsigned before = FS_MIN(lines, (unsigned)FS_EVAL_LINES_MAX);
  if (setjmp(out_of_memory))
    result = no_memory();
  else
    result = evaluate(f, name, text, len,
                      FS_EVAL_SCRIPT | FS_EVAL_PART | before * FS_EVAL_LINE, 0);
  fs_oom_guard(old);
  return result;
}

/* --keep-going: statement by statement. */
static enum fs_result keep_going(struct front *f, const char *name,
                                 const char *text, size_t len) {
  enum fs_result worst = FS_RESULT_OK;
  size_t begin = 0;
  unsigned lines = 0;
  while (begin < len) {
    size_t end = line_end(text, len, begin);
    int indent;
    while (end < len && fs_session_is_complete(f->session, text + begin,
                                               end - begin, &indent) ==
                            FS_NEEDS_MORE)
      end = line_end(text, len, end);
    enum fs_result r =
        evaluate_part(f, name, lines, text + begin, end - begin);
    if (r == FS_RESULT_RETURNED) break;
    if (r != FS_RESULT_OK) worst = r;
    if (r == FS_RESULT_QUIT || r == FS_RESULT_INTERRUPTED) break;
    for (; begin < end; begin++) lines += text[begin] == '\n';
  }
  return worst;
}

static enum fs_result run_text(struct front *f, const char *name,
                               const struct fs_str *text) {
  if (f->options.keep_going)
    return keep_going(f, name, fs_str_text(text), text->len);
  return evaluate(f, name, fs_str_text(text), text->len, FS_EVAL_SCRIPT,
                  0);
}

static int run_input(struct front *f, const struct fs_input *input, int nth) {
  struct fs_str text = {0}, name = {0};
  bool readable = true;
  switch (input->kind) {
    case FS_INPUT_CODE:
      fs_str_printf(&name, "<-e:%d>", nth);
      fs_str_puts(&text, input->text);
      break;
    case FS_INPUT_STDIN:
      fs_str_puts(&name, "<stdin>");
      readable = read_script(f, NULL, &text);
      break;
    case FS_INPUT_FILE:
      fs_str_puts(&name, input->text);
      readable = read_script(f, input->text, &text);
      break;
  }
  int result =
      readable ? (int)run_text(f, fs_str_text(&name), &text) : EXIT_USAGE;
  fs_str_free(&text);
  fs_str_free(&name);
  return result;
}

/* Gives an exit code, or FS_RESULT_QUIT. */
static int run_scripts(struct front *f) {
  const struct fs_options *o = &f->options;
  int worst = 0;
  for (int i = 0; i < o->inputs.len; i++) {
    int result = run_input(f, &o->inputs.data[i], i + 1);
    if (result) worst = result;
    if (result == FS_RESULT_QUIT || result == FS_RESULT_INTERRUPTED) break;
    if (result && !o->keep_going) break;
  }
  return worst;
}

static int define_inputs(struct front *f) {
  for (int i = 0; i < f->options.defines.len; i++) {
    const char *define = f->options.defines.data[i];
    const char *equals = strchr(define, '=');
    char *name = fs_strndup(define, (size_t)(equals - define));
    fs_render_begin(f->render, FS_RENDER_SCRIPT, 0);
    enum fs_result result =
        f->worker ? fs_worker_define(f->worker, name, equals + 1)
                  : fs_session_define(f->session, name, equals + 1);
    fs_render_end(f->render);
    free(name);
    if (result != FS_RESULT_OK) return (int)result;
  }
  return 0;
}

/* Inputs that the scripts have not read: their names are misspelt, perhaps. */
static void check_inputs(struct front *f) {
  if (!f->options.defines.len) return;
  fs_render_begin(f->render, FS_RENDER_SCRIPT, 0);
  fs_session_check_defined(f->session);
  fs_render_end(f->render);
}

/* -- the prompt ------------------------------------------------------------ */

static void banner(const struct front *f) {
  const char *target = fs_session_setting(f->session, "target");
  if (f->options.quiet || f->options.json || !isatty(STDIN_FILENO)) return;
  struct fs_look look = fs_term_look(stderr);
  struct fs_str s = {0}, wrapped = {0};
  fs_str_printf(&s, "Fusible %s%s%s %s :help for help, Ctrl-D to leave\n",
                FS_VERSION, target ? look.utf8 ? " · " : " | " : "",
                target ? target : "", look.utf8 ? "·" : "|");
  fs_term_wrap(fs_str_text(&s), look.width, &wrapped);
  fputs(fs_str_text(&wrapped), stderr);
  fs_str_free(&s);
  fs_str_free(&wrapped);
}

/* What others could have written is not run, nor what never ends. */
static bool is_own_file(const char *path) {
  struct stat st, above;
  char *folder = fs_strndup(path, (size_t)(strrchr(path, '/') - path));
  const char *where = path, *why = stat(path, &st) ? NULL
                                   : !S_ISREG(st.st_mode) ? "is not a regular file"
                                                          : fs_others_can_write(&st);
  if (!why && !stat(folder, &above) && (why = fs_others_can_write(&above)))
    where = folder;
  if (why)
    fprintf(stderr, "fusible: %s is not run: %s %s\n", path,
            where == path ? "it" : "its folder", why);
  free(folder);
  return !why;
}

static void read_rc(struct front *f) {
  struct fs_str path = {0}, text = {0};
  if (!f->options.no_rc &&
      fs_xdg_path("XDG_CONFIG_HOME", ".config", "rc.fs", &path) &&
      !access(fs_str_text(&path), F_OK) && is_own_file(fs_str_text(&path)) &&
      read_script(f, fs_str_text(&path), &text))
    evaluate(f, fs_str_text(&path), fs_str_text(&text), text.len,
             FS_EVAL_SCRIPT, 0);
  fs_str_free(&path);
  fs_str_free(&text);
}

/* Commands whose output is there to be read, not watched; also ?name. What they say in
 * words is cut at words. */
static unsigned reading_of(const char *entry) {
  static const struct {
    const char *name;
    unsigned reading;
  } commands[] = {{":help", FS_READ_PAGED | FS_READ_WRAPPED | FS_READ_PROSE}, {":code", FS_READ_PAGED},
                  {":history", FS_READ_PAGED}, {":show", FS_READ_PAGED}, {":plan", FS_READ_PAGED},
                  {":alternatives", FS_READ_PAGED | FS_READ_WRAPPED}, {":explain", FS_READ_PAGED},
                  {":why", FS_READ_PAGED | FS_READ_WRAPPED}, {":dump", 0},
                  {":set", FS_READ_PAGED | FS_READ_WRAPPED}};
  static const char *const spoken[] = {"help", "help()", "doc", "apropos", "lookfor"};
  size_t len = strcspn(entry, " \t\r\n");
  if (*entry == '?') return commands[0].reading;
  for (size_t i = 0; i < FS_LEN(spoken); i++)
    if (len == strlen(spoken[i]) && !strncmp(entry, spoken[i], len) && !strchr(entry, '='))
      return commands[0].reading;
  for (size_t i = 0; i < FS_LEN(commands); i++)
    if (len > 1 && !strncmp(entry, commands[i].name, len)) return commands[i].reading;
  return *entry == ':' ? FS_READ_WRAPPED : 0;
}

/* Arrays are cut to the screen, and a later `:set width` stays until the screen
 * changes. */
static void tell_screen(struct front *f, int told[2]) {
  int width = fs_term_look(stdout).width, lines = fs_term_rows();
  char text[16];
  if (isatty(STDOUT_FILENO) && lines != told[1] && lines > 0 && lines <= 1000) {
    told[1] = lines;
    snprintf(text, sizeof text, "%d", lines);
    change_setting(f, "screen", text);
  }
  if (width == told[0] || width < 20) return;
  told[0] = width;
  snprintf(text, sizeof text, "%d", width);
  change_setting(f, "width", text);
}

static enum fs_result run_entry(struct front *f, const struct fs_str *entry) {
  const char *text = fs_str_text(entry);
  const char *start = text + strspn(text, " \t\r\n");
  struct fs_str name = {0};
  fs_str_printf(&name, "<repl:%d>", ++f->entries);
  enum fs_result result = evaluate(f, fs_str_text(&name), text, entry->len,
                                   FS_EVAL_BLOCK, reading_of(start));
  fs_str_free(&name);
  return result;
}

static char *ask_session(void *user, const char *command) {
  struct front *f = user;
  struct fs_str answer = {0};
  f->answer = &answer;
  evaluate(f, "<repl>", command, strlen(command), FS_EVAL_REPLAY, 0);
  f->answer = NULL;
  return answer.data;
}

static bool run_command(void *user, const char *command) {
  struct fs_str entry = {0};
  fs_str_puts(&entry, command);
  bool more = run_entry(user, &entry) != FS_RESULT_QUIT;
  fs_str_free(&entry);
  return more;
}

/* What the terminal takes part in is done here. */
static bool answer_entry(struct front *f, struct fs_str *entry) {
  const struct fs_choose_host host = {f, ask_session, run_command};
  bool edited = fs_line_is_edited(&f->options);
  if (edited && fs_is_tour(fs_str_text(entry))) {
    fs_tour_begin(f->session);
    return true;
  }
  if (edited && fs_is_choose(fs_str_text(entry))) return fs_choose(&host);
  if (edited && fs_is_edit(fs_str_text(entry)) && !fs_edit(f->worker, entry)) return true;
  bool more = run_entry(f, entry) != FS_RESULT_QUIT;
  if (more) fs_tour_go_on(f->session, fs_str_text(entry));
  return more;
}

/* False at the end of the input, or when the user asked to leave. */
static bool next_entry(struct front *f, struct fs_line *line,
                       struct fs_str *entry, int told[2]) {
  jmp_buf out_of_memory;
  jmp_buf *volatile old = fs_oom_guard(&out_of_memory);
  volatile bool more = true;
  if (setjmp(out_of_memory)) {
    no_memory();
  } else {
    more = fs_line_read(line, entry);
    if (more) tell_screen(f, told);
    if (more) more = answer_entry(f, entry);
  }
  fs_oom_guard(old);
  return more;
}

static void run_prompt(struct front *f) {
  struct fs_line *line = fs_line_new(f->session, &f->options);
  struct fs_str entry = {0};
  int told[2] = {0};
  if (!f->options.plan && !strcmp(fs_session_setting(f->session, "plan"),
                                  "off"))
    change_setting(f, "plan", "line");
  banner(f);
  read_rc(f);
  fs_term_set_mode(FS_TERM_PROMPT, NULL);
  while (next_entry(f, line, &entry, told)) continue;
  fs_term_set_mode(FS_TERM_IDLE, NULL);
  fs_str_free(&entry);
  fs_line_free(line);
}

/* -- start ----------------------------------------------------------------- */

/* The last character, of one or several bytes. */
static void erase(struct fs_str *line) {
  while (line->len && (line->data[--line->len] & 0xc0) == 0x80) continue;
}

/* A line from the terminal or the pipe. Not GOT_LINE: at its end, and at Ctrl-C. */
static enum got { GOT_LINE, GOT_END, GOT_INTERRUPT } read_line(struct fs_str *line) {
  bool terminal = isatty(STDIN_FILENO);
  for (;;) {
    char c = 0;
    enum fs_term_event event = terminal ? fs_term_wait() : FS_TERM_KEY;
    if (event == FS_TERM_STOP) fs_term_stop();
    if (event == FS_TERM_INTERRUPT) return GOT_INTERRUPT;
    if (event != FS_TERM_KEY) continue;
    if (fs_keys_read(&c, 1) != 1) return line->len ? GOT_LINE : GOT_END;
    switch (fs_term_edit(c)) {
      case FS_TERM_TEXT: fs_str_put(line, &c, 1); break;
      case FS_TERM_ENTER: return GOT_LINE;
      case FS_TERM_ERASE: erase(line); break;
      case FS_TERM_KILL: fs_str_clear(line); break;
      case FS_TERM_END:
        if (!line->len) return GOT_END;
    }
  }
}

/* Asks while an input runs. */
static enum got ask_line(struct front *f, const char *prompt, bool secret,
                         struct fs_str *line) {
  fs_picture_settle();
  enum fs_term_input typed = fs_term_input();
  bool hidden = fs_term_set_input(secret ? FS_TERM_SECRET : FS_TERM_LINES) && secret;
  enum fs_term_mode before = fs_term_begin_question();
  fs_progress_write(stderr, prompt, strlen(prompt));
  enum got got = read_line(line);
  const struct fs_term_job job = {f->session, f->worker};
  fs_term_set_mode(before, &job);
  fs_term_set_input(typed);
  if (hidden) fputs("\n", stderr);
  return got;
}

/* `:set rebuild ask`: at the terminal, with Enter for yes. Ctrl-C is a no, also to
 * the input that waits for it. */
static bool ask_rebuild(void *user, int inputs, double seconds) {
  struct front *f = user;
  struct fs_str prompt = {0}, line = {0};
  if (!isatty(STDIN_FILENO)) return true;
  fs_str_printf(&prompt, "run %d input%s again, about %.1f s? [Y/n] ", inputs,
                inputs == 1 ? "" : "s", seconds);
  enum got got = ask_line(f, fs_str_text(&prompt), false, &line);
  char first = *fs_str_text(&line);
  bool yes = got == GOT_LINE && first != 'n' && first != 'N';
  if (got == GOT_INTERRUPT) fs_worker_interrupt(f->worker);
  fs_str_free(&line);
  fs_str_free(&prompt);
  return yes;
}

/* The language's ask(). */
static char *on_ask(void *user, const char *prompt, bool secret) {
  struct front *f = user;
  struct fs_str line = {0};
  enum got got = ask_line(f, prompt, secret, &line);
  if (got == GOT_LINE) return line.data ? line.data : fs_strdup("");
  fs_str_free(&line);
  if (got == GOT_END) return NULL;
  if (f->worker) fs_worker_interrupt(f->worker);
  else fs_session_interrupt(f->session);
  return NULL;
}

static void on_event(void *user, const json_t *event) {
  struct front *f = user;
  const char *kind = json_string_value(json_object_get(event, "event"));
  if (f->answer) {
    const char *text = json_string_value(json_object_get(event, "text"));
    if (text && kind && !strcmp(kind, "text")) fs_str_puts(f->answer, text);
    return;
  }
  fs_render_event(f->render, event);
  if (!kind || strcmp(kind, "ask") || !f->worker) return;
  const char *prompt = json_string_value(json_object_get(event, "prompt"));
  char *line = on_ask(f, prompt ? prompt : "",
                      json_is_true(json_object_get(event, "password")));
  fs_worker_answer(f->worker, line);
  free(line);
}

static void start_worker(struct front *f, const char **error) {
  struct fs_worker_config config = {
    .target = f->options.target, .threads = f->options.threads,
    .on_event = on_event, .user = f,
    .ask_rebuild = ask_rebuild};
  f->worker = fs_worker_new(&config, error);
  if (!f->worker) return;
  const struct fs_term_job job = {fs_worker_session(f->worker), f->worker};
  enum fs_term_mode old = fs_term_set_mode(FS_TERM_RUN, &job);
  if (fs_worker_ready(f->worker, error)) f->session = fs_worker_session(f->worker);
  fs_term_set_mode(old, NULL);
}

static void start_session(struct front *f, const char **error) {
  struct fs_session_config config = {
    .target = f->options.target, .threads = f->options.threads,
    .on_event = on_event, .user = f, .ask = on_ask};
  f->session = fs_session_new(&config, error);
}

static bool start(struct front *f) {
  const char *error = NULL;
  f->render = fs_render_new(&f->options);
  if (f->options.interactive && !f->options.one_process && !fs_session_joined())
    start_worker(f, &error);
  else
    start_session(f, &error);
  if (!f->session) {
    fs_render_failure(f->render, "target", "%s",
                      error ? error : "no session could be started");
    return false;
  }
  fs_render_attach(f->render, f->session);
  const char *plan = f->options.plan;
  if (!plan) plan = f->options.json ? "line" : "off";
  change_setting(f, "plan", plan);
  if (!fs_term_look(stdout).utf8) change_setting(f, "ascii", "on");
  if (f->options.interactive && !f->options.json && isatty(STDOUT_FILENO))
    change_setting(f, "pictures", "auto");
  if (f->options.dump) change_setting(f, "dump", f->options.dump);
  return true;
}

static int run(struct front *f) {
  struct fs_options *o = &f->options;
  bool terminal = isatty(STDIN_FILENO);
  if (!o->inputs.len && !o->interactive) {
    o->interactive = terminal;
    if (!terminal)
      *FS_PUSH(&o->inputs) = (struct fs_input){FS_INPUT_STDIN, "-"};
  }
  if (o->interactive && fs_line_is_edited(o) && fs_term_in_front())
    fs_term_set_input(FS_TERM_KEYS); /* also for what is typed before the prompt */
  fs_progress_init(isatty(STDERR_FILENO) && !o->quiet);
  if (!start(f)) return FS_RESULT_ENVIRONMENT;
  int code = define_inputs(f);
  if (!code) code = run_scripts(f);
  if (code == FS_RESULT_QUIT) return 0;
  if (!o->interactive) {
    if (!code) check_inputs(f);
    return code;
  }
  run_prompt(f);
  return 0;
}

/* Started without one of the standard streams: no file that is opened may come to
 * lie in its place. What stands there now fails, as what is closed does. */
static void fill_streams(void) {
  static const int wrong_way[] = {O_WRONLY, O_RDONLY, O_RDONLY};
  for (int fd = 0; fd <= STDERR_FILENO; fd++)
    if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", wrong_way[fd]) < 0) _exit(3);
}

int main(int argc, char **argv) {
  struct front f = {.session = NULL};
  int code = EXIT_USAGE;
  fill_streams();
  if (argc > 1 && !strcmp(argv[1], "--worker"))
    return fs_worker_main(argc, argv);
  if (argc > 1 && !strcmp(argv[1], "--rank")) return fs_session_follow(true);
  if (argc > 1 && !strcmp(argv[1], "--compiler"))
    return fs_worker_compile(argc, argv);
  const char *error = NULL;
  if (!fs_session_join(&error)) {
    fprintf(stderr, "fusible: %s\n", error);
    return FS_RESULT_ENVIRONMENT;
  }
  if (fs_session_follows()) return fs_session_follow(false);
  switch (fs_options_parse(&f.options, argc, argv)) {
    case FS_OPTIONS_BAD: break;
    case FS_OPTIONS_DONE: code = 0; break;
    case FS_OPTIONS_RUN:
      if (f.options.kernel.action) {
        code = fs_kernelspec(&f.options);
        break;
      }
      fs_term_init(&f.options);
      code = run(&f);
      fs_term_set_input(FS_TERM_LINES);
  }
  if (!code && f.render && !f.options.interactive && fs_render_lost(f.render))
    code = FS_RESULT_ENVIRONMENT;
  if (f.worker) fs_worker_free(f.worker);
  else if (f.session) fs_session_free(f.session);
  if (f.render) fs_render_free(f.render);
  fs_options_free(&f.options);
  if (fflush(stdout) || ferror(stdout)) {
    fputs("fusible: the results could not be written\n", stderr);
    if (!code) code = FS_RESULT_ENVIRONMENT;
  }
  return code;
}
