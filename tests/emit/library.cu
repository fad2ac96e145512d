==== h200
> code: cuda
# k1 library
it is a library call
