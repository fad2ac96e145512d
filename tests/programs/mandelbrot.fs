# The Mandelbrot set in complex numbers, by masks.
x = linspace(-2, 1, 60, "f64"); y = linspace(-1, 1, 40, "f64");
c = x' + 1i*y;
z = zeros(40, 60, "c128"); n = zeros(40, 60, "i64");
for k = 1:50
  m = abs(z) < 2;
  z = where(m, z.^2 + c, z);
  n[m] += 1;
end
save("mandelbrot.npz", n)
