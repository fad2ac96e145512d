/* fuzz_session.c - texts of statements, run on the CPU as inputs of the prompt are. What
 * has effects outside, or would be other work, is left out: files, plots' files, questions,
 * and commands but for a few. Memory and time are limited by counts, the same on every
 * machine: an array is small, so is all that an input may have of the host's memory, and so
 * many looks at the interrupt flag end it.
 *
 * To start a session takes ten times as long as most inputs. So LIFE inputs share one, with
 * `:reset -f` in between: what one leaves behind meets the next. That the session still
 * computes is looked at after LOOK of them. A file of which the crash does not come again
 * alone is the last of LIFE inputs; the same -seed finds it again. */
#include "tests/fuzz/fuzz.h"

#include <errno.h>
#include <malloc.h>
#include <sys/mman.h>

#include "tests/fuzz/alone.h"

enum { MOST_TEXT = 4096, MOST_BYTES = 1 << 20, MOST_HOST = 8 << 20, MOST_LOOKS = 2000,
       LIFE = 1000, LOOK = 4 };

/* -- limits: linked in place of the functions (FUZZ_LINK_session) ----------------- */

static int looks;
static int64_t held; /* bytes of the host's memory, since the input began */
static bool limited; /* while it runs */

bool __real_fs_interrupted(void);
bool __wrap_fs_interrupted(void);
bool __wrap_fs_interrupted(void) {
  if (++looks == MOST_LOOKS) fs_interrupt_request();
  return __real_fs_interrupted();
}

void *__real_mmap(void *at, size_t len, int may, int how, int fd, off_t from);
void *__wrap_mmap(void *at, size_t len, int may, int how, int fd, off_t from);
void *__wrap_mmap(void *at, size_t len, int may, int how, int fd, off_t from) {
  if (!limited || len <= MOST_BYTES) return __real_mmap(at, len, may, how, fd, from);
  errno = ENOMEM;
  return MAP_FAILED;
}

static bool is_too_much(size_t len) {
  return limited && (len > MOST_HOST || held + (int64_t)len > MOST_HOST);
}

static void *take(void *p) {
  if (p) held += (int64_t)malloc_usable_size(p);
  return p;
}

void *__real_malloc(size_t len);
void *__wrap_malloc(size_t len);
void *__wrap_malloc(size_t len) {
  return is_too_much(len) ? NULL : take(__real_malloc(len));
}

void *__real_calloc(size_t n, size_t len);
void *__wrap_calloc(size_t n, size_t len);
void *__wrap_calloc(size_t n, size_t len) {
  size_t all;
  if (__builtin_mul_overflow(n, len, &all) || is_too_much(all)) return NULL;
  return take(__real_calloc(n, len));
}

void __real_free(void *p);
void __wrap_free(void *p);
void __wrap_free(void *p) {
  if (p) held -= (int64_t)malloc_usable_size(p);
  __real_free(p);
}

void *__real_realloc(void *p, size_t len);
void *__wrap_realloc(void *p, size_t len);
void *__wrap_realloc(void *p, size_t len) {
  size_t old = p ? malloc_usable_size(p) : 0;
  if (len > old && is_too_much(len - old)) return NULL;
  void *to = __real_realloc(p, len);
  if (to) take(to), held -= (int64_t)old;
  return to;
}

/* What an input that ends for want of memory leaves behind is not looked for. */
const char *__asan_default_options(void);
const char *__asan_default_options(void) { return "detect_leaks=0"; }

/* -- texts ------------------------------------------------------------------------- */

static bool begins(const char *line, size_t len, const char *word) {
  return len >= strlen(word) && !memcmp(line, word, strlen(word));
}

static bool is_command(const char *line, size_t len) {
  static const char *const fine[] = {":why", ":plan", ":alternatives", ":plan json"};
  for (size_t k = 0; k < FS_LEN(fine); k++)
    if (strlen(fine[k]) == len && begins(line, len, fine[k])) return false;
  if (begins(line, len, ":explain ")) return false;
  size_t at = 0;
  while (at < len && (line[at] == ' ' || line[at] == '\t' || line[at] == '\r')) at++;
  return at < len && line[at] == ':';
}

/* Nothing of it leaves the process. */
static bool is_harmless(const char *text, size_t len) {
  static const char *const words[] = {"save", "load", "import", "ask"};
  for (size_t k = 0; k < FS_LEN(words); k++)
    if (memmem(text, len, words[k], strlen(words[k]))) return false;
  size_t first = begins(text, len, "\xef\xbb\xbf") ? 3 : 0; /* a byte order mark */
  for (size_t at = first; at < len;) {
    const char *end = memchr(text + at, '\n', len - at);
    size_t line = end ? (size_t)(end - text) - at : len - at;
    if (is_command(text + at, line)) return false;
    at += line + 1;
  }
  return true;
}

/* -- a session --------------------------------------------------------------------- */

static int done;

static void on_event(void *user, const json_t *event) {
  (void)user;
  const char *kind = json_string_value(json_object_get(event, "event"));
  if (!kind) abort();
  done += !strcmp(kind, "done");
}

static enum fs_result run(struct fs_session *s, const char *text, size_t len) {
  done = looks = 0;
  held = 0;
  limited = true;
  enum fs_result result = fs_session_eval(s, "<fuzz>", text, len, FS_EVAL_BLOCK);
  limited = false;
  if (done != 1) abort();
  return result;
}

/* Its variables, which may have the names of functions. */
static void forget(struct fs_session *s) {
  static const char reset[] = ":reset -f";
  if (run(s, reset, strlen(reset)) != FS_RESULT_OK) abort();
}

/* Of LIFE inputs; nothing of those before is defined. The library of matrices is loaded
 * once, and takes more memory than an input may. */
static struct fs_session *session(void) {
  static struct fs_session *s;
  static int used;
  static const char first[] = "solve([1, 2; 3, 4], [5; 6])";
  if (!s || used++ == LIFE) {
    fs_session_free(s);
    used = 0;
    s = alone_session(on_event);
    if (fs_session_eval(s, "<first>", first, strlen(first), 0) != FS_RESULT_OK) abort();
  }
  forget(s);
  return s;
}

/* Whatever it was, the session goes on, and computes as before. */
static void look(struct fs_session *s) {
  static const char after[] = "after = 20 + 22; assert(after == 42); assert(sum(1:4) == 10)";
  static int inputs;
  if (++inputs % LOOK) return;
  forget(s);
  if (run(s, after, strlen(after)) != FS_RESULT_OK) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const char *text = (const char *)data;
  if (size > MOST_TEXT || !is_harmless(text, size)) return 0;
  struct fs_session *s = session();
  if (run(s, text, size) == FS_RESULT_QUIT) abort(); /* there was no command */
  json_decref(fs_session_variables(s));
  look(s);
  return 0;
}
