#include <math.h>

int silu_gate(float *restrict out, int64_t n, const float *restrict a, const float *restrict b)
{
    #pragma omp parallel for simd
    for (int64_t i = 0; i < n; i++) out[i] = a[i] / (1 + expf(-a[i])) * b[i];
    return 0;
}
