/* test_message.c - messages of the Jupyter protocol as bytes: signatures by the
 * published vectors, the order of the checks, and a great many broken messages. */
#include "jupyter/message.h"

#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static int passed, failed;

static void check(bool ok, const char *what) {
  if (ok) passed++;
  else failed++, printf("FAILED: %s\n", what);
}

/* A small generator of our own: the same inputs on every machine. */
static uint64_t state = 88172645463325252u;
static uint64_t next(void) {
  state ^= state << 13;
  state ^= state >> 7;
  return state ^= state << 17;
}

/* -- RFC 4231: HMAC-SHA-256 -------------------------------------------------- */

static struct fs_part part(const char *text) {
  return (struct fs_part){text, strlen(text)};
}

static void test_vectors(void) {
  static const struct { const char *key, *data, *mac; } cases[] = {
    {"\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b"
     "\x0b\x0b", "Hi There",
     "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"},
    {"Jefe", "what do ya want for nothing?",
     "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"},
  };
  for (size_t k = 0; k < FS_LEN(cases); k++) {
    struct fs_seal seal;
    char hex[65];
    /* the data in four pieces, as the frames of a message are */
    size_t len = strlen(cases[k].data);
    struct fs_part frames[4] = {{cases[k].data, 2}, {cases[k].data + 2, 0},
                                {cases[k].data + 2, 3},
                                {cases[k].data + 5, len - 5}};
    check(fs_seal_init(&seal, cases[k].key), "a key is taken");
    fs_seal_sign(&seal, frames, hex);
    check(!strcmp(hex, cases[k].mac), "RFC 4231");
    fs_seal_free(&seal);
  }
}

/* The same with SHA-512; a scheme that is not known. */
static void test_schemes(void) {
  struct fs_seal seal;
  char hex[FS_SEAL_HEX];
  struct fs_part frames[4] = {part("what do ya "), part("want for"), part(""),
                              part(" nothing?")};
  fs_seal_init(&seal, "Jefe");
  check(fs_seal_scheme(&seal, "hmac-sha512"), "SHA-512 is known");
  fs_seal_sign(&seal, frames, hex);
  check(!strcmp(hex, "164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea250554"
                     "9758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737"),
        "RFC 4231, test 2, SHA-512");
  struct fs_part signature = part(hex);
  check(fs_seal_holds(&seal, frames, &signature), "its own signature holds");
  signature.len = 64;
  check(!fs_seal_holds(&seal, frames, &signature), "half of it does not");
  check(!fs_seal_scheme(&seal, "hmac-md5"), "MD5 is refused");
  check(fs_seal_scheme(&seal, "hmac-sha256"), "SHA-256 is known");
  check(!fs_seal_holds(&seal, frames, &signature), "another scheme's is wrong");
  fs_seal_free(&seal);
}

static void test_long_key(void) {
  struct fs_seal seal;
  char key[132], hex[65];
  memset(key, '\xaa', 131);
  key[131] = 0;
  struct fs_part frames[4] = {
    part("Test Using Larger Than Block-Size Key - Hash Key First"), {"", 0},
    {"", 0}, {"", 0}};
  check(fs_seal_init(&seal, key), "a key of 131 bytes");
  fs_seal_sign(&seal, frames, hex);
  check(!strcmp(hex, "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0e"
                     "e37f54"), "RFC 4231, test 6");
  fs_seal_free(&seal);
}

/* -- whole messages ---------------------------------------------------------- */

struct raw {
  struct fs_part frame[FS_SEAL_FRAMES + 8];
  int n;
  char signature[65];
};

static const char header[] =
    "{\"msg_id\":\"1\",\"session\":\"s\",\"username\":\"u\",\"date\":\"d\","
    "\"msg_type\":\"execute_request\",\"version\":\"5.3\"}";
static const char content[] = "{\"code\":\"x = 1\",\"silent\":false}";

static void make(struct fs_seal *seal, struct raw *r, const char *body) {
  struct fs_part parts[4] = {part(header), part("{}"), part("{}"), part(body)};
  fs_seal_sign(seal, parts, r->signature);
  r->n = 0;
  r->frame[r->n++] = part("client");
  r->frame[r->n++] = part("<IDS|MSG>");
  r->frame[r->n++] = part(r->signature);
  for (int k = 0; k < 4; k++) r->frame[r->n++] = parts[k];
}

