/* test_lang.c - core/base and core/lang: trees, errors with their carets, what
 * counts as incomplete, limits at L-1, L and L+1, element files, and a smoke
 * test with mutated texts from a fixed seed.
 *
 * test_lang          runs all tests
 * test_lang FILE     parses a script or .elem file, prints tree or errors */
#include "core/base/diag.h"
#include "core/lang/elem.h"
#include "core/lang/parse.h"

#include <stdio.h>

/* test_misc asks for more memory than there is. */
const char *__asan_default_options(void);
const char *__asan_default_options(void) {
  return "allocator_may_return_null=1";
}

static int n_passed, n_failed;

static void check(bool good, const char *what, const char *got,
                  const char *wanted) {
  if (good) {
    n_passed++;
    return;
  }
  n_failed++;
  if (n_failed <= 40)
    printf("FAIL %.300s\n  got:    %.600s\n  wanted: %.600s\n", what, got,
           wanted);
}

static void check_text(const char *what, const char *got, const char *wanted) {
  check(strcmp(got, wanted) == 0, what, got, wanted);
}

static void check_int(const char *what, long got, long wanted) {
  char a[32], b[32];
  snprintf(a, sizeof a, "%ld", got);
  snprintf(b, sizeof b, "%ld", wanted);
  check(got == wanted, what, a, b);
}

/* -- running the parser ---------------------------------------------------- */

static const char *const status_words[] = {"ok", "incomplete", "user", "env",
                                           "interrupted"};

/* The tree on one line, or "incomplete", or the rendered errors. */
static enum fs_status parse_to(const char *text, size_t len, bool final,
                               struct fs_str *out) {
  struct fs_diags diags;
  fs_diags_init(&diags);
  struct fs_arena *arena = fs_arena_new();
  uint32_t source = fs_source_add(&diags, "t", text, len);
  struct fs_stmt *list = NULL;
  enum fs_status status = final ? fs_parse_final(&diags, arena, source, &list)
                                : fs_parse(&diags, arena, source, &list);
  fs_str_clear(out);
  if (status == FS_OK) fs_ast_dump(list, out);
  for (int i = 0; i < diags.list.len; i++)
    fs_diag_render(&diags, &diags.list.data[i], out);
  if (status == FS_INCOMPLETE) fs_str_puts(out, "incomplete");
  if ((status == FS_ERR_USER) != (diags.list.len == 1))
    fs_str_puts(out, " [status and diagnostics disagree]");
  fs_arena_free(arena);
  fs_diags_free(&diags);
  return status;
}

/* Newlines with the blanks after them become one blank. */
static void one_line(struct fs_str *s) {
  size_t to = 0;
  for (size_t i = 0; i < s->len; i++) {
    if (s->data[i] != '\n') {
      s->data[to++] = s->data[i];
      continue;
    }
    while (i + 1 < s->len && strchr(" \n", s->data[i + 1])) i++;
    if (i + 1 < s->len) s->data[to++] = ' ';
  }
  s->len = to;
  if (s->data) s->data[to] = '\0';
}

/* -- trees ----------------------------------------------------------------- */

