// The hidden layer of a row in memory, both products with their columns innermost.
#include <stdlib.h>

int mlp(float *restrict out, int64_t m, int64_t k, int64_t l, int64_t n, const float *restrict wa,
        const float *restrict a, const float *restrict wb, const float *restrict b, const float *restrict x)
{
    float *hidden = malloc(m * l * sizeof(float));
    if (!hidden) return 1;
    #pragma omp parallel for
    for (int64_t i = 0; i < m; i++) {
        float *restrict row = hidden + i * l;
        for (int64_t j = 0; j < l; j++) row[j] = a[j];
        for (int64_t p = 0; p < k; p++)
            for (int64_t j = 0; j < l; j++) row[j] += x[i * k + p] * wa[p * l + j];
        for (int64_t j = 0; j < l; j++) row[j] = row[j] > 0 ? row[j] : 0;
        float *restrict result = out + i * n;
        for (int64_t j = 0; j < n; j++) result[j] = b[j];
        for (int64_t p = 0; p < l; p++)
            for (int64_t j = 0; j < n; j++) result[j] += row[p] * wb[p * n + j];
    }
    free(hidden);
    return 0;
}
