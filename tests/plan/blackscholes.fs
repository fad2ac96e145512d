# Black-Scholes: one kernel of many operations.
# kernels: 1
# schemes: flat
S = rand(4096); S[1] = 0; K = rand(4096); K[1] = 0; T = rand(4096); T[1] = 0;
begin
  d = (log(S./K) + 0.045*T)./(0.3*sqrt(T));
  C = S.*normcdf(d) - K.*exp(-0.03*T).*normcdf(d - 0.3*sqrt(T));
  P = C - S + K.*exp(-0.03*T);
  d = 0;
end
:plan dump
