# What stands between the two cannot join them.
# rule: convex: stands `
A = rand(600, 400); B = rand(400, 600); x = rand(400); w = rand(600);
begin
  q = A*x;
  D = A .* q;
  C = D*B;
  s = C*w + q;
end;
:why q s
