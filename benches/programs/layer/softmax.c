#include <math.h>

int softmax(float *restrict out, int64_t m, int64_t n, const float *restrict x)
{
    #pragma omp parallel for
    for (int64_t i = 0; i < m; i++) {
        const float *row = x + i * (n + 1);
        float *result = out + i * (n + 1), most = row[0], sum = 0;
        #pragma omp simd reduction(max : most)
        for (int64_t j = 1; j <= n; j++) most = row[j] > most ? row[j] : most;
        for (int64_t j = 0; j <= n; j++) sum += result[j] = expf(row[j] - most);
        for (int64_t j = 0; j <= n; j++) result[j] /= sum;
    }
    return 0;
}