static const struct {
  const char *text, *tree;
} trees[] = {
    {"", ""},
    {" \n# remark\n// remark\n;;\n", ""},
    {"\xef\xbb\xbfx", "(show x)"},
    {"x\r\ny\r\n", "(show x) (show y)"},
    {"1", "(show 1)"},
    {"1.0", "(show 1.0)"},
    {"1.", "(show 1.0)"},
    {".5", "(show 0.5)"},
    {"1e-3", "(show 0.001)"},
    {"1.e3", "(show 1e+03)"},
    {"1E+3", "(show 1e+03)"},
    {"0x1f", "(show 31)"},
    {"0xFFFF", "(show 65535)"},
    {"1.*x", "(show (.* 1 x))"},
    {"1./x", "(show (./ 1 x))"},
    {"2.^x", "(show (.^ 2 x))"},
    {"1.5.*x", "(show (.* 1.5 x))"},
    {"true; false", "(show true); (show false)"},
    {"\"a\\n\\t\\\\\\\"\\x41\\u{e9}\"",
     "(show \"a\\n\\t\\\\\\\"A\\xc3\\xa9\")"},
    {"\"# no // remark\" # remark", "(show \"# no // remark\")"},
    {"\"\\x00\"", "(show \"\\x00\")"},
    {"\xcf\x83\xe2\x82\x81 = \xc3\xa9t\xc3\xa9",
     "(= \xcf\x83\xe2\x82\x81 \xc3\xa9t\xc3\xa9)"},
    /* precedence */
    {"a+b*c", "(show (+ a (* b c)))"},
    {"a*b+c", "(show (+ (* a b) c))"},
    {"a-b-c", "(show (- (- a b) c))"},
    {"a/b*c\\d", "(show (\\ (* (/ a b) c) d))"},
    {"a.*b./c", "(show (./ (.* a b) c))"},
    {"-2^2", "(show (neg (^ 2 2)))"},
    {"2^-1", "(show (^ 2 (neg 1)))"},
    {"2^3^2", "(show (^ 2 (^ 3 2)))"},
    {"2.^3^2", "(show (.^ 2 (^ 3 2)))"},
    {"-a*b", "(show (* (neg a) b))"},
    {"a*-b", "(show (* a (neg b)))"},
    {"- -a", "(show (neg (neg a)))"},
    {"+a", "(show (plus a))"},
    {"!a == b", "(show (== (! a) b))"},
    {"!a && b || c", "(show (|| (&& (! a) b) c))"},
    {"a || b && c", "(show (|| a (&& b c)))"},
    {"a < b && c >= d", "(show (&& (< a b) (>= c d)))"},
    {"a+1 == b*2", "(show (== (+ a 1) (* b 2)))"},
    {"1:n+1", "(show (range 1 (+ n 1)))"},
    {"1:2:n", "(show (range 1 2 n))"},
    {"1:3 == x", "(show (== (range 1 3) x))"},
    {"x'*y", "(show (* (' x) y))"},
    {"x*y'", "(show (* x (' y)))"},
    {"A''", "(show (' (' A)))"},
    {"-x'^2", "(show (neg (^ (' x) 2)))"},
    {"(a+b)*c", "(show (* (+ a b) c))"},
    {"u1*v1' + u2*v2'", "(show (+ (* u1 (' v1)) (* u2 (' v2))))"},
    /* calls, subscripts, arrays */
    {"f()", "(show (call f))"},
    {"f(a, b)(c)", "(show (call (call f a b) c))"},
    {"A[i, j]", "(show (index A i j))"},
    {"A[:, 1]", "(show (index A : 1))"},
    {"A[:]", "(show (index A :))"},
    {"A[2:end, end-1]", "(show (index A (range 2 end) (- end 1)))"},
    {"A[f(end)]'", "(show (' (index A (call f end))))"},
    {"A[i][j]", "(show (index (index A i) j))"},
    {"f(x)[1]", "(show (index (call f x) 1))"},
    {"A[i, :; mirror]", "(show (index;mirror,mirror A i :))"},
    {"A[i, j; checked, zeros]", "(show (index;checked,zeros A i j))"},
    {"[]", "(show (array))"},
    {"[1, 2; 3, 4]", "(show (array (1 2) (3 4)))"},
    {"[1, 2;\n 3, 4;\n]", "(show (array (1 2) (3 4)))"},
    {"[[1, 2], [3]; 4, 5]", "(show (array ((array (1 2)) (array (3))) (4 5)))"},
    {"[1,\n2\n,3]'", "(show (' (array (1 2 3))))"},
    {"[-1, a']", "(show (array ((neg 1) (' a))))"},
    /* lambdas */
    {"x -> x^2", "(show (-> (x) (^ x 2)))"},
    {"(x, y) -> x+y", "(show (-> (x y) (+ x y)))"},
    {"() -> 1", "(show (-> () 1))"},
    {"map(x -> x || y, v)", "(show (call map (-> (x) (|| x y)) v))"},
    {"f = (x) ->\n x -> x", "(= f (-> (x) (-> (x) x)))"},
    {"(x)", "(show x)"},
    {"map((\nx,\ny) -> x, v)", "(show (call map (-> (x y) x) v))"},
    /* lines */
    {"a = 1 +\n\n 2", "(= a (+ 1 2))"},
    {"a = # remark\n 2", "(= a 2)"},
    {"f(1,\n2)", "(show (call f 1 2))"},
    {"(1\n+ 2)", "(show (+ 1 2))"},
    {"a\n+b", "(show a) (show (plus b))"},
    {"q = A*p; s = A'*r", "(= q (* A p)); (= s (* (' A) r))"},
    {"x ; # silent\ny", "(show x); (show y)"},
    /* assignments */
    {"x = 3", "(= x 3)"},
    {"a, b = f(x)", "(= (a b) (call f x))"},
    {"a,\nb = f(x)", "(= (a b) (call f x))"},
    {"_, _, c = f(x);", "(= (_ _ c) (call f x));"},
    {"A[i,:] = v", "(= (index A i :) v)"},
    {"A[end] = 0", "(= (index A end) 0)"},
    {"x += a + b", "(= x (+ x (+ a b)))"},
    {"x -= 1; x *= 2; x /= 3",
     "(= x (- x 1)); (= x (* x 2)); (= x (/ x 3))"},
    {"A[1] += 2", "(= (index A 1) (+ (index A 1) 2))"},
    {"f(x) = x^2", "(function f (x) = (^ x 2))"},
    {"f(x, y) =\n x", "(function f (x y) = x)"},
    {"f() = 1;", "(function f () = 1);"},
    {"f(x, k = 2*x, m = [k, 1]) = x",
     "(function f (x (= k (* 2 x)) (= m (array (k 1)))) = x)"},
    {"function f(a = (b == 1)) return a end",
     "(function f ((= a (== b 1))) (return a))"},
    {"f(x) == x^2", "(show (== (call f x) (^ x 2)))"},
    /* blocks */
    {"if x > 0\n y = 1\nend", "(if (> x 0) (= y 1))"},
    {"if x; y = 1 else y = 2 end", "(if x (= y 1) else (= y 2))"},
    {"if a; 1; elseif b; 2; elseif c\n 3\nelse 4; end",
     "(if a (show 1); else (if b (show 2); else (if c (show 3) else "
     "(show 4);)))"},
    {"if x\nend", "(if x)"},
    {"while x < 3\n x += 1;\nend", "(while (< x 3) (= x (+ x 1));)"},
    {"for k = 1:n\n s += k\nend;", "(for k (range 1 n) (= s (+ s k)));"},
    {"for k in v; k; end", "(for k v (show k);)"},
    {"forall i = 1:n\n x[i] = i;\nend", "(forall i (range 1 n) (= (index x i) i);)"},
    {"forall i = 1:n,\n j in v; x[i,j] = 1; end;",
     "(forall i (range 1 n) (forall j v (= (index x i j) 1);));"},
    {"parallel for k = 1:n; s; end", "(parallel for k (range 1 n) (show s);)"},
    {"mv = :kernel \"mv.cu\"", "(= mv (call kernel \"mv.cu\"))"},
    {"f = :kernel \"a.cl\",\n \"f\";", "(= f (call kernel \"a.cl\" \"f\"));"},
    {"parallel = 3; parallel", "(= parallel 3); (show parallel)"},
    {"parallel for k = 1:n; for j = k; break; end; end",
     "(parallel for k (range 1 n) (for j k (break););)"},
    {"{1, \"a\",\n x,}", "(show (list 1 \"a\" x))"},
    {"{}", "(show (list))"},
    {"{x = 1, y = {2}};", "(show (record (x 1) (y (list 2))));"},
    {"s.x.y[2] = l[1].z'", "(= (index (. (. s x) y) 2) (' (. (index l 1) z)))"},
    {"s.x += 1.", "(= (. s x) (+ (. s x) 1.0))"},
    {"a.*b.c", "(show (.* a (. b c)))"},
    {"try; x; catch; y; end", "(try (show x); catch (show y);)"},
    {"try x = 1\ncatch e\n e end;", "(try e (= x 1) catch (show e));"},
    {"try; end", "(try)"},
    {"try x end", "(try (show x))"},
    {"while true; if x; break; else continue end end",
     "(while true (if x (break); else (continue)))"},
    {"function f(x, y)\n z = x\n return z, y\nend",
     "(function f (x y) (= z x) (return z y))"},
    {"function f() return end", "(function f () (return))"},
    {"return", "(return)"},
    {"return q, s;", "(return q s);"},
    {"return a,\n b", "(return a b)"},
    {"begin q = A*p; s = A'*r; end",
     "(begin (= q (* A p)); (= s (* (' A) r));)"},
    {"begin\nbarrier\nend;", "(begin (barrier));"},
    {"import \"a.fs\"", "(import \"a.fs\")"},
    /* contextual words */
    {"TILE32x32 A, B;", "(declare (TILE32x32 A B));"},
    {"subvector32 p,\n q", "(declare (subvector32 p q))"},
    {"globalscalar alpha; scalar b; vector c; matrix D",
     "(declare (globalscalar alpha)); (declare (scalar b)); "
     "(declare (vector c)); (declare (matrix D))"},
    {"input A, p, r;", "(input A p r);"},
    {"input = 3; scalar = input; vector(3)",
     "(= input 3); (= scalar input); (show (call vector 3))"},
    {"in = 3\ninput", "(= in 3) (show input)"},
    {":plan k1 # all  \nx", "(command \":plan k1 # all\") (show x)"},
    {"  :time on", "(command \":time on\")"},
    {"?sum\n??sum", "(command \"?sum\") (command \"??sum\")"},
    {":?", "(command \":?\")"},
    {"A[1\n:end]", "(show (index A (range 1 end)))"},
};

static void test_trees(void) {
  struct fs_str out = {0};
  for (size_t i = 0; i < FS_LEN(trees); i++) {
    parse_to(trees[i].text, strlen(trees[i].text), false, &out);
    one_line(&out);
    check_text(trees[i].text, fs_str_text(&out), trees[i].tree);
  }
  fs_str_free(&out);
}

static void test_dump_layout(void) {
  struct fs_str out = {0};
  const char *text = "if a\n b\n while c; d; end\nelse\n e\nend\nf";
  parse_to(text, strlen(text), false, &out);
  check_text("layout of a dump", fs_str_text(&out),
             "(if a\n  (show b)\n  (while c\n    (show d);)\nelse\n"
             "  (show e))\n(show f)\n");
  fs_str_free(&out);
}

/* -- incomplete ------------------------------------------------------------ */

