# Against the values of the C library and known ones, in f64 and f32; special values.
x = f64([0.5, -1.5, 10.1, 1, 2, 5, 171, 172]);
g = gamma(x); t = f64([1.7724538509055159, 2.3632718012073544, 454760.7514415857, 1, 1, 24, 7.257415615307994e306, inf]);
print(all(g == t || abs(g - t) <= 4e-16*8*abs(t)))                 # expect: true
print(gamma(f64([0, -1, -2, inf, -inf, nan]))')                    # expect: f64[1×6]
                                                                   # expect:   Inf  NaN  NaN  Inf  NaN  NaN
l = lgamma(f64([0.5, -1.5, 1e10, 1, 2])); u = f64([0.5723649429247004, 0.8600470153764812, 220258509288.81058, 0, 0]);
print(all(abs(l - u) <= 4e-16*8*abs(u)))                           # expect: true
print(lgamma(f64([0, -1, inf, -inf, nan]))')                       # expect: f64[1×5]
                                                                   # expect:   Inf  Inf  Inf  Inf  NaN
print(max(abs(f64(gamma(f32([0.5, 3.5, 30]))) - gamma(f64([0.5, 3.5, 30]))) ./ gamma(f64([0.5, 3.5, 30]))) < 1e-6, " ", dtype(gamma(i32([3]))), " ", dtype(lgamma(i64([3]))), " ", gamma(5), " ", dtype(gamma(f16([3]))))   # expect: true f32 f64 24 f16
# erfinv undoes erf where erf says enough of its argument, and has its signs and ends.
q = f64([1e-300, -1e-10, 0.1, -0.49, 0.5, 0.51, 0.9, 0.99, 0.9999, 0.999999999]);
print(max(abs(erf(erfinv(q)) - q) ./ abs(q)) < 4e-16)              # expect: true
tail = 1 - f64([1e-3, 1e-6, 1e-9, 1e-12, 1e-15, 1.1102230246251565e-16]);
print(max(abs(erfc(erfinv(tail)) - (1 - tail)) ./ (1 - tail)) < 1e-13)   # expect: true
print(erfinv(f64([0, 1, -1, 1.5, -2, nan]))')                      # expect: f64[1×6]
                                                                   # expect:      0   Inf  -Inf   NaN   NaN   NaN
p = f32([-0.999, -0.3, 0.7, 0.9999]);
print(max(abs(f64(erfinv(p)) - erfinv(f64(p)))./abs(erfinv(f64(p)))) < 1e-6, " ", abs(erfinv(0.5) - erfinv(f64([0.5]))[1]) < 1e-15, " ", dtype(erfinv(p)))   # expect: true true f32
y = f32(1:5000)/5001; begin z = erfinv(y); w = erf(z); end
print(max(abs(w - y)) < 4e-7)                                      # expect: true
print(isempty(gamma([])), isempty(erfinv(zeros(0, 3))), isempty(lgamma(zeros(2, 0))))   # expect: true true true
# Factorials are exact up to 22; of arrays, too.
f = factorial(0:22); ok = f[1] == 1;
for k = 1:22; ok = ok && f[k+1] == k*f[k]; end
print(ok, " ", factorial(20) == 2432902008176640000, " ", factorial(170) < inf, " ", factorial(171), " ", factorial([1, 2; 3, 4])[2, 2])   # expect: true true true Inf 24
print(max(abs(factorial(0:170) - gamma(f64(0:170) + 1)) ./ factorial(0:170)) < 1e-14)   # expect: true
# ---
factorial(2.5)                  # error: factorial takes whole numbers from 0 on
