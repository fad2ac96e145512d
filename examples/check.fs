# check(got, want, size, name): stops unless every element of a result in single
# precision is within 8 roundings of a reference in double precision, counted in
# the sum of the magnitudes that went into the element.
function check(got, want, size, name)
  bound = 8 * 2^-24 * size
  assert(all(abs(f64(got) - want) <= bound), name + " is off")
end
