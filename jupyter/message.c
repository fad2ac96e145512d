/* message.c - see message.h. */
#include "jupyter/message.h"

#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/base/datafile.h"

/* -- signatures that were seen ----------------------------------------------- */

/* A message that comes a second time is somebody's recording. Two generations
 * of open-addressed tables: when the younger is full the older is forgotten, so
 * that at least the last SEEN_MAX messages are known, in bounded memory. */
enum { SEEN_FIRST = 1 << 10, SEEN_MAX = 1 << 20, SEEN_KEY = 16 };

struct fs_seen {
  size_t cap, len; /* cap is a power of 2; full at three quarters */
  unsigned char (*keys)[SEEN_KEY];
};

static const unsigned char no_key[SEEN_KEY];

static struct fs_seen *seen_new(size_t cap) {
  struct fs_seen *s = fs_calloc(1, sizeof *s);
  s->keys = fs_calloc(cap, sizeof *s->keys);
  s->cap = cap;
  return s;
}

static void seen_free(struct fs_seen *s) {
  if (s) free(s->keys);
  free(s);
}

/* The slot of the key, or the free one where it belongs. A signature is as good
 * as random: its own bytes are the hash. */
static size_t seen_slot(const struct fs_seen *s, const unsigned char *key) {
  size_t at;
  memcpy(&at, key, sizeof at);
  for (at &= s->cap - 1;; at = (at + 1) & (s->cap - 1))
    if (!memcmp(s->keys[at], key, SEEN_KEY) ||
        !memcmp(s->keys[at], no_key, SEEN_KEY))
      return at;
}

static bool seen_has(const struct fs_seen *s, const unsigned char *key) {
  return s && !memcmp(s->keys[seen_slot(s, key)], key, SEEN_KEY);
}

static void seen_put(struct fs_seen *s, const unsigned char *key) {
  memcpy(s->keys[seen_slot(s, key)], key, SEEN_KEY);
  s->len++;
}

static struct fs_seen *seen_grown(struct fs_seen *s) {
  struct fs_seen *larger = seen_new(2 * s->cap);
  for (size_t k = 0; k < s->cap; k++)
    if (memcmp(s->keys[k], no_key, SEEN_KEY)) seen_put(larger, s->keys[k]);
  seen_free(s);
  return larger;
}

/* Notes a key; the tables are locked, or nobody else has them yet. False: it was
 * there. */
static bool note(struct fs_seal *w, const unsigned char *key) {
  if (seen_has(w->seen[0], key) || seen_has(w->seen[1], key)) return false;
  if (!w->seen[0]) w->seen[0] = seen_new(SEEN_FIRST);
  if (w->seen[0]->len * 4 >= w->seen[0]->cap * 3) {
    if (w->seen[0]->len < SEEN_MAX) {
      w->seen[0] = seen_grown(w->seen[0]);
    } else {
      seen_free(w->seen[1]);
      w->seen[1] = w->seen[0];
      w->seen[0] = seen_new(SEEN_FIRST);
    }
  }
  seen_put(w->seen[0], key);
  return true;
}

/* From now on nothing is kept for the next process. */
static void keep_no_more(struct fs_seal *w, int error) {
  atomic_store(&w->unkept, error);
  if (w->kept >= 0) close(w->kept);
  w->kept = -1;
}

/* Whether this signature, of hexadecimal digits, was seen; now it is. */
static bool replayed(struct fs_seal *w, const struct fs_part *signature) {
  unsigned char key[SEEN_KEY];
  if (!w->key_len) return false;
  sodium_hex2bin(key, SEEN_KEY, signature->data, 2 * SEEN_KEY, NULL, NULL, NULL);
  key[0] |= !memcmp(key, no_key, SEEN_KEY); /* the empty slot's own key */
  pthread_mutex_lock(&w->lock);
  bool fresh = note(w, key);
  if (fresh && w->kept >= 0 && !fs_write_all(w->kept, (const char *)key, SEEN_KEY))
    keep_no_more(w, errno);
  pthread_mutex_unlock(&w->lock);
  return !fresh;
}

static bool read_all(int fd, char *to, size_t len, off_t from) {
  while (len) {
    ssize_t n = pread(fd, to, len, from);
    if (n < 0 && errno == EINTR) continue;
    if (!n) errno = EIO; /* it has become shorter */
    if (n <= 0) return false;
    to += n, from += n, len -= (size_t)n;
  }
  return true;
}

/* The last keys of a file. The rest of one that has grown long goes. 0 or an errno. */
static int read_kept(struct fs_seal *w, int fd) {
  enum { MOST = SEEN_MAX * SEEN_KEY };
  struct stat st;
  if (fstat(fd, &st)) return errno;
  if (!S_ISREG(st.st_mode)) return ENOTSUP;
  off_t whole = st.st_size / SEEN_KEY * SEEN_KEY, from = FS_MAX(whole - MOST, 0);
  size_t n = (size_t)(whole - from);
  char *all = fs_malloc(n + 1);
  bool good = read_all(fd, all, n, from);
  for (size_t at = 0; good && at < n; at += SEEN_KEY)
    note(w, (const unsigned char *)all + at);
  good = good && !ftruncate(fd, from > 0 ? 0 : whole);
  if (good && from > 0) good = fs_write_all(fd, all, n);
  int error = good ? 0 : errno;
  free(all);
  return error;
}

