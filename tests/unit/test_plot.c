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

/* Labels of a picture as text: at every width each stands once on a line of its own size, what
 * lies at the right end has its label at the left, control characters are marks, and nothing is
 * wider than the picture; what is too long is cut. */
static void test_labels_as_text(void) {
  static const int widths[] = {20, 40, 60, 80, 100};
  struct fs_plot *p = fs_plot_new();
  struct fs_series *s = fs_plot_add(p, FS_MARK_POINTS, 3, "dots");
  s->labels = fs_calloc(3, sizeof *s->labels);
  for (int k = 0; k < 3; k++) s->x[k] = k, s->y[k] = k;
  s->labels[0] = fs_strdup("near a\tb \u00e9");
  s->labels[2] = fs_strdup("far, and much too long to be shown as a whole");
  for (size_t w = 0; w < FS_LEN(widths); w++)
    for (int ascii = 0; ascii < 2; ascii++) {
      struct fs_plot_look look = {.width = widths[w], .ascii = ascii};
      struct fs_str out = {0}, ink = {0};
      fs_plot_text(p, &look, &out, &ink);
      const char *text = fs_str_text(&out), *far = strstr(text, "far,");
      for (const char *at = text; *at; at += strcspn(at, "\n") + (at[strcspn(at, "\n")] != 0))
        CHECK(fs_utf8_width(at, strcspn(at, "\n")) <= widths[w]);
      if (widths[w] >= 40) {
        CHECK(strstr(text, ascii ? "near a?b ?" : "near a?b \u00e9"));
        CHECK(far && strchr(far, '\n') - far <= 30 && !strstr(text, "as a whole"));
        CHECK(strchr(fs_str_text(&ink), '0'));
      }
      fs_str_free(&out);
      fs_str_free(&ink);
    }
  fs_plot_free(p);
}

int main(void) {
  test_labels_of_close_dots();
  test_labels_as_text();
  printf("%d passed, %d failed\n", passed, failed);
  return failed || !passed;
}
