# Imported by import.fs.
triple(x) = 3*x
shared = 5;