void fs_seal_keep(struct fs_seal *w, const char *path) {
  if (!w->key_len) return;
  w->kept = open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW |
                           O_NONBLOCK, 0600);
  int error = w->kept < 0 ? errno : read_kept(w, w->kept);
  if (error) keep_no_more(w, error);
}

/* -- life -------------------------------------------------------------------- */

/* A random UUID in its usual form. */
static void put_uuid(char out[40]) {
  unsigned char b[16];
  randombytes_buf(b, sizeof b);
  b[6] = (unsigned char)((b[6] & 0x0f) | 0x40); /* version 4: random */
  b[8] = (unsigned char)((b[8] & 0x3f) | 0x80);
  snprintf(out, 40,
           "%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x"
           "%02x",
           b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10],
           b[11], b[12], b[13], b[14], b[15]);
}

bool fs_seal_init(struct fs_seal *w, const char *key) {
  size_t len = strlen(key);
  *w = (struct fs_seal){.key_len = len, .mac_len = 32, .kept = -1};
  if (len > sizeof w->key || sodium_init() < 0) return false;
  memcpy(w->key, key, len);
  const char *user = getenv("USER");
  snprintf(w->username, sizeof w->username, "%s", user ? user : "kernel");
  put_uuid(w->session);
  pthread_mutex_init(&w->lock, NULL);
  return true;
}

bool fs_seal_scheme(struct fs_seal *w, const char *scheme) {
  bool longer = !strcmp(scheme, "hmac-sha512");
  w->mac_len = longer ? 64 : 32;
  return longer || !strcmp(scheme, "hmac-sha256");
}

void fs_seal_free(struct fs_seal *w) {
  sodium_memzero(w->key, sizeof w->key);
  seen_free(w->seen[0]);
  seen_free(w->seen[1]);
  if (w->kept >= 0) close(w->kept);
  pthread_mutex_destroy(&w->lock);
}

/* -- signing ----------------------------------------------------------------- */

static void mac_256(const struct fs_seal *w, const struct fs_part frames[4],
                    unsigned char *mac) {
  crypto_auth_hmacsha256_state state;
  crypto_auth_hmacsha256_init(&state, w->key, w->key_len);
  for (int k = 0; k < 4; k++)
    crypto_auth_hmacsha256_update(
        &state, (const unsigned char *)frames[k].data, frames[k].len);
  crypto_auth_hmacsha256_final(&state, mac);
}

static void mac_512(const struct fs_seal *w, const struct fs_part frames[4],
                    unsigned char *mac) {
  crypto_auth_hmacsha512_state state;
  crypto_auth_hmacsha512_init(&state, w->key, w->key_len);
  for (int k = 0; k < 4; k++)
    crypto_auth_hmacsha512_update(
        &state, (const unsigned char *)frames[k].data, frames[k].len);
  crypto_auth_hmacsha512_final(&state, mac);
}

void fs_seal_sign(const struct fs_seal *w, const struct fs_part frames[4],
                  char *hex) {
  unsigned char mac[FS_SEAL_MAC];
  *hex = 0;
  if (!w->key_len) return;
  if (w->mac_len == 32) mac_256(w, frames, mac);
  else mac_512(w, frames, mac);
  sodium_bin2hex(hex, 2 * w->mac_len + 1, mac, w->mac_len);
}

bool fs_seal_holds(const struct fs_seal *w, const struct fs_part frames[4],
                   const struct fs_part *signature) {
  char hex[FS_SEAL_HEX];
  if (!w->key_len) return true;
  if (signature->len != 2 * w->mac_len) return false;
  fs_seal_sign(w, frames, hex);
  return !sodium_memcmp(hex, signature->data, signature->len);
}

/* -- JSON -------------------------------------------------------------------- */

/* Depth by counting brackets outside of strings: jansson would go deeper, by
 * recursion. What is no JSON it finds out itself. */
static bool is_shallow(const char *data, size_t len) {
  int depth = 0;
  bool quoted = false;
  for (size_t k = 0; k < len; k++) {
    char c = data[k];
    if (quoted) {
      if (c == '\\') k++;
      else if (c == '"') quoted = false;
    } else if (c == '"') {
      quoted = true;
    } else if (c == '{' || c == '[') {
      if (++depth > FS_SEAL_DEPTH) return false;
    } else if (c == '}' || c == ']') {
      depth--;
    }
  }
  return true;
}

