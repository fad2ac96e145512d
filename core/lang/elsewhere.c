/* elsewhere.c - words of other languages, and what does their work here. The nearest
 * name would be another thing: sqrt for sort, mean for median. */
#include <ctype.h>

#include "core/base/diag.h"
#include "core/lang/parse.h"

/* Words that need the same hint stand in one string, with a blank around each. */
static const struct { const char *words, *hint; } elsewhere[] = {
    /* statements and declarations */
    {" elif elsif ", "did you mean `elseif`?"},
    {" def fn fun func lambda ", "a function is x -> x^2, f(x) = x^2, or function f(x) ... end"},
    {" let var const local ", "assignment needs no word before it: x = 1"},
    {" double float ",
     "f64(x) or f32(x) converts; an assignment needs no word before it: x = 1"},
    {" int ", "i32(x) converts; an assignment needs no word before it: x = 1"},
    {" global nonlocal persistent ",
     "a function reads the variables around it, and gives results by return"},
    {" do foreach repeat until loop ",
     "a loop is while ... end or for k = 1:n ... end"},
    {" endif endwhile endfor endfunction ", "blocks close with `end`"},
    {" switch case match ", "a choice is if ... elseif ... else ... end"},
    {" nargin varargin nargs kwargs args inputParser ",
     "parameters may have default values: f(x, k = 1) = ..."},
    {" unless ", "a choice is if !condition ... end"},
    {" except finally ", "a mistake is caught by try ... catch e ... end"},
    {" raise throw rethrow ", "error(\"message\") stops; of what was caught, error(e)"},
    {" pass ", "a block may be empty"},
    {" using include source run ", "a file is read by import \"file.fs\""},
    {" from require ", "there is nothing to import: :help lists what there is"},
    {" np numpy math Math torch cp cupy jnp jax tf scipy plt pd LinearAlgebra ",
     "functions stand alone: sqrt(x), not np.sqrt(x)"},
    /* sessions */
    {" clear clearvars del ", "`:reset -f` removes all variables"},
    {" ans ", "at the prompt it is the value that was shown last without a name: none was"},
    {" clc cls ", "`:clear` clears the screen"},
    {" help doc man ", "`?name` on a line of its own explains a name, `:help` the rest"},
    {" tic toc clock cputime ",
     "t = time() before and time() - t behind; `:time on` shows times"},
    {" rng srand ", "seed(k) restarts the random numbers"},
    /* text */
    {" disp display println puts echo cout printf fprintf ",
     "print(\"n = \", n) writes values on a line, print(format(\"%.3f\", x)) as C does"},
    {" sprintf ", "format(\"%.3f\", x) puts values into a text"},
    {" num2str mat2str str repr ",
     "string(x) is x as text, \"n = \" + n joins them; print shows `:set digits` "
     "digits"},
    {" strrep gsub regexprep ", "replace(text, old, new)"},
    {" strcmp strcmpi ", "texts are compared by == and <"},
    {" strfind strpos indexOf ", "find(text, x) has the first place, or 0"},
    {" strtrim trim lstrip rstrip ", "strip(text)"},
    {" toupper uppercase ", "upper(text)"},
    {" tolower lowercase ", "lower(text)"},
    {" startsWith starts_with ", "startswith(text, x)"},
    {" endsWith ends_with ", "endswith(text, x)"},
    {" strcat ", "texts are joined by +"},
    {" strlen ", "length(text)"},
    {" str2num str2double ", "number(\"2.5\") reads a number"},
    /* constants and types */
    {" e ", "Euler's number is exp(1)"},
    {" Pi PI \xcf\x80 ", "did you mean 'pi'?"},
    {" TRUE ", "did you mean 'true'?"},
    {" FALSE ", "did you mean 'false'?"},
    {" real creal ", "re(z) is the real part; isreal(x) tells real values from complex ones"},
    {" imag cimag ", "im(z) is the imaginary part"},
    {" angle phase atan2d ", "arg(z) is the angle of z"},
    {" iscomplex iscomplexobj ", "!isreal(x)"},
    {" complex64 ComplexF32 ", "c64(x) has two parts in single precision"},
    {" complex128 ComplexF64 cdouble ", "c128(x) has two parts in double precision"},
    {" j im_ ", "the imaginary unit is 1i"},
    {" ctranspose adjoint ", "A' is the conjugate transpose, A.' the transpose"},
    {" float64 Float64 ", "f64(x) has double precision"},
    {" single float32 Float32 ", "f32(x) has single precision"},
    {" half float16 Float16 ", "f16(x) has half precision"},
    {" int32 Int32 ", "i32(x) has whole numbers"},
    {" int64 Int64 Int ", "i64(x) has whole numbers"},
    {" logical Bool ", "bool(x) has truth values"},
    {" uint8 UInt8 byte char ", "u8(x) has whole numbers from 0 to 255"},
    {" int8 int16 uint16 uint32 uint64 Int8 Int16 UInt16 UInt32 UInt64 ",
     "types are bool u8 i8 u16 i16 i32 u32 i64 u64 f16 bf16 f32 f64 c64 c128"},
    {" class typeof type ", "dtype(x)"},
    {" bitshift ", "shl(x, n) and shr(x, n)"},
    {" bitcmp ", "bitnot(x)"},
    {" floordiv floor_divide ", "idiv(x, y) of integers, floor(x/y) of floats"},
    {" xor ", "one of two conditions is bool(a) != bool(b)"},
    {" None nil NULL NA nothing missing ", "there is no empty value; NaN is a number that is none"},
    /* making arrays */
    {" arange range ", "a range is first:last or first:step:last, with both ends"},
    {" array Array Vector Matrix list ", "an array is [1, 2; 3, 4], of a range f32(1:n)"},
    {" collect ", "f32(1:n) is an array of the range"},
    {" empty full ", "zeros(m, n), or fill(value, m, n)"},
    {" identity ", "eye(n)"},
    {" newaxis expand_dims unsqueeze ",
     "reshape(x, 1, n) is a row; a column beside a row makes a matrix"},
    {" rot90 ", "flipud(A') turns A to the left, flipud(A)' to the right"},
    {" ndgrid ",
     "a column beside a row makes a matrix: x.^2 + (y.^2)' has x down and y across"},
    {" randint ", "randi([l, n], m) has m whole numbers from l to n"},
    {" tile ", "repmat(A, m, n); a row or column beside a matrix repeats by itself"},
    {" cat concat concatenate stack append push hstack vstack horzcat vertcat hcat vcat ",
     "[A, B] puts values side by side, [A; B] below each other"},
    /* shapes */
    {" len ", "length(x) or size(A)"},
    {" shape ", "size(A)"},
    {" nrow rows ", "size(A, 1)"},
    {" ncol columns ", "size(A, 2)"},
    {" ravel flatten ", "vec(x)"},
    {" permutedims swapaxes moveaxis ", "permute(A, [2, 1, 3]) has the second dimension first"},
    {" isequal array_equal ", "all(x == y)"},
    {" allclose isapprox ", "max(abs(x - y)) < 1e-6"},
    {" nanmean nansum nanmax ", "x[x == x] leaves NaN out"},
    {" roll shift ",
     "circshift(x, k) moves the elements of a vector, circshift(A, [k, l]) those of a matrix"},
    {" sortperm ", "argsort(x)"},
    {" mode hess ", NULL},
    {" tabulate ", "bincount(k) counts how often each whole number is in k"},
    {" histc histogram ", "hist(x) draws one, histcounts(x, edges) counts"},
    {" interp ", "interp1(x, y, q)"},
    {" digitize discretize ", "searchsorted(edges, x, \"right\")"},
    {" binomial comb ", "nchoosek(n, k)"},
    {" gammaln loggamma logabsgamma ", "lgamma(x)"},
    {" nonzero argwhere flatnonzero findall ", "find(mask)"},
    {" count count_nonzero ", "sum(mask)"},
    {" ismember in1d ", "any(x == value)"},
    {" isinf ", "abs(x) == Inf"},
    /* functions */
    {" ln ", "log(x)"},
    {" clip ", "clamp(x, lo, hi)"},
    {" fmod ", "a - b.*trunc(a./b); mod(a, b) has the sign of b"},
    {" softplus ", "log1p(exp(x))"},
    {" logical_not ", "!x"},
    {" bsxfun ", "x .* y', a column beside a row, is a matrix"},
    {" einsum tensordot ", "A*B, A'*x, and sum(A .* B, 2) of elements"},
    {" cbrt ", "sign(x).*abs(x).^(1/3)"},
    {" nthroot ", "x.^(1/n)"},
    {" power ", "x.^n"},
    {" arcsin ", "asin(x)"},
    {" arccos ", "acos(x)"},
    {" arctan ", "atan(x)"},
    {" arctan2 ", "atan2(y, x)"},
    {" sec ", "1./cos(x)"},
    {" csc ", "1./sin(x)"},
    {" cot ", "1./tan(x)"},
    {" deg2rad radians ", "x*pi/180"},
    {" rad2deg degrees ", "x*180/pi"},
    {" fix ", "trunc(x)"},
    {" rem ", "a - b.*trunc(a./b); mod(a, b) has the sign of b"},
    {" idivide div floor_divide ", "floor(a./b)"},
    {" maximum fmax ", "max(x, y); max(x) of all elements"},
    {" minimum fmin ", "min(x, y); min(x) of all elements"},
    {" average ", "mean(x)"},
    {" convolve ", "conv(x, h)"},
    {" fft ", "there is none; with k = i64(0:n-1) and w = f64(mod(k.*k', n))*(2*pi/n) its real part "
            "is cos(w)*x, its imaginary part -sin(w)*x"},
    {" corrcoef ", "corr(X)"},
    {" cellfun arrayfun apply ", "map(f, x)"},
    /* linear algebra */
    {" matmul mtimes ", "A*B is the product of matrices, A.*B goes by element"},
    {" mldivide linsolve ", "A\\b"},
    {" lstsq ", "A\\b is the least squares, where A is not square"},
    {" inner vdot ", "dot(x, y)"},
    {" outer ", "x*y'"},
    /* plots and files */
    {" figure subplot hold ",
     "each plot is a picture; several curves go into one: plot(x, y, x, z)"},
    {" axis grid xlim ylim ", "plots choose their axes by themselves"},
    {" title xlabel ylabel ",
     "options of a plot are texts: plot(x, y, \"title=...\", \"xlabel=...\")"},
    {" legend ", "a text behind a curve is its name: plot(x, y, \"sine\")"},
    {" show close ", "a plot is shown at once"},
    {" semilogx ", "plot(x, y, \"log=x\")"},
    {" semilogy ", "plot(x, y, \"log=y\")"},
    {" loglog ", "plot(x, y, \"log=xy\")"},
    {" imagesc imshow spy matshow pcolor surf mesh contour contourf ", "heatmap(A)"},
    {" csvread dlmread loadtxt genfromtxt readmatrix read_csv ", "load(\"data.csv\")"},
    {" csvwrite savetxt writematrix ", "save(\"data.csv\", A)"},
};

