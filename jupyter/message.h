/* message.h - messages of the Jupyter protocol as frames: signing, checking, JSON.
 * Knows nothing of sockets, so that tests can feed it any bytes.
 *
 * A message is [identities...] <IDS|MSG> signature header parent metadata content
 * [buffers...]. What comes in is checked in this order, and dropped without an
 * answer at the first that fails: the number of frames, the signature over the
 * bytes as received (in constant time), that it was not seen before, and only
 * then the JSON, within limits of size and depth.
 */
#ifndef FS_JUPYTER_MESSAGE_H
#define FS_JUPYTER_MESSAGE_H

#include <jansson.h>
#include <pthread.h>
#include <stdatomic.h>

#include "core/base/base.h"

#define FS_PROTOCOL_VERSION "5.5"
#define FS_DELIMITER "<IDS|MSG>"

/* FS_SEAL_HEX: room for the digits of the longest signature and its end */
enum { FS_SEAL_FRAMES = 64, FS_SEAL_DEPTH = 64, FS_SEAL_MAC = 64,
       FS_SEAL_HEX = 2 * FS_SEAL_MAC + 1 };

struct fs_part { const char *data; size_t len; }; /* borrowed bytes */

struct fs_seen; /* the signatures of late, see message.c */

/* One for the process; all functions may be called from any thread. */
struct fs_seal {
  unsigned char key[256];
  size_t key_len;        /* 0: nothing is signed or checked */
  size_t mac_len;        /* bytes of a signature: 32, or 64 with SHA-512 */
  char session[40];      /* ours, new for each process      */
  char username[64];
  atomic_ullong sent;    /* counts message ids              */
  pthread_mutex_t lock;
  struct fs_seen *seen[2];
  int kept;              /* file of what was seen; -1: none */
  atomic_int unkept;     /* errno of why there is none      */
};

/* Copies the key; signatures are HMAC-SHA-256. False if it is too long. */
bool fs_seal_init(struct fs_seal *w, const char *key);
/* Takes the signature scheme of a connection file: "hmac-sha256", "hmac-sha512".
 * False if it is another. */
bool fs_seal_scheme(struct fs_seal *w, const char *scheme);
/* Keeps the signatures that were seen in a file, which may have those of an earlier
 * process with the same key: what was sent to that is not taken once more. Fewer than
 * 2^20 of the last; without a file that can be written, those of this process, and
 * `unkept` says why. */
void fs_seal_keep(struct fs_seal *w, const char *path);
void fs_seal_free(struct fs_seal *w);

enum fs_seal_status {
  FS_SEAL_OK,
  FS_SEAL_BAD_FRAMES,
  FS_SEAL_BAD_SIGNATURE,
  FS_SEAL_REPLAYED,
  FS_SEAL_BAD_JSON,
  FS_SEAL_UNCHECKED /* of more that cannot be checked in time; fs_message_read() gives none */
};

/* A message that came in. `ids` and `raw_header` are borrowed from the frames it
 * was read from, the JSON is owned, `type` and `session` are in `header`. */
struct fs_message {
  const struct fs_part *ids;
  int n_ids;
  struct fs_part raw_header;
  json_t *header, *metadata, *content;
  const char *type;
};

/* On FS_SEAL_OK the caller ends with fs_message_free(). */
enum fs_seal_status fs_message_read(struct fs_seal *w,
                                 const struct fs_part *frames, int n,
                                 struct fs_message *out);
void fs_message_free(struct fs_message *m);

/* Two hexadecimal digits for each byte of a signature over the four frames; ""
 * without a key. `hex` has room for them. */
void fs_seal_sign(const struct fs_seal *w, const struct fs_part frames[4],
                  char *hex);

/* Whether this is the signature of the four frames, in constant time; without a key
 * anything is. */
bool fs_seal_holds(const struct fs_seal *w, const struct fs_part frames[4],
                   const struct fs_part *signature);

/* Appends the header of a new message of this type: JSON with a fresh id. */
void fs_seal_header(struct fs_seal *w, const char *type, struct fs_str *out);

/* The time as the protocol writes it: 2026-01-31T12:00:00.000000Z */
void fs_seal_date(char out[40]);
/* Milliseconds since 1970, of now and of a date in UTC as front ends write it; -1: it
 * is none. */
int64_t fs_seal_now(void);
int64_t fs_seal_time(const char *date);

/* JSON as compact UTF-8 text, appended. */
void fs_json_put(const json_t *value, struct fs_str *out);

/* Strict reader for bytes from outside: an object, of limited depth. NULL if it
 * is not that. Gives. */
json_t *fs_json_read(const char *data, size_t len);

/* Byte offset of a position in Unicode code points, as the protocol counts, and
 * back. What lies beyond the end is the end. */
size_t fs_code_point_to_byte(const char *text, size_t len, long long position);
long long fs_byte_to_code_point(const char *text, size_t len, size_t at);

#endif