json_t *fs_json_read(const char *data, size_t len) {
  if (!len || !is_shallow(data, len)) return NULL;
  json_t *o = json_loadb(data, len, JSON_ALLOW_NUL, NULL);
  if (json_is_object(o)) return o;
  json_decref(o);
  return NULL;
}

static int append(const char *piece, size_t len, void *user) {
  fs_str_put(user, piece, len);
  return 0;
}

void fs_json_put(const json_t *value, struct fs_str *out) {
  if (!value || json_dump_callback(value, append, out,
                                   JSON_COMPACT | JSON_ENCODE_ANY))
    fs_str_puts(out, "{}");
}

/* -- messages ---------------------------------------------------------------- */

static bool is_delimiter(const struct fs_part *p) {
  return p->len == strlen(FS_DELIMITER) && !memcmp(p->data, FS_DELIMITER, p->len);
}

static int find_delimiter(const struct fs_part *frames, int n) {
  for (int k = 0; k < n; k++)
    if (is_delimiter(&frames[k])) return k;
  return -1;
}

enum fs_seal_status fs_message_read(struct fs_seal *w,
                                 const struct fs_part *frames, int n,
                                 struct fs_message *out) {
  *out = (struct fs_message){.ids = frames};
  int at = find_delimiter(frames, n);
  if (at < 0 || n > FS_SEAL_FRAMES || n - at - 1 < 5)
    return FS_SEAL_BAD_FRAMES;
  const struct fs_part *parts = frames + at + 2;
  if (!fs_seal_holds(w, parts, &frames[at + 1])) return FS_SEAL_BAD_SIGNATURE;
  if (replayed(w, &frames[at + 1])) return FS_SEAL_REPLAYED;
  out->n_ids = at;
  out->raw_header = parts[0];
  out->header = fs_json_read(parts[0].data, parts[0].len);
  out->metadata = fs_json_read(parts[2].data, parts[2].len);
  out->content = fs_json_read(parts[3].data, parts[3].len);
  out->type = json_string_value(json_object_get(out->header, "msg_type"));
  if (!out->metadata) out->metadata = json_object();
  if (out->type && out->content) return FS_SEAL_OK;
  fs_message_free(out);
  return FS_SEAL_BAD_JSON;
}

void fs_message_free(struct fs_message *m) {
  json_decref(m->header);
  json_decref(m->metadata);
  json_decref(m->content);
  *m = (struct fs_message){0};
}

void fs_seal_date(char out[40]) {
  struct timespec now;
  struct tm tm;
  clock_gettime(CLOCK_REALTIME, &now);
  gmtime_r(&now.tv_sec, &tm);
  size_t n = strftime(out, 40, "%Y-%m-%dT%H:%M:%S", &tm);
  snprintf(out + n, 40 - n, ".%06ldZ", now.tv_nsec / 1000);
}

int64_t fs_seal_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

int64_t fs_seal_time(const char *date) {
  struct tm tm = {0};
  int ms = 0, used = 0, n = 0;
  if (sscanf(date, "%4d-%2d-%2dT%2d:%2d:%2d%n", &tm.tm_year, &tm.tm_mon, &tm.tm_mday,
             &tm.tm_hour, &tm.tm_min, &tm.tm_sec, &used) != 6)
    return -1;
  if (date[used] == '.') {
    if (sscanf(date + used, ".%3d%n", &ms, &n) != 1 || n != 4) return -1;
    used += n + (int)strspn(date + used + n, "0123456789");
  }
  if (strcmp(date + used, "Z") && strcmp(date + used, "+00:00")) return -1;
  tm.tm_year -= 1900;
  tm.tm_mon -= 1;
  return (int64_t)timegm(&tm) * 1000 + ms;
}

void fs_seal_header(struct fs_seal *w, const char *type, struct fs_str *out) {
  char id[96], date[40];
  snprintf(id, sizeof id, "%s_%d_%llu", w->session, (int)getpid(),
           atomic_fetch_add(&w->sent, 1));
  fs_seal_date(date);
  json_t *h = json_pack("{ss ss ss ss ss ss}", "msg_id", id, "session",
                        w->session, "username", w->username, "date", date,
                        "msg_type", type, "version", FS_PROTOCOL_VERSION);
  if (!h) { /* a user name that is no UTF-8 */
    snprintf(w->username, sizeof w->username, "kernel");
    fs_seal_header(w, type, out);
    return;
  }
  fs_json_put(h, out);
  json_decref(h);
}

/* -- positions --------------------------------------------------------------- */

static bool continues(char byte) {
  return ((unsigned char)byte & 0xc0) == 0x80;
}

size_t fs_code_point_to_byte(const char *text, size_t len,
                             long long position) {
  size_t at = 0;
  for (; position > 0 && at < len; position--)
    for (at++; at < len && continues(text[at]);) at++;
  return at;
}

long long fs_byte_to_code_point(const char *text, size_t len, size_t at) {
  long long n = 0;
  for (size_t k = 0; k < len && k < at; k++) n += !continues(text[k]);
  return n;
}