bool fs_has_word(const char *words, const char *word) {
  size_t len = strlen(word);
  for (const char *at = words; len && (at = strstr(at, word)); at++)
    if (at[-1] == ' ' && at[len] == ' ') return true;
  return false;
}

bool fs_elsewhere(const char *word, const char **hint) {
  for (size_t k = 0; k < FS_LEN(elsewhere); k++)
    if (fs_has_word(elsewhere[k].words, word)) {
      *hint = elsewhere[k].hint;
      return true;
    }
  return false;
}

/* What other languages give further arguments to. */
static const struct { const char *name, *hint; } with_more[] = {
    {"std", "m, v = moments(A) are mean and variance of every column"},
    {"var", "m, v = moments(A) are mean and variance of every column"},
    {"log", "to another base it is log(x)/log(b)"},
    {"where", "find(mask) has the positions"},
    {"diff", "diffrows(A) and diffcols(A) are of a matrix"},
    {"flip", "flipud(A) and fliplr(A) are of a matrix"},
};

const char *fs_elsewhere_arguments(const char *name) {
  for (size_t k = 0; k < FS_LEN(with_more); k++)
    if (!strcmp(with_more[k].name, name)) return with_more[k].hint;
  return NULL;
}

/* -- what means another thing ------------------------------------------------------ */

