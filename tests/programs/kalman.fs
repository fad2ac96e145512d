# A Kalman filter that follows a place and its speed.
dt = 0.1;
F = f64([1, dt; 0, 1]); H = f64([1, 0])'; Q = 0.01*eye(2, "f64"); R = 0.1;
x = zeros(2, "f64"); P = eye(2, "f64");
z = cumsum(f64(mod((1:60)*7919, 101))/1000);
track = zeros(60, 2, "f64");
for k = 1:length(z)
  x = F*x; P = F*P*F' + Q;
  S = H*P*H' + R;
  K = P*H'/S;
  x = x + K*(z[k] - H*x);
  P = (eye(2) - K*H)*P;
  track[k, :] = x;
end
save("kalman.npz", track, P)
