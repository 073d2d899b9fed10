#include <math.h>

int gelu(float *restrict out, int64_t n, const float *restrict x)
{
    #pragma omp parallel for simd
    for (int64_t i = 0; i < n; i++) {
        float v = x[i];
        out[i] = 0.5f * v * (1 + tanhf(0.7978846f * (v + 0.044715f * v * v * v)));
    }
    return 0;
}
