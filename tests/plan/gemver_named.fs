# GEMVER in the paper's own words: the same plan as gemver.fs.
# kernels: 2
A = rand(600, 400); A[1, 1] = 0;
v1 = rand(400); v1[1] = 0; v2 = rand(400); v2[1] = 0; z = rand(400); z[1] = 0;
u1 = rand(600); u1[1] = 0; u2 = rand(600); u2[1] = 0; y = rand(600); y[1] = 0;
alpha = sum([1, 2]); beta = sum([1, 0]);
begin
  C = sger(u1, v1);
  B = smadd(A, C);
  C = sger(u2, v2);
  B = smadd(B, C);
  x = sgemtv(B, y);
  x = sax(beta, x);
  x = sxpy(x, z);
  w = sgemv(B, x);
  w = sax(alpha, w);
  C = 0;
end
:plan dump