static const struct {
  const char *text;
  enum fs_status status;
  int indent;
} statuses[] = {
    {"begin", FS_INCOMPLETE, 2},
    {"begin\n", FS_INCOMPLETE, 2},
    {"begin x = 1", FS_INCOMPLETE, 2},
    {"if x", FS_INCOMPLETE, 2},
    {"if x\n y\nelse", FS_INCOMPLETE, 2},
    {"if x\n y\nelseif z", FS_INCOMPLETE, 2},
    {"try\n y\ncatch", FS_INCOMPLETE, 2},
    {"while x\n for k = 1:3\n", FS_INCOMPLETE, 4},
    {"function f(x)", FS_INCOMPLETE, 2},
    {"function f(", FS_INCOMPLETE, 4},
    {"function f(x,", FS_INCOMPLETE, 4},
    {"(1+", FS_INCOMPLETE, 2},
    {"(1\n", FS_INCOMPLETE, 2},
    {"f(", FS_INCOMPLETE, 2},
    {"f(a,", FS_INCOMPLETE, 2},
    {"A[", FS_INCOMPLETE, 2},
    {"A[1:", FS_INCOMPLETE, 2},
    {"[1, 2;", FS_INCOMPLETE, 2},
    {"[1, [2", FS_INCOMPLETE, 4},
    {"begin f([1", FS_INCOMPLETE, 6},
    {"x =", FS_INCOMPLETE, 0},
    {"x = # remark\n", FS_INCOMPLETE, 0},
    {"x +=\n\n", FS_INCOMPLETE, 0},
    {"x = 1 +", FS_INCOMPLETE, 0},
    {"x = -", FS_INCOMPLETE, 0},
    {"x ->", FS_INCOMPLETE, 0},
    {"(x, y) ->", FS_INCOMPLETE, 0},
    {"a,", FS_INCOMPLETE, 0},
    {"a ||", FS_INCOMPLETE, 0},
    {"return a,", FS_INCOMPLETE, 0},
    {"input a,", FS_INCOMPLETE, 0},
    {"for k =", FS_INCOMPLETE, 2},
    {"f(x) =", FS_INCOMPLETE, 0},
    {"begin\n x = (1 + 2)\n if x", FS_INCOMPLETE, 4},
    {")", FS_ERR_USER, 0},
    {"(1]", FS_ERR_USER, 0},
    {"\"abc", FS_ERR_USER, 0},
    {"\"abc\n", FS_ERR_USER, 0},
    {"\"abc\\", FS_ERR_USER, 0},
    {"begin\n)", FS_ERR_USER, 0},
    {"end", FS_ERR_USER, 0},
    {"if", FS_ERR_USER, 0},
    {"for", FS_ERR_USER, 0},
    {"for k", FS_ERR_USER, 0},
    {"function", FS_ERR_USER, 0},
    {"import", FS_ERR_USER, 0},
    {"1 2", FS_ERR_USER, 0},
    {"x = 1", FS_OK, 0},
    {"begin end", FS_OK, 0},
    {"begin # end\nend", FS_OK, 0},
    {"\"begin\"", FS_OK, 0},
    {":plan (", FS_OK, 0},
    {"?begin", FS_OK, 0},
    {"", FS_OK, 0},
    {"(", FS_INCOMPLETE, 2},
};

static void test_statuses(void) {
  struct fs_str out = {0};
  for (size_t i = 0; i < FS_LEN(statuses); i++) {
    const char *text = statuses[i].text;
    enum fs_status status = parse_to(text, strlen(text), false, &out);
    check_text(text, status_words[status], status_words[statuses[i].status]);
    check_int(text, fs_parse_indent(text, strlen(text)), statuses[i].indent);
    bool was_open = statuses[i].status == FS_INCOMPLETE;
    status = parse_to(text, strlen(text), true, &out);
    check_text(text, status_words[status],
               status_words[was_open ? FS_ERR_USER : statuses[i].status]);
  }
  fs_str_free(&out);
}

/* -- errors ---------------------------------------------------------------- */

