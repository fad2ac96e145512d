# The pictures whose text the tests compare. Only exact numbers.
x = (0:40)/10 - 2;
plot(x, x.^2, "square", x, x.^3, "cube", "title=Powers", "xlabel=x", "ylabel=y")
plot([1, 10, 100, 0, 1e4, 1e5], "log=y", "title=with a gap")
plot([1, 10, 100, 1000], [1, 100, 1e4, 1e6], "slope 2", "log=xy")
scatter([1, 2, 3, 4], [1, 4, 9, 16], "points")
hist([1, 1, 1, 2, 2, 3, 5], "bins=5", "title=counts")
heatmap([1, 2, 3; 4, 5, 6; 7, 8, 0/0], "title=cells")
plot([3, 3, 3], "title=日本語 <b> \x1b[1m", "constant")
bar([1, 2, 3], "a", [3, 1, 2], "b", "names=left,middle,right")
plot([0/0])
