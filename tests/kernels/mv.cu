#define A(y,x) A[(y)*width+(x)]
#define globalDimY 1
__global__ void mv_naive(float *A, float *B,
float *C, int width) {
    float sum = 0;
    for (int i=0; i<width; i=i+1) {
        float a;
        float b;
        a = A(idx, i);
        b = B[i];
        sum += a*b;
    }
    C[idx] = sum;
}