#define AT_END true
static const struct {
  const char *text, *picture;
  bool final;
} errors[] = {
    {"x = )", "t:1:5: error: `)` closes nothing: no bracket is open\n"
              "  x = )\n      ^\n"},
    {"x = 3)", "t:1:6: error: `)` closes nothing: no bracket is open\n"
               "  x = 3)\n       ^\n"},
    {"x = f(1]", "t:1:8: error: expected `,` or `)`, found `]`\n"
                 "  x = f(1]\n         ^\nhint: the `(` at 1:6 is open\n"},
    {"x = 'abc'",
     "t:1:5: error: expected an expression, found `'`\n  x = 'abc'\n      ^\n"
     "hint: strings use double quotes: \"text\"\n"},
    {"if x = 3\nend",
     "t:1:6: error: expected `;` or a new line after the head of `if`, found "
     "`=`\n  if x = 3\n       ^\nhint: did you mean `==`?\n"},
    {"while (x = 3)\nend",
     "t:1:10: error: expected an operator or `)`, found `=`\n"
     "  while (x = 3)\n           ^\nhint: did you mean `==`?\n"},
    {"f(n = 3)",
     "t:1:5: error: expected `,` or `)`, found `=`\n  f(n = 3)\n      ^\n"
     "hint: arguments are given by place, options as text: \"name=value\"; "
     "a comparison is `==`\n"},
    {"a < b < c", "t:1:7: error: comparisons do not chain\n  a < b < c\n"
                  "        ^\nhint: write a < b && b < c, or use parentheses\n"},
    {"[1 2]", "t:1:4: error: expected `,`, `;` or `]`, found `2`\n  [1 2]\n"
              "     ^\nhint: elements are separated by commas, rows by "
              "semicolons: [1, 2; 3, 4]\n"},
    {"2x + 1", "t:1:1: error: a name or digit sticks to the number before it\n"
               "  2x + 1\n  ^~\nhint: a product needs its sign: 2*x\n"},
    {"2(x)", "t:1:1: error: a number cannot be called\n  2(x)\n  ^~\n"
             "hint: a product needs its sign: 2*(a + b)\n"},
    {"x = 1e999", "t:1:5: error: the number is too large for 64 bits\n"
                  "  x = 1e999\n      ^~~~~\n"
                  "hint: the largest number is about 1.8e308\n"},
    {"0x", "t:1:1: error: no hexadecimal digits after `0x`\n  0x\n  ^~\n"
           "hint: example: 0x1f\n"},
    {"s = \"abc\nx", "t:1:5: error: the string has no closing `\"`\n"
                     "  s = \"abc\n      ^~~~\nhint: a string ends on its own "
                     "line; \\n stands for a new line\n"},
    {"\"a\\q\"", "t:1:3: error: unknown or malformed escape in a string\n"
                 "  \"a\\q\"\n    ^~\nhint: the escapes are \\n \\t \\\\ "
                 "\\\" \\xHH \\u{...}\n"},
    {"\"\\u{d800}\"", "t:1:2: error: unknown or malformed escape in a string\n"
                      "  \"\\u{d800}\"\n   ^~~~~~~~\nhint: the escapes are "
                      "\\n \\t \\\\ \\\" \\xHH \\u{...}\n"},
    {"3 = x", "t:1:1: error: this cannot be assigned to\n  3 = x\n  ^\n"
              "hint: the left side is x, A[i, j], s.x, f(x), or several: a, b[1], s.x\n"},
    {"A(1) = 3", "t:1:1: error: this cannot be assigned to\n  A(1) = 3\n"
                 "  ^~~~\nhint: indexing is A[i, j]; a function's parameters "
                 "are plain names\n"},
    {"f(x, x) = 3", "t:1:6: error: `x` stands twice in this list\n"
                    "  f(x, x) = 3\n       ^\n"},
    {"x = y = 3", "t:1:7: error: expected an operator, `;` or a new line, "
                  "found `=`\n  x = y = 3\n        ^\nhint: one `=` per "
                  "statement; a comparison is `==`\n"},
    {"a, b", "t:1:5: error: expected names and `=`, found the end of the line\n"
             "  a, b\n      ^\nhint: several values are a, b = f(x) or a, b = 1, 2; "
             "statements on one line are separated by `;`\n"},
    {"whlie x > 3", "t:1:7: error: expected an operator, `;` or a new line, "
                    "found `x`\n  whlie x > 3\n        ^\n"
                    "hint: did you mean `while`?\n"},
    {"TILE32x3 A;", "t:1:10: error: expected an operator, `;` or a new line, "
                    "found `A`\n  TILE32x3 A;\n           ^\n"
                    "hint: did you mean `TILE32x32`?\n"},
    {"elif x", "t:1:6: error: expected an operator, `;` or a new line, found "
               "`x`\n  elif x\n       ^\nhint: did you mean `elseif`?\n"},
    {"end", "t:1:1: error: `end` closes nothing: no block is open\n  end\n"
            "  ^~~\n"},
    {"else", "t:1:1: error: `else` stands in no `if`\n  else\n  ^~~~\n"
             "hint: they belong to an `if`\n"},
    {"x\nwhile y\n else\nend",
     "t:3:2: error: expected `end`, found `else`\n   else\n   ^~~~\n"
     "hint: the `while` at 2:1 is open\n"},
    {"break", "t:1:1: error: `break` stands in no loop\n  break\n  ^~~~~\n"},
    {"for k = 1:3\n function f() break end\nend",
     "t:2:15: error: `break` stands in no loop\n   function f() break end\n"
     "                ^~~~~\n"},
    {"x != y ~= z", "t:1:8: error: `~=` is not part of the language\n"
                    "  x != y ~= z\n         ^~\nhint: not equal is !=\n"},
    {"x**2", "t:1:2: error: `**` is not part of the language\n  x**2\n   ^~\n"
             "hint: the power is ^ or .^\n"},
    {"x % y", "t:1:3: error: `%` is not part of the language\n  x % y\n    ^\n"
              "hint: comments begin with #; the remainder is mod(a, b)\n"},
    {"a \xe2\x88\x92 b", "t:1:3: error: `\xe2\x88\x92` is not part of the "
                         "language\n  a \xe2\x88\x92 b\n    ^\n"
                         "hint: the minus sign is -\n"},
    {"\xe6\xbc\xa2 = \"\xe6\xbc\xa2\" + )",
     "t:1:13: error: `)` closes nothing: no bracket is open\n"
     "  \xe6\xbc\xa2 = \"\xe6\xbc\xa2\" + )\n              ^\n"},
    {"\tx = )", "t:1:13: error: `)` closes nothing: no bracket is open\n"
                "          x = )\n              ^\n"},
    {"x = \xff", "t:1:5: error: byte 0xff is not valid UTF-8 here\n"
                 "  x = \\xff\n      ^~~~\nhint: texts are UTF-8; convert the "
                 "file, for example with iconv\n"},
    {"# \xc3(", "t:1:3: error: byte 0xc3 is not valid UTF-8 here\n"
                "  # \\xc3(\n    ^~~~\nhint: texts are UTF-8; convert the "
                "file, for example with iconv\n"},
    {"# \xe2\x80\xae x", "t:1:3: error: invisible character U+202E that "
                         "reorders text\n  # \\u{202e} x\n    ^~~~~~~~\n"
                         "hint: it makes the text read other than it runs; "
                         "remove it, or put it in a string as \\u{...}\n"},
    {"A[:3]", "t:1:3: error: expected a subscript, found `:`\n  A[:3]\n"
              "    ^\nhint: a range names both ends: 1:n, or `:` alone for "
              "all\n"},
    {"A[2:]", "t:1:5: error: the range has no last element: found `]`\n"
              "  A[2:]\n      ^\nhint: a range names both ends: 2:end\n"},
    {"a:b:c:d", "t:1:6: error: a range has at most three parts\n  a:b:c:d\n"
                "       ^\nhint: a range is a:b or a:step:b\n"},
    {"x = if", "t:1:5: error: expected an expression, found `if`\n  x = if\n"
               "      ^~\nhint: it begins a statement and has no value\n"},
    {"x + end", "t:1:5: error: expected an expression, found `end`\n"
                "  x + end\n      ^~~\n"
                "hint: `end` is a value inside A[...] only\n"},
    {"begin\n:vars\nend", "t:2:1: error: a command cannot stand inside a "
                          "block\n  :vars\n  ^~~~~\n"
                          "hint: the `begin` at 1:1 is open\n"},
    {"(x, 1) -> x", "t:1:3: error: expected `)`, found `,`\n  (x, 1) -> x\n"
                    "    ^\nhint: an array is [a, b], a function of two is "
                    "(x, y) -> e, several results are `return a, b`\n"},
    {"(x + 1) -> x", "t:1:9: error: expected an operator, `;` or a new line, "
                     "found `->`\n  (x + 1) -> x\n          ^~\nhint: the left "
                     "of `->` is names only: x -> e or (x, y) -> e\n"},
    {"import x", "t:1:8: error: expected the file as a string, found `x`\n"
                 "  import x\n         ^\nhint: import \"file.fs\"\n"},
    {"scalar a = 3", "t:1:10: error: a declaration gives no value\n"
                     "  scalar a = 3\n           ^\nhint: declare the name, "
                     "then assign in a statement of its own\n"},
    {"function f(x) = 3", "t:1:15: error: expected the body of the function, "
                          "found `=`\n  function f(x) = 3\n                ^\n"
                          "hint: the short form has no `function`: f(x) = "
                          "x^2\n"},
    {"if x then", "t:1:6: error: expected `;` or a new line after the head of "
                  "`if`, found `then`\n  if x then\n       ^~~~\n"
                  "hint: no word is needed here, only a new line or `;`\n"},
    /* the first error is told, also when a bad character follows */
    {"x = ) @", "t:1:5: error: `)` closes nothing: no bracket is open\n"
                "  x = ) @\n      ^\n"},
    {"x = 1 @ )", "t:1:7: error: `@` is not part of the language\n"
                  "  x = 1 @ )\n        ^\n"
                  "hint: a product is A*x, a function x -> x^2\n"},
    /* texts that nothing can follow */
    {"x\nwhile y\n z\n",
     "t:2:1: error: this `while` has no `end`\n  while y\n  ^~~~~\nhint: the "
     "block begins here, and the text ends in line 4\n", AT_END},
    {"x = f(1,\n2\n", "t:1:6: error: this `(` is never closed\n  x = f(1,\n"
                      "       ^\nhint: the text ends before it is closed\n",
     AT_END},
    {"x = 1 +\n", "t:1:8: error: expected an expression, found the end of the "
                  "text\n  x = 1 +\n         ^\n", AT_END},
    {"if a\n 1\nelse if b\n 2\nend\n",
     "t:1:1: error: this `if` has no `end`\n  if a\n  ^~\nhint: `else if` opens a "
     "second block with an `end` of its own; a further case is `elseif`\n", AT_END},
    {"if a\n 1\nelse if b\n 2\n",
     "t:3:6: error: this `if` has no `end`\n  else if b\n       ^~\nhint: "
     "`else if` opens a second block with an `end` of its own; a further case "
     "is `elseif`\n", AT_END},
};

