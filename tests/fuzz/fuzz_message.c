/* fuzz_message.c - what anybody can send to a notebook's kernel, as frames. The first
 * byte: s, signed as it should be, k, with a key and the signature that is there, or
 * n, without a key. Then the frames, each after its length in one byte; 255 says that
 * the frame goes on in the next piece. */
#include "tests/fuzz/fuzz.h"

#include "jupyter/message.h"

enum { MOST = FS_SEAL_FRAMES + 4 };

static int cut_frames(const uint8_t *data, size_t size, struct fs_str *room,
                      struct fs_part *frames) {
  int n = 0;
  bool more = false;
  for (size_t at = 0; at < size && n < MOST;) {
    size_t len = data[at++], take = len < size - at ? len : size - at;
    struct fs_str *s = &room[n];
    if (!more) *s = (struct fs_str){0};
    fs_str_put(s, (const char *)data + at, take);
    at += take;
    more = len == 255 && at < size;
    if (!more) frames[n] = (struct fs_part){fs_str_text(s), s->len}, n++;
  }
  return n;
}

/* The signature of the four frames behind the delimiter, in its place. */
static void sign(const struct fs_seal *seal, struct fs_part *frames, int n,
                 char hex[FS_SEAL_HEX]) {
  for (int k = 0; k + 5 < n; k++)
    if (frames[k].len == strlen(FS_DELIMITER) &&
        !memcmp(frames[k].data, FS_DELIMITER, frames[k].len)) {
      fs_seal_sign(seal, frames + k + 2, hex);
      frames[k + 1] = (struct fs_part){hex, strlen(hex)};
      return;
    }
}

/* What was taken is what it says, and can be written and read again. */
static void look(const struct fs_message *m, const struct fs_part *frames, int n) {
  struct fs_str text = {0};
  if (m->n_ids + 6 > n || m->ids != frames || !m->type) abort();
  if (m->raw_header.data != frames[m->n_ids + 2].data) abort();
  fs_json_put(m->content, &text);
  json_t *again = fs_json_read(fs_str_text(&text), text.len);
  if (!again || !json_equal(again, m->content)) abort();
  json_decref(again);
  const json_t *code = json_object_get(m->content, "code");
  size_t len = json_string_length(code);
  for (size_t at = 0; at <= len && at < 200; at++) {
    const char *s = json_string_value(code);
    long long point = s ? fs_byte_to_code_point(s, len, at) : 0;
    if (s && fs_code_point_to_byte(s, len, point) < at) abort();
  }
  const char *date = json_string_value(json_object_get(m->header, "date"));
  if (date) fs_seal_time(date);
  fs_str_free(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct fs_str room[MOST];
  struct fs_part frames[MOST];
  struct fs_seal seal;
  struct fs_message m;
  char hex[FS_SEAL_HEX];
  if (!size) return 0;
  if (!fs_seal_init(&seal, data[0] == 'n' ? "" : "a key")) abort();
  int n = cut_frames(data + 1, size - 1, room, frames);
  if (data[0] == 's') sign(&seal, frames, n, hex);
  enum fs_seal_status st = fs_message_read(&seal, frames, n, &m);
  if (st == FS_SEAL_OK) {
    look(&m, frames, n);
    fs_message_free(&m);
    enum fs_seal_status twice = fs_message_read(&seal, frames, n, &m);
    if (twice != (data[0] == 'n' ? FS_SEAL_OK : FS_SEAL_REPLAYED)) abort();
    if (!twice) fs_message_free(&m);
  }
  for (int k = 0; k < n; k++) fs_str_free(&room[k]);
  fs_seal_free(&seal);
  return 0;
}
