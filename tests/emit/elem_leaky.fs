# A function of the user by element, in rows.
# devices: h200 a100
:elem ../../examples/elem/leaky.elem
X = f32(rand(4096, 4096));
begin
  q = sum(leaky(X, 0.5) .* 2, 2);
end
:dump code
