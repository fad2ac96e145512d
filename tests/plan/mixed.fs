# Mixed types: conversions cost no kernel.
# kernels: 1
# schemes: flat
a = f16(rand(4096)); a[1] = 0; b = rand(4096, "f64"); b[1] = 0; k = i32([1, 2, 3, 4]); k = i32(100*rand(4096)); k[1] = 0;
begin
  c = a*2 + b;
  d = k + a;
  e = sum(k);
  m = b > 0.5;
end
:plan dump
