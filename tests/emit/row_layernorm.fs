# Mean and spread of a row while it is on chip.
# devices: h200 h100 a100
A = f32(rand(4096, 4096));
begin
  m = mean(A, 2);
  B = (A - m)./sqrt(mean((A - m).^2, 2) + 1e-5);
end
:dump code
