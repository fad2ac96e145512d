/* scan.c - see scan.h. */
#include "core/schedule/scan.h"

/* The least k with 2^k >= x, but at most `most`. */
static int log_up(int64_t x, int most) {
  int k = 0;
  while (k < most && (int64_t)1 << k < x) k++;
  return k;
}

struct fs_scan_cut fs_scan_cut(int64_t n, int64_t count, bool lines_first) {
  enum { LOG_TILE = 11, LOG_EACH = 3, LOG_LINES = 5, BLOCKS = 2048, ENOUGH = 352 };
  /* Neighbouring lines are read side by side, at least as many as a warp has threads. */
  int most = lines_first ? LOG_TILE - log_up(count, LOG_LINES) : LOG_TILE;
  int log_places = FS_MAX(log_up(n, most), LOG_EACH);
  struct fs_scan_cut cut = {.log_lines = LOG_TILE - log_places};
  int64_t places = (int64_t)1 << log_places, tiles = (n + places - 1) / places;
  cut.groups = ((count - 1) >> cut.log_lines) + 1;
  cut.parts = cut.groups < ENOUGH ? FS_MAX(FS_MIN(BLOCKS / cut.groups, tiles), 1) : 1;
  cut.share = (tiles + cut.parts - 1) / cut.parts * places;
  cut.parts = (n + cut.share - 1) / cut.share;
  return cut;
}
