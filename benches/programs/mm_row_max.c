#include <stdlib.h>

int mm_row_max(float *restrict out, int64_t m, int64_t n, int64_t k, const float *restrict a, const float *restrict b,
               float least)
{
    int failed = 0;
    #pragma omp parallel for
    for (int64_t i = 0; i < m; i++) {
        float *row = calloc(n + 1, sizeof(float)), most = least;
        if (!row) {
            failed = 1;
            continue;
        }
        for (int64_t l = 0; l < k; l++)
            for (int64_t j = 0; j < n; j++) row[j] += a[i * k + l] * b[l * n + j];
        for (int64_t j = 0; j < n; j++) most = row[j] > most ? row[j] : most;
        out[i] = most;
        free(row);
    }
    return failed;
}
