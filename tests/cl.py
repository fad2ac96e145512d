"""Compiles and runs OpenCL C texts on the first device of libOpenCL.so.1, by ctypes."""
import ctypes as C

SIZES = {'long': C.c_int64, 'double': C.c_double, 'float': C.c_float, 'int': C.c_int32}
ALL_DEVICES, BUILD_LOG = 0xFFFFFFFF, 0x1183
COPY_HOST = 1 << 5


class Failed(Exception):
    pass


class Device:
    """A device with a queue; None of it where there is no library or device: .there is false."""

    def __init__(self):
        self.there = False
        try:
            self.cl = C.CDLL('libOpenCL.so.1')
        except OSError:
            return
        for name in ('clCreateContext', 'clCreateCommandQueue', 'clCreateProgramWithSource',
                     'clCreateKernel', 'clCreateBuffer'):
            getattr(self.cl, name).restype = C.c_void_p
        platforms, n = (C.c_void_p * 8)(), C.c_uint()
        if self.cl.clGetPlatformIDs(8, platforms, C.byref(n)) or not n.value:
            return
        self.device, n = C.c_void_p(), C.c_uint()
        if self.cl.clGetDeviceIDs(C.c_void_p(platforms[0]), C.c_uint64(ALL_DEVICES), 1,
                                  C.byref(self.device), C.byref(n)):
            return
        error = C.c_int()
        self.context = C.c_void_p(self.cl.clCreateContext(None, 1, C.byref(self.device), None, None,
                                                          C.byref(error)))
        self.queue = C.c_void_p(self.cl.clCreateCommandQueue(self.context, self.device, C.c_uint64(0),
                                                             C.byref(error)))
        self.there = not error.value

    def check(self, error, what):
        if error:
            raise Failed(f'{what}: error {error}')

    def kernel(self, text, name='fs_kernel'):
        """The kernel of a text, compiled by the options of the target."""
        error, source = C.c_int(), C.c_char_p(text.encode())
        program = C.c_void_p(self.cl.clCreateProgramWithSource(
            self.context, 1, C.byref(source), None, C.byref(error)))
        options = b'-w -cl-std=CL1.2 -cl-fp32-correctly-rounded-divide-sqrt'
        if self.cl.clBuildProgram(program, 1, C.byref(self.device), options, None, None):
            size = C.c_size_t()
            self.cl.clGetProgramBuildInfo(program, self.device, BUILD_LOG, C.c_size_t(0), None,
                                          C.byref(size))
            log = C.create_string_buffer(size.value + 1)
            self.cl.clGetProgramBuildInfo(program, self.device, BUILD_LOG, size, log, None)
            raise Failed(log.value.decode(errors='replace'))
        kernel = C.c_void_p(self.cl.clCreateKernel(program, name.encode(), C.byref(error)))
        self.check(error.value, 'clCreateKernel')
        return kernel

    def run(self, kernel, args, groups, threads):
        """Starts it: a bytearray is memory, which has what the kernel left; (type, x) a number."""
        buffers = []
        for k, x in enumerate(args):
            if isinstance(x, bytearray):
                error, data = C.c_int(), (C.c_char * len(x)).from_buffer(x)
                buffer = C.c_void_p(self.cl.clCreateBuffer(self.context, C.c_uint64(1 | COPY_HOST),
                                                           C.c_size_t(len(x)), data, C.byref(error)))
                self.check(error.value, 'clCreateBuffer')
                buffers.append((buffer, x))
                value, size = buffer, C.sizeof(buffer)
            else:
                value = SIZES[x[0]](x[1])
                size = C.sizeof(value)
            self.check(self.cl.clSetKernelArg(kernel, C.c_uint(k), C.c_size_t(size), C.byref(value)),
                       f'argument {k}')
        every, group = C.c_size_t(groups * threads), C.c_size_t(threads)
        self.check(self.cl.clEnqueueNDRangeKernel(self.queue, kernel, 1, None, C.byref(every),
                                                  C.byref(group), 0, None, None), 'the launch')
        self.check(self.cl.clFinish(self.queue), 'clFinish')
        for buffer, x in buffers:
            data = (C.c_char * len(x)).from_buffer(x)
            self.check(self.cl.clEnqueueReadBuffer(self.queue, buffer, 1, C.c_size_t(0),
                                                   C.c_size_t(len(x)), data, 0, None, None), 'reading')
            self.cl.clReleaseMemObject(buffer)
