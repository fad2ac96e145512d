# Maps with short ways, and stragglers that wait.
# devices: h200 a100
w = f32(rand(4000000)); v = f32(rand(4000000));
begin
  z = erf(w./v + log(w./v)) + exp(-v);
end
:dump code
