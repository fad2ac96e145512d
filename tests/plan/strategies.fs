# kernels: 3
# The same statements by every strategy. minsync takes x and w into one kernel,
# against the grain; noreorder does not bring q and s together over t; manual does
# as minsync does, in order.
A = rand(3000, 2000); B = rand(500, 2000); p = rand(2000); r = rand(3000); z = rand(3000);
:strategy smart
begin q = A*p; t = B*p; s = A'*r; x = A'*z; w = A*x; end
:plan dump
:strategy minsync
begin q = A*p; t = B*p; s = A'*r; x = A'*z; w = A*x; end
:plan dump
:strategy minmemory
begin q = A*p; t = B*p; s = A'*r; x = A'*z; w = A*x; end
:plan dump
:strategy noreorder
begin q = A*p; t = B*p; s = A'*r; x = A'*z; w = A*x; end
:plan dump
begin t = B*p; q = A*p; s = A'*r; x = A'*z; w = A*x; end
:plan dump
:strategy manual
begin q = A*p; barrier; s = A'*r; x = A'*z; w = A*x; t = B*p; end
:plan dump
