# One array, walked in two ways that do not agree.
# rule: shape: one walk cannot
A = rand(600, 400);
begin
  s = A[1:300, :] + 1;
  t = A[200:600, 1:399] * 2;
end;
:why s t
