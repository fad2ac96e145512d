# Products of at most 64 multiplications are sums in a kernel, not calls of a library: they
# fuse with what is around them. 5 x 5 matrices go to the library.
# kernels: 4
# schemes: row library flat row
R = f64([1,2,3; 4,5,6; 7,8,9]); S = R'; x = f64([1,2,3]); A = f64(ones(5, 5));
begin
  B = R*S + 1;
  y = (R*S)*x;
  C = 2*(A*A);
end
:plan dump
