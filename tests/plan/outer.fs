# An outer product that is only summed never reaches memory.
# kernels: 1
u = rand(400); u[1] = 0; v = rand(600); v[1] = 0;
begin
  s = sum(u*v');
end
:plan dump
