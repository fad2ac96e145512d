/* alone.h - for the targets of the fuzzer that have a session: it reads and writes files of
 * its own in an empty folder, on one thread of the CPU, and finds no compiler. */
#ifndef FS_FUZZ_ALONE_H
#define FS_FUZZ_ALONE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/base.h"
#include "core/session/session.h"

static char alone_folder[200];

static void alone_tidy(void) { rmdir(alone_folder); }

static void alone_move(void) {
  static const char *const homes[] = {"HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME",
                                      "XDG_CACHE_HOME", "XDG_RUNTIME_DIR"};
  if (*alone_folder) return;
  const char *base = getenv("TMPDIR");
  snprintf(alone_folder, sizeof alone_folder, "%.150s/fusible-fuzz-XXXXXX",
           base ? base : "/tmp");
  if (!mkdtemp(alone_folder) || atexit(alone_tidy)) abort();
  for (size_t k = 0; k < FS_LEN(homes); k++) setenv(homes[k], alone_folder, 1);
  setenv("FUSIBLE_REFERENCE_DEVICE", "1", 1);
  setenv("FUSIBLE_CACHE", "off", 1);
  setenv("FUSIBLE_CC", "", 1);
  setenv("OPENBLAS_NUM_THREADS", "1", 1);
}

/* Events go to `hear`. */
static struct fs_session *alone_session(fs_event_fn *hear) {
  struct fs_session_config config = {.target = "cpu", .threads = 1, .on_event = hear};
  const char *error = NULL;
  alone_move();
  struct fs_session *s = fs_session_new(&config, &error);
  if (!s) abort();
  fs_session_set(s, "learn", "off");
  fs_session_set(s, "plan-effort", "1");
  return s;
}

#endif
