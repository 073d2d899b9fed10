// Rows of the result as sums of rows of B.
int mm_integers(int32_t *restrict out, int64_t m, int64_t n, int64_t k, const int32_t *restrict a, const int32_t *restrict b)
{
    #pragma omp parallel for
    for (int64_t i = 0; i < m; i++) {
        int32_t *restrict row = out + i * n;
        for (int64_t j = 0; j < n; j++) row[j] = 0;
        for (int64_t l = 0; l < k; l++)
            for (int64_t j = 0; j < n; j++) row[j] += a[i * k + l] * b[l * n + j];
    }
    return 0;
}
