# Black-Scholes: prices of European call and put options, one pass over the data.
# Put-call parity checks the result: call - put = S - K*exp(-r*T).
n = 1000000;
S = 5 + 25*rand(n);
K = 1 + 99*rand(n);
T = 0.25 + 9.75*rand(n);
r = 0.02;
sigma = 0.30;

function black_scholes(S, K, T, r, sigma)
  d1 = (log(S ./ K) + (r + sigma^2/2)*T) ./ (sigma*sqrt(T))
  d2 = d1 - sigma*sqrt(T)
  discounted = K .* exp(-r*T)
  call = S.*normcdf(d1) - discounted.*normcdf(d2)
  put = discounted.*normcdf(-d2) - S.*normcdf(-d1)
  return call, put
end

begin
  call, put = black_scholes(S, K, T, r, sigma);
end
:plan box

parity = S - K.*exp(-r*T);
worst = max(abs(call - put - parity));
print("worst violation of put-call parity: ", worst);
assert(worst < 1e-4, "put-call parity does not hold");
assert(all(call >= -1e-4), "a call has a negative price");
print("blackscholes: ok");
