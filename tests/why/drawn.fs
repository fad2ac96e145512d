# What one kernel alone draws or maps is no call of its own.
# rule: computed
x = rand(100); x = x + 1; z = x*2; y = sum(z);
:why 1 4
:why 1
alpha = sum([1, 2]); x = rand(1000); y = rand(600);
begin
  c = 1 - alpha;
  q = c*x;
  s = c*y;
  t = y + 1;
  c = 0;
end;
:why 1 q
:why t 1
