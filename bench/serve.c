/* serve.c - Fusible as one of the processes that bench/gpu.py compares: reads a
 * request a line from standard input and answers each with a line of JSON.
 *
 *   build/bench-serve [--target cuda|cpu]
 *
 *   {"eval": TEXT}               evaluates; {"ok": true}
 *   {"run": TEXT, "repeat": K}   evaluates 2 K times; seconds of each pair:
 *                                {"kernel": [...], "wall": [...], "kernels": 2,
 *                                 "predicted": 1e-4, "bytes": 4e9}
 *   {"peer": "BiCGK", "m": M, "n": N, "len": LEN}   gets ready for the BLAS calls of
 *                                a sequence, if this program has them
 *   {"peer_run": K}              runs them; {"kernel": [...]}
 *   {"device": true}             {"device": "NVIDIA H200", "version": "0.1",
 *                                 "first": seconds of the first block of all}
 *
 * wall: from submitting the text to its end, results complete, while nobody looks at
 * plans; then once more for kernel, the sum of the block's kernels by device events. A
 * failure is {"error": TEXT}. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench/peers.h"
#include "core/base/base.h"
#include "core/session/session.h"

/* What the last input's events said. */
struct heard {
  double kernel, predicted, bytes;
  int kernels;
  char device[128], error[512];
};

static void hear_plan(struct heard *h, const json_t *e) {
  size_t k;
  json_t *kernel;
  double runs = json_number_value(json_object_get(e, "runs"));
  json_array_foreach(json_object_get(e, "kernels"), k, kernel) {
    h->kernel += runs * json_number_value(json_object_get(kernel, "measured"));
    h->predicted += runs * json_number_value(json_object_get(kernel, "predicted"));
    h->bytes += runs * json_number_value(json_object_get(kernel, "moves"));
    h->kernels++;
  }
  const char *device = json_string_value(json_object_get(e, "device"));
  if (device) snprintf(h->device, sizeof h->device, "%s", device);
}

static void on_event(void *user, const json_t *e) {
  struct heard *h = user;
  const char *kind = json_string_value(json_object_get(e, "event"));
  if (!kind) return;
  if (!strcmp(kind, "plan")) hear_plan(h, e);
  const char *severity = json_string_value(json_object_get(e, "severity"));
  const char *message = json_string_value(json_object_get(e, "message"));
  if (severity && message && !strcmp(severity, "error"))
    snprintf(h->error, sizeof h->error, "%s", message);
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

struct server {
  double first;
  struct fs_session *session;
  struct heard heard;
  const struct bench_peer *peer; /* NULL: none was built in */
  enum bench_case which;
  bool prepared;
};

static bool evaluate(struct server *s, const char *text) {
  char device[sizeof s->heard.device];
  memcpy(device, s->heard.device, sizeof device);
  s->heard = (struct heard){0};
  memcpy(s->heard.device, device, sizeof device);
  return fs_session_eval(s->session, "bench", text, strlen(text),
                         FS_EVAL_SILENT) == FS_RESULT_OK;
}

static json_t *failed(const char *why) {
  return json_pack("{s:s}", "error", *why ? why : "it failed without a message");
}

static json_t *run(struct server *s, const char *text, int repeat) {
  json_t *kernel = json_array(), *wall = json_array();
  for (int k = 0; k < repeat; k++) {
    fs_session_set(s->session, "plan", "off");
    double start = now();
    bool ok = evaluate(s, text);
    double seconds = now() - start;
    fs_session_set(s->session, "plan", "line");
    if (!ok || !evaluate(s, text)) {
      json_decref(kernel);
      json_decref(wall);
      return failed(s->heard.error);
    }
    json_array_append_new(wall, json_real(seconds));
    json_array_append_new(kernel, json_real(s->heard.kernel));
  }
  return json_pack("{s:o, s:o, s:i, s:f, s:f}", "kernel", kernel, "wall", wall,
                   "kernels", s->heard.kernels, "predicted", s->heard.predicted,
                   "bytes", s->heard.bytes);
}

static json_t *prepare_peer(struct server *s, const char *name, long m, long n,
                            long len) {
  const char *error = "there is no peer in this program";
  if (s->prepared) s->peer->finish();
  s->prepared = false;
  for (int c = 0; s->peer && c < BENCH_COUNT; c++)
    if (!strcmp(bench_sequences[c].name, name)) {
      s->which = (enum bench_case)c;
      s->prepared = s->peer->prepare(s->which, m, n, len, &error) == 0;
      return s->prepared ? json_pack("{s:s}", "peer", s->peer->name) : failed(error);
    }
  return failed(error);
}

static json_t *run_peer(struct server *s, int repeat) {
  if (!s->prepared) return failed("the peer is not prepared");
  json_t *kernel = json_array();
  for (int k = 0; k < repeat; k++)
    json_array_append_new(kernel, json_real(s->peer->run(s->which)));
  return json_pack("{s:o}", "kernel", kernel);
}

static long integer(const json_t *request, const char *key) {
  return (long)json_integer_value(json_object_get(request, key));
}

static json_t *answer(struct server *s, const json_t *request) {
  const char *text;
  if ((text = json_string_value(json_object_get(request, "eval"))))
    return evaluate(s, text) ? json_pack("{s:b}", "ok", 1)
                             : failed(s->heard.error);
  if ((text = json_string_value(json_object_get(request, "run"))))
    return run(s, text, (int)integer(request, "repeat"));
  if ((text = json_string_value(json_object_get(request, "peer"))))
    return prepare_peer(s, text, integer(request, "m"), integer(request, "n"),
                        integer(request, "len"));
  if (json_object_get(request, "peer_run"))
    return run_peer(s, (int)integer(request, "peer_run"));
  if (json_object_get(request, "device"))
    return json_pack("{s:s, s:s, s:f}", "device", s->heard.device, "version",
                     FS_VERSION, "first", s->first);
  return failed("not a request");
}

static void serve(struct server *s) {
  char *line = NULL;
  size_t room = 0;
  while (getline(&line, &room, stdin) > 0) {
    json_t *request = json_loads(line, 0, NULL);
    json_t *reply = request ? answer(s, request) : failed("not JSON");
    json_dumpf(reply, stdout, JSON_COMPACT | JSON_REAL_PRECISION(9));
    putchar('\n');
    fflush(stdout);
    json_decref(reply);
    json_decref(request);
  }
  free(line);
}

int main(int argc, char **argv) {
  struct server s = {0};
  const char *error = NULL;
  struct fs_session_config config = {
      .target = argc == 3 && !strcmp(argv[1], "--target") ? argv[2] : "auto",
      .on_event = on_event, .user = &s.heard};
#ifdef BENCH_PEER
  s.peer = &BENCH_PEER;
#endif
  s.session = fs_session_new(&config, &error);
  if (!s.session) {
    fprintf(stderr, "bench-serve: %s\n", error);
    return 3;
  }
  double start = now();
  evaluate(&s, "x = ones(3) + 1;");
  s.first = now() - start;
  serve(&s);
  if (s.prepared) s.peer->finish();
  fs_session_free(s.session);
  return 0;
}
