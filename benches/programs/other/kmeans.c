// One pass over the points; each thread has sums of its own.
#include <stdlib.h>

int kmeans(float *restrict out, int64_t n, int64_t k, int64_t d, const float *restrict points,
           const float *restrict centres)
{
    const int64_t K = k + 1;
    float *sums = calloc(K * d + 1, sizeof(float)), *counts = calloc(K, sizeof(float));
    int failed = !sums || !counts;
    #pragma omp parallel if (!failed)
    {
        float *own = calloc(K * (d + 1), sizeof(float));
        #pragma omp for
        for (int64_t i = 0; i < n; i++) {
            int64_t best = 0;
            float least = 0;
            for (int64_t c = 0; c < K; c++) {
                float distance = 0;
                #pragma omp simd reduction(+ : distance)
                for (int64_t j = 0; j < d; j++) {
                    float e = centres[c * d + j] - points[i * d + j];
                    distance += e * e;
                }
                if (c == 0 || distance < least) least = distance, best = c;
            }
            if (own) {
                own[K * d + best]++;
                for (int64_t j = 0; j < d; j++) own[best * d + j] += points[i * d + j];
            }
        }
        #pragma omp critical
        if (own && !failed) {
            for (int64_t i = 0; i < K * d; i++) sums[i] += own[i];
            for (int64_t c = 0; c < K; c++) counts[c] += own[K * d + c];
        } else
            failed = 1;
        free(own);
    }
    for (int64_t i = 0; i < K * d && !failed; i++) out[i] = counts[i / d] > 0 ? sums[i] / counts[i / d] : centres[i];
    free(sums), free(counts);
    return failed;
}
