# A `while` of a loop over elements: lanes that are not there do not go into it.
# devices: h200
x = f32(rand(100003)); z = zeros(100003);
begin
  forall i = 1:100003
    q = x[i]; k = 0;
    while q >= 1; q = q/2; k += 1; end
    z[i] = q;
  end
end
:dump code