void fs_tell_other(struct fs_diags *d, enum fs_other what, struct fs_span span) {
  switch (what) {
    case FS_OTHER_RANK:
      fs_tell_once(d, FS_NOTE, span, "other-rank",
                   "matrix_rank(A) counts the independent columns, as rank(A) of MATLAB and Julia",
                   "rank(A) is the number of dimensions, as ndims(A)");
      break;
    case FS_OTHER_EIG:
      fs_tell_once(d, FS_NOTE, span, "other-eig",
                   "d, V = eig(A), where MATLAB has [V, D]; diag(d) makes a matrix of d",
                   "eig gives the eigenvalues first, then the eigenvectors");
      break;
    case FS_OTHER_ROWS:
      fs_tell_once(d, FS_NOTE, span, "other-rows",
                   "rows are separated by semicolons, where NumPy has lists: [1, 2; 3, 4]",
                   "[1, 2] in an array is a column: side by side after commas, one below the "
                   "other after semicolons");
      break;
    case FS_OTHER_OUTER:
      fs_tell_once(d, FS_NOTE, span, "other-outer",
                   "element by element, two of a kind: A[i, :]' .* A[:, j]",
                   "a row beside a column is a matrix: each element of the one beside all of "
                   "the other");
      break;
    case FS_OTHER_FORMAT:
      fs_tell_once(d, FS_NOTE, span, "other-format",
                   "with the values in it: print(format(\"%.3f of %d\", x, n))",
                   "print shows its arguments one beside the other: a %% in a text means nothing "
                   "to it");
      break;
    case FS_OTHER_DIVISION:
      fs_tell_once(d, FS_NOTE, span, "other-division",
                   "the whole quotient, a // b of Python, is floor(a/b)",
                   "// begins a comment");
      break;
    case FS_OTHER_DIRECTIVE:
      fs_tell_once(d, FS_NOTE, span, "other-directive",
                   "N = 5 and import \"file.fs\" do what C's directives do; kernels run in "
                   "parallel without one",
                   "# begins a comment");
      break;
  }
}