static enum fs_seal_status read_it(struct fs_seal *seal, const struct raw *r) {
  struct fs_message m;
  enum fs_seal_status st = fs_message_read(seal, r->frame, r->n, &m);
  if (!st) fs_message_free(&m);
  return st;
}

static void test_good(void) {
  struct fs_seal seal;
  struct raw r;
  struct fs_message m;
  fs_seal_init(&seal, "key");
  make(&seal, &r, content);
  check(fs_message_read(&seal, r.frame, r.n, &m) == FS_SEAL_OK, "a message");
  check(m.n_ids == 1 && !strcmp(m.type, "execute_request"), "its parts");
  check(m.raw_header.len == strlen(header), "its header as it came");
  check(!strcmp(json_string_value(json_object_get(m.content, "code")),
                "x = 1"), "its content");
  fs_message_free(&m);
  check(read_it(&seal, &r) == FS_SEAL_REPLAYED, "the same once more");
  r.signature[5] = r.signature[5] == '0' ? '1' : '0';
  check(read_it(&seal, &r) == FS_SEAL_BAD_SIGNATURE, "a forged one");
  r.frame[2].len = 63;
  check(read_it(&seal, &r) == FS_SEAL_BAD_SIGNATURE, "a short signature");
  for (int n = 0; n < 7; n++) {
    r.n = n;
    check(read_it(&seal, &r) == FS_SEAL_BAD_FRAMES, "too few frames");
  }
  fs_seal_free(&seal);
}

/* All of a signature counts, and nothing behind it; a key has 256 bytes at most. */
static void test_edges(void) {
  static const char *const good[] = {
      "{\"code\":\"\\\"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[\"}",
      "{\"a\":[[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],"
      "[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],"
      "[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[]]}"};
  struct fs_seal seal;
  struct raw r;
  char longer[66], key[258];
  fs_seal_init(&seal, "key");
  make(&seal, &r, content);
  snprintf(longer, sizeof longer, "%s0", r.signature);
  r.frame[2] = part(longer);
  check(read_it(&seal, &r) == FS_SEAL_BAD_SIGNATURE, "a longer signature");
  longer[64] = 0;
  r.frame[2].len = 65;
  check(read_it(&seal, &r) == FS_SEAL_BAD_SIGNATURE, "one with a NUL behind it");
  make(&seal, &r, content);
  r.signature[63] = r.signature[63] == '0' ? '1' : '0';
  check(read_it(&seal, &r) == FS_SEAL_BAD_SIGNATURE, "another last digit");
  for (size_t k = 0; k < FS_LEN(good); k++) {
    make(&seal, &r, good[k]);
    check(read_it(&seal, &r) == FS_SEAL_OK, "brackets that are not deep");
  }
  fs_seal_free(&seal);
  memset(key, 'k', sizeof key);
  key[257] = 0;
  check(!fs_seal_init(&seal, key), "a key of 257 bytes");
  key[256] = 0;
  check(fs_seal_init(&seal, key), "a key of 256 bytes");
  fs_seal_free(&seal);
}

/* Frames as they may be, and a few that may not. */
static void test_frames(void) {
  struct fs_seal seal;
  struct fs_message m;
  struct raw r;
  fs_seal_init(&seal, "key");
  struct fs_part parts[4] = {part(header), part("{\"p\":1}"), part("{\"m\":1}"), part("{}")};
  fs_seal_sign(&seal, parts, r.signature);
  r.n = 0;
  r.frame[r.n++] = part("<IDS");
  r.frame[r.n++] = part("<IDS|MSG>");
  r.frame[r.n++] = part(r.signature);
  for (int k = 0; k < 4; k++) r.frame[r.n++] = parts[k];
  while (r.n < FS_SEAL_FRAMES + 1) r.frame[r.n++] = part("buffer");
  check(read_it(&seal, &r) == FS_SEAL_BAD_FRAMES, "65 frames");
  r.n--;
  check(fs_message_read(&seal, r.frame, r.n, &m) == FS_SEAL_OK, "64 frames");
  check(m.n_ids == 1, "a shorter frame is no delimiter");
  check(json_object_get(m.metadata, "m") && !json_object_get(m.metadata, "p"), "metadata");
  fs_message_free(&m);
  parts[2] = part("broken");
  fs_seal_sign(&seal, parts, r.signature);
  r.frame[5] = parts[2];
  check(fs_message_read(&seal, r.frame, r.n, &m) == FS_SEAL_OK &&
            json_is_object(m.metadata), "broken metadata are none");
  fs_message_free(&m);
  parts[0] = part("{\"msg_type\":1}");
  fs_seal_sign(&seal, parts, r.signature);
  r.frame[3] = parts[0];
  check(read_it(&seal, &r) == FS_SEAL_BAD_JSON, "a message without a type");
  fs_seal_free(&seal);
}

