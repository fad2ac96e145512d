# A block that comes again is dumped once; a new one for the last round.
# stages: ast graph plan
x = ones(1000)*2.0;
for k = 1:5
  x = 0.5*x + 1;
  if sum(x) > 1e9
    break
  end
end
