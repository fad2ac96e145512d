# A recursive FFT of 512 points: real and imaginary parts, halves of halves.
function fft(re, im)
  n = length(re)
  if n == 1
    return re, im
  end
  er, ei = fft(re[1:2:end], im[1:2:end])
  dr, di = fft(re[2:2:end], im[2:2:end])
  a = f32(0:n/2-1) * (-2*pi/n)
  c = cos(a); s = sin(a)
  tr = c.*dr - s.*di
  ti = c.*di + s.*dr
  return [er + tr; er - tr], [ei + ti; ei - ti]
end
n = 512
x = f32(mod(7*(1:n), 13)); zero = zeros(n)
x[1] = 1; zero[1] = 0   # stored, whatever is planned before
re, im = fft(x, zero);
