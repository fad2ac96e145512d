/* tour.c - what a newcomer begins with: `:tour` and `:examples`. */
#include "core/session/internal.h"

#include <dirent.h>
#include <stdio.h>
#include <unistd.h>

#include "core/base/datafile.h"

/* -- the tour ------------------------------------------------------------------------ */

/* %d: so many rows that the matrix is larger than the caches of the device. */
static const struct { const char *words, *input; } steps[] = {
  {"Two minutes on your own device. Each line is typed for you: Enter runs it, and you may "
   "change it first. Ctrl-C ends the tour. First a matrix and two vectors of random numbers; "
   "the assignment has the matrix stored, else it would be drawn where it is used.",
   "A = rand(%d, %d); p = rand(%d); r = rand(%d); A[1, 1] = 1;"},
  {"Two products of one matrix. A library would read it twice. Fusible plans the statements of "
   "a block together:",
   "begin q = A*p; s = A'*r; end"},
  {"One kernel, which moves the matrix once, with what was predicted of it and what it took. "
   "The whole plan:",
   ":plan"},
  {"Why do the two share a kernel, and what would two kernels take?", ":why q s"},
  {"You can decide otherwise. The block is planned anew for the answer; nothing runs:",
   ":split q s"},
  {"Is it true? Both plans run in turns on your device, and their results are compared bit by "
   "bit, and with those in double precision:",
   ":race"},
  {"So the pin goes again.", ":split off"},
  {"The kernel as a picture: what it reads, does and makes, and dotted what fusion spares:",
   ":plan graph"},
  {"And how near is that to what the device can do at all?", "roofline()"},
};

bool fs_session_tour(struct fs_session *s, int k, const char **words, struct fs_str *input) {
  if (k >= (int)FS_LEN(steps)) return false;
  const char *target = fs_session_setting(s, "target");
  int n = target && strncmp(target, "cpu", 3) ? 16384 : 4000;
  *words = steps[k].words;
  for (const char *at = steps[k].input; *at; at++) {
    bool number = at[0] == '%' && at[1] == 'd';
    if (number) fs_str_printf(input, "%d", n), at++;
    else fs_str_put(input, at, 1);
  }
  return true;
}

const char fs_tour_end[] =
  "That was the tour. `:examples` has whole programs, `?name` and `:help` know the rest, and "
  "`:choose` lets you pick another plan of the last block.";

enum fs_status fs_session_tell_tour(struct fs_session *s, struct fs_words *c) {
  const char *words;
  struct fs_str input = {0};
  for (int k = 0; fs_session_tour(s, k, &words, &input); k++) {
    fs_str_printf(c->out, "%s\n    %s\n", words, fs_str_text(&input));
    fs_str_clear(&input);
  }
  fs_str_printf(c->out, "%s\n", fs_tour_end);
  fs_str_free(&input);
  return FS_OK;
}

/* -- the examples -------------------------------------------------------------------- */

/* Beside the program: installed, or where it was built. False: they are not there. */
static bool find_examples(struct fs_str *out) {
  static const char *const places[] = {"/../share/fusible/examples", "/../examples"};
  char program[4096];
  ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
  if (n <= 0) return false;
  program[n] = 0;
  *strrchr(program, '/') = 0;
  for (size_t k = 0; k < FS_LEN(places); k++) {
    fs_str_clear(out);
    fs_str_printf(out, "%s%s", program, places[k]);
    char *real = realpath(fs_str_text(out), NULL);
    fs_str_clear(out);
    if (real) fs_str_puts(out, real);
    free(real);
    if (out->len) return true;
  }
  return false;
}

static bool is_script(const char *name) {
  size_t len = strlen(name);
  return len > 3 && !strcmp(name + len - 3, ".fs");
}

static int by_name(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

typedef FS_VEC(char *) names;

static void list_names(const char *folder, names *out) {
  DIR *dir = opendir(folder);
  const struct dirent *e;
  while (dir && (e = readdir(dir)))
    if (is_script(e->d_name)) *FS_PUSH(out) = fs_strndup(e->d_name, strlen(e->d_name) - 3);
  if (dir) closedir(dir);
  if (out->len) qsort(out->data, (size_t)out->len, sizeof *out->data, by_name);
}

static bool read_example(const char *folder, const char *name, struct fs_str *path,
                         struct fs_str *text) {
  enum { MOST = 1 << 20 };
  fs_str_clear(path);
  fs_str_clear(text);
  fs_str_printf(path, "%s/%s.fs", folder, name);
  return !fs_text_read(fs_str_text(path), MOST, false, text);
}

/* The name, and the first sentence of the comment that its text begins with. */
static void put_line(struct fs_str *out, const char *name, const struct fs_str *text) {
  const char *end = fs_str_text(text);
  while (*end == '#') end += strcspn(end, "\n"), end += *end == '\n';
  char *comment = fs_strndup(fs_str_text(text), (size_t)(end - fs_str_text(text)));
  fs_str_printf(out, "  %-16s  ", name);
  fs_str_put_sentence(out, comment);
  fs_str_puts(out, "\n");
  free(comment);
}

static void list_examples(const char *folder, struct fs_str *out) {
  struct fs_str path = {0}, text = {0};
  names all = {0};
  list_names(folder, &all);
  for (int k = 0; k < all.len; k++) {
    if (read_example(folder, all.data[k], &path, &text)) put_line(out, all.data[k], &text);
    free(all.data[k]);
  }
  FS_VEC_FREE(&all);
  fs_str_printf(out, "in %s; `:examples cg` shows one, and how to run it\n", folder);
  fs_str_free(&path);
  fs_str_free(&text);
}

json_t *fs_session_example_names(void) {
  struct fs_str folder = {0};
  names all = {0};
  json_t *list = json_array();
  if (find_examples(&folder)) list_names(fs_str_text(&folder), &all);
  for (int k = 0; k < all.len; k++) {
    json_array_append_new(list, fs_json_text(all.data[k], strlen(all.data[k])));
    free(all.data[k]);
  }
  FS_VEC_FREE(&all);
  fs_str_free(&folder);
  return list;
}

enum fs_status fs_session_examples(struct fs_session *s, struct fs_words *c) {
  struct fs_str folder = {0}, path = {0}, text = {0};
  enum fs_status st = FS_OK;
  if (c->n > 1) return FS_ERR_USER;
  bool there = find_examples(&folder);
  if (!there) fs_str_puts(c->out, "the examples are not installed beside this program\n");
  else if (!c->n) list_examples(fs_str_text(&folder), c->out);
  else if (!strchr(c->word[0], '/') &&
           read_example(fs_str_text(&folder), c->word[0], &path, &text))
    fs_str_printf(c->out, "%s\nimport \"%s\" runs it\n", fs_str_text(&text), fs_str_text(&path));
  else
    st = fs_error(&s->diags, c->span, "unknown-name", "`:examples` has their names",
                  "there is no example %.200s", c->word[0]);
  fs_str_free(&folder);
  fs_str_free(&path);
  fs_str_free(&text);
  return st;
}
