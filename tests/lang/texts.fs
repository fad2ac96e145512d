# Strings as rows of characters.
s = "hällo wörld";
print(length(s), length(""), length("\xff\xfe"))   # expect: 11 0 2
print(s[1], s[2], s[end], s[2:4], s[end:-1:1])     # expect: hädälldlröw olläh
print(s[[1, 3, 3]], s[3:2] == "", s[:] == s)       # expect: hlltrue true
print(s[[true, false, false, false, false, false, true, false, false, false, true]])  # expect: hwd
t = "";
for c in "añ€😀"; t = c + t; end
print(t, " ", reverse("añ€😀") == t, " ", t[1], length(t)) # expect: 😀€ña true 😀4
for c in ""; print("never"); end
try; s[12]; catch e; print(e); end                 # expect: index 12 is out of range: a string has 11 elements
try; s[0]; catch e; print(e); end                  # expect: index 0 is out of range: a string has 11 elements
try; s[1.5]; catch e; print(e); end                # expect: an index must be a whole number, not 1.5
try; s[1, 2]; catch e; print(e); end               # expect: s is a string and needs one subscript
try; s[[1, 12]]; catch e; print(e); end            # expect: index 12 is out of range: a string has 11 elements
try; ""[1]; catch e; print(e); end                 # expect: index 1 is out of range: a string has 0 elements
try; s[1] = "x"; catch e; print(e); end
# expect: only parts of tensors can be assigned; 's' is a string
print("a" < "b", " ", "b" < "a", " ", "a" < "ab", " ", "B" < "a", " ", "é" > "z", " ", "" <= "", " ", "a" >= "b")
# expect: true false true true true true false

print(upper("grün 3ß"), " ", lower("ÀÉ Ω"))        # expect: GRÜN 3ß àé ω
print("[", strip("  \t a b \n"), "]", "[", strip(" \u{a0}\u{3000} "), "]")  # expect: [a b][]
print(find("hällo", "l"), find("hällo", "x"), find("abc", ""), find("äöü", "ü"))  # expect: 3 0 1 3
print(find([0, 3, 4])[2])                          # expect: 3
print(startswith("abc", "ab"), " ", startswith("a", "ab"), " ", endswith("abc", "bc"), " ", endswith("", ""))
# expect: true false true true
print(contains("abc", "b"), " ", contains("abc", "d"), " ", contains("", ""))   # expect: true false true
print(replace("aaa", "aa", "b"), " ", replace("a.b.c", ".", ""), " ", replace("x", "y", "z"))  # expect: ba abc x
print(repeat("ab", 3), "|", repeat("ab", 0), "|", repeat("", 5))   # expect: ababab||
try; replace("a", "", "b"); catch e; print(e); end # expect: the text to replace is empty
try; repeat("ab", -1); catch e; print(e); end      # expect: the count must be at least 0, not -1
try; repeat("abc", 1e9); catch e; print(e); end
# expect: the text would have 3000000000 bytes; the limit is 1073741824
try; upper(3); catch e; print(e); end              # expect: the text must be a string, not a number
try; find(3, "a"); catch e; print(e); end          # expect: find with two arguments takes texts, not a number

# format()
print(format("%.3f %d %s", 3.14159, 42, "x"))      # expect: 3.142 42 x
print(format("[%5d|%-5d|%05d|%+d|% d]", 42, 42, 42, 42, 42))  # expect: [   42|42   |00042|+42| 42]
print(format("[%8.3e|%g|%g|%x|%06x]", 12345.678, 0.0001, 1e20, 255, 255)) # expect: [1.235e+04|0.0001|1e+20|ff|0000ff]
print(format("[%5s|%-5s|%.2s|%5.1s]", "äb", "äb", "äöü", "äö"))  # expect: [   äb|äb   |äö|    ä]
print(format("%d%%", 50), format(""), format("%s %s %s", true, 1.5, 1:3))   # expect: 50%true 1.5 1:3
print(format("%f %5.1f|%d", NaN, Inf, -Inf))       # expect: NaN   Inf|-Inf
print(format("%+.1f %05.1f %d", -2.25, -2.25, -0.0)) # expect: -2.2 -02.2 0
print(format("%.2f %d", sum([1, 2])/3, sum([1, 2])))  # expect: 1.00 3
print(format("%d %s", 1e22, [1]))
# expect: 10000000000000000000000 f32[1]
# expect:   1
try; format("%d", 1.5); catch e; print(e); end     # expect: %d takes whole numbers, not 1.5
try; format("%d"); catch e; print(e); end          # expect: the format wants more than 0 values
try; format("%d", 1, 2); catch e; print(e); end    # expect: the format has 1 conversion for 2 values
try; format("%n", 1); catch e; print(e); end       # expect: there is no conversion `%n`
try; format("%5.3q", 1); catch e; print(e); end    # expect: there is no conversion `%5.3q`
try; format("100%"); catch e; print(e); end        # expect: there is no conversion `%`
try; format("%*d", 1, 2); catch e; print(e); end   # expect: there is no conversion `%*`
try; format("%99999999999d", 1); catch e; print(e); end # expect: a width or precision is at most 1000
try; format("%.3f", [1, 2]); catch e; print(e); end  # expect: what %f shows must be a number, not 2 f32
try; format("%x", -1); catch e; print(e); end      # expect: %x takes whole numbers from 0 to 2^53, not -1

# Long ones are gone over once, not for each character.
long = repeat("añ", 200000);
n = 0;
for k = 1:2000:length(long)
  n += long[k] == "a";
end
print(length(long), " ", n, " ", long[end], " ", find(long, "añx"), " ", length(replace(long, "ñ", "n")))
# expect: 400000 200 ñ 0 400000