static void test_errors(void) {
  struct fs_str out = {0};
  for (size_t i = 0; i < FS_LEN(errors); i++) {
    parse_to(errors[i].text, strlen(errors[i].text), errors[i].final, &out);
    check_text(errors[i].text, fs_str_text(&out), errors[i].picture);
  }
  parse_to("a\0b", 3, false, &out);
  check_text("NUL", fs_str_text(&out),
             "t:1:2: error: the text holds a NUL byte\n  a\\x00b\n   ^~~~\n");
  parse_to("\"a\0b\"", 5, false, &out);
  check_text("NUL in a string", fs_str_text(&out),
             "t:1:3: error: the text holds a NUL byte\n  \"a\\x00b\"\n"
             "    ^~~~\n");
  fs_str_free(&out);
}

/* -- limits ---------------------------------------------------------------- */

static void put_times(struct fs_str *s, const char *text, int times) {
  size_t len = strlen(text);
  for (int i = 0; i < times; i++) fs_str_put(s, text, len);
}

/* before * n, middle, after * n */
static const char *nested(struct fs_str *s, const char *before,
                          const char *middle, const char *after, int n) {
  fs_str_clear(s);
  put_times(s, before, n);
  fs_str_puts(s, middle);
  put_times(s, after, n);
  return fs_str_text(s);
}

static void check_limit(const char *what, const struct fs_str *text,
                        bool good, const char *message) {
  struct fs_str out = {0};
  enum fs_status status = parse_to(text->data, text->len, false, &out);
  check_text(what, status_words[status], good ? "ok" : "user");
  if (!good)
    check(strstr(fs_str_text(&out), message) != NULL, what, fs_str_text(&out),
          message);
  fs_str_free(&out);
}

static const struct {
  const char *before, *middle, *after;
  int levels; /* of nesting per repetition */
  bool inner; /* one more level inside each */
} nestings[] = {
    {"(", "1", ")", 1},
    {"[", "1", "]", 1},
    {"f(", "1", ")", 1},
    {"A[", "1", "]", 1},
    {"- ", "1", "", 1},
    {"!", "1", "", 1},
    {"2^", "1", "", 1},
    {"x -> ", "1", "", 1},
    {"begin ", "1", " end", 1},
    {"if a; ", "1", " end", 1},
    {"while a\n", "1", "\nend", 1},
    {"for k = 1:2; ", "1", " end", 1},
    {"function f() ", "1", " end", 1, true},
    {"-(", "1", ")", 2},
    {"begin x = (1); ", "1", " end", 1, true},
    {"(() -> ", "1", ")", 2, true},
};

static void test_nesting(void) {
  struct fs_str text = {0};
  const char *message = "nested more than 256 deep";
  for (size_t i = 0; i < FS_LEN(nestings); i++) {
    const char *before = nestings[i].before, *after = nestings[i].after;
    const char *middle = nestings[i].middle;
    int most = FS_MAX_NESTING / nestings[i].levels;
    if (nestings[i].inner) most--;
    nested(&text, before, middle, after, most - 1);
    check_limit(before, &text, true, "");
    nested(&text, before, middle, after, most);
    check_limit(before, &text, true, "");
    nested(&text, before, middle, after, most + 1);
    check_limit(before, &text, false, message);
    nested(&text, before, middle, after, 10000);
    check_limit(before, &text, false, message);
    nested(&text, before, "", "", 10000);
    check_limit(before, &text, false, message);
  }
  fs_str_free(&text);
}

static void test_elseif_chain(void) {
  struct fs_str text = {0};
  int counts[] = {FS_MAX_NESTING - 2, FS_MAX_NESTING - 1, FS_MAX_NESTING,
                  10000};
  for (size_t i = 0; i < FS_LEN(counts); i++) {
    fs_str_clear(&text);
    fs_str_puts(&text, "if a\n");
    put_times(&text, "elseif b\n", counts[i]);
    fs_str_puts(&text, "end");
    check_limit("elseif", &text, counts[i] < FS_MAX_NESTING, "256 deep");
  }
  fs_str_free(&text);
}

/* Trees that grow on the left without any bracket. */
static void test_heights(void) {
  struct fs_str text = {0};
  const char *tails[] = {"'", "[1]", "(1)"};
  for (size_t i = 0; i < FS_LEN(tails); i++)
    for (int n = FS_MAX_HEIGHT - 2; n <= FS_MAX_HEIGHT; n++) {
      fs_str_clear(&text);
      fs_str_puts(&text, "A");
      put_times(&text, tails[i], n);
      check_limit(tails[i], &text, n < FS_MAX_HEIGHT, "1024 deep");
    }
  fs_str_clear(&text);
  put_times(&text, "1+", 100000);
  fs_str_puts(&text, "1");
  check_limit("100,000 terms", &text, true, "");
  fs_str_clear(&text);
  put_times(&text, "a*b'-", 100000);
  fs_str_puts(&text, "1");
  check_limit("100,000 products", &text, true, "");
  fs_str_free(&text);
}

static void test_sizes(void) {
  struct fs_str text = {0};
  for (int n = -1; n <= 1; n++) {
    bool good = n <= 0;
    nested(&text, "a", "", "", FS_MAX_NAME + n);
    check_limit("name", &text, good, "a name of 256 bytes; the limit is 255");
    nested(&text, "0", "1", "", FS_MAX_NUMBER - 1 + n);
    check_limit("number", &text, good, "401 characters; the limit is 400");
    nested(&text, ";", "", "", FS_MAX_TOKENS - 2 + n);
    check_limit("tokens", &text, good, "more than 1048576 words and signs");
    nested(&text, " ", "", "", FS_MAX_SOURCE + n);
    check_limit("bytes", &text, good, "the limit is 16777216");
    fs_str_clear(&text);
    fs_str_puts(&text, "input x");
    for (int i = 1; i < FS_MAX_NAMES + n; i++)
      fs_str_printf(&text, ", x%d", i);
    check_limit("names", &text, good, "more than 1000 names");
  }
  nested(&text, "1", "", "", 310);
  check_limit("310 digits", &text, false, "too large for 64 bits");
  nested(&text, "0x", "ffffffffffffffff", "", 1);
  check_limit("64 bits", &text, true, "");
  nested(&text, "0x", "10000000000000000", "", 1);
  check_limit("65 bits", &text, false, "more than 64 bits");
  fs_str_free(&text);
}

/* -- element files --------------------------------------------------------- */

static const char *const gemv_elem =
    "# remark\n"
    "function gemv\n"
    "alias    sgemv, Sgemv\n"
    "doc      q = A*p: the dot product of every row of A with p\n"
    "args     A:tile, p:col\n"
    "result   row\n"
    "higher   map(i, reduce(+, j, A[i,j]*p[j]))\n"
    "nesting  2\n"
    "define   A*p\n"
    "flops    2\n"
    "threads  32x8      threads of one instance\n"
    "compute block cuda impl 2 {\n"
    "  if (x) {\n"
    "  }\n"
    "}\n"
    "load A thread c {\n"
    "}\n";

