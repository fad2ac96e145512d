/* fuzz_wire.c - the frames between a front and its worker: all of the input as what
 * came over the socket. A frame that was taken is written, and read again. */
#include "tests/fuzz/fuzz.h"

#include <unistd.h>

#include "core/worker/wire.h"

static void write_again(const struct fs_frame *frame) {
  struct fs_wire out = {.fd = -1}, in = {.fd = -1};
  struct fs_frame again;
  if (!fs_wire_put(&out, frame->head, frame->blob, frame->len)) abort();
  fs_str_put(&in.in, out.out.data, out.out.len);
  if (fs_wire_next(&in, &again) != FS_WIRE_FRAME) abort();
  if (!json_equal(again.head, frame->head) || again.len != frame->len) abort();
  if (frame->len && memcmp(again.blob, frame->blob, frame->len)) abort();
  json_decref(again.head);
  if (fs_wire_next(&in, &again) != FS_WIRE_NOTHING) abort();
  fs_wire_free(&in);
  fs_wire_free(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct fs_wire wire = {.fd = -1};
  struct fs_frame frame;
  size_t half = size / 2;
  for (int part = 0; part < 2; part++) { /* in two pieces, as it may come */
    size_t from = part ? half : 0, to = part ? size : half;
    fs_str_put(&wire.in, (const char *)data + from, to - from);
    enum fs_wire_status st;
    while ((st = fs_wire_next(&wire, &frame)) == FS_WIRE_FRAME) {
      if (!json_is_object(frame.head)) abort();
      write_again(&frame);
      json_decref(frame.head);
    }
    if (st == FS_WIRE_BROKEN) break;
  }
  fs_wire_free(&wire);
  return 0;
}