/* The signature is checked before the JSON is looked at: what is unsigned and no
 * JSON counts as unsigned. */
static void test_order(void) {
  struct fs_seal seal;
  struct raw r;
  fs_seal_init(&seal, "key");
  make(&seal, &r, "{\"code\":");
  check(read_it(&seal, &r) == FS_SEAL_BAD_JSON, "broken JSON, signed");
  check(read_it(&seal, &r) == FS_SEAL_REPLAYED, "and known from then on");
  make(&seal, &r, "{\"code\": 2}");
  r.frame[6] = part("{\"code\":");
  check(read_it(&seal, &r) == FS_SEAL_BAD_SIGNATURE, "broken JSON, unsigned");
  fs_seal_free(&seal);
}

static void test_without_key(void) {
  struct fs_seal seal;
  struct raw r;
  fs_seal_init(&seal, "");
  make(&seal, &r, content);
  check(!*r.signature, "nothing is signed");
  check(read_it(&seal, &r) == FS_SEAL_OK, "nor checked");
  check(read_it(&seal, &r) == FS_SEAL_OK, "nor remembered");
  r.frame[2] = part("b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
  check(read_it(&seal, &r) == FS_SEAL_OK && read_it(&seal, &r) == FS_SEAL_OK,
        "whatever signature it has");
  fs_seal_free(&seal);
}

static void test_many_replays(void) {
  enum { MESSAGES = 20000 };
  struct fs_seal seal;
  struct raw r;
  int fresh = 0, again = 0;
  char body[64];
  fs_seal_init(&seal, "key");
  for (int k = 0; k < 2 * MESSAGES; k++) {
    snprintf(body, sizeof body, "{\"n\":%d}", k % MESSAGES);
    make(&seal, &r, body);
    enum fs_seal_status st = read_it(&seal, &r);
    fresh += k < MESSAGES && st == FS_SEAL_OK;
    again += k >= MESSAGES && st == FS_SEAL_REPLAYED;
  }
  check(fresh == MESSAGES, "all are new at first");
  check(again == MESSAGES, "none is the second time");
  fs_seal_free(&seal);
}

/* -- what an earlier process saw ----------------------------------------------- */

static char folder[200];

static const char *path_of(const char *name) {
  static char path[240];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  return path;
}

static off_t size_of(const char *name) {
  struct stat st;
  return stat(path_of(name), &st) ? -1 : st.st_size;
}

/* A process with this key and file reads the n-th message. */
static enum fs_seal_status as_process(const char *file, int n) {
  struct fs_seal seal;
  struct raw r;
  char body[32];
  fs_seal_init(&seal, "key");
  fs_seal_keep(&seal, path_of(file));
  snprintf(body, sizeof body, "{\"n\":%d}", n);
  make(&seal, &r, body);
  enum fs_seal_status st = read_it(&seal, &r);
  fs_seal_free(&seal);
  return st;
}

static void append(const char *name, const void *data, size_t len) {
  FILE *f = fopen(path_of(name), "ab");
  if (!f) return;
  fwrite(data, 1, len, f);
  fclose(f);
}

static void test_kept(void) {
  struct stat st;
  umask(0);
  check(as_process("seen", 1) == FS_SEAL_OK, "a message, kept");
  check(as_process("seen", 1) == FS_SEAL_REPLAYED, "the next process knows it");
  check(as_process("seen", 2) == FS_SEAL_OK && size_of("seen") == 32, "16 bytes each");
  check(!stat(path_of("seen"), &st) && (st.st_mode & 0777) == 0600, "of nobody else");
  append("seen", "torn", 4);
  check(as_process("seen", 3) == FS_SEAL_OK && size_of("seen") == 48, "a torn key goes");
  check(as_process("seen", 3) == FS_SEAL_REPLAYED, "what follows it is whole");
  unlink(path_of("seen"));
}

static void test_not_kept(void) {
  struct fs_seal seal;
  char target[240];
  fs_seal_init(&seal, "");
  fs_seal_keep(&seal, path_of("none"));
  check(seal.kept < 0 && size_of("none") < 0, "without a key there is no file");
  fs_seal_free(&seal);
  fs_seal_init(&seal, "key");
  mkfifo(path_of("fifo"), 0600);
  fs_seal_keep(&seal, path_of("fifo"));
  check(seal.kept < 0 && seal.unkept == ENOTSUP, "a pipe keeps nothing");
  snprintf(target, sizeof target, "%s", path_of("target"));
  if (symlink(target, path_of("link"))) check(false, "a link");
  fs_seal_keep(&seal, path_of("link"));
  check(seal.kept < 0 && seal.unkept == ELOOP && size_of("target") < 0,
        "links are not followed");
  fs_seal_free(&seal);
  unlink(path_of("fifo"));
  unlink(path_of("link"));
}

enum { KNOWN = 1 << 20 }; /* messages that are known at least */

/* The key of the n-th message, then as many others as are given, each another one. */
static void fill(const char *name, int message, int others) {
  static uint64_t fresh = 1;
  struct fs_seal seal;
  struct raw r;
  unsigned char key[16];
  char body[32];
  uint64_t (*list)[2] = malloc(sizeof *list * (size_t)others);
  fs_seal_init(&seal, "key");
  snprintf(body, sizeof body, "{\"n\":%d}", message);
  make(&seal, &r, body);
  sodium_hex2bin(key, sizeof key, r.signature, 32, NULL, NULL, NULL);
  fs_seal_free(&seal);
  append(name, key, sizeof key);
  for (int k = 0; k < others; k++, fresh++)
    list[k][0] = fresh * 0x9e3779b97f4a7c15u, list[k][1] = fresh;
  append(name, list, sizeof *list * (size_t)others);
  free(list);
}

/* Of a long file the last keys count, and only they stay. */
static void test_long_file(void) {
  fill("long", 1, 9);
  fill("long", 2, KNOWN - 1);
  check(as_process("long", 2) == FS_SEAL_REPLAYED, "the oldest of 2^20");
  check(size_of("long") == (off_t)KNOWN * 16, "no more are kept");
  unlink(path_of("long"));
  fill("long", 1, 9);
  fill("long", 2, KNOWN - 1);
  check(as_process("long", 1) == FS_SEAL_OK, "one that is older");
  check(as_process("long", 2) == FS_SEAL_OK, "made room by it");
  unlink(path_of("long"));
}

/* The tables have two generations: what was seen stays known while 2^20 others come,
 * and is forgotten at some time after that. */
static void test_generations(void) {
  struct fs_seal seal;
  struct raw r;
  fs_seal_init(&seal, "key");
  for (int k = 1; k <= 4; k++) {
    fill("many", k, KNOWN - 1);
    fs_seal_keep(&seal, path_of("many"));
    close(seal.kept);
    seal.kept = -1;
    unlink(path_of("many"));
    char body[32];
    snprintf(body, sizeof body, "{\"n\":%d}", k);
    make(&seal, &r, body);
    check(read_it(&seal, &r) == FS_SEAL_REPLAYED, "2^20 others later");
    make(&seal, &r, "{\"n\":1}");
    enum fs_seal_status st = read_it(&seal, &r);
    check(st == (k < 4 ? FS_SEAL_REPLAYED : FS_SEAL_OK), "the first one");
  }
  fs_seal_free(&seal);
}

/* -- headers and dates --------------------------------------------------------- */

static const char *text_of(const json_t *h, const char *key) {
  const char *text = json_string_value(json_object_get(h, key));
  return text ? text : "";
}

static json_t *header_of(struct fs_seal *seal) {
  struct fs_str s = {0};
  fs_seal_header(seal, "status", &s);
  json_t *h = fs_json_read(fs_str_text(&s), s.len);
  fs_str_free(&s);
  return h;
}

static void test_headers(void) {
  struct fs_seal seal;
  setenv("USER", "ada", 1);
  fs_seal_init(&seal, "key");
  json_t *a = header_of(&seal), *b = header_of(&seal);
  check(!strcmp(text_of(a, "username"), "ada"), "the user");
  check(!strcmp(text_of(a, "msg_type"), "status"), "the type");
  check(strcmp(text_of(a, "msg_id"), text_of(b, "msg_id")) != 0, "ids differ");
  const char *id = text_of(a, "session");
  check(strlen(id) == 36 && id[14] == '4' && strchr("89ab", id[19]), "a random UUID");
  json_decref(a);
  json_decref(b);
  fs_seal_free(&seal);
  setenv("USER", "\xff", 1);
  fs_seal_init(&seal, "key");
  a = header_of(&seal);
  check(!strcmp(text_of(a, "username"), "kernel"), "a name that is no text");
  json_decref(a);
  fs_seal_free(&seal);
}

static int64_t microseconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_REALTIME, &t);
  return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

