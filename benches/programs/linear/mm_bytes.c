int mm_bytes(int32_t *restrict out, int64_t m, int64_t n, int64_t k, const int8_t *restrict a,
             const int8_t *restrict b)
{
    #pragma omp parallel for
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++) {
            int32_t sum = 0;
            for (int64_t l = 0; l < k; l++) sum += a[i * k + l] * b[j * k + l];
            out[i * n + j] = sum;
        }
    return 0;
}
