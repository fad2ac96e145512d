# Operations on bits and whole quotients.
function is(x, t, y)
  assert(dtype(x) == t, "is " + dtype(x) + ", not " + t);
  assert(all(x == y), "is " + string(x));
end
print(bitand(12, 10), " ", bitor(12, 10), " ", bitxor(12, 10), " ", bitnot(0), " ", shl(1, 10), " ", shr(-8, 1))
# expect: 8 14 6 -1 1024 -4
print(popcount(255), " ", idiv(-7, 2), " ", idiv(7, -2), " ", idiv(5, 0), " ", shl(3, -1), " ", shl(1, 64))
# expect: 8 -4 -4 0 1 0
a = u8([0, 1, 200, 255]); b = i8([-128, -1, 5, 127]);
is(bitnot(a), "u8", [255, 254, 55, 0]); is(bitnot(b), "i8", [127, 0, -6, -128]);
is(bitand(a, 15), "u8", [0, 1, 8, 15]); is(bitor(b, 1), "i8", [-127, -1, 5, 127]);
is(bitxor(a, b), "i16", [-128, -2, 205, 128]); is(bitand(true, i32([3])), "i32", 1);
is(shl(a, 1), "u8", [0, 2, 144, 254]); is(shl(b, 8), "i8", [0, 0, 0, 0]);
is(shl(i8([1, 1, 1]), i8([7, 8, -1])), "i8", [-128, 0, 0]);
is(shr(a, 1), "u8", [0, 0, 100, 127]); is(shr(b, 1), "i8", [-64, -1, 2, 63]);
is(shr(b, 100), "i8", [-1, -1, 0, 0]); is(shr(b, -1), "i8", [0, -2, 10, -2]);
is(shl(u32([1]), 31), "u32", 2147483648); is(shl(i32([1, 1]), i32([31, 32])), "i32", [-2147483648, 0]);
is(shr(i64([-1, -1]), i64([63, -64])), "i64", [-1, 0]);
is(popcount(b), "u8", [1, 8, 2, 7]); is(popcount(i32([-1])), "i32", 32); is(popcount(i64([-1])), "i64", 64);
is(highbits(i64([-1, 2^40, -2^40])), "i64", [-1, 256, -256]); is(highbits(i32([-65537, 2^20])), "i32", [-2, 16]);
is(highbits(u64([18446744073709551615, 4294967295])), "u64", [4294967295, 0]);
is(idiv(b, 3), "i8", [-43, -1, 1, 42]); is(idiv(b, i8([-1, 0, -2, 2])), "i8", [-128, 0, -3, 63]);
k = i64(-1000:7:1000);
print(all(k == 13*idiv(k, 13) + mod(k, 13)), " ", all(k == -13*idiv(k, -13) + mod(k, -13)))
# expect: true true
z = zeros_like(a);
z'
# expect: u8[1×4]
# expect:   0  0  0  0
ones_like(f16([1, 2; 3, 4]))
# expect: f16[2×2]
# expect:   1  1
# expect:   1  1
print(dtype(zeros(2, dtype(b))), " ", zeros_like(3))
# expect: i8 0
shl(a, 0.5) # error: shl takes integers, not 0.5
# ---
bitand(f32([1]), 1) # error: bitand takes integers, not f32
# ---
for k = 1:3
  x = bitor(k, 0.5); # error: bitor takes integers, not 0.5
end
# ---
# Check sums of bytes: CRC-16 (CCITT) and CRC-32 of "123456789", and of many at once.
text = u8(49:57); crc = 65535;
for k = 1:9
  crc = bitxor(crc, shl(number(i32(text[k])), 8));
  for r = 1:8
    if bitand(crc, 32768) != 0
      crc = bitand(bitxor(shl(crc, 1), 4129), 65535);
    else
      crc = shl(crc, 1);
    end
  end
end
print(crc == 0x29b1)
# expect: true
c = u32([4294967295]);
for k = 1:9
  c = bitxor(c, u32(text[k]));
  for r = 1:8
    c = bitxor(shr(c, 1), bitand(0xedb88320, -bitand(c, 1)));
  end
end
print(all(bitnot(c) == 0xcbf43926))
# expect: true
lines = u8(zeros(8, 1) + (49:57)'); many = bitnot(zeros(8, "u32"));
for k = 1:9
  many = bitxor(many, u32(lines[:, k]));
  for r = 1:8
    many = bitxor(shr(many, 1), u32(0xedb88320) .* bitand(many, 1));
  end
end
print(all(bitnot(many) == 0xcbf43926))
# expect: true
