/* fuzz_session.c - texts of statements, run on the CPU as an input of the prompt is. What
 * has effects outside, or would be other work, is left out: files, plots' files, questions,
 * and commands but for a few. Memory and time are limited by counts, the same on every
 * machine: an array is small, and so many looks at the interrupt flag end an input. */
#include "tests/fuzz/fuzz.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "core/base/base.h"
#include "core/session/session.h"

#ifdef __has_feature
#if __has_feature(address_sanitizer)
#define FS_SANITIZED
#endif
#endif

enum { MOST_TEXT = 4096, MOST_BYTES = 16 << 20, MOST_LOOKS = 4000 };

/* -- limits: linked in place of the functions (FUZZ_LINK_session) ----------------- */

static int looks;

bool __real_fs_interrupted(void);
bool __wrap_fs_interrupted(void);
bool __wrap_fs_interrupted(void) {
  if (++looks == MOST_LOOKS) fs_interrupt_request();
  return __real_fs_interrupted();
}

void *__real_mmap(void *at, size_t len, int may, int how, int fd, off_t from);
void *__wrap_mmap(void *at, size_t len, int may, int how, int fd, off_t from);
void *__wrap_mmap(void *at, size_t len, int may, int how, int fd, off_t from) {
  if (len <= MOST_BYTES) return __real_mmap(at, len, may, how, fd, from);
  errno = ENOMEM;
  return MAP_FAILED;
}

/* Texts of the language may double until the host has no memory left; what an input that
 * ends by that leaves behind is not looked for. */
const char *__asan_default_options(void);
const char *__asan_default_options(void) {
  return "allocator_may_return_null=1:max_allocation_size_mb=64:detect_leaks=0";
}

static void limit_memory(void) {
#if !defined __SANITIZE_ADDRESS__ && !defined FS_SANITIZED
  struct rlimit most = {1 << 30, 1 << 30};
  setrlimit(RLIMIT_AS, &most);
#endif
}

/* -- texts ------------------------------------------------------------------------- */

static bool is_command(const char *line, size_t len) {
  static const char *const fine[] = {":why", ":plan", ":alternatives", ":plan json"};
  for (size_t k = 0; k < FS_LEN(fine); k++)
    if (strlen(fine[k]) == len && !memcmp(line, fine[k], len)) return false;
  size_t at = 0;
  while (at < len && (line[at] == ' ' || line[at] == '\t' || line[at] == '\r')) at++;
  return at < len && line[at] == ':';
}

/* Nothing of it leaves the process. */
static bool is_harmless(const char *text, size_t len) {
  static const char *const words[] = {"save", "load", "import", "ask"};
  for (size_t k = 0; k < FS_LEN(words); k++)
    if (memmem(text, len, words[k], strlen(words[k]))) return false;
  for (size_t at = 0; at < len;) {
    const char *end = memchr(text + at, '\n', len - at);
    size_t line = end ? (size_t)(end - text) - at : len - at;
    if (is_command(text + at, line)) return false;
    at += line + 1;
  }
  return true;
}

/* -- a session --------------------------------------------------------------------- */

static char folder[200];

static void tidy(void) { rmdir(folder); }

/* Files that a session reads and writes of its own are looked for in an empty folder. */
static void move_away(void) {
  static const char *const homes[] = {"HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME",
                                      "XDG_CACHE_HOME", "XDG_RUNTIME_DIR"};
  if (*folder) return;
  const char *base = getenv("TMPDIR");
  snprintf(folder, sizeof folder, "%.150s/fusible-fuzz-XXXXXX", base ? base : "/tmp");
  if (!mkdtemp(folder) || atexit(tidy)) abort();
  for (size_t k = 0; k < FS_LEN(homes); k++) setenv(homes[k], folder, 1);
  setenv("FUSIBLE_REFERENCE_DEVICE", "1", 1);
  setenv("FUSIBLE_CACHE", "off", 1);
  setenv("FUSIBLE_CC", "", 1);
  setenv("OPENBLAS_NUM_THREADS", "1", 1);
  limit_memory();
}

static int done;

static void on_event(void *user, const json_t *event) {
  (void)user;
  const char *kind = json_string_value(json_object_get(event, "event"));
  if (!kind) abort();
  done += !strcmp(kind, "done");
}

static enum fs_result run(struct fs_session *s, const char *text, size_t len) {
  done = looks = 0;
  enum fs_result result = fs_session_eval(s, "<fuzz>", text, len, FS_EVAL_BLOCK);
  if (done != 1) abort();
  return result;
}

/* Whatever it was, the session goes on, and knows what it knew. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const char after[] = "after = 20 + 22; assert(after == 42); assert(sum(1:4) == 10)";
  const char *text = (const char *)data, *error = NULL;
  struct fs_session_config config = {.target = "cpu", .threads = 1, .on_event = on_event};
  int indent;
  if (size > MOST_TEXT || !is_harmless(text, size)) return 0;
  move_away();
  struct fs_session *s = fs_session_new(&config, &error);
  if (!s) abort();
  fs_session_set(s, "learn", "off");
  fs_session_set(s, "plan-effort", "1");
  fs_session_is_complete(s, text, size, &indent);
  json_decref(fs_session_inspect(s, text, size, size / 2, 1));
  enum fs_result result = run(s, text, size);
  if (result == FS_RESULT_QUIT) abort(); /* there was no command */
  json_decref(fs_session_variables(s));
  if (run(s, after, sizeof after - 1) != FS_RESULT_OK) abort();
  fs_session_free(s);
  return 0;
}