static void test_dates(void) {
  static const struct { const char *date; int64_t ms; } cases[] = {
    {"1970-01-01T00:00:00Z", 0}, {"2026-01-31T12:00:00Z", 1769860800000},
    {"2026-01-31T12:00:00+00:00", 1769860800000},
    {"2026-01-31T12:00:00.123Z", 1769860800123},
    {"2026-01-31T12:00:00.123456Z", 1769860800123},
    {"2026-03-01T00:00:01.999999+00:00", 1772323201999},
    {"2026-01-31T12:00:00.12Z", -1}, {"2026-01-31T12:00:00+02:00", -1},
    {"2026-01-31T12:00:00", -1}, {"2026-01-31T12:00Z", -1}, {"2026-01-31T12:00:00Zx", -1},
    {"2026-01-31 12:00:00Z", -1}, {"yesterday", -1}, {"Z", -1},
    {".123Z", -1}, {"", -1}};
  for (size_t k = 0; k < FS_LEN(cases); k++)
    check(fs_seal_time(cases[k].date) == cases[k].ms, cases[k].date);
  char date[40];
  while (microseconds() % 1000000 > 50000) usleep(10000); /* zeros in front */
  int64_t before = microseconds();
  fs_seal_date(date);
  int64_t ms = fs_seal_now(), after = microseconds();
  check(strlen(date) == 27 && date[26] == 'Z', date);
  int64_t at = fs_seal_time(date) / 1000 * 1000000 + atol(date + 20);
  check(before <= at && at <= after, "now, in microseconds");
  check(before / 1000 <= ms && ms <= after / 1000, "now, in milliseconds");
}

