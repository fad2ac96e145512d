s = "a" + "b"                 # expect: s = "ab"
print(s == "ab", " ", s != "ab", " ", s == 3)   # expect: true false false
print("x = " + 3 + ", " + true)       # expect: x = 3, true
print(string(1.5) + "!", " ", string([1, 2]), " ", length("abc"))   # expect: 1.5! f32[2]
# expect:   1  2 3
print(number("42") + 1, " ", number("2.5"), " ", number(sum([1, 2])))   # expect: 43 2.5 3
print()                       # expect:
print("tab	end")              # expect-re: tab.*end
# -- print follows the settings, texts do not --
:set digits 3
print(1/3, " ", sum([1, 1])/3, " ", string(1/3))   # expect: 0.333 0.667 0.333333
:set digits 10
print(pi, " ", f64([1])/3)                         # expect: 3.141592654 f64[1]
# expect:   0.3333333333
:set digits 6
:set ascii on
print(ones(1, 2))                                  # expect: f32[1x2]
# expect:   1  1
# ---
print(1, 2, "a", 3, true)
# expect: 1 2a3 true
print(sum([1, 2]), f64(4), [5])
# expect: 3 4
# expect: f32[1]
# expect:   5
print("A = ", [5], [6], " end")
# expect: A = f32[1]
# expect:   5
# expect: f32[1]
# expect:   6 end
string(1, 2)
# expect: "12"
