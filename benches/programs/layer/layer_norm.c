#include <math.h>

int layer_norm(float *restrict out, int64_t m, int64_t n, const float *restrict gamma, const float *restrict beta,
               const float *restrict x)
{
    #pragma omp parallel for
    for (int64_t i = 0; i < m; i++) {
        const float *row = x + i * n;
        float mean = 0, variance = 0;
        #pragma omp simd reduction(+ : mean)
        for (int64_t j = 0; j < n; j++) mean += row[j];
        mean /= n;
        #pragma omp simd reduction(+ : variance)
        for (int64_t j = 0; j < n; j++) variance += (row[j] - mean) * (row[j] - mean);
        float scale = 1 / sqrtf(variance / n + 1e-5f);
        for (int64_t j = 0; j < n; j++) out[i * n + j] = (row[j] - mean) * scale * gamma[j] + beta[j];
    }
    return 0;
}
