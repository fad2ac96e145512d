/* wire.h - the frames that a front and its worker exchange; inside
 * core/worker only.
 *
 *   u32 length of head, u32 length of blob (little endian), head, blob
 *
 * The head is a JSON object; the blob carries texts of any bytes (inputs, names),
 * which JSON cannot. Lengths are bounded, memory grows only as bytes arrive, and
 * whatever does not fit is a broken wire.
 *
 * front to worker, "do":
 *   start     target, threads                        once, first
 *   eval      name_len, flags, random [seed, stream] blob: name, text
 *   define    name_len                               blob: name, value
 *   set       name_len                               blob: name, value
 *   remember  kind                                   blob: an earlier input, for :history
 *   answer    end                                    blob: what the user typed
 * worker to front: an event (docs/events.md), or "is":
 *   ready     error (a sentence, or absent)          then the state, as done
 *   started                                          an eval began
 *   done      result, seconds, event, state          an eval, define or set ended
 */
#ifndef FS_WORKER_WIRE_H
#define FS_WORKER_WIRE_H

#include <jansson.h>

#include "core/base/base.h"

/* Descriptors of the worker: the socket, and the reading ends of the pipes that
 * are its stdout and stderr. */
enum { FS_WORKER_SOCKET = 3, FS_WORKER_OUTPUT = 4, FS_WORKER_ERRORS = 5 };

#define FS_WIRE_HEAD_MAX (64u << 20)
#define FS_WIRE_BLOB_MAX (256u << 20)

struct fs_frame {
  json_t *head;
  const char *blob; /* borrowed from the wire until the next fs_wire_next() */
  size_t len;
};

struct fs_wire {
  int fd;
  struct fs_str in, out; /* bytes that came; that wait to be sent */
  size_t taken, sent;
};

void fs_wire_free(struct fs_wire *w); /* also closes the socket */

enum fs_wire_status { FS_WIRE_FRAME, FS_WIRE_NOTHING, FS_WIRE_BROKEN };
/* The next frame of what has come; frame->head is given. */
enum fs_wire_status fs_wire_next(struct fs_wire *w, struct fs_frame *frame);
/* Takes what the socket has, without waiting. False at its end. */
bool fs_wire_fill(struct fs_wire *w);

/* Appends a frame to `out`. False when it is too large. */
bool fs_wire_put(struct fs_wire *w, const json_t *head, const char *blob,
                 size_t len);
/* Sends of `out` what goes without waiting, or, with `wait`, all of it. False
 * when nobody reads any more. */
bool fs_wire_flush(struct fs_wire *w, bool wait);
bool fs_wire_pending(const struct fs_wire *w);

#endif
