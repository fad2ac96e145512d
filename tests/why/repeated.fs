# A cheap map is computed wherever it is needed.
# rule: repeated: costs less than to store it
alpha = sum([1, 2]); x = rand(1000); y = rand(600);
begin
  c = 1 - alpha;
  q = c*x;
  s = c*y;
  c = 0;
end;
:why 1
