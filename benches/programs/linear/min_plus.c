int min_plus(float *restrict out, int64_t m, int64_t n, int64_t k, const float *restrict a, const float *restrict b)
{
    #pragma omp parallel for
    for (int64_t i = 0; i < m; i++) {
        float *restrict row = out + i * n;
        for (int64_t j = 0; j < n; j++) row[j] = 1e30f;
        for (int64_t l = 0; l < k; l++)
            for (int64_t j = 0; j < n; j++) {
                float way = a[i * k + l] + b[l * n + j];
                row[j] = way < row[j] ? way : row[j];
            }
    }
    return 0;
}