/* -- JSON -------------------------------------------------------------------- */

static void put_as(json_t *gives, const char *wanted) {
  struct fs_str s = {0};
  fs_json_put(gives, &s);
  check(!strcmp(fs_str_text(&s), wanted), wanted);
  fs_str_free(&s);
  json_decref(gives);
}

static void test_put(void) {
  put_as(json_pack("{s:[i,s]}", "a", 1, "\xc3\xa9"), "{\"a\":[1,\"\xc3\xa9\"]}");
  put_as(json_integer(7), "7");
  put_as(NULL, "{}");
}

static bool is_read(const char *text, size_t len) {
  json_t *o = fs_json_read(text, len);
  json_decref(o);
  return o != NULL;
}

static void test_json(void) {
  static const char *const good[] = {
    "{}", "{\"a\":[1,2.5,null,true,\"\\ud867\\ude8e\"]}", "{\"a\":\"]]]\\\"[\"}",
    "{\"a\":\"\\u0000\"}", "{\"a\":1,\"a\":2}"};
  static const char *const bad[] = {
    "", "[]", "1", "null", "{", "{\"a\":NaN}", "{\"a\":1e999}", "{\"a\":\"\xff\"}",
    "{\"a\":\"\\ud867\"}", "{} {}", "{\"a\":123456789012345678901234567890}"};
  for (size_t k = 0; k < FS_LEN(good); k++)
    check(is_read(good[k], strlen(good[k])), good[k]);
  for (size_t k = 0; k < FS_LEN(bad); k++)
    check(!is_read(bad[k], strlen(bad[k])), bad[k]);
}