static void test_elem_file(void) {
  struct fs_diags diags;
  fs_diags_init(&diags);
  struct fs_arena *arena = fs_arena_new();
  struct fs_elem *e = NULL;
  uint32_t source = fs_source_add(&diags, "gemv.elem", gemv_elem,
                                  strlen(gemv_elem));
  enum fs_status status = fs_elem_parse(&diags, arena, source, &e);
  check_text("gemv.elem", status_words[status], "ok");
  if (status == FS_OK) {
    check_text("name", e->name, "gemv");
    check_int("aliases", e->aliases.len, 2);
    check_text("alias", e->aliases.data[1], "Sgemv");
    check_int("params", e->params.len, 2);
    check_text("param", e->params.data[1].name, "p");
    check_text("type", e->params.data[1].type, "col");
    check_text("result", e->result, "row");
    check_text("higher", e->higher, "map(i, reduce(+, j, A[i,j]*p[j]))");
    check_text("threads", e->threads, "32x8");
    check_int("nesting", e->nesting, 2);
    check_int("flops", e->flops, 2);
    check_int("define", e->define->kind, FS_EX_BINARY);
    check_int("define at", (long)e->define->span.begin,
              (long)(strstr(gemv_elem, "A*p\nflops") - gemv_elem));
    check_int("routines", e->routines.len, 2);
    check_text("text", e->routines.data[0].text, "  if (x) {\n  }\n");
    check_int("impl", e->routines.data[0].impl, 2);
    check_text("target", e->routines.data[1].target, "c");
    check_int("impl", e->routines.data[1].impl, 1);
  }
  fs_arena_free(arena);
  fs_diags_free(&diags);
}

/* Each text stands before four good lines that complete the file. */
static const struct {
  const char *text, *picture;
} elem_errors[] = {
    {"functoin gemv\n",
     "t:1:1: error: unknown key `functoin`\n  functoin gemv\n  ^~~~~~~~\n"
     "hint: did you mean `function`?\n"},
    {"args A:tiel\n", "t:1:8: error: `tiel` is not an element type\n"
                      "  args A:tiel\n         ^~~~\n"
                      "hint: did you mean `tile`?\n"},
    {"args A\n", "t:1:6: error: `A` has no element type\n  args A\n       ^\n"
                 "hint: example: args x:each, A:3x3\n"},
    {"args A:row, A:row\n", "t:1:13: error: `A` stands twice in this list\n"
                            "  args A:row, A:row\n              ^\n"},
    {"result column\n", "t:1:8: error: `column` is not an element type\n"
                        "  result column\n         ^~~~~~\n"
                        "hint: `each`, `scalar`, or the extents of a small "
                        "element, as 3 or 3x3\n"},
    {"define A*\n", "t:1:10: error: expected an expression, found the end of "
                    "the text\n  define A*\n           ^\n"},
    {"define f(x\n", "t:1:9: error: this `(` is never closed\n  define f(x\n"
                     "          ^\nhint: the text ends before it is closed\n"},
    {"define A B\n", "t:1:10: error: expected an operator or the end, found "
                     "`B`\n  define A B\n           ^\n"},
    {"flops many\n", "t:1:7: error: expected a number from 0 to 1000000, "
                     "found `many`\n  flops many\n        ^~~~\n"},
    {"flops 1\nflops 2\n", "t:2:1: error: `flops` was given before\n"
                           "  flops 2\n  ^~~~~\n"},
    {"threads 64x32\n", "t:1:9: error: 64 x 32 threads\n  threads 64x32\n"
                        "          ^~~~~\nhint: a block has 1 to 1024 "
                        "threads\n"},
    {"compute blok cuda {\n}\n", "t:1:9: error: `blok` is not a level\n"
                                 "  compute blok cuda {\n          ^~~~\n"
                                 "hint: did you mean `block`?\n"},
    {"compute block cuda\n", "t:1:1: error: the head of a routine ends with "
                             "`{`\n  compute block cuda\n"
                             "  ^~~~~~~~~~~~~~~~~~\n"
                             "hint: compute block cuda impl 1 {\n"},
    {"load A thread c {\n x\n }\n",
     "t:1:1: error: this routine has no closing `}`\n  load A thread c {\n"
     "  ^~~~~~~~~~~~~~~~~\nhint: the text of a routine ends with a line that is "
     "`}` alone\n"},
    {"load block c {\n}\n",
     "t:1:1: error: a load says which argument it brings in\n  load block c {\n"
     "  ^~~~~~~~~~~~\nhint: load A block any {\n"},
    {"load A block c as x {\n}\n",
     "t:1:19: error: on chip an element has the extents of a vector or a matrix\n"
     "  load A block c as x {\n                    ^\nhint: example: as 6, as "
     "3x4\n"},
    {"compute block c as 6 {\n}\n",
     "t:1:17: error: only a load or a store says what an element is on chip\n"
     "  compute block c as 6 {\n                  ^~\nhint: load A block any as "
     "6 {\n"},
    {"flops\n", "t:1:1: error: `flops` has no value\n  flops\n  ^~~~~\n"},
    {"alias end\n", "t:1:7: error: expected a name, found `end`\n  alias end\n"
                    "        ^~~\n"},
    {"\x80\n", "t:1:1: error: this byte is not valid UTF-8\n  \\x80\n"
               "  ^~~~\n"},
};

static void elem_error(const char *what, const char *text, size_t len,
                       const char *wanted) {
  struct fs_diags diags;
  fs_diags_init(&diags);
  struct fs_arena *arena = fs_arena_new();
  struct fs_elem *e = NULL;
  struct fs_str out = {0};
  uint32_t source = fs_source_add(&diags, "t", text, len);
  enum fs_status status = fs_elem_parse(&diags, arena, source, &e);
  for (int i = 0; i < diags.list.len; i++)
    fs_diag_render(&diags, &diags.list.data[i], &out);
  if (wanted) check_text(what, fs_str_text(&out), wanted);
  if ((status == FS_OK) != (diags.list.len == 0))
    check_text(what, fs_str_text(&out), status_words[status]);
  fs_str_free(&out);
  fs_arena_free(arena);
  fs_diags_free(&diags);
}

static void test_elem_errors(void) {
  static const char rest[] =
      "doc d\nargs x:row\nresult row\ndefine x\nfunction f\n";
  struct fs_str text = {0};
  for (size_t i = 0; i < FS_LEN(elem_errors); i++) {
    fs_str_clear(&text);
    fs_str_puts(&text, elem_errors[i].text);
    bool open = strstr(text.data, "{\n x") != NULL;
    if (!open) fs_str_puts(&text, rest);
    elem_error(elem_errors[i].text, text.data, text.len,
               elem_errors[i].picture);
  }
  elem_error("empty", "\n", 1,
             "t:1:1: error: the file has no `function` line\n  \n  ^\n");
  elem_error("good", rest, strlen(rest), "");
  fs_str_free(&text);
}

/* -- smoke ----------------------------------------------------------------- */

