# Counting, grouping, looking up, fitting.
print(string(bincount([1, 3, 3])))
# expect: i64[3]
# expect:   1  0  2
k = [2, 1, 2, 4]; v = [5, 6, 7, 8];
h = accumarray(k, v); print(h[1], h[2], h[3], h[4])                  # expect: 6 12 0 8
h = accumarray(k, v, 5, "max"); print(h[1], h[2], h[3], h[5])        # expect: 6 7 0 0
h = accumarray(k, -v, 4, "max"); print(h[1], h[2], h[3])             # expect: -6 -5 0
h = accumarray(k, v, 4, "min"); print(h[2])                          # expect: 5
h = accumarray(k, v, 4, "mean"); print(h[2], h[3])                   # expect: 6 0
h = accumarray(k, v, 4, "prod"); print(h[2], h[3])                   # expect: 35 0
h = accumarray(k, v, 4, "count"); print(h[2], h[3])                  # expect: 2 0
try; accumarray(k, v, 4, "most"); catch e; print(e); end
# expect: assertion failed: accumarray knows sum prod max min mean count
try; bincount([0, 1], 3); catch e; print(e); end
# expect: index 0 (number 1 of the list) is out of range: there are 3 elements
p = [1, 2, 2, 4];
print(searchsorted(p, 2), searchsorted(p, 2, "right"), searchsorted(p, 0), searchsorted(p, NaN))  # expect: 1 3 0 4
s = searchsorted(p, [0, 2; 3, 9], "right"); print(s[1, 1], s[1, 2], s[2, 1], s[2, 2])             # expect: 0 3 3 4
try; searchsorted(p, 2, "middle"); catch e; print(e); end
# expect: assertion failed: the side is "left" or "right"
h = histcounts([1, 2, 2.5, 3, 3.5, 0, NaN], [1, 2, 3]); print(h[1], h[2])   # expect: 1 3
y = interp1([1, 2, 4], [10, 20, 0], [1, 1.5, 3, 4, 5]);
print(y[1], y[2], y[3], y[4], y[5])                                  # expect: 10 15 10 0 NaN
print(interp1([1, 2], [f64(1), 2], 1.25))                            # expect: 1.25
c = polyfit([0, 1, 2], [1, 3, 7], 2); print(max(abs(c - [1, 1, 1])) < 1e-5)  # expect: true
y = filter(1, [1, -0.5], [1, 0, 0, 0]); print(y[1], y[2], y[3], y[4])  # expect: 1 0.5 0.25 0.125
y = filter([1, 1]/2, 1, [1, 3, 5]); print(y[1], y[2], y[3])          # expect: 0.5 2 4
y = filter([2, 0], [2, 2], [1, 1, 1]); print(y[1], y[2], y[3])       # expect: 1 0 1
