# kernels: 1
# Pins: q and s are kept apart, then together; statements by number.
A = rand(600, 400); p = rand(400); r = rand(600);
:split q s
begin q = A*p; s = A'*r; end
:plan dump
:fuse q s
begin q = A*p; s = A'*r; end
:plan dump
:split 1 2
:fuse
begin t = p + 1; u = sum(t); end
:plan dump
:split off
:split
begin t = p + 1; u = sum(t); end
:plan dump
