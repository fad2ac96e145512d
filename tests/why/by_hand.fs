# The setting of a kernel, pinned by hand.
# rule: setting: by hand (`:pin`)
A = rand(600, 400); p = rand(400); r = rand(600);
begin
  q = A*p;
  s = A'*r;
end;
:pin 1 scheme=tile
begin
  q = A*p;
  s = A'*r;
end;
:why q
:unpin 1
begin
  q = A*p;
  s = A'*r;
end;
:why q
