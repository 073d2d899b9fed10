// The weights of a query in memory, then the weighted sum of the values, row by row.
#include <math.h>
#include <stdlib.h>

int attention_causal(float *restrict out, int64_t n, int64_t d, int64_t e, const float *restrict q, const float *restrict k,
       const float *restrict v)
{
    int failed = 0;
    #pragma omp parallel for
    for (int64_t i = 0; i < n; i++) {
        const int64_t keys = i + 1;
        float *weights = malloc((keys + 1) * sizeof(float)), most = -1e30f, total = 0;
        if (!weights) {
            failed = 1;
            continue;
        }
        for (int64_t j = 0; j < keys; j++) {
            float sum = 0;
            #pragma omp simd reduction(+ : sum)
            for (int64_t l = 0; l < d; l++) sum += q[i * d + l] * k[j * d + l];
            weights[j] = sum / sqrtf(d);
            most = weights[j] > most ? weights[j] : most;
        }
        for (int64_t j = 0; j < keys; j++) total += weights[j] = expf(weights[j] - most);
        float *restrict result = out + i * e;
        for (int64_t l = 0; l < e; l++) result[l] = 0;
        for (int64_t j = 0; j < keys; j++)
            for (int64_t l = 0; l < e; l++) result[l] += weights[j] / total * v[j * e + l];
        free(weights);
    }
    return failed;
}
