/* test_message.c - messages of the Jupyter protocol as bytes: signatures by the
 * published vectors, the order of the checks, and a great many broken messages. */
#include "jupyter/message.h"

#include <sodium.h>
#include <stdio.h>

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

/* -- JSON -------------------------------------------------------------------- */

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
  enum { ROUNDS = 1000000 };
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
  test_vectors();
  test_schemes();
  test_long_key();
  test_good();
  test_edges();
  test_order();
  test_without_key();
  test_many_replays();
  test_json();
  test_depth();
  test_code_points();
  test_mutations();
  printf("%d passed, %d failed\n", passed, failed);
  return failed != 0;
}
