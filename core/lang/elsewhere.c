/* elsewhere.c - words of other languages, and what does their work here. The nearest
 * name would be another thing: sqrt for sort, mean for median. */
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
    {" try catch except ", "errors cannot be caught: a condition tells beforehand"},
    {" raise throw ", "error(\"message\") stops"},
    {" pass ", "a block may be empty"},
    {" using include source run ", "a file is read by import \"file.fs\""},
    {" from require ", "there is nothing to import: :help lists what there is"},
    /* sessions */
    {" clear clearvars del ", "`:reset -f` removes all variables"},
    {" clc cls ", "`:clear` clears the screen"},
    {" help doc man ", "`?name` on a line of its own explains a name, `:help` the rest"},
    {" tic toc clock cputime ",
     "t = time() before and time() - t behind; `:time on` shows times"},
    {" rng srand ", "seed(k) restarts the random numbers"},
    /* text */
    {" disp display println puts echo cout printf fprintf ",
     "print(\"n = \", n) writes values on a line"},
    {" sprintf num2str mat2str str repr ",
     "string(x) is x as text, \"n = \" + n joins them; print shows `:set digits` "
     "digits"},
    {" format ", "`:set digits` says how precisely numbers are shown"},
    {" str2num str2double ", "number(\"2.5\") reads a number"},
    /* constants and types */
    {" e ", "Euler's number is exp(1)"},
    {" Pi PI \xcf\x80 ", "did you mean 'pi'?"},
    {" TRUE ", "did you mean 'true'?"},
    {" FALSE ", "did you mean 'false'?"},
    {" complex im real imag conj ", "there are no complex numbers"},
    {" float64 Float64 ", "f64(x) has double precision"},
    {" single float32 Float32 ", "f32(x) has single precision"},
    {" half float16 Float16 ", "f16(x) has half precision"},
    {" int32 Int32 ", "i32(x) has whole numbers"},
    {" int64 Int64 Int ", "i64(x) has whole numbers"},
    {" logical Bool ", "bool(x) has truth values"},
    {" int8 int16 uint8 uint16 uint32 uint64 Int8 UInt8 ",
     "types are bool i32 i64 f16 bf16 f32 f64"},
    {" class typeof type ", "dtype(x)"},
    {" bitand bitor bitxor bitshift ", "there are no operations on bits"},
    {" xor ", "one of two conditions is bool(a) != bool(b)"},
    {" None nil NULL NA nothing missing ", "there is no empty value; NaN is a number that is none"},
    /* making arrays */
    {" arange range ", "a range is first:last or first:step:last, with both ends"},
    {" array Array Vector Matrix list ", "an array is [1, 2; 3, 4], of a range f32(1:n)"},
    {" collect ", "f32(1:n) is an array of the range"},
    {" empty full ", "zeros(m, n), or fill(value, m, n)"},
    {" zeros_like ", "zeros(size(x), dtype(x))"},
    {" ones_like ", "ones(size(x), dtype(x))"},
    {" identity ", "eye(n)"},
    {" ndgrid ",
     "a column beside a row makes a matrix: x.^2 + (y.^2)' has x down and y across"},
    {" randint ", "randi([l, n], m) has m whole numbers from l to n"},
    {" tile ", "repmat(A, m, n); a row or column beside a matrix repeats by itself"},
    {" cat concatenate append push hstack vstack horzcat vertcat hcat vcat ",
     "[A, B] puts values side by side, [A; B] below each other"},
    /* shapes */
    {" len ", "length(x) or size(A)"},
    {" shape ", "size(A)"},
    {" nrow rows ", "size(A, 1)"},
    {" ncol columns ", "size(A, 2)"},
    {" ravel flatten ", "vec(x)"},
    {" isempty ", "no tensor is empty"},
    {" squeeze permute permutedims ", "A' turns a matrix; reshape(x, m, n) has the elements in another shape"},
    {" isequal array_equal ", "all(x == y)"},
    {" allclose isapprox ", "max(abs(x - y)) < 1e-6"},
    {" nanmean nansum nanmax ", "x[x == x] leaves NaN out"},
    {" reverse ", "flip(x)"},
    {" roll ", "circshift(x, k)"},
    {" sortperm ", "argsort(x)"},
    {" mode schur hess ", NULL},
    {" accumarray bincount histc histcounts histogram tabulate ",
     "sum(k == (1:n)', 1) counts how often each of 1 to n is in k, "
     "sum(where(k == (1:n)', v, 0), 1) adds up its v"},
    {" interp1 interp searchsorted digitize discretize ",
     "sum(x <= q', 1) tells how many of x are at most each of q; lerp(a, b, t) is between "
     "two values"},
    {" nchoosek binomial comb ", "prod(n-k+1:n)/prod(1:k)"},
    {" gamma ", "of a whole number n it is prod(1:n-1)"},
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
    {" factorial ", "prod(1:n)"},
    {" maximum fmax ", "max(x, y); max(x) of all elements"},
    {" minimum fmin ", "min(x, y); min(x) of all elements"},
    {" average ", "mean(x)"},
    {" convolve filter ", "conv(x, h)"},
    {" fft ", "there is none; with k = f32(0:n-1) its real part is cos(2*pi*k*k'/n)*x"},
    {" polyfit ", "by least squares: [ones(length(x)), x, x.^2]\\y"},
    {" corr corrcoef ", "cov(standardize(X))"},
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
    {" histogram ", "hist(x)"},
    {" imagesc imshow spy matshow pcolor surf mesh contour contourf ", "heatmap(A)"},
    {" csvread dlmread loadtxt genfromtxt readmatrix read_csv ", "load(\"data.csv\")"},
    {" csvwrite savetxt writematrix ", "save(\"data.csv\", A)"},
};

bool fs_elsewhere(const char *word, const char **hint) {
  size_t len = strlen(word);
  if (!len) return false;
  for (size_t k = 0; k < FS_LEN(elsewhere); k++)
    for (const char *at = elsewhere[k].words; (at = strstr(at, word)); at++)
      if (at[-1] == ' ' && at[len] == ' ') {
        *hint = elsewhere[k].hint;
        return true;
      }
  return false;
}

/* What other languages give further arguments to. */
static const struct { const char *name, *hint; } with_more[] = {
    {"norm", "norm1(x) and norminf(x) are other norms"},
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