static void test_depth(void) {
  enum { DEEP = 1 << 20 };
  char *text = malloc(DEEP);
  memset(text, '[', DEEP);
  check(!is_read(text, DEEP), "a million brackets");
  for (int depth = FS_SEAL_DEPTH - 2; depth <= FS_SEAL_DEPTH + 1; depth++) {
    struct fs_str s = {0};
    fs_str_puts(&s, "{\"a\":");
    for (int k = 1; k < depth; k++) fs_str_puts(&s, "[");
    for (int k = 1; k < depth; k++) fs_str_puts(&s, "]");
    fs_str_puts(&s, "}");
    check(is_read(s.data, s.len) == (depth <= FS_SEAL_DEPTH), "the limit");
    fs_str_free(&s);
  }
  free(text);
}

static void test_code_points(void) {
  const char text[] = "\xf0\xa8\xad\x8e\xf0\xa8\xad\x8e = \xc3\xa9x";
  size_t len = sizeof text - 1;
  check(fs_code_point_to_byte(text, len, 2) == 8, "astral characters");
  check(fs_code_point_to_byte(text, len, 6) == 13, "behind an accent");
  check(fs_code_point_to_byte(text, len, 99) == len, "beyond the end");
  check(fs_code_point_to_byte(text, len, -1) == 0, "before the beginning");
  check(fs_byte_to_code_point(text, len, 8) == 2, "and back");
  for (long long k = 0; k <= 7; k++)
    check(fs_byte_to_code_point(text, len,
                                fs_code_point_to_byte(text, len, k)) == k,
          "there and back");
}

/* -- broken in every way ------------------------------------------------------ */

/* Bytes of a good message are changed, cut and moved; the key is known to the
 * sender half the time, so that the JSON reader sees its share. */
static void test_mutations(void) {
  enum { ROUNDS = 200000 };
  struct fs_seal seal;
  char body[512], head[sizeof header];
  int taken = 0, refused = 0;
  fs_seal_init(&seal, "key");
  for (int k = 0; k < ROUNDS; k++) {
    struct raw r;
    size_t len = (size_t)snprintf(
        body, sizeof body,
        "{\"code\":\"x = %d\",\"a\":{\"b\":[1,2,{\"c\":\"\\u00e9\"}]}}", k);
    memcpy(head, header, sizeof head);
    for (uint64_t n = next() % 4; n > 0; n--) {
      uint64_t what = next();
      char *at = what & 1 ? body + what / 8 % len
                          : head + what / 8 % (sizeof head - 1);
      *at = (char)(what & 2 ? next() : (unsigned char)"{}[]\",:\\u0"[what / 64 % 10]);
    }
    if (next() % 8 == 0) len = next() % (len + 1);
    struct fs_part parts[4] = {{head, sizeof head - 1}, part("{}"), part("{}"),
                               {body, len}};
    r.n = 0;
    r.frame[r.n++] = part("<IDS|MSG>");
    if (next() & 1) fs_seal_sign(&seal, parts, r.signature);
    else snprintf(r.signature, sizeof r.signature, "%064d", k);
    r.frame[r.n++] = part(r.signature);
    for (int j = 0; j < 4; j++) r.frame[r.n++] = parts[j];
    if (next() % 16 == 0) r.n = (int)(next() % (uint64_t)(r.n + 1));
    if (read_it(&seal, &r)) refused++;
    else taken++;
  }
  check(taken + refused == ROUNDS, "all were read");
  check(taken > ROUNDS / 20 && refused > ROUNDS / 20, "some are good, some not");
  fs_seal_free(&seal);
}

int main(void) {
  const char *base = getenv("TMPDIR");
  snprintf(folder, sizeof folder, "%.150s/fusible-message-XXXXXX", base ? base : "/tmp");
  if (!mkdtemp(folder)) return 1;
  test_vectors();
  test_schemes();
  test_long_key();
  test_good();
  test_edges();
  test_frames();
  test_order();
  test_without_key();
  test_many_replays();
  test_kept();
  test_not_kept();
  test_long_file();
  test_generations();
  test_headers();
  test_dates();
  test_put();
  test_json();
  test_depth();
  test_code_points();
  test_mutations();
  rmdir(folder);
  printf("%d passed, %d failed\n", passed, failed);
  return failed != 0;
}
