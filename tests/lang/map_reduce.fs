x = [1, 2, 3];
map(x -> x^2 + 1, x)          # expect: f32[3]
                              # expect:    2   5  10
map((a, b) -> a*b/2, x, x)    # expect: f32[3]
                              # expect:   0.5  2.0  4.5
map(sqrt, [4, 9])             # expect: f32[2]
                              # expect:   2  3
t = 10;
print(sum(map(v -> where(v > 1, v, t), x)))   # expect: 15
print(vreduce("sum", vmap(x -> 2*x, x)), " ", vsum(vzipWith((a, b) -> a - b, x, x)), " ", vlength(x))   # expect: 12 0 3
vslice(2, 3, x)               # expect: f32[2]
                              # expect:   2  3
f(x) = x*x
print(reduce("max", map(f, x)))   # expect: 9
print(map(x -> x^2, 3))       # expect: 9
