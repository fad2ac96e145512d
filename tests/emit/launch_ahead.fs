# Rows of a phase that are read ahead, in a launch whose other phases want more blocks.
# devices: h200 a100
m = 5; n = 2000; A = rand(m, n); p = rand(n); print(sum(A) > 0, sum(p) > 0);
begin
  q = [A, A]*[p; p];
end
:dump code
