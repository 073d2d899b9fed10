int batched_mm(float *restrict out, int64_t t, int64_t m, int64_t n, int64_t k, const float *restrict a,
               const float *restrict b)
{
    #pragma omp parallel for collapse(2)
    for (int64_t s = 0; s < t; s++)
        for (int64_t i = 0; i < m; i++) {
            float *restrict row = out + (s * m + i) * n;
            for (int64_t j = 0; j < n; j++) row[j] = 0;
            for (int64_t l = 0; l < k; l++)
                for (int64_t j = 0; j < n; j++) row[j] += a[(s * m + i) * k + l] * b[(s * k + l) * n + j];
        }
    return 0;
}
