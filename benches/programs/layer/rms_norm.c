#include <math.h>

int rms_norm(float *restrict out, int64_t m, int64_t n, const float *restrict gamma, const float *restrict x)
{
    #pragma omp parallel for
    for (int64_t i = 0; i < m; i++) {
        const float *row = x + i * n;
        float square = 0;
        #pragma omp simd reduction(+ : square)
        for (int64_t j = 0; j < n; j++) square += row[j] * row[j];
        float scale = 1 / sqrtf(square / n + 1e-6f);
        for (int64_t j = 0; j < n; j++) out[i * n + j] = row[j] * scale * gamma[j];
    }
    return 0;
}
