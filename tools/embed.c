/* embed.c - writes the texts of the files named on the command line as one C
 * source: the table that core/base/embed.h declares. */
#include <stdio.h>

static int put_file(const char *name) {
  FILE *f = fopen(name, "rb");
  if (!f) {
    perror(name);
    return 1;
  }
  /* As numbers, not as a string literal: C11 promises only 4095 characters. */
  int c, column = 0;
  long len = 0;
  printf("  {\"%s\", (const char *)(const unsigned char[]){", name);
  while ((c = getc(f)) != EOF) {
    if (column++ % 20 == 0) printf("\n    ");
    printf("%d,", c);
    len++;
  }
  fclose(f);
  printf("0}, %ld},\n", len);
  return 0;
}

int main(int argc, char **argv) {
  printf("#include \"core/base/embed.h\"\n"
         "const struct fs_embedded fs_embedded[] = {\n");
  for (int i = 1; i < argc; i++)
    if (put_file(argv[i])) return 1;
  printf("  {NULL, NULL, 0}\n};\n");
  return 0;
}
