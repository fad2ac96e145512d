/* replay.c - runs a target of a fuzzer on files, once each, without a fuzzer:
 *   replay_NAME FILE ...   says how many there were; what goes wrong ends it */
#include <stdio.h>
#include <stdlib.h>

#include "tests/fuzz/fuzz.h"

static int run_file(const char *path) {
  FILE *f = fopen(path, "rb");
  if (!f) return 1;
  fseek(f, 0, SEEK_END);
  long size = ftell(f);
  rewind(f);
  /* Of this size and no more, so that a sanitizer sees its end. */
  uint8_t *data = malloc(size ? (size_t)size : 1);
  if (!data || fread(data, 1, (size_t)size, f) != (size_t)size) exit(2);
  fclose(f);
  LLVMFuzzerTestOneInput(data, (size_t)size);
  free(data);
  return 0;
}

int main(int argc, char **argv) {
  int failed = 0;
  for (int k = 1; k < argc; k++) {
    fprintf(stderr, "%s\n", argv[k]); /* the last one is the one to look at */
    failed += run_file(argv[k]);
  }
  printf("%d files, %d not read\n", argc - 1, failed);
  return failed != 0;
}
