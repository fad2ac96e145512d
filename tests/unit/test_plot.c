/* test_plot.c - plots as pictures: the labels of dots that lie close. */
#include <math.h>
#include <stdio.h>

#include "core/plot/plot.h"

#include "tests/unit/check.h"

/* The place of the text in the document; false if it is not there. */
static bool place_of(const char *svg, const char *label, double *x, double *y,
                     bool *left) {
  char end[40];
  snprintf(end, sizeof end, ">%s</text>", label);
  const char *at = strstr(svg, end);
  while (at && at > svg && strncmp(at, "<text ", 6)) at--;
  *left = at && strstr(at, "\"end\"") && strstr(at, "\"end\"") < strstr(at, end);
  return at && sscanf(at, "<text x=\"%lf\" y=\"%lf\"", x, y) == 2;
}

/* Four dots in one place, one by itself: no label hides another, and that of the one
 * by itself stays at its right, in its height. */
static void test_labels_of_close_dots(void) {
  static char *const names[] = {"first", "second", "third", "fourth", "alone"};
  struct fs_plot *p = fs_plot_new();
  struct fs_series *s = fs_plot_add(p, FS_MARK_POINTS, 6, NULL);
  struct fs_str svg = {0};
  double x[5], y[5];
  bool left[5];
  s->labels = fs_calloc(6, sizeof *s->labels);
  for (int k = 0; k < 5; k++) {
    s->x[k] = k < 4 ? 5 : 2;
    s->y[k] = k < 4 ? 5 + 0.01*k : 9;
    s->labels[k] = fs_strdup(names[k]);
  }
  s->x[5] = s->y[5] = 12; /* without a label */
  fs_plot_svg(p, &svg);
  for (int k = 0; k < 5; k++)
    CHECK(place_of(fs_str_text(&svg), names[k], &x[k], &y[k], &left[k]));
  for (int a = 0; a < 4; a++)
    for (int b = 0; b < a; b++)
      CHECK(left[a] != left[b] || fabs(y[a] - y[b]) >= 12);
  for (int k = 0; k < 4; k++) CHECK(fabs(y[k] - y[0]) <= 16);
  CHECK(!left[4] && !left[0]);
  fs_str_free(&svg);
  fs_plot_free(p);
}

int main(void) {
  test_labels_of_close_dots();
  printf("%d passed, %d failed\n", passed, failed);
  return failed || !passed;
}
