# A box is replaced: what lies around it is copied.
# devices: h200
A = rand(3000, 4000); D = A; u = rand(1000, 2000);
begin
  A[501:1500, 1001:3000] = 2*u;
end
:dump code
