# rule: one-flat: one after the other
x = rand(1000);
begin y = sqrt(x) + 1; end
:why y