static uint64_t random_state = 0x9e3779b97f4a7c15u;
static uint32_t random_below(uint32_t n) {
  random_state ^= random_state << 13;
  random_state ^= random_state >> 7;
  random_state ^= random_state << 17;
  return (uint32_t)(random_state >> 33) % n;
}

static const char *const pieces[] = {
    "if ", "elseif ", "else ", "try ", "catch ", "catch e ", "end ", "while ", "for ", "k = 1:3 ", "begin ",
    "function ", "f(x) ", "return ", "break ", "continue ", "barrier ",
    "import ", "true ", "input ", "TILE32x32 ", "(", ")", "[", "]", "->", "=",
    "+=", "==", "<", "||", "&&", ":", ",", ";", "\n", "+", "-", "*", "\\", ".*",
    "./", "^", ".^", "!", "'", "\"a\"", "\"", "1", "1.5e3", "0x1f", "x", "A",
    "end", " ", "#", "//", "\\u{", "\xc3\xa9", "\xe2\x80\xae", "\xff", "@",
    "\n:vars", "\n?x", "..", "in ", "1e999 ",
};

/* Random pieces, or a known text with a few bytes changed. */
static void make_input(struct fs_str *s, const char *const *seeds,
                       size_t n_seeds) {
  fs_str_clear(s);
  fs_str_puts(s, "");
  if (random_below(2)) {
    for (uint32_t n = random_below(24); n; n--)
      fs_str_puts(s, pieces[random_below(FS_LEN(pieces))]);
  } else {
    fs_str_puts(s, seeds[random_below((uint32_t)n_seeds)]);
  }
  for (uint32_t n = random_below(4); n && s->len; n--) {
    uint32_t at = random_below((uint32_t)s->len);
    switch (random_below(3)) {
      case 0: s->data[at] = (char)random_below(256); break;
      case 1: s->len = at; s->data[at] = '\0'; break;
      default: fs_str_puts(s, pieces[random_below(FS_LEN(pieces))]);
    }
  }
}

static void test_smoke(int rounds) {
  const char *seeds[FS_LEN(trees) + FS_LEN(errors)];
  size_t n = 0;
  for (size_t i = 0; i < FS_LEN(trees); i++) seeds[n++] = trees[i].text;
  for (size_t i = 0; i < FS_LEN(errors); i++) seeds[n++] = errors[i].text;
  struct fs_str text = {0}, out = {0}, safe = {0};
  int seen[FS_INTERRUPTED + 1] = {0}, wrong = 0;
  for (int i = 0; i < rounds; i++) {
    make_input(&text, seeds, n);
    enum fs_status status = parse_to(text.data, text.len, i & 1, &out);
    seen[status]++;
    fs_str_clear(&safe);
    fs_str_put_safe(&safe, fs_str_text(&out), out.len);
    bool bad = strcmp(fs_str_text(&safe), fs_str_text(&out)) != 0 ||
               strstr(fs_str_text(&out), "disagree") ||
               (status == FS_INCOMPLETE && (i & 1));
    if (bad && wrong++ == 0)
      check(false, text.data, fs_str_text(&out), "clean output");
    if (i % 8 == 0) fs_parse_indent(text.data, text.len);
    if (i % 16 == 0) elem_error("smoke", text.data, text.len, NULL);
  }
  check_int("smoke: outputs that are not clean", wrong, 0);
  check(seen[FS_OK] && seen[FS_INCOMPLETE] && seen[FS_ERR_USER], "smoke",
        "one kind of result is missing", "all three kinds");
  fs_str_free(&text);
  fs_str_free(&out);
  fs_str_free(&safe);
}

static void test_elem_smoke(int rounds) {
  struct fs_str text = {0};
  for (int i = 0; i < rounds; i++) {
    make_input(&text, &gemv_elem, 1);
    elem_error("elem smoke", text.data, text.len, NULL);
  }
  fs_str_free(&text);
}

/* -- base ------------------------------------------------------------------ */

static void test_strings(void) {
  struct fs_str s = {0};
  check_text("nothing put", fs_str_text(&s), "");
  const char *raw = "a\x1b[31m\tb\n\x7f\xc2\x85\xe2\x80\xae\xff\xe6\xbc\xa2";
  fs_str_put_safe(&s, raw, strlen(raw));
  check_text("safe", s.data, "a\\x1b[31m\tb\n\\x7f\\u{85}\\u{202e}\\xff"
                             "\xe6\xbc\xa2");
  fs_str_free(&s);
  static const struct {
    double bytes;
    const char *text;
  } sizes[] = {{0, "0 B"},          {12, "12 B"},       {1023, "1023 B"},
               {1024, "1.00 KiB"},  {65536, "64.0 KiB"}, {1 << 30, "1.00 GiB"},
               {1048575, "1.00 MiB"}, {512.0 * 1048576, "512 MiB"}};
  for (size_t i = 0; i < FS_LEN(sizes); i++) {
    fs_str_clear(&s);
    fs_str_put_bytes(&s, sizes[i].bytes);
    check_text("bytes", s.data, sizes[i].text);
  }
  static const struct {
    double seconds;
    const char *text;
  } times[] = {{0.252e-3, "0.252 ms"}, {1.2344, "1.234 s"},
               {3.4e-6, "3.4 \xc2\xb5s"}, {0.99999, "1.000 s"},
               {12.345e-3, "12.35 ms"}, {0, "0.0 \xc2\xb5s"}};
  for (size_t i = 0; i < FS_LEN(times); i++) {
    fs_str_clear(&s);
    fs_str_put_seconds(&s, times[i].seconds);
    check_text("seconds", s.data, times[i].text);
  }
  fs_str_free(&s);
}

static void test_utf8(void) {
  static const struct {
    const char *text;
    int length, width;
  } cases[] = {{"a", 1, 1},           {"\xc3\xa9", 2, 1},
               {"\xe6\xbc\xa2", 3, 2}, {"\xf0\x9f\x98\x80", 4, 2},
               {"\xcc\x81", 2, 0},    {"\xc0\x80", 0, 2},
               {"\xed\xa0\x80", 0, 3}, {"\xf4\x90\x80\x80", 0, 4},
               {"\xc3", 0, 1}};
  for (size_t i = 0; i < FS_LEN(cases); i++) {
    uint32_t c = 0;
    size_t len = strlen(cases[i].text);
    check_int("decode", fs_utf8_decode(cases[i].text, len, &c),
              cases[i].length);
    check_int("width", fs_utf8_width(cases[i].text, len), cases[i].width);
  }
}

static void test_arena(void) {
  struct fs_arena *arena = fs_arena_new();
  bool clean = true;
  for (int round = 0; round < 3; round++) {
    for (size_t i = 0; i < 3000; i++) {
      char *p = fs_arena_alloc(arena, i * 7 % 5000);
      clean &= (uintptr_t)p % 16 == 0;
      for (size_t k = 0; k < i * 7 % 5000; k++) clean &= p[k] == 0;
      memset(p, 0x55, i * 7 % 5000);
    }
    fs_arena_reset(arena);
  }
  check_int("arena memory is zero and aligned", clean, true);
  check_text("arena printf", fs_arena_printf(arena, "%d-%s", 4, "x"), "4-x");
  fs_arena_free(arena);
}

static const char *const known[] = {"and", "sgemv", "sgemtv", "transpose", "sum", "rand",
                                    "alpha", "x", "sqrtm", "sqrt", "all", NULL};