static bool is_word(char c) {
  return isalnum((unsigned char)c) || c == '_' || c == '.';
}

/* Whether a line's comment, from `at` on, stands where others divide: a // 2. */
static bool would_divide(const char *line, size_t at, size_t len, size_t *from, size_t *to) {
  size_t before = at, end = len;
  while (before && strchr(" \t", line[before - 1])) before--;
  if (line[at] != '/' || !before || !(is_word(line[before - 1]) || strchr(")]'", line[before - 1])))
    return false;
  for (*from = at + 2; *from < len && strchr(" \t", line[*from]);) ++*from;
  while (end > *from && strchr(" \t\r;", line[end - 1])) end--;
  *to = end;
  for (size_t k = *from; k < end; k++)
    if (!is_word(line[k])) return false;
  return end > *from;
}

static bool is_directive(const char *line, size_t at, size_t len) {
  static const char *const words[] = {"#pragma", "#include", "#define", "#ifdef", "#ifndef"};
  for (size_t k = 0; k < at; k++)
    if (!strchr(" \t", line[k])) return false;
  for (size_t k = 0; k < FS_LEN(words); k++) {
    size_t n = strlen(words[k]);
    if (len - at > n && !memcmp(line + at, words[k], n) && strchr(" \t<", line[at + n]))
      return true;
  }
  return false;
}

bool fs_other_comment(const char *text, size_t len, enum fs_other *what,
                      struct fs_span *comment, struct fs_span *word) {
  for (size_t begin = 0, end; begin < len; begin = end + 1) {
    const char *newline = memchr(text + begin, '\n', len - begin);
    end = newline ? (size_t)(newline - text) : len;
    const char *line = text + begin;
    size_t n = end - begin, at = fs_code_length(line, n), from = 0, to = 0;
    if (at == n) continue;
    bool divides = would_divide(line, at, n, &from, &to);
    if (!divides && !is_directive(line, at, n)) continue;
    *what = divides ? FS_OTHER_DIVISION : FS_OTHER_DIRECTIVE;
    comment->begin = (uint32_t)(begin + at);
    comment->end = (uint32_t)(begin + (divides ? to : n));
    word->begin = (uint32_t)(begin + from);
    word->end = (uint32_t)(begin + to);
    return true;
  }
  return false;
}
