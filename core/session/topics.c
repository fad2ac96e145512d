/* topics.c - the topics of `:help`. */
#include "core/session/internal.h"

static const struct fs_topic topics[] = {
  {"language", "statements, values, blocks",
   "A statement ends at the line's end or at `;`, which also keeps its value from\n"
   "being shown. # begins a comment.\n"
   "  A = rand(4096, 4096); p = ones(4096)    values: tensors, numbers, strings,\n"
   "  q = A*p; s = A'*q                       ranges, functions\n"
   "  l = {1, \"a\"}; s = {x = 1}; s.x          lists, records\n"
   "  if x > 0 ... elseif ... else ... end    while c ... end    for k = 1:n ... end\n"
   "  try ... catch e ... end                 e: the message of a mistake\n"
   "  f(x) = x^2 + 1     function g(x, y) ... return a, b end     map(x -> x^2, v)\n"
   "A block is what is planned together: one input at the prompt, `begin ... end`,\n"
   "the body of a loop, in a script the text between two values that are looked at.\n"
   "Indexes count from 1: A[2, :], v[end], v[1:2:end], A[1:3, 2] = 0\n"},
  {"loops", "loops over elements, and when rounds wait",
   "  for i = 1:n; for j = 1:m; z[i,j] = x[i,j] + y[i,j]; end; end    as z = x + y\n"
   "  for i = 1:n; s += x[i]; end                                     as s = sum(x)\n"
   "Such loops run as whole arrays: the counters are axes, subscripts views, s += e a\n"
   "reduction; a `while` in them takes as many steps in each round as its data ask for,\n"
   "all in one kernel. Their statements stand in plans behind `for i, j:`. Where a\n"
   "round needs what another one writes, as in x[i] = 2*x[i-1] + 1, the rounds run one by\n"
   "one on the host, and a note says why; :why tells it again. :set loops off lifts none.\n"
   "  forall i = 1:n, j = 1:m; z[j,i] = x[i,j]; end                   as z = x'\n"
   "is lifted, or it is an error with the reason; so is `parallel for i = 1:n ... end`.\n"},
  {"operators", "what * and .* and ' mean",
   "  A*B  A*x  x'*y  x*y'  2*A    linear algebra        .*  ./  .^   by element\n"
   "  A'                           transpose             +  -         by element\n"
   "  A\\b                          solve                 ==  !=  <  <=  >  >=\n"
   "  a:b  a:step:b                range                 &&  ||  !\n"
   "+ - .* ./ and comparisons also take a scalar, a row or a column with a matrix.\n"},
  {"types", "element types and how they mix",
   "  "
#define FS_DTYPE(id, name, ...) name " "
#include "core/graph/dtypes.def"
   "     f32 is what constructors give\n"
   "Of two types it is the least that holds both; integers with a float give that\n"
   "float; f16 with bf16 gives f32. f16 and bf16 compute in f32 and are rounded after\n"
   "every step; integers wrap around. f64(A), u8(x) ... convert.\n"},
  {"plan", "how to read a plan",
   "One line per kernel: its scheme, the statements it does, the bytes it moves to\n"
   "and from memory, the predicted and the measured time, their ratio, and how much of\n"
   "the limit was reached: the bandwidth of the memory or the caches that hold the data,\n"
   "or the time that computing alone takes; a launch has none.\n"
   "  flat      elements one after the other\n"
   "  row       a block owns whole rows and keeps them on chip between uses\n"
   "  tile      tiles, of matrices that lie across each other\n"
   "  march     all blocks in step over panels of columns: a matrix is read once\n"
   "  instance  users' routines on each of a stack of small elements\n"
   "  library   a dense library's routine\n"
   "Measured is the time on the device (events; on the CPU a monotonic clock) of the\n"
   "last run; planning and compiling are never in it and shown apart. unfused is the\n"
   "prediction for one kernel per call. :explain plans without running, ~ marks what\n"
   "is only predicted. :alternatives lists what else was possible, :why says why it\n"
   "was not, :plan diff compares with the run before, :plan html shows all of it.\n"},
  {"files", "loading and saving",
   "  A = load(\"A.npy\")    x = load(\"d.npz\", \"x\")    save(\"out.npz\", A, x)\n"
   "  :load d.npz          :load X A.mtx            :save out.npz A x\n"
   ".npy and .npz as NumPy has them, .mtx MatrixMarket, .csv numbers with an\n"
   "optional line of names. Text numbers become f64. .h5 by libhdf5, .safetensors;\n"
   ".pgm, .ppm and .png are images of u8 or u16.\n"},
  {"keys", "keys at the prompt",
   "  Tab        completes names, commands, files\n"
   "  Up, Down   earlier inputs          Ctrl-R   searches them\n"
   "             with a word before the cursor, those that begin with it\n"
  "  Ctrl-C     at the prompt: clears the input; running: stops it, values stay\n"
   "  Ctrl-D     leaves\n"},
  {"settings", "what :set changes", NULL},  /* with their values */
};

const struct fs_topic *fs_session_topic(int k) {
  return k < (int)FS_LEN(topics) ? &topics[k] : NULL;
}