static const char *next_known(void *user) {
  int *i = user;
  return known[*i] ? known[(*i)++] : NULL;
}

static void test_near_miss(void) {
  static const char *const cases[][2] = {
      {"sgmev", "sgemv"}, {"sgemvt", "sgemv"}, {"tranpose", "transpose"},
      {"X", "x"},         {"y", "-"},          {"sun", "sum"},
      {"alhpa", "alpha"}, {"zzz", "-"},        {"", "-"},
      {"rnd", "rand"},    {"adn", "and"},      {"sqrtt", "sqrt"},
      {"al", "all"}};
  for (size_t i = 0; i < FS_LEN(cases); i++) {
    int at = 0;
    const char *near = fs_near_miss(cases[i][0], next_known, &at);
    check_text(cases[i][0], near ? near : "-", cases[i][1]);
  }
}

static void test_misc(void) {
  check_int("mul", (long)fs_mul_size(3, 4), 12);
  check_int("mul overflow", (long)fs_mul_size(INT64_MAX, 2), -1);
  check_int("mul negative", (long)fs_mul_size(-1, 2), -1);
  uint64_t h = fs_hash("abcdefgh\0", 9, 0);
  check_int("hash depends on the seed", fs_hash("abcdefgh\0", 9, 1) == h, 0);
  check_int("hash depends on the length", fs_hash("abcdefgh", 8, 0) == h, 0);
  check_int("hash depends on the text", fs_hash("abcdefgh\1", 9, 0) == h, 0);
  fs_interrupt_request();
  check_int("interrupt", fs_interrupted(), true);
  fs_interrupt_clear();
  check_int("interrupt", fs_interrupted(), false);
  double t = fs_now();
  check_int("clock", fs_now() >= t, true);
  jmp_buf here, *old = NULL;
  volatile int caught = 0;
  if (setjmp(here) == 0) {
    old = fs_oom_guard(&here);
    volatile size_t too_much = SIZE_MAX / 4;
    free(fs_malloc(too_much));
  } else {
    caught = 1;
  }
  fs_oom_guard(old);
  check_int("out of memory jumps", caught, 1);
}

static void test_long_line(void) {
  struct fs_diags diags;
  fs_diags_init(&diags);
  struct fs_str text = {0}, out = {0};
  put_times(&text, "x", 300);
  uint32_t source = fs_source_add(&diags, "t", text.data, text.len);
  fs_error(&diags, (struct fs_span){source, 150, 152}, "id", NULL, "here");
  fs_error(&diags, (struct fs_span){source, 0, 300}, "id", NULL, "all");
  fs_diag_render(&diags, &diags.list.data[0], &out);
  fs_diag_render(&diags, &diags.list.data[1], &out);
  size_t longest = 0, at = 0;
  for (size_t i = 0; i <= out.len; i++)
    if (i == out.len || out.data[i] == '\n') {
      longest = FS_MAX(longest, i - at);
      at = i + 1;
    }
  check(longest <= 110, "width of pictures", fs_str_text(&out), "<= 110");
  check(strstr(out.data, "...xxxx") && strstr(out.data, "xxxx...\n"),
        "both sides are cut", fs_str_text(&out), "...xxx...");
  fs_str_free(&text);
  fs_str_free(&out);
  fs_diags_free(&diags);
}

/* Places of a long text are looked for from a mark nearby, and are those of a text that ends
 * there: a line of tabs, wide signs and bytes that are none, and short lines behind it. */
static void test_positions(void) {
  static const char *const PIECES[] = {"v = x*2; ", "\t", "α = β; ", "漢字; ", "\xff", "w; "};
  struct fs_diags diags;
  fs_diags_init(&diags);
  struct fs_str text = {0};
  for (int k = 0; k < 1500; k++) {
    fs_str_puts(&text, PIECES[k % 5 ? k % 6 : 0]);
    if (k > 1000 && k % 9 == 0) fs_str_puts(&text, k % 2 ? "\r\n" : "\n");
  }
  uint32_t source = fs_source_add(&diags, "t", text.data, text.len);
  int wrong = 0, apart = 0;
  for (uint32_t at = 0; at <= text.len; at += 13) {
    uint32_t begin = 0;
    int line, column, wanted_line = 1, other, wanted;
    for (uint32_t k = 0; k < at; k++)
      if (text.data[k] == '\n') begin = k + 1, wanted_line++;
    size_t rest = strcspn(text.data + begin, "\n");
    uint32_t part = fs_source_add(&diags, "p", text.data + begin, FS_MIN(rest, 500));
    bool whole = at - begin <= 400;
    fs_span_position(&diags, (struct fs_span){source, at, at}, &line, &column);
    fs_span_position(&diags, (struct fs_span){part, at - begin, at - begin}, &other, &wanted);
    wrong += line != wanted_line || (whole && column != wanted);
  }
  const struct fs_source *s = fs_source_get(&diags, source);
  for (int k = 1; k < s->marks.len; k++)
    apart = FS_MAX(apart, (int)(s->marks.data[k].at - s->marks.data[k - 1].at));
  check_int("wrong places", wrong, 0);
  check(s->marks.len > 5 && apart <= FS_MARKED + 8, "a mark is near", "", "");
  fs_str_free(&text);
  fs_diags_free(&diags);
}

/* -- main ------------------------------------------------------------------ */

/* Reads an element file; the tree of its `define` is what is printed. */
static enum fs_status elem_to(const struct fs_str *text, struct fs_str *out) {
  struct fs_diags diags;
  fs_diags_init(&diags);
  struct fs_arena *arena = fs_arena_new();
  struct fs_elem *e = NULL;
  uint32_t source = fs_source_add(&diags, "t", fs_str_text(text), text->len);
  enum fs_status status = fs_elem_parse(&diags, arena, source, &e);
  if (e) {
    struct fs_stmt s = {.kind = FS_ST_EXPR, .expr = e->define};
    fs_ast_dump(&s, out);
  }
  for (int i = 0; i < diags.list.len; i++)
    fs_diag_render(&diags, &diags.list.data[i], out);
  fs_arena_free(arena);
  fs_diags_free(&diags);
  return status;
}

static int show_file(const char *name) {
  struct fs_str text = {0}, out = {0};
  const char *dot = strrchr(name, '.');
  FILE *f = fopen(name, "rb");
  if (!f) return 2;
  char buffer[4096];
  for (size_t n; (n = fread(buffer, 1, sizeof buffer, f));)
    fs_str_put(&text, buffer, n);
  fclose(f);
  enum fs_status status =
      dot && strcmp(dot, ".elem") == 0
          ? elem_to(&text, &out)
          : parse_to(fs_str_text(&text), text.len, true, &out);
  fputs(fs_str_text(&out), stdout);
  fs_str_free(&text);
  fs_str_free(&out);
  return status != FS_OK;
}

int main(int argc, char **argv) {
  if (argc > 1) return show_file(argv[1]);
  test_strings();
  test_utf8();
  test_arena();
  test_near_miss();
  test_misc();
  test_long_line();
  test_positions();
  test_trees();
  test_dump_layout();
  test_statuses();
  test_errors();
  test_nesting();
  test_elseif_chain();
  test_heights();
  test_sizes();
  test_elem_file();
  test_elem_errors();
  test_smoke(100000);
  test_elem_smoke(5000);
  printf("%d passed, %d failed\n", n_passed, n_failed);
  return n_failed != 0;
}
