# Much to compute of few numbers.
# devices: h200 a100
S = f32(rand(4194304)); T = f32(rand(4194304)); K = f32(rand(4194304));
begin
  d = (log(S./K) + 0.045*T)./(0.3*sqrt(T));
  C = S.*normcdf(d) - K.*exp(-0.03*T).*normcdf(d - 0.3*sqrt(T));
  d = 0;
end
:dump code
