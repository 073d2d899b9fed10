#include <math.h>

int nrm2(float *restrict out, int64_t n, const float *restrict x)
{
    float sum = 0;
    #pragma omp parallel for simd reduction(+ : sum)
    for (int64_t i = 0; i < n; i++) sum += x[i] * x[i];
    *out = sqrtf(sum);
    return 0;
}
