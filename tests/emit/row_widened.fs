# Of bf16 that is stored as f32 a thread has vectors of four: of eight it would store half sectors.
A = bf16(rand(16384, 8192)); A[1, 1] = 1;
u = rand(16384); u[1] = 1;
begin
  B = A .* u;
end
:pin 1 scheme=row
begin
  B = A .* u;
end
:dump code
