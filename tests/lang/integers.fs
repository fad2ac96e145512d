# Integers of 8 to 32 bits: they wrap around, are promoted to what holds both, and are stored
# in their own width.
function is(x, t, y)
  assert(dtype(x) == t, "is " + dtype(x) + ", not " + t);
  assert(all(x == y), "is " + string(x));
end
a = u8([0, 1, 200, 255]); b = i8([-128, -1, 5, 127]);
is(a + a, "u8", [0, 2, 144, 254]); is(-a, "u8", [0, 255, 56, 1]);
is(a .* a, "u8", [0, 1, 64, 1]); is(a - 1, "u8", [255, 0, 199, 254]);
is(b + b, "i8", [0, -2, 10, -2]); is(-b, "i8", [-128, 1, -5, -127]);
is(abs(b), "i8", [-128, 1, 5, 127]); is(sign(b), "i8", [-1, -1, 1, 1]);
is(square(b), "i8", [0, 1, 25, 1]); is(a.^2, "u8", [0, 1, 64, 1]);
is(a + b, "i16", [-128, 0, 205, 382]); is(a - b, "i16", [128, 2, 195, 128]);
is(a .* b, "i16", [0, -1, 1000, 32385]);
is(a + 300, "u16", [300, 301, 500, 555]); is(a - 300, "u16", [65236, 65237, 65436, 65491]);
is(a*(-1), "i16", [0, -1, -200, -255]); is(b + 200, "i16", [72, 199, 205, 327]);
print(dtype(a + 70000), " ", dtype(a + 1e3), " ", dtype(u16(a) + i16(b)), " ", dtype(u32(a) + i32(b)))
# expect: i32 f32 i32 i64
print(dtype(u32(a) + a), " ", dtype(f16(a) + u32(a)), " ", dtype(true + a))
# expect: u32 f16 u8
print(all(u32([4294967295]) > i32([-1])), " ", any(u8([200]) == i8([-56])), " ", all(u16([65535]) > i16([-1])))
# expect: true false true
is(mod(a, 7), "u8", [0, 1, 4, 3]); is(mod(b, 7), "i8", [5, 6, 5, 1]);
is(mod(a, u8([0, 1, 2, 3])), "u8", [0, 0, 0, 0]); is(min(a, 7), "u8", [0, 1, 7, 7]);
is(max(b, 0), "i8", [0, 0, 5, 127]); is(clamp(a, 1, 200), "u8", [1, 1, 200, 200]);
is(sum(a), "i64", 456); is(prod(b), "i64", 81280); is(sum(a .* a), "i64", 66);
is(a'*a, "i64", 105026); is(max(a), "u8", 255); is(argmax(b), "i64", 4); is(mean(a), "f32", 114);
is(a/2, "f32", [0, 0.5, 100, 127.5]); is(sqrt(u32(a))[2], "f32", 1);
is(cumsum(a), "i64", [0, 1, 201, 456]); is(cummax(b), "i8", [-128, -1, 5, 127]);
is(sort(b, "descend"), "i8", [127, 5, -1, -128]); is(argsort(a, "descend"), "i64", [4, 3, 2, 1]);
is(find(a > 100), "i64", [3, 4]); is(unique(u8([3, 255, 3, 0])), "u8", [0, 3, 255]);
# ---
# What conversions give.
function is(x, t, y)
  assert(dtype(x) == t, "is " + dtype(x) + ", not " + t);
  assert(all(x == y), "is " + string(x));
end
x = f64([300.7, -5, 2.7, -200, 1e20, nan, -1/0, 1/0]);
is(u8(x), "u8", [255, 0, 2, 0, 255, 0, 0, 255]);
is(i8(x), "i8", [127, -5, 2, -128, 127, 0, -128, 127]);
is(u16(x), "u16", [300, 0, 2, 0, 65535, 0, 0, 65535]);
is(i16(f32(x)), "i16", [300, -5, 2, -200, 32767, 0, -32768, 32767]);
is(u32(x), "u32", i64([300, 0, 2, 0, 4294967295, 0, 0, 4294967295]));
k = i64([-1, 256, 65537, 4294967301]);
is(u8(k), "u8", [255, 0, 1, 5]); is(i8(k), "i8", [-1, 0, 1, 5]);
is(u16(k), "u16", [65535, 256, 1, 5]); is(i16(k), "i16", [-1, 256, 1, 5]);
is(u32(k), "u32", i64([4294967295, 256, 65537, 5]));
is(u8(i8([-1])), "u8", 255); is(i8(u8([255])), "i8", -1); is(u8(true), "u8", 1);
is(f64(u32([4294967295])), "f64", 4294967295); is(bool(u8([0, 3])), "bool", [false, true]);
print(u8(300), " ", i8(-1.5), " ", dtype([u8([1]); i8([1])]), " ", dtype([u8([1]), 300]))
# expect: 255 -1 i16 u16
u8([0, 7, 255])'
# expect: u8[1×3]
# expect:     0    7  255
# ---
# Parts and constructors.
z = zeros(2, 3, "u8"); z[1, 2] = 255; z[2, :] += 250; z[2, :] += 10;
z
# expect: z = u8[2×3]
# expect:     0  255    0
# expect:     4    4    4
fill(300, 2, "u16")'
# expect: u16[1×2]
# expect:   300  300
eye(2, "i8")
# expect: i8[2×2]
# expect:   1  0
# expect:   0  1
z[1, 1] = 256 # error: cannot put 256 into a tensor of u8: it is too large
# ---
# A list of bytes chooses elements.
v = 10*(1:5); at = u8([5, 1, 1]);
v[at]'
# expect: i64[1×3]
# expect:   50  10  10
h = zeros(5, "u16");
for k = 1:3
  h[at[k]] += 1;
end
h'
# expect: u16[1×5]
# expect:   2  0  0  0  1
# ---
# Loops of the host, loops that are lifted, and rounds that end when an element says.
a = u8([10, 200, 255, 3]); s = zeros(4, "u8"); t = u8([7])[1]; c = zeros(4, "i32");
for i = 1:4
  s[i] = a[i] + 100;
end
for i = 1:4
  t = t*a[i] + i;
end
for i = 1:4
  x = a[i]; n = 0;
  while x > 2
    x = x + 251; n = n + 1;
  end
  c[i] = n;
end
s'
# expect: u8[1×4]
# expect:   110   44   99  103
print(t, " ", dtype(t))
# expect: 159 u8
c'
# expect: i32[1×4]
# expect:     2   40   51  103
# ---
# The histogram of an image is made flat.
n = 64; i = i64(vec(0:n-1));
image = u8(mod(i .* i + 3*i', 97) + 40);
count = zeros(256);
for r = 1:n
  for k = 1:n
    count[i32(image[r, k]) + 1] += 1;
  end
end
up_to = cumsum(count); least = min(up_to[up_to > 0]);
table = u8(round((up_to - least)/(n*n - least)*255));
flat = reshape(table[i32(vec(image)) + 1], n, n);
print(sum(count), " ", dtype(flat), " ", min(flat), " ", max(flat), " ", min(image), " ", max(image))
# expect: 4096 u8 0 255 40 136
print(abs(mean(flat) - 128) < 3)
# expect: true
