s = "a" + "b"                 # expect: s = "ab"
print(s == "ab", " ", s != "ab", " ", s == 3)   # expect: true false false
print("x = " + 3 + ", " + true)       # expect: x = 3, true
print(string(1.5) + "!", " ", string([1, 2]), " ", length("abc"))   # expect: 1.5! f32[2]
# expect:   1  2 3
print(number("42") + 1, " ", number("2.5"), " ", number(sum([1, 2])))   # expect: 43 2.5 3
print()                       # expect:
print("tab	end")              # expect-re: tab.*end
